"""What lies in the folder and stands in no entry of the manifest."""

import os
from collections.abc import Iterable

import msgspec

from runaudit.manifests import bag_form
from runaudit.manifests.entry import Manifest
from runaudit.manifests.locating import Found
from runaudit.manifests.names import byte_order, collapsed, shown
from runaudit.model.finding import Finding, Level
from runaudit.read.tree import Tree
from runaudit.usecases.manifest_checking import Checked
from runaudit.usecases.manifest_reading import Opened
from runaudit.write.atomic import is_leftover


class Unlisted(msgspec.Struct, frozen=True):
    """Names with what they are (file, link, pipe …), and the names that look like a stopped writer's."""

    names: tuple[tuple[str, str], ...]
    leftovers: tuple[str, ...]

    def findings(self, *, strict: bool, bag: bool) -> Iterable[Finding]:
        """A note for each, an error with `strict`; the payload of a bag must be listed whole, always."""
        for name, what in self.names:
            owed = bag and name.startswith(f"{bag_form.PAYLOAD}/")
            message = f"unlisted: {what}, and a bag must list all of its payload" if owed else f"unlisted: {what}"
            level: Level = "error" if strict or owed else "note"
            yield Finding(id="unlisted-file", message=message, path=shown(name), level=level)
        for name in self.leftovers:
            message = "unlisted: temporary file of a writer that was stopped"
            yield Finding(id="leftover-file", message=message, path=shown(name), level="error" if strict else "note")


def unlisted_in(tree: Tree, opened: Opened, manifest: Manifest, checked: Checked, cache: str | None) -> Unlisted:
    """Everything in the tree that no entry names: not the documents that list, and not our own cache."""
    listed = set(manifest.names)
    listed |= {collapsed(one.path) for one in manifest.malformed if one.path}
    listed |= {location.name for location in checked.locations if isinstance(location, Found) and location.how}
    through = _folders_of(listed) if tree.links else set()
    kinds = [
        *((name, "a file") for name in set(tree.files) - listed),
        *((name, "a link") for name in tree.links if name not in through),
        *((name, "neither file, folder nor link") for name in tree.specials),
    ]
    extra = sorted(
        ((name, what) for name, what in kinds if name not in listed and not _ours(name, opened, cache)),
        key=lambda pair: byte_order(pair[0]),
    )
    leftovers = tuple(name for name, _ in extra if is_leftover(os.path.basename(name)))
    return Unlisted(names=tuple(pair for pair in extra if pair[0] not in set(leftovers)), leftovers=leftovers)


def _folders_of(names: Iterable[str]) -> set[str]:
    folders = set()
    for name in names:
        parts = name.split("/")
        folders |= {"/".join(parts[:depth]) for depth in range(1, len(parts))}
    return folders


def _ours(name: str, opened: Opened, cache: str | None) -> bool:
    if name in opened.own or (opened.bag and bag_form.is_own_file(name)):
        return True
    return cache is not None and os.path.abspath(cache) == os.path.join(os.path.abspath(opened.root), name)
