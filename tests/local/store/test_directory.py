"""Projects, people and groups, as they stand in the file."""

import re
import sqlite3
from typing import Any

import pytest

from kindgi_tui.domain.judgments import Restriction
from kindgi_tui.local.store.groups import (
    add_group,
    change_group,
    find_group,
    get_group,
    group_weights,
    list_groups,
    retire_group,
)
from kindgi_tui.local.store.people import find_person, list_people, put_person
from kindgi_tui.local.store.projects import add_project, get_project, list_projects, project_seq, use_project
from kindgi_tui.workbench import Conflict, Denied, Invalid, NotFound
from tests.local.store.making import ANN, BEN, OTHER, PROJECT, person


def group(store: sqlite3.Connection, name: str, weight: float = 1, **fields: Any) -> str:
    asked = {"description": None, "project_id": None, "agent_id": None, "restriction": None, **fields}
    return add_group(store, name, weight, **asked).id


def test_projects_by_id_slug_and_name(store: sqlite3.Connection) -> None:
    docs = add_project(store, "The Docs", None)
    assert docs.slug == "the-docs"
    for reference in (docs.id, "the-docs", "THE-DOCS", "the docs"):
        assert get_project(store, reference) == docs
    assert get_project(store, None).id == PROJECT
    assert [each.name for each in list_projects(store)] == ["Default", "Other", "The Docs"]
    assert use_project(store, "the-docs").is_default
    assert [each.name for each in list_projects(store)] == ["The Docs", "Default", "Other"]
    assert [each.is_default for each in list_projects(store)] == [True, False, False]


def test_an_id_goes_before_a_name(store: sqlite3.Connection) -> None:
    add_project(store, PROJECT, "impostor")
    assert get_project(store, PROJECT).name == "Default"


@pytest.mark.parametrize(
    ("name", "slug", "error"),
    [
        ("DEFAULT", "new", Conflict),
        ("New", "default", Conflict),
        ("", None, Invalid),
        ("x" * 101, None, Invalid),
        ("éé", None, Invalid),
        ("New", "Upper", Invalid),
        ("New", "-x", Invalid),
        ("New", "x" * 64, Invalid),
    ],
)
def test_projects_that_are_refused(
    store: sqlite3.Connection, name: str, slug: str | None, error: type[Exception]
) -> None:
    with pytest.raises(error):
        add_project(store, name, slug)
    assert len(list_projects(store)) == 2


def test_projects_that_are_not_there(store: sqlite3.Connection) -> None:
    for reference in ("none", "", "\ud800"):
        with pytest.raises(NotFound):
            get_project(store, reference)
        with pytest.raises(NotFound):
            project_seq(store, reference)
        with pytest.raises(NotFound):
            use_project(store, reference)


def test_people_are_added_and_changed(store: sqlite3.Connection) -> None:
    carl = person("carl", "editor").model_copy(update={"name": "Carl \ud800", "reviewer_role": "senior"})
    put_person(store, carl)
    assert find_person(store, "carl") == carl
    put_person(store, carl.model_copy(update={"right": "judge", "kind": "service"}))
    changed = find_person(store, "carl")
    assert changed is not None
    assert (changed.right, changed.kind, changed.created_at) == ("judge", "service", carl.created_at)
    assert [each.id for each in list_people(store)] == ["ann", "ben", "carl"]
    assert find_person(store, "CARL") is None


@pytest.mark.parametrize("identity", ["", "a b", "a\n", "a\x00", "x" * 101, "a\x85"])
def test_ids_nobody_has(store: sqlite3.Connection, identity: str) -> None:
    with pytest.raises(Invalid):
        put_person(store, person(identity))


def test_there_is_always_an_admin(store: sqlite3.Connection) -> None:
    with pytest.raises(Denied):
        put_person(store, ANN.model_copy(update={"right": "editor"}))
    put_person(store, BEN.model_copy(update={"right": "admin"}))
    put_person(store, ANN.model_copy(update={"right": "editor"}))


def test_groups_by_id_and_name(store: sqlite3.Connection) -> None:
    one = group(store, "Experts", 2.5, description="who \ud800 knows")
    assert get_group(store, one) == get_group(store, "Experts")
    assert (get_group(store, one).weight, get_group(store, one).description) == (2.5, "who \ud800 knows")
    assert find_group(store, "experts") is None
    with pytest.raises(NotFound):
        get_group(store, "\ud800")


def test_names_are_taken_within_a_scope_while_the_group_lives(store: sqlite3.Connection) -> None:
    group(store, "G")
    group(store, "G", project_id=PROJECT)
    group(store, "G", project_id=PROJECT, agent_id="acme.picker")
    scopes: list[dict[str, Any]] = [
        {},
        {"project_id": PROJECT},
        {"project_id": PROJECT, "agent_id": "acme.picker"},
    ]
    for fields in scopes:
        with pytest.raises(Conflict) as refused:
            group(store, "G", **fields)
        assert refused.value.code == "judge-class-name-taken"
    with pytest.raises(Invalid) as unclear:
        find_group(store, "G")
    assert unclear.value.code == "judge-class-ambiguous"
    assert len(re.findall(r"[0-9a-f-]{36} \(", unclear.value.sentence)) == 3, "each by its id and its place"
    retired = retire_group(store, list_groups(store, None, False)[0].id)
    assert retired.retired_at is not None
    assert retire_group(store, retired.id) == retired
    again = group(store, "G", 7, project_id=retired.project_id, agent_id=retired.agent_id)
    assert get_group(store, again).weight == 7
    assert group_weights(store)[retired.id] == 1, "it keeps its weight for what was said as it"


@pytest.mark.parametrize(
    ("name", "weight", "fields", "field"),
    [
        ("", 1, {}, "name"),
        ("x" * 101, 1, {}, "name"),
        ("G", -0.1, {}, "weight"),
        ("G", float("nan"), {}, "weight"),
        ("G", float("inf"), {}, "weight"),
        ("G", 1, {"agent_id": "acme.picker"}, "project"),
    ],
)
def test_groups_that_are_refused(
    store: sqlite3.Connection, name: str, weight: float, fields: dict[str, str], field: str
) -> None:
    with pytest.raises(Invalid) as refused:
        group(store, name, weight, **fields)
    assert refused.value.field == field
    assert list_groups(store, None, True) == ()


def test_lists_of_groups(store: sqlite3.Connection) -> None:
    group(store, "everywhere")
    group(store, "here", project_id=PROJECT)
    group(store, "there", project_id=OTHER)
    retire_group(store, group(store, "gone"))

    def names(project: str | None, retired: bool) -> list[str]:
        return [each.name for each in list_groups(store, project, retired)]

    assert names(None, False) == ["there", "here", "everywhere"]
    assert names(PROJECT, False) == ["here", "everywhere"]
    assert names(OTHER, True) == ["gone", "there", "everywhere"]


def test_only_what_is_given_changes(store: sqlite3.Connection) -> None:
    identity = group(store, "G", 1, description="d", restriction=Restriction(principal_ids=("ann",)))
    changed = change_group(store, "G", 0, None, None, False)
    assert (changed.weight, changed.description, changed.restriction) == (
        0,
        "d",
        Restriction(principal_ids=("ann",)),
    )
    changed = change_group(store, identity, None, "e", Restriction(principal_kinds=("service",)), False)
    assert (changed.weight, changed.description) == (0, "e")
    assert changed.restriction == Restriction(principal_kinds=("service",))
    assert change_group(store, "G", None, None, None, True).restriction is None
    assert change_group(store, "G", None, None, Restriction(), False).restriction is None
    with pytest.raises(Invalid):
        change_group(store, "G", None, None, None, False)
    with pytest.raises(Invalid):
        change_group(store, "G", -1, None, None, False)
    retire_group(store, "G")
    with pytest.raises(NotFound):
        change_group(store, "G", 3, None, None, False)
