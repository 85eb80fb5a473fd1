"""Items of a run on the command line: found by key, shown with what was said of them."""

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.items import Item, output_items
from kindgi_tui.domain.judgments import ItemRef, Judgment
from kindgi_tui.domain.runs import RunDetail
from kindgi_tui.text import dumps_line, one_line
from kindgi_tui.workbench import Invalid

NAMED = 12
"""How many keys a sentence names."""

TITLES = ("title", "name", "label", "text", "question", "why")
"""Fields that say what an element is, the first one first."""


def items_of(run: RunDetail) -> tuple[Item, ...]:
    """The items of a run's output."""
    return output_items(run.output, run.subject.kind == "agent")


def item_of(run: RunDetail, key: str, pointer: str | None = None, rank: int | None = None) -> ItemRef:
    """The item with that key, with exactly its derived pointer and rank (DESIGN section 4, fine print 1).

    Raises Invalid when the output has no such item, or when it stands elsewhere than `pointer` and `rank` say.
    """
    items = items_of(run)
    named = [item for item in items if item.key == key]
    if not named:
        keys = ", ".join(one_line(item.key, 80) for item in items[:NAMED])
        more = f" and {len(items) - NAMED} more" if len(items) > NAMED else ""
        what = f"It has {keys}{more}." if items else "Its output has no items to judge."
        raise Invalid(
            f"Run {run.id} has no item {one_line(key, 80)!r}. {what}", code="item-not-found", field="item"
        )
    for item in named:
        if (pointer is None or pointer == item.pointer) and (rank is None or rank == item.rank):
            return ItemRef(
                key=item.key, pointer=item.pointer, rank=None if item.rank is None else int(item.rank)
            )
    there = "; ".join(_place(item) for item in named)
    raise Invalid(
        f"Item {one_line(key, 80)!r} of run {run.id} stands at {there}. Leave --pointer and --rank out.",
        code="item-not-found",
        field="item",
    )


def _place(item: Item) -> str:
    rank = "" if item.rank is None else f", rank {item.rank}"
    return f"pointer {one_line(item.pointer, 120)!r}{rank}"


def gist(value: Json, cells: int = 100) -> str:
    """What an item is, on one line: its title where it has one, else its beginning as JSON."""
    if isinstance(value, str):
        return one_line(value, cells)
    if isinstance(value, dict):
        for field in TITLES:
            told = value.get(field)
            if isinstance(told, str) and told:
                return one_line(told, cells)
    return one_line(dumps_line(value), cells)


def word_of(judgment: Judgment) -> str:
    """The verdict, and whether an expert group said it."""
    return f"{judgment.verdict} (experts)" if judgment.restricted else judgment.verdict
