"""Recognises a Git LFS pointer: the small text that lies in a checkout where the content was not downloaded."""

import re

import msgspec

LARGEST = 1024
_SPEC = b"version https://git-lfs.github.com/spec/v1\n"
_OID = re.compile(rb"^oid sha256:([0-9a-f]{64})\r?$", re.MULTILINE)


class Pointer(msgspec.Struct, frozen=True):
    """The digest of the content that the pointer stands for; None when it states none."""

    oid: str | None


def pointer(content: bytes) -> Pointer | None:
    """The pointer in the whole content of a file; None when it is none."""
    if not content.startswith(_SPEC) or len(content) > LARGEST:
        return None
    found = _OID.search(content)
    return Pointer(found[1].decode() if found else None)
