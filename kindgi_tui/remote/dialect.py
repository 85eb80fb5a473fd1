"""Which dialect a runtime speaks, read off its own OpenAPI document and never guessed (DESIGN section 10)."""

import re
from collections.abc import Mapping

from kindgi_tui.domain.base import Json
from kindgi_tui.remote.paths import ONLY_NEW, OPERATIONS, Names, Route, candidates
from kindgi_tui.workbench import Unsupported

DOCUMENT = "/v1/openapi.json"
"""Where a runtime describes itself; no token is needed for it."""

_ID = re.compile(r"\{[^}]*\}")
_START = {"0.4": ("POST", "/v1/test-sets/{}/runs"), "0.1": ("POST", "/v1/eval-suites/{}/runs")}


class Dialect:
    """A runtime's dialect, with the way to each operation it offers."""

    def __init__(self, version: Names, routes: Mapping[str, Route]) -> None:
        self.version: Names = version
        """0.1 or 0.4; a runtime with both is asked in 0.4."""
        self.routes = routes
        """The way to each operation that the runtime's document has."""

    def route(self, operation: str) -> Route:
        """The way to an operation. Raises Unsupported when the runtime's document doesn't have it."""
        route = self.routes.get(operation)
        if route is None:
            known = OPERATIONS.get(operation) or ONLY_NEW[operation]
            sentence = f"This runtime doesn't offer {known.what}. {known.instead}".rstrip()
            raise Unsupported(sentence, code="route-not-found")
        return route

    def offers(self, operation: str) -> bool:
        """Whether its document has the operation. It may still answer that nothing stands behind it."""
        return operation in self.routes


def read_dialect(document: Json, address: str) -> Dialect:
    """The dialect an OpenAPI document describes. Raises Unsupported when it is no Kindgi runtime's."""
    offered = _offered(document)
    version: Names
    if _START["0.4"] in offered:
        version = "0.4"
    elif _START["0.1"] in offered:
        version = "0.1"
    else:
        raise Unsupported(
            f"{address} is no Kindgi runtime that kindgi-tui knows: its {DOCUMENT} has neither eval suites (0.1) nor "
            "test sets (0.4). Check the address.",
            code="unknown-dialect",
        )
    routes: dict[str, Route] = {}
    for operation in (*OPERATIONS, *ONLY_NEW):
        ways = candidates(operation) if version == "0.4" else candidates(operation)[-1:]
        found = next((way for way in ways if (way.method, way.path) in offered), None)
        if found is not None and (version == "0.4" or found.names == "0.1"):
            routes[operation] = found
    return Dialect(version, routes)


def _offered(document: Json) -> set[tuple[str, str]]:
    paths = document.get("paths") if isinstance(document, dict) else None
    if not isinstance(paths, dict):
        return set()
    return {
        (method.upper(), _ID.sub("{}", path))
        for path, methods in paths.items()
        if isinstance(methods, dict)
        for method in methods
    }
