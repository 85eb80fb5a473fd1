"""Where one left off: the screen, filters and drafts of each workbench, kept between starts."""

import contextlib
import fcntl
import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from kindgi_tui.domain.base import Json


class State:
    """A small JSON file of one workbench and person. A broken or missing one is empty, a failed write is no error."""

    def __init__(
        self,
        where: str,
        person: str,
        folder: Path | None = None,
        failed: Callable[[str], None] | None = None,
    ) -> None:
        """`where` is the workbench's folder or address; `folder` is where such files stand.

        `failed` is told, in a sentence, that nothing can be kept: once, and again after it went well.
        """
        if folder is None:
            import platformdirs

            folder = Path(platformdirs.user_state_dir("kindgi-tui"))
        name = hashlib.sha256(f"{where}\n{person}".encode("utf-8", "replace")).hexdigest()[:24]
        self.path = folder / f"{name}.json"
        """The file."""
        self._failed = failed
        self._failing = False
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
        if self._values.get(key) != value:
            self.update(key, lambda _: value)

    def update(self, key: str, change: Callable[[Json], Json]) -> None:
        """Keeps what `change` makes of the value that is kept, by another window too; None stands for no value."""
        _set(self._values, key, change(self._values.get(key)))
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with self._alone():
                # What another window of the same person kept meanwhile stays.
                values = self._read()
                _set(values, key, change(values.get(key)))
                self._write(values)
        except OSError as cause:
            if self._failed is not None and not self._failing:
                self._failed(
                    f"Drafts and settings can't be kept for the next start: {self.path.parent} "
                    f"({cause.strerror or cause})."
                )
            self._failing = True
        else:
            self._failing = False
            _set(self._values, key, values.get(key))

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """One window writes at a time; the lock goes with the process."""
        handle = os.open(self.path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)

    def _write(self, values: dict[str, Json]) -> None:
        handle, scratch = tempfile.mkstemp(dir=self.path.parent, prefix=".state-")
        try:
            with os.fdopen(handle, "w") as file:
                json.dump(values, file)
            Path(scratch).replace(self.path)
        except OSError:
            with contextlib.suppress(OSError):
                Path(scratch).unlink()
            raise


def _set(values: dict[str, Json], key: str, value: Json) -> None:
    if value is None:
        values.pop(key, None)
    else:
        values[key] = value
