"""Packs, agents and models by command, with real packs."""

from pathlib import Path

from tests.cli.driving import Cli, Terminal


def test_a_new_pack_is_written_published_and_listed(empty: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    assert "agents/note_picker.py" in empty.done("packs", "init", str(folder), "--name", "acme.notes").text
    assert not empty.workspace.exists(), "writing a pack needs no workspace"
    empty.refused(2, "packs", "init", str(folder))
    empty.refused(2, "packs", "init", str(tmp_path / "other"), "--name", "No Name!")
    assert "No packs" in empty.done("packs", "list").text
    made = empty.done("packs", "publish", str(folder), "--json").json
    assert {one["id"] for one in made["added"]} == {"acme.notes.note-picker", "acme.notes.search-notes"}
    again = empty.done("packs", "publish", str(folder)).text
    assert "known: agent acme.notes.note-picker 0.1.0" in again
    assert "acme.notes" in empty.done("packs", "list").text
    assert "Note picker" in empty.done("agents", "list").text
    shown = empty.done("agents", "show", "acme.notes.note-picker", "--json").json
    assert (shown["version"], shown["versions"]) == ("0.1.0", ["0.1.0"])
    assert "acme.notes.search-notes" in empty.done("agents", "show", "acme.notes.note-picker").text
    empty.refused(2, "agents", "show", "acme.notes.note-picker", "--agent-version", "9.9.9")
    assert "No flows" in empty.done("flows", "list").text
    tool = folder / "tools" / "search_notes.py"
    tool.write_text(tool.read_text().replace("28 days", "14 days").replace("30 days", "14 days"))
    assert "0.1.0" in empty.refused(2, "packs", "publish", str(folder))
    tool.write_text("this is not Python (")
    assert "search_notes.py" in empty.refused(2, "packs", "publish", str(folder))
    empty.refused(2, "packs", "publish", str(tmp_path / "nowhere"))


def test_environment_values_are_set_and_never_printed(demo: Cli) -> None:
    secret, name = "s3cr3t-value", "ACME_OPS_LOG"

    def is_set() -> bool:
        listed = demo.done("packs", "env", "list", "acme-ops", "--json").json["data"]
        return bool(next(one["set"] for one in listed if one["name"] == name))

    printed = ""
    for words, stdin in (
        (["set", "acme-ops", name], f"{secret}\n"),
        (["set", "acme-ops", f"{name}={secret}", "--json"], ""),
        (["set", "acme-ops", name, "--value", secret], ""),
    ):
        demo.done("packs", "env", "set", "acme-ops", name, "--unset")
        assert not is_set()
        result = demo.done("packs", "env", *words, stdin=stdin)
        assert is_set()
        listed = demo.done("packs", "env", "list", "acme-ops")
        printed += result.text + result.said + listed.text
    assert name in printed
    assert secret not in printed
    demo.refused(2, "packs", "env", "set", "acme-ops", name, "--unset", "--value", "x")
    demo.refused(2, "packs", "env", "set", "acme-ops", "UNDECLARED", "--value", "x")
    demo.refused(2, "packs", "env", "set", "nowhere", name, "--value", "x")


def test_watching_publishes_each_save_until_ctrl_c(empty: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    empty.done("packs", "init", str(folder), "--name", "acme.notes")
    terminal = Terminal("--workspace", str(empty.workspace), "packs", "watch", str(folder))
    try:
        assert terminal.read_until(lambda screen: b"note-picker 0.1.0" in screen), terminal.screen
        agent = folder / "agents" / "note_picker.py"
        agent.write_text(agent.read_text().replace('version="0.1.0"', 'version="0.2.0"'))
        assert terminal.read_until(lambda screen: b"note-picker 0.2.0" in screen), terminal.screen
        agent.write_text("not Python (")
        assert terminal.read_until(lambda screen: b"Not published" in screen), terminal.screen
        terminal.press(b"\x03")
    finally:
        code = terminal.end()
    assert code == 130
    assert b"Traceback" not in terminal.screen
    versions = empty.done("agents", "show", "acme.notes.note-picker", "--json").json["versions"]
    assert versions == ["0.2.0", "0.1.0"]


def test_models_are_listed_and_checked(empty: Cli) -> None:
    assert "No models are configured" in empty.done("models", "list").text
    (empty.workspace / "models.toml").write_text(
        'default = "local/tiny"\n[providers.local]\nbase_url = "http://127.0.0.1:9/v1"\ndefault_model = "tiny"\n'
    )
    listed = empty.done("models", "list", "--json").json["data"]
    assert (listed[0]["provider"], listed[0]["model"], listed[0]["address"]) == (
        "local",
        "tiny",
        "http://127.0.0.1:9/v1",
    )
    checked = empty("models", "check", "--json")
    assert checked.code == 3
    assert checked.json["data"][0]["ready"] is False
