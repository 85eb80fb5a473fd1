"""Addresses of runtimes: one spelling for each, so that a token can be told to belong to it (DESIGN section 10)."""

from urllib.parse import quote, urlsplit

from kindgi_tui.workbench import Invalid

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
"""Hosts that are this machine."""

_PORTS = {"http": 80, "https": 443}


def normal_address(url: str) -> str:
    """The address in its one spelling: scheme and host in lower case, no default port, no `/` and no `/v1` at the end.

    Raises Invalid for what isn't an http(s) address, and for one that holds a name, password, query or fragment.
    """
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError:
        raise _not_an_address(url) from None
    scheme, host = parts.scheme.lower(), (parts.hostname or "").lower()
    if scheme not in _PORTS or not host or not url.isascii() or any(mark <= " " for mark in url.strip()):
        raise _not_an_address(url)
    if parts.username is not None or parts.password is not None:
        raise Invalid(
            "An address holds no name and no password: give the token with KINDGI_API_TOKEN or a profile.",
            field="url",
        )
    if parts.query or parts.fragment:
        raise Invalid(
            "An address ends with its host and port, such as https://kindgi.example.com.", field="url"
        )
    shown = f"[{host}]" if ":" in host else host
    place = shown if port is None or port == _PORTS[scheme] else f"{shown}:{port}"
    path = parts.path.rstrip("/")
    while path.endswith("/v1"):
        # Every path of the API begins with it: some copy it with the address.
        path = path.removesuffix("/v1").rstrip("/")
    return f"{scheme}://{place}{path}"


def _not_an_address(url: str) -> Invalid:
    shown = url.rpartition("@")[2][:200]
    return Invalid(f'"{shown}" is not an address such as https://kindgi.example.com.', field="url")


def is_loopback(address: str) -> bool:
    """Whether an address is this machine's own."""
    return (urlsplit(address).hostname or "") in LOOPBACK


def is_same_place(one: str, other: str) -> bool:
    """Whether two addresses differ in nothing but how they call this machine."""
    if not (is_loopback(one) and is_loopback(other)):
        return False
    first, second = urlsplit(one), urlsplit(other)
    return (first.scheme, first.port, first.path) == (second.scheme, second.port, second.path)


def segment(value: str) -> str:
    """A value as one segment of a path. Raises Invalid for one that would lead out of its place."""
    if not value or not value.strip("."):
        raise Invalid(f'"{value}" is not an id.', field="id")
    return quote(value.encode("utf-8", "surrogatepass"), safe="")
