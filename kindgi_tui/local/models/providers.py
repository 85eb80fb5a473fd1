"""What is known of a provider: where it is asked, with which key, what it can do, what it costs."""

from collections.abc import Mapping
from typing import Literal

from pydantic import ConfigDict, Field

from kindgi_tui.domain.base import Frozen
from kindgi_tui.local.models.calls import Usage

Kind = Literal["openai", "anthropic"]
"""Which protocol it speaks: OpenAI's chat completions, or Anthropic's messages through its SDK (extra `models`)."""

TypedOutput = Literal["json_schema", "json_object", "instructions"]
"""How a typed answer is asked for: by schema, by JSON mode plus instructions, or by instructions alone."""

_SET = ConfigDict(frozen=True, extra="forbid")


class Prices(Frozen):
    """What a model costs, in US dollars for a million tokens."""

    model_config = _SET

    input: float = Field(ge=0, allow_inf_nan=False)
    """Tokens read."""
    output: float = Field(ge=0, allow_inf_nan=False)
    """Tokens written."""
    cached_input: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    """Tokens read from the provider's own prompt cache; None: as dear as others, an upper bound."""

    def cost(self, prompt: int, completion: int, cached_prompt: int = 0) -> float:
        """The cost in dollars; `cached_prompt` of the `prompt` tokens came from the provider's cache."""
        cached = min(max(cached_prompt, 0), prompt)
        cached_price = self.input if self.cached_input is None else self.cached_input
        return ((prompt - cached) * self.input + cached * cached_price + completion * self.output) / 1e6


class Provider(Frozen):
    """One provider, as `models.toml` or the environment describes it."""

    model_config = _SET

    name: str
    """Its name in the configuration: what `preferredProvider` is compared with."""
    kind: Kind = "openai"
    """Which protocol it speaks."""
    base_url: str
    """Where it is asked, such as `http://127.0.0.1:8080/v1`; `/chat/completions` is added."""
    api_key_env: str | None = None
    """The environment variable that holds the key; None: no key is sent."""
    default_model: str | None = None
    """The model when an agent names none."""
    api_key_header: str = "Authorization"
    """The header that carries the key: after `Bearer` in `Authorization`, alone in any other."""
    concurrency: int | None = Field(default=None, ge=1, le=1000)
    """How many calls may be under way at once; None: as many as whoever asks wants."""
    timeout_s: float = Field(default=120, gt=0, le=3600)
    """Seconds one try of a call may take, connecting included."""
    typed_output: TypedOutput = "json_schema"
    """How a typed answer is asked for."""
    typed_output_with_tools: bool = True
    """False: where tools are on offer, a typed answer is asked for by instructions, whatever `typed_output` says."""
    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    """What the provider calls the limit on an answer's length."""
    max_tokens: int | None = Field(default=None, ge=1)
    """The limit when the settings name none; Anthropic needs one and gets 4096."""
    headers: dict[str, str] = {}
    """More headers to send; never a key."""
    free: bool = False
    """Whether calls cost nothing, as on one's own machine."""
    prices: dict[str, Prices] = {}
    """Prices by model name. There is no built-in table: prices change, and a wrong cost is worse than none."""

    def cost(self, model: str, prompt: int, completion: int, cached_prompt: int = 0) -> float | None:
        """What a call cost in US dollars; None where no price is configured."""
        if self.free:
            return 0.0
        prices = self.prices.get(model)
        return None if prices is None else prices.cost(prompt, completion, cached_prompt)

    def usage(self, model: str, prompt: int | None, completion: int | None, cached_prompt: int = 0) -> Usage:
        """The usage of a call; its cost is None where the provider doesn't count or no price is configured."""
        cost = 0.0 if self.free else None
        if prompt is not None and completion is not None:
            cost = self.cost(model, prompt, completion, cached_prompt)
        return Usage(prompt_tokens=prompt or 0, completion_tokens=completion or 0, cost_usd=cost)

    def key(self, environment: Mapping[str, str]) -> str | None:
        """The key, or None when it needs none or the variable is empty or unset."""
        return (environment.get(self.api_key_env) or "").strip() or None if self.api_key_env else None


def _hosted(name: str, base_url: str, key: str, *, with_tools: bool) -> Provider:
    return Provider(name=name, base_url=base_url, api_key_env=key, typed_output_with_tools=with_tools)


_PRESETS = (
    Provider(
        name="openai",
        base_url="https://api.openai.com/v1",
        api_key_env="OPENAI_API_KEY",
        max_tokens_field="max_completion_tokens",
    ),
    Provider(
        name="anthropic",
        kind="anthropic",
        base_url="https://api.anthropic.com",
        api_key_env="ANTHROPIC_API_KEY",
        typed_output="instructions",
    ),
    _hosted(
        "gemini",
        "https://generativelanguage.googleapis.com/v1beta/openai",
        "GEMINI_API_KEY",
        with_tools=False,
    ),
    _hosted("mistral", "https://api.mistral.ai/v1", "MISTRAL_API_KEY", with_tools=False),
    _hosted("groq", "https://api.groq.com/openai/v1", "GROQ_API_KEY", with_tools=False),
    _hosted("openrouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY", with_tools=True),
    _hosted("deepseek", "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY", with_tools=False).model_copy(
        update={"typed_output": "json_object"}
    ),
    Provider(
        name="ollama",
        base_url="http://127.0.0.1:11434/v1",
        typed_output_with_tools=False,
        concurrency=4,
        timeout_s=600,
        free=True,
    ),
    Provider(name="llamacpp", base_url="http://127.0.0.1:8080/v1", concurrency=4, timeout_s=600, free=True),
)

PRESETS: Mapping[str, Provider] = {preset.name: preset for preset in _PRESETS}
"""Providers known by name; a table of `models.toml` with such a name changes only what it says.
Those with a key are configured as soon as their key's environment variable is set."""
