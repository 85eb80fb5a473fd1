"""What was asked of a comparison, as the rules that rate it take it (DESIGN section 4)."""

from kindgi_tui.domain.comparison_records import ComparisonRequest
from kindgi_tui.domain.comparisons import ComparisonOptions, ComparisonSettings, Sample, Target
from kindgi_tui.domain.test_sets import TestSetRef


def options_of(request: ComparisonRequest, comparison_id: str, version: str) -> ComparisonOptions:
    """What the rules are asked with for a comparison."""
    sample = request.sample
    settings = ComparisonSettings(
        reads=request.reads,
        repetitions=request.repetitions,
        k=request.k,
        weighing=request.weighing,
        sample=None
        if sample is None
        else Sample(part=sample.part, seed=sample.seed, hold_out_share=sample.hold_out_share),
        overrides=None if request.overrides is None else request.overrides.wire,
    )
    target = (
        Target(agent_id=request.agent_id, version=request.subject_version)
        if request.agent_id is not None
        else Target(flow_id=request.flow_id, version=request.subject_version)
    )
    return ComparisonOptions(
        comparison=settings,
        comparison_id=comparison_id,
        project_id=request.project_id,
        target=target,
        test_set=TestSetRef(id=request.test_set_id, version=version),
    )
