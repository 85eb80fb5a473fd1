"""What a comparison would run: checked before it starts, and told by a dry run."""

import os
import sqlite3
from dataclasses import dataclass

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.comparing import taken_cases
from kindgi_tui.domain.comparison_records import ComparisonPlan, ComparisonRequest
from kindgi_tui.domain.limits import (
    check_correlation_id,
    check_k,
    check_repetitions,
    check_sample,
    check_version,
)
from kindgi_tui.domain.test_sets import Case
from kindgi_tui.local.engine.candidates import Candidate, load_candidate
from kindgi_tui.local.engine.replaying import replay_input
from kindgi_tui.local.engine.results import options_of
from kindgi_tui.local.models.cache import cache_key
from kindgi_tui.local.models.calls import ModelRef, ModelRequest, SystemMessage, UserMessage
from kindgi_tui.local.models.config import ModelsConfig
from kindgi_tui.local.models.failures import NoProvider
from kindgi_tui.local.store.catalog import get_reply
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


def check_limits(request: ComparisonRequest) -> None:
    """The limits of DESIGN section 8 that a request must keep. Raises LimitError, Invalid."""
    if (request.agent_id is None) == (request.flow_id is None):
        raise Invalid(
            "Name exactly one of the agent (--agent) and the flow (--flow) to compare.", field="agentRef"
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
        raise Invalid(
            f'Test set "{request.test_set_id}" belongs to another project; compare it there.',
            code="reference-out-of-scope",
            field="projectId",
        )
    candidate = load_candidate(connection, request.agent_id or "", request.subject_version)
    built_from = test_set.request.agent_id
    if built_from != request.agent_id:
        named = built_from or test_set.request.flow_id
        raise Invalid(
            f'Test set "{request.test_set_id}" holds runs of {named}; compare a version of that.',
            code="bad-input",
            field="agentRef",
        )
    model = config.resolve(candidate.agent.preferred_provider, candidate.agent.preferred_model)
    if request.fresh:
        _check_asked(config, model)
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
    filled = request.model_copy(update={"version": test_set.version})
    return Checked(filled, seq, cases, candidate, model)


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
    """What would run. `cached` counts repetitions whose first reply is stored."""
    request, candidate = checked.request, checked.candidate
    cached = (
        sum(
            get_reply(connection, _first_key(checked, case, repetition)) is not None
            for case in checked.cases
            for repetition in range(1, request.repetitions + 1)
        )
        if not request.fresh
        else 0
    )
    repetitions = len(checked.cases) * request.repetitions
    asked = repetitions - cached
    costs = [paid for case in checked.cases if (paid := _past_cost(case.output)) is not None]
    cost: float | None = 0.0 if asked == 0 else None
    if asked and costs:
        cost = sum(costs) / len(costs) * asked
    problems: list[str] = [] if candidate.missing is None else [candidate.missing]
    if asked and checked.model.provider not in config.providers:
        problems.append(
            f"{asked} of {repetitions} repetitions need {checked.model}, and no provider "
            f"{checked.model.provider} is configured: `kindgi-tui models list` shows what is."
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
        repetitions=repetitions,
        cached=cached,
        cost_usd=cost,
        problems=tuple(problems),
    )


def _first_key(checked: Checked, case: Case, repetition: int) -> str:
    message, reads, history = replay_input(case)
    conversation = (
        SystemMessage(text=checked.candidate.agent.instructions),
        *history,
        UserMessage(text=message if reads is None else reads),
    )
    return cache_key(
        ModelRequest.model_construct(
            model=checked.model,
            messages=conversation,
            tools=checked.candidate.offers,
            output=checked.candidate.output,
            settings={},
            purpose="turn",
            repetition=repetition,
        )
    )


def _past_cost(output: Json) -> float | None:
    usage = output.get("usage") if isinstance(output, dict) else None
    cost = usage.get("totalCostUsd") if isinstance(usage, dict) else None
    return float(cost) if isinstance(cost, int | float) and cost > 0 else None
