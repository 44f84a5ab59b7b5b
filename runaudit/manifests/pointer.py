"""Recognises a Git LFS pointer: the small text that lies in a checkout where the content was not downloaded."""

import re

import msgspec

LARGEST = 1024
# today's address of the format and the two that it had before, which Git LFS still takes for pointers
_SPEC = re.compile(
    rb"version (https://git-lfs\.github\.com/spec/v1|https://hawser\.github\.com/spec/v1|http://git-media\.io/v/2)\r?\n"
)
_OID = re.compile(rb"^oid sha256:([0-9a-f]{64})\r?$", re.MULTILINE)


class Pointer(msgspec.Struct, frozen=True):
    """The digest of the content that the pointer stands for; None when it states none."""

    oid: str | None


def pointer(content: bytes) -> Pointer | None:
    """The pointer in the whole content of a file; None when it is none."""
    if len(content) > LARGEST or not _SPEC.match(content):
        return None
    found = _OID.search(content)
    return Pointer(found[1].decode() if found else None)
