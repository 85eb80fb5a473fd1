"""Where one left off: the screen, filters and drafts of each workbench, kept between starts."""

import contextlib
import hashlib
import json
import os
import tempfile
from pathlib import Path

from kindgi_tui.domain.base import Json


class State:
    """A small JSON file of one workbench and person. A broken or missing one is empty, a failed write is no error."""

    def __init__(self, where: str, person: str, folder: Path | None = None) -> None:
        """`where` is the workbench's folder or address; `folder` is where such files stand."""
        if folder is None:
            import platformdirs

            folder = Path(platformdirs.user_state_dir("kindgi-tui"))
        name = hashlib.sha256(f"{where}\n{person}".encode("utf-8", "replace")).hexdigest()[:24]
        self.path = folder / f"{name}.json"
        """The file."""
        self._values = self._read()

    def _read(self) -> dict[str, Json]:
        try:
            values = json.loads(self.path.read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        return values if isinstance(values, dict) else {}

    def get(self, key: str) -> Json:
        """What was kept under that key; None when nothing was."""
        return self._values.get(key)

    def put(self, key: str, value: Json) -> None:
        """Keeps a value under a key at once; None forgets it."""
        if self._values.get(key) == value:
            return
        if value is None:
            self._values.pop(key, None)
        else:
            self._values[key] = value
        with contextlib.suppress(OSError):
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle, scratch = tempfile.mkstemp(dir=self.path.parent, prefix=".state-")
            with os.fdopen(handle, "w") as file:
                json.dump(self._values, file)
            Path(scratch).replace(self.path)
