"""Finds a manifest, its format and its root, and reads it. A manifest that cannot be read comes back as a Trouble."""

import os
from collections.abc import Callable, Sequence
from functools import partial

import msgspec

from runaudit.errors import InputError, UsageError
from runaudit.manifests import bag_form, json_form, sums_form
from runaudit.manifests.entry import Entry, Malformed, Manifest
from runaudit.model.check import Check
from runaudit.model.finding import Finding
from runaudit.model.trouble import Trouble
from runaudit.read import hashing
from runaudit.read.documents import Document, decode_json, read_bytes
from runaudit.read.named import is_folder
from runaudit.read.places import Places

JSON_NAME = "SHA256_MANIFEST.json"
SUMS_NAME = "SHA256SUMS"
_KNOWN = (JSON_NAME, SUMS_NAME, "SHA256SUMS.txt", "sha256sums.txt")
_BOM = b"\xef\xbb\xbf"
_WIDE_BOMS = (b"\xff\xfe", b"\xfe\xff")


class Opened(msgspec.Struct, frozen=True):
    """A manifest and where it stands.

    `own` are the names below the root of the documents that list, each of which may list the others but not itself.
    `anchor` is the SHA-256 of the document that vouches for all the others. `payload` is what a bag says of its
    payload: bytes and number of files.
    """

    path: str
    root: str
    anchor: str
    manifest: Manifest | Trouble
    own: frozenset[str]
    bag: bool = False
    payload: tuple[int, int] | None = None
    checks: tuple[Check, ...] = ()


def open_manifest(manifest: str, root: str | None = None, roots: Sequence[str] = ()) -> Opened:
    """The manifest at a path, or in a folder that holds exactly one; `root` is what it lists, else its folder.

    A link at the path is followed, for the user named it. One that is found in the folder may lead into the folder
    and the `roots` only.

    Raises InputError when there is no such manifest or root, UsageError when a folder holds several.
    """
    found = is_folder(manifest)
    path = _in_folder(manifest) if found else manifest
    if not os.path.lexists(path):
        raise InputError(f"{manifest}: no such file")
    folder = os.path.dirname(path) or "."
    where = folder if root is None else root
    if not os.path.isdir(where):
        raise InputError(f"{where}: no such folder")
    name = os.path.basename(path)
    if bag_form.is_listing(name) and os.path.isfile(os.path.join(folder, bag_form.DECLARATION)):
        return _open_bag(folder, where, Places([folder, *roots]), named=None if found else name)
    return _open_single(path, where, Places([folder, *roots]) if found else None)


def _in_folder(folder: str) -> str:
    names = set(os.listdir(folder))
    listings = sorted(name for name in names if bag_form.is_listing(name))
    if bag_form.DECLARATION in names and listings:
        return os.path.join(folder, listings[0])
    known = [name for name in _KNOWN if name in names]
    if not known:
        raise InputError(f"{folder}: no manifest in this folder ({', '.join(_KNOWN)} or a BagIt bag)")
    if len(known) > 1:
        raise UsageError(f"{folder}: several manifests ({', '.join(known)}); name one of them")
    return os.path.join(folder, known[0])


def _open_single(path: str, root: str, places: Places | None) -> Opened:
    data = _named_bytes(path) if places is None else read_bytes(places.look(os.path.abspath(path)))
    own = _below(path, root)
    name = os.path.basename(path)
    if isinstance(data, Trouble):
        return Opened(path=path, root=root, anchor="", manifest=data, own=own)
    read = _guarded(partial(_parse, data, name))
    return Opened(path=path, root=root, anchor=hashing.of_bytes(data, "sha256").hex, manifest=read, own=own)


def _parse(data: bytes, name: str) -> Manifest | Trouble:
    text = decode_text(data, name)
    if isinstance(text, Trouble):
        return text
    content, notes = text
    document = decode_json(data, strict_keys=True) if _may_be_json(content, name) else None
    if isinstance(document, Trouble) and (not content.strip() or _begins_as_json(content)):
        return document
    read = json_form.parse(document.value, name) if isinstance(document, Document) else sums_form.parse(content, name)
    return msgspec.structs.replace(read, findings=(*notes, *read.findings))


def _may_be_json(content: str, name: str) -> bool:
    return _begins_as_json(content) or name.lower().endswith(".json")


def _begins_as_json(content: str) -> bool:
    return content.lstrip()[:1] in ("{", "[")


def decode_text(data: bytes, name: str) -> tuple[str, tuple[Finding, ...]] | Trouble:
    """The text of a listing and what is odd about its encoding. Bytes that are not UTF-8 become surrogate escapes."""
    if data.startswith(_WIDE_BOMS):
        try:
            message = "the manifest is UTF-16; tools that read UTF-8 find nothing in it"
            return data.decode("utf-16"), (Finding(id="odd-encoding", message=message, path=name, level="error"),)
        except UnicodeDecodeError as error:
            return Trouble(id="manifest-unreadable", message=f"no UTF-16 text at byte {error.start}")
    if b"\0" in data:
        return Trouble(id="manifest-unreadable", message="it holds NUL bytes", offset=data.index(b"\0"))
    if data.startswith(_BOM):
        message = "the manifest begins with a byte order mark"
        return data[3:].decode("utf-8", "surrogateescape"), (
            Finding(id="odd-encoding", message=message, path=name, level="note"),
        )
    return data.decode("utf-8", "surrogateescape"), ()


def _open_bag(folder: str, root: str, places: Places, named: str | None) -> Opened:
    """The listings of a bag. The one that the user `named` may be a link to anywhere."""
    names = sorted(name for name in os.listdir(folder) if bag_form.is_listing(name))
    listed = [name for name in (bag_form.LISTING, bag_form.TAG_LISTING) if name in names]
    if bag_form.LISTING not in listed:
        raise InputError(f"{folder}: the bag has no {bag_form.LISTING}; found {', '.join(names)}: only SHA-256 is read")
    whole = {name: os.path.join(os.path.abspath(folder), name) for name in listed}
    contents = {n: _named_bytes(path) if n == named else read_bytes(places.look(path)) for n, path in whole.items()}
    read = [_guarded(partial(_parse_listing, data, name)) for name, data in contents.items()]
    vouching = contents[listed[-1]]
    return Opened(
        path=os.path.join(folder, listed[-1]),
        root=root,
        anchor="" if isinstance(vouching, Trouble) else hashing.of_bytes(vouching, "sha256").hex,
        manifest=_joined(read, listed),
        own=frozenset(one for name in names for one in _below(os.path.join(folder, name), root)),
        bag=True,
        payload=_payload(folder, places),
        checks=tuple(
            Check(name=name, made=False, reason=f"{algorithm} is not checked, SHA-256 only")
            for name in names
            if (algorithm := bag_form.other_algorithm(name))
        ),
    )


def _parse_listing(data: bytes | Trouble, name: str) -> Manifest | Trouble:
    text = data if isinstance(data, Trouble) else decode_text(data, name)
    if isinstance(text, Trouble):
        return text
    read = bag_form.parse(text[0], name)
    return msgspec.structs.replace(read, findings=text[1])


def _joined(read: list[Manifest | Trouble], names: list[str]) -> Manifest | Trouble:
    entries: list[Entry] = []
    malformed: list[Malformed] = []
    findings: list[Finding] = []
    for one, name in zip(read, names, strict=True):
        if isinstance(one, Trouble):
            return msgspec.structs.replace(one, message=f"{name}: {one.message}")
        entries += one.entries
        malformed += one.malformed
        findings += one.findings
    return Manifest(form="bagit", entries=tuple(entries), malformed=tuple(malformed), findings=tuple(findings))


def _payload(folder: str, places: Places) -> tuple[int, int] | None:
    sight = places.look(os.path.join(os.path.abspath(folder), bag_form.INFO))
    data = read_bytes(sight) if sight.kind == "file" else b""
    return None if isinstance(data, Trouble) else bag_form.oxum(data.decode("utf-8", "replace"))


def _named_bytes(path: str) -> bytes | Trouble:
    # the user names this file, so a link at its place is followed; what it lists is another matter
    real = os.path.realpath(path)
    return read_bytes(Places([os.path.dirname(real)]).look(real))


def _below(path: str, root: str) -> frozenset[str]:
    """The names below the root that lead to the file: as it is written and as it is resolved."""
    found = set()
    for one, base in (
        (os.path.abspath(path), os.path.abspath(root)),
        (os.path.realpath(path), os.path.realpath(root)),
        (os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path)), os.path.realpath(root)),
    ):
        if one.startswith(base.rstrip("/") + "/"):
            found.add(one[len(base.rstrip("/")) + 1 :])
    return frozenset(found)


def _guarded(parse: Callable[[], Manifest | Trouble]) -> Manifest | Trouble:
    try:
        return parse()
    except InputError as error:
        return Trouble(id="manifest-unreadable", message=str(error))
