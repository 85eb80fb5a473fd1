"""The demo's pack, through the official indexer and the real tools in a child process."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from kindgi_tui.demo.said import pack_folder

CALLS = """
import json, sys
from pathlib import Path
from kindgi import Tool, ToolContext
from kindgi.pack.loader import import_pack_module, mount_pack, primitives_of

mount_pack(Path(sys.argv[1]).resolve())
tools = {}
for name in ("tools/search_articles.py", "tools/log_suggestion.py"):
    tools |= {made.id: made for made in primitives_of(import_pack_module(name)) if isinstance(made, Tool)}
context = ToolContext.for_test()
for line in sys.stdin:
    called = json.loads(line)
    tool = tools[called["tool"]]
    made = tool.handler(*tool.invoke_args(tool.parse_input(called["arguments"]), context))
    print(json.dumps(tool.dump_output(made)))
"""
"""Calls the pack's tools: a JSON line in for each call, a JSON line out with what came back."""

DOCUMENTED = {
    "I was charged twice for one order. How do I get my money back?": [
        ("kb-201", "Request a refund"),
        ("kb-203", "Change how you pay"),
        ("kb-202", "Read your invoice"),
    ],
    "I forgot my password and can't sign in.": [
        ("kb-101", "Reset your password"),
        ("kb-102", "Change the email on your account"),
        ("kb-103", "Turn on two-step sign-in"),
    ],
    "My package hasn't arrived yet. Where is it?": [
        ("kb-301", "Track your package"),
        ("kb-303", "Shipping times by country"),
        ("kb-201", "Request a refund"),
    ],
}
"""What Kindgi's guides show for their three questions."""


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """A copy of the pack: it is never indexed or run where it stands."""
    with pack_folder() as folder:
        shutil.copytree(folder, tmp_path / "pack", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "pack"


def call(
    pack: Path, tool: str, arguments: list[dict[str, Any]], environment: dict[str, str] | None = None
) -> list[dict[str, Any]]:
    """What the pack's tool gives back for each of the arguments, in one child process."""
    lines = "".join(json.dumps({"tool": tool, "arguments": each}) + "\n" for each in arguments)
    done = subprocess.run(
        [sys.executable, "-c", CALLS, str(pack)],
        input=lines,
        capture_output=True,
        text=True,
        timeout=60,
        cwd=pack.parent,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **(environment or {})},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def search(pack: Path, queries: list[str]) -> list[list[tuple[str, str]]]:
    """The id and title of each article found, query by query."""
    found = call(pack, "acme-ops.search-articles", [{"query": query} for query in queries])
    return [[(article["id"], article["title"]) for article in each["articles"]] for each in found]


def read_articles(pack: Path) -> list[dict[str, str]]:
    articles: list[dict[str, str]] = json.loads((pack / "tools/_articles.json").read_text("utf-8"))
    return articles


def write_articles(pack: Path, articles: list[dict[str, str]]) -> None:
    (pack / "tools/_articles.json").write_text(json.dumps(articles), "utf-8")


def test_the_official_indexer_takes_the_pack_without_a_complaint(pack: Path, tmp_path: Path) -> None:
    index = tmp_path / "index.json"
    command = [sys.executable, "-m", "kindgi.pack", "index", "--pack-dir", str(pack), "--output", str(index)]
    done = subprocess.run([*command, "--json"], capture_output=True, text=True, timeout=60, check=True)
    answer = json.loads(done.stdout)
    assert answer["kind"] == "ok"
    assert answer["value"]["fileErrors"] == [] and answer["value"]["warnings"] == []
    assert answer["value"]["counts"] == {"tools": 2, "guardrails": 0, "agents": 3, "flows": 0}

    indexed = json.loads(index.read_text("utf-8"))
    tools = {tool["id"]: tool for tool in indexed["tools"]}
    read = tools["acme-ops.search-articles"]
    write = tools["acme-ops.log-suggestion"]
    assert (read["version"], read["mutating"], read["effects"]) == ("0.1.0", False, [{"kind": "reads"}])
    assert (write["version"], write["mutating"], write["effects"]) == ("0.1.0", True, [{"kind": "writes"}])

    agents = {agent["version"]: agent for agent in indexed["agents"]}
    assert sorted(agents) == ["0.1.0", "0.2.0", "0.3.0"]
    searching = {"id": "acme-ops.search-articles", "version": "0.1.0"}
    logging = {"id": "acme-ops.log-suggestion", "version": "0.1.0"}
    assert agents["0.1.0"]["tools"] == agents["0.2.0"]["tools"] == [searching]
    assert agents["0.3.0"]["tools"] == [searching, logging]
    assert {agent["id"] for agent in agents.values()} == {"acme-ops.article-picker"}
    assert agents["0.2.0"]["instructions"].endswith("most relevant first: one is often enough.")


def test_the_knowledge_base_has_enough_articles_with_ids_of_their_own(pack: Path) -> None:
    articles = read_articles(pack)
    ids = [article["id"] for article in articles]
    assert len(ids) >= 40
    assert len(set(ids)) == len(ids)
    assert all(set(article) == {"id", "title", "body"} and all(article.values()) for article in articles)


def test_the_guides_questions_find_the_guides_articles(pack: Path) -> None:
    assert search(pack, list(DOCUMENTED)) == list(DOCUMENTED.values())


def test_a_final_period_changes_nothing_that_is_found(pack: Path) -> None:
    asked = "I forgot my password and can't sign in"
    assert search(pack, [asked]) == [DOCUMENTED[asked + "."]]


def test_what_is_found_does_not_depend_on_the_order_of_the_file(pack: Path) -> None:
    write_articles(pack, read_articles(pack)[::-1])
    assert search(pack, list(DOCUMENTED)) == list(DOCUMENTED.values())


def test_equal_scores_go_by_id(pack: Path) -> None:
    twins = [{"id": f"kb-{number}", "title": "Lamp", "body": "Bulb"} for number in (904, 902, 903, 901)]
    write_articles(pack, twins)
    assert search(pack, ["lamp"]) == [[("kb-901", "Lamp"), ("kb-902", "Lamp"), ("kb-903", "Lamp")]]


def test_a_removed_article_makes_room_for_the_next(pack: Path) -> None:
    asked = "My package hasn't arrived yet. Where is it?"
    write_articles(pack, [article for article in read_articles(pack) if article["id"] != "kb-303"])
    (found,) = search(pack, [asked])
    assert [key for key, _ in found[:2]] == ["kb-301", "kb-201"]
    assert len(found) == 3 and found[2][0] != "kb-303"


def test_a_question_without_a_known_word_finds_nothing(pack: Path) -> None:
    assert search(pack, ["", "the of and", "xyzzy plugh"]) == [[], [], []]


def test_a_suggestion_is_appended_to_the_named_file(pack: Path, tmp_path: Path) -> None:
    picked = [{"id": "kb-201", "title": "Request a refund"}]
    said = [{"question": question, "articles": picked} for question in ("first?", "second\n?")]
    log = tmp_path / "named.jsonl"
    made = call(pack, "acme-ops.log-suggestion", said, {"ACME_OPS_LOG": str(log)})
    assert made == [{"logged": True}, {"logged": True}]
    lines = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    assert [(line["question"], line["articles"]) for line in lines] == [
        ("first?", picked),
        ("second\n?", picked),
    ]


def test_without_a_name_the_suggestion_lands_in_the_working_directory(pack: Path, tmp_path: Path) -> None:
    call(pack, "acme-ops.log-suggestion", [{"question": "q", "articles": []}], {"ACME_OPS_LOG": ""})
    assert len((tmp_path / "suggestions.jsonl").read_text("utf-8").splitlines()) == 1
