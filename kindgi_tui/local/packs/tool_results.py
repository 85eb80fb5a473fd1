"""What calling a pack's tool came to, and how the official service's answer says it."""

from typing import Any

from kindgi_tui.domain.base import Frozen, Json

_LONGEST_SENTENCE = 2_000


class ToolFailure(Frozen):
    """Why a call gave no result."""

    code: str
    """The official one, such as `handler-throw`, `input-validation-failed`, `output-validation-failed`,
    `deadline-exceeded`, `tool-not-in-pack`, `tool-version-mismatch`; ours: `service-stopped` (its process ended
    during the call), `output-too-large`, `bad-answer`."""
    sentence: str
    """What happened, for the model and for people."""
    details: Json = None
    """The service's whole answer, where there is one."""


class ToolResult(Frozen):
    """What a call came to: an output, which may be null, or a failure."""

    output: Json = None
    """What the tool returned; meaningless with a failure."""
    error: ToolFailure | None = None
    """Why there is no output."""


def result_of(tool_id: str, status: int, answer: Any) -> ToolResult:
    """Reads the service's answer to a call of that tool, whatever it is."""
    if not isinstance(answer, dict):
        return failure("bad-answer", f"{tool_id} gave an answer that can't be read (HTTP {status}).")
    if status == 200 and answer.get("kind") == "result":
        return ToolResult(output=answer.get("output"))
    if status == 200 and answer.get("kind") == "error":
        sentence = str(answer.get("message"))
        issues = answer.get("issues")
        if isinstance(issues, list) and issues:
            told = [
                f"{i.get('instancePath') or '/'} {i.get('message')}"
                for i in issues[:3]
                if isinstance(i, dict)
            ]
            sentence = f"{sentence}: {'; '.join(told)}"
        return failure(str(answer.get("code")), sentence, answer)
    if status == 413:
        return failure(
            "input-too-large", f"The arguments of {tool_id} are larger than the pack service takes."
        )
    return failure(
        "bad-answer", f"The pack service refused {tool_id} (HTTP {status}): {answer.get('error')}", answer
    )


def failure(code: str, sentence: str, details: Json = None) -> ToolResult:
    """What a call came to that gave no output; a sentence without end is cut."""
    return ToolResult(error=ToolFailure(code=code, sentence=shortened(sentence), details=details))


def shortened(value: object) -> str:
    """What a pack's code or its service said, as far as it is shown."""
    text = str(value)
    return text if len(text) <= _LONGEST_SENTENCE else text[:_LONGEST_SENTENCE] + " …"
