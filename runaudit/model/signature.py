"""What a file looked like at one moment, to tell later whether it is still the same file. No cryptographic signature.

`OutputSignatures` is the document that `runaudit signatures` writes before dispatch.
"""

from typing import Any, Literal

import msgspec

from runaudit.model.digest import Digest

KIND = "output_signatures"
VERSION = 1
_SECOND = 1_000_000_000


class Signature(msgspec.Struct, frozen=True):
    """Size in bytes, modification time in nanoseconds since 1970, content digest (`algorithm:hex`)."""

    path: str
    size: int
    mtime_ns: int
    digest: str | None

    def matches(self, size: int, mtime_ns: int, digest: Digest | None) -> bool:
        """Whether a file of these properties is the signed one, unchanged.

        Archives keep times in whole seconds: a whole second equals any time within it. The content decides in the end.
        """
        same_time = self.mtime_ns == mtime_ns or (
            mtime_ns % _SECOND == 0 and self.mtime_ns // _SECOND == mtime_ns // _SECOND
        )
        return self.size == size and same_time and self.digest is not None and str(digest) == self.digest


class FolderSignature(msgspec.Struct, frozen=True):
    """The sub-folders of the log folders' parent: name to modification time in nanoseconds."""

    path: str
    entries: dict[str, int]


class OutputSignatures(msgspec.Struct, frozen=True, kw_only=True):
    """The signatures of a run's outputs, by the keys of the summary's `files`; null marks a name with no file."""

    kind: Literal["output_signatures"] = "output_signatures"
    version: int = VERSION
    files: dict[str, Signature | None]
    log_folders: tuple[FolderSignature, ...] = ()

    def to_document(self) -> dict[str, Any]:
        """The signatures as the values of a JSON document."""
        document: dict[str, Any] = msgspec.to_builtins(self)
        return {**document, "log_folders": list(document["log_folders"])}
