"""`kindgi-tui test-sets`: versioned sets of judged runs."""

from datetime import datetime

import click

from kindgi_tui.cli import completing
from kindgi_tui.cli.agreement_text import print_agreement
from kindgi_tui.cli.call import Call
from kindgi_tui.cli.case_text import print_case
from kindgi_tui.cli.errors import say
from kindgi_tui.cli.listing import print_list
from kindgi_tui.cli.own_case_text import count_words, frozen_words, print_own_set
from kindgi_tui.cli.parameters import (
    MOST,
    paged,
    pages,
    project_filter,
    project_option,
    segment_option,
    since_and_until,
)
from kindgi_tui.cli.shared_options import Noun
from kindgi_tui.cli.tables import Column, pairs
from kindgi_tui.cli.values import VERSION
from kindgi_tui.domain.base import Json
from kindgi_tui.domain.own_test_sets import OwnTestSet, parse_own_test_set_id
from kindgi_tui.domain.runs import Segment
from kindgi_tui.domain.test_set_versions import BuildPreview, BuildRequest, TestSetVersion
from kindgi_tui.domain.test_sets import Case
from kindgi_tui.wire import v04
from kindgi_tui.workbench import Invalid, Page

FIRST_VERSION = "1.0.0"
"""The version to name in examples."""


@click.group("test-sets", cls=Noun, example="kindgi-tui test-sets list")
def noun() -> None:
    """Versioned sets of judged runs, to compare new versions on. A version never changes."""


version_option = click.option(
    "--version", "--suite-version", "version", metavar="X.Y.Z", help="Which version (else the newest)."
)


@noun.verb(
    "build",
    example="kindgi-tui test-sets build acme.article-picks --version 1.0.0 --project docs "
    "--agent acme-ops.article-picker\n"
    "kindgi-tui test-sets build acme.rank-acme-segment --version 1.0.0 --project docs --agent acme.rank.scorer "
    "--segment company:acme",
    also="from-judgments",
)
@click.argument("test_set")
@click.option(
    "--version",
    "--suite-version",
    "version",
    required=True,
    type=VERSION,
    metavar="X.Y.Z",
    help="The new version.",
)
@project_option
@click.option("--agent", shell_complete=completing.agents, help="The agent whose judged runs it takes.")
@click.option("--flow", shell_complete=completing.flows, help="The flow whose judged runs it takes.")
@click.option(
    "--agent-version", "--flow-version", "subject_version", metavar="X.Y.Z", help="Runs of it alone."
)
@since_and_until("runs first judged")
@click.option(
    "--group", "--class", "groups", multiple=True, metavar="GROUP", shell_complete=completing.groups,
    help="Only judgments of this group; repeat for more.",
)  # fmt: skip
@click.option("--min-judgments", type=click.IntRange(1), help="The fewest judgments a run needs.")
@segment_option
@click.option("--description", help="What the set holds.")
@click.option("--dry-run", is_flag=True, help="Only say what it would take.")
async def build(
    call: Call,
    test_set: str,
    version: str,
    project: str | None,
    agent: str | None,
    flow: str | None,
    subject_version: str | None,
    since: datetime | None,
    until: datetime | None,
    groups: tuple[str, ...],
    min_judgments: int | None,
    segments: tuple[Segment, ...],
    description: str | None,
    dry_run: bool,
) -> None:
    """Builds a version of TEST_SET from the judged runs of an agent or flow, newest judged first."""
    if (agent is None) == (flow is None):
        raise click.UsageError("Give exactly one of --agent and --flow.")
    request = BuildRequest(
        test_set_id=test_set,
        version=version,
        project_id=await call.project_id(project),
        agent_id=agent,
        flow_id=flow,
        subject_version=subject_version,
        since=since,
        until=until,
        groups=groups,
        min_judgments=min_judgments,
        segments=segments,
        description=description,
    )
    if dry_run:
        _print_preview(call, await call.bench.test_sets.preview(request))
        return
    built = await call.bench.test_sets.build(request)
    _print_one(call, built)
    if not call.json:
        call.out.line()
        subject = f"--agent {agent} --agent-version" if flow is None else f"--flow {flow} --flow-version"
        place = f" --project {project}" if project else ""
        call.out.line(
            call.hint(f"Next: kindgi-tui comparisons start {test_set}{place} {subject} X.Y.Z --wait")
        )


async def whole_id(call: Call, test_set: str) -> str:
    """The id of a set; `agent.AGENT` is the agent's own one. Raises Invalid where it has one in several projects."""
    if not test_set.startswith("agent.") or parse_own_test_set_id(test_set) is not None:
        return test_set
    own = [one for one in await call.bench.cases.sets() if f"agent.{one.agent_id}" == test_set]
    if len(own) > 1:
        named = " or ".join(one.id for one in own)
        raise Invalid(f"{test_set} stands for a set in {len(own)} projects: name {named}.", field="test_set")
    return own[0].id if own else test_set


@noun.verb("list", example="kindgi-tui test-sets list --project docs")
@project_filter
async def list_test_sets(call: Call, project: str | None) -> None:
    """Lists the test sets, each at its newest version; agents' own ones as they stand now."""
    project_id = await call.project_id_if(project)
    own = await call.bench.cases.sets(project_id)
    names = {one.id for one in own}
    built = [one for one in await call.bench.test_sets.list(project_id) if one.test_set_id not in names]
    rows: list[TestSetVersion | OwnTestSet] = [*built, *own]
    print_list(
        call,
        rows,
        shape=_shaped,
        columns=[
            Column("TEST SET"),
            Column("VERSION"),
            Column("CASES", right=True),
            Column("OF"),
            Column("ABOUT", least=10),
            Column("BUILT"),
        ],
        cells=_cells,
        empty="No test sets yet. Build one from judged runs: "
        f"kindgi-tui test-sets build NAME --version {FIRST_VERSION} --agent AGENT",
    )


def _shaped(one: TestSetVersion | OwnTestSet) -> Json:
    return v04.own_test_set(one) if isinstance(one, OwnTestSet) else v04.test_set(one)


def _cells(one: TestSetVersion | OwnTestSet) -> tuple[str, ...]:
    if isinstance(one, OwnTestSet):
        built = "" if one.frozen_at is None else v04.time(one.frozen_at)
        return one.id, frozen_words(one), count_words(one), one.agent_id, "the agent's own test cases", built
    return (
        one.test_set_id,
        one.version,
        cases_words(one),
        one.request.agent_id or one.request.flow_id or "",
        one.description or "",
        v04.time(one.created_at),
    )


@noun.verb("show", example="kindgi-tui test-sets show acme.article-picks")
@click.argument("test_set", shell_complete=completing.test_sets)
@version_option
async def show(call: Call, test_set: str, version: str | None) -> None:
    """Shows one version of TEST_SET, and which other versions there are; an agent's own as it stands now."""
    test_set = await whole_id(call, test_set)
    own = parse_own_test_set_id(test_set)
    if own is not None and version is None:
        await _show_own(call, *own)
        return
    found = await call.bench.test_sets.get(test_set, version)
    versions = await call.bench.test_sets.versions(test_set)
    if call.json:
        listed: list[Json] = [one.version for one in versions]
        call.out.json({**v04.test_set(found), "versions": listed})
        return
    _print_one(call, found)
    call.out.lines(pairs([("versions", ", ".join(one.version for one in versions))]))


async def _show_own(call: Call, agent_id: str, project_id: str) -> None:
    one = await call.bench.cases.own(agent_id, project_id)
    versions = () if one.version is None else await call.bench.test_sets.versions(one.id)
    names = tuple(each.version for each in versions)
    if call.json:
        call.out.json({**v04.own_test_set(one), "versions": list(names)})
    else:
        print_own_set(call.out, one, names)


@noun.verb("cases", example="kindgi-tui test-sets cases acme.article-picks --version 1.0.0")
@click.argument("test_set", shell_complete=completing.test_sets)
@version_option
@paged
async def cases(
    call: Call, test_set: str, version: str | None, limit: int, cursor: str | None, whole: bool
) -> None:
    """Lists the cases of TEST_SET: what went in, and what people said of each item."""
    test_set = await whole_id(call, test_set)
    found = await call.bench.test_sets.get(test_set, version)

    async def read(size: int, place: str | None) -> Page[Case]:
        return await call.bench.test_sets.cases(test_set, found.version, size, place)

    shown: list[Case] = []
    last: Page[Case] | None = None
    async for page in pages(read, limit, cursor, whole):
        last = page
        if call.json:
            shown.extend(page.data)
            continue
        for one in page.data:
            print_case(call.out, one)
        if call.out.gone:
            return
    if last is not None and call.json:
        call.out.json(v04.page(shown, v04.case, last.has_more, last.next_cursor))
    elif last is not None and last.has_more and last.next_cursor is not None:
        say(f"There is more: add --all, or --cursor {last.next_cursor} for the next page.")


@noun.verb("export", example="kindgi-tui test-sets export acme.article-picks > cases.jsonl")
@click.argument("test_set", shell_complete=completing.test_sets)
@version_option
async def export(call: Call, test_set: str, version: str | None) -> None:
    """Prints the cases of TEST_SET as JSON, one a line."""
    test_set = await whole_id(call, test_set)
    found = await call.bench.test_sets.get(test_set, version)

    async def read(size: int, place: str | None) -> Page[Case]:
        return await call.bench.test_sets.cases(test_set, found.version, size, place)

    async for page in pages(read, MOST, None, True):
        for one in page.data:
            call.out.json_line(v04.case(one))
        if call.out.gone:
            return


@noun.verb("agreement", example="kindgi-tui test-sets agreement acme.article-picks --version 1.0.0")
@click.argument("test_set", shell_complete=completing.test_sets)
@version_option
async def agreement(call: Call, test_set: str, version: str | None) -> None:
    """Says how far people agree who judged the same items of TEST_SET, on which they don't, and which runs they
    corrected differently; of an agent's own test set without --version, as it is now."""
    test_set = await whole_id(call, test_set)
    own = parse_own_test_set_id(test_set)
    if own is not None and version is None:
        print_agreement(call, test_set, None, await call.bench.cases.agreement(*own))
        return
    found = await call.bench.test_sets.get(test_set, version)
    told = await call.bench.test_sets.agreement(test_set, found.version)
    print_agreement(call, test_set, found.version, told)


def cases_words(version: TestSetVersion) -> str:
    """How many cases, and of how many runs where the limit cut it."""
    if version.truncated:
        return f"{version.case_count:,} newest of {version.available:,}"
    return f"{version.case_count:,}"


def _print_one(call: Call, one: TestSetVersion) -> None:
    if call.json:
        call.out.json(v04.test_set(one))
        return
    asked = one.request
    rows: list[tuple[str, str | None]] = [("test set", one.test_set_id), ("version", one.version)]
    rows += [
        ("cases", cases_words(one)),
        ("about", one.description),
        ("runs of", asked.agent_id or asked.flow_id),
    ]
    rows += [("at version", asked.subject_version), ("groups", ", ".join(asked.groups))]
    rows += [("least judgments", None if asked.min_judgments is None else str(asked.min_judgments))]
    rows += [("segment", " / ".join(f"{step.key}:{step.value}" for step in asked.segments))]
    rows += [("since", None if asked.since is None else v04.time(asked.since))]
    rows += [("until", None if asked.until is None else v04.time(asked.until))]
    call.out.lines(
        pairs(
            [*rows, ("built", v04.time(one.created_at) + (f" by {one.created_by}" if one.created_by else ""))]
        )
    )


def _print_preview(call: Call, preview: BuildPreview) -> None:
    if call.json:
        call.out.json(v04.plain(preview))
        return
    rows = [("cases", f"{preview.runs:,}"), ("judged items", f"{preview.items:,}")]
    rows += [("judgments", f"{preview.judgments:,}"), ("over the limit", f"{preview.more:,}")]
    call.out.lines(pairs([*rows, ("with too few judgments", f"{preview.too_few:,}")]))
