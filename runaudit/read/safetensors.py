"""Reads the header of a safetensors file, untrusted, and hashes tensors by their byte ranges. No tensor is loaded.

The file is eight bytes with the header's length (little-endian), the header as JSON, and the tensors' bytes. Everything
that the header says is checked against the file before it is used: its length, names stated twice, types, shapes,
offsets. A header with any fault is refused as a whole.
"""

import os
from collections.abc import Mapping
from typing import Any

import msgspec

from runaudit.model.trouble import Trouble
from runaudit.read import hashing
from runaudit.read.documents import decode_json, unreadable
from runaudit.read.places import Sight, open_plain
from runaudit.read.values import doubled_keys

LARGEST_HEADER = 100_000_000
METADATA = "__metadata__"
_LENGTH = 8
_MOST_DIMENSIONS = 32
_ONE_READ = 1 << 20
# bits for each element
_BITS: Mapping[str, int] = {
    **dict.fromkeys(("BOOL", "U8", "I8", "F8_E4M3", "F8_E5M2", "F8_E8M0"), 8),
    **dict.fromkeys(("U16", "I16", "F16", "BF16"), 16),
    **dict.fromkeys(("U32", "I32", "F32"), 32),
    **dict.fromkeys(("U64", "I64", "F64", "C64"), 64),
    "F4": 4,
    "F6_E2M3": 6,
    "F6_E3M2": 6,
}


class Tensor(msgspec.Struct, frozen=True):
    """One tensor as the header states it. `begin` and `end` count bytes from the start of the tensors' part."""

    dtype: str
    shape: tuple[int, ...]
    begin: int
    end: int


class Header(msgspec.Struct, frozen=True):
    """The tensors by name, the metadata, where the tensors' part begins, and the digest of the header's bytes."""

    tensors: Mapping[str, Tensor]
    metadata: Mapping[str, str]
    start: int
    sha256: str


class _Refused(Exception):  # noqa: N818  # it never leaves this module
    """Why a header is not believed."""


def read_header(sight: Sight, limit: int = LARGEST_HEADER) -> Header | Trouble:
    """The header of a plain file, every statement of it checked against the file's size."""
    if sight.kind != "file":
        return sight.trouble("file") or Trouble(id="document-unreadable", message="it is not there")
    try:
        descriptor = open_plain(sight.real)
        try:
            return _header(descriptor, os.fstat(descriptor).st_size, limit)
        finally:
            os.close(descriptor)
    except OSError as error:
        return unreadable(error)
    except _Refused as refused:
        return Trouble(id="document-unreadable", message=f"no safetensors file: {refused}")


def tensor_digests(sight: Sight, header: Header) -> Mapping[str, str] | Trouble:
    """The SHA-256 of each tensor's bytes, by name."""
    try:
        descriptor = open_plain(sight.real)
        try:
            return {name: _range(descriptor, header.start, tensor) for name, tensor in header.tensors.items()}
        finally:
            os.close(descriptor)
    except OSError as error:
        return unreadable(error)


def _range(descriptor: int, start: int, tensor: Tensor) -> str:
    running = hashing.hasher("sha256")
    at, stop = start + tensor.begin, start + tensor.end
    while at < stop and (data := os.pread(descriptor, min(_ONE_READ, stop - at), at)):
        running.update(data)
        at += len(data)
    if at < stop:
        raise OSError(f"it ends {stop - at} bytes early")
    return running.hexdigest()


def _header(descriptor: int, size: int, limit: int) -> Header:
    start = os.pread(descriptor, _LENGTH, 0)
    if len(start) < _LENGTH:
        raise _Refused(f"{size} bytes are too few for a header")
    length = int.from_bytes(start, "little")
    if length > min(limit, size - _LENGTH):
        raise _Refused(
            f"it states a header of {length} bytes, of {size - _LENGTH} in the file (at most {limit} are read)"
        )
    data = os.pread(descriptor, length, _LENGTH)
    if not data.startswith(b"{"):
        raise _Refused("the header does not begin with an object")
    document = decode_json(data, strict_keys=True)
    if isinstance(document, Trouble):
        raise _Refused(f"the header: {document.message}")
    if doubled := _doubled(document.value):
        raise _Refused(f"the header states {doubled[0]!r} twice")
    room = size - _LENGTH - length
    metadata = _metadata(document.value.pop(METADATA, {}))
    tensors = {name: _tensor(name, stated, room) for name, stated in document.value.items()}
    _check_layout(tensors, room)
    digest = hashing.of_bytes(data, "sha256").hex
    return Header(tensors=tensors, metadata=metadata, start=_LENGTH + length, sha256=digest)


def _doubled(value: Any) -> list[str]:
    try:
        return doubled_keys(value)
    except RecursionError:
        raise _Refused("the header is nested too deep") from None


def _metadata(stated: Any) -> Mapping[str, str]:
    if not isinstance(stated, dict) or not all(isinstance(value, str) for value in stated.values()):
        raise _Refused(f"{METADATA} is no object of texts")
    return stated


def _tensor(name: str, stated: Any, room: int) -> Tensor:
    if not isinstance(stated, dict) or stated.keys() != {"dtype", "shape", "data_offsets"}:
        raise _Refused(f"{name!r}: expected dtype, shape and data_offsets")
    dtype, shape, offsets = stated["dtype"], stated["shape"], stated["data_offsets"]
    bits = _BITS.get(dtype) if isinstance(dtype, str) else None
    if bits is None:
        raise _Refused(f"{name!r}: the type {dtype!r} is not known")
    if not _whole(shape) or len(shape) > _MOST_DIMENSIONS:
        raise _Refused(f"{name!r}: the shape is no list of at most {_MOST_DIMENSIONS} whole numbers")
    if not _whole(offsets) or len(offsets) != 2:  # noqa: PLR2004  # begin and end
        raise _Refused(f"{name!r}: data_offsets is no pair of whole numbers")
    begin, end = offsets
    if not begin <= end <= room:
        raise _Refused(f"{name!r}: data_offsets {begin} to {end} do not lie in the {room} bytes behind the header")
    needed = bits
    for extent in shape:
        needed *= extent
    if needed != (end - begin) * 8:
        raise _Refused(f"{name!r}: {end - begin} bytes do not hold {dtype} of shape {shape}")
    return Tensor(dtype=dtype, shape=tuple(shape), begin=begin, end=end)


def _whole(value: Any) -> bool:
    return isinstance(value, list) and all(type(one) is int and one >= 0 for one in value)


def _check_layout(tensors: Mapping[str, Tensor], room: int) -> None:
    """The format has neither overlaps nor gaps: bytes that no tensor owns could hold anything."""
    at, before = 0, ""
    for name, tensor in sorted(tensors.items(), key=lambda pair: (pair[1].begin, pair[1].end)):
        if tensor.begin < at:
            raise _Refused(f"{name!r} overlaps {before!r}")
        if tensor.begin > at:
            raise _Refused(f"{tensor.begin - at} bytes before {name!r} belong to no tensor")
        at, before = tensor.end, name
    if at != room:
        raise _Refused(f"{room - at} bytes at the end belong to no tensor")
