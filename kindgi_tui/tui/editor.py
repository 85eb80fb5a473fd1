"""Writing a longer text: in the person's own editor, or where there is none in a box on the screen."""

import os
import shlex
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from textual import events
from textual.app import App
from textual.message import Message
from textual.widgets import TextArea


def editor_command() -> list[str] | None:
    """The editor that `$VISUAL` or `$EDITOR` names; None when neither does."""
    named = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
    try:
        return shlex.split(named) or None
    except ValueError:
        return None


def edit_away(app: App[Any], command: list[str], text: str, prefix: str, suffix: str = ".md") -> str:
    """`edit_outside` while the app stands aside. Raises the same, and SuspendNotSupported.

    What went wrong is raised once the terminal is the app's again: an error that leaves `suspend` never gives it back.
    """
    failed: OSError | ValueError | None = None
    written = text
    with app.suspend():
        try:
            written = edit_outside(command, text, prefix, suffix)
        except (OSError, ValueError) as cause:
            failed = cause
    if failed is not None:
        raise failed
    return written


def edit_outside(command: list[str], text: str, prefix: str = "text-", suffix: str = ".md") -> str:
    """Has the text edited in a file of its own, named so. Raises OSError, ValueError (it is no UTF-8 any more)."""
    handle, name = tempfile.mkstemp(suffix=suffix, prefix=prefix)
    path = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode("utf-8", "surrogatepass"))
        done = subprocess.run([*command, name], check=False)
        if done.returncode != 0:
            raise OSError(f"{command[0]} ended with {done.returncode}")
        return path.read_bytes().decode("utf-8", "surrogatepass")
    finally:
        path.unlink(missing_ok=True)


class TextBox(TextArea):
    """The text, edited on the screen. Ctrl+S saves it, Escape leaves it as a draft."""

    class Ended(Message):
        """The writing ended."""

        def __init__(self, text: str, save: bool) -> None:
            super().__init__()
            self.text = text
            """The text as it stands."""
            self.save = save
            """Whether it is to be saved."""

    async def _on_key(self, event: events.Key) -> None:
        if event.key in ("ctrl+s", "escape"):
            event.stop()
            event.prevent_default()
            self.post_message(self.Ended(self.text, event.key == "ctrl+s"))
            return
        await super()._on_key(event)
