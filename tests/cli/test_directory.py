"""Projects, people and groups by command."""

from tests.cli.driving import Cli


def test_projects_are_made_and_one_is_the_default(empty: Cli) -> None:
    assert empty.done("projects", "add", "Help desk", "--slug", "help", "--json").json["slug"] == "help"
    assert "Help desk" in empty.done("projects", "list").text
    used = empty.done("projects", "use", "Help desk", "--json").json
    assert used["isDefault"] is True
    listed = empty.done("projects", "list", "--json").json
    assert listed["data"][0]["slug"] == "help"
    assert [one["isDefault"] for one in listed["data"]].count(True) == 1
    assert listed["hasMore"] is False
    assert "help" in empty.refused(2, "projects", "add", "Other", "--slug", "help")
    empty.refused(2, "projects", "use", "nowhere")
    for reference in (used["id"], "help", "Help desk"):
        assert empty.done("runs", "list", "--project", reference, "--json").json["data"] == []


def test_people_have_rights_that_the_workbench_keeps(empty: Cli) -> None:
    empty.done("people", "add", "maria", "--name", "Maria Silva", "--right", "judge", "--reviewer", "senior")
    added = empty.done("people", "add", "bot", "--service", "--right", "editor", "--json").json
    assert (added["kind"], added["right"]) == ("service", "editor")
    text = empty.done("people", "list").text
    assert "Maria Silva" in text
    assert "senior" in text
    assert "maria" in empty.refused(3, "--as", "maria", "people", "add", "carl")
    assert "carl" in empty.refused(2, "runs", "list", "--as", "carl")
    changed = empty.done("people", "add", "maria", "--right", "admin", "--json").json
    assert (changed["name"], changed["reviewerRole"]) == ("Maria Silva", "senior"), "what isn't given stays"
    empty.done("people", "add", "carl", "--as", "maria")


def test_groups_have_a_weight_and_may_be_for_experts(empty: Cli) -> None:
    assert "every judgment weighs 1" in empty.done("groups", "list").text
    made = empty.done("groups", "add", "experts", "--weight", "3", "--reviewer", "senior", "--json").json
    assert (made["weight"], made["assertableBy"]) == (3, {"minReviewerRole": "senior"})
    empty.refused(2, "groups", "add", "experts", "--weight", "1")
    assert "weight" in empty.refused(2, "groups", "add", "x", "--weight", "-1")
    assert "weight" in empty.refused(2, "groups", "add", "x", "--weight", "nan")
    assert "--agent needs --project" in empty.refused(
        2, "groups", "add", "x", "--weight", "1", "--agent", "a"
    )
    assert "Say what to change" in empty.refused(2, "groups", "change", "experts")
    changed = empty.done("groups", "change", "experts", "--weight", "2.5", "--unrestricted", "--json").json
    assert changed["weight"] == 2.5
    assert "assertableBy" not in changed
    empty.refused(2, "groups", "change", "experts", "--unrestricted", "--only", "maria")
    assert "2.5" in empty.done("judge-classes", "list").text
    assert "retiredAt" in empty.done("groups", "retire", made["id"], "--json").json
    assert "No groups" in empty.done("groups", "list").text
    assert "experts" in empty.done("groups", "list", "--retired").text
    assert "isn't retired" in empty.refused(2, "groups", "bring-back", added_again(empty, made["id"]))


def added_again(empty: Cli, group_id: str) -> str:
    """Brings a group back, makes sure of it, and gives its id."""
    back = empty.done("groups", "bring-back", group_id, "--json").json
    assert (back["id"], back["weight"], "retiredAt" in back) == (group_id, 2.5, False)
    return group_id


def test_a_name_that_is_nobodys_is_told_and_kept(empty: Cli) -> None:
    """It may be somebody who is still to come: it is no refusal."""
    empty.done("people", "add", "maria", "--right", "judge")
    made = empty.done(
        "groups", "add", "few", "--weight", "1", "--only", "maria", "--only", "nosuch", "--json"
    )
    notes = [line for line in made.said.splitlines() if line.startswith("Note: ")]
    assert len(notes) == 1
    assert notes[0].startswith("Note: nosuch is nobody in this workspace. If it is a typo: kindgi-tui ")
    assert notes[0].endswith(f"groups change {made.json['id']} --only PERSON")
    assert made.json["assertableBy"] == {"principalIds": ["maria", "nosuch"]}
    changed = empty.done("groups", "change", "few", "--only", "m\u202earia", "--only", "maria")
    assert "is nobody in this workspace" in changed.said
    assert "Note" not in empty.done("groups", "change", "few", "--only", "maria").said
    assert "Note" not in empty.done("groups", "change", "few", "--weight", "2").said


def test_a_group_is_restricted_to_people_kinds_and_ranks_and_the_words_say_so(empty: Cli) -> None:
    empty.done("people", "add", "maria", "--right", "judge")
    only = ("--only", "maria", "--only", "joao", "--kind", "user", "--reviewer", "standard")
    empty.done("groups", "add", "named", "--weight", "2", *only)
    assert "people; maria, joao; reviewers from standard" in empty.done("groups", "show", "named").text
    changed = empty.done("groups", "change", "named", "--kind", "service", "--weight", "0", "--json").json
    assert (changed["assertableBy"], changed["weight"]) == ({"principalKinds": ["service"]}, 0)
    assert "services" in empty.done("groups", "list").text
    empty.done("groups", "change", "named", "--unrestricted")
    assert "anyone" in empty.done("groups", "list").text


def test_a_retired_group_comes_back_unless_its_name_was_taken(empty: Cli) -> None:
    first = empty.done("groups", "add", "experts", "--weight", "3", "--json").json["id"]
    empty.done("groups", "retire", "experts")
    second = empty.done("groups", "add", "experts", "--weight", "1", "--json").json["id"]
    assert "Another group is called" in empty.refused(2, "groups", "bring-back", first)
    empty.done("groups", "retire", second)
    assert empty.done("groups", "bring-back", first, "--json").json["weight"] == 3
    empty.refused(2, "groups", "bring-back", "nobody")
    empty.done("people", "add", "maria", "--right", "judge")
    empty.refused(3, "--as", "maria", "groups", "bring-back", second)


def test_a_name_that_several_groups_have_is_asked_about_and_nothing_is_changed(empty: Cli) -> None:
    docs = empty.done("projects", "add", "Docs", "--json").json["id"]
    ids = [
        empty.done("groups", "add", "experts", "--weight", weight, *where, "--json").json["id"]
        for weight, where in (("3", ()), ("4", ("--project", docs)))
    ]
    for words in (
        ("show", "experts"), ("retire", "experts"), ("change", "experts", "--weight", "9"),
        ("bring-back", "experts"),
    ):  # fmt: skip
        sentence = empty.refused(2, "groups", *words)
        assert "Several groups are called" in sentence
        assert all(one in sentence for one in (*ids, docs, "the workspace's")), "it says how to name one"
    assert [empty.done("groups", "show", one, "--json").json["weight"] for one in ids] == [3, 4]
    assert "retiredAt" in empty.done("groups", "retire", ids[0], "--json").json
    assert empty.done("groups", "show", "experts", "--json").json["id"] == ids[1], "one is left to mean"
    assert "name was taken" not in empty.done("groups", "bring-back", "experts").said
    assert "Several" in empty.refused(2, "groups", "retire", "experts")


def test_a_group_of_an_agent_nobody_knows_is_refused(demo: Cli) -> None:
    words = ("groups", "add", "x", "--weight", "1", "--project", "docs", "--agent")
    sentence = demo.refused(2, *words, "acme-ops.nope")
    assert sentence == 'No agent is called "acme-ops.nope". There are acme-ops.article-picker.'
    assert "No agent" in demo.refused(2, *words, "")
    demo.done(*words, "acme-ops.article-picker")
    assert "No agents are published" in demo.refused(2, *words, "x", "--workspace", f"{demo.workspace}-other")
