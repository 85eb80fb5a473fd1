"""Why no connection to a runtime came about, in words of ours: a library's say nothing to the person who reads them."""

import errno
import socket
import ssl
from collections.abc import Iterator
from urllib.parse import urlsplit

from kindgi_tui.remote.address import is_loopback

_NO_WAY = frozenset({errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, errno.EHOSTDOWN})
_NOT_TLS = frozenset({"WRONG_VERSION_NUMBER", "HTTP_REQUEST", "UNKNOWN_PROTOCOL", "RECORD_LAYER_FAILURE"})
_DEEPEST = 20

_EXPIRED, _SELF_SIGNED, _SELF_SIGNED_IN_CHAIN, _NO_ISSUER = 10, 18, 19, 20
_OTHER_NAME, _OTHER_IP = 62, 64
_CERTIFICATE = {
    _EXPIRED: "it has expired",
    _SELF_SIGNED: "it is signed by itself",
    _SELF_SIGNED_IN_CHAIN: "who signed it isn't known on this machine",
    _NO_ISSUER: "who signed it isn't known on this machine",
    _OTHER_NAME: "it is for another name",
    _OTHER_IP: "it is for another address",
}


def unreached(address: str, cause: BaseException) -> str:
    """The sentence for a connection that didn't come about, with what to do next."""
    causes = tuple(_causes(cause))
    for one in causes:
        if isinstance(one, ssl.SSLCertVerificationError):
            return _untrusted(address, one)
    for one in causes:
        if isinstance(one, ssl.SSLError):
            return _insecure(address, one)
    return f"{address} can't be reached: {_why(causes)}"


def _why(causes: tuple[BaseException, ...]) -> str:
    if any(isinstance(one, socket.gaierror) for one in causes):
        return "its name isn't known here. Is it spelled rightly, and is it running?"
    if any(isinstance(one, ConnectionRefusedError) for one in causes):
        return "nobody listens there. Is it running?"
    if any(isinstance(one, OSError) and one.errno in _NO_WAY for one in causes):
        return "there is no way to it from this machine. Is the network up, and is it running?"
    return "no connection came about. Is it running?"


def _untrusted(address: str, cause: ssl.SSLCertVerificationError) -> str:
    known = _CERTIFICATE.get(cause.verify_code)
    why = f" ({known})" if known is not None else ""
    # An environment that names certificates counts for nothing between this machine and itself.
    own = "" if is_loopback(address) else ", or name a file with who signed it in SSL_CERT_FILE"
    return (
        f"{address} can't be reached safely: its certificate isn't trusted{why}. Nothing was sent. Ask whoever runs it"
        f"{own}."
    )


def _insecure(address: str, cause: ssl.SSLError) -> str:
    if cause.reason in _NOT_TLS or isinstance(cause, ssl.SSLEOFError):
        plain = urlsplit(address)._replace(scheme="http").geturl()
        return f"{address} can't be reached: it doesn't speak https. Is it {plain}?"
    return f"{address} can't be reached: no safe connection came about. Ask whoever runs it whether it speaks https."


def _causes(cause: BaseException | None) -> Iterator[BaseException]:
    """The error and what led to it, from the outside in."""
    left = [cause]
    for _ in range(_DEEPEST):
        one = left.pop(0) if left else None
        if one is None:
            return
        yield one
        inner = [each for each in one.args if isinstance(each, BaseException)]
        several = list(one.exceptions) if isinstance(one, BaseExceptionGroup) else []
        led = one.__cause__ or one.__context__
        left += [each for each in (*inner, *several, led) if each is not None]
