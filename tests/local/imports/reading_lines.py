"""Small files for the import tests, and what comes out of them."""

import json
from pathlib import Path
from typing import Any

from kindgi_tui.local.imports.reading import read_files
from kindgi_tui.local.imports.records import ImportedRun, ImportOptions, Problem

OPTIONS = ImportOptions(project_id="00000000-0000-4000-8000-000000000001")


def written(folder: Path, *records: Any, name: str = "runs.jsonl") -> Path:
    """A JSONL file of the records; a record that is bytes is written as it is."""
    path = folder / name
    lines = (one if isinstance(one, bytes) else json.dumps(one).encode() for one in records)
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path


def imported(*paths: Path, options: ImportOptions = OPTIONS) -> tuple[list[ImportedRun], list[Problem]]:
    """The runs of files, and the problems."""
    runs: list[ImportedRun] = []
    problems: list[Problem] = []
    for one in read_files(paths, options):
        if isinstance(one, Problem):
            problems.append(one)
        else:
            runs.append(one)
    return runs, problems


def only(folder: Path, record: Any, options: ImportOptions = OPTIONS) -> ImportedRun:
    """The one run of one record, which must leave nothing out."""
    runs, problems = imported(written(folder, record), options=options)
    assert problems == []
    assert len(runs) == 1
    return runs[0]


def appended(run: ImportedRun) -> list[dict[str, Any]]:
    """The messages a run's turn added."""
    output = run.detail.output
    assert isinstance(output, dict)
    messages = output["appended"]
    assert isinstance(messages, list)
    return messages  # type: ignore[return-value]


def said(run: ImportedRun) -> list[tuple[Any, Any]]:
    """Role and content of each message a run's turn added."""
    return [(message["role"], message["content"]) for message in appended(run)]


def user(content: Any) -> dict[str, Any]:
    """An OpenAI message of a person."""
    return {"role": "user", "content": content}


def assistant(content: Any, **more: Any) -> dict[str, Any]:
    """An OpenAI message of a model."""
    return {"role": "assistant", "content": content, **more}


def call(name: str, arguments: Any, identity: str | None = None) -> dict[str, Any]:
    """An OpenAI tool call."""
    listed = {"type": "function", "function": {"name": name, "arguments": arguments}}
    return listed if identity is None else {"id": identity, **listed}
