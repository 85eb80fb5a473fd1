"""Whether a folder can hold an SQLite file: not on a network file system, whose locks can't be trusted."""

import re
from pathlib import Path

NETWORK_TYPES = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "ncpfs", "9p", "ceph", "glusterfs", "lustre", "gpfs"}
    | {"fuse.sshfs", "fuse.glusterfs", "fuse.s3fs", "fuse.rclone", "fuse.gcsfuse", "davfs", "fuse.davfs2"}
)
"""Types of `/proc/mounts` whose locks and shared memory don't work as SQLite's WAL needs them."""

MOUNTS = Path("/proc/mounts")
"""Where Linux lists what is mounted; elsewhere it is missing and nothing is said."""


_OCTAL = re.compile(r"\\([0-7]{3})")


def network_type(folder: Path, mounts: Path | None = None) -> str | None:
    """The type of the network file system that `folder` is on; None on a local disk or where it isn't known.

    `mounts` is the table to read, MOUNTS unless one is given. Links in the folder's path are followed.
    """
    try:
        lines = (mounts or MOUNTS).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    target = folder.resolve()
    best: tuple[int, str] = (-1, "")
    for line in lines:
        fields = line.split(" ")
        if len(fields) < 3:
            continue
        # Spaces and the like stand in the table as octal numbers (proc_mounts(5)).
        point = Path(_OCTAL.sub(lambda found: chr(int(found[1], 8)), fields[1]))
        if target.is_relative_to(point) and len(point.parts) >= best[0]:
            best = (len(point.parts), fields[2])
    return best[1] if best[1] in NETWORK_TYPES else None
