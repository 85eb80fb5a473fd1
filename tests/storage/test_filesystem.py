"""Network file systems are told from local disks by the table of mounts."""

from pathlib import Path

import pytest

from kindgi_tui.storage import filesystem
from kindgi_tui.storage.filesystem import network_type

TABLE = r"""
/dev/vda / ext4 rw 0 0
server:/home /net nfs4 rw 0 0
tmpfs /net/local tmpfs rw 0 0
//box/share /mnt/my\040share\134x cifs rw 0 0
host:/x /srv/ssh fuse.sshfs rw 0 0
/dev/vdb /srv/disk xfs rw 0 0
broken
"""


@pytest.fixture
def mounts(tmp_path: Path) -> Path:
    table = tmp_path / "mounts"
    table.write_text(TABLE)
    return table


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/home/ann", None),
        ("/net", "nfs4"),
        ("/net/deep/er", "nfs4"),
        ("/network", None),
        ("/net/local/x", None),
        ("/mnt/my share\\x/w", "cifs"),
        ("/srv/ssh/w", "fuse.sshfs"),
        ("/srv/disk/w", None),
    ],
)
def test_the_nearest_mount_says(mounts: Path, folder: str, kind: str | None) -> None:
    assert network_type(Path(folder), mounts) == kind


def test_a_later_mount_hides_an_earlier_one(mounts: Path) -> None:
    mounts.write_text(TABLE + "/dev/vdc /net btrfs rw 0 0\n")
    assert network_type(Path("/net/w"), mounts) is None


def test_links_are_followed(mounts: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/net")
    assert network_type(tmp_path / "link" / "w", mounts) == "nfs4"


def test_without_a_table_nothing_is_said(tmp_path: Path) -> None:
    assert network_type(tmp_path, tmp_path / "missing") is None


def test_this_machines_own_table_is_read_by_default(monkeypatch: pytest.MonkeyPatch, mounts: Path) -> None:
    monkeypatch.setattr(filesystem, "MOUNTS", mounts)
    assert network_type(Path("/net")) == "nfs4"
