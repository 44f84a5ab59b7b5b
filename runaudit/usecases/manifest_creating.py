"""`manifest create`: one digest for each plain file of a folder, the same bytes whatever the order of the folder.

A link to a plain file inside the folder is listed under its own name, with the content that it leads to. What cannot
be listed honestly stops the command with its name, unless it is excluded: an unreadable file, a link that leads
nowhere or out, a pipe, a socket, a device, a name that the format cannot hold.
"""

import os
from collections.abc import Sequence
from typing import Literal

import msgspec

from runaudit.errors import InputError
from runaudit.manifests import json_form, sums_form
from runaudit.manifests.comparing import Content
from runaudit.manifests.entry import Entry
from runaudit.manifests.names import shown
from runaudit.manifests.patterns import excluder
from runaudit.manifests.tree_digest import tree_digest
from runaudit.model.finding import Finding
from runaudit.read.places import Places
from runaudit.read.tree import Tree, walk
from runaudit.usecases.manifest_hashing import Contents, Progress, read_contents
from runaudit.usecases.manifest_reading import JSON_NAME, SUMS_NAME
from runaudit.write import atomic

Kind = Literal["json", "sha256sum"]
_NAMES: dict[Kind, str] = {"json": JSON_NAME, "sha256sum": SUMS_NAME}
_FIRST = 5


class Created(msgspec.Struct, frozen=True):
    """A manifest that was made: its bytes, where they were written (None: nowhere), and what they list.

    `left_out` are links to folders, which have no content of their own, and temporary files of a stopped writer.
    """

    content: bytes
    path: str | None
    files: int
    size: int
    tree_digest: str
    left_out: tuple[str, ...]
    findings: tuple[Finding, ...]


def create_manifest(
    root: str,
    *,
    kind: Kind = "json",
    output: str | None = None,
    exclude: Sequence[str] = (),
    allow_empty: bool = False,
    cache: str | None = None,
    began_ns: int | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Created:
    """Makes a manifest of the folder `root` and writes it atomically to `output`.

    `output` None is SHA256_MANIFEST.json or SHA256SUMS in the folder, `-` writes nothing. Neither the manifest nor the
    cache is ever listed. `began_ns` is the time of the call, in nanoseconds since 1970; a `cache` needs it.

    Raises InputError when the folder is not there, lists nothing (without `allow_empty`) or holds something that
    cannot be listed honestly; OutputError when the manifest cannot be written.
    """
    if not os.path.isdir(root):
        raise InputError(f"{root}: no such folder")
    target = os.path.join(root, _NAMES[kind]) if output in (None, "-") else str(output)
    places = Places([root])
    tree = walk(places.roots[0], excluder(exclude) if exclude else None)
    names = _listable(tree, places, [target, *([cache] if cache else [])])
    if not names and not allow_empty:
        raise InputError(f"{root}: no file to list (--allow-empty writes a manifest that lists nothing)")
    contents = read_contents(list(names.values()), workers=workers, cache=cache, began_ns=began_ns, progress=progress)
    entries = _entries(list(names), contents)
    content = json_form.encode(entries) if kind == "json" else sums_form.encode(entries)
    if output != "-":
        atomic.replace(target, [content])
    return Created(
        content=content,
        path=None if output == "-" else target,
        files=len(entries),
        size=sum(entry.size or 0 for entry in entries),
        tree_digest=tree_digest((entry.path, entry.digest) for entry in entries),
        left_out=tuple(shown(name) for name in _left_out(tree, places)),
        findings=contents.findings,
    )


def _entries(names: Sequence[str], contents: Contents) -> list[Entry]:
    """One entry for each name. Raises InputError when a file could not be read."""
    entries = []
    troubles = []
    for name, seen in zip(names, contents.seen, strict=True):
        if isinstance(seen, Content):
            entries.append(Entry(path=name, digest=seen.digest, size=seen.size))
        else:
            troubles.append(f"{shown(name)}: {seen.message}")
    _refuse(troubles)
    return entries


def _listable(tree: Tree, places: Places, never: Sequence[str]) -> dict[str, str]:
    """Name and resolved path of every file to list. Raises InputError for what cannot be listed honestly."""
    troubles = [f"{shown(path)}: {trouble.message}" for path, trouble in sorted(tree.refused)]
    troubles += [f"{shown(name)}: neither file, folder nor link" for name in sorted(tree.specials)]
    root = places.roots[0]
    own = {os.path.join(os.path.realpath(os.path.dirname(path) or "."), os.path.basename(path)) for path in never}
    names = {name: os.path.join(root, name) for name in tree.files if not _leftover(name)}
    for link in sorted(tree.links):
        if os.path.join(root, link) in own:
            continue
        sight = places.look(link)
        if sight.kind == "file":
            names[link] = sight.real
        elif sight.kind != "folder":
            trouble = sight.trouble("file")
            troubles.append(f"{shown(link)}: a link: {trouble.message if trouble else 'to nothing'}")
    _refuse(troubles)
    return {name: real for name, real in names.items() if real not in own}


def _left_out(tree: Tree, places: Places) -> list[str]:
    return [
        *(name for name in sorted(tree.files) if _leftover(name)),
        *(name for name in sorted(tree.links) if places.look(name).kind == "folder"),
    ]


def _leftover(name: str) -> bool:
    return atomic.is_own_leftover(name.rpartition("/")[2])


def _refuse(troubles: Sequence[str]) -> None:
    if troubles:
        more = f" (and {len(troubles) - _FIRST} more)" if len(troubles) > _FIRST else ""
        raise InputError(f"cannot be listed; leave it out with --exclude: {'; '.join(troubles[:_FIRST])}{more}")
