"""Appending whole lines, never through a link."""

import errno
import os
from pathlib import Path

import pytest

from runaudit.errors import OutputError
from runaudit.write.append import append_line


def test_lines_follow_one_another(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    for line in (b"one\n", b"two\n"):
        append_line(str(path), line)
    assert path.read_bytes() == b"one\ntwo\n"


def test_a_cut_line_is_ended_first(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    path.write_bytes(b"one\ntw")
    append_line(str(path), b"three\n")
    assert path.read_bytes() == b"one\ntw\nthree\n"


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "target").write_bytes(b"")
    (tmp_path / "ledger").symlink_to("target")
    with pytest.raises(OutputError, match="cannot be appended to"):
        append_line(str(tmp_path / "ledger"), b"line\n")
    assert (tmp_path / "target").read_bytes() == b""


def test_a_pipe_and_a_folder_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for name in ("pipe", "folder"):
        with pytest.raises(OutputError):
            append_line(str(tmp_path / name), b"line\n")


def test_a_link_is_told_as_one(tmp_path: Path) -> None:
    (tmp_path / "ledger").symlink_to("nowhere")
    with pytest.raises(OutputError, match="ledger: cannot be appended to: a link lies there"):
        append_line(str(tmp_path / "ledger"), b"line\n")
    assert os.listdir(tmp_path) == ["ledger"]


def test_a_line_that_cannot_be_flushed_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: int) -> None:
        raise OSError(errno.EIO, "the disk is broken")

    old, new = tmp_path / "old", tmp_path / "new"
    old.write_bytes(b"one\ntw")
    monkeypatch.setattr(os, "fsync", refuse)
    for path in (old, new):
        with pytest.raises(OutputError, match="the disk is broken"):
            append_line(str(path), b"three\n")
    assert old.read_bytes() == b"one\ntw"
    assert os.listdir(tmp_path) == ["old"]
