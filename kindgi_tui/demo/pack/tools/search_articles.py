"""The read-only tool that finds help articles."""

import json
from pathlib import Path

from kindgi import tool
from pydantic import BaseModel

from ._ranking import rank


class Question(BaseModel):
    """What to look for."""

    query: str


class Article(BaseModel):
    """One help article."""

    id: str
    title: str


class Found(BaseModel):
    """The articles that match best, best first: at most three."""

    articles: list[Article]


@tool(
    id="acme-ops.search-articles",
    version="0.1.0",
    description="Finds the help articles that match a customer's question.",
    mutating=False,
    effects=[{"kind": "reads"}],
)
def search_articles(question: Question) -> Found:
    """Rank the knowledge base's articles for the question."""
    articles = json.loads(Path(__file__).with_name("_articles.json").read_text("utf-8"))
    best = rank(question.query, articles, limit=3)
    return Found(articles=[Article(id=article["id"], title=article["title"]) for article in best])
