"""Judges the names that a manifest lists, before anything is looked at: which can be no name, which lead out.

A name is relative, with `/` between its parts. `leads_out` holds on every system; `leads_out_elsewhere` covers
spellings that are plain names on POSIX and lead out where another system, shell or download tool reads them: they are
accepted only when a file of exactly that name lies in the folder.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence

_DRIVE = re.compile(r"[A-Za-z]:")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_ENCODED = re.compile(r"%(2e|2f|5c|25)", re.IGNORECASE)
_FORBIDDEN = re.compile(r'[<>:"|?*\\\x00-\x1f\x7f]')
_RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?\Z", re.IGNORECASE)
# one of these is in every text that `breaks_elsewhere` can object to, besides what is not printable
_SUSPECT = (*'<>:"|?*\\', "./", " /", "/con", "/prn", "/aux", "/nul", "/com", "/lpt")
_UNDECODED = re.compile(r"[\ud800-\udfff]")
_ROUNDS = 3


def impossible(path: str) -> str | None:
    """Why no file can have this name; None when one can."""
    if not path:
        return "the name is empty"
    if "\0" in path:
        return "the name holds a NUL"
    if path.rsplit("/", 1)[-1] in ("", ".") and not leads_out(path):
        return "the name is that of a folder"
    try:
        path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return "the name holds half a character (a lone surrogate)"
    return None


def collapsed(path: str) -> str:
    """The name without `.` parts and doubled slashes: another spelling of the same place on every system."""
    if "//" not in path and "./" not in path:
        return path
    if path.startswith("./") and "//" not in path:
        # as `find .` writes every name
        rest = path[2:]
        if "./" not in rest and rest[-1:] not in ("", ".", "/"):
            return rest
    kept = "/".join(part for part in path.split("/") if part not in ("", "."))
    return "/" + kept if path.startswith("/") else kept


def collapsed_all(paths: Iterable[str]) -> list[str]:
    """`collapsed` of each of the paths."""
    return [path if "//" not in path and "./" not in path else collapsed(path) for path in paths]


def leads_out(path: str) -> str | None:
    """Why the name leads out of the folder on every system; None when it does not."""
    if path.startswith("/"):
        return "an absolute path"
    if ".." in path and ".." in path.split("/"):
        return "'..' leads upwards"
    return None


def leads_out_elsewhere(path: str) -> str | None:
    """Why the name leads out of the folder in the spelling of another system, a shell or a URL.

    As it stands, and without its `.` parts: what is safe behind `./` may not be alone.
    """
    whole = collapsed(path)
    return _elsewhere(path) or (None if whole == path else _elsewhere(whole))


def _elsewhere(path: str) -> str | None:
    read = path
    for _ in range(_ROUNDS):
        reason = _as_foreign(read)
        if reason:
            return reason if read == path else f"{reason}, %-encoded"
        decoded = _ENCODED.sub(lambda found: chr(int(found[1], 16)), read)
        if decoded == read:
            return None
        read = decoded
    return "%-encoded again and again"


def _as_foreign(path: str) -> str | None:
    slashed = path.replace("\\", "/")
    if slashed.startswith("/"):
        return "an absolute path"
    if any(part.strip(" ") == ".." for part in slashed.split("/")):
        return "'..' leads upwards"
    if _DRIVE.match(path):
        return "a drive letter"
    if path == "~" or (path.startswith("~") and "/" in slashed):
        return "'~' stands for a home folder"
    return "an address" if _ADDRESS.match(path) else None


def shown(path: str) -> str:
    """The name as text that every format can hold: bytes that are not UTF-8 become `\\xff`."""
    if path.isascii() or not _UNDECODED.search(path):
        return path
    return "".join(
        f"\\x{ord(c) - 0xDC00:02x}"
        if 0xDC80 <= ord(c) <= 0xDCFF  # noqa: PLR2004  # the range of surrogate escapes
        else ascii(c)[1:-1]
        if _UNDECODED.match(c)
        else c
        for c in path
    )


def byte_order(path: str) -> bytes:
    """The key that puts names into the order of their bytes."""
    return path.encode("utf-8", "surrogateescape")


def canonical(path: str) -> str:
    """The NFC form of the name."""
    return path if path.isascii() else unicodedata.normalize("NFC", path)


def folded(path: str) -> str:
    """The name as a file system compares it that ignores case and form."""
    return path.lower() if path.isascii() else unicodedata.normalize("NFC", canonical(path).casefold())


def collisions(paths: Sequence[str]) -> list[list[str]]:
    """Groups of different names that are one name on a system that ignores case or form, in a stable order."""
    joined = "\0".join(paths)
    if joined.isascii() and len(set(joined.lower().split("\0"))) == len(set(paths)):
        return []
    groups: dict[str, dict[str, None]] = {}
    for path in paths:
        groups.setdefault(folded(path), {})[path] = None
    return sorted(sorted(group, key=byte_order) for group in groups.values() if len(group) > 1)


def all_portable(paths: Sequence[str]) -> bool:
    """Whether `breaks_elsewhere` has nothing to say of any of the names. Can be False where it has not, either."""
    joined = f"/{'/'.join(paths)}/".lower()
    return joined.isascii() and joined.isprintable() and not any(part in joined for part in _SUSPECT)


def breaks_elsewhere(path: str) -> str | None:
    """Why the name cannot exist on other systems; None when it can."""
    if not path.isascii() and _UNDECODED.search(path):
        return "the name is not UTF-8"
    if found := _FORBIDDEN.search(path):
        return f"the name holds {found[0]!r}, which Windows does not allow"
    for part in path.split("/"):
        if part[-1:] in (".", " "):
            return "a part of the name ends in a dot or blank, which Windows drops"
        if _RESERVED.match(part):
            return f"{part!r} is a device on Windows"
    return None
