"""Patterns of names that are left out of a manifest, as a test on relative paths.

A pattern without a slash matches any part of the path (`*.log`, `.git`); one with a slash matches the path from its
start (`runs/*.tmp`). `*` also matches slashes. A folder that matches is left out with everything below it.
"""

import re
from collections.abc import Callable, Sequence
from fnmatch import translate


def excluder(patterns: Sequence[str]) -> Callable[[str], bool]:
    """A test that says whether a relative path, file or folder, is left out."""
    names = [re.compile(translate(p.strip("/"))) for p in patterns if "/" not in p.strip("/")]
    paths = [re.compile(translate(p.strip("/"))) for p in patterns if "/" in p.strip("/")]

    def left_out(path: str) -> bool:
        parts = path.split("/")
        if any(pattern.match(part) for pattern in names for part in parts):
            return True
        heads = ["/".join(parts[: n + 1]) for n in range(len(parts))]
        return any(pattern.match(head) for pattern in paths for head in heads)

    return left_out
