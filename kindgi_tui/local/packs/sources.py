"""The code of one tool: what a version's content is besides its definition (DESIGN section 9).

Only the tool's own file is read, and of it the handler and the statements at the top of the file that the handler
uses, directly or through others. So adding another tool to the file changes nothing for the ones that stand in it.
What the handler imports, and files it reads, are not its content. The text counts as it stands (not a syntax tree,
whose form differs between versions of Python), blanks at the ends of lines aside.
"""

import ast
import hashlib
from collections.abc import Iterable


def code_digest(source: str, tool_id: str) -> str:
    """The hash (hex of sha256) of a tool's code in its file.

    A file the tool can't be found in by reading (its id is computed, its decorator hidden) counts as a whole.
    Empty when the source can't be parsed.
    """
    try:
        statements = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError):
        return ""
    used = [each for each in statements if _declares(each, tool_id)] or statements
    defined = [(each, set(_bound(each))) for each in statements]
    while True:
        names = {node.id for each in used for node in ast.walk(each) if isinstance(node, ast.Name)}
        more = [each for each, bound in defined if each not in used and bound & names]
        if not more:
            break
        used = used + more
    lines = source.splitlines()
    kept = [
        line.rstrip() for each in statements if each in used for line in lines[_first(each) : each.end_lineno]
    ]
    return hashlib.sha256("\n".join(kept).encode("utf-8", "replace")).hexdigest()


def _first(statement: ast.stmt) -> int:
    """The index of a statement's first line, its decorators included."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return min([statement.lineno, *(each.lineno for each in statement.decorator_list)]) - 1
    return statement.lineno - 1


def _declares(statement: ast.stmt, tool_id: str) -> bool:
    """Whether a statement holds a call with `id="<the tool's id>"`."""
    return any(
        isinstance(keyword.value, ast.Constant) and keyword.arg == "id" and keyword.value.value == tool_id
        for node in ast.walk(statement)
        if isinstance(node, ast.Call)
        for keyword in node.keywords
    )


def _bound(statement: ast.stmt) -> Iterable[str]:
    """The names a statement at the top of a file gives a value to."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return (statement.name,)
    names: list[str] = []
    for node in ast.walk(statement):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.append(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.append(node.id)
        elif isinstance(node, ast.alias):
            names.append((node.asname or node.name).split(".")[0])
    return names
