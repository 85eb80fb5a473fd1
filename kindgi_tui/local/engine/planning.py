"""What a comparison would run: checked before it starts, and told by a dry run."""

import os
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.comparing import taken_cases
from kindgi_tui.domain.comparison_options import options_of
from kindgi_tui.domain.comparison_records import ComparisonPlan, ComparisonRequest
from kindgi_tui.domain.limits import (
    check_correlation_id,
    check_k,
    check_repetitions,
    check_sample,
    check_version,
)
from kindgi_tui.domain.runs import recorded_calls
from kindgi_tui.domain.test_sets import Case
from kindgi_tui.local.engine.candidates import Candidate, check_overrides, load_candidate
from kindgi_tui.local.engine.judging_answers import judge_of, judged_entries
from kindgi_tui.local.engine.replaying import asked_of, replay_input
from kindgi_tui.local.models.cache import cache_key
from kindgi_tui.local.models.calls import ModelRef, ModelRequest, SystemMessage, UserMessage
from kindgi_tui.local.models.config import ModelsConfig
from kindgi_tui.local.models.failures import NoProvider
from kindgi_tui.local.store.catalog import get_reply
from kindgi_tui.local.store.checks import judged_before
from kindgi_tui.local.store.projects import get_project
from kindgi_tui.local.store.test_sets import all_cases, get_test_set, version_seq
from kindgi_tui.workbench import Invalid, Unsupported

MOST_CONCURRENT = 1000
"""The most repetitions at once."""


@dataclass(frozen=True)
class Checked:
    """A comparison that can start."""

    request: ComparisonRequest
    """What was asked, the test set version filled in."""
    version_seq: int
    """The row of the test set version."""
    cases: tuple[Case, ...]
    """The cases it runs, after the sample."""
    candidate: Candidate
    """Who answers."""
    model: ModelRef
    """Which model is asked."""
    judge: ModelRef
    """Which model judges answers."""


def check_limits(request: ComparisonRequest) -> None:
    """The limits of DESIGN section 8 that a request must keep. Raises LimitError, Invalid."""
    if (request.agent_id is None) == (request.flow_id is None):
        raise Invalid(
            "Name exactly one of the agent (--agent) and the flow (--flow) to compare.", field="agentRef"
        )
    if request.agent_id is not None and request.versions is not None:
        raise Invalid(
            "`versions` runs a flow with some of its agents or tools at other versions: it needs `flowRef`.",
            field="versions",
        )
    if request.flow_id is not None:
        raise Unsupported("Flows can't be compared here yet: compare an agent.", code="flows-unsupported")
    check_version(request.subject_version)
    check_repetitions(request.repetitions)
    check_k(request.k)
    if request.sample is not None:
        check_sample(request.sample.part, request.sample.seed, request.sample.hold_out_share)
    if request.correlation_id is not None:
        check_correlation_id(request.correlation_id)
    if not 1 <= request.concurrency <= MOST_CONCURRENT:
        raise Invalid(f"concurrency is a whole number from 1 to {MOST_CONCURRENT}.", field="concurrency")
    if request.cost_limit is not None and not request.cost_limit >= 0:
        raise Invalid("The cost limit is a number of US dollars, 0 or more.", field="costLimit")
    if not request.case_timeout > 0:
        raise Invalid("The time-out of a case is a number of seconds over 0.", field="caseTimeout")


def check_start(connection: sqlite3.Connection, request: ComparisonRequest, config: ModelsConfig) -> Checked:
    """Everything a start needs, looked up. Raises NotFound, Invalid, Unsupported, LimitError."""
    check_limits(request)
    test_set = get_test_set(connection, request.test_set_id, request.version)
    if test_set.project_id != request.project_id:
        owner = get_project(connection, test_set.project_id)
        raise Invalid(
            f'Test set "{request.test_set_id}" belongs to project {owner.slug}: compare it there.',
            code="reference-out-of-scope",
            field="projectId",
        )
    candidate = load_candidate(connection, request.agent_id or "", request.subject_version, request.overrides)
    built_from = test_set.request.agent_id
    if built_from != request.agent_id:
        named = built_from or test_set.request.flow_id
        raise Invalid(
            f'Test set "{request.test_set_id}" holds runs of {named}; compare a version of that.',
            code="bad-input",
            field="agentRef",
        )
    check_overrides(candidate, request.overrides)
    model = candidate.model(config)
    if request.fresh:
        _check_asked(config, model)
    judge = judge_of(request.judge_model, model) or model
    _check_price(request, config, model)
    seq = version_seq(connection, request.test_set_id, test_set.version)
    options = options_of(request, "", test_set.version)
    cases, _ = taken_cases(all_cases(connection, seq), options.comparison)
    if not cases:
        raise Invalid(
            "The test set has no cases in this part of the sample."
            if request.sample
            else "The test set has no cases.",
            code="dispatcher-input-invalid",
            field="sample",
        )
    if any(judged_entries(case, request.weighing) for case in cases):
        _check_price(request, config, judge)
    filled = request.model_copy(update={"version": test_set.version})
    return Checked(filled, seq, cases, candidate, model, judge)


def _check_asked(config: ModelsConfig, model: ModelRef) -> None:
    """Fresh replies need a provider, and its key. Raises NoProvider."""
    provider = config.provider(model.provider)
    if provider.api_key_env and provider.key(os.environ) is None:
        raise NoProvider(f"{provider.name} needs a key. Set {provider.api_key_env}.")


def _check_price(request: ComparisonRequest, config: ModelsConfig, model: ModelRef) -> None:
    """A cost limit needs a price to count with."""
    provider = config.providers.get(model.provider)
    if request.cost_limit is None or provider is None or provider.free or model.model in provider.prices:
        return
    raise Invalid(
        f"The price of {model} is not known, so a cost limit can't be kept. Write it in models.toml: "
        f'prices."{model.model}" = {{ input = …, output = … }} under [providers.{model.provider}].',
        field="costLimit",
    )


def plan_of(connection: sqlite3.Connection, checked: Checked, config: ModelsConfig) -> ComparisonPlan:
    """What would run. `cached` counts repetitions whose first reply is stored, `judged` the answers to judge."""
    request, candidate = checked.request, checked.candidate
    places = [(case, each) for case in checked.cases for each in range(1, request.repetitions + 1)]
    problems: list[str] = [] if candidate.missing is None else [candidate.missing]
    stored: set[tuple[str, int]] = set()
    if not request.fresh:
        try:
            stored = _stored(connection, checked, places)
        except ValueError as cause:
            problems.append(f"The instructions of {candidate.agent.id} can't be filled in: {cause}.")
    asked = len(places) - len(stored)
    judged = _to_judge(checked, request.repetitions)
    # A verdict on a repetition that is answered from the cache is there too, if it was judged before.
    before = judged_before(connection, checked.version_seq, candidate.agent.id, candidate.agent.version)
    judge = checked.judge
    new = [
        (case_id, entry, repetition)
        for case_id, entry, repetition in judged
        if (case_id, repetition) not in stored
        or (case_id, entry, repetition, judge.provider, judge.model) not in before
    ]
    if asked and checked.model.provider not in config.providers:
        problems.append(
            f"{asked} of {len(places)} repetitions need {checked.model}, and no provider "
            f"{checked.model.provider} is configured: `kindgi-tui models list` shows what is."
        )
    if new and judge.provider not in config.providers and (judge != checked.model or not asked):
        problems.append(
            f"{len(new)} {'answer is' if len(new) == 1 else 'answers are'} to be judged by {judge}, and no provider "
            f"{judge.provider} is configured: where no verdict is stored, the case stays unchecked. "
            "`kindgi-tui models list` shows what is."
        )
    several = sum(
        1 for case in checked.cases if isinstance(case.context, dict) and case.context.get("severalTurns")
    )
    if several:
        problems.append(
            f"{several} of {len(checked.cases)} cases hold several turns of one conversation, which "
            "can't be replayed faithfully."
        )
    return ComparisonPlan(
        test_set_id=request.test_set_id,
        test_set_version=request.version or "",
        cases=len(checked.cases),
        repetitions=len(places),
        cached=len(stored),
        cost_usd=_cost(checked.cases, asked, len(new)),
        judged=len(judged),
        problems=tuple(problems),
    )


def _to_judge(checked: Checked, repetitions: int) -> list[tuple[str, str, int]]:
    """The answers to judge at most, by case id, entry and repetition."""
    weighing = checked.request.weighing
    return [
        (case.case_id, entry.id, repetition)
        for case in checked.cases
        for entry in judged_entries(case, weighing)
        for repetition in range(1, repetitions + 1)
    ]


def _cost(cases: Sequence[Case], turns: int, verdicts: int) -> float | None:
    """About what these turns and verdicts cost, from what the past turns did; None: not known.

    A verdict is one call of a model, and costs about what one call of a past turn did.
    """
    if turns == verdicts == 0:
        return 0.0
    past = [(paid, calls) for case in cases for paid, calls in (_past_cost(case.output),) if paid is not None]
    if not past:
        return None
    spent = sum(paid for paid, _ in past)
    return spent / len(past) * turns + spent / sum(calls for _, calls in past) * verdicts


def _stored(
    connection: sqlite3.Connection, checked: Checked, places: Sequence[tuple[Case, int]]
) -> set[tuple[str, int]]:
    """The repetitions, by case id, whose first reply is stored. Raises ValueError (`_first_key`)."""
    at = datetime.now(UTC)
    return {
        (case.case_id, repetition)
        for case, repetition in places
        if get_reply(connection, _first_key(checked, case, repetition, at)) is not None
    }


def _first_key(checked: Checked, case: Case, repetition: int, at: datetime) -> str:
    """The key of a repetition's first request. Raises ValueError where the instructions can't be filled in."""
    message, reads, history = replay_input(case)
    blocks = checked.candidate.blocks
    conversation = (
        SystemMessage(text=blocks.instructions(asked_of(case, history, at))),
        *history,
        UserMessage(text=message if reads is None else reads),
    )
    return cache_key(
        ModelRequest.model_construct(
            model=checked.model,
            messages=conversation,
            tools=checked.candidate.offers,
            output=checked.candidate.output,
            settings=dict(blocks.sampling),
            purpose="turn",
            repetition=repetition,
        )
    )


def _past_cost(output: Json) -> tuple[float | None, int]:
    """What a recorded turn cost (None: not known), and in how many calls of the model."""
    usage = output.get("usage") if isinstance(output, dict) else None
    told = usage if isinstance(usage, dict) else {}
    cost, steps = told.get("totalCostUsd"), told.get("steps")
    calls = (
        steps if isinstance(steps, int) and steps > 0 else 1 + len({c.step for c in recorded_calls(output)})
    )
    return float(cost) if isinstance(cost, int | float) and cost > 0 else None, calls
