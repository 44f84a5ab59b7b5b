"""What lies in an audited folder and in no list: found by one walk, no link followed, whole folders named as one."""

import os
from collections.abc import Iterable

from runaudit.model.finding import Finding
from runaudit.model.relative import is_odd, shown
from runaudit.model.trouble import Trouble
from runaudit.read.folder import Item, walk
from runaudit.usecases.runs import is_summary_name
from runaudit.write.atomic import is_leftover

_OURS = ("_output_signatures.json",)


def disk_findings(folder: str, listed: Iterable[str], claimed: Iterable[str], *, strict: bool) -> list[Finding]:
    """Files that no list names, leftovers of stopped writers, and names that break elsewhere.

    `listed` are files, `claimed` folders whose whole content belongs to a task; both relative to `folder`.
    """
    known, owned = set(listed), set(claimed)
    above = {parent for path in (*known, *owned) for parent in _parents(path)}
    found: list[Finding] = []
    unlisted: dict[str, int] = {}
    names: dict[str, str] = {}
    for path, item in walk(folder):
        if isinstance(item, Trouble):
            found.append(item.at(shown(path) or "."))
            continue
        found += _portability(path, names)
        if item.kind == "folder" or _is_known(path, item, known, owned):
            continue
        if is_leftover(item.name):
            message = "a stopped writer left it; it is not read"
            found.append(Finding(id="leftover-file", message=message, path=shown(path)))
            continue
        where = _highest_unknown(path, above)
        unlisted[where] = unlisted.get(where, 0) + 1
    return found + [_unlisted(path, count, strict=strict) for path, count in sorted(unlisted.items())]


def _is_known(path: str, item: Item, known: set[str], owned: set[str]) -> bool:
    if shown(path) in known or is_summary_name(item.name) or item.name.endswith(_OURS):
        return True
    return any(parent in owned for parent in _parents(shown(path)))


def _parents(path: str) -> list[str]:
    parts = path.split("/")[:-1]
    return ["/".join(parts[: index + 1]) for index in range(len(parts))]


def _highest_unknown(path: str, above: set[str]) -> str:
    """The file itself, or the highest folder on its way in which nothing is listed, with a closing slash."""
    for parent in _parents(path):
        if parent not in above:
            return f"{shown(parent)}/"
    return shown(path)


def _unlisted(path: str, count: int, *, strict: bool) -> Finding:
    message = f"{count} files in a folder that no list names" if path.endswith("/") else "no list names it"
    return Finding(id="unlisted-file", message=message, path=path, level="error" if strict else None)


def _portability(path: str, names: dict[str, str]) -> list[Finding]:
    if is_odd(os.path.basename(path)):
        return [Finding(id="portability", message="the name is no UTF-8", path=shown(path))]
    other = names.setdefault(path.casefold(), path)
    if other != path:
        message = f"differs from {shown(other)} by case only"
        return [Finding(id="portability", message=message, path=shown(path))]
    return []
