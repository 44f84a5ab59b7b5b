"""The one model of a manifest, whatever format it was read from.

Invariants: `digest` is 64 lower-case hex digits; `path` is what the manifest says after the format's own escapes were
undone, never normalised; bytes that are not UTF-8 stand in it as surrogate escapes.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Literal

import msgspec

from runaudit.manifests.names import collapsed_all
from runaudit.model.finding import Finding

Form = Literal["json", "sha256sum", "bagit"]
Outcome = Literal[
    "verified", "different", "missing", "unreadable", "unsafe-path", "malformed", "conflicting", "lfs-pointer", "self"
]


class Entry(msgspec.Struct, frozen=True, gc=False):
    """What a manifest promises of one file.

    `source` is the document that lists it and `line` the line there (text formats). `spellings` are other readings of
    the name, tried after `path`. `extra` keeps the keys that were not understood.
    """

    path: str
    digest: str
    size: int | None = None
    line: int | None = None
    source: str = ""
    spellings: tuple[str, ...] = ()
    extra: Mapping[str, Any] = {}


class Malformed(msgspec.Struct, frozen=True):
    """An entry or line that promises nothing that could be checked, and why."""

    reason: str
    source: str
    path: str | None = None
    line: int | None = None


class Stated(msgspec.Struct, frozen=True):
    """What a manifest says about all of its files together. None where it says nothing."""

    total_files: int | None = None
    total_bytes: int | None = None
    tree_digest: str | None = None


class Manifest(msgspec.Struct, frozen=True, dict=True):
    """A manifest that was read. `findings` are about the document itself."""

    form: Form
    entries: tuple[Entry, ...] = ()
    malformed: tuple[Malformed, ...] = ()
    findings: tuple[Finding, ...] = ()
    stated: Stated = Stated()

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The paths of the entries, each as `manifests.names.collapsed` has it."""
        return tuple(collapsed_all(entry.path for entry in self.entries))


class Result(msgspec.Struct, frozen=True, gc=False):
    """What came of one entry. `path` is the entry's own; `at` the name on disk where that is another one.

    `size` and `digest` are those of verified content, `pointer` says that it is a Git LFS pointer itself.
    """

    path: str | None
    outcome: Outcome
    message: str
    source: str
    line: int | None = None
    expected: str | None = None
    found: str | None = None
    at: str | None = None
    size: int = 0
    digest: str = ""
    pointer: bool = False
