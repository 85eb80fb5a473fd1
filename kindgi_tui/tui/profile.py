"""What the terminal can do, chosen at start, shown, and overridable (DESIGN section 13)."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

ProfileName = Literal["local", "ssh", "tmux", "dumb"]
"""Where one sits: at this machine, over SSH, in a multiplexer, at a terminal that can do little."""

PROFILES: tuple[ProfileName, ...] = ("local", "ssh", "tmux", "dumb")
"""All of them."""

VARIABLE = "KINDGI_TUI_PROFILE"
"""The environment variable that names one."""


@dataclass(frozen=True)
class Profile:
    """How the terminal face behaves here."""

    name: ProfileName
    """Which profile it is."""
    ansi: bool
    """Whether the terminal's own 16 colours are used: over a slow link, or when colour is not wanted."""
    mouse: bool
    """Whether the mouse is listened to; all-motion reports are dear on a slow link."""
    panel_hz: float
    """How often a live panel repaints at most, per second."""
    colour: bool
    """Whether there is colour at all (NO_COLOR)."""


def choose_profile(environment: Mapping[str, str] | None = None, asked: str | None = None) -> Profile:
    """The profile for this terminal: the asked one, `KINDGI_TUI_PROFILE`, or what the environment tells."""
    env = os.environ if environment is None else environment
    wanted = asked or env.get(VARIABLE) or ""
    name = next((each for each in PROFILES if each == wanted), None) or _told(env)
    colour = not env.get("NO_COLOR")
    remote = name != "local"
    return Profile(
        name, ansi=remote or not colour, mouse=not remote, panel_hz=2.0 if remote else 4.0, colour=colour
    )


def unknown_profile(environment: Mapping[str, str] | None = None) -> str | None:
    """The sentence for a profile named in the environment that there isn't; None when all is well."""
    named = (os.environ if environment is None else environment).get(VARIABLE)
    if not named or named in PROFILES:
        return None
    return f'{VARIABLE} is "{named}", which is none of {", ".join(PROFILES)}: the terminal\'s own is taken.'


def _told(env: Mapping[str, str]) -> ProfileName:
    if env.get("TERM", "") in ("dumb", "linux", "vt100", "unknown"):
        return "dumb"
    if env.get("SSH_CONNECTION") or env.get("SSH_TTY"):
        return "ssh"
    return "tmux" if env.get("TMUX") or env.get("STY") else "local"
