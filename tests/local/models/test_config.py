"""models.toml and the environment: which providers there are, which model answers, and what a mistake says."""

from pathlib import Path

import pytest

from kindgi_tui.local.models.calls import ModelRef
from kindgi_tui.local.models.config import load_models
from kindgi_tui.local.models.failures import BadModelsFile, NoProvider

GOOD = """\
default = "local/gemma"

[providers.local]
base_url = "http://127.0.0.1:8080/v1/"
free = true

[providers.anthropic]
default_model = "claude-sonnet-5-5"
concurrency = 8
prices."claude-sonnet-5-5" = { input = 3.0, output = 15.0, cached_input = 0.3 }

[instead]
"openai/gpt-5" = "local/gemma"
mistral = "local/org/model-with-slash"
"""


def load(tmp_path: Path, text: str | None = None, **env: str):  # type: ignore[no-untyped-def]
    workspace = tmp_path / "w"
    workspace.mkdir(exist_ok=True)
    if text is not None:
        (workspace / "models.toml").write_text(text)
    return load_models(workspace, env, tmp_path / "user")


def test_a_file(tmp_path: Path) -> None:
    config = load(tmp_path, GOOD)
    assert list(config.providers) == ["local", "anthropic"]
    local, claude = config.providers.values()
    assert (local.base_url, local.kind, local.api_key_env) == ("http://127.0.0.1:8080/v1", "openai", None)
    assert (claude.kind, claude.api_key_env, claude.concurrency) == ("anthropic", "ANTHROPIC_API_KEY", 8)
    assert claude.base_url == "https://api.anthropic.com"
    assert claude.cost("claude-sonnet-5-5", 1_000_000, 100_000, 500_000) == pytest.approx(1.5 + 0.15 + 1.5)
    assert claude.cost("another", 1, 1) is None
    assert local.cost("gemma", 5, 5) == 0.0


def test_which_model_answers(tmp_path: Path) -> None:
    config = load(tmp_path, GOOD)
    gemma = ModelRef(provider="local", model="gemma")
    assert config.resolve() == gemma
    assert config.resolve("anthropic") == ModelRef(provider="anthropic", model="claude-sonnet-5-5")
    assert config.resolve("anthropic", "other") == ModelRef(provider="anthropic", model="other")
    assert config.resolve(None, "claude-sonnet-5-5").provider == "anthropic"
    assert config.resolve(None, "unknown") == ModelRef(provider="local", model="unknown")
    assert config.resolve("openai", "gpt-5") == gemma
    assert config.resolve("mistral", "large").model == "org/model-with-slash"
    assert config.resolve("mistral").model == "org/model-with-slash"
    # Taken at its word: its reply may be cached, and another model would be another measurement.
    assert config.resolve("openai", "gpt-9") == ModelRef(provider="openai", model="gpt-9")
    with pytest.raises(NoProvider, match="OPENAI_API_KEY"):
        config.provider("openai")
    with pytest.raises(NoProvider, match="there are: local, anthropic"):
        config.provider("nobody")
    with pytest.raises(NoProvider, match="default_model"):
        config.resolve("openai")


def test_nothing_configured(tmp_path: Path) -> None:
    config = load(tmp_path)
    assert config.providers == {}
    assert config.source is None
    assert str(config.resolve("anthropic", "claude-sonnet-5-5")) == "anthropic/claude-sonnet-5-5"
    with pytest.raises(NoProvider, match="No model provider is configured"):
        config.resolve()


def test_keys_alone_configure(tmp_path: Path) -> None:
    config = load(
        tmp_path, OPENAI_API_KEY="x", GROQ_API_KEY="y", MISTRAL_API_KEY=" ", KINDGI_TUI_MODEL="groq/l/1"
    )
    assert list(config.providers) == ["openai", "groq"]
    assert config.resolve() == ModelRef(provider="groq", model="l/1")
    assert config.resolve(None, "m") == ModelRef(provider="groq", model="m")


def test_an_address_alone_needs_no_key(tmp_path: Path) -> None:
    openai = load(tmp_path, OPENAI_BASE_URL="http://localhost:9/v1/").providers["openai"]
    assert (openai.base_url, openai.api_key_env) == ("http://localhost:9/v1", None)
    both = load(tmp_path, OPENAI_BASE_URL="http://localhost:9/v1", OPENAI_API_KEY="k").providers["openai"]
    assert both.api_key_env == "OPENAI_API_KEY"


def test_a_key_goes_to_no_other_address(tmp_path: Path) -> None:
    text = '[providers.openai]\nbase_url = "http://example.test/v1"\n'
    openai = load(tmp_path, text, OPENAI_API_KEY="k").providers["openai"]
    assert openai.api_key_env is None
    ollama = load(tmp_path, '[providers.ollama]\nbase_url = "http://example.test/v1"\n').providers["ollama"]
    assert not ollama.free
    assert load(tmp_path, "[providers.ollama]\n").providers["ollama"].free


def test_where_the_file_is(tmp_path: Path) -> None:
    user = tmp_path / "user"
    user.mkdir()
    (user / "models.toml").write_text('default = "u/u"')
    assert str(load(tmp_path).default) == "u/u"
    assert str(load(tmp_path, 'default = "w/w"').default) == "w/w"
    other = tmp_path / "other.toml"
    other.write_text('default = "o/o"')
    assert str(load(tmp_path, KINDGI_TUI_MODELS=str(other)).default) == "o/o"
    with pytest.raises(BadModelsFile, match="no such file"):
        load(tmp_path, KINDGI_TUI_MODELS=str(tmp_path / "none.toml"))


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("a = = 1", 1, "not TOML"),
        ("\n\n[providers", 3, "not TOML"),
        ("a = 'x", 1, "not TOML"),
        ("\nspeed = 1", 2, "unknown key `speed`"),
        ("default = 5", 1, "`default` must be a text"),
        ('\ndefault = "gemma"', 2, "provider/model"),
        ("providers = 3", 1, "must be tables"),
        ("[providers]\nlocal = 3", 2, "must be a table"),
        ("[providers.local]\nfree = true", 1, "`base_url` of provider local is missing"),
        ('[providers.local]\nbase_url = "localhost:80"', 2, "must be an address"),
        ('[providers.local]\nbase_url = "http://a:b@c/v1"', 2, "api_key_env"),
        ('[providers.local]\nbase_url = "http://x/v1"\nconcurrency = 0', 3, "`concurrency`"),
        ('[providers.local]\nbase_url = "http://x/v1"\nspeed = 0', 3, "`speed`"),
        ('[providers.local]\nbase_url = "http://x/v1"\nkind = "soap"', 3, "`kind`"),
        ('[providers.openai]\napi_key = "sk-1"', 2, "keys don't belong in files"),
        (
            '[providers.openai]\n[providers.openai.prices."a.b"]\ninput = -1\noutput = 1',
            3,
            "prices.a.b.input",
        ),
        ('[providers.openai]\nprices."m" = { input = 1 }', 2, "prices.m.output"),
        ('[instead]\n"a/b" = 3', 1, "`instead` must hold"),
        ('[instead]\nx = "y"', 2, "provider/model"),
        ('[providers."a/b"]\nbase_url = "http://x/v1"', 1, "slash"),
    ],
)
def test_a_mistake_is_one_sentence_with_file_and_line(
    tmp_path: Path, text: str, line: int, says: str
) -> None:
    with pytest.raises(BadModelsFile) as caught:
        load(tmp_path, text)
    sentence = caught.value.sentence
    assert sentence.startswith(f"{tmp_path / 'w' / 'models.toml'}, line {line}: ")
    assert says in sentence
    assert "\n" not in sentence
    assert "sk-1" not in sentence


def test_files_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "w").mkdir()
    file = tmp_path / "w" / "models.toml"
    file.write_bytes(b'default = "a/b"\n\xff')
    with pytest.raises(BadModelsFile, match="line 2: not UTF-8"):
        load(tmp_path)
    file.write_bytes(b"#" * 1_000_001)
    with pytest.raises(BadModelsFile, match="larger than 1 MB"):
        load(tmp_path)
    file.write_bytes(b'\xef\xbb\xbfdefault = "a/b"\r\n')
    assert str(load(tmp_path).default) == "a/b"
