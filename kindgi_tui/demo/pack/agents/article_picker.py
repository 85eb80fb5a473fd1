"""The article picker, in its three versions."""

from kindgi import Agent

from ..tools.log_suggestion import log_suggestion
from ..tools.search_articles import search_articles

PICKED_ARTICLES = {
    "name": "picked_articles",
    "schema": {
        "type": "object",
        "properties": {
            "articles": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"id": {"type": "string"}, "title": {"type": "string"}},
                    "required": ["id", "title"],
                },
            }
        },
        "required": ["articles"],
    },
}
"""The typed answer of every version: the picked articles, most relevant first."""

TOOL_USE = [{"needs": [{"feature": "tool-use"}]}]

three_articles = Agent(
    id="acme-ops.article-picker",
    version="0.1.0",
    name="Article picker",
    instructions="Call acme-ops.search-articles with the customer's question. "
    "Answer with three articles, most relevant first.",
    capabilities=TOOL_USE,
    tools=[search_articles],
    preferred_provider="anthropic",
    preferred_model="claude-sonnet-5-5",
    output=PICKED_ARTICLES,
)

only_what_answers = Agent(
    id="acme-ops.article-picker",
    version="0.2.0",
    name="Article picker",
    instructions="Call acme-ops.search-articles with the customer's question. "
    "Answer with only the articles that answer it, most relevant first: one is often enough.",
    capabilities=TOOL_USE,
    tools=[search_articles],
    preferred_provider="anthropic",
    preferred_model="claude-sonnet-5-5",
    output=PICKED_ARTICLES,
)

only_what_answers_logged = Agent(
    id="acme-ops.article-picker",
    version="0.3.0",
    name="Article picker",
    instructions="Call acme-ops.search-articles with the customer's question, its typing mistakes corrected. "
    "Choose only the articles that answer every part of it, most relevant first. "
    "Note them down with acme-ops.log-suggestion, then answer with them. "
    "If noting them down is refused, answer all the same.",
    capabilities=TOOL_USE,
    tools=[search_articles, log_suggestion],
    preferred_provider="anthropic",
    preferred_model="claude-sonnet-5-5",
    output=PICKED_ARTICLES,
)
