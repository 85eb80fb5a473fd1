"""What every model of the domain shares: frozen, compared by value, JSON inside kept as it came."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, JsonValue, SkipValidation

Json = Annotated[JsonValue, SkipValidation()]
"""A JSON value as `json.loads` gives it. It is kept as it came and never walked by validation."""


class Frozen(BaseModel):
    """A model whose instances never change. Unknown fields are ignored, names are ours (snake case)."""

    model_config = ConfigDict(frozen=True, extra="ignore", ser_json_inf_nan="constants", defer_build=True)
