"""Writes the files of the examples: JSON, rows, safetensors, manifests. Equal calls give equal bytes."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

MANIFEST = "SHA256_MANIFEST.json"
UNLISTED = (MANIFEST, "claims.toml", "README.md", "TRAINING_RECIPE.md")


def write(path: Path, content: bytes | str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)


def write_json(path: Path, value: Any) -> None:
    write(path, json.dumps(value, indent=1) + "\n")


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    write(path, "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows))


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def content(length: int, seed: str) -> bytes:
    """Bytes that look like weights and are always the same."""
    blocks = (hashlib.sha256(f"{seed} {number}".encode()).digest() for number in range(length // 32 + 1))
    return b"".join(blocks)[:length]


def safetensors(tensors: Mapping[str, Sequence[int]], metadata: Mapping[str, str], seed: str) -> bytes:
    """A safetensors file of BF16 tensors: the header padded with blanks to eight bytes, then the bytes."""
    header: dict[str, Any] = {"__metadata__": dict(metadata)}
    at, data = 0, b""
    for name, shape in tensors.items():
        size = 2 * shape[0] * shape[1]
        header[name] = {"dtype": "BF16", "shape": list(shape), "data_offsets": [at, at + size]}
        data += content(size, f"{seed} {name}")
        at += size
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + data


def write_manifest(folder: Path) -> None:
    """Lists every file but the manifest itself, the card and the claims."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name not in UNLISTED)
    listed = [
        {"path": path.relative_to(folder).as_posix(), "sha256": sha256(path), "size": path.stat().st_size}
        for path in files
    ]
    write_json(folder / MANIFEST, {"files": listed})


def change(path: Path, old: str, new: str) -> None:
    """Replaces one text that stands in a file exactly once."""
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{path}: {old!r} stands there {text.count(old)} times"
    path.write_text(text.replace(old, new), encoding="utf-8")


def change_json(path: Path, at: str, value: Any) -> None:
    """Sets one value of a JSON document, at a dotted path."""
    document = json.loads(path.read_text(encoding="utf-8"))
    *above, last = at.split(".")
    inner = document
    for key in above:
        inner = inner[int(key)] if isinstance(inner, list) else inner[key]
    inner[int(last) if isinstance(inner, list) else last] = value
    write_json(path, document)


def change_row(path: Path, number: int, **values: Any) -> None:
    """Sets fields of one row, counted from 1."""
    lines = path.read_text(encoding="utf-8").splitlines()
    lines[number - 1] = json.dumps({**json.loads(lines[number - 1]), **values}, separators=(",", ":"))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
