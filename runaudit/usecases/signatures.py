"""Signatures: taken before dispatch, written beside the rollouts, read when the run is summarised.

A signature is what a file looked like at one moment; it is no cryptographic signature.
"""

import os
from typing import Any

import msgspec

from runaudit.assemble.encode import document_bytes
from runaudit.errors import InputError
from runaudit.layouts.base import Layout, Target
from runaudit.model.digest import Digest
from runaudit.model.signature import KIND, VERSION, OutputSignatures
from runaudit.model.trouble import Trouble
from runaudit.read import hashing
from runaudit.read.documents import decode_json, read_bytes
from runaudit.read.places import Places
from runaudit.usecases.target import target_at
from runaudit.write import atomic


def output_signatures(rollouts: str | os.PathLike[str]) -> dict[str, Any]:
    """What sits under the run's output names now, as the values of a JSON document.

    `rollouts` is the path that the run will write; it need not exist. Take the signatures just before dispatch and
    hand them to `build_run_summary` as `before_dispatch`. Keys of `files` are those of the summary; null marks a name
    with no file; sizes are in bytes, times in nanoseconds since 1970, digests are `xxh3:` and hex digits, over the
    first and last 16 MiB only (`xxh3-sampled:`) above 1 GiB.

    Raises InputError when the folder cannot be looked at.
    """
    layout, target = target_at(os.fspath(rollouts))
    return layout.sign(target).to_document()


def write_signatures(rollouts: str | os.PathLike[str], output: str | os.PathLike[str] | None = None) -> str:
    """Takes the signatures and writes them, by default beside the rollouts. Returns the path.

    Raises InputError and OutputError.
    """
    layout, target = target_at(os.fspath(rollouts))
    path = os.fspath(output) if output is not None else layout.signatures_path(target)
    atomic.replace(path, [signatures_bytes(rollouts)])
    return path


def signatures_bytes(rollouts: str | os.PathLike[str]) -> bytes:
    """The document that `write_signatures` writes. Raises InputError."""
    layout, target = target_at(os.fspath(rollouts))
    return document_bytes(layout.sign(target).to_document())


class Loaded(msgspec.Struct, frozen=True):
    """Signatures and the digest of the document that they were read from (None when handed over as values)."""

    signatures: OutputSignatures
    digest: str


def load(source: dict[str, Any] | str | os.PathLike[str]) -> Loaded:
    """Signatures from a file or from values.

    Raises InputError when they are not signatures, or of a newer version.
    """
    if isinstance(source, dict):
        return Loaded(_converted(source, "before_dispatch"), str(hashing.of_bytes(document_bytes(source))))
    path = os.path.abspath(os.fspath(source))
    data = read_bytes(Places([os.path.dirname(path)], beyond=True).look(path))
    if isinstance(data, Trouble):
        raise InputError(f"{source}: {data.message}")
    document = decode_json(data)
    if isinstance(document, Trouble):
        raise InputError(f"{source}: {document.message}")
    return Loaded(_converted(document.value, os.fspath(source)), str(hashing.of_bytes(data)))


def _converted(value: Any, path: str) -> OutputSignatures:
    if not isinstance(value, dict) or value.get("kind") != KIND:
        raise InputError(f"{path}: expected a document of kind {KIND}")
    if isinstance(value.get("version"), int) and value["version"] > VERSION:
        raise InputError(f"{path}: {KIND} version {value['version']} is newer than this runaudit reads ({VERSION})")
    try:
        signatures = msgspec.convert(value, OutputSignatures)
        for signature in signatures.files.values():
            if signature is not None and signature.digest is not None:
                Digest.parse(signature.digest)
        return signatures
    except (msgspec.ValidationError, InputError) as error:
        raise InputError(f"{path}: {error}") from error


def beside(layout: Layout, target: Target) -> str | None:
    """The signatures file beside the run, when there is one."""
    path = layout.signatures_path(target)
    return path if os.path.lexists(path) else None
