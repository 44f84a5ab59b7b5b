"""The sides of a comparison: a run summary, or a folder that holds one, or a folder that is summarised in memory."""

import os
import re
from collections.abc import Callable

import msgspec

from runaudit.compare.document import RunDocument, decode
from runaudit.errors import InputError
from runaudit.model.trouble import Trouble
from runaudit.read.documents import read_bytes
from runaudit.read.hashing import of_bytes
from runaudit.read.named import is_folder
from runaudit.read.places import Places, Sight
from runaudit.usecases.canonical import two_readings
from runaudit.usecases.stored import LARGEST_SUMMARY

Summarise = Callable[[str], bytes]
"""Makes the bytes of a run summary from a run folder. Raises InputError when nothing is recognised there."""

_OURS = "_runaudit_summary.json"
_SHARED = "_run_summary.json"
_NAMES = re.compile(r"(?:.*_run_summary|.*_runaudit_summary|run_summary)\.json\Z")


class Comparand(msgspec.Struct, frozen=True):
    """One side: as it was named, what its summary says, and the digest of the summary's bytes.

    `path` is the summary's file; a summary that was made in memory has `made`, its bytes, instead.
    """

    name: str
    document: RunDocument
    digest: str
    path: str | None = None
    made: bytes | None = None

    def content(self) -> bytes:
        """The summary's bytes. Raises InputError when the file is no longer the one that was compared."""
        if self.made is not None:
            return self.made
        path = self.path or ""
        data = read_bytes(Places([os.path.dirname(path)]).look(path), LARGEST_SUMMARY)
        if isinstance(data, Trouble) or str(of_bytes(data, "sha256")) != self.digest:
            raise InputError(f"{self.name}: the run summary changed while it was compared")
        return data


def find(name: str, summarise: Summarise) -> Comparand | None:
    """The run at a path; None when nothing is there.

    Raises InputError when what is there is no run: unreadable, several summaries, another kind of document.
    """
    real = os.path.realpath(name)
    places = Places([os.path.dirname(real)])
    sight = places.look(real)
    if not sight.present:
        return None
    path = _summary_in(name, real) if sight.kind == "folder" and is_folder(name) else real
    if path is None:
        data = summarise(name)
        return Comparand(name, decode(data, name), str(of_bytes(data, "sha256")), made=data)
    return _read(name, path, sight if path == real else Places([real]).look(path))


def _read(name: str, path: str, sight: Sight) -> Comparand:
    data = read_bytes(sight, LARGEST_SUMMARY)
    shown = name if path == os.path.realpath(name) else os.path.join(name, os.path.basename(path))
    if isinstance(data, Trouble):
        raise InputError(f"{shown}: the run summary cannot be read: {data.message}")
    document = decode(data, shown)
    if trouble := two_readings(data):
        raise InputError(f"{shown}: no readable run summary: {trouble.message}")
    return Comparand(name, document, str(of_bytes(data, "sha256")), path=path)


def _summary_in(name: str, folder: str) -> str | None:
    try:
        names = sorted(n for n in os.listdir(folder) if _NAMES.match(n))
    except OSError as error:
        raise InputError(f"{name}: the folder cannot be listed: {error.strerror or error}") from error
    # A producer's own document keeps the shared name; ours then stands beside it under the other one.
    names = [n for n in names if n.endswith(_OURS) or n.removesuffix(_SHARED) + _OURS not in names]
    if len(names) > 1:
        raise InputError(f"{name}: several run summaries, name one of them: {', '.join(names)}")
    return os.path.join(folder, names[0]) if names else None
