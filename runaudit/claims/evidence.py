"""What the rules ask of the files. The rules are pure; a use case looks things up for them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

import msgspec

from runaudit.claims.answer import Unknown


class Row(msgspec.Struct, frozen=True):
    """One row: where it stands, its bytes without the line end, its value."""

    path: str
    number: int
    data: bytes
    value: Any


class Shape(msgspec.Struct, frozen=True):
    """A tensor without its content."""

    dtype: str
    shape: tuple[int, ...]


class TensorFile(msgspec.Struct, frozen=True):
    """A safetensors file: its tensors by name, its metadata, and the digest of its header's bytes."""

    tensors: Mapping[str, Shape]
    metadata: Mapping[str, str]
    header_sha256: str


class Evidence(Protocol):
    """Read access to the audited folder. What cannot be read is an `Unknown`."""

    def kind(self, path: str) -> str | Unknown:
        """`file` or `folder`."""

    def document(self, path: str) -> Any:
        """The value of a JSON document; an Unknown when there is none. Objects keep keys that are stated twice."""

    def rows(self, path: str) -> Iterator[Row | Unknown]:
        """The rows of a JSONL file. An Unknown says what cannot be read and may be followed by more rows."""

    def files(self, pattern: str) -> Sequence[str] | Unknown:
        """The paths of files that match, in order."""

    def sha256(self, path: str) -> str | Unknown:
        """The SHA-256 of a file."""

    def contents(self, folder: str) -> Mapping[str, str] | Unknown:
        """The SHA-256 of every file below a folder, by its path relative to the folder."""

    def schemes(self, path: str) -> Mapping[str, str] | Unknown:
        """The digest of a file or folder by each scheme that is in use; the name says how it is taken."""

    def tensors(self, path: str) -> TensorFile | Unknown:
        """The header of a safetensors file."""

    def tensor_digests(self, path: str) -> Mapping[str, str] | Unknown:
        """The SHA-256 of each tensor's bytes."""
