"""The styles a widget paints its words in, by the short names its parts are given."""

from rich.style import Style
from textual.widget import Widget


class NamedStyles:
    """A widget's component styles by their names without the widget's prefix, kept until they are forgotten."""

    def __init__(self, widget: Widget, prefix: str) -> None:
        """`prefix` stands before each name in the style sheet, with two hyphens."""
        self._widget = widget
        self._prefix = prefix
        self._kept: dict[str, Style] = {}

    def __call__(self, name: str) -> Style:
        """The style of that name on the widget's own; the empty name is the widget's own."""
        found = self._kept.get(name)
        if found is None:
            found = self._widget.rich_style
            if name:
                part = f"{self._prefix}--{name}"
                found = found + self._widget.get_component_rich_style(part, partial=True)
            self._kept[name] = found
        return found

    def forget(self) -> None:
        """Another theme: every style is looked up anew."""
        self._kept.clear()
