"""One digest for a whole folder: the SHA-256 of what `sha256sum -z` prints for its files in the order of their names.

To the byte: for each file, in ascending order of the bytes of its relative path, 64 lower-case hex digits, two blanks,
the bytes of the path, one NUL. Nothing else enters: no times, modes, owners, empty folders.
"""

import hashlib
from collections.abc import Iterable
from operator import itemgetter

from runaudit.manifests.names import byte_order


def tree_digest(files: Iterable[tuple[str, str]]) -> str:
    """`sha256:…` over pairs of relative path and hex digest, in any order."""
    pairs = list(files)
    # in UTF-8 the order of the characters is that of the bytes, save where escapes stand for bytes
    plain = all(path.isascii() for path, _ in pairs)
    ordered = sorted(pairs, key=itemgetter(0) if plain else lambda pair: byte_order(pair[0]))
    lines = "".join([f"{digest}  {path}\0" for path, digest in ordered])
    return f"sha256:{hashlib.sha256(byte_order(lines)).hexdigest()}"
