"""Reads one small document: a JSON file, a text file. Bounded, never through a link, never blocking.

A document that cannot be read comes back as a `Trouble`, not as an exception.
"""

import os
from typing import Any

import msgspec

from runaudit.model.digest import Algorithm, Digest
from runaudit.model.trouble import Trouble
from runaudit.read import hashing
from runaudit.read.places import Sight, open_plain

LARGEST_DOCUMENT = 512 << 20
_BOMS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}


class Document(msgspec.Struct, frozen=True):
    """A decoded document. `slow` marks one that only the explaining parser could read (see `read.values`)."""

    value: Any
    slow: bool = False
    encoding: str = "utf-8"


def read_bytes(sight: Sight, limit: int = LARGEST_DOCUMENT) -> bytes | Trouble:
    """The whole content of a plain file of at most `limit` bytes."""
    if sight.kind != "file":
        return sight.trouble("file") or Trouble(id="document-unreadable", message="it is not there")
    if sight.size > limit:
        return Trouble(id="file-too-large", message=f"{sight.size} bytes, at most {limit} are read")
    try:
        descriptor = open_plain(sight.real)
        try:
            chunks = [os.read(descriptor, min(sight.size, limit) + 1)]
            left = limit + 1 - len(chunks[0])
            # just what stat said, though one byte more was asked for: that is its end
            ended = len(chunks[0]) == sight.size
            while not ended and left > 0 and (data := os.read(descriptor, min(left, 1 << 20))):
                chunks.append(data)
                left -= len(data)
        finally:
            os.close(descriptor)
    except OSError as error:
        return unreadable(error)
    if left <= 0:
        return Trouble(id="file-too-large", message=f"it grew beyond {limit} bytes while it was read")
    return b"".join(chunks)


def read_until(sight: Sight, begin: bytes, mark: bytes, limit: int = LARGEST_DOCUMENT) -> bytes | None:
    """The bytes before the first `mark` of a plain file that starts with `begin`; None where there are none such."""
    if sight.kind != "file":
        return None
    start = bytearray()
    try:
        descriptor = open_plain(sight.real)
        try:
            while len(start) <= limit and (data := os.read(descriptor, 1 << 16)):
                known = max(0, len(start) - len(mark))
                start += data
                if (at := start.find(mark, known)) >= 0:
                    return bytes(start[:at])
                if not start.startswith(begin):
                    return None
        finally:
            os.close(descriptor)
    except OSError:
        return None
    return None


def starts_with(sight: Sight, begin: bytes) -> bool:
    """Whether a plain file begins with these bytes; False also where it cannot be read."""
    if sight.kind != "file":
        return False
    try:
        descriptor = open_plain(sight.real)
        try:
            return os.read(descriptor, len(begin)) == begin
        finally:
            os.close(descriptor)
    except OSError:
        return False


def unreadable(error: OSError) -> Trouble:
    """Why opening or reading failed."""
    if isinstance(error, PermissionError):
        return Trouble(id="no-permission", message="no-permission: it is there and may not be read")
    return Trouble(id="document-unreadable", message=f"cannot be read: {error.strerror or error}")


def _says_all(value: Any, data: bytes) -> bool:
    """Whether a decoded value, written again, is the text without its white space: then no statement got lost."""
    import orjson  # noqa: PLC0415  # see decode_json

    try:
        return bool(orjson.dumps(value) == msgspec.json.format(data, indent=-1))
    except (orjson.JSONEncodeError, msgspec.MsgspecError, RecursionError):
        return False


def decode_json(data: bytes, *, strict_keys: bool = False) -> Document | Trouble:
    """The JSON value in `data`.

    The fast parser goes first. With `strict_keys` its value is taken only where no key can have been stated twice;
    else the explaining one goes again, which sees such keys.
    """
    # not every command reads JSON, and both parsers load a good deal of the standard library
    import orjson  # noqa: PLC0415

    try:
        value = orjson.loads(data)
        if not strict_keys or _says_all(value, data):
            return Document(value=value)
    except orjson.JSONDecodeError:
        pass
    encoding = next((name for bom, name in _BOMS.items() if data.startswith(bom)), "utf-8")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        return Trouble(
            id="document-unreadable", message=f"no {encoding} text at byte {error.start}", offset=error.start
        )
    from runaudit.read.values import DECODER  # noqa: PLC0415

    try:
        return Document(value=DECODER.decode(text), slow=True, encoding=encoding)
    except ValueError as error:
        what = "it is empty" if not text.strip() else f"no JSON: {error}"
        return Trouble(id="document-unreadable", message=what)
    except RecursionError:
        return Trouble(id="document-unreadable", message="nested too deep")


def read_json(sight: Sight, limit: int = LARGEST_DOCUMENT, *, strict_keys: bool = False) -> Document | Trouble:
    """The JSON value in a plain file."""
    data = read_bytes(sight, limit)
    return data if isinstance(data, Trouble) else decode_json(data, strict_keys=strict_keys)


def digest_of(sight: Sight, algorithm: Algorithm = "xxh3", *, sample: bool = False) -> Digest | Trouble:
    """The content digest of a plain file."""
    if sight.kind != "file":
        return sight.trouble("file") or Trouble(id="document-unreadable", message="it is not there")
    try:
        descriptor = open_plain(sight.real)
        try:
            return hashing.of_descriptor(descriptor, sight.size, algorithm, sample=sample)
        finally:
            os.close(descriptor)
    except OSError as error:
        return unreadable(error)
