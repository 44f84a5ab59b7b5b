"""Walking a folder, and hashing many files at once."""

import hashlib
import os
from pathlib import Path

import pytest

from runaudit.model.trouble import Trouble
from runaudit.read import hashing_many
from runaudit.read.hashing_file import Hashed
from runaudit.read.hashing_many import hash_many
from runaudit.read.tree import walk


def test_a_walk_names_kinds_and_follows_nothing(tmp_path: Path) -> None:
    (tmp_path / "d" / "e").mkdir(parents=True)
    (tmp_path / "d" / "e" / "f").write_bytes(b"")
    (tmp_path / "d" / "loop").symlink_to("..")
    os.mkfifo(tmp_path / "pipe")
    tree = walk(os.fspath(tmp_path))
    assert (tree.files, tree.links, tree.specials, tree.refused) == (("d/e/f",), ("d/loop",), ("pipe",), ())
    assert walk(os.fspath(tmp_path), lambda name: name == "d").files == ()


def test_a_folder_that_cannot_be_listed_is_told(tmp_path: Path) -> None:
    assert [path for path, _ in walk(os.fspath(tmp_path / "none")).refused] == ["."]


@pytest.mark.parametrize("workers", [1, 3])
def test_every_file_is_hashed_once(tmp_path: Path, workers: int) -> None:
    sizes = [0, 1, 1024, 1025, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 3 << 20, *[7] * 200]
    paths = []
    for number, size in enumerate(sizes):
        (tmp_path / str(number)).write_bytes(os.urandom(size))
        paths.append(os.fspath(tmp_path / str(number)))
    found = dict(hash_many(paths, workers=workers))
    assert sorted(found) == list(range(len(paths)))
    for number, path in enumerate(paths):
        outcome = found[number]
        assert isinstance(outcome, Hashed)
        content = Path(path).read_bytes()
        assert (outcome.digest, outcome.size) == (hashlib.sha256(content).hexdigest(), len(content))
        assert outcome.content == (content if len(content) <= 1024 else b"")


def test_what_cannot_be_read_does_not_stop_the_others(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").write_bytes(b"x")
    (tmp_path / "link").symlink_to("file")
    paths = [os.fspath(tmp_path / name) for name in ("pipe", "none", "link", "file")]
    found = dict(hash_many(paths, workers=2))
    assert [isinstance(found[number], Trouble) for number in range(4)] == [True, True, True, False]


def test_a_file_that_changes_while_it_is_read_has_no_digest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"x" * 10)
    real = os.readv

    def growing(descriptor: int, buffers: list[memoryview]) -> int:
        got = real(descriptor, buffers)
        with path.open("ab") as file:
            file.write(b"y")
        return got

    monkeypatch.setattr(os, "readv", growing)
    assert dict(hash_many([os.fspath(path)], workers=1))[0] == Trouble(
        id="document-unreadable", message="it changed while it was read"
    )


def test_a_bug_in_a_thread_reaches_the_caller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(hashing_many, "hash_file", broken)
    with pytest.raises(ZeroDivisionError):
        list(hash_many([os.fspath(tmp_path)], workers=2))
