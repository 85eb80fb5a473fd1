"""The form that starts a comparison, without a screen: what was picked, what it would run, and what is wrong with it.

What is left empty stands at its default: the newest test set, its agent, the newest versions, the request's own.
"""

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from kindgi_tui.domain.base import Frozen
from kindgi_tui.domain.catalog import CatalogVersion
from kindgi_tui.domain.comparison_records import ComparisonPlan, ComparisonRequest, SamplePart
from kindgi_tui.domain.limits import (
    LimitError,
    check_correlation_id,
    check_k,
    check_repetitions,
    check_sample,
    check_version,
)
from kindgi_tui.domain.overrides import overrides_typed
from kindgi_tui.domain.own_test_sets import parse_own_test_set_id
from kindgi_tui.domain.projects import Right
from kindgi_tui.domain.test_set_versions import TestSetVersion
from kindgi_tui.domain.test_sets import Case
from kindgi_tui.session.building import FLOW
from kindgi_tui.session.fields import decimal_number, whole_number
from kindgi_tui.session.own_sets import listed_sets
from kindgi_tui.workbench import NotFound, WorkbenchError

if TYPE_CHECKING:
    from kindgi_tui.workbench import Workbench

T = TypeVar("T")

LOOKED_AT = 200
"""Of how many cases it is told which versions they were recorded with."""

SEED = "1"
"""The seed a sample has unless told: the same one splits a set the same way every time."""

SHARE = "0.3"
"""The share a sample holds out unless told."""

DEFAULTS = {name: field.default for name, field in ComparisonRequest.model_fields.items()}
"""What a request has where nothing is said."""

_FIELD_OF = {
    "agentRef": "subject", "projectId": "test_set_id", "sample": "sample", "costLimit": "cost_limit",
    "caseTimeout": "case_timeout", "concurrency": "concurrency", "k": "k", "repetitions": "repetitions",
    "version": "subject_version", "fresh": "fresh", "correlationId": "correlation_id",
    "overrides": "overrides",
}  # fmt: skip


class CompareDraft(Frozen):
    """The form as it was typed; empty means the default."""

    test_set_id: str = ""
    """The set's id."""
    test_set_version: str = ""
    """Its version."""
    subject: str = ""
    """The agent's id, or `flow:` and a flow's."""
    subject_version: str = ""
    """The candidate's version."""
    repetitions: str = ""
    """How often each case runs."""
    reads: str = ""
    """Whether reads take the recorded result first."""
    weighing: str = ""
    """Which judgments count."""
    sample: str = ""
    """`search` or `hold-out`; empty: all cases."""
    seed: str = ""
    """What splits the cases."""
    hold_out_share: str = ""
    """The share that is held out."""
    k: str = ""
    """The k of precision at k."""
    cost_limit: str = ""
    """The most it may cost, in US dollars."""
    fresh: str = ""
    """`yes` when stored replies are ignored."""
    concurrency: str = ""
    """How many runs at once."""
    case_timeout: str = ""
    """Seconds after which a stuck run is given up."""
    correlation_id: str = ""
    """An id of one's own."""
    overrides: str = ""
    """Block content to run in place of the version's, as JSON."""


class CompareFacts(Frozen):
    """What the form knows of the workbench."""

    project_id: str
    """The project worked in."""
    person: str = ""
    """Who asks."""
    right: Right = "admin"
    """The most they may do."""
    sets: tuple[TestSetVersion, ...] = ()
    """The newest version of every set of the project, those built last first; then agents' own as they stand now."""
    set_versions: dict[str, tuple[TestSetVersion, ...]] = {}
    """The versions of the sets that were looked up, newest first."""
    agents: tuple[str, ...] = ()
    """Ids of the published agents."""
    versions: dict[str, tuple[CatalogVersion, ...]] = {}
    """The published versions of the agents that were looked up, newest first."""
    recorded: dict[str, tuple[tuple[str, int], ...]] = {}
    """Under `set@version`: the versions its cases were recorded with and how many, most first."""


class ReadComparison(Frozen):
    """What a draft means."""

    request: ComparisonRequest | None
    """What would run; None while something is wrong."""
    problems: dict[str, str]
    """What is wrong, a sentence a field."""


class CompareCheck(Frozen):
    """What starting a draft would come to."""

    facts: CompareFacts
    """What is known now."""
    request: ComparisonRequest | None = None
    """What would run; None while something is wrong."""
    problems: dict[str, str] = {}
    """What is wrong, a sentence a field."""
    plan: ComparisonPlan | None = None
    """The dry run; None while it can't be made."""
    refusal: str | None = None
    """Why it can't start, a sentence; None when it can."""


def set_of(draft: CompareDraft, facts: CompareFacts) -> TestSetVersion | None:
    """The test set version a draft compares on; None when there is none, or it isn't looked up yet."""
    identity = draft.test_set_id.strip()
    newest = next((one for one in facts.sets if not identity or one.test_set_id == identity), None)
    versions = facts.set_versions.get(newest.test_set_id if newest else identity, ())
    wanted = draft.test_set_version.strip()
    if not wanted:
        return newest or next(iter(versions), None)
    return next((one for one in versions if one.version == wanted), None)


def subject_of(draft: CompareDraft, facts: CompareFacts) -> str:
    """Who is compared: the named one, else the one whose runs the set holds."""
    chosen = set_of(draft, facts)
    held = "" if chosen is None else chosen.request.agent_id or f"{FLOW}{chosen.request.flow_id}"
    return draft.subject.strip() or held


def version_of(draft: CompareDraft, facts: CompareFacts) -> str:
    """The candidate's version: the named one, else the newest published."""
    newest = next(iter(facts.versions.get(subject_of(draft, facts), ())), None)
    return draft.subject_version.strip() or (newest.version if newest else "")


def recorded_versions(draft: CompareDraft, facts: CompareFacts) -> tuple[tuple[str, int], ...]:
    """The versions the set's cases were recorded with and how many of each, most first."""
    chosen = set_of(draft, facts)
    return () if chosen is None else facts.recorded.get(_key(chosen), ())


def _key(chosen: TestSetVersion) -> str:
    return f"{chosen.test_set_id}@{chosen.version}"


def read_comparison(draft: CompareDraft, facts: CompareFacts) -> ReadComparison:
    """What a draft asks for, with what is wrong with it by field."""
    problems: dict[str, str] = {}
    given: dict[str, Any] = {}

    def told(name: str, read: Callable[[], T]) -> T | None:
        try:
            return read()
        except LimitError as wrong:
            problems[name] = wrong.sentence
        except ValueError as wrong:
            problems[name] = str(wrong)
        return None

    chosen = set_of(draft, facts)
    if chosen is None:
        problems["test_set_version" if draft.test_set_version.strip() else "test_set_id"] = _no_set(
            draft, facts
        )
    else:
        given.update(
            test_set_id=chosen.test_set_id, version=chosen.version or None, project_id=chosen.project_id
        )
        _candidate(draft, facts, chosen, given, problems)
    for name in ("reads", "weighing"):
        given[name] = getattr(draft, name) or DEFAULTS[name]
    numbers: tuple[tuple[str, Callable[[str], object]], ...] = (
        ("repetitions", lambda text: check_repetitions(whole_number(text))),
        ("k", lambda text: check_k(whole_number(text))),
        ("concurrency", _concurrency),
        ("cost_limit", lambda text: _dollars(decimal_number(text))),
        ("case_timeout", lambda text: _seconds(decimal_number(text))),
        ("correlation_id", check_correlation_id),
        ("overrides", overrides_typed),
    )
    for name, read in numbers:
        typed = str(getattr(draft, name)).strip()
        if typed:
            given[name] = told(name, lambda r=read, t=typed: r(t))  # type: ignore[misc]
    if draft.sample:
        seed, share = draft.seed or SEED, decimal_number(draft.hold_out_share or SHARE)
        wrong = "hold_out_share" if draft.hold_out_share else "seed" if draft.seed else "sample"
        told(wrong, lambda: check_sample(draft.sample, seed, share))
        if not problems:
            given["sample"] = SamplePart.model_validate(
                {"part": draft.sample, "seed": seed, "hold_out_share": share}
            )
    given["fresh"] = draft.fresh == "yes"
    request = None if problems else ComparisonRequest.model_validate(given)
    return ReadComparison(request=request, problems=problems)


def _no_set(draft: CompareDraft, facts: CompareFacts) -> str:
    if draft.test_set_version.strip():
        return f"There is no version {draft.test_set_version.strip()} of this test set."
    if draft.test_set_id.strip():
        return f"No test set of this project is called {draft.test_set_id.strip()}."
    return "There are no test sets yet: g t goes there, and b builds one from judged runs."


def _candidate(
    draft: CompareDraft,
    facts: CompareFacts,
    chosen: TestSetVersion,
    given: dict[str, Any],
    problems: dict[str, str],
) -> None:
    subject, version = subject_of(draft, facts), version_of(draft, facts)
    held = chosen.request.agent_id or f"{FLOW}{chosen.request.flow_id}"
    if subject != held:
        problems["subject"] = f"The test set holds runs of {held}: only that can be compared on it."
    elif subject.startswith(FLOW):
        given["flow_id"] = subject[len(FLOW) :]
    else:
        given["agent_id"] = subject
    if not version and subject in facts.versions:
        problems["subject_version"] = (
            f"No version of {subject} is published here: kindgi-tui packs publish DIR."
        )
    elif not version:
        problems["subject_version"] = "Name the version to compare."
    else:
        try:
            given["subject_version"] = check_version(version)
        except LimitError as wrong:
            problems["subject_version"] = wrong.sentence
    published = facts.versions.get(subject)
    if version and published and all(one.version != version for one in published):
        problems.setdefault("subject_version", f"{subject} has no version {version} here; the newest is "
                            f"{published[0].version}.")  # fmt: skip


def _concurrency(text: str) -> int:
    number = whole_number(text)
    if not isinstance(number, int) or number < 1:
        raise ValueError("concurrency is a whole number of 1 or more.")
    return number


def _dollars(number: float | str) -> float:
    if isinstance(number, str) or number < 0:
        raise ValueError("The cost limit is a number of US dollars, 0 or more.")
    return number


def _seconds(number: float | str) -> float:
    if isinstance(number, str) or not number > 0:
        raise ValueError("The time-out of a case is a number of seconds over 0.")
    return number


async def compare_facts(workbench: "Workbench", project_id: str) -> CompareFacts:
    """What the form needs to know before anything is picked."""
    listed = (await listed_sets(workbench, project_id)).sets
    built, own = [one for one in listed if one.version], [one for one in listed if not one.version]
    person = await workbench.people.me()
    return CompareFacts(
        project_id=project_id,
        person=person.id,
        right=person.right,
        sets=(*sorted(built, key=lambda one: one.created_at, reverse=True), *own),
        agents=tuple(one.id for one in await workbench.agents.list()),
    )


async def look_up(workbench: "Workbench", draft: CompareDraft, facts: CompareFacts) -> CompareFacts:
    """The facts with the versions that this draft is about."""
    chosen = set_of(draft, facts)
    identity = chosen.test_set_id if chosen else draft.test_set_id.strip()
    if identity and identity not in facts.set_versions:
        found = await _or_none(lambda: workbench.test_sets.versions(identity))
        facts = facts.model_copy(update={"set_versions": {**facts.set_versions, identity: found}})
        chosen = set_of(draft, facts)
    subject = subject_of(draft, facts)
    if subject and subject not in facts.versions:
        published = await _or_none(
            lambda: (
                workbench.flows.versions(subject[len(FLOW) :])
                if subject.startswith(FLOW)
                else workbench.agents.versions(subject)
            )
        )
        facts = facts.model_copy(update={"versions": {**facts.versions, subject: published}})
    if chosen is not None and _key(chosen) not in facts.recorded:
        cases = await _first_cases(workbench, chosen)
        counts = Counter(case.subject.version for case in cases if not case.from_nothing).most_common()
        facts = facts.model_copy(update={"recorded": {**facts.recorded, _key(chosen): tuple(counts)}})
    return facts


async def _first_cases(workbench: "Workbench", chosen: TestSetVersion) -> tuple[Case, ...]:
    own = parse_own_test_set_id(chosen.test_set_id)
    if chosen.version or own is None:
        return (await workbench.test_sets.cases(chosen.test_set_id, chosen.version, LOOKED_AT)).data
    return tuple([one.case for one in (await workbench.cases.list(*own, limit=LOOKED_AT)).data])


async def _or_none(read: Callable[[], Any]) -> Any:
    try:
        return await read()
    except NotFound:
        return ()


async def check_compare(workbench: "Workbench", draft: CompareDraft, facts: CompareFacts) -> CompareCheck:
    """What starting a draft would come to, and why it would be refused."""
    facts = await look_up(workbench, draft, facts)
    read = read_comparison(draft, facts)
    if read.request is None:
        return CompareCheck(facts=facts, problems=read.problems, refusal=next(iter(read.problems.values())))
    if facts.right == "judge":
        refusal = f"{facts.person} may judge, and comparing takes the right of an editor: ask an admin."
        return CompareCheck(facts=facts, request=read.request, refusal=refusal)
    try:
        plan = await workbench.comparisons.plan(read.request)
    except WorkbenchError as refused:
        field = _FIELD_OF.get(refused.field or "")
        problems = {field: refused.sentence} if field else {}
        return CompareCheck(facts=facts, problems=problems, refusal=refused.sentence)
    return CompareCheck(facts=facts, request=read.request, plan=plan)
