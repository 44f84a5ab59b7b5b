"""A second opinion on what a summary recorded: which recorded things are other than they were, byte by byte.

Imports nothing from the package that it judges. It compares the folder as it was with the folder as it is and uses no
digest. Where content is recorded by name and size only, no more than that is compared.
"""

import os
import stat
from pathlib import Path
from typing import Any

TASK_FILES = ("test_stdout", "reward_file", "trajectory")
# what a reader who is neither owner nor of the group may do
_MAY_READ, _MAY_ENTER = 0o004, 0o001


def real_inside(folder: Path, path: str) -> Path | None:
    """Where a path leads, when that is inside the folder."""
    top, real = os.path.realpath(folder), os.path.realpath(folder / path)
    return Path(real) if real == top or real.startswith(top + "/") else None


def readable(folder: Path, real: Path) -> bool:
    """Whether a stranger may read what lies there."""
    if os.geteuid() != 0:
        return os.access(real, os.R_OK)
    above = [parent for parent in real.parents if Path(os.path.realpath(folder)) in (parent, *parent.parents)]
    if not all(parent.stat().st_mode & _MAY_ENTER for parent in above):
        return False
    return bool(real.stat().st_mode & _MAY_READ)


def content(folder: Path, path: str) -> bytes | None:
    """The bytes of the plain file that a path leads to, None where there is none inside that may be read."""
    real = real_inside(folder, path)
    if real is None or not os.path.lexists(real) or not stat.S_ISREG(os.lstat(real).st_mode):
        return None
    return real.read_bytes() if readable(folder, real) else None


def closed(folder: Path, path: str) -> bool:
    """Whether something lies there, inside, and may not be read."""
    real = real_inside(folder, path)
    if real is None:
        return False
    while not os.path.lexists(real):
        real = real.parent
    return not stat.S_ISLNK(os.lstat(real).st_mode) and not readable(folder, real)


def recorded_files(document: dict[str, Any]) -> set[str]:
    """Every file whose size or digest the document states."""
    found = set(document.get("evidence") or {})
    for name in ("stale_files", "set_aside"):
        found |= {told["path"] for told in document.get(name) or []}
    for task in document.get("tasks") or []:
        found |= {task[field] for field in TASK_FILES if task.get(field)}
        found |= {f"{task['verifier_logs']}/{name}" for name in (task.get("evidence") or {}).get("files") or {}}
    return found


def log_folders(document: dict[str, Any]) -> set[str]:
    """Every folder of whose other files the document states names and sizes."""
    return {task["verifier_logs"] for task in document.get("tasks") or [] if task.get("verifier_logs")}


def outline(folder: Path, path: str, leave_out: set[str], *, contents: bool) -> dict[str, Any] | None:
    """Names with sizes and links below a folder, without the files that are recorded one by one."""
    top = real_inside(folder, path)
    if top is None or not os.path.isdir(top) or not readable(folder, top):
        return None
    found: dict[str, Any] = {}
    for where, folders, files in os.walk(top):
        for name in [*files, *(inner for inner in folders if os.path.islink(os.path.join(where, inner)))]:
            whole = Path(where, name)
            inner = f"{path}/{whole.relative_to(top)}"
            status = os.lstat(whole)
            if inner in leave_out:
                continue
            if stat.S_ISLNK(status.st_mode):
                found[inner] = f"-> {os.readlink(whole)}"
            elif stat.S_ISREG(status.st_mode):
                found[inner] = (whole.read_bytes() if readable(folder, whole) else None) if contents else status.st_size
            else:
                found[inner] = "other"
    return found


def differing(document: dict[str, Any], sound: Path, now: Path) -> dict[str, str]:
    """The recorded things that are not what they were, by path: `content`, `closed` (may not be read), `names`."""
    files = recorded_files(document)
    found = {}
    for path in files:
        if content(sound, path) != content(now, path):
            found[path] = "closed" if closed(now, path) else "content"
    contents = (document.get("options") or {}).get("digest") == "sha256"
    for path in log_folders(document):
        before = outline(sound, path, files, contents=contents)
        after = outline(now, path, files, contents=contents)
        if before != after:
            found[path] = "closed" if closed(now, path) else "names"
    return found
