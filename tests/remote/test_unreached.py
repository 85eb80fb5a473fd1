"""Why a runtime can't be reached is one sentence of ours, whatever the libraries below say."""

import asyncio
import shutil
import ssl
import subprocess
from pathlib import Path

import pytest
from pydantic import SecretStr

from kindgi_tui.remote.failures import NoAnswer, NotSent
from kindgi_tui.remote.transport import Limits, Transport
from kindgi_tui.remote.unreached import unreached
from tests.remote.fake_runtime import DROP_BEFORE, TOKEN, FakeRuntime

LIBRARY_WORDS = ("attempts failed", "_ssl", "SSL:", "Errno", "Error(", "ReadError", "Server disconnected")


async def said(address: str) -> str:
    """What a request there comes to, which never left."""
    transport = Transport(address, SecretStr(TOKEN), Limits(5, 5, 10))
    try:
        with pytest.raises(NotSent) as told:
            await transport.send("GET", "/v1/runs")
    finally:
        await transport.close()
    assert [words for words in LIBRARY_WORDS if words in told.value.sentence] == []
    return told.value.sentence


async def test_nobody_listens() -> None:
    assert (
        await said("http://127.0.0.1:9")
        == "http://127.0.0.1:9 can't be reached: nobody listens there. Is it running?"
    )


async def test_a_name_that_nobody_knows() -> None:
    assert "its name isn't known here" in await said("http://nowhere.invalid")


async def test_https_where_http_is_spoken(runtime: FakeRuntime) -> None:
    secure = runtime.address.replace("http:", "https:")
    wanted = f"{secure} can't be reached: it doesn't speak https. Is it {runtime.address}?"
    assert await said(secure) == wanted
    assert runtime.seen == []


async def test_https_where_a_server_just_hangs_up() -> None:
    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(100)
        writer.close()

    server = await asyncio.start_server(hang_up, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        told = await said(f"https://127.0.0.1:{port}")
    assert (
        told
        == f"https://127.0.0.1:{port} can't be reached: it doesn't speak https. Is it http://127.0.0.1:{port}?"
    )


@pytest.fixture
def signed_by_itself(tmp_path: Path) -> tuple[Path, Path]:
    """A certificate for localhost that nobody else signed, and its key."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl makes the certificate, and isn't here")
    certificate, key = tmp_path / "certificate.pem", tmp_path / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost",
         "-keyout", key, "-out", certificate],
        check=True, capture_output=True,
    )  # fmt: skip
    return certificate, key


async def test_a_certificate_that_is_signed_by_itself(signed_by_itself: tuple[Path, Path]) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*signed_by_itself)
    came: list[bytes] = []

    async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        came.append(await reader.read(100))

    server = await asyncio.start_server(listen, "127.0.0.1", 0, ssl=context)
    async with server:
        address = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        assert await said(address) == (
            f"{address} can't be reached safely: its certificate isn't trusted (it is signed by itself). Nothing was "
            "sent. Ask whoever runs it."
        )
    assert came == []


@pytest.mark.parametrize(
    ("code", "why"),
    [(10, " (it has expired)"), (20, " (who signed it isn't known on this machine)"), (62, " (it is for another name)"),
     (64, " (it is for another address)"), (7, "")],
)  # fmt: skip
def test_what_is_wrong_with_a_certificate(code: int, why: str) -> None:
    cause = ssl.SSLCertVerificationError(1, "certificate verify failed (_ssl.c:1006)")
    cause.verify_code = code
    try:
        raise ConnectionError("words of a library") from cause
    except ConnectionError as outer:
        told = unreached("https://kindgi.example.com", outer)
    assert told == (
        f"https://kindgi.example.com can't be reached safely: its certificate isn't trusted{why}. Nothing was sent. "
        "Ask whoever runs it, or name a file with who signed it in SSL_CERT_FILE."
    )


async def test_a_lost_connection_is_told_without_a_librarys_words(runtime: FakeRuntime) -> None:
    runtime.script = lambda seen: DROP_BEFORE
    transport = Transport(runtime.address, SecretStr(TOKEN), Limits(5, 5, 10))
    with pytest.raises(NoAnswer, match="was lost before its answer was there") as told:
        await transport.send("GET", "/v1/runs")
    await transport.close()
    assert [words for words in LIBRARY_WORDS if words in str(told.value)] == []
