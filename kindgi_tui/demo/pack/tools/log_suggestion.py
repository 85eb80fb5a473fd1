"""The tool that changes things: it notes down what was suggested to a customer."""

import json
import os
from pathlib import Path

from kindgi import ToolContext, tool
from pydantic import BaseModel

LOG_VARIABLE = "ACME_OPS_LOG"
"""The environment variable that names the file; the pack declares it."""

DEFAULT_LOG = "suggestions.jsonl"
"""The file when the variable is not set, in the working directory."""


class Article(BaseModel):
    """One suggested article."""

    id: str
    title: str


class Suggestion(BaseModel):
    """What was suggested, and to which question."""

    question: str
    articles: list[Article]


class Logged(BaseModel):
    """The suggestion was written down."""

    logged: bool


@tool(
    id="acme-ops.log-suggestion",
    version="0.1.0",
    description="Notes down which help articles were suggested for a customer's question.",
    mutating=True,
    effects=[{"kind": "writes"}],
)
def log_suggestion(suggestion: Suggestion, context: ToolContext) -> Logged:
    """Append one JSON line to the log."""
    # A value sent with the call wins over the one the service was started with.
    path = Path(context.env.get(LOG_VARIABLE) or os.environ.get(LOG_VARIABLE) or DEFAULT_LOG)
    line = json.dumps({"run": context.run_id, **suggestion.model_dump()})
    with path.open("a", encoding="utf-8") as log:
        log.write(line + "\n")
    return Logged(logged=True)
