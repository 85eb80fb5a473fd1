"""The form that builds a test set, without a screen: what was typed, what it would take, and what is wrong with it.

What is left empty stands at its suggestion: the agent judged last, a set named after it, the next version.
"""

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from kindgi_tui.domain.base import Frozen
from kindgi_tui.domain.judgments import Group
from kindgi_tui.domain.limits import LimitError, check_min_judgments, check_segments, check_version
from kindgi_tui.domain.projects import Project, Right
from kindgi_tui.domain.queries import RunFilter
from kindgi_tui.domain.runs import Segment, SubjectKind
from kindgi_tui.domain.test_set_versions import BuildPreview, BuildRequest, TestSetVersion
from kindgi_tui.session.fields import whole_number
from kindgi_tui.session.filters import read_moment
from kindgi_tui.session.own_sets import is_own
from kindgi_tui.workbench import NotFound, Unsupported, WorkbenchError

if TYPE_CHECKING:
    from kindgi_tui.workbench import Workbench

FLOW = "flow:"
"""What stands before a flow's id where an agent's could stand."""

LOOKED_AT = 100
"""Of how many of the newest judged runs the agents are offered first."""

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_FIELD_OF = {
    "id": "test_set_id", "version": "version", "minJudgments": "min_judgments", "segments": "segments",
    "agentId": "subject", "projectId": "project",
}  # fmt: skip


class BuildDraft(Frozen):
    """The form as it was typed; empty means the suggestion, or no narrowing."""

    subject: str = ""
    """An agent's id, or `flow:` and a flow's."""
    test_set_id: str = ""
    """The set's id."""
    version: str = ""
    """Its new version."""
    project: str = ""
    """The project's id; empty: the one worked in."""
    subject_version: str = ""
    """The one version of the agent whose runs count."""
    since: str = ""
    """Since when runs were first judged."""
    until: str = ""
    """Until when."""
    groups: str = ""
    """Names or ids of groups, parted by commas."""
    min_judgments: str = ""
    """The least judgments of a run."""
    segments: str = ""
    """A path, `key:value / key:value`."""
    description: str = ""
    """What the set holds."""


class BuildFacts(Frozen):
    """What the form knows of the workbench."""

    project_id: str
    """The project worked in."""
    projects: tuple[Project, ...] = ()
    """All of them."""
    subjects: tuple[str, ...] = ()
    """Agents and flows as the draft names them: those judged last first."""
    sets: tuple[TestSetVersion, ...] = ()
    """The newest version of every set, of all projects."""
    person: str = ""
    """Who asks."""
    right: Right = "admin"
    """The most they may do."""
    groups: tuple[Group, ...] = ()
    """Groups one may name; retired ones too, for what was said as them."""
    versions: dict[str, tuple[str, ...]] = {}
    """The taken versions of the sets that were looked up."""
    subject_versions: dict[str, tuple[str, ...]] = {}
    """The published versions of the agents and flows that were looked up, newest first."""


class ReadBuild(Frozen):
    """What a draft means."""

    request: BuildRequest | None
    """What would be built; None while something is wrong."""
    problems: dict[str, str]
    """What is wrong, a sentence a field."""


class BuildCheck(Frozen):
    """What building a draft would come to."""

    facts: BuildFacts
    """What is known now."""
    request: BuildRequest | None = None
    """What would be built; None while something is wrong."""
    problems: dict[str, str] = {}
    """What is wrong, a sentence a field."""
    preview: BuildPreview | None = None
    """What it would take; None while that can't be said."""
    judged: int = 0
    """Runs of the agent or flow that people judged at all."""
    refusal: str | None = None
    """Why it can't be built, a sentence; None when it can."""

    @property
    def narrowed(self) -> int:
        """Judged runs that version, time and segment leave out."""
        seen = self.preview
        return 0 if seen is None else max(0, self.judged - seen.runs - seen.more - seen.too_few)


def subject_of(draft: BuildDraft, facts: BuildFacts) -> tuple[SubjectKind, str]:
    """Whose runs are taken: the named one, else the one judged last; an empty id when there is none."""
    named = draft.subject.strip() or next(iter(facts.subjects), "")
    return ("flow", named[len(FLOW) :].strip()) if named.startswith(FLOW) else ("agent", named)


def suggested_id(draft: BuildDraft, facts: BuildFacts) -> str:
    """The id of a set that has none yet: the one that holds such runs already, else `<agent id>-picks`."""
    kind, named = subject_of(draft, facts)
    project = draft.project or facts.project_id
    for one in facts.sets:
        held = one.request.agent_id if kind == "agent" else one.request.flow_id
        if one.project_id == project and held == named:
            return one.test_set_id
    # Ids of imported runs may hold anything.
    return re.sub(r"[^A-Za-z0-9._-]+", "-", f"{named}-picks").lstrip("._-") if named else ""


def suggested_version(taken: tuple[str, ...]) -> str:
    """The version after the highest taken one, `1.0.0` for the first."""
    read = [
        tuple(map(int, version.split("."))) for version in taken if re.fullmatch(r"\d+\.\d+\.\d+", version)
    ]
    if not read:
        return "1.0.0"
    major, minor, patch = max(read)
    return f"{major}.{minor}.{patch + 1}"


def read_build(draft: BuildDraft, facts: BuildFacts, now: datetime | None = None) -> ReadBuild:
    """What a draft asks for, with what is wrong with it by field."""
    moment = now or datetime.now(UTC)
    problems: dict[str, str] = {}
    given: dict[str, Any] = {}
    kind, named = subject_of(draft, facts)
    if not named:
        problems["subject"] = "Name the agent whose judged runs to take, or flow: and a flow."
    given["agent_id" if kind == "agent" else "flow_id"] = named
    given["project_id"] = draft.project or facts.project_id
    given["test_set_id"] = identity = draft.test_set_id.strip() or suggested_id(draft, facts)
    if not _ID.fullmatch(identity):
        problems["test_set_id"] = "An id has letters, digits, dots, - and _, such as acme.article-picks."
    elsewhere = next((one for one in facts.sets if one.test_set_id == identity), None)
    if elsewhere is not None and elsewhere.project_id != given["project_id"]:
        problems["test_set_id"] = (
            f"{identity} belongs to another project: choose another id, or that project."
        )
    taken = facts.versions.get(identity, ())
    given["version"] = version = draft.version.strip() or suggested_version(taken)
    _tell(problems, "version", lambda: check_version(version))
    if version in taken:
        problems["version"] = (
            f"{version} is built already, and a version never changes: leave it empty for the next."
        )
    given["subject_version"] = draft.subject_version.strip() or None
    for name in ("since", "until"):
        typed = str(getattr(draft, name)).strip()
        given[name] = (
            None if not typed else _tell(problems, name, lambda n=name, t=typed: read_moment(n, t, moment))
        )
    if given["since"] is not None and given["until"] is not None and given["since"] >= given["until"]:
        problems["until"] = "until: is before since:, so that no run is left."
    given["groups"] = _groups(draft, facts, problems)
    if draft.min_judgments.strip():
        least = whole_number(draft.min_judgments)
        given["min_judgments"] = _tell(problems, "min_judgments", lambda: check_min_judgments(least))
    path = _tell(problems, "segments", lambda: check_segments(_path(draft.segments))) or ()
    given["segments"] = tuple(Segment(key=key, value=value) for key, value in path)
    given["description"] = draft.description.strip() or None
    return ReadBuild(request=None if problems else BuildRequest.model_validate(given), problems=problems)


def _tell(problems: dict[str, str], name: str, read: Any) -> Any:
    """What `read` gives; None, with the sentence under the field's name, when it refuses."""
    try:
        return read()
    except LimitError as wrong:
        problems[name] = wrong.sentence
    except (ValueError, OverflowError) as wrong:
        problems[name] = str(wrong)
    return None


def _path(typed: str) -> list[tuple[str, str]]:
    steps = [step.strip() for step in typed.split(" / ") if step.strip()]
    path = []
    for step in steps:
        key, colon, value = (
            step.replace("=", ":", 1).partition(":") if ":" not in step else step.partition(":")
        )
        if not colon or not key.strip() or not value.strip():
            raise ValueError("A segment path is key:value, parted by ' / ', such as company:acme / team:x.")
        path.append((key.strip(), value.strip()))
    return path


def _groups(draft: BuildDraft, facts: BuildFacts, problems: dict[str, str]) -> tuple[str, ...]:
    named = [part.strip() for part in draft.groups.split(",") if part.strip()]
    found = []
    for name in named:
        group = next((one for one in facts.groups if name in (one.id, one.name)), None)
        if group is None:
            known = ", ".join(reference_of(one) for one in facts.groups[:5]) or "there is none"
            problems["groups"] = f"No group is called {name} ({known})."
            return ()
        found.append(group.id)
    return tuple(dict.fromkeys(found))


def reference_of(group: Group) -> str:
    """What a draft names a group by: its name, or its id where a name would be read as several."""
    return group.id if "," in group.name or group.name != group.name.strip() else group.name


def draft_of(built: TestSetVersion, facts: BuildFacts) -> BuildDraft:
    """A draft of the next version of a set, built as that version was."""
    asked = built.request
    names = {group.id: reference_of(group) for group in facts.groups}
    return BuildDraft(
        subject=asked.agent_id or f"{FLOW}{asked.flow_id or ''}",
        test_set_id=built.test_set_id,
        project="" if built.project_id == facts.project_id else built.project_id,
        subject_version=asked.subject_version or "",
        since=asked.since.isoformat() if asked.since else "",
        until=asked.until.isoformat() if asked.until else "",
        groups=", ".join(names.get(reference, reference) for reference in asked.groups),
        min_judgments=str(asked.min_judgments or ""),
        segments=" / ".join(f"{step.key}:{step.value}" for step in asked.segments),
        description=built.description or "",
    )


async def build_facts(workbench: "Workbench", project_id: str) -> BuildFacts:
    """What the form needs to know before anything is typed."""
    judged = await workbench.runs.list(RunFilter(project_id=project_id, judged=True), LOOKED_AT)
    # Agents' own ones are frozen, never built.
    sets = tuple([one for one in await workbench.test_sets.list() if not is_own(one.test_set_id)])
    names = [_named(run.subject.kind, run.subject.id) for run in judged.data]
    names += [
        one.request.agent_id or f"{FLOW}{one.request.flow_id}" for one in sets if one.project_id == project_id
    ]
    names += [one.id for one in await workbench.agents.list()]
    names += [f"{FLOW}{one.id}" for one in await workbench.flows.list()]
    person = await workbench.people.me()
    return BuildFacts(
        project_id=project_id,
        person=person.id,
        right=person.right,
        projects=await workbench.projects.list(),
        subjects=tuple(dict.fromkeys(names)),
        sets=sets,
        groups=await workbench.groups.list(project_id, retired=True),
    )


def _named(kind: SubjectKind, subject_id: str) -> str:
    return f"{FLOW}{subject_id}" if kind == "flow" else subject_id


async def _looked_up(workbench: "Workbench", draft: BuildDraft, facts: BuildFacts) -> BuildFacts:
    """The facts with the versions that this draft is about."""
    identity = draft.test_set_id.strip() or suggested_id(draft, facts)
    versions, subject_versions = dict(facts.versions), dict(facts.subject_versions)
    if any(one.test_set_id == identity for one in facts.sets) and identity not in versions:
        versions[identity] = tuple(one.version for one in await workbench.test_sets.versions(identity))
    kind, named = subject_of(draft, facts)
    key = _named(kind, named)
    if named and key not in subject_versions:
        catalog = workbench.agents if kind == "agent" else workbench.flows
        try:
            found = tuple(one.version for one in await catalog.versions(named))
        except NotFound:
            found = ()
        subject_versions[key] = found
    return facts.model_copy(update={"versions": versions, "subject_versions": subject_versions})


async def check_build(workbench: "Workbench", draft: BuildDraft, facts: BuildFacts) -> BuildCheck:
    """What building a draft would come to, and why it would be refused."""
    facts = await _looked_up(workbench, draft, facts)
    read = read_build(draft, facts)
    request = read.request
    if request is None:
        refusal = next(iter(read.problems.values()))
        if not facts.subjects and not draft.subject.strip():
            refusal = "No run of this project was judged yet: judge some first (g j)."
        return BuildCheck(facts=facts, problems=read.problems, refusal=refusal)
    try:
        preview = await workbench.test_sets.preview(request)
        whole = await workbench.test_sets.preview(
            BuildRequest(
                test_set_id=request.test_set_id, version=request.version, project_id=request.project_id,
                agent_id=request.agent_id, flow_id=request.flow_id,
            )
        )  # fmt: skip
    except Unsupported:
        # A runtime that can't say what a build takes may still build.
        return BuildCheck(facts=facts, request=request, refusal=_not_allowed(facts))
    except WorkbenchError as refused:
        field = _FIELD_OF.get(refused.field or "")
        told = {field: refused.sentence} if field else {}
        return BuildCheck(facts=facts, problems=told, refusal=refused.sentence)
    check = BuildCheck(
        facts=facts, request=request, preview=preview, judged=whole.runs + whole.more + whole.too_few
    )
    return check.model_copy(update={"refusal": _refusal(check, preview)})


def _not_allowed(facts: BuildFacts) -> str | None:
    if facts.right != "judge":
        return None
    return f"{facts.person} may judge, and building takes the right of an editor: ask an admin."


def _refusal(check: BuildCheck, preview: BuildPreview) -> str | None:
    not_allowed = _not_allowed(check.facts)
    if not_allowed is not None:
        return not_allowed
    if preview.runs:
        return None
    request = check.request
    named = "" if request is None else request.agent_id or request.flow_id
    if check.judged == 0:
        return f"Nobody judged a run of {named} in this project yet: judge some first (g j)."
    if preview.too_few:
        runs = "judged run has" if preview.too_few == 1 else "judged runs have"
        return f"{preview.too_few:,} {runs} too few judgments, and no other is left: ask for fewer, or other groups."
    return f"None of the {check.judged:,} judged runs is left: narrow less."
