"""Which runtime is meant, and that a token goes to its own address alone."""

import json
from pathlib import Path

import pytest
from pydantic import SecretStr

from kindgi_tui.config.profiles import Profile, Profiles
from kindgi_tui.remote.address import normal_address
from kindgi_tui.remote.credentials import Credentials, credentials_of
from kindgi_tui.workbench import Denied, Invalid, NotFound

TEAM = Profile(name="team", address="https://kindgi.example.com", token=SecretStr("team-token"))
PROFILES = Profiles(profiles=(TEAM,))


@pytest.mark.parametrize(
    ("given", "normal"),
    [
        ("http://127.0.0.1:4000", "http://127.0.0.1:4000"),
        ("HTTPS://Kindgi.Example.COM:443/", "https://kindgi.example.com"),
        ("http://kindgi.example.com:80//", "http://kindgi.example.com"),
        ("http://[::1]:8080/", "http://[::1]:8080"),
        (" https://example.com/kindgi/ ", "https://example.com/kindgi"),
        ("http://127.0.0.1:4000/v1", "http://127.0.0.1:4000"),
        ("https://example.com/kindgi/v1/", "https://example.com/kindgi"),
        ("https://example.com/kindgi-v1", "https://example.com/kindgi-v1"),
    ],
)
def test_an_address_has_one_spelling(given: str, normal: str) -> None:
    assert normal_address(given) == normal
    assert normal_address(normal) == normal


@pytest.mark.parametrize(
    "wrong",
    ["", "kindgi.example.com", "ftp://x", "http://", "http://x:99999", "http://a b", "http://x/?q=1", "http://x/#f",
     "http://u:p@x", "https://token@kindgi.example.com", "http://exa\nmple.com", "http://éxample.com"],
)  # fmt: skip
def test_what_is_no_address(wrong: str) -> None:
    with pytest.raises(Invalid) as told:
        normal_address(wrong)
    assert "token@" not in told.value.sentence
    assert "u:p" not in told.value.sentence


def find(
    folder: Path,
    *,
    url: str | None = None,
    profile: str | None = None,
    environ: dict[str, str] | None = None,
    profiles: Profiles = PROFILES,
) -> Credentials | None:
    return credentials_of(url, profile, environ or {}, folder, lambda: profiles)


def token(found: Credentials | None) -> str | None:
    return None if found is None else found.token.get_secret_value()


def test_nothing_named_is_this_machine(tmp_path: Path) -> None:
    (tmp_path / ".kindgirc.json").write_text('{"apiUrl": "http://127.0.0.1:4000", "token": "dev"}')
    assert find(tmp_path) is None
    assert find(tmp_path, environ={"KINDGI_API_TOKEN": "t"}) is None


def test_the_order_of_what_is_named(tmp_path: Path) -> None:
    environ = {"KINDGI_API_URL": "http://env.example.com", "KINDGI_API_TOKEN": "env-token"}
    in_use = PROFILES.using("team")
    assert token(find(tmp_path, profiles=in_use)) == "team-token"
    assert find(tmp_path, environ=environ, profiles=in_use) == Credentials(
        "http://env.example.com", SecretStr("env-token"), "KINDGI_API_URL"
    )
    assert token(find(tmp_path, profile="team", environ=environ)) == "team-token"
    assert token(find(tmp_path, url="https://kindgi.example.com/", environ=environ)) == "team-token"
    with pytest.raises(NotFound, match="No profile"):
        find(tmp_path, profile="nobody")


def test_the_environments_token_goes_with_the_environments_address(tmp_path: Path) -> None:
    environ = {"KINDGI_API_URL": "http://one.example.com", "KINDGI_API_TOKEN": "one"}
    assert token(find(tmp_path, url="http://ONE.example.com:80", environ=environ)) == "one"
    assert token(find(tmp_path, url="http://x.example.com", environ={"KINDGI_API_TOKEN": "any"})) == "any"
    with pytest.raises(Denied) as told:
        find(tmp_path, url="http://two.example.com", environ=environ)
    assert told.value.sentence == (
        "There is no token for http://two.example.com: KINDGI_API_TOKEN belongs to http://one.example.com "
        "(KINDGI_API_URL) and goes nowhere else. Keep this one's with "
        "`kindgi-tui profiles add NAME --url http://two.example.com`, or unset KINDGI_API_URL."
    )
    with pytest.raises(Denied) as told:
        find(
            tmp_path, url="http://two.example.com", environ=environ | {"KINDGI_API_URL": "http://me:secret@x"}
        )
    assert "secret" not in told.value.sentence
    with pytest.raises(Denied, match="Give one with KINDGI_API_TOKEN"):
        find(tmp_path, url="http://two.example.com", environ={"KINDGI_API_URL": "http://one.example.com"})


@pytest.mark.parametrize("kept_in", ["profile local-one", "a dev file", "KINDGI_API_TOKEN"])
def test_another_name_of_this_machine_is_told_where_its_token_is_kept(tmp_path: Path, kept_in: str) -> None:
    kept, environ, profiles, source = "http://127.0.0.1:4000", {}, PROFILES, kept_in
    if kept_in == "KINDGI_API_TOKEN":
        environ = {"KINDGI_API_URL": kept, "KINDGI_API_TOKEN": "t"}
    elif kept_in == "a dev file":
        (tmp_path / ".kindgirc.json").write_text(json.dumps({"apiUrl": kept, "token": "dev"}))
        source = str(tmp_path / ".kindgirc.json")
    else:
        profiles = PROFILES.with_profile(Profile(name="local-one", address=kept, token=SecretStr("t")))
    with pytest.raises(Denied) as told:
        find(tmp_path, url="http://localhost:4000", environ=environ, profiles=profiles)
    assert told.value.sentence == (
        f"There is no token for http://localhost:4000, but one is kept for {kept} ({source}): name the runtime by that "
        "address."
    )
    for other in ("http://localhost:4001", "https://localhost:4000", "http://localhost.example.com:4000"):
        with pytest.raises(Denied) as told:
            find(tmp_path, url=other, environ=environ, profiles=profiles)
        assert "one is kept" not in told.value.sentence


@pytest.mark.parametrize(
    "near", ["https://kindgi.example.com:8443", "http://kindgi.example.com", "https://kindgi.example.com.evil.org",
             "https://evil.org/kindgi.example.com", "https://kindgi.example.com/other"],
)  # fmt: skip
def test_a_profiles_token_goes_nowhere_near(tmp_path: Path, near: str) -> None:
    with pytest.raises(Denied):
        find(tmp_path, url=near)


def test_the_dev_file_is_for_its_own_address_and_for_dev(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / ".kindgirc.json").write_text(
        '{"apiUrl": "http://127.0.0.1:4000/", "token": "dev", "tenantId": "x"}'
    )
    assert token(find(inner, url="http://127.0.0.1:4000")) == "dev"
    found = find(inner, url="dev")
    assert found is not None
    assert (found.address, token(found)) == ("http://127.0.0.1:4000", "dev")
    with pytest.raises(Denied):
        find(inner, url="http://127.0.0.1:4001")
    # A nearer one that is broken is no dev runtime, and the one above isn't taken for it.
    for broken in (
        "",
        "[]",
        "{}",
        '{"apiUrl": "nonsense", "token": "x"}',
        '{"apiUrl": 4, "token": "x"}',
        "[" * 10_000,
    ):
        (inner / ".kindgirc.json").write_text(broken)
        with pytest.raises(Invalid, match="can't be read as a dev file"):
            find(inner, url="dev")
    (inner / ".kindgirc.json").unlink()
    (tmp_path / ".kindgirc.json").unlink()
    with pytest.raises(NotFound, match=r"no \.kindgirc\.json"):
        find(inner, url="dev")


def test_tokens_are_in_no_repr(tmp_path: Path) -> None:
    found = find(tmp_path, profile="team")
    for shown in (
        repr(found),
        str(found),
        repr(PROFILES),
        str(TEAM),
        json.dumps(PROFILES.model_dump(mode="json")),
    ):
        assert "team-token" not in shown


@pytest.mark.parametrize("around", ["{}\n", " {} ", "\t{}\r\n"])
def test_blanks_around_a_token_are_no_part_of_it(tmp_path: Path, around: str) -> None:
    environ = {"KINDGI_API_TOKEN": around.format("kgi_sy_secret")}
    found = credentials_of("http://127.0.0.1:1", None, environ, tmp_path, Profiles)
    assert found is not None
    assert found.token.get_secret_value() == "kgi_sy_secret"


@pytest.mark.parametrize("broken", ["kgi\nsecret", "kgi secret", "“kgi_secret”", "kgi\x00secret", "\n"])
def test_a_token_no_header_takes_is_refused_without_saying_it(tmp_path: Path, broken: str) -> None:
    environ = {"KINDGI_API_TOKEN": broken}
    with pytest.raises(Invalid) as refused:
        credentials_of("http://127.0.0.1:1", None, environ, tmp_path, Profiles)
    assert "secret" not in refused.value.sentence
    assert refused.value.code == "token-malformed"
