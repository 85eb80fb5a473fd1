"""The list of one part of a correction; only the part one is in shows where its cursor stands."""

from textual.strip import Strip

from kindgi_tui.tui.widgets.line_list import LineList


class PartList(LineList):
    """A list whose cursor shows while its part is the one that keys act on."""

    active = False
    """Whether keys act on it."""

    def activate(self, active: bool) -> None:
        """Keys act on it from now on, or not any more."""
        if active != self.active:
            self.active = active
            self.repaint(self.cursor)

    def render_line(self, y: int) -> Strip:
        """One line; without the cursor's mark in the part one isn't in."""
        if self.active:
            return super().render_line(y)
        standing, self._cursor = self._cursor, -1
        try:
            return super().render_line(y)
        finally:
            self._cursor = standing
