"""A content digest with its algorithm, and its text form `algorithm:hex`.

xxh3 finds damage; only sha256 can say "this is what was promised".
"""

from typing import Literal, Self, get_args

import msgspec

from runaudit.errors import InputError

Algorithm = Literal["xxh3", "sha256"]
_LENGTHS = {"xxh3": 32, "sha256": 64}


class Digest(msgspec.Struct, frozen=True):
    """`sampled` marks a digest over the first and last part of a file only (see `read.hashing`)."""

    algorithm: Algorithm
    hex: str
    sampled: bool = False

    def __str__(self) -> str:
        return f"{self.algorithm}{'-sampled' if self.sampled else ''}:{self.hex}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """The digest that `text` (`xxh3:…`, `xxh3-sampled:…`, `sha256:…`) states.

        Raises InputError when the algorithm is unknown or the length is wrong.
        """
        name, _, value = text.partition(":")
        algorithm, _, sampled = name.partition("-")
        if algorithm not in get_args(Algorithm) or sampled not in ("", "sampled"):
            raise InputError(f"digest {text!r}: expected xxh3: or sha256:")
        if len(value) != _LENGTHS[algorithm] or any(c not in "0123456789abcdef" for c in value):
            raise InputError(f"digest {text!r}: expected {_LENGTHS[algorithm]} lower-case hex digits")
        return cls(algorithm=algorithm, hex=value, sampled=bool(sampled))  # type: ignore[arg-type]  # checked above
