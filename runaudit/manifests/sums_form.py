"""The text that `sha256sum` writes and checks, read and written.

Read: GNU lines (`digest  name`, `digest *name`), lines with one blank or tab, BSD and OpenSSL lines
(`SHA256 (name) = digest`), a digest with `sha256:` before it, escaped lines (leading backslash), comments, blank lines,
CRLF. A carriage return at the end of a line is never part of a name: writers that know such names escape them.
"""

import re
from collections.abc import Sequence

from runaudit.errors import InputError
from runaudit.manifests.digest_text import sha256_hex, why_not
from runaudit.manifests.entry import Entry, Malformed, Manifest
from runaudit.manifests.names import byte_order, impossible
from runaudit.model.finding import Finding

_GNU = re.compile(r"(\\?)((?i:sha256:)?[0-9A-Fa-f]{32,128})(?: [ *]|[ \t])(.+)\Z", re.DOTALL)
# by far most lines: nothing in them needs a second look
_PLAIN = re.compile(r"([0-9a-f]{64})  ([^\0]*[^\0\r/.])\Z", re.DOTALL)
_HEX_DIGITS = b"0123456789abcdef"
_NAME_AT = 66
_BSD = re.compile(r"(\\?)([A-Za-z][A-Za-z0-9/-]*) ?\((.+)\) ?= ?([0-9A-Fa-f]+)\Z", re.DOTALL)
_SHA256 = {"SHA256", "SHA2-256", "SHA-256"}
_ESCAPE = re.compile(r"\\(.|\Z)", re.DOTALL)
_UNESCAPED = {"\\\\": "\\", "\\n": "\n", "\\r": "\r"}
_ESCAPED = {"\\": "\\\\", "\n": "\\n", "\r": "\\r"}


class _Line(Exception):  # noqa: N818  # carries why a line says nothing, inside this module only
    """Why a line is malformed, with the name that it gives, if any."""

    def __init__(self, reason: str, path: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.path = path


def parse(text: str, source: str) -> Manifest:
    """The manifest in the text. Raises InputError when it has lines and none of them looks like a checksum line."""
    entries: list[Entry] = []
    malformed: list[Malformed] = []
    likely = False
    lines = text.split("\n")
    if _all_plain(text, lines[:-1]):
        plain = [Entry(line[_NAME_AT:], line[:64], None, number, source) for number, line in enumerate(lines[:-1], 1)]
        return Manifest(form="sha256sum", entries=tuple(plain))
    for number, raw in enumerate(lines, 1):
        if raw.isascii() and (found := _PLAIN.match(raw)):
            entries.append(Entry(found[2], found[1], None, number, source))
            continue
        line = raw.rstrip("\r").lstrip(" \t")
        if not line or line.startswith("#"):
            continue
        try:
            path, digest = _read(line)
        except _Line as trouble:
            malformed.append(Malformed(f"line {number}: {trouble.reason}", source, trouble.path, number))
            likely = likely or trouble.path is not None
        else:
            entries.append(Entry(path=path, digest=digest, line=number, source=source))
    if malformed and not entries and not likely:
        raise InputError(f"no JSON, and no line looks like a checksum line (line {malformed[0].line} is the first)")
    return Manifest(
        form="sha256sum", entries=tuple(entries), malformed=tuple(malformed), findings=_line_ends(lines, source)
    )


def _all_plain(text: str, lines: Sequence[str]) -> bool:
    """Whether `_PLAIN` matches every line of an ASCII text, asked of all at once: that takes a third of the time."""
    return (
        text.isascii()
        and text.endswith("\n")
        and "\0" not in text
        and min(map(len, lines)) > _NAME_AT
        and {line[64:_NAME_AT] for line in lines} == {"  "}
        and {line[-1] for line in lines}.isdisjoint("\r/.")
        and not "".join([line[:64] for line in lines]).encode().translate(None, _HEX_DIGITS)
    )


def encode(entries: Sequence[Entry]) -> bytes:
    """The bytes that `sha256sum` would write, ordered by the bytes of the paths; `parse` reads them back."""
    return b"".join(
        _write(entry).encode("utf-8", "surrogateescape")
        for entry in sorted(entries, key=lambda entry: byte_order(entry.path))
    )


def _write(entry: Entry) -> str:
    escaped = "".join(_ESCAPED.get(c, c) for c in entry.path)
    mark = "\\" if escaped != entry.path else ""
    return f"{mark}{entry.digest}  {escaped}\n"


def _read(line: str) -> tuple[str, str]:
    if found := _GNU.match(line):
        escape, digest, name = found.groups()
    elif found := _BSD.match(line):
        escape, algorithm, name, digest = found.groups()
        if algorithm.upper() not in _SHA256:
            raise _Line(f"a {algorithm} digest is no SHA-256", name)
    else:
        raise _Line("no checksum line")
    path = unescape(name) if escape else name
    if path is None:
        raise _Line(r"a backslash is followed by something other than \, n or r", name)
    read = sha256_hex(digest)
    if read is None:
        raise _Line(why_not(digest), path)
    if reason := impossible(path):
        raise _Line(reason, path)
    return path, read


def unescape(name: str) -> str | None:
    r"""The name behind an escaped one (`\\`, `\n`, `\r`); None when another escape stands in it."""
    if any(found[0] not in _UNESCAPED for found in _ESCAPE.finditer(name)):
        return None
    return _ESCAPE.sub(lambda found: _UNESCAPED[found[0]], name)


def _line_ends(lines: list[str], source: str) -> tuple[Finding, ...]:
    ended = sum(line.endswith("\r") for line in lines)
    if not ended:
        return ()
    message = f"{ended} lines end in CRLF; the carriage returns were dropped"
    return (Finding(id="odd-encoding", message=message, path=source, level="note"),)
