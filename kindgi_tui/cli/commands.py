"""Command lines to paste: what a report tells its reader to run next."""

import shlex

from kindgi_tui.cli.call import Call


def command(call: Call, words: str, *arguments: str) -> str:
    """`kindgi-tui` with those words and arguments, at the same place and as the same person."""
    parts = ["kindgi-tui"]
    if call.asked.workspace is not None:
        parts += ["--workspace", str(call.asked.workspace)]
    if call.asked.url is not None:
        parts += ["--url", call.asked.url]
    if call.asked.profile is not None:
        parts += ["--profile", call.asked.profile]
    if call.asked.person is not None:
        parts += ["--as", call.asked.person]
    return " ".join([*(shlex.quote(part) for part in parts), words, *(shlex.quote(one) for one in arguments)])
