"""The items of an output: what people judge one by one (DESIGN section 4, "Items of an output")."""

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.javascript import Number, fields, is_number, number_text
from kindgi_tui.domain.plain import Kept
from kindgi_tui.domain.pointers import Found, escape, look_up

MAX_DEPTH = 3
"""How many objects deep a list may stand to give items."""

MAX_LIST = 100
"""The longest list that gives items, in elements."""


class Item(Kept):
    """The answer, the whole output, or an element of a list in the output."""

    null_is_a_value = frozenset(("value",))

    key: str
    """What names it: `answer`, `output`, an element's own id, or its pointer."""
    pointer: str = ""
    """Where it stands in the output, a JSON Pointer."""
    rank: Number | None = None
    """Its place in its list, from 0; None for the answer and the whole output."""
    own_key: bool = False
    """Whether the key is the element's own, so that it is the same item at any place."""
    value: Json = None
    """Its content, as it stands in the output."""


def output_items(output: Json, agent_turn: bool) -> tuple[Item, ...]:
    """The items of a run's output, in order: the answer (or the whole output), then every list's elements.

    `agent_turn` says that the output is an agent turn's result (`appended`, and `output` when typed); else it
    is a flow's. An output that is None, or not an object for an agent's turn, has none.
    """
    found: list[Item] = []
    if not agent_turn:
        if output is not None:
            found.append(Item.make(key="output", pointer="", own_key=False, value=output))
            _list_items(output, "", 0, found)
    elif isinstance(output, dict):
        _answer(output.get("appended"), found)
        _list_items(output.get("output"), "/output", 0, found)
    return tuple(found)


def answer_of(output: Json, agent_turn: bool) -> Json:
    """The answer of an output: an agent's last words, or a flow's whole output; None without one."""
    for item in output_items(output, agent_turn):
        if item.key in ("answer", "output") and not item.own_key:
            return item.value
    return None


def value_at(document: Json, pointer: str) -> Found:
    """What stands at a pointer in a document, read leniently as matching does (see `pointers.look_up`)."""
    return look_up(document, pointer)


def _answer(appended: Json, found: list[Item]) -> None:
    if not isinstance(appended, list):
        return
    for i in range(len(appended) - 1, -1, -1):
        message = appended[i]
        if not isinstance(message, dict) or message.get("role") != "agent" or "content" not in message:
            continue
        content = message["content"]
        if isinstance(content, dict) and isinstance(content.get("toolCalls"), list):
            continue
        pointer = f"/appended/{i}/content"
        found.append(Item.make(key="answer", pointer=pointer, own_key=False, value=content))
        return


def _list_items(value: Json, pointer: str, depth: int, found: list[Item]) -> None:
    if isinstance(value, list):
        if 0 < len(value) <= MAX_LIST:
            _elements(value, pointer, found)
    elif isinstance(value, dict) and depth < MAX_DEPTH:
        for field, child in fields(value):
            if isinstance(child, list | dict):
                _list_items(child, f"{pointer}/{escape(field)}", depth + 1, found)


def _elements(elements: list[Json], pointer: str, found: list[Item]) -> None:
    seen: set[str] = set()
    for i, element in enumerate(elements):
        place = f"{pointer}/{i}"
        own = _own_key(element)
        is_own = own is not None and own not in seen
        key = own if own is not None and is_own else place
        seen.add(key)
        found.append(Item.make(key=key, pointer=place, rank=i, own_key=is_own, value=element))


def _own_key(element: Json) -> str | None:
    if isinstance(element, dict):
        for field in ("id", "key"):
            value = element.get(field)
            if isinstance(value, str) and value:
                return value
            if isinstance(value, int | float) and is_number(value):
                return number_text(value)
    return None
