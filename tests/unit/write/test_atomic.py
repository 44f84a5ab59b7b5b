"""What a replaced file is called on its way, who may read it, and which names are leftovers."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from runaudit.errors import OutputError
from runaudit.write.atomic import is_leftover, is_own_leftover, replace


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("old", [0o600, 0o640, 0o666, 0o444, 0o755])
def test_a_replaced_document_keeps_its_permissions(tmp_path: Path, old: int) -> None:
    path = tmp_path / "document.json"
    path.write_bytes(b"old\n")
    path.chmod(old)
    replace(str(path), [b"new\n"])
    assert (path.read_bytes(), mode(path)) == (b"new\n", old)


def test_nobody_else_may_read_a_private_document_while_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "document.json"
    path.write_bytes(b"old\n")
    path.chmod(0o600)
    seen: list[int] = []

    def chunks() -> Iterator[bytes]:
        seen.extend(mode(tmp_path / name) for name in os.listdir(tmp_path))
        yield b"new\n"

    replace(str(path), chunks())
    assert seen == [0o600, 0o600]


def test_a_new_document_gets_what_a_plain_write_gives(tmp_path: Path) -> None:
    (tmp_path / "plain").write_bytes(b"")
    replace(str(tmp_path / "document.json"), [b"new\n"])
    assert mode(tmp_path / "document.json") == mode(tmp_path / "plain")


def test_a_link_gives_the_document_none_of_its_targets_permissions(tmp_path: Path) -> None:
    (tmp_path / "target").write_bytes(b"")
    (tmp_path / "target").chmod(0o777)
    (tmp_path / "plain").write_bytes(b"")
    (tmp_path / "document.json").symlink_to("target")
    replace(str(tmp_path / "document.json"), [b"new\n"])
    assert not (tmp_path / "document.json").is_symlink()
    assert mode(tmp_path / "document.json") == mode(tmp_path / "plain")


@pytest.mark.parametrize("name", ["a" * 255, "é" * 127, os.fsdecode(b"\xff" * 255), "two\nlines.json", "-", ".x"])
def test_whatever_name_a_file_can_have_can_be_written(tmp_path: Path, name: str) -> None:
    seen: list[str] = []

    def chunks() -> Iterator[bytes]:
        seen.extend(os.listdir(tmp_path))
        yield b"new\n"

    replace(str(tmp_path / name), chunks())
    assert os.listdir(tmp_path) == [name]
    assert (tmp_path / name).read_bytes() == b"new\n"
    (temporary,) = seen
    assert is_leftover(temporary)
    assert is_own_leftover(temporary)


@pytest.mark.parametrize("target", ["", "folder", "folder/", "missing/", "."])
def test_what_is_no_name_of_a_file_is_refused_and_nothing_stays(tmp_path: Path, target: str) -> None:
    (tmp_path / "folder").mkdir()
    path = os.path.join(tmp_path, target)
    with pytest.raises(OutputError, match="cannot be written"):
        replace(path, [b"new\n"])
    assert [sorted(names) for _, *both in os.walk(tmp_path) for names in both] == [["folder"], [], [], []]
