"""The one door: the protocol every face uses, and the errors it may raise (DESIGN sections 3 and 14)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from kindgi_tui.domain.base import Frozen, Json

if TYPE_CHECKING:
    from kindgi_tui.domain.catalog import CatalogVersion, PackSnapshot, Published
    from kindgi_tui.domain.comparison_records import (
        Comparison,
        ComparisonEvent,
        ComparisonPlan,
        ComparisonRequest,
    )
    from kindgi_tui.domain.conversations import Conversation, ConversationFilter
    from kindgi_tui.domain.imports import ImportOptions, ImportReport
    from kindgi_tui.domain.judging import Disagreement, Guideline, Owed, QueuedRun, QueueFilter, QueueProgress
    from kindgi_tui.domain.judgments import Group, Judgment, Restriction
    from kindgi_tui.domain.outbox import OutboxCounts, OutboxEntry
    from kindgi_tui.domain.projects import AuditEntry, Person, Project, Right
    from kindgi_tui.domain.queries import JudgmentFilter, NewJudgment, RunFilter
    from kindgi_tui.domain.runs import Run, RunDetail, Segment, SubjectKind
    from kindgi_tui.domain.serving import Bearer, KeptAnswer, KeyedRequest, Token
    from kindgi_tui.domain.test_set_versions import BuildPreview, BuildRequest, TestSetVersion
    from kindgi_tui.domain.test_sets import Case

T = TypeVar("T")


class WorkbenchError(Exception):
    """What a call on the workbench may raise: a stable code and a sentence that says what to do next."""

    default_code = "internal-error"

    def __init__(
        self,
        sentence: str,
        *,
        code: str | None = None,
        field: str | None = None,
        retry_after: float | None = None,
        request_id: str | None = None,
    ) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        """One sentence for a person, with the next step."""
        self.code = code or self.default_code
        """The API's code, stable across versions."""
        self.field = field
        """The field of the request that is wrong; only on Invalid."""
        self.retry_after = retry_after
        """Seconds until it may work again; only on Unavailable."""
        self.request_id = request_id
        """The runtime's id of the request, where there is one."""


class NotFound(WorkbenchError):
    """Nothing has that id or name."""

    default_code = "not-found"


class Conflict(WorkbenchError):
    """It is taken, or already in another state."""

    default_code = "conflict"


class Invalid(WorkbenchError):
    """The request is wrong; `field` says where."""

    default_code = "bad-input"


class Denied(WorkbenchError):
    """The caller may not do this."""

    default_code = "permission-denied"


class Unavailable(WorkbenchError):
    """It can't be reached now, or this machine is in trouble; `retry_after` says when to try again.

    Trouble of this machine (disk, lock, a newer file) has a code that starts with `machine-`.
    """

    default_code = "unavailable"


class Unsupported(WorkbenchError):
    """Whoever answers can't do this."""

    default_code = "unsupported"


class Interrupted(WorkbenchError):
    """It stopped before it finished."""

    default_code = "interrupted"


class Page(Frozen, Generic[T]):
    """A keyset page of a list."""

    data: tuple[T, ...]
    """The rows, in the list's order."""
    has_more: bool
    """Whether more rows follow; the number of rows says nothing."""
    next_cursor: str | None = None
    """What to ask the next page with; None on the last."""


class ImportOutcome(Frozen):
    """What writing imported runs came to."""

    added: tuple[str, ...]
    """Ids of the runs that are new."""
    known: tuple[str, ...]
    """Ids of the runs that were there already."""
    judgments: int
    """How many judgments came along and were recorded."""


class Projects(Protocol):
    """Where runs belong."""

    async def list(self) -> tuple[Project, ...]:
        """All projects, the default one first, then by name."""
        ...

    async def get(self, reference: str | None = None) -> Project:
        """The project with that id, slug or name; without one, the default. Raises NotFound."""
        ...

    async def add(self, name: str, slug: str | None = None) -> Project:
        """Makes a project. Raises Conflict when the slug or name is taken, Denied."""
        ...

    async def use(self, reference: str) -> Project:
        """Makes a project the default one. Raises NotFound, Denied."""
        ...


class People(Protocol):
    """The directory of people."""

    async def me(self) -> Person:
        """Who the caller is."""
        ...

    async def list(self) -> tuple[Person, ...]:
        """Everybody, by id."""
        ...

    async def add(self, person: Person) -> Person:
        """Adds a person, or changes the one with that id. Raises Denied, Invalid."""
        ...


class Runs(Protocol):
    """Recorded runs."""

    async def list(
        self, query: RunFilter, limit: int = 25, cursor: str | None = None, backwards: bool = False
    ) -> Page[Run]:
        """Runs, newest first. Raises Invalid for a cursor that isn't from this list.

        `backwards` gives the page before the cursor (the last one without), in the list's order.
        """
        ...

    async def count(self, query: RunFilter) -> int:
        """How many runs the whole list holds."""
        ...

    async def get(self, run_id: str) -> RunDetail:
        """One run, whole. A unique beginning of an id (8 characters or more) is enough. Raises NotFound."""
        ...

    async def add(
        self, runs: Sequence[RunDetail], judgments: Sequence[tuple[NewJudgment, str, datetime | None]] = ()
    ) -> ImportOutcome:
        """Writes runs down; the ones whose id is known are left as they are.

        `judgments` ride along, each with the id of who said it (added to the people when new) and when.
        Raises Denied.
        """
        ...

    async def import_files(
        self, paths: Sequence[Path], options: ImportOptions, dry_run: bool = False
    ) -> ImportReport:
        """Reads runs from files and folders and writes them down, or with `dry_run` only says what would come in.

        What is wrong with a file or a record stands in the report, and is no error. Raises Denied.
        """
        ...

    async def export(self, run_id: str) -> str:
        """One run with its live judgments as a line of our JSONL, without the newline. Raises NotFound."""
        ...

    async def start(
        self,
        project_id: str,
        agent_id: str,
        version: str | None,
        message: str,
        segments: Sequence[Segment] = (),
        fresh: bool = False,
    ) -> RunDetail:
        """Runs one turn of an agent (its newest version unless one is named) and records it.

        Raises NotFound, Unsupported (no provider and no stored reply), Unavailable.
        """
        ...


class Conversations(Protocol):
    """The turns of an agent that belong together, made from its runs."""

    async def list(
        self, query: ConversationFilter, limit: int = 25, cursor: str | None = None
    ) -> Page[Conversation]:
        """Conversations, the one opened last first. Raises Invalid."""
        ...

    async def get(self, conversation_id: str) -> Conversation:
        """One conversation. Raises NotFound."""
        ...

    async def messages(self, conversation_id: str) -> tuple[dict[str, Json], ...]:
        """Its messages in order, each with its `sequence`, in the wire's names. Raises NotFound."""
        ...


class Judgments(Protocol):
    """Verdicts on items."""

    async def add(self, new: NewJudgment) -> Judgment:
        """Records a verdict of the caller; it replaces their live one on the item.

        It is on disk when this returns. Raises NotFound, Conflict (`run-not-finished`), Invalid
        (`item-not-found`, `judge-class-not-applicable`), Denied (`judge-class-not-allowed`).
        """
        ...

    async def get(self, judgment_id: str) -> Judgment:
        """One judgment, live or not. Raises NotFound."""
        ...

    async def list(self, query: JudgmentFilter, limit: int = 25, cursor: str | None = None) -> Page[Judgment]:
        """Live judgments, newest first."""
        ...

    async def remove(self, judgment_id: str) -> None:
        """Removes a live judgment. Raises NotFound, Denied (somebody else's)."""
        ...

    async def take_back(self, run_id: str, key: str, participant: str | None = None) -> Judgment | None:
        """Takes the caller's verdict on an item back (DESIGN section 4): the earlier one comes back as a new
        record, which is returned; a first one is removed, and None returned. Raises NotFound."""
        ...


class Groups(Protocol):
    """Who judges speak as."""

    async def list(self, project_id: str | None = None, retired: bool = False) -> tuple[Group, ...]:
        """Groups of the workspace (and of the project), newest first."""
        ...

    async def get(self, reference: str) -> Group:
        """The group with that id or name, retired or not. Raises NotFound."""
        ...

    async def add(
        self,
        name: str,
        weight: float,
        *,
        description: str | None = None,
        project_id: str | None = None,
        agent_id: str | None = None,
        restriction: Restriction | None = None,
    ) -> Group:
        """Makes a group. Raises Conflict (`judge-class-name-taken`), Invalid, Denied."""
        ...

    async def change(
        self,
        reference: str,
        *,
        weight: float | None = None,
        description: str | None = None,
        restriction: Restriction | None = None,
        unrestricted: bool = False,
    ) -> Group:
        """Changes what is given; `unrestricted` lifts the restriction. Raises NotFound, Invalid, Denied."""
        ...

    async def retire(self, reference: str) -> Group:
        """Retires a group: nobody speaks as it any more. Raises NotFound, Denied."""
        ...


class Queue(Protocol):
    """The runs that owe a verdict of the caller: completed ones, no replays (DESIGN section 12)."""

    async def list(self, query: QueueFilter, limit: int = 25, cursor: str | None = None) -> Page[QueuedRun]:
        """The next ones, in the filter's order, without those the caller skipped. Raises Invalid, NotFound."""
        ...

    async def progress(self, query: QueueFilter) -> QueueProgress:
        """How far the caller is. Raises NotFound."""
        ...

    async def skip(self, run_id: str) -> None:
        """Leaves a run out for the caller, until `unskip` or until they judge it. Raises NotFound, Denied."""
        ...

    async def unskip(self, run_id: str) -> None:
        """Puts a run back in its place; one that wasn't skipped stays. Raises NotFound, Denied."""
        ...

    async def skipped(
        self, query: QueueFilter, limit: int = 25, cursor: str | None = None
    ) -> Page[QueuedRun]:
        """The runs the caller skipped that still owe a verdict of theirs."""
        ...

    async def disagreements(
        self, query: QueueFilter, limit: int = 25, cursor: str | None = None
    ) -> Page[Disagreement]:
        """Items of which people's live verdicts differ, of at most `limit` runs a page."""
        ...


class Guidelines(Protocol):
    """What judges of an agent's or flow's runs go by, version by version."""

    async def get(self, project_id: str, kind: SubjectKind, subject_id: str) -> Guideline | None:
        """The newest version; None while there is none."""
        ...

    async def versions(self, project_id: str, kind: SubjectKind, subject_id: str) -> tuple[Guideline, ...]:
        """Every version, newest first."""
        ...

    async def save(self, project_id: str, kind: SubjectKind, subject_id: str, text: str) -> Guideline:
        """Saves a new version; the newest one's text again makes none. Raises Invalid, NotFound, Denied."""
        ...

    async def owed(self, project_id: str, kind: SubjectKind, subject_id: str) -> Owed:
        """Which items of its runs are to be judged."""
        ...

    async def set_owed(self, project_id: str, kind: SubjectKind, subject_id: str, chosen: Owed) -> None:
        """Sets which items of its runs are to be judged. Raises Invalid, NotFound, Denied."""
        ...


class TestSets(Protocol):
    """Versioned test sets built from judged runs."""

    async def preview(self, request: BuildRequest) -> BuildPreview:
        """What a build would take. Raises Invalid, NotFound."""
        ...

    async def build(self, request: BuildRequest, empty: bool = False) -> TestSetVersion:
        """Builds a version. Raises Conflict (`eval-suite-already-registered`), Invalid (also when nothing
        matches, unless `empty`: then it has no cases and can't be compared on), NotFound, Denied."""
        ...

    async def list(self, project_id: str | None = None) -> tuple[TestSetVersion, ...]:
        """The newest version of each set, by id."""
        ...

    async def versions(self, test_set_id: str) -> tuple[TestSetVersion, ...]:
        """The versions of a set, newest first. Raises NotFound."""
        ...

    async def get(self, test_set_id: str, version: str | None = None) -> TestSetVersion:
        """One version, the newest when none is named. Raises NotFound."""
        ...

    async def cases(
        self, test_set_id: str, version: str | None = None, limit: int = 25, cursor: str | None = None
    ) -> Page[Case]:
        """Its cases, in the order they were taken. Raises NotFound."""
        ...

    async def case(self, test_set_id: str, version: str, case_id: str) -> Case:
        """One of a version's cases. Raises NotFound."""
        ...


class Comparisons(Protocol):
    """Candidate versions, run on test sets."""

    async def plan(self, request: ComparisonRequest) -> ComparisonPlan:
        """A dry run: what would run, and what it may cost. Raises what `start` raises."""
        ...

    async def start(self, request: ComparisonRequest) -> Comparison:
        """Starts a comparison in a process of its own and returns at once.

        Raises NotFound, Invalid, Unsupported (`fresh` without a provider), Denied.
        """
        ...

    async def get(self, comparison_id: str) -> Comparison:
        """One comparison, with its result once there is one. A unique beginning of an id is enough."""
        ...

    async def list(
        self,
        project_id: str | None = None,
        test_set_id: str | None = None,
        limit: int = 25,
        cursor: str | None = None,
        *,
        backwards: bool = False,
        folded: bool = False,
    ) -> Page[Comparison]:
        """Comparisons, newest first, with what each came to (`brief`), without their results.

        `backwards` gives the page before the cursor (the last one without), in the list's order. `folded` leaves
        rescores out: what they score again counts them and has the newest one's brief.
        """
        ...

    async def count(self, project_id: str | None = None, test_set_id: str | None = None) -> int:
        """How many comparisons a folded list holds."""
        ...

    async def rescores(self, comparison_id: str) -> tuple[Comparison, ...]:
        """The rescores of a comparison, newest first, without their results. Raises NotFound."""
        ...

    async def partial(self, comparison_id: str) -> Json:
        """The result so far, in a result's shape, with intervals that cost nothing; None before anything finished.

        It changes at most four times a second. Of a comparison that ended it is its result. Raises NotFound.
        """
        ...

    async def waiting(self, comparison_id: str) -> int:
        """How many verdicts on its replays its result doesn't count: a rescore would. Raises NotFound."""
        ...

    def follow(self, comparison_id: str) -> AsyncIterator[ComparisonEvent]:
        """The events until it ends; ends with an `end` event."""
        ...

    async def cancel(self, comparison_id: str) -> Comparison:
        """Cancels it. Raises NotFound, Conflict (`eval-run-already-terminal`), Denied."""
        ...

    async def resume(self, comparison_id: str) -> Comparison:
        """Runs what is left of a failed or cancelled one. Raises NotFound, Conflict, Denied."""
        ...

    async def rescore(self, comparison_id: str) -> Comparison:
        """Scores its replays again, with what was judged on them since, as a comparison of its own.

        Raises NotFound, Conflict (`eval-run-not-rescorable`), Denied.
        """
        ...


class Catalog(Protocol):
    """Agents, flows or tools, at their versions."""

    async def list(self) -> tuple[CatalogVersion, ...]:
        """The newest version of each, by id."""
        ...

    async def versions(self, entry_id: str) -> tuple[CatalogVersion, ...]:
        """Its versions, newest first. Raises NotFound."""
        ...

    async def get(self, entry_id: str, version: str | None = None) -> CatalogVersion:
        """One version, the newest when none is named. Raises NotFound."""
        ...


class Packs(Protocol):
    """Published packs."""

    async def publish(self, folder: Path, python: str | None = None) -> Published:
        """Copies, indexes and registers a pack. Raises Invalid, Conflict (a version's content differs),
        Unsupported (it declares what can't be run), Denied."""
        ...

    async def list(self) -> tuple[PackSnapshot, ...]:
        """Published snapshots, newest first."""
        ...

    async def env(self, pack_id: str) -> dict[str, str]:
        """The environment values set for a pack's tools. They may be secrets: faces show names alone."""
        ...

    async def set_env(self, pack_id: str, name: str, value: str | None) -> None:
        """Sets a value, or with None removes it. Raises NotFound, Denied."""
        ...


class ModelStatus(Frozen):
    """One configured provider, and what a check of it said."""

    provider: str
    """Its name."""
    model: str | None
    """Its default model."""
    address: str
    """Where it is asked."""
    ready: bool | None
    """Whether a tiny call worked; None: not tried."""
    sentence: str
    """What is so, or what to do."""


class Models(Protocol):
    """Where models' replies come from."""

    async def list(self) -> tuple[ModelStatus, ...]:
        """The configured providers, without calling them."""
        ...

    async def check(self) -> tuple[ModelStatus, ...]:
        """The same, each asked for one tiny reply."""
        ...

    async def remember(self, replies: dict[str, Json]) -> None:
        """Puts replies into the reply cache by key."""
        ...


class Audit(Protocol):
    """What was done, by whom, when."""

    async def list(self, limit: int = 25, cursor: str | None = None) -> Page[AuditEntry]:
        """Entries, newest first."""
        ...


class Tokens(Protocol):
    """Bearer tokens of those who work over HTTP."""

    async def add(self, name: str, person_id: str | None = None, right: Right = "judge") -> tuple[Token, str]:
        """Makes a token that acts as a person (the caller without one); gives it and its secret, told once.

        Raises NotFound, Conflict (`token-name-taken`), Invalid, Denied.
        """
        ...

    async def list(self) -> tuple[Token, ...]:
        """Every token, newest first, revoked ones too."""
        ...

    async def revoke(self, reference: str) -> Token:
        """Revokes the token with that id or name. Raises NotFound, Denied."""
        ...

    async def find(self, secret: str) -> Bearer:
        """Who acts with that secret. Raises Denied (`auth-missing`, `auth-revoked`)."""
        ...


class Answers(Protocol):
    """Answers to requests with an idempotency key, kept for a day so that a retry runs nothing twice."""

    async def begin(self, request: KeyedRequest) -> KeptAnswer | None:
        """The answer kept for a request; None when it is to be run now, its key held for 30 seconds.

        Raises Conflict (`idempotency-key-body-mismatch`, `idempotency-key-in-flight`).
        """
        ...

    async def renew(self, request: KeyedRequest) -> None:
        """Goes on holding a key whose request still runs."""
        ...

    async def keep(self, request: KeyedRequest, answer: KeptAnswer) -> None:
        """Keeps a request's answer."""
        ...

    async def release(self, request: KeyedRequest) -> None:
        """Lets the key of a refused request go: it may be sent again."""
        ...


class Outbox(Protocol):
    """What waits to be sent to a runtime; always empty where one works on this machine (DESIGN section 10)."""

    async def counts(self) -> OutboxCounts:
        """How much waits, without asking the runtime."""
        ...

    async def list(self) -> tuple[OutboxEntry, ...]:
        """What waits, in the order it is sent in, with what was refused."""
        ...

    async def retry(self, entry_id: str | None = None) -> None:
        """Sends a refused entry again; one the person was asked about is sent over the newer verdict.

        Without an id, everything that waits is tried now. Raises NotFound.
        """
        ...

    async def drop(self, entry_id: str) -> None:
        """Forgets an entry: it is not sent. Raises NotFound, Conflict (it may have arrived already)."""
        ...

    async def settle(self, seconds: float) -> OutboxCounts:
        """Sends what waits, for at most so long, and says what is left."""
        ...


class Workbench(Protocol):
    """Everything a face can do. Every async call may raise only the errors of this module."""

    @property
    def where(self) -> str:
        """Where one works, for the status line: a folder or an address."""
        ...

    @property
    def projects(self) -> Projects:
        """Projects."""
        ...

    @property
    def people(self) -> People:
        """People."""
        ...

    @property
    def runs(self) -> Runs:
        """Runs."""
        ...

    @property
    def conversations(self) -> Conversations:
        """Conversations."""
        ...

    @property
    def judgments(self) -> Judgments:
        """Judgments."""
        ...

    @property
    def groups(self) -> Groups:
        """Groups."""
        ...

    @property
    def queue(self) -> Queue:
        """The runs that owe a verdict."""
        ...

    @property
    def guidelines(self) -> Guidelines:
        """What judges go by."""
        ...

    @property
    def test_sets(self) -> TestSets:
        """Test sets."""
        ...

    @property
    def comparisons(self) -> Comparisons:
        """Comparisons."""
        ...

    @property
    def agents(self) -> Catalog:
        """Agents."""
        ...

    @property
    def flows(self) -> Catalog:
        """Flows."""
        ...

    @property
    def tools(self) -> Catalog:
        """Tools."""
        ...

    @property
    def packs(self) -> Packs:
        """Packs."""
        ...

    @property
    def models(self) -> Models:
        """Models."""
        ...

    @property
    def audit(self) -> Audit:
        """The audit log."""
        ...

    @property
    def outbox(self) -> Outbox:
        """What waits to be sent."""
        ...

    @property
    def tokens(self) -> Tokens:
        """Bearer tokens."""
        ...

    @property
    def answers(self) -> Answers:
        """Answers kept for retries."""
        ...

    def acting_as(self, person: Person) -> Workbench:
        """The same workbench with somebody else acting, with the right `person` has here; closed with this one.

        Raises Denied unless the caller is an admin or that person.
        """
        ...

    async def backup(self, path: Path) -> None:
        """Writes a consistent copy of what is stored to a new file. Raises Conflict (it is there), Unsupported."""
        ...

    async def close(self) -> None:
        """Ends every process and file handle it holds."""
        ...
