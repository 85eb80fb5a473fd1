"""A small pack that works, to start from (`packs init`)."""

import re
from pathlib import Path

from kindgi_tui.workbench import Conflict, Invalid, Unavailable

_NAME = re.compile(r"[a-z][a-z0-9-]*(\.[a-z][a-z0-9-]*)*")

_PROJECT = """\
[tool.kindgi.pack]
id = "{name}"
version = "0.1.0"

# Environment variables that the tools read, by name: `packs env set` gives them values.
# [tool.kindgi.env]
# required = ["DATABASE_URL"]
# optional = []
"""

_TOOL = '''\
"""A tool that only reads: a replay may run it again."""

from pydantic import BaseModel, Field

from kindgi import tool

NOTES = {{
    "opening-hours": "We are open from 9 to 17 on weekdays, and closed on holidays.",
    "returns": "Unused goods can be returned within 30 days of delivery.",
    "shipping": "Parcels leave within a day and take two to four days.",
}}


class Query(BaseModel):
    words: str = Field(min_length=1, description="Words to look for")


class Note(BaseModel):
    id: str
    text: str


class Found(BaseModel):
    notes: list[Note]


@tool(
    id="{name}.search-notes",
    version="0.1.0",
    mutating=False,
    effects=[{{"kind": "reads", "resource": "notes"}}],
)
def search_notes(query: Query) -> Found:
    """Finds the notes that contain any of the words."""
    wanted = query.words.lower().split()
    found = [Note(id=key, text=text) for key, text in NOTES.items() if any(w in text.lower() for w in wanted)]
    return Found(notes=found)
'''

_AGENT = '''\
"""An agent whose answer is a list of notes: people judge each one, by its id."""

from pydantic import BaseModel

from kindgi import Agent

from ..tools.search_notes import search_notes


class PickedNote(BaseModel):
    id: str
    why: str


class Answer(BaseModel):
    notes: list[PickedNote]


picker = Agent(
    id="{name}.note-picker",
    version="0.1.0",
    name="Note picker",
    instructions="Search the notes with {name}.search-notes, and list those that answer the question, best first.",
    tools=[search_notes],
    output=Answer,
    budget={{"maxSteps": 6}},
)
'''

_FILES = {
    "pyproject.toml": _PROJECT,
    "tools/search_notes.py": _TOOL,
    "agents/note_picker.py": _AGENT,
}


def init_pack(folder: Path, name: str) -> tuple[Path, ...]:
    """Writes a pack `name` (a dotted id, such as `acme.notes`) into an empty or new folder; gives its files.

    The pack has one read-only tool and one agent with a typed answer. Raises Invalid (the name), Conflict (the folder
    is not empty), Unavailable (it can't be written).
    """
    if _NAME.fullmatch(name) is None:
        raise Invalid(
            f"{name!r} can't be a pack's name. Use small letters, digits, dashes and dots, such as acme.notes.",
            field="name",
        )
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise Conflict(f"{folder} is not an empty folder. Name a new one.", code="folder-not-empty")
        written = []
        for place, text in _FILES.items():
            path = folder / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text.format(name=name), encoding="utf-8")
            written.append(path)
    except OSError as cause:
        raise Unavailable(f"{folder} can't be written: {cause.strerror or cause}.") from cause
    return tuple(written)
