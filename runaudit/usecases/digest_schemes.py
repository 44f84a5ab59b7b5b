"""The ways in which people digest a file or a folder, by name. `tree` is the tree digest of manifests."""

from collections.abc import Iterable, Mapping

from runaudit.manifests.tree_digest import tree_digest
from runaudit.read.hashing import of_bytes


def file_schemes(digest: str) -> dict[str, str]:
    """The schemes for one file, given its SHA-256."""
    return {"SHA-256 of the file": digest}


def tree_schemes(contents: Mapping[str, str], joined: str) -> dict[str, str]:
    """The schemes for a folder: SHA-256 by relative path, and the SHA-256 of all contents one after another."""
    ordered = sorted((path.encode("utf-8", "surrogateescape"), digest.encode()) for path, digest in contents.items())
    schemes = {
        "tree": tree_digest(contents.items()).removeprefix("sha256:"),
        "the lines of sha256sum, by path": _over(b"%s  %s\n" % (digest, path) for path, digest in ordered),
        "the lines of sha256sum with ./, by path": _over(b"%s  ./%s\n" % (digest, path) for path, digest in ordered),
        "the files' digests, by path": _over(digest for _, digest in ordered),
        "the files' contents, by path": joined,
    }
    for path, digest in sorted(contents.items()):
        if "/" not in path:
            schemes[f"SHA-256 of {path} alone"] = digest
    return schemes


def _over(parts: Iterable[bytes]) -> str:
    return of_bytes(b"".join(parts), "sha256").hex
