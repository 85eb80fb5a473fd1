"""Which runtime is meant, and which token belongs to it: a token only ever goes to its own address (DESIGN 10)."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from pydantic import SecretStr

from kindgi_tui.config.profiles import Profiles
from kindgi_tui.remote.address import is_same_place, normal_address
from kindgi_tui.workbench import Denied, Invalid, NotFound

URL_VARIABLE, TOKEN_VARIABLE = "KINDGI_API_URL", "KINDGI_API_TOKEN"
"""Environment variables the official clients read too."""

DEV_FILE = ".kindgirc.json"
"""What `kindgi dev` (and `kindgi-tui serve --dev-file`) writes. It outlives them: it says nothing of what runs."""

DEV = "dev"
"""In place of an address: the one in the nearest dev file."""


class Credentials(NamedTuple):
    """A runtime's address with its token."""

    address: str
    """The address, in its one spelling."""
    token: SecretStr
    """The token that belongs to it."""
    source: str
    """Where the address was named, for a person."""


def credentials_of(
    url: str | None,
    profile: str | None,
    environ: Mapping[str, str],
    folder: Path,
    profiles: Callable[[], Profiles],
) -> Credentials | None:
    """The runtime that is meant: `--url`, else `--profile`, else the environment's, else the profile in use.

    None: none is. `folder` is where the nearest dev file is looked for from; `profiles` reads the profiles' file.
    Raises Invalid, NotFound (no such profile, no dev file), Denied (there is no token for that address).
    """
    if url == DEV:
        found = nearest_dev_file(folder)
        broken = next((one for one in (folder, *folder.parents) if (one / DEV_FILE).exists()), None)
        if found is None and broken is not None:
            raise Invalid(
                f"{broken / DEV_FILE} can't be read as a dev file (apiUrl and token, as JSON). Start the runtime that "
                "writes it again, or name the address with --url.",
                code="dev-file-broken",
                field="url",
            )
        if found is None:
            raise NotFound(
                f"There is no {DEV_FILE} here or above. `kindgi dev` and `kindgi-tui serve --dev-file` write one.",
                code="dev-file-not-found",
            )
        return found
    if url is not None:
        address = normal_address(url)
        return Credentials(address, _token_for(address, environ, folder, profiles), "--url")
    if profile is not None:
        named = profiles().get(profile)
        return Credentials(normal_address(named.address), _usable(named.token), f"profile {named.name}")
    told = environ.get(URL_VARIABLE)
    if told:
        address = normal_address(told)
        return Credentials(address, _token_for(address, environ, folder, profiles), URL_VARIABLE)
    known = profiles()
    if known.current is None:
        return None
    named = known.get(known.current)
    return Credentials(normal_address(named.address), _usable(named.token), f"profile {named.name}, in use")


def nearest_dev_file(folder: Path) -> Credentials | None:
    """The runtime of the nearest dev file, here or above; a broken one counts as none."""
    for place in (folder, *folder.parents):
        path = place / DEV_FILE
        try:
            value = json.loads(path.read_text("utf-8"))
        except FileNotFoundError:
            continue
        except (OSError, ValueError, RecursionError):
            return None
        address, token = (
            (value.get("apiUrl"), value.get("token")) if isinstance(value, dict) else (None, None)
        )
        if not isinstance(address, str) or not isinstance(token, str) or not address or not token:
            return None
        try:
            return Credentials(normal_address(address), _usable(SecretStr(token)), str(path))
        except Invalid:
            return None
    return None


def _token_for(
    address: str, environ: Mapping[str, str], folder: Path, profiles: Callable[[], Profiles]
) -> SecretStr:
    given = token_given(address, environ)
    if given is not None:
        return given
    known = profiles().profiles
    for one in known:
        if _same(one.address, address):
            return _usable(one.token)
    dev = nearest_dev_file(folder)
    if dev is not None and dev.address == address:
        return dev.token
    kept = [(one.address, f"profile {one.name}") for one in known]
    if dev is not None:
        kept.append((dev.address, dev.source))
    raise Denied(_why_none(address, environ, kept), code="token-missing")


def token_given(address: str, environ: Mapping[str, str]) -> SecretStr | None:
    """The environment's token where it belongs to an address: the environment's own; without one, any named with it.

    Raises Invalid for one that no header takes.
    """
    token, told = environ.get(TOKEN_VARIABLE), environ.get(URL_VARIABLE)
    return _usable(SecretStr(token)) if token and (not told or _same(told, address)) else None


def _why_none(address: str, environ: Mapping[str, str], kept: list[tuple[str, str]]) -> str:
    """Why there is no token for an address, and what to do; `kept`: addresses that have one, and where it is kept."""
    told = environ.get(URL_VARIABLE) if environ.get(TOKEN_VARIABLE) else None
    owner = None if told is None else _normal_if(told)
    for other, source in [*kept, *([] if owner is None else [(owner, TOKEN_VARIABLE)])]:
        if is_same_place(other, address):
            return (
                f"There is no token for {address}, but one is kept for {other} ({source}): name the runtime by that "
                "address."
            )
    keep = f"kindgi-tui profiles add NAME --url {address}"
    if told is None:
        return f"There is no token for {address}. Give one with {TOKEN_VARIABLE}, or keep it: {keep}"
    place = "another address" if owner is None else owner
    return (
        f"There is no token for {address}: {TOKEN_VARIABLE} belongs to {place} ({URL_VARIABLE}) and goes nowhere else. "
        f"Keep this one's with `{keep}`, or unset {URL_VARIABLE}."
    )


def _usable(token: SecretStr) -> SecretStr:
    """The token without the blanks around it. Raises Invalid, without the token: no header takes what it holds."""
    text = token.get_secret_value().strip()
    if not text or not text.isascii() or not text.isprintable() or " " in text:
        raise Invalid(
            "The token holds characters that no token has: copy it again, without quotes or line breaks.",
            code="token-malformed",
        )
    return SecretStr(text)


def _same(told: str, address: str) -> bool:
    return _normal_if(told) == address


def _normal_if(told: str) -> str | None:
    """An address in its one spelling; None for what is none."""
    try:
        return normal_address(told)
    except Invalid:
        return None
