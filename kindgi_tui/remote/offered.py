"""What a comparison may ask for in a local workspace alone: a runtime runs it with its own models, its own way."""

from kindgi_tui.domain.comparison_records import ComparisonRequest
from kindgi_tui.workbench import Unsupported

NOT_OFFERED = {
    "cost_limit": (
        "costLimit",
        "A runtime takes no cost limit: set it there, or compare in a local workspace.",
    ),
    "fresh": (
        "fresh",
        "The API has no way to ask for fresh replies: leave it out, or compare in a local workspace.",
    ),
    "concurrency": ("concurrency", "A runtime decides itself how much runs at once: leave it out."),
    "case_timeout": ("caseTimeout", "A runtime has its own time-outs: leave it out."),
}
"""Options that no runtime takes: how a refusal names each, and what it says."""


def check_offered(request: ComparisonRequest) -> None:
    """Raises Unsupported, with the field, for an option that a runtime would silently leave out."""
    for name, (field, sentence) in NOT_OFFERED.items():
        if getattr(request, name) != ComparisonRequest.model_fields[name].default:
            raise Unsupported(sentence, field=field)
