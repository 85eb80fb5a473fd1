"""Example blocks, and a pack whose agents pin them."""

from pathlib import Path
from typing import Any

from kindgi_tui.domain.base import Json

SCHEMA: Json = {
    "type": "object",
    "required": ["recency"],
    "properties": {"recency": {"type": "number", "minimum": 0, "maximum": 1}},
}

TEMPLATE = (
    'Be {{ tone }}, {{ agent.id }} {{ agent.version }}. Recency weighs {{ settings["lab.weights"].recency }}.'
)


def weights(version: str, recency: Any) -> Json:
    """A version of the settings block."""
    return {
        "id": "lab.weights",
        "version": version,
        "kind": "settings",
        "content": {"values": {"recency": recency}, "schema": SCHEMA},
    }


PROMPT: Json = {
    "id": "lab.intake-prompt",
    "version": "1.0.0",
    "kind": "prompt",
    "description": "How the clerk begins.",
    "content": {
        "template": TEMPLATE,
        "parameters": [{"name": "tone", "type": "string", "default": "kind"}],
    },
}

MODEL: Json = {
    "id": "lab.model",
    "version": "1.0.0",
    "kind": "model-settings",
    "content": {
        "values": {"provider": "local", "model": "other", "temperature": 0.25, "maxOutputTokens": 50}
    },
}

BLOCKS = (weights("1.0.0", 0.1), weights("1.1.0", 0.9), weights("1.2.0", 0.1), PROMPT, MODEL)
"""1.2.0 of the weights has the content of 1.0.0."""

_PROJECT = """
[tool.kindgi.pack]
id = "lab"
version = "2.0.0"
[tool.kindgi.env]
optional = ["LAB_WITNESS"]
"""

_TOOLS = '''
import json, os
from pydantic import BaseModel
from kindgi import ToolContext, tool


class Words(BaseModel):
    text: str


def weighed(name: str, words: Words, ctx: ToolContext) -> dict:
    with open(os.environ["LAB_WITNESS"], "a") as witness:
        witness.write(json.dumps({"tool": name, "text": words.text}) + "\\n")
    return {"settings": {key: dict(values) for key, values in ctx.settings.items()}}


@tool(id="lab.weigh", version="0.1.0", mutating=False, effects=[{"kind": "reads"}])
def weigh(words: Words, ctx: ToolContext) -> dict:
    """Reads something and its settings."""
    return weighed("lab.weigh", words, ctx)


@tool(id="lab.sum", version="0.1.0", mutating=False)
def sum_up(words: Words, ctx: ToolContext) -> dict:
    """Depends on its arguments and settings alone."""
    return weighed("lab.sum", words, ctx)


@tool(id="lab.reach", version="0.1.0", mutating=False, effects=[{"kind": "reads"}, {"kind": "network"}])
def reach(words: Words, ctx: ToolContext) -> dict:
    """Reads beyond this machine."""
    return weighed("lab.reach", words, ctx)
'''

_AGENTS = """
from kindgi import Agent
from ..tools.weighing import reach, sum_up, weigh


def clerk(version, weights, instructions="Help.", **more):
    return Agent(id="lab.clerk", version=version, name="Clerk", instructions=instructions,
                 capabilities=[{"needs": [{"feature": "tool-use"}]}], tools=[weigh, sum_up, reach],
                 settings=[{"id": "lab.weights", "version": weights}],
                 preferred_provider="local", preferred_model="mock", **more)


before = clerk("1.0.0", "1.0.0")
after = clerk("1.1.0", "1.1.0")
same = clerk("1.2.0", "1.2.0")
newest = clerk("1.3.0", "^1.0.0")
prompted = clerk("1.4.0", "1.0.0", {"prompt": "lab.intake-prompt", "version": "^1.0.0"},
                 model_settings={"id": "lab.model", "version": "^1.0.0"})
inline = clerk("1.5.0", "1.0.0", '{{ agent.name }} of turn {{ conversation.turn }} on {{ today }}: '
               '{{ settings["lab.weights"].recency }}')
"""


def write_pack(folder: Path) -> Path:
    """Writes the pack into a folder and gives it."""
    files = {
        "pyproject.toml": _PROJECT,
        "tools/weighing.py": _TOOLS,
        "agents/clerk.py": _AGENTS,
    }
    for name, text in files.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return folder
