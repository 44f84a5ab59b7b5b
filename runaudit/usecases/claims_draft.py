"""Drafts a claims file for a folder: looks for its card, lists of digests, evidence, data sets and adapters."""

import os
from collections.abc import Iterator, Mapping
from typing import Any

from runaudit.claims.adapters import rank_of
from runaudit.claims.answer import Unknown
from runaudit.claims.drafting import Draft, Found, draft, printable_paths
from runaudit.claims.receipts import listed_in
from runaudit.errors import InputError, UsageError
from runaudit.model.trouble import Trouble
from runaudit.read.documents import read_bytes
from runaudit.read.places import Places
from runaudit.usecases.claims_evidence import FolderEvidence
from runaudit.write.atomic import replace

NAME = "claims.toml"
_CARDS = ("README.md", "CARD.md", "MODEL_CARD.md", "DATASET_CARD.md", "TRAINING_RECIPE.md")
_MOST_DOCUMENTS = 50
_MOST_FIELDS = 200
_LARGEST_DOCUMENT = 8 << 20
_DEEPEST = 4


def draft_claims(folder: str) -> Draft:
    """The draft for a folder. Raises InputError when there is no such folder, or nothing in it to claim about."""
    if not os.path.isdir(folder):
        raise InputError(f"{folder}: no such folder")
    found = _found(folder)
    if not (found.lists or found.text):
        raise InputError(f"{folder}: neither a card ({', '.join(_CARDS)}) nor a list of digests is there")
    return draft(found)


def write_draft(folder: str, drafted: Draft, *, output: str | None = None, force: bool = False) -> str:
    """Writes the draft, by default to claims.toml in the folder; returns the path.

    Raises UsageError when a file is there already and `force` is not given, OutputError when it cannot be written.
    """
    path = output or os.path.join(folder, NAME)
    if os.path.lexists(path) and not force:
        raise UsageError(f"{path}: it is there already (--force replaces it)")
    replace(path, [drafted.text.encode()])
    return path


def _found(folder: str) -> Found:
    evidence = FolderEvidence(folder)
    places = Places([folder])
    every = evidence.files("**")
    if isinstance(every, Unknown):
        raise InputError(f"{folder}: {every.why}")
    files = printable_paths(every)
    card = next((name for name in _CARDS if name in files), None) or next(
        (name for name in files if name.lower().endswith(".md") and "/" not in name), None
    )
    small = [path for path in files if path.endswith(".json") and places.look(path).size <= _LARGEST_DOCUMENT]
    documents = {path: evidence.document(path) for path in small[:_MOST_DOCUMENTS]}
    return Found(
        card=card,
        text=_text(places, card),
        lists=tuple(path for path, value in documents.items() if any(listed_in(value, "path", "sha256"))),
        fields={path: tuple(_fields(value))[:_MOST_FIELDS] for path, value in documents.items()},
        tables=tuple(path for path in files if path.endswith((".jsonl", ".jsonl.gz"))),
        adapters=tuple(path for path in files if path.endswith(".safetensors") and _has_rank(path, evidence)),
        files=files,
    )


def _text(places: Places, card: str | None) -> str:
    data = b"" if card is None else read_bytes(places.look(card), _LARGEST_DOCUMENT)
    return "" if isinstance(data, Trouble) else data.decode("utf-8", "replace")


def _has_rank(path: str, evidence: FolderEvidence) -> bool:
    file = evidence.tensors(path)
    return not isinstance(file, Unknown) and not isinstance(rank_of(file, path), Unknown)


def _fields(value: Any, above: str = "", depth: int = 0) -> Iterator[str]:
    """JSON pointers to the numbers and short texts in objects, not in lists."""
    if not isinstance(value, Mapping) or depth > _DEEPEST:
        return
    for key, inner in value.items():
        if any("\ud800" <= c <= "\udfff" for c in key):
            continue
        at = f"{above}/{key.replace('~', '~0').replace('/', '~1')}"
        if isinstance(inner, int | float | str) and not isinstance(inner, bool):
            yield at
        else:
            yield from _fields(inner, at, depth + 1)
