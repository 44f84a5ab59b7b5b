"""SHA256_MANIFEST.json: `{"files": [{"path", "sha256", "size"}, …]}` and its relatives, read and written.

Read: a list under `files` (or the list alone), with `sha256`, `digest` or `hash` and `size` or `bytes`; a mapping of
paths to digests, under `files` or alone when every value is a digest. An object that states a key twice carries
`values_of` (see `read.values`): no statement gets lost because another one follows.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from runaudit.errors import InputError
from runaudit.manifests.digest_text import sha256_hex, why_not
from runaudit.manifests.entry import Entry, Malformed, Manifest, Stated
from runaudit.manifests.names import byte_order, impossible
from runaudit.manifests.tree_digest import tree_digest
from runaudit.model.finding import Finding

KIND = "sha256_manifest"
VERSION = 1
_DIGESTS = ("sha256", "digest", "hash")
_SIZES = ("size", "bytes")
_USUAL = {"path", "sha256", "size"}
_PATH = re.compile(r"[^\0]*[^\0/.]\Z", re.DOTALL)
_HEX = re.compile(r"[0-9a-f]{64}\Z")
_READ = {"path", *_DIGESTS, *_SIZES}


class Pair(msgspec.Struct, frozen=True):
    """A path and what is stated of it, from a mapping."""

    path: str
    value: Any


def parse(value: Any, source: str) -> Manifest:
    """The manifest in a decoded JSON value. Raises InputError when it has none of the known shapes."""
    records = list(_records(value))
    read = [_entry(record, number, source) for number, record in enumerate(records, 1)]
    return Manifest(
        form="json",
        entries=tuple(one for one in read if isinstance(one, Entry)),
        malformed=tuple(one for one in read if isinstance(one, Malformed)),
        findings=tuple(_said_twice(value, source)),
        stated=_stated(value),
    )


def encode(entries: Sequence[Entry]) -> bytes:
    """The bytes of a manifest of these entries, ordered by the bytes of their paths; `parse` reads them back.

    Raises InputError for a name that JSON cannot hold.
    """
    ordered = sorted(entries, key=lambda entry: byte_order(entry.path))
    for entry in ordered:
        if not entry.path.isascii() and any("\ud800" <= c <= "\udfff" for c in entry.path):
            raise InputError(f"{entry.path!a}: the name is not UTF-8 and cannot be written in JSON")
    document = {
        "kind": KIND,
        "version": VERSION,
        "total_files": len(ordered),
        "total_bytes": sum(entry.size or 0 for entry in ordered),
        "tree_digest": tree_digest((entry.path, entry.digest) for entry in ordered),
        "files": [_record(entry) for entry in ordered],
    }
    return msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"


def _record(entry: Entry) -> dict[str, Any]:
    size = {} if entry.size is None else {"size": entry.size}
    return {"path": entry.path, "sha256": entry.digest, **size, **entry.extra}


def _records(value: Any) -> Iterable[Any]:
    if isinstance(value, list):
        return value
    if not isinstance(value, Mapping):
        raise InputError(f"the document is {kind_of(value)}, expected an object with a list 'files'")
    if isinstance(value.get("version"), int) and value.get("kind") == KIND and value["version"] > VERSION:
        raise InputError(f"{KIND} version {value['version']} is newer than this runaudit reads ({VERSION})")
    if "files" in value and not _is_mapping_of_digests(value):
        return (record for files in _every(value, "files") for record in _listed(files))
    if _is_mapping_of_digests(value):
        return _listed(value)
    raise InputError(f"no list 'files'; keys found: {_keys(value)}")


def _listed(files: Any) -> Iterable[Any]:
    if isinstance(files, list):
        return files
    if isinstance(files, Mapping):
        return [Pair(path, stated) for path in files for stated in _every(files, path)]
    raise InputError(f"'files' is {kind_of(files)}, expected a list")


def _is_mapping_of_digests(value: Mapping[str, Any]) -> bool:
    return bool(value) and all(isinstance(v, str) and sha256_hex(v) for v in value.values())


def _every(value: Mapping[str, Any], key: str) -> list[Any]:
    """Every value that an object states for the key."""
    stated: Mapping[str, list[Any]] = getattr(value, "values_of", {})
    return stated.get(key) or [value[key]]


def _entry(record: Any, number: int, source: str) -> Entry | Malformed:
    if type(record) is dict and record.keys() == _USUAL and (plain := _plain(record, source)):
        return plain
    said = record.value if isinstance(record, Pair) else record
    if isinstance(record, Pair):
        inner = record.value if isinstance(record.value, Mapping) else {"sha256": record.value}
        record = {**inner, "path": record.path}
    if not isinstance(record, Mapping):
        return Malformed(f"entry {number} is {kind_of(record)}, expected an object", source)
    path = record.get("path")
    told = path if isinstance(path, str) else None
    twice = [key for key in getattr(said, "values_of", {}) if key in _READ]
    if twice:
        values = ", ".join(str(value)[:80] for value in _every(said, twice[0]))
        return Malformed(f"entry {number} states '{twice[0]}' twice: {values}", source, told)
    reason = impossible(path) if isinstance(path, str) else f"'path' is {kind_of(path)}; keys found: {_keys(record)}"
    if reason or not isinstance(path, str):
        return Malformed(f"entry {number}: {reason}", source, told)
    digest, problem = _digest(record)
    size, wrong = _size(record)
    if problem or wrong:
        return Malformed(f"entry {number}: {problem or wrong}", source, path)
    extra = {key: value for key, value in record.items() if key not in _READ}
    return Entry(path=path, digest=digest, size=size, source=source, extra=extra)


def _plain(record: Mapping[str, Any], source: str) -> Entry | None:
    """The entry in an object of the usual kind, when nothing in it needs a second look; else None."""
    path, digest, size = record["path"], record["sha256"], record["size"]
    usual = type(path) is str and type(digest) is str and type(size) is int and size >= 0
    if usual and path.isascii() and _PATH.match(path) and _HEX.match(digest):
        return Entry(path, digest, size, None, source)
    return None


def _digest(record: Mapping[str, Any]) -> tuple[str, str | None]:
    stated = [key for key in _DIGESTS if key in record]
    if not stated:
        return "", f"none of {', '.join(_DIGESTS)}; keys found: {_keys(record)}"
    read = {key: sha256_hex(record[key]) if isinstance(record[key], str) else None for key in stated}
    first = stated[0]
    digest = read[first]
    if digest is None:
        value = record[first]
        return "", f"'{first}': {why_not(value) if isinstance(value, str) else f'{kind_of(value)}, expected text'}"
    if other := next((key for key in stated if read[key] not in (None, digest)), None):
        return "", f"'{first}' and '{other}' state two digests"
    return digest, None


def _size(record: Mapping[str, Any]) -> tuple[int | None, str | None]:
    stated = {key: record[key] for key in _SIZES if record.get(key) is not None}
    for key, value in stated.items():
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            return None, f"'{key}' is {kind_of(value)}, expected a whole number of bytes"
    if len(set(stated.values())) > 1:
        return None, "'size' and 'bytes' state two sizes"
    return next(iter(stated.values()), None), None


def _stated(value: Any) -> Stated:
    if not isinstance(value, Mapping):
        return Stated()
    count, size, tree = value.get("total_files"), value.get("total_bytes"), value.get("tree_digest")
    return Stated(
        total_files=count if isinstance(count, int) and not isinstance(count, bool) else None,
        total_bytes=size if isinstance(size, int) and not isinstance(size, bool) else None,
        tree_digest=tree if isinstance(tree, str) and value.get("kind") == KIND else None,
    )


def _said_twice(value: Any, source: str) -> Iterable[Finding]:
    for key in getattr(value, "values_of", {}):
        if key in ("files", "total_files", "total_bytes", "tree_digest", "kind", "version"):
            message = f"the manifest states '{key}' twice; every statement was looked at"
            yield Finding(id="duplicate-key", message=message, path=source, found=key)


def _keys(record: Mapping[str, Any]) -> str:
    return ", ".join(repr(str(key)[:40]) for key in list(record)[:12]) or "none"


def kind_of(value: Any) -> str:
    """What a JSON value is, in JSON's words."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return "text"
        case int():
            return "a negative number" if value < 0 else "a number"
        case list():
            return "a list"
        case Mapping():
            return "an object"
        case _:
            return "a number that is not whole"
