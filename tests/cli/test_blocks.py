"""Blocks by command, and comparisons that override them."""

import json
from pathlib import Path
from typing import Any

import pytest

from kindgi_tui.cli.overriding import OverriddenPrompt, OverriddenSettings, told_by_source
from kindgi_tui.domain.overrides import OverrideIssue, issues_sentence
from kindgi_tui.workbench import Invalid
from tests.cli.driving import Cli
from tests.local.blocks.data import BLOCKS, PROMPT, weights, write_pack

YAML = """\
- id: lab.weights
  version: 1.0.0
  kind: settings
  content:
    values:
      recency: 0.1
    schema:
      type: object
      properties: {recency: {type: number, maximum: 1}}
- id: lab.intake-prompt
  version: 1.0.0
  kind: prompt
  content:
    template: |
      Help {{ tone }}.
      Weigh {{ settings["lab.weights"].recency }}.
    parameters:
      - {name: tone, type: string, default: kindly}
- id: lab.model
  version: 1.0.0
  kind: model-settings
  content:
    values: {provider: local, model: other, temperature: 0.2}
"""


def written(folder: Path, name: str, content: Any) -> str:
    """A file with that content, as JSON unless it is text; its path."""
    folder.mkdir(exist_ok=True)
    place = folder / name
    place.write_text(content if isinstance(content, str) else json.dumps(content, indent=2))
    return str(place)


def test_blocks_are_published_listed_and_shown(empty: Cli, tmp_path: Path) -> None:
    assert "blocks publish FILE" in empty.done("blocks", "list").text
    file = written(tmp_path / "blocks", "all.yaml", YAML)
    said = empty.done("blocks", "publish", file).text
    assert said.splitlines() == [
        "new: settings lab.weights 1.0.0",
        "new: prompt lab.intake-prompt 1.0.0",
        "new: model-settings lab.model 1.0.0",
    ]
    again = empty.done("blocks", "publish", str(tmp_path / "blocks"), "--json").json
    assert again["added"] == [] and [each["id"] for each in again["known"]] == [
        "lab.weights",
        "lab.intake-prompt",
        "lab.model",
    ]
    written(tmp_path / "blocks", "weights-next.json", weights("1.10.0", 0.3))
    assert (
        "new: settings lab.weights 1.10.0" in empty.done("blocks", "publish", str(tmp_path / "blocks")).text
    )
    listed = empty.done("blocks", "list", "--json").json["data"]
    assert [(each["id"], each["version"]) for each in listed] == [
        ("lab.intake-prompt", "1.0.0"),
        ("lab.model", "1.0.0"),
        ("lab.weights", "1.10.0"),
    ]
    assert "lab.model" not in empty.done("blocks", "list", "--kind", "settings").text
    shown = empty.done("blocks", "show", "lab.weights", "--json").json
    assert (shown["version"], shown["versions"]) == ("1.10.0", ["1.10.0", "1.0.0"])
    assert shown["content"]["values"] == {"recency": 0.3}
    older = empty.done("blocks", "show", "lab.weights", "--block-version", "1.0.0").text
    assert '"recency": 0.1' in older
    assert "Help {{ tone }}." in empty.done("blocks", "show", "lab.intake-prompt").text
    assert "1.10.0, 1.0.0" in empty.refused(2, "blocks", "show", "lab.weights", "--block-version", "9.9.9")
    assert "blocks list" in empty.refused(2, "blocks", "show", "lab.nothing")


def test_other_content_under_a_taken_version_is_refused_and_nothing_is_published(
    empty: Cli, tmp_path: Path
) -> None:
    empty.done("blocks", "publish", written(tmp_path, "a.json", weights("1.0.0", 0.1)))
    both = written(tmp_path, "b.json", [weights("1.1.0", 0.2), weights("1.0.0", 0.3)])
    assert "lab.weights 1.0.0 is published with other content" in empty.refused(2, "blocks", "publish", both)
    other = {**PROMPT, "id": "lab.weights"}  # type: ignore[dict-item]
    assert "keeps its kind" in empty.refused(2, "blocks", "publish", written(tmp_path, "c.json", other))
    assert [each["version"] for each in empty.done("blocks", "list", "--json").json["data"]] == ["1.0.0"]


def changed(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (
            changed(YAML, "recency: 0.1", "recency: 4"),
            "all.yaml, block 1, line 6: /content/values/recency: 4 is greater than",
        ),
        (
            changed(YAML, "type: number", "type: numbr"),
            "all.yaml, block 1, line 9: /content/schema/properties/recency/type: ",
        ),
        (
            changed(YAML, "Weigh {{", "Weigh {% include 'x' %} {{"),
            "all.yaml, block 2, line 16: /content/template: a template can't include",
        ),
        (
            changed(YAML, "Weigh {{", "{{ tone | shout }} {{"),
            "all.yaml, block 2, line 16: /content/template: there is no filter shout",
        ),
        (
            changed(YAML, "Help {{ tone", "Help {{ customer"),
            "it reads customer, which is no declared parameter",
        ),
        (
            changed(YAML, "temperature: 0.2", "temperature: 3"),
            "all.yaml, block 3, line 23: /content/values/temperature: 3 is greater",
        ),
        (changed(YAML, "temperature: 0.2", "heat: 3"), "/content/values: "),
        (
            changed(YAML, "version: 1.0.0\n  kind: prompt", "version: '1'\n  kind: prompt"),
            "all.yaml, block 2, line 11: /version: ",
        ),
        (
            changed(YAML, "kind: prompt", "kind: promt"),
            "all.yaml, block 2, line 12: /kind: kind must be one of settings, prompt,",
        ),
        (
            changed(YAML, "name: tone", "name: agent"),
            "all.yaml, block 2, line 18: /content/parameters/0/name: agent is filled in by itself",
        ),
        (
            YAML + YAML.split("- id: lab.model")[0],
            "all.yaml, block 5, line 33: the block: lab.intake-prompt 1.0.0 is written twice",
        ),
        ("- [", "is not YAML at line"),
        ("[]", "all.yaml holds an empty list: there is no block to publish."),
        ("# nothing yet\n", "all.yaml is empty: write a block with id, version, kind and content."),
        ("- 3", "all.yaml, block 1, line 1: the block: a block is an object"),
        ("nothing", "a block is an object with id, version, kind and content"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(empty: Cli, tmp_path: Path, content: str, words: str) -> None:
    file = written(tmp_path / "blocks", "all.yaml", content)
    said = " ".join(empty.refused(2, "blocks", "publish", file).split())
    assert words in said
    assert "No blocks" in empty.done("blocks", "list").text


def test_a_file_named_twice_is_read_once_and_standard_input_is_named(empty: Cli, tmp_path: Path) -> None:
    file = written(tmp_path / "blocks", "a.json", weights("1.0.0", 0.1))
    assert empty.done("blocks", "publish", str(tmp_path / "blocks"), file).text == (
        "new: settings lab.weights 1.0.0\n"
    )
    text = json.dumps([weights("1.1.0", 0.1), weights("1.1.0", 0.1)])
    said = empty("blocks", "publish", "-", stdin=text).said
    assert "standard input, block 2: the block: lab.weights 1.1.0 is written twice" in said
    assert "standard input holds an empty list" in empty("blocks", "publish", "-", stdin="[]").said


def test_json_with_tabs_tells_lines_too(empty: Cli, tmp_path: Path) -> None:
    text = json.dumps(weights("1.0.0", 7), indent="\t")
    line = next(i for i, each in enumerate(text.splitlines(), 1) if '"recency": 7' in each)
    assert f"w.json, line {line}: /content/values/recency" in empty.refused(
        2, "blocks", "publish", written(tmp_path, "w.json", text)
    )


def test_a_new_version_satisfies_the_schema_before_it(empty: Cli, tmp_path: Path) -> None:
    empty.done("blocks", "publish", written(tmp_path, "a.json", weights("1.0.0", 0.1)))
    loose = {
        "id": "lab.weights",
        "version": "1.1.0",
        "kind": "settings",
        "content": {"values": {"recency": 7}},
    }
    said = empty.refused(2, "blocks", "publish", written(tmp_path, "b.json", loose))
    assert "7 is greater than the maximum" in said and "the schema of 1.0.0" in said


def test_files_that_are_none_are_refused(empty: Cli, tmp_path: Path) -> None:
    (tmp_path / "nothing").mkdir()
    assert "holds no file of blocks" in empty.refused(2, "blocks", "publish", str(tmp_path / "nothing"))
    assert "can't be read" in empty.refused(2, "blocks", "publish", str(tmp_path / "gone.json"))
    empty.refused(2, "blocks", "publish")


def test_an_agent_names_blocks_that_are_published_first(empty: Cli, tmp_path: Path) -> None:
    pack = str(write_pack(tmp_path / "pack"))
    said = " ".join(empty.refused(2, "packs", "publish", pack).split())
    assert "reads the settings block lab.weights, which isn't published" in said
    assert "blocks publish FILE" in said
    empty.done("blocks", "publish", written(tmp_path, "blocks.json", list(BLOCKS)))
    assert "new: agent lab.clerk 1.4.0" in empty.done("packs", "publish", pack).text
    shown = empty.done("agents", "show", "lab.clerk", "--agent-version", "1.4.0", "--json").json
    assert shown["pins"] == {
        "prompts": {"lab.intake-prompt": "1.0.0"},
        "settings": {"lab.model": "1.0.0", "lab.weights": "1.0.0"},
    }
    assert (
        "lab.intake-prompt 1.0.0"
        in empty.done("agents", "show", "lab.clerk", "--agent-version", "1.4.0").text
    )


SET, AGENT = "acme.article-picks", ("--agent", "acme-ops.article-picker", "--agent-version", "0.2.0")


def start(demo: Cli, code: int, *words: str) -> str:
    """What a start with overrides is refused with."""
    found = demo.refused(code, "comparisons", "start", SET, "--project", "docs", *AGENT, *words)
    return " ".join(found.split())


def test_overrides_by_command_are_read_checked_and_named(demo: Cli, tmp_path: Path) -> None:
    demo.done(
        "test-sets",
        "build",
        SET,
        "--version",
        "1.0.0",
        "--project",
        "docs",
        "--agent",
        "acme-ops.article-picker",
    )
    said = start(
        demo, 2, "--override-settings", 'acme.weights={"recency": 1}', "--override-prompt", "acme.p=Hi"
    )
    assert "The overrides don't fit acme-ops.article-picker 0.2.0 (2 issues)" in said
    assert 'pins no settings block "acme.weights"' in said and 'pins no prompt block "acme.p"' in said
    values = written(tmp_path, "values.yaml", "recency: 1\n")
    told = start(demo, 2, "--override-settings", f"acme.weights=@{values}", "--dry-run")
    assert f"(1 issue): {values}: acme-ops.article-picker 0.2.0 pins no settings block" in told
    assert "is not JSON at line 1, column 2" in start(demo, 2, "--override-settings", "acme.weights={")
    assert "must be an object" in start(demo, 2, "--override-settings", "acme.weights=[1]")
    assert "Name the block" in start(demo, 2, "--override-settings", "acme.weights")
    assert "can't be read" in start(demo, 2, "--override-prompt", f"acme.p=@{tmp_path}/gone")
    twice = ("--override-settings", "acme.w={}", "--override-settings", "acme.w={}")
    assert "acme.w is overridden twice" in start(demo, 2, *twice)
    two = ("--override-prompt", "acme.p=Hi", "--override-prompt", "acme.q=Hi")
    assert "at most one prompt, not 2" in start(demo, 2, *two)


def test_a_gate_refuses_overrides(demo: Cli) -> None:
    said = start(demo, 2, "--override-settings", "acme.w={}", "--fail-under", "pass-rate=0.5")
    assert "A gate can't decide by a comparison with `overrides`" in said


def test_what_does_not_fit_names_the_file_or_the_flag_and_the_path_inside() -> None:
    settings = (
        OverriddenSettings("lab.w", {"recency": 7}, "w.yaml"),
        OverriddenSettings("lab.w2", {}, "--override-settings lab.w2"),
    )
    prompts = (OverriddenPrompt("lab.p", "Hi", "p.liquid"),)
    told = issues_sentence(
        "lab.clerk",
        "1.0.0",
        tuple(
            OverrideIssue(pointer=f"/overrides/{pointer}", message="no")
            for pointer in (
                "settings/lab.w/recency",
                "settings/lab.w2",
                "prompts/lab.p",
                "settings/lab.w/a/0",
            )
        ),
    )
    with pytest.raises(Invalid) as refused, told_by_source(settings, prompts):
        raise Invalid(told, code="validation-failed", field="overrides")
    assert refused.value.sentence == str(refused.value)
    assert refused.value.sentence == (
        "The overrides don't fit lab.clerk 1.0.0 (4 issues): w.yaml, at /recency: no; --override-settings lab.w2: no; "
        "p.liquid: no; w.yaml, at /a/0: no."
    )
