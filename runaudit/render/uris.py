"""Names of files as repositories know them: relative to the root, without a way out."""

import posixpath
from urllib.parse import quote


def below_root(path: str | None, base: str) -> str | None:
    """The path of a finding, joined to the base and normalised; None when it is absolute or climbs out."""
    if not path or path.startswith("/"):
        return None
    joined = posixpath.normpath(posixpath.join(base, path))
    if joined == ".." or joined.startswith(("/", "../")):
        return None
    return joined


def relative_uri(path: str) -> str:
    """A relative path as a percent-encoded URI reference, byte for byte, also where it is not UTF-8."""
    try:
        encoded = path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        encoded = path.encode("utf-8", "backslashreplace")
    # a colon would read as a scheme
    return quote(encoded, safe="/-._~")
