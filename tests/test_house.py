"""The house rules a linter doesn't know: what is imported when, and that every field says what it means."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import kindgi_tui

PACKAGE = Path(kindgi_tui.__file__).parent
HEAVY = {
    "aiohttp", "anthropic", "httpx", "jsonschema", "kindgi", "liquid", "openai", "rich", "starlette", "textual",
    "uvicorn", "yaml",
}  # fmt: skip


def modules_after(statement: str) -> set[str]:
    """The top-level modules that are loaded once a fresh interpreter ran `statement`."""
    code = f"import sys\n{statement}\nprint(*sorted({{name.partition('.')[0] for name in sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize(
    "module", ["workbench", "opening", "cli.main", "local.workbench", "domain.scoring", "text"]
)
def test_nothing_heavy_is_loaded_by_importing(module: str) -> None:
    loaded = modules_after(f"import kindgi_tui.{module}")
    assert "kindgi_tui" in loaded
    allowed = {"rich"} if module == "text" else set()
    assert not (loaded & HEAVY) - allowed


def _undocumented(tree: ast.Module) -> list[str]:
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.ClassDef) or node.name.startswith("_"):
            continue
        for statement, after in zip(node.body, [*node.body[1:], None], strict=True):
            if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
                continue
            name = statement.target.id
            said = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
            # Names in capitals are a framework's own, such as BINDINGS.
            if not name.startswith("_") and not name.isupper() and name != "model_config" and not said:
                found.append(f"{node.name}.{name}")
    return found


def test_every_public_field_says_what_it_means() -> None:
    found = [
        f"{path.relative_to(PACKAGE)}: {name}"
        for path in sorted(PACKAGE.rglob("*.py"))
        if "demo/pack" not in path.as_posix()
        for name in _undocumented(ast.parse(path.read_text("utf-8")))
    ]
    assert found == []


def test_no_path_of_a_machine_stands_in_the_package() -> None:
    home = str(Path.home())
    for path in PACKAGE.rglob("*.py"):
        assert home + "/" not in path.read_text("utf-8"), path


AT_THE_BORDER = {"wire", "server", "remote"}
"""Where the runtime's own words have their place; everywhere else DESIGN section 2's are said."""


def _sentences(tree: ast.Module) -> list[str]:
    """Every text in a module that is no docstring."""
    said = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said
    ]


def test_sentences_use_our_words_and_the_runtimes_stand_at_the_border_alone() -> None:
    theirs = re.compile(
        r"\b(eval suite|eval run|judge class|test run\b(?!'s executor)|corrector group)", re.I
    )
    found = [
        f"{path.relative_to(PACKAGE)}: {sentence}"
        for path in sorted(PACKAGE.rglob("*.py"))
        if path.relative_to(PACKAGE).parts[0] not in AT_THE_BORDER
        for sentence in _sentences(ast.parse(path.read_text("utf-8")))
        if theirs.search(sentence)
    ]
    assert found == []
