"""The shards of a merged file, as `<stem>_sources.json` lists them, with their failures and inventories.

The keys of that sidecar were not seen in a release, so several spellings are read: a list, or an object that holds one,
of paths or of objects with a path and perhaps size and SHA-256.
"""

import os
from typing import Any

import msgspec

from runaudit.layouts.nemo_gym.names import Names
from runaudit.model.finding import Finding
from runaudit.model.trouble import Trouble
from runaudit.read.documents import digest_of, read_json
from runaudit.read.places import Places, Sight

_LISTS = ("sources", "shards", "rollouts", "inputs", "files")
_PATHS = ("path", "rollouts", "rollouts_path", "file", "name")
_DIGESTS = ("sha256", "digest", "hash")
_SIZES = ("size", "bytes", "size_bytes")


class Shard(msgspec.Struct, frozen=True):
    """One shard: as it is listed, where that is, and what lies there."""

    listed: str
    path: str
    sight: Sight
    size: int | None
    sha256: str | None

    @property
    def names(self) -> Names:
        """The shard's own names, relative to the merged file's folder."""
        return Names(rollouts=self.path)


def read_sources(sight: Sight, path: str, folder: str, places: Places) -> tuple[list[Shard], list[Finding]]:
    """The listed shards and what is wrong with the list or with them."""
    document = read_json(sight, strict_keys=True)
    if isinstance(document, Trouble):
        return [], [Finding(id="sources-unreadable", message=document.message, path=path)]
    listed = _list_in(document.value)
    shards = [shard for item in listed or () if (shard := _shard(item, folder, places)) is not None]
    if listed is None or len(shards) != len(listed):
        message = "it holds no list of shards" if listed is None else "an entry names no path"
        return shards, [Finding(id="sources-unreadable", message=message, path=path)]
    return shards, [finding for shard in shards for finding in _checked(shard)]


def _list_in(value: Any) -> list[Any] | None:
    if isinstance(value, dict):
        value = next((value[key] for key in _LISTS if isinstance(value.get(key), list)), None)
    return value if isinstance(value, list) else None


def _first(item: dict[str, Any], keys: tuple[str, ...], kind: type) -> Any:
    return next((item[key] for key in keys if isinstance(item.get(key), kind)), None)


def _shard(item: Any, folder: str, places: Places) -> Shard | None:
    entry = item if isinstance(item, dict) else {"path": item}
    listed = _first(entry, _PATHS, str)
    if not listed:
        return None
    digest = _first(entry, _DIGESTS, str)
    sight = places.look(listed)
    if sight.kind == "absent" and os.path.isabs(listed):
        # A moved folder: the merge recorded an absolute path, the shard travelled with the merged file.
        near = places.look(os.path.basename(listed))
        if near.kind == "file":
            sight, listed = near, os.path.basename(listed)
    path = os.path.relpath(os.path.join(folder, listed), folder)
    size = _first(entry, _SIZES, int)
    return Shard(listed, path, sight, size, digest.removeprefix("sha256:").lower() if digest else None)


def _checked(shard: Shard) -> list[Finding]:
    trouble = shard.sight.trouble("file")
    if trouble is not None:
        return [trouble.at(shard.path)]
    if shard.sight.kind != "file":
        return [Finding(id="shard-missing", message="the sources list it and it is not on disk", path=shard.path)]
    if shard.size is not None and shard.size != shard.sight.size:
        return [_changed(shard, f"{shard.size} bytes", f"{shard.sight.size} bytes")]
    if shard.sha256 is not None:
        digest = digest_of(shard.sight, "sha256")
        if isinstance(digest, Trouble):
            return [digest.at(shard.path)]
        if digest.hex != shard.sha256:
            return [_changed(shard, f"SHA-256 {shard.sha256}", f"SHA-256 {digest.hex}")]
    return []


def _changed(shard: Shard, expected: str, found: str) -> Finding:
    return Finding(
        id="shard-changed",
        message=f"the sources state {expected}, the file has {found}",
        path=shard.path,
        expected=expected,
        found=found,
    )
