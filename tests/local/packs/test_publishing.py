import os
import shutil
import stat
import sys
import time
import venv
from pathlib import Path
from textwrap import dedent

import pytest

from kindgi_tui.local.packs.publishing import (
    FILES,
    INDEX,
    check_supported,
    declared_id,
    index_pack,
    install_snapshot,
)
from kindgi_tui.local.packs.scaffold import init_pack
from kindgi_tui.workbench import Conflict, Invalid, Unsupported
from tests.local.packs.conftest import AGENT, TOOLS, MakePack

Listing = dict[str, tuple[int, int, bytes | None]]


def listing(folder: Path) -> Listing:
    """Every path with its modification time, mode and content."""
    found: Listing = {}
    for path in [folder, *sorted(folder.rglob("*"))]:
        about = path.lstat()
        content = path.read_bytes() if stat.S_ISREG(about.st_mode) else None
        found[str(path)] = (about.st_mtime_ns, about.st_mode, content)
    return found


async def test_publishes_a_copy_and_leaves_the_folder_as_it_was(make_pack: MakePack, tmp_path: Path) -> None:
    folder = make_pack(
        {"data/words.txt": "one", ".git/HEAD": "x", ".env": "SECRET=1", "tools/__pycache__/w.pyc": "x"}
    )
    (folder / "venv").mkdir()
    (folder / "venv" / "pyvenv.cfg").write_text("home = x")
    before = listing(folder)
    with await index_pack(folder) as indexed:
        assert listing(folder) == before
        check_supported(indexed.index)
        place = install_snapshot(indexed, tmp_path / "packs")
        assert place == tmp_path / "packs" / indexed.digest
        assert install_snapshot(indexed, tmp_path / "packs") == place
    kept = sorted(p.relative_to(place).as_posix() for p in place.rglob("*") if p.is_file())
    assert kept == [
        "files/agents/speaker.py",
        "files/data/words.txt",
        "files/pyproject.toml",
        "files/tools/words.py",
        "index.json",
    ]
    assert sorted(p.name for p in (tmp_path / "packs").iterdir()) == [indexed.digest]
    assert not indexed.folder.exists()


async def test_reads_the_index(make_pack: MakePack) -> None:
    with await index_pack(make_pack({})) as indexed:
        index = indexed.index
    assert (index.pack_id, index.pack_version, index.env_optional) == ("acme", "1.2.3", ("ACME_REGION",))
    tools = {tool.id: tool for tool in index.tools}
    assert tools["acme.echo"].version == "0.1.0" and tools["acme.raise"].version == "1.2.3"
    assert tools["acme.echo"].effects == ("reads",) and tools["acme.echo"].mutating is False
    assert tools["acme.write"].mutating is None and tools["acme.env"].env == ("TONE",)
    (agent,) = index.agents
    assert agent.tools == (("acme.echo", "0.1.0"), ("acme.other", "^2.0.0"))
    assert (agent.output_name, agent.max_repairs, agent.output_schema) == ("said", 2, {"type": "object"})
    assert (agent.budget.max_steps, agent.budget.max_cost_usd, agent.budget.max_wall_ms) == (4, 0.5, None)
    assert (agent.preferred_provider, agent.preferred_model, agent.history_limit) == ("local", "small", 9)
    assert (agent.tool_errors.max_retries, agent.tool_errors.retry_on) == (3, ("tool-error",))


async def test_changed_content_has_another_digest_and_nothing_else_has(make_pack: MakePack) -> None:
    with await index_pack(make_pack({})) as indexed:
        first, whole = indexed.index, indexed.digest
    with await index_pack(make_pack({"notes.md": "new"})) as indexed:
        assert indexed.digest != whole
        assert indexed.index.agents == first.agents and indexed.index.tools == first.tools
    with await index_pack(
        make_pack({"agents/speaker.py": AGENT.replace("Say it.", "Say it loud.")})
    ) as indexed:
        assert indexed.index.agents[0].version == first.agents[0].version
        assert indexed.index.agents[0].digest != first.agents[0].digest
        assert indexed.index.tools == first.tools
    with await index_pack(
        make_pack({"tools/words.py": TOOLS.replace('text="quiet"', 'text="hush"')})
    ) as indexed:
        changed = {
            a.id for a, b in zip(indexed.index.tools, first.tools, strict=True) if a.digest != b.digest
        }
        assert changed == {"acme.noise"}
    with await index_pack(make_pack({})) as indexed:
        assert indexed.digest == whole


async def test_a_file_that_fails_to_import_refuses_the_publish(make_pack: MakePack) -> None:
    broken = 'print("half a line", end="")\nimport no_such_module_anywhere\n'
    folder = make_pack({"tools/broken.py": broken, "tools/empty.py": "x = 1"})
    with pytest.raises(Invalid) as caught:
        await index_pack(folder)
    sentence = caught.value.sentence
    assert sentence.startswith("tools/broken.py can't be imported: ModuleNotFoundError: No module named")
    assert (
        "Nothing was published." in sentence and "1 more file failed" in sentence and "--python" in sentence
    )
    assert "\n" not in sentence


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"tools/empty.py": "x = 1"}, "tools/empty.py defines no tool"),
        ({"tools/exit.py": "raise SystemExit(3)"}, "tools/exit.py can't be imported: SystemExit: 3"),
        ({"tools/dead.py": "import os; os._exit(7)"}, "code 7"),
        ({"pyproject.toml": "[project]\nname = 'x'"}, "no [tool.kindgi] table"),
        ({"pyproject.toml": ""}, "No pyproject.toml"),
        ({"tools/words.py": "", "agents/speaker.py": ""}, "zero files"),
        ({"agents/speaker.py": AGENT.replace('"0.1.0"', '"1"')}, "version must be an exact semver"),
    ],
)
async def test_what_is_no_pack_is_one_sentence(
    make_pack: MakePack, files: dict[str, str], words: str
) -> None:
    with pytest.raises(Invalid) as caught:
        await index_pack(make_pack(files))
    assert words in caught.value.sentence
    assert "kindgi-tui-publish" not in caught.value.sentence and "\n" not in caught.value.sentence


async def test_a_pack_that_prints_at_import_is_read_all_the_same(make_pack: MakePack) -> None:
    loud = (
        'import atexit\nprint("x" * 3_000_000)\nprint(\'{"kind":\', end="")\natexit.register(print, "bye")\n'
    )
    with await index_pack(make_pack({"tools/words.py": loud + "\n" + dedent(TOOLS)})) as indexed:
        assert indexed.index.pack_id == "acme"


async def test_what_importing_writes_is_not_in_the_snapshot(make_pack: MakePack, tmp_path: Path) -> None:
    writes = "import pathlib\npathlib.Path(__file__).with_name('cache.txt').write_text('x')\n"
    with await index_pack(make_pack({"tools/words.py": writes + dedent(TOOLS)})) as indexed:
        place = install_snapshot(indexed, tmp_path / "packs")
    assert not list(place.rglob("cache.txt"))


async def test_links_stay_inside(make_pack: MakePack, tmp_path: Path) -> None:
    folder = make_pack({"data/words.txt": "one"})
    (folder / "inside.txt").symlink_to(folder / "data" / "words.txt")
    (folder / "all").symlink_to("data")
    with await index_pack(folder) as indexed:
        place = install_snapshot(indexed, tmp_path / "packs")
    assert (place / FILES / "inside.txt").read_text() == "one"
    assert (place / FILES / "all" / "words.txt").read_text() == "one"
    assert (place / FILES / "inside.txt").readlink() == Path("data/words.txt")

    (tmp_path / "secret.txt").write_text("mine")
    for name, target, words in [
        ("out.txt", tmp_path / "secret.txt", "out.txt leaves the pack's folder"),
        ("up", Path(".."), "up leaves the pack's folder"),
        ("gone", Path("nowhere"), "gone leads nowhere"),
    ]:
        (folder / name).symlink_to(target)
        with pytest.raises(Invalid, match=words):
            await index_pack(folder)
        (folder / name).unlink()


async def test_a_pipe_in_the_folder_is_refused_not_read(make_pack: MakePack) -> None:
    folder = make_pack({})
    os.mkfifo(folder / "pipe")
    with pytest.raises(Invalid, match="pipe is not a file"):
        await index_pack(folder)


async def test_no_such_folder(tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="There is no folder"):
        await index_pack(tmp_path / "nowhere")


async def test_the_named_interpreter_is_used_or_refused_in_a_sentence(
    make_pack: MakePack, tmp_path: Path
) -> None:
    folder = make_pack({})
    with pytest.raises(Invalid, match="not a Python interpreter"):
        await index_pack(folder, python=str(tmp_path / "no-python"))
    venv.create(tmp_path / "bare", with_pip=False, symlinks=True)
    with pytest.raises(Invalid, match="has no kindgi package") as caught:
        await index_pack(folder, python=str(tmp_path / "bare"))
    assert caught.value.code == "bad-python" and caught.value.field == "python"
    program = tmp_path / "not-python"
    program.write_text("no program")
    program.chmod(0o700)
    with pytest.raises(Invalid, match="can't be run"):
        await index_pack(folder, python=str(program))
    with await index_pack(folder, python=sys.executable) as indexed:
        assert indexed.python == sys.executable


async def test_importing_sees_the_given_environment_alone(
    make_pack: MakePack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    needs = "import os\nassert os.environ['ACME_REGION'] == 'north' and 'OPENAI_API_KEY' not in os.environ\n"
    folder = make_pack({"tools/words.py": needs + dedent(TOOLS)})
    with pytest.raises(Invalid, match="KeyError"):
        await index_pack(folder)
    with await index_pack(folder, env={"ACME_REGION": "north"}):
        pass


async def test_a_damaged_snapshot_is_replaced(make_pack: MakePack, tmp_path: Path) -> None:
    with await index_pack(make_pack({})) as indexed:
        place = install_snapshot(indexed, tmp_path)
        (place / FILES / "tools" / "words.py").write_text("broken")
        assert install_snapshot(indexed, tmp_path) == place
        assert "broken" not in (place / FILES / "tools" / "words.py").read_text()
        shutil.rmtree(place)
        place.mkdir()  # half a snapshot
        for name, age in ((".incoming-old", 7_200), (".incoming-new", 0)):
            (tmp_path / name).mkdir()
            os.utime(tmp_path / name, (time.time() - age, time.time() - age))
        install_snapshot(indexed, tmp_path)
    assert (place / INDEX).is_file()
    assert (tmp_path / ".incoming-new").exists() and not (tmp_path / ".incoming-old").exists()


DECLARED = [
    (
        "preferred_provider=",
        "guardrails=['acme.rule'], preferred_provider=",
        "declares guardrails (acme.rule)",
    ),
    (
        "preferred_provider=",
        "retrieval=[{'types': ['fact'], 'scope': 'same-user'}], preferred_provider=",
        "declares retrieval",
    ),
    (
        "preferred_provider=",
        "memory={'remember': {'types': ['fact'], 'scope': 'same-user'}}, preferred_provider=",
        "declares memory",
    ),
    (
        "preferred_provider=",
        "parameters=[{'name': 'tone', 'type': 'string'}], preferred_provider=",
        "declares parameters without a default (tone), which can't be filled in here yet",
    ),
    (
        "preferred_provider=",
        "settings=[{'id': 'acme.weights', 'version': 'new'}], preferred_provider=",
        "reads the settings block acme.weights with 'new', which is not a version range",
    ),
    (
        "preferred_provider=",
        "settings=[{'id': 'acme.model', 'version': '1.0.0'}], "
        "model_settings={'id': 'acme.model', 'version': '^1.0.0'}, preferred_provider=",
        "names block acme.model twice",
    ),
    (
        '"Say it."',
        "{'prompt': 'acme.intake', 'version': 'new'}",
        "takes its instructions from the prompt block acme.intake with 'new', which is not a version range",
    ),
    (
        '"Say it."',
        "'Dear {{ name }}'",
        "has a template in its instructions, and it reads name, which is no declared parameter",
    ),
    (
        '"Say it."',
        "'Dear\\n{% include \"x\" %}'",
        "has a template in its instructions that can't be read on line 2: a template can't include another",
    ),
    (
        '"Say it."',
        "'{{ settings[\"acme.weights\"].x }}'",
        'has a template in its instructions, and it reads settings["acme.weights"]',
    ),
    ('{"historyLimit": 9}', "{'hitlAfterTurns': 2}", "has a conversation policy (hitlAfterTurns)"),
    ('"^2.0.0"', "'newest'", "names tool acme.other with 'newest', which is not a version range"),
]


async def test_agents_that_declare_what_cannot_run_are_refused_by_name(make_pack: MakePack) -> None:
    agents = {
        f"agents/speaker{i}.py": AGENT.replace(old, new).replace("acme.speaker", f"acme.speaker{i}")
        for i, (old, new, _) in enumerate(DECLARED)
    }
    with await index_pack(make_pack(agents)) as indexed, pytest.raises(Unsupported) as caught:
        check_supported(indexed.index)
    for i, (_, _, words) in enumerate(DECLARED):
        assert f"Agent acme.speaker{i} 0.1.0 {words}" in caught.value.sentence
    assert "acme.speaker " not in caught.value.sentence, "the one that can run is not named"


MORE_TOOLS = '''
    from pydantic import BaseModel
    from kindgi import http_tool, tool

    class Words(BaseModel):
        text: str

    lookup = http_tool(id="acme.http", description="Looks up.", input=Words, output=dict, method="GET",
                       url_template="https://example.com/{text}")

    @tool(id="acme.secret", needs_spec={"secrets": {"KEY": {"type": "string"}}})
    def secret(words: Words) -> dict:
        """Needs a secret."""
        return {}

    @tool(id="acme.boxed", sandbox="strict", limits={"memMB": 5, "cpuMs": 5}, network={"kind": "none"},
          needs=[{"name": "run"}, {"name": "blob"}])
    def boxed(words: Words) -> dict:
        """Wants a box."""
        return {}

    @tool(id="acme.twice", version="1.0.0")
    def one(words: Words) -> dict:
        """One."""
        return {}

    @tool(id="acme.twice", version="2.0.0")
    def two(words: Words) -> dict:
        """Two."""
        return {}
'''

FLOW = """
    from kindgi import Flow
    from ..tools.words import echo

    flow = Flow(id="acme.flow", version="1.0.0", nodes=[{"id": "e", "kind": "tool", "ref": echo}],
                edges=[{"id": "a", "from": "$start", "to": "e"}, {"id": "b", "from": "e", "to": "$end"}])
"""


async def test_tools_and_flows_that_cannot_run_are_refused_by_name(make_pack: MakePack) -> None:
    folder = make_pack({"tools/more.py": MORE_TOOLS, "flows/flow.py": FLOW})
    with await index_pack(folder) as indexed, pytest.raises(Unsupported) as caught:
        check_supported(indexed.index)
    for words in (
        "Tool acme.http 1.2.3 is an HTTP tool",
        "Tool acme.secret 1.2.3 needs secrets (KEY)",
        "Tool acme.boxed 1.2.3 asks for the sandbox strict",
        "Tool acme.boxed 1.2.3 asks for limits",
        "Tool acme.boxed 1.2.3 asks for the network policy none",
        "Tool acme.boxed 1.2.3 needs blob",
        "Tool acme.twice has 2 versions in one file (tools/more.py)",
        "Flow acme.flow 1.0.0: flows can't be run here yet",
    ):
        assert words in caught.value.sentence
    assert "needs run" not in caught.value.sentence


async def test_init_makes_a_pack_that_publishes(tmp_path: Path) -> None:
    written = init_pack(tmp_path / "new", "acme.notes")
    assert all(path.is_file() for path in written)
    assert declared_id(tmp_path / "new") == "acme.notes"
    with await index_pack(tmp_path / "new") as indexed:
        check_supported(indexed.index)
        assert [tool.id for tool in indexed.index.tools] == ["acme.notes.search-notes"]
        assert indexed.index.agents[0].output_schema is not None
    with pytest.raises(Conflict, match="not an empty folder"):
        init_pack(tmp_path / "new", "acme.notes")
    for bad in ("Acme", "a b", "", "../x", "a..b"):
        with pytest.raises(Invalid):
            init_pack(tmp_path / "other", bad)
    assert not (tmp_path / "other").exists() and declared_id(tmp_path / "other") is None
