"""The documents of a BagIt bag (RFC 8493), read: payload and tag manifests, `bagit.txt`, `Payload-Oxum`.

Names hold CR and LF as `%0D` and `%0A`, and `%` as `%25`, but the common writers leave `%` alone: the RFC's reading
comes first and the literal one is kept as another spelling.
"""

import re

from runaudit.errors import InputError
from runaudit.manifests.digest_text import sha256_hex, why_not
from runaudit.manifests.entry import Entry, Malformed, Manifest
from runaudit.manifests.names import collapsed, impossible

DECLARATION = "bagit.txt"
PAYLOAD = "data"
LISTING = "manifest-sha256.txt"
TAG_LISTING = "tagmanifest-sha256.txt"
INFO = "bag-info.txt"
_LISTINGS = re.compile(r"(tag)?manifest-([A-Za-z0-9]+)\.txt\Z")
_LINE = re.compile(r"\s*([0-9A-Fa-f]+)[ \t]+\*?(.+)\Z", re.DOTALL)
_ENCODED = re.compile(r"%(0[aAdD]|25)")
_OXUM = re.compile(r"Payload-Oxum[ \t]*:[ \t]*([0-9]+)\.([0-9]+)\s*\Z", re.IGNORECASE)


def is_listing(name: str) -> bool:
    """Whether a file name is that of a payload or tag manifest, of whatever algorithm."""
    return _LISTINGS.match(name) is not None


def is_own_file(name: str) -> bool:
    """Whether a file at the top of a bag belongs to the format and needs no listing."""
    return is_listing(name) or name in (DECLARATION, INFO, "fetch.txt")


def other_algorithm(name: str) -> str | None:
    """The algorithm of a listing that is not SHA-256; None for other files."""
    found = _LISTINGS.match(name)
    return found[2].lower() if found and found[2].lower() != "sha256" else None


def parse(text: str, source: str) -> Manifest:
    """One listing of a bag; `source` is its name and says whether it lists payload or tag files.

    Raises InputError when it has lines and none of them can be read.
    """
    entries: list[Entry] = []
    malformed: list[Malformed] = []
    payload = not source.startswith("tag")
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.rstrip("\r")
        if not line.strip():
            continue
        read = _entry(line, number, source, payload=payload)
        if isinstance(read, Entry):
            entries.append(read)
        else:
            malformed.append(read)
    if malformed and not entries and all(one.path is None for one in malformed):
        raise InputError("no line looks like one of a BagIt manifest")
    return Manifest(form="bagit", entries=tuple(entries), malformed=tuple(malformed))


def _entry(line: str, number: int, source: str, *, payload: bool) -> Entry | Malformed:
    found = _LINE.match(line)
    if found is None:
        return Malformed(f"line {number}: no digest and name", source, None, number)
    digest, name = sha256_hex(found[1]), found[2]
    path = _ENCODED.sub(lambda escape: chr(int(escape[1], 16)), name)
    reason = why_not(found[1]) if digest is None else impossible(path)
    if reason is None and payload and not collapsed(path).startswith((f"{PAYLOAD}/", "/", "../")):
        reason = f"a payload manifest lists a file outside {PAYLOAD}/"
    if reason or digest is None:
        return Malformed(f"line {number}: {reason}", source, path, number)
    return Entry(path=path, digest=digest, line=number, source=source, spellings=(name,) if name != path else ())


def oxum(text: str) -> tuple[int, int] | None:
    """Bytes and number of the payload files, as `bag-info.txt` states them; None when it does not."""
    for line in text.split("\n"):
        if found := _OXUM.match(line):
            return int(found[1]), int(found[2])
    return None
