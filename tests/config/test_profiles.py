"""The profiles' file: its owner's alone, written whole or not at all."""

from pathlib import Path

import pytest
from pydantic import SecretStr

from kindgi_tui.config.profiles import FILE_NAME, Profile, Profiles, load_profiles, save_profiles
from kindgi_tui.workbench import Invalid, NotFound, Unavailable


def profile(name: str, token: str = "secret") -> Profile:
    return Profile(name=name, address=f"https://{name}.example.com", token=SecretStr(token))


def test_they_are_kept(tmp_path: Path) -> None:
    folder = tmp_path / "config"
    assert load_profiles(folder) == Profiles()
    kept = Profiles().with_profile(profile("b")).with_profile(profile("a")).using("b")
    path = save_profiles(kept, folder)
    assert load_profiles(folder) == kept
    assert [one.name for one in kept.profiles] == ["a", "b"]
    assert path.stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700
    assert [each.name for each in folder.iterdir()] == [FILE_NAME]


def test_adding_again_replaces_and_removing_ends_the_use(tmp_path: Path) -> None:
    kept = Profiles().with_profile(profile("a")).using("a").with_profile(profile("a", "new"))
    assert [one.token.get_secret_value() for one in kept.profiles] == ["new"]
    assert kept.current == "a"
    assert kept.without("a") == Profiles()
    assert kept.using("local").current is None
    with pytest.raises(NotFound):
        kept.using("nobody")
    with pytest.raises(NotFound):
        kept.without("nobody")


@pytest.mark.parametrize("name", ["", "local", "a b", "-x", "é", "a\n", "x" * 65, "../x"])
def test_names(name: str) -> None:
    with pytest.raises(Invalid):
        Profiles().with_profile(profile("a").model_copy(update={"name": name}))


def test_a_file_that_others_can_read_is_refused(tmp_path: Path) -> None:
    path = save_profiles(Profiles().with_profile(profile("a")), tmp_path)
    path.chmod(0o640)
    with pytest.raises(Unavailable, match="chmod 600") as told:
        load_profiles(tmp_path)
    assert told.value.code == "machine-open-to-others"


@pytest.mark.parametrize(
    "content", ["", "[]", "{", '{"profiles": {"a": 1}}', '{"profiles": {"a": {"url": "x"}}}']
)
def test_a_broken_file_is_one_sentence(tmp_path: Path, content: str) -> None:
    path = tmp_path / FILE_NAME
    path.write_text(content)
    path.chmod(0o600)
    with pytest.raises(Unavailable, match="add your profiles again"):
        load_profiles(tmp_path)


def test_a_profile_in_use_that_is_gone_is_none(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    path.write_text('{"current": "gone", "profiles": {}}')
    path.chmod(0o600)
    assert load_profiles(tmp_path).current is None
