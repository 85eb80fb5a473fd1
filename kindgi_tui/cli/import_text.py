"""What an import did, as text: what came in, what was left out and why, and whether it can be replayed."""

from kindgi_tui.cli.call import Call
from kindgi_tui.cli.errors import say
from kindgi_tui.cli.tables import Column, pairs, table
from kindgi_tui.domain.base import Json
from kindgi_tui.domain.imports import ImportReport, Problem
from kindgi_tui.wire import v04

SHOWN = 20
"""How many problems are shown to a person; `--json` has the rest."""


def print_report(call: Call, report: ImportReport, dry_run: bool) -> None:
    """Prints a report."""
    if call.json:
        shaped = v04.plain(report.model_copy(update={"problems": ()}))
        problems: list[Json] = [_problem(one) for one in report.problems]
        base = shaped if isinstance(shaped, dict) else {}
        call.out.json({**base, "dryRun": dry_run, "problems": problems})
        return
    would = "would come in" if dry_run else "came in"
    rows: list[tuple[str, str | None]] = [(would, _count(report.came_in, "run"))]
    rows += [("known already", _count(report.known, "run") if report.known else None)]
    rows += [("left out", f"{report.left_out:,}" if report.left_out else None)]
    rows += [("judgments", f"{report.judgments:,}" if report.judgments else None)]
    rows += [("corrections", f"{report.corrections:,}" if report.corrections else None)]
    scores = f"{report.machine_scores:,}, which count as no judgments" if report.machine_scores else None
    call.out.lines(pairs([*rows, ("machine scores", scores), ("read as", ", ".join(report.formats))]))
    if report.subjects:
        call.out.line()
        columns = [Column("WHAT RAN", least=20), Column("VERSION"), Column("RUNS", right=True)]
        lines = [(one.subject.id, one.subject.version, f"{one.runs:,}") for one in report.subjects]
        call.out.lines(table(columns, lines, call.out.width))
    for sentence in report.replay:
        call.out.line()
        call.out.paragraph(sentence)
    for problem in report.problems[:SHOWN]:
        say(f"Left out: {problem.place}: {problem.reason}")
    if report.left_out > SHOWN:
        say(f"… and {report.left_out - SHOWN:,} more; --json lists them.")
    if report.came_in and not dry_run:
        call.out.line()
        call.out.line(
            call.hint("Next: kindgi-tui runs list, then kindgi-tui judgments add --run RUN --item KEY --yes")
        )


def _problem(problem: Problem) -> Json:
    place = problem.place
    return v04.without_none(
        {"file": place.file, place.unit: place.position, "reason": problem.reason}
        if place.position is not None
        else {"file": place.file, "reason": problem.reason}
    )


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
