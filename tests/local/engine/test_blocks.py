"""Blocks end to end: pinned when an agent is published, read by real tools in a real pack service, overridden."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.overrides import Overrides, PromptOverride
from kindgi_tui.workbench import Invalid, Unsupported
from tests.local.blocks.data import BLOCKS, MODEL, PROMPT, weights, write_pack
from tests.local.engine.lab import (
    Lab,
    Recorded,
    calls,
    cases_of,
    seen_results,
    summary_of,
    tools_of,
)
from tests.local.models.server import say

THE_ANSWER = "the recorded answer"
WEIGHED: Json = {"settings": {"lab.weights": {"recency": 0.1}}}


@pytest_asyncio.fixture
async def tuned(lab: Lab, tmp_path: Path) -> AsyncIterator[Lab]:
    """The lab with its blocks and the pack whose agents pin them, and one run recorded by 1.0.0."""
    await lab.workbench.blocks.publish(BLOCKS)
    await lab.workbench.packs.publish(write_pack(tmp_path / "tuned"))
    await lab.judged(
        Recorded("weigh", {"text": "a"}, WEIGHED),
        Recorded("sum", {"text": "a"}, WEIGHED),
        Recorded("reach", {"text": "a"}, WEIGHED),
        version="1.0.0",
    )
    yield lab


def asks(lab: Lab, *tools: str) -> None:
    """The model calls those tools, one after the other, and then answers."""
    lab.says(*(calls((each, {"text": "a"})) for each in tools), say(THE_ANSWER))


async def test_an_agent_is_published_once_its_blocks_are(lab: Lab, tmp_path: Path) -> None:
    pack = write_pack(tmp_path / "tuned")
    with pytest.raises(Unsupported) as caught:
        await lab.workbench.packs.publish(pack)
    assert (
        "Agent lab.clerk 1.0.0 reads the settings block lab.weights, which isn't published. Publish it first: "
        "kindgi-tui blocks publish FILE." in caught.value.sentence
    )
    assert "takes its instructions from the prompt block lab.intake-prompt" in caught.value.sentence
    assert "names the model-settings block lab.model" in caught.value.sentence
    await lab.workbench.blocks.publish([weights("1.0.0", 0.1), PROMPT, MODEL])
    with pytest.raises(Unsupported, match=r"has no version in 1\.1\.0 \(there is 1\.0\.0\)"):
        await lab.workbench.packs.publish(pack)
    assert all(entry.version[0] == "0" for entry in await lab.workbench.agents.versions("lab.clerk"))
    await lab.workbench.blocks.publish(BLOCKS)
    await lab.workbench.packs.publish(pack)
    pinned = await lab.workbench.blocks.pinned("lab.clerk", "1.4.0")
    assert pinned.prompt is not None and pinned.prompt.id == "lab.intake-prompt"
    assert pinned.model_settings is not None and pinned.model_settings.version == "1.0.0"
    assert (await lab.workbench.blocks.pinned("lab.clerk", "0.1.0")).settings == ()


async def test_pins_are_frozen_when_the_version_is_published(tuned: Lab, tmp_path: Path) -> None:
    await tuned.workbench.blocks.publish([weights("1.9.0", 0.5)])
    await tuned.workbench.packs.publish(write_pack(tmp_path / "tuned"))
    pinned = await tuned.workbench.blocks.pinned("lab.clerk", "1.3.0")
    assert [each.version for each in pinned.settings] == ["1.2.0"]


@pytest.mark.parametrize("version", ["1.0.0", "1.2.0"])
async def test_with_the_same_settings_reads_take_their_recorded_result(tuned: Lab, version: str) -> None:
    asks(tuned, "weigh", "sum")
    done = await tuned.compare(version)
    assert [each["source"] for each in tools_of(done)] == ["recorded", "recorded"]
    assert summary_of(done)["diverged"] == 0 and tuned.witnessed() == []
    assert "overrides" not in summary_of(done)["candidate"]


async def test_with_other_settings_reads_run_live_and_show_the_change(tuned: Lab) -> None:
    asks(tuned, "weigh", "reach")
    done = await tuned.compare("1.1.0")
    assert [each["source"] for each in tools_of(done)] == ["live", "recorded"]
    assert summary_of(done)["diverged"] == 1
    assert [each["tool"] for each in tuned.witnessed()] == ["lab.weigh"]
    results = seen_results(tuned.server.received[-1])
    assert results[0] == '{"settings": {"lab.weights": {"recency": 0.9}}}'
    assert "0.1" in results[1], "what reaches outside is only ever recorded"


async def test_a_tool_that_only_computes_is_recomputed_and_does_not_diverge(tuned: Lab) -> None:
    asks(tuned, "sum")
    done = await tuned.compare("1.1.0")
    (traced,) = tools_of(done)
    assert (traced["source"], traced["recomputed"]) == ("live", True)
    assert summary_of(done)["diverged"] == 0
    assert "0.9" in seen_results(tuned.server.received[-1])[0]


async def test_a_version_nobody_registered_here_is_taken_to_have_had_the_same_settings(tuned: Lab) -> None:
    tuned.runs.clear()
    await tuned.judged(Recorded("weigh", {"text": "a"}, WEIGHED), version="0.0.7")
    asks(tuned, "weigh")
    done = await tuned.compare("1.1.0")
    by_case = {case["caseId"]: case["tools"][0]["source"] for case in cases_of(done)}
    assert by_case[tuned.runs[0]] == "recorded" and sorted(by_case.values()) == ["live", "recorded"]


async def test_a_version_without_settings_pinned_other_settings(tuned: Lab) -> None:
    tuned.runs.clear()
    await tuned.judged(Recorded("weigh", {"text": "a"}, WEIGHED), version="0.1.0")
    asks(tuned, "weigh")
    done = await tuned.compare("1.0.0")
    assert {case["caseId"]: case["diverged"] for case in cases_of(done)}[tuned.runs[0]] is True


async def test_overridden_settings_reach_the_tools_and_the_result_says_so(tuned: Lab) -> None:
    asks(tuned, "weigh", "sum")
    done = await tuned.compare("1.0.0", overrides=Overrides(settings={"lab.weights": {"recency": 0.6}}))
    assert [each["source"] for each in tools_of(done)] == ["live", "live"]
    assert summary_of(done)["diverged"] == 1
    assert all("0.6" in each for each in seen_results(tuned.server.received[-1]))
    assert summary_of(done)["candidate"]["overrides"] == {"settings": ["lab.weights"]}
    again = await tuned.workbench.comparisons.rescore(done.id)
    assert summary_of(again)["candidate"]["overrides"] == {"settings": ["lab.weights"]}
    pinned = await tuned.workbench.blocks.pinned("lab.clerk", "1.0.0")
    assert pinned.settings[0].values == {"recency": 0.1}, "no version has it"


async def test_overrides_equal_to_what_is_pinned_change_no_read(tuned: Lab) -> None:
    asks(tuned, "weigh")
    done = await tuned.compare("1.0.0", overrides=Overrides(settings={"lab.weights": {"recency": 0.1}}))
    assert summary_of(done)["diverged"] == 0 and tuned.witnessed() == []


async def test_overrides_that_do_not_fit_are_refused_by_name(tuned: Lab) -> None:
    wrong = Overrides(
        settings={"lab.weights": {"recency": 4}, "lab.other": {}},
        prompts={"lab.intake-prompt": PromptOverride(template="Hi")},
    )
    await tuned.build()
    for ask in (tuned.workbench.comparisons.plan, tuned.workbench.comparisons.start):
        with pytest.raises(Invalid) as caught:
            await ask(tuned.request("1.0.0", overrides=wrong))
        assert caught.value.code == "validation-failed" and "(3 issues)" in caught.value.sentence
        for words in (
            "lab.weights/recency: 4 is greater",
            "lab.other",
            'pins no prompt block "lab.intake-prompt"',
        ):
            assert words in caught.value.sentence


def asked(lab: Lab) -> tuple[str, dict[str, Any]]:
    """The system prompt and the body of the newest request."""
    body = lab.server.received[-1].body
    return next(m["content"] for m in body["messages"] if m["role"] == "system"), body


async def test_a_prompt_block_is_filled_in_and_model_settings_are_sent(tuned: Lab) -> None:
    tuned.says(say(THE_ANSWER))
    await tuned.compare("1.4.0")
    system, body = asked(tuned)
    assert system == "Be kind, lab.clerk 1.4.0. Recency weighs 0.1."
    assert (body["model"], body["temperature"]) == ("other", 0.25)
    assert 50 in (body.get("max_tokens"), body.get("max_completion_tokens"))


async def test_a_prompt_and_the_model_settings_are_overridden(tuned: Lab) -> None:
    tuned.says(say(THE_ANSWER))
    told = Overrides(
        settings={"lab.model": {"model": "third"}, "lab.weights": {"recency": 0.3}},
        prompts={
            "lab.intake-prompt": PromptOverride(template='{{ tone }} {{ settings["lab.weights"].recency }}')
        },
    )
    done = await tuned.compare("1.4.0", overrides=told)
    system, body = asked(tuned)
    assert (system, body["model"]) == ("kind 0.3", "third") and "temperature" not in body
    assert summary_of(done)["candidate"]["overrides"] == {
        "settings": ["lab.model", "lab.weights"],
        "prompts": ["lab.intake-prompt"],
    }


async def test_stored_replies_are_told_apart_by_prompt_and_model_settings(tuned: Lab) -> None:
    tuned.says(say(THE_ANSWER))
    await tuned.compare("1.4.0")
    first = len(tuned.server.received)
    plan = await tuned.workbench.comparisons.plan(tuned.request("1.4.0"))
    assert plan.cached == plan.repetitions == 1, "the dry run finds the reply under the same key"
    again = await tuned.compare("1.4.0")
    assert again.progress.cached == 1 and len(tuned.server.received) == first
    warmer = Overrides(settings={"lab.model": {"provider": "local", "model": "other", "temperature": 0.5}})
    other = await tuned.compare("1.4.0", overrides=warmer)
    assert other.progress.cached == 0 and asked(tuned)[1]["temperature"] == 0.5
    worded = Overrides(prompts={"lab.intake-prompt": PromptOverride(template="Be {{ tone }}!")})
    assert (await tuned.compare("1.4.0", overrides=worded)).progress.cached == 0


async def test_instructions_of_the_agent_itself_are_a_template_too(tuned: Lab) -> None:
    tuned.says(say(THE_ANSWER))
    done = await tuned.compare("1.5.0")
    assert asked(tuned)[0] == f"Clerk of turn 1 on {done.created_at.date().isoformat()}: 0.1"


async def test_a_live_run_hands_its_settings_to_tools(tuned: Lab) -> None:
    asks(tuned, "weigh")
    run = await tuned.workbench.runs.start(tuned.project, "lab.clerk", "1.1.0", "hello")
    assert run.status == "completed"
    assert '{"settings": {"lab.weights": {"recency": 0.9}}}' in seen_results(tuned.server.received[-1])
    assert asked(tuned)[0] == "Help."
    assert run.created_at <= datetime.now(UTC)


async def test_instructions_that_can_not_be_filled_in_fail_the_case_and_the_dry_run_says_so(
    tuned: Lab,
) -> None:
    tuned.says(say(THE_ANSWER))
    told = Overrides(
        prompts={"lab.intake-prompt": PromptOverride(template='{{ settings["lab.weights"].nothing }}')}
    )
    await tuned.build()
    plan = await tuned.workbench.comparisons.plan(tuned.request("1.4.0", overrides=told))
    assert "nothing is undefined" in " ".join(plan.problems)
    done = await tuned.compare("1.4.0", overrides=told)
    (case,) = cases_of(done)
    assert case["error"].startswith("Its instructions can't be filled in: it reads a name that nothing gives")
    assert tuned.server.received == []
