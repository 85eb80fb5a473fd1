"""Whether a folder can hold an SQLite file: not on a network file system, whose locks can't be trusted."""

from pathlib import Path

NETWORK_TYPES = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "ncpfs", "9p", "ceph", "glusterfs", "lustre", "gpfs"}
    | {"fuse.sshfs", "fuse.glusterfs", "fuse.s3fs", "fuse.rclone", "fuse.gcsfuse", "davfs", "fuse.davfs2"}
)
"""Types of `/proc/mounts` whose locks and shared memory don't work as SQLite's WAL needs them."""

MOUNTS = Path("/proc/mounts")
"""Where Linux lists what is mounted; elsewhere it is missing and nothing is said."""


def network_type(folder: Path, mounts: Path = MOUNTS) -> str | None:
    """The type of the network file system that `folder` is on; None on a local disk or where it isn't known."""
    try:
        lines = mounts.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    target = folder.absolute()
    best: tuple[int, str] = (-1, "")
    for line in lines:
        fields = line.split(" ")
        if len(fields) < 3:
            continue
        point = Path(fields[1].replace("\\040", " "))
        if target.is_relative_to(point) and len(point.parts) >= best[0]:
            best = (len(point.parts), fields[2])
    return best[1] if best[1] in NETWORK_TYPES else None
