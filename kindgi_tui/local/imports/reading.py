"""Files and folders of runs, read one record at a time, and the report of an import."""

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Literal

from kindgi_tui.domain.imports import ImportReport, SubjectCount
from kindgi_tui.domain.runs import Subject, recorded_calls
from kindgi_tui.local.imports.detecting import format_named, format_names, gathered, told_apart
from kindgi_tui.local.imports.identity import plain
from kindgi_tui.local.imports.json_values import Found, values_of
from kindgi_tui.local.imports.records import ImportedRun, ImportOptions, Place, Problem

ENDINGS = (".json", ".jsonl", ".ndjson", ".json.gz", ".jsonl.gz", ".ndjson.gz")
"""The files that are read of a folder; a file given by name is read whatever it is called."""

LISTED = 10_000
"""The most left-out records a report lists; all are counted."""


def read_files(paths: Iterable[Path], options: ImportOptions) -> Iterator[ImportedRun | Problem]:
    """Every run of the files, and of the files in the folders, in order; a problem for whatever is left out.

    The same files give the same run ids every time. Nothing is raised for what is in a file, or for a file that
    is missing or can't be read.
    """
    for path in paths:
        if _is_folder(path):
            yield from _read_folder(path, options)
        else:
            yield from _read_file(path, options)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False


def _read_folder(folder: Path, options: ImportOptions) -> Iterator[ImportedRun | Problem]:
    unread: list[OSError] = []
    files = 0
    for root, folders, names in os.walk(folder, onerror=unread.append):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if name.lower().endswith(ENDINGS) and not name.startswith("."):
                files += 1
                yield from _read_file(Path(root, name), options)
    for error in unread:
        where = Place(file=plain(os.fspath(error.filename or folder)))
        yield Problem(place=where, reason="The folder can't be read.")
    if not files and not unread:
        reason = "The folder holds no .json, .jsonl or .ndjson file."
        yield Problem(place=Place(file=plain(str(folder))), reason=reason)


def _read_file(path: Path, options: ImportOptions) -> Iterator[ImportedRun | Problem]:
    file = plain(str(path))
    values = values_of(path, file)
    if options.format is not None:
        chosen = format_named(options.format)
        if chosen is None:
            reason = f"There is no format of that name: the formats are {format_names()}."
            yield Problem(place=Place(file=file), reason=reason)
            return
    else:
        chosen, values = told_apart(values)
    if chosen is None:
        yield _unknown(values, file)
        return
    for value in gathered(values):
        if isinstance(value, Found):
            yield from chosen.read(value, options)
        else:
            yield value


def _unknown(values: Iterator[Found | Problem], file: str) -> Problem:
    first = next(values, None)
    if isinstance(first, Problem) and first.position is None:
        return first
    told = f" ({first.reason.removesuffix('.')})" if isinstance(first, Problem) else ""
    return Problem(
        place=Place(file=file),
        reason=f"This is none of the formats that can be read, which are {format_names()}{told}.",
    )


Outcome = tuple[ImportedRun, Literal["new", "known"]] | Problem
"""One thing read, and for a run what the store said of its id."""


def summarise(
    outcomes: Iterable[Outcome],
    published: Mapping[str, Collection[str]] | None = None,
    tools: Collection[str] = (),
) -> ImportReport:
    """The report of an import.

    `published` has the versions of each agent and flow id that this workspace has a pack for, `tools` the tool ids;
    they decide what is said of replaying. The outcomes are used up one by one, so a generator that stores each run
    as it passes keeps memory flat.
    """
    came_in = known = left_out = judgments = corrections = scores = several = 0
    problems: list[Problem] = []
    subjects: dict[Subject, int] = {}
    formats: dict[str, None] = {}
    called: dict[str, None] = {}
    for outcome in outcomes:
        if isinstance(outcome, Problem):
            left_out += 1
            if len(problems) < LISTED:
                problems.append(outcome)
            continue
        run, state = outcome
        if state == "new":
            came_in += 1
            judgments += len(run.judgments)
            corrections += len(run.corrections)
            scores += len(run.machine_scores)
        else:
            known += 1
        subjects[run.detail.subject] = subjects.get(run.detail.subject, 0) + 1
        formats[run.detail.source] = None
        several += run.detail.context.get("severalTurns") is True
        if run.detail.subject.kind == "agent":
            called.update(dict.fromkeys(call.tool_id for call in recorded_calls(run.detail.output)))
    counted = sorted(subjects.items(), key=lambda pair: (-pair[1], pair[0].id, pair[0].version))
    can_replay, sentences = _replay(
        came_in + known, several, [subject for subject, _ in counted], called, published or {}, tools
    )
    return ImportReport(
        came_in=came_in,
        known=known,
        left_out=left_out,
        problems=tuple(problems),
        judgments=judgments,
        corrections=corrections,
        machine_scores=scores,
        subjects=tuple(SubjectCount(subject=subject, runs=runs) for subject, runs in counted),
        formats=tuple(formats),
        can_replay=can_replay,
        replay=sentences,
    )


def _replay(
    runs: int,
    several: int,
    subjects: list[Subject],
    called: Collection[str],
    published: Mapping[str, Collection[str]],
    tools: Collection[str],
) -> tuple[bool, tuple[str, ...]]:
    if not runs:
        return False, ()
    sentences: list[str] = []
    if several:
        each = "They hold" if several == runs else f"{several} of them hold"
        if runs == 1:
            each = "It holds"
        sentences.append(
            f"{each} several turns of one conversation, which can't be replayed faithfully: "
            "the person's later words answered this agent, and would not fit what another says."
        )
    absent = sorted({subject.id for subject in subjects if not published.get(subject.id)})
    if absent:
        sentences.append(
            f"Nothing here can answer for {_listed(absent)}: publish a pack that has it, or compare a version of it "
            "once there is one."
        )
    missing = sorted(tool for tool in called if tool not in tools)
    if missing:
        sentences.append(f"They call tools that no pack here has: {_listed(missing)}.")
    if not sentences:
        return True, ("They can be replayed here.",)
    return False, (*sentences, "They can be judged and gathered into a test set.")


def _listed(names: list[str], most: int = 5) -> str:
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
