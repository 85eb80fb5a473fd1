"""Tokens: made and revoked by the command line, hashed at rest, acting as a person with a role."""

import sqlite3
from pathlib import Path

import pytest

from kindgi_tui.domain.projects import RIGHTS, Right
from kindgi_tui.local.workbench import open_local
from kindgi_tui.workbench import Conflict, Denied, Invalid, NotFound
from tests.cli.driving import process
from tests.server.running import AGENT, PASSWORD, Asked, Served, copied, environment


def test_a_token_acts_as_its_person(served: Served) -> None:
    jonas = served.as_somebody("as-jonas", "jonas", "admin")
    me = jonas.good("GET", "/v1/identity/whoami")
    assert (me["actor"], me["principal"], me["right"]) == (
        "user:jonas",
        {"kind": "user", "id": "jonas"},
        "judge",
    )
    body = {
        "runId": PASSWORD,
        "item": {"key": "kb-102", "pointer": "/output/articles/1", "rank": 1},
        "verdict": "no",
        "participantId": "tokens",
    }
    made = jonas.good("POST", "/v1/judgments", body, 201)
    assert made["assertedBy"] == {"kind": "user", "id": "jonas"}
    mira = served.as_somebody("as-mira", "mira", "judge")
    sentence = mira.refused(403, "permission-denied", "POST", f"/v1/judgments/{made['id']}/unregister", {})
    assert sentence == f'Not allowed to remove judgment "{made["id"]}".'
    assert jonas.good("POST", f"/v1/judgments/{made['id']}/unregister", {})["unregistered"] is True


def test_what_a_role_may_not_do_is_said_in_the_apis_words(served: Served) -> None:
    project = served.project()
    build = {"version": "9.0.0", "projectId": project, "agentId": AGENT}
    start = {"projectId": project, "agentRef": {"agentId": AGENT, "version": "0.2.0"}, "dryRun": True}
    group = {"name": "nobody", "weight": 1, "scope": {"kind": "tenant"}}
    path = "/v1/eval-suites/acme.picks"
    owner = served.good("GET", "/v1/identity/whoami")["principal"]["id"]
    judge = served.as_somebody("a-judge", owner, "judge")
    editor = served.as_somebody("an-editor", "mira", "editor")
    for asker in (judge, editor):
        sentence = asker.refused(403, "permission-denied", "POST", f"{path}/versions/from-judgments", build)
        assert sentence == "Building a test set needs admin on the project."
        sentence = asker.refused(403, "permission-denied", "POST", "/v1/judge-classes", group)
        assert sentence == "Not allowed to manage judge classes in this scope."
    assert judge.refused(403, "permission-denied", "POST", f"{path}/runs", start).startswith("Not allowed")
    assert "runId" in editor.good("POST", f"{path}/runs", start, 201)
    # What is wrong with a body is said first.
    judge.refused(400, "bad-input", "POST", f"{path}/versions/from-judgments", {})


def test_a_revoked_token_is_refused_at_once(served: Served) -> None:
    words = ("--workspace", str(served.workspace), "tokens")
    made = process(*words, "add", "for-a-while", "--person", "mira", "--json", environment=environment())
    asker = Asked(served.url, made.json["token"])
    assert (made.json["personId"], made.json["right"]) == ("mira", "judge")
    listed = process(*words, "list", environment=environment())
    assert "for-a-while" in listed.text
    assert asker.token.split("_", 2)[2] not in listed.text
    asker.good("GET", "/v1/projects")
    done = process(*words, "revoke", "for-a-while", environment=environment())
    assert done.code == 0, done.said
    sentence = asker.refused(401, "auth-revoked", "GET", "/v1/projects")
    assert sentence == "Bearer token has been revoked"
    again = process(*words, "revoke", "for-a-while", environment=environment())
    assert again.code == 2
    assert again.said == 'Error: The token "for-a-while" is revoked already: the server refuses it.\n'
    assert process(*words, "revoke", made.json["id"], environment=environment()).code == 0
    never = process(*words, "revoke", "never-was", environment=environment())
    assert (never.code, "No token is called" in never.said) == (2, True)


@pytest.mark.parametrize("right", RIGHTS)
def test_people_list_at_the_server_shows_what_the_token_may_do(served: Served, right: Right) -> None:
    words = ("--workspace", str(served.workspace))
    made = process(*words, "tokens", "add", f"as-{right}", "--role", right, environment=environment())
    there = process(
        "--url", served.url, "people", "list", "--json",
        environment=environment({"KINDGI_API_TOKEN": made.text.strip()}),
    )  # fmt: skip
    assert [one["right"] for one in there.json["data"]] == [right]
    assert Asked(served.url, made.text.strip()).good("GET", "/v1/identity/whoami")["right"] == right


def test_a_token_that_may_do_less_than_its_role_says_so(served: Served) -> None:
    words = ("--workspace", str(served.workspace))
    made = process(
        *words, "tokens", "add", "too-much", "--person", "mira", "--role", "admin", environment=environment()
    )
    assert made.code == 0
    assert "no more than mira may, who is an editor here and not an admin" in made.said
    assert f"kindgi-tui --workspace {served.workspace} people add mira --right admin" in made.said
    who = Asked(served.url, made.text.strip()).good("GET", "/v1/identity/whoami")
    assert who["right"] == "editor"
    enough = process(
        *words, "tokens", "add", "enough", "--person", "mira", "--role", "editor", environment=environment()
    )
    assert enough.said == ""
    asked = process(
        *words, "--as", "mira", "tokens", "add", "mine", "--role", "admin", environment=environment()
    )
    assert (asked.code, asked.text) == (3, "")
    assert "it takes the right of an admin, and mira has that of an editor" in asked.said


async def test_the_store_never_holds_a_secret(demo_made: Path, tmp_path: Path) -> None:
    folder = copied(demo_made, tmp_path / "demo")
    workbench, _ = await open_local(folder)
    token, secret = await workbench.tokens.add("ci", "mira", "editor")
    found = await workbench.tokens.find(secret)
    assert (found.token, found.person.id, found.person.right) == (token, "mira", "editor")
    assert (await workbench.audit.list(limit=1)).data[0].action == "tokens.add"
    with pytest.raises(Conflict):
        await workbench.tokens.add("ci")
    with pytest.raises(NotFound):
        await workbench.tokens.add("other", "nobody-here")
    with pytest.raises(Invalid):
        await workbench.tokens.add(" ")
    for wrong in ("", "x", secret[:-1], secret + "x", secret.replace("kgi_sy_", "kgi_pt_"), "\ud800"):
        with pytest.raises(Denied) as refused:
            await workbench.tokens.find(wrong)
        assert refused.value.code == "auth-missing"
    await workbench.tokens.revoke(token.id)
    again, _ = await workbench.tokens.add("ci", "mira", "judge")
    assert {one.id: one.revoked_at is None for one in await workbench.tokens.list()} == {
        token.id: False,
        again.id: True,
    }
    with pytest.raises(Denied) as revoked:
        await workbench.tokens.find(secret)
    assert revoked.value.code == "auth-revoked"
    await workbench.close()
    for file in folder.glob("workspace.db*"):
        assert secret.split("_", 2)[2].encode() not in file.read_bytes()
    with sqlite3.connect(folder / "workspace.db") as connection:
        digests = connection.execute("SELECT digest FROM tokens").fetchall()
    assert all(len(digest) == 64 for (digest,) in digests)


async def test_acting_as_somebody_takes_an_admin(demo_made: Path, tmp_path: Path) -> None:
    folder = copied(demo_made, tmp_path / "demo")
    owner, _ = await open_local(folder)
    people = {person.id: person for person in await owner.people.list()}
    as_mira = owner.acting_as(people["mira"])
    assert (await as_mira.people.me()).id == "mira"
    with pytest.raises(Denied):
        as_mira.acting_as(people["jonas"])
    assert (await as_mira.acting_as(people["mira"]).people.me()).id == "mira"
    lesser = owner.acting_as(people["mira"].model_copy(update={"right": "judge"}))
    with pytest.raises(Denied):
        await lesser.projects.use("docs")
    await as_mira.projects.use("docs")
    await owner.close()
