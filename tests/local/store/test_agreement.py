"""Agreement on a test set, from the live judgments of its cases' runs, on a real file."""

import sqlite3

import pytest

from kindgi_tui.domain.agreement import agreement_sentence
from kindgi_tui.domain.corrections import Expectation, NewCorrection
from kindgi_tui.domain.judgments import Verdict
from kindgi_tui.domain.test_set_versions import BuildRequest
from kindgi_tui.local.store.agreement import agreement_on, agreement_on_own
from kindgi_tui.local.store.corrections import add_correction
from kindgi_tui.local.store.groups import add_group, retire_group
from kindgi_tui.local.store.judgments import add_judgment, take_back
from kindgi_tui.local.store.own_cases import retire_own_case
from kindgi_tui.local.store.runs import insert_run
from kindgi_tui.local.store.test_sets import gather_cases, store_test_set
from kindgi_tui.workbench import NotFound
from tests.local.store.making import ANN, BEN, PROJECT, person, run, said

CARA = person("cara")


def build(store: sqlite3.Connection, version: str = "1.0.0", groups: tuple[str, ...] = ()) -> None:
    request = BuildRequest(
        test_set_id="acme.set", version=version, project_id=PROJECT, agent_id="acme.picker", groups=groups
    )
    store_test_set(store, request, gather_cases(store, request), "ann")


def judge(store: sqlite3.Connection, number: int, *told: tuple[object, str, Verdict]) -> None:
    """Says it of items of the run with that number, which is made where it isn't there."""
    name = f"run-{number:02}"
    if store.execute("SELECT 1 FROM runs WHERE id = ?", (name,)).fetchone() is None:
        insert_run(store, run(id=name, minute=number))
    for who, key, verdict in told:
        add_judgment(store, said(name, key, verdict), who)  # type: ignore[arg-type]


def test_two_people_who_shared_fifty_items(store: sqlite3.Connection) -> None:
    """The grant proposals (Wikipedia, "Cohen's kappa"), as two people judging two items of 25 runs."""
    table = [("yes", "yes")] * 20 + [("yes", "no")] * 5 + [("no", "yes")] * 10 + [("no", "no")] * 15
    for place, (first, second) in enumerate(table):
        key = "ab"[place % 2]
        judge(store, place // 2, (ANN, key, first), (BEN, key, second))  # type: ignore[arg-type]
    build(store)
    found = agreement_on(store, "acme.set", None)
    assert (found.coefficient, found.value, found.shared, found.agreed) == ("kappa", 0.4, 50, 35)
    (pair,) = found.pairs
    assert (pair.first, pair.second) == ("ann", "ben")
    assert (pair.both_yes, pair.only_first, pair.only_second, pair.both_no) == (20, 5, 10, 15)
    assert len(found.split) == 15
    assert agreement_sentence(found).endswith("they agree on 70% (kappa 0.40), 55% yes")


def test_what_is_live_now_counts_on_the_runs_of_the_cases_alone(store: sqlite3.Connection) -> None:
    judge(store, 1, (ANN, "a", "yes"), (BEN, "a", "no"), (CARA, "b", "no"))
    build(store)
    judge(store, 2, (ANN, "a", "yes"), (BEN, "a", "yes"))
    judge(store, 1, (ANN, "b", "no"))
    found = agreement_on(store, "acme.set", "1.0.0")
    assert (found.shared, found.agreed, found.yes, found.verdicts) == (2, 1, 1, 4)
    assert [(one.run_id, one.item_key, one.yes, one.no) for one in found.split] == [
        ("run-01", "a", ("ann",), ("ben",))
    ]
    judge(store, 1, (BEN, "a", "yes"))
    assert agreement_on(store, "acme.set", "1.0.0").split == ()
    take_back(store, "run-01", "b", CARA, None)
    left = agreement_on(store, "acme.set", "1.0.0")
    assert (left.people, left.alone, left.shared) == (("ann", "ben"), (), 1)
    assert left.coefficient is None


def test_a_version_of_certain_groups_counts_what_is_said_as_them(store: sqlite3.Connection) -> None:
    add_group(store, "experts", 3.0, None, None, None, None)
    insert_run(store, run(id="one"))
    add_judgment(store, said("one", "a", group="experts"), ANN)
    add_judgment(store, said("one", "a", "no", group="experts"), BEN)
    add_judgment(store, said("one", "a", "no"), CARA)
    build(store, groups=("experts",))
    build(store, "1.0.1")
    assert agreement_on(store, "acme.set", "1.0.0").people == ("ann", "ben")
    assert agreement_on(store, "acme.set", "1.0.1").people == ("ann", "ben", "cara")
    retire_group(store, "experts")
    assert agreement_on(store, "acme.set", "1.0.0").people == ("ann", "ben")


def test_an_apps_own_users_each_count(store: sqlite3.Connection) -> None:
    insert_run(store, run(id="one"))
    add_judgment(store, said("one", "a", participant="u-1"), ANN)
    add_judgment(store, said("one", "a", "no", participant="u-2"), ANN)
    build(store)
    (split,) = agreement_on(store, "acme.set", None).split
    assert (split.yes, split.no) == (("ann for u-1",), ("ann for u-2",))


def test_hostile_names_come_back_as_they_are(store: sqlite3.Connection) -> None:
    hostile = person("\ud800[/]\u202e")
    insert_run(store, run(id="one"))
    add_judgment(store, said("one", "\ud800"), ANN)
    add_judgment(store, said("one", "\ud800", "no"), hostile)
    build(store)
    (split,) = agreement_on(store, "acme.set", None).split
    assert (split.item_key, split.no) == ("\ud800", (hostile.id,))


def test_a_set_or_version_that_is_not_there(store: sqlite3.Connection) -> None:
    judge(store, 1, (ANN, "a", "yes"))
    build(store)
    for reference in (("nowhere", None), ("acme.set", "9.9.9")):
        with pytest.raises(NotFound):
            agreement_on(store, *reference)


LATE = Expectation(answer="wrong", should_say="Within five days.")


def test_an_own_set_counts_what_is_live_on_its_live_cases(store: sqlite3.Connection) -> None:
    """As it is now, with nothing frozen: a judged run, one corrected alone, and one that is retired."""
    judge(store, 1, (ANN, "a", "yes"), (BEN, "a", "no"), (CARA, "b", "no"))
    judge(store, 2)
    for who, expect in ((ANN, LATE), (BEN, Expectation(answer="right"))):
        add_correction(store, NewCorrection(run_id="run-02", expect=expect), who)
    judge(store, 3, (ANN, "a", "yes"), (BEN, "a", "no"))
    own = agreement_on_own(store, "acme.picker", PROJECT)
    assert (own.shared, own.agreed) == (2, 0)
    retire_own_case(store, "run-03", "ann")
    own = agreement_on_own(store, "acme.picker", PROJECT)
    assert (own.shared, own.agreed, own.people, own.alone) == (1, 0, ("ann", "ben"), ("cara",))
    assert [(one.run_id, one.item_key) for one in own.split] == [("run-01", "a")]
    (apart,) = own.apart
    assert (apart.run_id, apart.people) == ("run-02", ("ben", "ann"))
    assert [one.expect for one in apart.said] == [Expectation(answer="right"), LATE]
    # Whoever says the same as the other settles it.
    add_correction(store, NewCorrection(run_id="run-02", expect=LATE), BEN)
    assert agreement_on_own(store, "acme.picker", PROJECT).apart == ()
    assert not agreement_on_own(store, "acme.nobody", PROJECT).to_settle
    with pytest.raises(NotFound):
        agreement_on_own(store, "acme.picker", "nowhere")


def test_a_built_version_has_the_runs_that_are_corrected_differently(store: sqlite3.Connection) -> None:
    add_group(store, "experts", 3.0, None, None, None, None)
    insert_run(store, run(id="one"))
    add_judgment(store, said("one", "a", group="experts"), ANN)
    add_correction(store, NewCorrection(run_id="one", expect=LATE, group="experts"), ANN)
    add_correction(store, NewCorrection(run_id="one", expect=Expectation(answer="right")), BEN)
    build(store)
    build(store, "1.0.1", groups=("experts",))
    assert [one.people for one in agreement_on(store, "acme.set", "1.0.0").apart] == [("ben", "ann")]
    assert agreement_on(store, "acme.set", "1.0.1").apart == ()
