"""Reads run summaries that were written before."""

import os
from typing import Any

import msgspec

from runaudit.assemble.encode import TASKS_BEGIN, document_bytes
from runaudit.errors import InputError
from runaudit.model.account import Account
from runaudit.model.summary import KIND, VERSION
from runaudit.model.task import FileEvidence
from runaudit.model.trouble import Trouble
from runaudit.read import hashing
from runaudit.read.documents import decode_json, read_bytes, read_until
from runaudit.read.places import Places
from runaudit.usecases.canonical import second_look

# a million tasks with log folders are about 1.4 GB; reading takes some six times the memory
LARGEST_SUMMARY = 2 << 30


class Stored(msgspec.Struct, frozen=True):
    """A document and, where it has tasks as this program writes them, the SHA-256 of their text."""

    value: dict[str, Any]
    tasks_digest: str | None = None


def read_summary(path: str) -> dict[str, Any] | Trouble | None:
    """The JSON object at a path; None when nothing is there, a Trouble when it is no readable JSON object.

    Raises InputError for one that is larger than any that is read: nothing is wrong with it.
    """
    stored = read_stored(path)
    return stored.value if isinstance(stored, Stored) else stored


def read_stored(path: str) -> Stored | Trouble | None:
    """As `read_summary`."""
    sight = Places([os.path.dirname(path) or "."]).look(os.path.abspath(path))
    if not sight.present:
        return None
    if sight.kind == "file" and sight.size > LARGEST_SUMMARY:
        raise InputError(f"{path}: {sight.size} bytes; a summary of at most {LARGEST_SUMMARY} bytes is read")
    data = read_bytes(sight, LARGEST_SUMMARY)
    document = data if isinstance(data, Trouble) else decode_json(data)
    if isinstance(document, Trouble):
        return document
    if not isinstance(document.value, dict):
        return Trouble(id="summary-unreadable", message="it holds no JSON object")
    if document.value.get("kind") != KIND or not isinstance(data, bytes):
        return Stored(document.value)
    # Which of two values of one key counts depends on the reader, and the fast parser does not see such keys. What this
    # program wrote has its canonical bytes, and needs no second look.
    if not _is_canonical(document.value, data):
        return second_look(data) or Stored(document.value)
    return Stored(document.value, tasks_digest(data))


def tasks_digest(data: bytes) -> str | None:
    """The SHA-256 of the text of a summary's tasks; None where it has none as this program writes them."""
    at = data.find(TASKS_BEGIN)
    return None if at < 0 else hashing.of_bytes(memoryview(data)[at + len(TASKS_BEGIN) :], "sha256").hex


def _is_canonical(value: dict[str, Any], data: bytes) -> bool:
    try:
        return document_bytes(value) == data
    except (TypeError, ValueError, RecursionError):
        return False


def read_head(path: str) -> dict[str, Any] | Trouble | None:
    """As `read_summary`, but of a summary as we write them the head only: its `tasks` are left out, unread."""
    sight = Places([os.path.dirname(path) or "."]).look(os.path.abspath(path))
    if not sight.present:
        return None
    start = read_until(sight, b'{\n  "kind": ', TASKS_BEGIN)
    if start is not None:
        data = start + b"\n}\n"
        document = decode_json(data)
        if not isinstance(document, Trouble) and _is_canonical(document.value, data):
            head: dict[str, Any] = document.value
            return head
    return read_summary(path)


def load_summary(path: str) -> dict[str, Any]:
    """A run summary of ours that this version can read.

    Raises InputError when it is not there, cannot be read, is of another kind, or of a newer version.
    """
    document = read_summary(path)
    if document is None:
        raise InputError(f"{path}: there is no such file")
    if isinstance(document, Trouble):
        raise InputError(f"{path}: {document.message}")
    if document.get("kind") != KIND:
        raise InputError(f"{path}: expected a document of kind {KIND}, found {document.get('kind')!r}")
    version = document.get("version")
    if not isinstance(version, int) or version > VERSION:
        raise InputError(f"{path}: summary-newer: {KIND} version {version!r} is not one that this runaudit reads")
    return document


def signatures_were_used(earlier: dict[str, Any], account: Account, digest: str) -> bool:
    """Whether an earlier summary used these signatures while its rollouts were others than now."""
    options, files, evidence = (earlier.get(name) for name in ("options", "files", "evidence"))
    if not isinstance(options, dict) or options.get("signatures") != digest:
        return False
    path = files.get("rollouts") if isinstance(files, dict) else None
    recorded = evidence.get(path) if isinstance(evidence, dict) and isinstance(path, str) else None
    if not isinstance(recorded, dict) or recorded.get("digest") is None:
        return False
    now = account.evidence.get(path) if isinstance(path, str) else None
    return now is None or not _same_content(recorded, now)


def _same_content(recorded: dict[str, Any], now: FileEvidence) -> bool:
    """Whether two pieces of evidence can be of one content; digests of two kinds say nothing about one another."""
    before, after = str(recorded["digest"]), now.digest
    if after is None or before.partition(":")[0] != after.partition(":")[0]:
        return bool(recorded.get("size") == now.size)
    return before == after
