"""The digest of a task's folder, recomputed: sha256 over sorted lines `path NUL sha256 LF` of what makes it.

Ignore files of the task change which files count; a task that has one is not recomputed, and the check says so.
"""

import fnmatch
import hashlib
import os
from collections.abc import Iterator

from runaudit.model.trouble import Trouble
from runaudit.read.documents import read_bytes
from runaudit.read.places import Places

_SINGLE = ("task.toml", "instruction.md", "README.md", "trajectory.json")
_FOLDERS = ("environment", "tests", "solution", "steps")
_IGNORE_FILES = (".gitignore", ".harborignore")
_LEFT_OUT = ("*.pyc", ".DS_Store", "*.swp", "*.swo", "*~")
_LEFT_OUT_FOLDER = "__pycache__"
_MOST_FILES = 100_000


def task_digest(places: Places, folder: str) -> str | Trouble:
    """The digest (`sha256:hex`) of the task in `folder`, or why it cannot be recomputed."""
    if any(places.look(os.path.join(folder, name)).present for name in _IGNORE_FILES):
        return Trouble(id="document-unreadable", message="the task has an ignore file, which changes what is hashed")
    lines = []
    for relative in sorted(_members(places, folder)):
        data = read_bytes(places.look(os.path.join(folder, relative)))
        if isinstance(data, Trouble):
            return data
        lines.append(f"{relative}\0{hashlib.sha256(data).hexdigest()}\n")
        if len(lines) > _MOST_FILES:
            return Trouble(id="file-too-large", message="the task has too many files")
    return "sha256:" + hashlib.sha256("".join(lines).encode("utf-8", "surrogateescape")).hexdigest()


def _members(places: Places, folder: str) -> Iterator[str]:
    yield from (name for name in _SINGLE if places.look(os.path.join(folder, name)).kind == "file")
    for name in _FOLDERS:
        yield from _below(places, folder, name)


def _below(places: Places, folder: str, relative: str) -> Iterator[str]:
    sight = places.look(os.path.join(folder, relative))
    if sight.kind != "folder" or os.path.islink(os.path.join(folder, relative)):
        return
    for name in os.listdir(sight.real):
        inner = f"{relative}/{name}"
        kind = places.look(os.path.join(folder, inner)).kind
        if name == _LEFT_OUT_FOLDER or any(fnmatch.fnmatchcase(name, pattern) for pattern in _LEFT_OUT):
            continue
        if kind == "folder":
            yield from _below(places, folder, inner)
        elif kind == "file":
            yield inner
