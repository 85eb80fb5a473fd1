"""`models list` and `models check`: what is configured, and whether it answers (one tiny call each)."""

import asyncio
import os
from collections.abc import Mapping

from kindgi_tui.local.models.asking import Models
from kindgi_tui.local.models.calls import ModelRef, ModelRequest, UserMessage
from kindgi_tui.local.models.config import ModelsConfig
from kindgi_tui.local.models.failures import ModelError
from kindgi_tui.local.models.providers import Provider
from kindgi_tui.local.models.retrying import ONE_TRY
from kindgi_tui.workbench import ModelStatus

_AT_MOST_S = 60


def listed(config: ModelsConfig, environment: Mapping[str, str] | None = None) -> tuple[ModelStatus, ...]:
    """The configured providers, without calling them; the sentence says whether the key is there."""
    env = os.environ if environment is None else environment
    return tuple(
        _status(config, provider, None, _about_key(provider, env)) for provider in config.providers.values()
    )


async def check(
    config: ModelsConfig, environment: Mapping[str, str] | None = None
) -> tuple[ModelStatus, ...]:
    """The configured providers, each asked for one tiny reply, all at once and once each.

    The model is the provider's default, else the configuration's default at that provider, else the first one the
    address offers. A failure is a sentence in the status, never an exception.
    """
    quick = config.model_copy(
        update={
            "providers": {
                name: provider.model_copy(update={"timeout_s": min(provider.timeout_s, _AT_MOST_S)})
                for name, provider in config.providers.items()
            }
        }
    )
    async with Models(quick, environment=environment, patience=ONE_TRY) as models:
        return tuple(await asyncio.gather(*(_checked(quick, p, models) for p in quick.providers.values())))


async def _checked(config: ModelsConfig, provider: Provider, models: Models) -> ModelStatus:
    model = _model(config, provider)
    try:
        if model is None:
            offered = await models.offered(provider.name)
            if not offered:
                return _status(config, provider, False, "Set `default_model` for it in models.toml.")
            model = offered[0]
        reply = await models.complete(
            ModelRequest(
                model=ModelRef(provider=provider.name, model=model),
                messages=(UserMessage(text="Answer with the word yes."),),
                settings={"max_tokens": 64},
            )
        )
    except ModelError as error:
        return _status(config, provider, False, error.sentence, model)
    served = f" ({reply.served_model})" if reply.served_model not in (None, model) else ""
    return _status(config, provider, True, f"{model}{served} answers.", model)


def _model(config: ModelsConfig, provider: Provider) -> str | None:
    if (
        provider.default_model is None
        and config.default is not None
        and config.default.provider == provider.name
    ):
        return config.default.model
    return provider.default_model


def _about_key(provider: Provider, env: Mapping[str, str]) -> str:
    if provider.api_key_env is None:
        return "No key is sent."
    if provider.key(env) is None:
        return f"Its key is missing: set {provider.api_key_env}."
    return f"Its key is in {provider.api_key_env}."


def _status(
    config: ModelsConfig, provider: Provider, ready: bool | None, sentence: str, model: str | None = None
) -> ModelStatus:
    return ModelStatus(
        provider=provider.name,
        model=model or _model(config, provider),
        address=provider.base_url,
        ready=ready,
        sentence=sentence,
    )
