"""Named runtimes with their tokens, in a file that only its owner can read (DESIGN section 10)."""

import contextlib
import json
import os
import re
import tempfile
from pathlib import Path

from pydantic import SecretStr

from kindgi_tui.domain.base import Frozen, Json
from kindgi_tui.workbench import Invalid, NotFound, Unavailable

FILE_NAME = "profiles.json"
"""The file in the user's configuration folder."""

LOCAL = "local"
"""The name that stands for the workspace on this machine; no profile has it."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


class Profile(Frozen):
    """One named runtime."""

    name: str
    """Its name: letters, digits, `.`, `_` and `-`."""
    address: str
    """Where it is, in its one spelling. The token is never sent anywhere else."""
    token: SecretStr
    """Its bearer token."""


class Profiles(Frozen):
    """All profiles, and which one is in use."""

    current: str | None = None
    """The one that is used without `--url` and `--profile`; None: the workspace on this machine."""
    profiles: tuple[Profile, ...] = ()
    """The profiles, by name."""

    def get(self, name: str) -> Profile:
        """The profile of that name. Raises NotFound."""
        for one in self.profiles:
            if one.name == name:
                return one
        raise NotFound(
            f'No profile is called "{name}". `kindgi-tui profiles list` shows them.', code="profile-not-found"
        )

    def with_profile(self, profile: Profile) -> "Profiles":
        """The same with a profile added, or put in the place of the one with its name. Raises Invalid."""
        if not _NAME.fullmatch(profile.name) or profile.name == LOCAL:
            raise Invalid(
                "A profile's name has letters, digits, `.`, `_` and `-`, starts with a letter or digit, and is not "
                f"`{LOCAL}`.",
                field="name",
            )
        others = [one for one in self.profiles if one.name != profile.name]
        return self.model_copy(
            update={"profiles": tuple(sorted([*others, profile], key=lambda one: one.name))}
        )

    def without(self, name: str) -> "Profiles":
        """The same without a profile. Raises NotFound."""
        gone = self.get(name)
        return Profiles(
            current=None if self.current == name else self.current,
            profiles=tuple(one for one in self.profiles if one != gone),
        )

    def using(self, name: str) -> "Profiles":
        """The same with that one in use; `local` uses none. Raises NotFound."""
        if name == LOCAL:
            return self.model_copy(update={"current": None})
        return self.model_copy(update={"current": self.get(name).name})


def config_folder() -> Path:
    """The user's configuration folder of kindgi-tui."""
    import platformdirs

    return Path(platformdirs.user_config_dir("kindgi-tui"))


def load_profiles(folder: Path | None = None) -> Profiles:
    """The profiles as they stand in the file; none without one.

    Raises Unavailable (`machine-…`) when the file can't be read, or when others can read it.
    """
    path = (folder or config_folder()) / FILE_NAME
    try:
        handle = path.open("r", encoding="utf-8")
    except FileNotFoundError:
        return Profiles()
    except OSError as cause:
        raise _trouble(path, cause) from None
    with handle:
        if os.fstat(handle.fileno()).st_mode & 0o077:
            raise Unavailable(
                f"Others can read {path}, and it holds tokens. Make it yours alone: chmod 600 {path}",
                code="machine-open-to-others",
            )
        try:
            return _read(json.load(handle))
        except (ValueError, TypeError, KeyError, RecursionError):
            raise Unavailable(
                f"{path} is not as kindgi-tui writes it. Mend it, or remove it and add your profiles again.",
                code="machine-damaged",
            ) from None


def save_profiles(profiles: Profiles, folder: Path | None = None) -> Path:
    """Writes the file (mode 0600) at once or not at all. Raises Unavailable (`machine-…`)."""
    path = (folder or config_folder()) / FILE_NAME
    told: dict[str, Json] = {
        "current": profiles.current,
        "profiles": {
            one.name: {"url": one.address, "token": one.token.get_secret_value()} for one in profiles.profiles
        },
    }
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, scratch = tempfile.mkstemp(dir=path.parent, prefix=".profiles-")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(told, file, indent=2)
                file.write("\n")
                file.flush()
                os.fsync(file.fileno())
            Path(scratch).replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(scratch).unlink()
            raise
    except OSError as cause:
        raise _trouble(path, cause) from None
    return path


def _read(value: Json) -> Profiles:
    if not isinstance(value, dict):
        raise TypeError("the file holds an object")
    listed = value.get("profiles")
    found: list[Profile] = []
    for name, told in listed.items() if isinstance(listed, dict) else ():
        if not isinstance(told, dict):
            raise TypeError("a profile is an object")
        found.append(Profile(name=name, address=str(told["url"]), token=SecretStr(str(told["token"]))))
    current = value.get("current")
    names = {one.name for one in found}
    return Profiles(
        current=current if isinstance(current, str) and current in names else None,
        profiles=tuple(sorted(found, key=lambda one: one.name)),
    )


def _trouble(path: Path, cause: OSError) -> Unavailable:
    return Unavailable(
        f"{path} can't be used: {cause.strerror or cause}. Check the file and its folder.",
        code="machine-file",
    )
