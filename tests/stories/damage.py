"""Ways to damage one file of a folder, each of them something that happens to folders on their way."""

import os
import shutil
import socket
from collections.abc import Callable
from pathlib import Path

Damage = Callable[[Path, Path], None]


def delete(path: Path, _: Path) -> None:
    """The file is gone."""
    path.unlink()


def truncate(path: Path, _: Path) -> None:
    """The second half of the file is gone; its time is kept."""
    _rewrite(path, path.read_bytes()[: path.stat().st_size // 2])


def flip(path: Path, _: Path) -> None:
    """One bit in the middle of the file is another; size and time are kept."""
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    _rewrite(path, bytes(data))


def another_runs(path: Path, _: Path) -> None:
    """The file of the same name from another run: other content, another size."""
    data = path.read_bytes().replace(b"sum-", b"add-").replace(b"0.5", b"0.25")
    _rewrite(path, data + b" \n")


def link_inside(path: Path, _: Path) -> None:
    """A link to the same content, elsewhere in the folder."""
    top = next(parent for parent in path.parents if (parent / "rollouts.jsonl").exists())
    moved = top / "kept" / path.name
    moved.parent.mkdir()
    path.rename(moved)
    path.symlink_to(os.path.relpath(moved, path.parent))


def link_outside(path: Path, outside: Path) -> None:
    """A link to the same content outside the folder."""
    target = outside / f"kept-{path.name}"
    shutil.move(path, target)
    path.symlink_to(target)


def dangling(path: Path, _: Path) -> None:
    """A link to nothing."""
    path.unlink()
    path.symlink_to("not-there")


def loop(path: Path, _: Path) -> None:
    """A link to itself."""
    path.unlink()
    path.symlink_to(path.name)


def folder(path: Path, _: Path) -> None:
    """A folder in the file's place."""
    path.unlink()
    path.mkdir()


def pipe(path: Path, _: Path) -> None:
    """A pipe in the file's place: opening it to read would wait for ever."""
    path.unlink()
    os.mkfifo(path)


def unix_socket(path: Path, _: Path) -> None:
    """A socket in the file's place."""
    path.unlink()
    here = os.open(".", os.O_RDONLY)
    try:
        # The name of a socket is limited to about a hundred bytes; the folder's is longer.
        os.chdir(path.parent)
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(path.name)
    finally:
        os.fchdir(here)
        os.close(here)


def rewritten(path: Path, old: bytes, new: bytes) -> None:
    """Other bytes in one place of a file, which must hold the old ones; its time is kept."""
    data = path.read_bytes()
    assert old in data
    _rewrite(path, data.replace(old, new, 1))


def _rewrite(path: Path, data: bytes) -> None:
    status = path.stat()
    path.write_bytes(data)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
