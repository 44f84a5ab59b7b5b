"""Damages to a folder, each made from a seed and a number alone: the same two give the same damage.

Kinds of content take bytes and give other bytes; kinds of place put something else where a file or a folder lies.
Each gives None where it does not apply (no digit to edit, no second line to glue on), and another kind is drawn.
"""

import gzip
import os
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

OTHER_BYTES = 255
DEPTHS = (40, 1500, 100_000)
_WORD = re.compile(rb"[a-z]")
_DIGIT = re.compile(rb"[0-9]")
_KEY = re.compile(rb'"([A-Za-z_]+)"(?=\s*:)')
_STATEMENT = re.compile(rb'"([A-Za-z_]+)":\s*(-?[0-9][0-9.]*|"[^"\\]*"|true|false|null)')


@dataclass(frozen=True)
class Scene:
    """Where damage is done: the folder, and a place outside it that links may lead to."""

    folder: Path
    outside: Path

    def files(self) -> list[Path]:
        """Every plain file of the folder, in the order of their paths."""
        return sorted(path for path in self.folder.rglob("*") if path.is_file() and not path.is_symlink())

    def folders(self) -> list[Path]:
        """Every folder below the folder, in the order of their paths."""
        return sorted(path for path in self.folder.rglob("*") if path.is_dir() and not path.is_symlink())


@dataclass(frozen=True)
class Harm:
    """A damage that was done: its kind, to what (relative to the folder), and the second path where there is one."""

    kind: str
    path: str
    other: str | None = None

    def __str__(self) -> str:
        return f"{self.kind} {self.path}" + (f" ({self.other})" if self.other else "")


Content = Callable[[bytes, Random], bytes | None]
Place = Callable[[Scene, Path, Random], str | None]


def _cut(data: bytes, chance: Random) -> bytes | None:
    return data[: chance.randrange(len(data))] if data else None


def _flip_bit(data: bytes, chance: Random) -> bytes | None:
    return _replaced(data, chance, lambda byte: byte ^ (1 << chance.randrange(8)))


def _flip_byte(data: bytes, chance: Random) -> bytes | None:
    return _replaced(data, chance, lambda byte: (byte + chance.randint(1, OTHER_BYTES)) % 256)


def _replaced(data: bytes, chance: Random, change: Callable[[int], int]) -> bytes | None:
    if not data:
        return None
    at = chance.randrange(len(data))
    return data[:at] + bytes([change(data[at])]) + data[at + 1 :]


def _double_line(data: bytes, chance: Random) -> bytes | None:
    rows = data.splitlines(keepends=True)
    if not rows:
        return None
    rows.insert(chance.randint(0, len(rows)), chance.choice(rows))
    return b"".join(rows)


def _reorder_lines(data: bytes, chance: Random) -> bytes | None:
    rows = data.splitlines(keepends=True)
    if len(set(rows)) < 2:
        return None
    one, other = chance.sample([at for at, row in enumerate(rows) if rows.index(row) == at], 2)
    rows[one], rows[other] = rows[other], rows[one]
    return b"".join(rows)


def _glue_lines(data: bytes, chance: Random) -> bytes | None:
    ends = [at for at, byte in enumerate(data[:-1]) if byte == 10]
    if not ends:
        return None
    at = chance.choice(ends)
    return data[:at] + data[at + 1 :]


def _pad_nul(data: bytes, chance: Random) -> bytes | None:
    at = chance.choice((0, len(data), chance.randint(0, len(data))))
    return data[:at] + bytes(chance.choice((1, 7, 4096))) + data[at:]


def _blank(data: bytes, chance: Random) -> bytes | None:
    if not data:
        return None
    begin, end = sorted((chance.randint(0, len(data)), chance.choice((len(data), chance.randint(0, len(data))))))
    return data[:begin] + b" " * (end - begin) + data[end:]


def _empty(data: bytes, _: Random) -> bytes | None:
    return b"" if data else None


def _utf16(data: bytes, _: Random) -> bytes | None:
    text = _text(data)
    return text.encode("utf-16") if text else None


def _latin1(data: bytes, chance: Random) -> bytes | None:
    found = list(_WORD.finditer(data))
    if not found:
        return None
    at = chance.choice(found).start()
    return data[:at] + "é".encode("latin-1") + data[at + 1 :]


def _bom(data: bytes, _: Random) -> bytes | None:
    return b"\xef\xbb\xbf" + data


def _crlf(data: bytes, _: Random) -> bytes | None:
    return data.replace(b"\n", b"\r\n") if b"\n" in data else None


def _gzip(data: bytes, _: Random) -> bytes | None:
    return gzip.compress(data, mtime=0)


def _digit(data: bytes, chance: Random) -> bytes | None:
    found = list(_DIGIT.finditer(data))
    if not found:
        return None
    at = chance.choice(found).start()
    return data[:at] + b"%d" % ((data[at] - 48 + chance.randint(1, 9)) % 10) + data[at + 1 :]


def _key_name(data: bytes, chance: Random) -> bytes | None:
    found = list(_KEY.finditer(data))
    if not found:
        return None
    key = chance.choice(found)
    at = chance.randrange(key.start(1), key.end(1))
    return data[:at] + (b"x" if data[at : at + 1] != b"x" else b"y") + data[at + 1 :]


def _double_key(data: bytes, chance: Random) -> bytes | None:
    """States a key a second time, before or after the first, with the same value, another, or one of another type."""
    found = list(_STATEMENT.finditer(data))
    if not found:
        return None
    said = chance.choice(found)
    value = chance.choice((said.group(2), b"0", b"1", b"null", b'"other"', b"[]"))
    again = b'"%s":%s' % (said.group(1), value)
    if chance.random() < 0.5:
        return data[: said.start()] + again + b"," + data[said.start() :]
    return data[: said.end()] + b"," + again + data[said.end() :]


def _deep(data: bytes, chance: Random) -> bytes | None:
    """Puts something that nests deep in the place of a value, or beside the first key."""
    depth = chance.choice(DEPTHS)
    nest = chance.choice((b"[" * depth + b"]" * depth, b'{"a":' * depth + b"1" + b"}" * depth))
    found = list(_STATEMENT.finditer(data))
    if found and chance.random() < 0.5:
        said = chance.choice(found)
        return data[: said.start(2)] + nest + data[said.end(2) :]
    at = data.find(b"{") + 1
    return data[:at] + b'"deep":' + nest + b"," + data[at:] if at else data + nest


def _text(data: bytes) -> str | None:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


CONTENT: dict[str, Content] = {
    "cut": _cut,
    "flip a bit": _flip_bit,
    "flip a byte": _flip_byte,
    "double a line": _double_line,
    "reorder lines": _reorder_lines,
    "glue lines": _glue_lines,
    "pad with NUL": _pad_nul,
    "blank out": _blank,
    "empty": _empty,
    "as UTF-16": _utf16,
    "a Latin-1 letter": _latin1,
    "a byte order mark": _bom,
    "as CRLF": _crlf,
    "gzip in place": _gzip,
    "edit a digit": _digit,
    "edit a key": _key_name,
    "double a key": _double_key,
    "nest deep": _deep,
}


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


def _delete(_: Scene, path: Path, __: Random) -> str | None:
    _remove(path)
    return ""


def _dangling_link(scene: Scene, path: Path, chance: Random) -> str | None:
    _remove(path)
    aim = chance.choice(("gone", "../gone/gone", str(scene.outside / "gone"), "a" * 300))
    path.symlink_to(aim)
    return aim


def _looping_link(_: Scene, path: Path, chance: Random) -> str | None:
    _remove(path)
    aim = chance.choice((path.name, f"../{path.parent.name}/{path.name}", "."))
    path.symlink_to(aim)
    return aim


def _leaving_link(scene: Scene, path: Path, chance: Random) -> str | None:
    """A link to the same content outside: whoever follows it finds everything as it was."""
    away = scene.outside / path.name
    path.rename(away)
    absolute = chance.random() < 0.5
    aim = str(away) if absolute else os.path.relpath(away, path.parent)
    path.symlink_to(aim)
    return "absolute" if absolute else "relative"


def _neighbour_link(scene: Scene, path: Path, chance: Random) -> str | None:
    others = [other for other in scene.files() if other != path and path not in other.parents]
    return _linked(path, others, chance)


def _folder_link(scene: Scene, path: Path, chance: Random) -> str | None:
    others = [scene.folder, *(other for other in scene.folders() if other != path and path not in other.parents)]
    return _linked(path, others, chance)


def _linked(path: Path, others: list[Path], chance: Random) -> str | None:
    if not others:
        return None
    aim = os.path.relpath(chance.choice(others), path.parent)
    _remove(path)
    path.symlink_to(aim)
    return aim


def _folder(_: Scene, path: Path, chance: Random) -> str | None:
    """A folder in the file's place, empty or with the file in it."""
    if path.is_dir():
        return None
    data = path.read_bytes()
    path.unlink()
    path.mkdir()
    if chance.random() < 0.5:
        (path / path.name).write_bytes(data)
    return ""


def _file(_: Scene, path: Path, __: Random) -> str | None:
    if not path.is_dir():
        return None
    shutil.rmtree(path)
    path.write_bytes(b"{}\n")
    return ""


def _pipe(_: Scene, path: Path, __: Random) -> str | None:
    _remove(path)
    os.mkfifo(path)
    return ""


def _no_permission(_: Scene, path: Path, __: Random) -> str | None:
    path.chmod(0)
    return ""


def _swap(scene: Scene, path: Path, chance: Random) -> str | None:
    others = scene.folders() if path.is_dir() else scene.files()
    others = [other for other in others if other != path and path not in other.parents and other not in path.parents]
    if not others:
        return None
    other, aside = chance.choice(others), scene.folder / ".aside"
    path.rename(aside)
    other.rename(path)
    aside.rename(other)
    return str(other.relative_to(scene.folder))


def _tail_of_another(scene: Scene, path: Path, chance: Random) -> str | None:
    others = [] if path.is_dir() else [other for other in scene.files() if other != path and other.stat().st_size]
    if not others:
        return None
    other = chance.choice(others)
    data = other.read_bytes()
    with path.open("ab") as file:
        file.write(data[chance.randrange(len(data)) :])
    return str(other.relative_to(scene.folder))


PLACE: dict[str, Place] = {
    "delete": _delete,
    "a dangling link": _dangling_link,
    "a looping link": _looping_link,
    "a link out": _leaving_link,
    "a link to a neighbour": _neighbour_link,
    "a link to a folder": _folder_link,
    "a folder": _folder,
    "a file for a folder": _file,
    "a pipe": _pipe,
    "no permission": _no_permission,
    "swap two": _swap,
    "the tail of another": _tail_of_another,
}
KINDS = (*CONTENT, *PLACE)
_ATTEMPTS = 50


def damage(scene: Scene, seed: int, number: int) -> Harm:
    """Does the damage of this number; the folder must be the same each time."""
    chance = Random(f"{seed}:{number}")
    for _ in range(_ATTEMPTS):
        path, kind = _chosen(scene, chance), chance.choice(KINDS)
        before = path.stat()
        if kind in PLACE:
            other = PLACE[kind](scene, path, chance)
        else:
            other = None if path.is_dir() else _rewritten(path, CONTENT[kind], chance)
        if other is None:
            continue
        if not path.is_symlink() and path.is_file() and chance.random() < 0.5:
            os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        return Harm(kind, str(path.relative_to(scene.folder)), other or None)
    raise AssertionError(f"no damage applies to {scene.folder}")


def _rewritten(path: Path, change: Content, chance: Random) -> str | None:
    data = change(path.read_bytes(), chance)
    if data is None:
        return None
    path.write_bytes(data)
    return ""


def _chosen(scene: Scene, chance: Random) -> Path:
    """A file or a folder: files at the top, which say most, half of the time."""
    files, folders = scene.files(), scene.folders()
    if folders and chance.random() < 0.08:
        return chance.choice(folders)
    top = [path for path in files if path.parent == scene.folder]
    return chance.choice(top if top and chance.random() < 0.5 else files)
