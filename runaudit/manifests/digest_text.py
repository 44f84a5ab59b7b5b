"""Reads a SHA-256 digest as people write it: 64 hex digits of any case, with or without `sha256:` before them."""

import re

_HEX = re.compile(r"[0-9A-Fa-f]+\Z")
_DIGITS = 64


def sha256_hex(text: str) -> str | None:
    """The digest as 64 lower-case hex digits; None when the text is no SHA-256 digest."""
    bare = text[7:] if text[:7].lower() == "sha256:" else text
    return bare.lower() if len(bare) == _DIGITS and _HEX.match(bare) else None


def why_not(text: str) -> str:
    """Why a text that `sha256_hex` refused is no SHA-256 digest."""
    if _HEX.match(text):
        return f"{len(text)} hex digits are no SHA-256 (it has {_DIGITS})"
    name, colon, _ = text.partition(":")
    if colon and name.lower() != "sha256":
        return f"a {name[:20]} digest is no SHA-256"
    return f"{text[:80]!r} is no SHA-256 ({_DIGITS} hex digits)"
