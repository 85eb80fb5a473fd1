"""Which providers there are and which model answers: `models.toml` and the environment (DESIGN section 9).

    default = "local/gemma"                    # for agents that name no model

    [providers.local]                          # any OpenAI-compatible address
    base_url = "http://127.0.0.1:8080/v1"
    free = true

    [providers.anthropic]                      # a known name: only what differs
    default_model = "claude-sonnet-5-5"
    concurrency = 8
    prices."claude-sonnet-5-5" = { input = 3.0, output = 15.0 }

    [instead]                                  # ask another model than the agent prefers
    "openai/gpt-5" = "local/gemma"
    "mistral" = "local/gemma"

The file is `KINDGI_TUI_MODELS`, else the workspace's `models.toml`, else the one in the user's configuration
folder. `KINDGI_TUI_MODEL` (provider/model) overrides `default`. A provider known by name is configured by its key's
variable alone; `OPENAI_BASE_URL` moves `openai` elsewhere, and then no key is needed.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from kindgi_tui.domain.base import Frozen
from kindgi_tui.local.models.calls import ModelRef
from kindgi_tui.local.models.failures import BadModelsFile, NoProvider
from kindgi_tui.local.models.providers import PRESETS, Provider

if TYPE_CHECKING:
    from kindgi_tui.local.models.models_file import ModelsFile

FILE_NAME = "models.toml"
"""What the file is called in a workspace and in the user's configuration folder."""

_HOW = "Set a key (such as OPENAI_API_KEY) or write models.toml, then try `kindgi-tui models check`."


class ModelsConfig(Frozen):
    """The providers and the choice of a model."""

    providers: dict[str, Provider] = {}
    """The configured providers by name, those of the file first, in its order."""
    default: ModelRef | None = None
    """The model for agents that name none; None: the first provider's default model."""
    instead: dict[str, ModelRef] = {}
    """What is asked in place of what an agent prefers, by `provider/model` or by `provider`."""
    source: str | None = None
    """The file it came from; None when there is none."""

    def resolve(self, preferred_provider: str | None = None, preferred_model: str | None = None) -> ModelRef:
        """Which model answers for an agent with these preferences.

        What an agent names is taken at its word, configured or not: another model would be another measurement, and
        its reply may be in the cache. Only `instead` replaces it, because a person wrote that down. Raises
        NoProvider when neither the agent nor the configuration names a model.
        """
        found = self._preferred(preferred_provider, preferred_model)
        return self.instead.get(str(found)) or self.instead.get(found.provider) or found

    def _preferred(self, provider: str | None, model: str | None) -> ModelRef:
        if provider and model:
            return ModelRef(provider=provider, model=model)
        if provider:
            configured = self.providers.get(provider)
            if configured is not None and configured.default_model:
                return ModelRef(provider=provider, model=configured.default_model)
            if provider in self.instead:
                return self.instead[provider]
            if self.default is not None and self.default.provider == provider:
                return self.default
            raise NoProvider(
                f"The agent prefers {provider} and names no model. Set `default_model` for it in models.toml."
            )
        if model:
            named = self._provider_of(model)
            if named is not None:
                return ModelRef(provider=named, model=model)
        elif self.default is not None:
            return self.default
        else:
            for name, candidate in self.providers.items():
                if candidate.default_model:
                    return ModelRef(provider=name, model=candidate.default_model)
        if not self.providers:
            raise NoProvider(f"No model provider is configured. {_HOW}")
        raise NoProvider(
            'No model is named for this agent. Set `default = "provider/model"` in models.toml or KINDGI_TUI_MODEL.'
        )

    def _provider_of(self, model: str) -> str | None:
        """The provider that lists the model, else that of the default, else the only or first one."""
        for name, provider in self.providers.items():
            if provider.default_model == model or model in provider.prices:
                return name
        if self.default is not None:
            return self.default.provider
        return next(iter(self.providers), None)

    def provider(self, name: str) -> Provider:
        """The configured provider of that name. Raises NoProvider, saying what to set."""
        found = self.providers.get(name)
        if found is not None:
            return found
        preset = PRESETS.get(name)
        if preset is not None and preset.api_key_env:
            raise NoProvider(
                f"{name} is not configured. Set {preset.api_key_env}, or write "
                f'`"{name}" = "provider/model"` under [instead] in models.toml to ask another model.'
            )
        have = ", ".join(self.providers) or "none"
        raise NoProvider(f"No provider {name} is configured (there are: {have}). {_HOW}")


def load_models(
    workspace: Path | None = None,
    environment: Mapping[str, str] | None = None,
    user_folder: Path | None = None,
) -> ModelsConfig:
    """Reads the configuration. Raises BadModelsFile with the file and line of what is wrong.

    `workspace` is the workspace's folder; `environment` defaults to the process's; `user_folder` to the user's
    configuration folder of kindgi-tui.
    """
    env = os.environ if environment is None else environment
    path = _file(workspace, env, user_folder)
    config = ModelsConfig() if path is None else _read(path)
    providers = dict(config.providers)
    for name, preset in PRESETS.items():
        moved = (env.get("OPENAI_BASE_URL") or "").strip() if name == "openai" else ""
        known = providers.get(name)
        if known is None and (preset.key(env) or moved):
            known = preset
        if known is None:
            continue
        # A base_url in the file was written for this workspace; the variable only replaces the preset's.
        if moved and known.base_url == preset.base_url:
            address = checked_address(moved, f"OPENAI_BASE_URL {moved!r}")
            key = known.api_key_env if known.key(env) else None
            known = known.model_copy(
                update={"base_url": address, "max_tokens_field": "max_tokens", "api_key_env": key}
            )
        providers[name] = known
    chosen = (env.get("KINDGI_TUI_MODEL") or "").strip()
    default = model_ref(chosen, "KINDGI_TUI_MODEL") if chosen else config.default
    return config.model_copy(update={"providers": providers, "default": default})


def model_ref(text: str, where: str) -> ModelRef:
    """`provider/model` as a ModelRef (the model may hold slashes). Raises BadModelsFile, naming `where`."""
    provider, slash, model = text.partition("/")
    if not (slash and provider.strip() and model.strip()):
        raise BadModelsFile(f"{where}: {text!r} must be written as provider/model, such as local/gemma.")
    return ModelRef(provider=provider.strip(), model=model.strip())


def checked_address(text: str, where: str) -> str:
    """An http(s) address without a slash at its end. Raises BadModelsFile, naming `where`."""
    address = text.strip().rstrip("/").removesuffix("/chat/completions")
    scheme, _, rest = address.partition("://")
    if scheme.lower() not in ("http", "https") or not rest or any(c.isspace() for c in rest):
        raise BadModelsFile(f"{where} must be an address such as http://127.0.0.1:8080/v1.")
    if "@" in rest.partition("/")[0]:
        raise BadModelsFile(f"{where} must not hold a name or password; name a variable in `api_key_env`.")
    return address


def _file(workspace: Path | None, env: Mapping[str, str], user_folder: Path | None) -> Path | None:
    named = (env.get("KINDGI_TUI_MODELS") or "").strip()
    if named:
        path = Path(named).expanduser()
        if not path.is_file():
            raise BadModelsFile(f"KINDGI_TUI_MODELS names {path}, and there is no such file.")
        return path
    if user_folder is None:
        import platformdirs

        user_folder = Path(platformdirs.user_config_dir("kindgi-tui"))
    folders = [user_folder] if workspace is None else [workspace, user_folder]
    return next((folder / FILE_NAME for folder in folders if (folder / FILE_NAME).is_file()), None)


def _read(path: Path) -> ModelsConfig:
    # Imported here: most starts have no such file, and tomllib with its patterns takes milliseconds.
    from kindgi_tui.local.models.models_file import read_models_file

    file = read_models_file(path)
    data = file.data
    for key in data:
        if key not in ("providers", "default", "instead"):
            raise file.wrong(f"unknown key `{key}`; there are providers, default and instead.", key)
    tables = data.get("providers", {})
    if not isinstance(tables, dict):
        raise file.wrong("`providers` must be tables, such as [providers.local].", "providers")
    default = data.get("default")
    if default is not None and not isinstance(default, str):
        raise file.wrong('`default` must be a text, such as "local/gemma".', "default")
    instead = data.get("instead", {})
    if not isinstance(instead, dict) or not all(isinstance(value, str) for value in instead.values()):
        raise file.wrong('`instead` must hold lines such as "openai/gpt-5" = "local/gemma".', "instead")
    return ModelsConfig(
        providers={name: _provider(file, name, table) for name, table in tables.items()},
        default=model_ref(default, file.place("default")) if default else None,
        instead={key: model_ref(value, file.place("instead", key)) for key, value in instead.items()},
        source=str(path),
    )


def _provider(file: "ModelsFile", name: str, table: object) -> Provider:
    """One provider's table on top of what is known by its name."""
    if not isinstance(table, dict):
        raise file.wrong(f"provider {name} must be a table, [providers.{name}].", "providers", name)
    if "/" in name:
        raise file.wrong(f"a provider's name can't hold a slash: {name!r}.", "providers", name)
    for secret in ("api_key", "key", "token"):
        if secret in table:
            sentence = f"keys don't belong in files: name the variable that holds {name}'s in `api_key_env`."
            raise file.wrong(sentence, "providers", name, secret)
    preset = PRESETS.get(name)
    base = preset.model_dump() if preset is not None else {}
    if "base_url" in table:
        # A key only ever goes to the address it was meant for, and another address may not be free.
        base |= {"api_key_env": None, "free": False}
    try:
        provider = Provider.model_validate({**base, **table, "name": name})
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        at = tuple(str(part) for part in first["loc"])
        what = "is missing" if first["type"] == "missing" else f"is wrong: {first['msg']}"
        sentence = f"`{'.'.join(at)}` of provider {name} {what}."
        raise file.wrong(sentence, "providers", name, *at) from None
    where = f"{file.place('providers', name, 'base_url')}: base_url of provider {name}"
    return provider.model_copy(update={"base_url": checked_address(provider.base_url, where)})
