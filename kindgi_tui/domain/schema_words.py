"""What a JSON Schema validator says, in JSON's words: it writes values as Python does, `None` for null."""

import json
from typing import Any


def in_json_words(error: Any) -> str:
    """A validation error's message with its values as JSON writes them."""
    message = str(error.message)
    given = _python(error.instance)
    if message.startswith(given):
        message = _json(error.instance) + message[len(given) :]
    wanted = error.validator_value
    # Numbers are the same in both, and a plain word is the validator's own: 'string'.
    if wanted is None or isinstance(wanted, bool | list | dict):
        before, found, after = message.rpartition(_python(wanted))
        message = f"{before}{_json(wanted)}{after}" if found else message
    return message


def _python(value: Any) -> str:
    return repr(value)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
