"""The lines of the form that builds a test set."""

from collections.abc import Mapping
from typing import Any

from kindgi_tui.session.building import (
    FLOW,
    BuildDraft,
    BuildFacts,
    reference_of,
    subject_of,
    suggested_id,
    suggested_version,
)
from kindgi_tui.session.fields import Choice, FormField, Numbers


def build_fields(draft: BuildDraft, facts: BuildFacts, problems: Mapping[str, str]) -> tuple[FormField, ...]:
    """The form's lines for a draft."""
    kind, named = subject_of(draft, facts)
    identity = draft.test_set_id.strip() or suggested_id(draft, facts)
    known = any(one.test_set_id == identity for one in facts.sets)
    key = f"{FLOW if kind == 'flow' else ''}{named}"
    ids = [one.test_set_id for one in facts.sets if one.project_id == (draft.project or facts.project_id)]
    project = next((one for one in facts.projects if one.id == facts.project_id), None)
    groups = tuple(
        Choice(value=reference_of(one), words=one.name + (" (retired)" if one.retired_at else ""))
        for one in facts.groups
    )
    anything = Choice(value="", words="any")
    rows: tuple[dict[str, Any], ...] = (
        {
            "name": "subject", "label": "Runs of", "help": "The agent whose judged runs to take, or flow: and a flow.",
            "hint": next(iter(facts.subjects), ""), "choices": _choices(facts.subjects),
        },
        {
            "name": "test_set_id", "label": "Test set", "help": "Its id: a new one, or one that gets its next version.",
            "hint": suggested_id(draft, facts), "choices": _choices(ids),
            "note": "" if known or not identity else "new",
        },
        {
            "name": "version", "label": "Version", "help": "x.y.z. A version never changes, so it must be a new one.",
            "hint": suggested_version(facts.versions.get(identity, ())),
        },
        {
            "name": "project", "label": "Project", "help": "The project whose runs it takes.",
            "hint": project.name if project else "", "typed": False,
            "choices": tuple(
                Choice(value="" if one.id == facts.project_id else one.id, words=one.name) for one in facts.projects
            ),
        },
        {
            "name": "subject_version", "label": "At version", "help": "Only runs of this version of the agent or flow.",
            "choices": (anything, *_choices(facts.subject_versions.get(key, ()))),
        },
        {
            "name": "since", "label": "Judged since", "hint": "ever",
            "help": "Runs first judged then or later: 2026-10-01, a time, or so long ago (12h, 7d, 3w).",
        },
        {
            "name": "until", "label": "Judged until", "hint": "now",
            "help": "Runs first judged before then: 2026-10-01, a time, or so long ago (12h, 7d, 3w).",
        },
        {
            "name": "groups", "label": "Said as",
            "help": "Only what was said as these groups counts; names parted by commas.",
            "choices": (Choice(value="", words="anyone"), *groups),
        },
        {
            "name": "min_judgments", "label": "Least judged", "hint": "1", "numbers": Numbers(),
            "help": "The least judgments a run needs, 1 or more.",
        },
        {
            "name": "segments", "label": "Segment", "hint": "any",
            "help": "Runs started in this path or below: company:acme / team:x, at most 8 steps.",
        },
        {"name": "description", "label": "About", "help": "What the set holds, for those who find it.", "hint": "-"},
    )  # fmt: skip
    return tuple(
        FormField(**row, value=getattr(draft, row["name"]), problem=problems.get(row["name"])) for row in rows
    )


def _choices(values: Any) -> tuple[Choice, ...]:
    return tuple(Choice(value=value) for value in values)
