"""The same requests to the real API and to our server, and what may differ between their answers."""

import copy
import json
import re
import time
from typing import Any, NamedTuple

import httpx

from tests.server.running import AGENT, PACKAGE, PASSWORD, REFUND, Asked

UNKNOWN = "00000000-0000-4000-8000-000000000009"
NOT_HERE = {
    "via": "no rule picks an agent's version here",
    "pins": "what an agent pins is in its definition here",
    "traceId": "nothing here is traced",
    "pinsDigest": "what an agent pins is in its definition here",
}
"""Fields the real API's records have that ours leave out, each with the reason."""

HERE_ALONE = {
    "role": "whoami says more of the person here",
    "right": "whoami says more of the person here",
    "tokenId": "whoami says more of the person here",
    "user": "whoami says more of the person here",
    "dryRunPreview": "a dry run here says what it would do",
    "parameters": "a definition is told as its pack declares it",
    "settings": "a definition is told as its pack declares it",
    "preferredModel": "a definition is told as its pack declares it",
    "preferredProvider": "a definition is told as its pack declares it",
}
"""Fields ours have that the real API's leave out, each with the reason."""

_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")


class Sent(NamedTuple):
    """One request; `{P}` and other words in braces are filled in with what each side answered before."""

    method: str
    path: str
    body: Any = None
    keep: str | None = None
    """The name its answer's id is kept under."""
    differs: str | None = None
    """Why the two answer differently; then they must."""
    waits: bool = False
    """Whether it is asked again once the comparison ended."""
    whole: bool = True
    """Whether a good answer is compared with every value, and not by its fields alone."""
    headers: dict[str, str] = {}
    """More headers, such as a key; whether its answer was a kept one is compared then."""
    timing: str | None = None
    """Why only the status is compared: how far it is when it is answered is chance."""


class Side:
    """One of the two, with what it answered so far."""

    def __init__(self, asked: Asked) -> None:
        self.asked = asked
        self.names: dict[str, str] = {}
        rows = asked.good("GET", "/v1/projects/default")
        who = asked.good("GET", "/v1/identity/whoami")
        other = next(row for row in asked.good("GET", "/v1/projects")["data"] if not row["isDefault"])
        self.names |= {"P": rows["id"], "P2": other["id"], "T": rows["tenantId"], "U": who["principal"]["id"]}
        self.names |= {"A": AGENT, "R": PASSWORD, "R2": REFUND, "R3": PACKAGE, "N": UNKNOWN}

    def send(self, sent: Sent) -> httpx.Response:
        response = self.asked.send(
            sent.method, self.filled(sent.path), self.filled(copy.deepcopy(sent.body)), headers=sent.headers
        )
        if sent.waits:
            if "/runs/" in sent.path:
                _until_over(self.asked, self.filled(sent.path))
            else:
                self.asked.send("GET", self.filled(sent.path) + "/events")
            response = self.asked.send("GET", self.filled(sent.path))
        if sent.keep is not None:
            answer = response.json()
            self.names[sent.keep] = str(answer.get("id") or answer.get("runId"))
        return response

    def filled(self, value: Any) -> Any:
        if isinstance(value, str):
            for name, text in self.names.items():
                value = value.replace(f"{{{name}}}", text)
            return value
        if isinstance(value, list):
            return [self.filled(one) for one in value]
        if isinstance(value, dict):
            return {key: self.filled(one) for key, one in value.items()}
        return value

    def plain(self, response: httpx.Response) -> Any:
        """The answer with ids by their names, times and generated ids left out."""
        text = response.text
        for name, value in sorted(self.names.items(), key=lambda item: -len(item[1])):
            if len(value) >= 8:
                text = text.replace(value, f"<{name}>")
        # The caller's own id has other letters on either side.
        text = re.sub(rf'([":]){re.escape(self.names["U"])}"', r'\1<U>"', text)
        text = _UUID.sub("<uuid>", _TIME.sub("<time>", text))
        value = json.loads(text)
        if isinstance(value, dict) and isinstance(value.get("error"), dict):
            del value["error"]["requestId"]
        if isinstance(value, dict) and "nextCursor" in value:
            value["nextCursor"] = "<cursor>"
        return stripped(value)


def _until_over(asked: Asked, path: str) -> None:
    deadline = time.monotonic() + 30
    while asked.send("GET", path).json()["status"] in ("pending", "running"):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def stripped(value: Any) -> Any:
    """The answer without the fields that only one of the two has, except of what agents said."""
    if isinstance(value, dict):
        left_out = {*NOT_HERE, *HERE_ALONE} - ({"role"} if "content" in value else set())
        return {key: stripped(one) for key, one in value.items() if key not in left_out}
    return [stripped(one) for one in value] if isinstance(value, list) else value


def shape(value: Any) -> Any:
    """The fields of an answer, without their values; a list by its first element."""
    if isinstance(value, dict):
        return {key: shape(value[key]) for key in sorted(value)}
    if isinstance(value, list):
        return [shape(value[0])] if value else []
    return type(value).__name__ if not isinstance(value, int | float) or isinstance(value, bool) else "number"
