"""The lines of the form that starts a comparison."""

from collections.abc import Mapping
from typing import Any

from kindgi_tui.domain.limits import MAX_K, MAX_REPETITIONS
from kindgi_tui.domain.test_set_versions import TestSetVersion
from kindgi_tui.session.fields import Choice, FormField, Numbers
from kindgi_tui.session.launching import (
    DEFAULTS,
    SEED,
    SHARE,
    CompareDraft,
    CompareFacts,
    recorded_versions,
    set_of,
    subject_of,
    version_of,
)
from kindgi_tui.session.own_sets import NOW, set_words


def compare_fields(
    draft: CompareDraft, facts: CompareFacts, problems: Mapping[str, str]
) -> tuple[FormField, ...]:
    """The form's lines for a draft; what only a sample has shows with a sample."""
    chosen, subject = set_of(draft, facts), subject_of(draft, facts)
    identity = chosen.test_set_id if chosen else draft.test_set_id.strip()
    published = facts.versions.get(subject, ())
    recorded = recorded_versions(draft, facts)
    told = ", ".join(version for version, _ in recorded[:3])
    default = {
        name: f"{value:g}" if isinstance(value, float) else str(value) for name, value in DEFAULTS.items()
    }
    rows: list[dict[str, Any]] = [
        {
            "name": "test_set_id", "label": "Test set", "help": "The judged runs to compare on.", "typed": False,
            "choices": tuple(Choice(value=one.test_set_id, words=set_words(one.test_set_id)) for one in facts.sets),
            "hint": identity,
        },
        {
            "name": "test_set_version", "label": "Its version",
            "help": "A version never changes; an agent's own set is frozen as it is now when it starts.",
            "choices": _choices(one.version for one in facts.set_versions.get(identity, ())),
            "hint": (chosen.version or NOW) if chosen else "", "note": _cases(chosen), "typed": False,
        },
        {
            "name": "subject", "label": "Agent", "help": "Who is compared: the agent whose runs the set holds.",
            "choices": _choices(facts.agents), "hint": subject,
        },
        {
            "name": "subject_version", "label": "Version", "hint": version_of(draft, facts),
            "help": "The candidate, newest first; what changed since the recorded one stands below or beside.",
            "choices": _choices(one.version for one in published), "note": f"recorded {told}" if told else "",
        },
        {
            "name": "repetitions", "label": "Repetitions", "hint": default["repetitions"],
            "help": f"How often each case runs, 1 to {MAX_REPETITIONS}.", "numbers": Numbers(most=MAX_REPETITIONS),
        },
        {
            "name": "reads", "label": "Reads", "hint": default["reads"], "choices": _choices(("recorded", "live")),
            "help": "recorded: reads take the recorded result; live: they run again. Writes never run.",
            "typed": False,
        },
        {
            "name": "weighing", "label": "Weighing", "hint": default["weighing"], "typed": False,
            "choices": _choices(("as-recorded", "experts-only")),
            "help": "Whose judgments count: everyone's at their group's weight, or experts' alone.",
        },
        {
            "name": "sample", "label": "Cases", "typed": False,
            "choices": (Choice(value="", words="all"), *_choices(("search", "hold-out"))),
            "help": "All, or one part of a split: search while you try, hold-out to decide by.",
        },
    ]  # fmt: skip
    if draft.sample:
        rows += [
            {
                "name": "seed", "label": "Seed", "hint": SEED,
                "help": "What splits the cases, 1 to 200 characters; the same one always splits the same way.",
            },
            {
                "name": "hold_out_share", "label": "Hold-out share", "hint": SHARE,
                "help": "The share that is held out, 0.1 to 0.9.",
                "numbers": Numbers.model_validate({"least": "0.1", "most": "0.9", "step": "0.1"}),
            },
        ]  # fmt: skip
    rows += [
        {
            "name": "k", "label": "Top k", "hint": default["k"], "numbers": Numbers(most=MAX_K),
            "help": f"How many ranked items precision at k looks at, 1 to {MAX_K}.",
        },
        {
            "name": "cost_limit", "label": "Cost limit", "hint": "none",
            "help": "US dollars; reaching it ends the comparison, which can be resumed.",
        },
        {
            "name": "fresh", "label": "Ask anew", "typed": False,
            "choices": (Choice(value="", words="no"), Choice(value="yes")),
            "help": "yes: models are asked again, whatever replies are stored.",
        },
        {
            "name": "concurrency", "label": "At once", "hint": default["concurrency"], "numbers": Numbers(),
            "help": "How many runs at once.",
        },
        {
            "name": "case_timeout", "label": "Time-out", "hint": default["case_timeout"],
            "help": "Seconds after which a stuck run is given up.",
        },
        {
            "name": "correlation_id", "label": "Own id", "hint": "none",
            "help": "An id of your own, kept with it; it may not start with pin: or latest:.",
        },
        {
            "name": "overrides", "label": "Overrides", "hint": "none",
            "help": 'Other content of pinned blocks, for no gate: {"settings": {"acme.weights": {"recency": 1}}}',
        },
    ]  # fmt: skip
    return tuple(
        FormField(**row, value=getattr(draft, row["name"]), problem=problems.get(row["name"])) for row in rows
    )


def _choices(values: Any) -> tuple[Choice, ...]:
    return tuple(Choice(value=value) for value in values)


def _cases(chosen: TestSetVersion | None) -> str:
    if chosen is None:
        return ""
    return f"{chosen.case_count:,} {'case' if chosen.case_count == 1 else 'cases'}"
