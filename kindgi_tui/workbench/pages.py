"""A keyset page of a list (DESIGN section 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from kindgi_tui.domain.base import Frozen

T = TypeVar("T")


class Page(Frozen, Generic[T]):
    """A keyset page of a list."""

    data: tuple[T, ...]
    """The rows, in the list's order."""
    has_more: bool
    """Whether more rows follow; the number of rows says nothing."""
    next_cursor: str | None = None
    """What to ask the next page with; None on the last."""

    if not TYPE_CHECKING:

        def __class_getitem__(cls, row: object) -> type[Page]:
            # What a page holds is for readers and type checkers. A model of its own for each kind of row, made where
            # a signature names it, would cost every start some milliseconds.
            return cls
