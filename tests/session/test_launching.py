"""The compare form's drafts: defaults, limits in their sentences, what shows; and what changed in a definition."""

from datetime import UTC, datetime

import pytest

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.catalog import CatalogVersion
from kindgi_tui.domain.comparison_records import ComparisonRequest, SamplePart
from kindgi_tui.domain.test_set_versions import BuildRequest, TestSetVersion
from kindgi_tui.session.definition_changes import definition_changes
from kindgi_tui.session.launch_fields import compare_fields
from kindgi_tui.session.launching import CompareDraft, CompareFacts, read_comparison

NOW = datetime(2026, 10, 9, 12, tzinfo=UTC)


def set_version(identity: str, version: str = "1.0.0", **asked: str) -> TestSetVersion:
    subject = asked or {"agent_id": "acme.picker"}
    request = BuildRequest.model_validate(
        {"test_set_id": identity, "version": version, "project_id": "p", **subject}
    )
    return TestSetVersion(
        test_set_id=identity, version=version, project_id="p", case_count=3, available=3, request=request,
        created_at=NOW, created_by="mira",
    )  # fmt: skip


def published(version: str, definition: Json = None) -> CatalogVersion:
    return CatalogVersion(
        kind="agent", id="acme.picker", version=version, digest=version, pack_digest="d", definition=definition,
        published_at=NOW,
    )  # fmt: skip


FACTS = CompareFacts(
    project_id="p",
    sets=(set_version("acme.new", "1.0.1"), set_version("acme.flowing", flow_id="acme.route")),
    set_versions={"acme.new": (set_version("acme.new", "1.0.1"), set_version("acme.new", "1.0.0"))},
    agents=("acme.picker",),
    versions={"acme.picker": (published("0.2.0"), published("0.1.0"))},
    recorded={"acme.new@1.0.1": (("0.1.0", 3),)},
)


def test_what_is_empty_is_the_requests_own_default() -> None:
    read = read_comparison(CompareDraft(), FACTS)
    assert read.request == ComparisonRequest(
        test_set_id="acme.new",
        version="1.0.1",
        project_id="p",
        agent_id="acme.picker",
        subject_version="0.2.0",
    )


def test_every_option_arrives_in_the_request() -> None:
    draft = CompareDraft(
        test_set_id="acme.new", test_set_version="1.0.0", subject="acme.picker", subject_version="0.1.0",
        repetitions="3", reads="live", weighing="experts-only", sample="hold-out", seed="s", hold_out_share="0.5",
        k="5", cost_limit="1.50", fresh="yes", concurrency="4", case_timeout="30", correlation_id="mine",
    )  # fmt: skip
    read = read_comparison(draft, FACTS)
    assert read.problems == {}
    assert read.request == ComparisonRequest(
        test_set_id="acme.new", version="1.0.0", project_id="p", agent_id="acme.picker", subject_version="0.1.0",
        repetitions=3, reads="live", weighing="experts-only",
        sample=SamplePart(part="hold-out", seed="s", hold_out_share=0.5), k=5, cost_limit=1.5, fresh=True,
        concurrency=4, case_timeout=30.0, correlation_id="mine",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("repetitions", "0", "`repetitions` must be an integer from 1 to 10"),
        ("repetitions", "11", "`repetitions` must be an integer from 1 to 10"),
        ("repetitions", "two", "`repetitions` must be an integer from 1 to 10"),
        ("k", "101", "`k` must be an integer from 1 to 100"),
        ("concurrency", "0", "1 or more"),
        ("cost_limit", "-1", "0 or more"),
        ("cost_limit", "much", "US dollars"),
        ("case_timeout", "0", "over 0"),
        ("correlation_id", "pin:x", "can't start with"),
        ("subject_version", "0.2", "semver"),
        ("subject_version", "9.9.9", "the newest is 0.2.0"),
        ("test_set_version", "9.9.9", "no version 9.9.9"),
        ("test_set_id", "unknown", "No test set"),
        ("subject", "acme.other", "only that can be compared"),
    ],
)
def test_what_is_wrong_is_said_at_its_field(field: str, value: str, words: str) -> None:
    facts = FACTS.model_copy(update={"versions": {**FACTS.versions, "acme.other": (published("0.1.0"),)}})
    read = read_comparison(CompareDraft.model_validate({field: value}), facts)
    assert read.request is None
    assert list(read.problems) == [field]
    assert words in read.problems[field]


@pytest.mark.parametrize("share", ["0.05", "0.95", "x"])
def test_a_share_outside_its_limits_is_refused(share: str) -> None:
    read = read_comparison(CompareDraft(sample="search", hold_out_share=share), FACTS)
    assert "from 0.1 to 0.9" in read.problems["hold_out_share"]


def test_a_sample_has_a_seed_and_a_share_of_its_own() -> None:
    read = read_comparison(CompareDraft(sample="search"), FACTS)
    assert read.request is not None
    assert read.request.sample == SamplePart(part="search", seed="1", hold_out_share=0.3)
    assert "seed" not in {one.name for one in compare_fields(CompareDraft(), FACTS, {})}
    names = {one.name for one in compare_fields(CompareDraft(sample="search"), FACTS, {})}
    assert names == set(CompareDraft.model_fields)
    # A set of versions names the judging model, and a command the versions swapped into a flow.
    elsewhere = {"judge_model", "versions"}
    named = {"version", "project_id", "agent_id", "flow_id", "sample"}
    asked = set(ComparisonRequest.model_fields) - named - elsewhere
    assert asked <= names


def test_overrides_are_typed_as_json() -> None:
    text = '{"settings": {"acme.weights": {"recency": 1}}}'
    read = read_comparison(CompareDraft(overrides=text), FACTS)
    assert read.request is not None and read.request.overrides is not None
    assert read.request.overrides.settings == {"acme.weights": {"recency": 1}}
    for typed, words in (
        ("recency=1", "Not JSON at character 1: a value is missing; overrides are JSON such as {"),
        ('{"settings": {"a.b": {}', "Not JSON at character 24: a comma or a closing bracket is missing; "),
        ('{"settings": {},\n "settings": {}}', 'Not JSON: the field "settings" stands in one object twice; '),
        ('{"settings": {"a.b": {"n": NaN}}}', "Not JSON: it has no number NaN; "),
        ("[" * 100_000, "It is nested too deep: "),
    ):
        told = read_comparison(CompareDraft(overrides=typed), FACTS).problems["overrides"]
        assert told.startswith(words), told
    wrong = read_comparison(CompareDraft(overrides="recency=1"), FACTS)
    assert wrong.request is None and "overrides are JSON such as" in wrong.problems["overrides"]


def test_nothing_to_compare_with_names_the_way_out() -> None:
    read = read_comparison(CompareDraft(), CompareFacts(project_id="p"))
    assert "b builds one" in read.problems["test_set_id"]
    unpublished = FACTS.model_copy(update={"versions": {"acme.picker": ()}})
    read = read_comparison(CompareDraft(), unpublished)
    assert "packs publish" in read.problems["subject_version"]


def test_versions_stand_newest_first_beside_the_recorded_one() -> None:
    fields = {one.name: one for one in compare_fields(CompareDraft(), FACTS, {})}
    version = fields["subject_version"]
    assert [choice.value for choice in version.choices] == ["0.2.0", "0.1.0"]
    assert (version.hint, version.note) == ("0.2.0", "recorded 0.1.0")
    assert fields["test_set_version"].note == "3 cases"


def test_a_definitions_changes_are_words_and_json() -> None:
    before = published("0.1.0", {"id": "x", "version": "0.1.0", "instructions": "Pick three.", "tools": []})
    after = published("0.2.0", {"id": "x", "version": "0.2.0", "instructions": "Pick one.", "tools": ["t"]})
    changes = definition_changes(before, after)
    assert [(piece.kind, piece.text.strip()) for piece in changes.instructions] == [
        ("same", "Pick"), ("removed", "three"), ("added", "one"), ("same", "."),
    ]  # fmt: skip
    assert [(one.kind, one.pointer) for one in changes.others] == [("added", "/tools/0")]
    assert definition_changes(before, before.model_copy(update={"version": "0.1.1"})).none
    odd = published("0.3.0", {"instructions": {"not": "text"}})
    assert [one.kind for one in definition_changes(published("0.2.9", [1]), odd).others] == ["changed"]
