"""Paths as documents hold them: relative to the summary's folder, POSIX, printable as UTF-8."""

import posixpath


def shown(path: str) -> str:
    """The path as text: bytes that are no UTF-8 (surrogates, as the system hands them over) are escaped."""
    if path.isascii():
        return path
    try:
        return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    except UnicodeEncodeError:
        # text of a document that no system can have as a path
        return path.encode("utf-8", "backslashreplace").decode()


def is_odd(path: str) -> bool:
    """Whether the path holds bytes that are no UTF-8."""
    return not path.isascii() and any("\udc80" <= c <= "\udcff" for c in path)


def relative_to(path: str, folder: str) -> str:
    """An absolute, resolved path relative to an absolute, resolved folder; `..` segments where it lies outside."""
    if path.startswith(folder + "/"):
        return shown(path[len(folder) + 1 :])
    return shown(posixpath.relpath(path, folder))
