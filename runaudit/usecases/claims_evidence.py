"""Looks things up in an audited folder for the rules on claims, all of it through `Places`.

A path that leaves the folder is never opened: what comes back is an Unknown that names it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from runaudit.claims.answer import Unknown
from runaudit.claims.evidence import Row, Shape, TensorFile
from runaudit.judge.levels import matches
from runaudit.model.trouble import Trouble
from runaudit.read import safetensors
from runaudit.read.documents import decode_json, digest_of, read_json
from runaudit.read.folder import walk
from runaudit.read.joined import digest_of_joined
from runaudit.read.places import Places, Sight
from runaudit.read.row_bytes import row_bytes
from runaudit.usecases.digest_schemes import file_schemes, tree_schemes

LARGEST_ROW = 256 << 20
# claims come back to one file again and again; larger ones are read anew rather than held
LARGEST_KEPT = 4 << 20


class FolderEvidence:
    """The evidence of one command: `claims.evidence.Evidence`, from a folder and further roots for its links."""

    def __init__(self, root: str, *, more_roots: Sequence[str] = ()) -> None:
        self._places = Places([root, *more_roots])
        self._documents: dict[str, Any] = {}
        self._rows: dict[str, tuple[Row | Unknown, ...]] = {}
        self._digests: dict[str, str | Unknown] = {}
        self._listing: list[str] | Unknown | None = None

    def kind(self, path: str) -> str | Unknown:
        """`file` or `folder`; an Unknown when neither lies there."""
        sight = self._places.look(path)
        return sight.kind if sight.kind in ("file", "folder") else _unknown(sight, "file")

    def document(self, path: str) -> Any:
        """The value of a JSON document, which keeps keys that are stated twice."""
        if path not in self._documents:
            sight = self._places.look(path)
            read = read_json(sight, strict_keys=True) if sight.kind == "file" else _unknown(sight, "file")
            self._documents[path] = (
                read if isinstance(read, Unknown) else _told(path, read) if isinstance(read, Trouble) else read.value
            )
        return self._documents[path]

    def rows(self, path: str) -> Iterator[Row | Unknown]:
        """The rows of a JSONL file, plain or gzip. A blank line is none. Small files are read once."""
        if path in self._rows:
            yield from self._rows[path]
            return
        sight = self._places.look(path)
        if sight.kind != "file":
            yield _unknown(sight, "file")
        elif sight.size > LARGEST_KEPT:
            yield from self._read_rows(path, sight)
        else:
            self._rows[path] = tuple(self._read_rows(path, sight))
            yield from self._rows[path]

    def _read_rows(self, path: str, sight: Sight) -> Iterator[Row | Unknown]:
        for number, data in row_bytes(sight, LARGEST_ROW):
            if isinstance(data, Trouble):
                yield Unknown(f"{path}:{number}: {data.message}" if number else f"{path}: {data.message}")
                return
            decoded = decode_json(data, strict_keys=True)
            if isinstance(decoded, Trouble):
                yield Unknown(f"{path}:{number}: {decoded.message}")
                return
            yield Row(path, number, data, decoded.value)

    def files(self, pattern: str) -> Sequence[str] | Unknown:
        """The paths of plain files that match, by name. Links count when they lead to a file inside."""
        if pattern.startswith("/") or ".." in pattern.split("/"):
            return Unknown(f"{pattern} leads out of the folder and was not looked for", outside=pattern)
        if self._listing is None:
            self._listing = self._list("")
        if isinstance(self._listing, Unknown):
            return self._listing
        return [path for path in self._listing if matches(pattern, path)]

    def _list(self, folder: str) -> list[str] | Unknown:
        """Every file below a folder, relative to it. An Unknown when a part cannot be looked into."""
        sight = self._places.look(folder or ".")
        if sight.kind != "folder":
            return _unknown(sight, "folder")
        found: list[str] = []
        for name, item in walk(sight.real):
            path = _below(folder, name)
            if isinstance(item, Trouble):
                return Unknown(f"{path or '.'}: {item.message}")
            if item.kind == "file" or (item.kind == "link" and self._places.look(path).kind == "file"):
                found.append(name)
        return sorted(found)

    def sha256(self, path: str) -> str | Unknown:
        """The SHA-256 of a plain file."""
        if path not in self._digests:
            sight = self._places.look(path)
            read = digest_of(sight, "sha256") if sight.kind == "file" else _unknown(sight, "file")
            self._digests[path] = (
                read if isinstance(read, Unknown) else _told(path, read) if isinstance(read, Trouble) else read.hex
            )
        return self._digests[path]

    def contents(self, folder: str) -> Mapping[str, str] | Unknown:
        """The SHA-256 of each file below a folder."""
        names = self._list(folder)
        if isinstance(names, Unknown):
            return names
        held: dict[str, str] = {}
        for name in names:
            digest = self.sha256(_below(folder, name))
            if isinstance(digest, Unknown):
                return digest
            held[name] = digest
        return held

    def schemes(self, path: str) -> Mapping[str, str] | Unknown:
        """The digests that are in use for a file, or for a folder."""
        kind = self.kind(path)
        if isinstance(kind, Unknown):
            return kind
        if kind == "file":
            digest = self.sha256(path)
            return digest if isinstance(digest, Unknown) else file_schemes(digest)
        contents = self.contents(path)
        if isinstance(contents, Unknown):
            return contents
        names = sorted(contents, key=lambda name: name.encode("utf-8", "surrogateescape"))
        joined = digest_of_joined(self._places.look(_below(path, name)) for name in names)
        return _told(path, joined) if isinstance(joined, Trouble) else tree_schemes(contents, joined)

    def tensors(self, path: str) -> TensorFile | Unknown:
        """The header of a safetensors file."""
        sight = self._places.look(path)
        header = safetensors.read_header(sight) if sight.kind == "file" else _unknown(sight, "file")
        if isinstance(header, Unknown | Trouble):
            return header if isinstance(header, Unknown) else _told(path, header)
        return TensorFile(
            tensors={name: Shape(tensor.dtype, tensor.shape) for name, tensor in header.tensors.items()},
            metadata=header.metadata,
            header_sha256=header.sha256,
        )

    def tensor_digests(self, path: str) -> Mapping[str, str] | Unknown:
        """The SHA-256 of each tensor's bytes."""
        sight = self._places.look(path)
        header = safetensors.read_header(sight) if sight.kind == "file" else _unknown(sight, "file")
        if isinstance(header, Unknown | Trouble):
            return header if isinstance(header, Unknown) else _told(path, header)
        digests = safetensors.tensor_digests(sight, header)
        return _told(path, digests) if isinstance(digests, Trouble) else digests


def _below(folder: str, name: str) -> str:
    return name if folder in ("", ".") else f"{folder.rstrip('/')}/{name}"


def _unknown(sight: Sight, wanted: str) -> Unknown:
    """Why there is no file or folder to read."""
    trouble = sight.trouble("file" if wanted == "file" else "folder")
    if trouble is None:
        return Unknown(f"{sight.path} is not there")
    outside = sight.path if sight.kind == "outside-root" else None
    return Unknown(
        f"{sight.path} {trouble.message}" if outside else f"{sight.path}: {trouble.message}", outside=outside
    )


def _told(path: str, trouble: Trouble) -> Unknown:
    return Unknown(f"{path}: {trouble.message}")
