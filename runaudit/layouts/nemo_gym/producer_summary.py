"""A run summary that the producer itself wrote under the name of ours: linked, never overwritten, held against ours.

Its exact keys were not seen in a release; what both documents state under the same name is compared, nothing else.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from runaudit.layouts.nemo_gym.names import Names
from runaudit.model.account import RunIdentity, StaleFile
from runaudit.model.finding import Finding
from runaudit.model.summary import KIND
from runaudit.model.trouble import Trouble
from runaudit.read.documents import read_json, starts_with
from runaudit.read.places import Places, Sight

# how every summary of ours begins (see `assemble.encode`)
_OURS = f'{{\n  "kind": "{KIND}",'.encode()


class ProducerSummary(msgspec.Struct, frozen=True):
    """The producer's document and where it lies."""

    path: str
    sight: Sight
    document: Mapping[str, Any]


class Ours(msgspec.Struct, frozen=True):
    """What we found out that the producer's document states as well."""

    run: RunIdentity
    selected: int
    stale: tuple[StaleFile, ...]
    unvalidated: Mapping[str, str]
    skipped: Mapping[str, str]


def find_producer_summary(names: Names, places: Places) -> ProducerSummary | None:
    """The document at our summary's name, when it is a JSON object that is not one of ours."""
    sight = places.look(names.summary)
    if starts_with(sight, _OURS):
        # a summary of a large run is large, and one of ours is of no interest here
        return None
    document = read_json(sight) if sight.kind == "file" else None
    if document is None or isinstance(document, Trouble) or not isinstance(document.value, dict):
        return None
    if document.value.get("kind") == KIND:
        return None
    return ProducerSummary(names.summary, sight, document.value)


def differences(producer: ProducerSummary, ours: Ours) -> list[Finding]:
    """What the producer's document states otherwise than we found it."""
    pairs: list[tuple[str, Any, Any]] = [
        ("task_source", producer.document.get("task_source"), ours.run.task_source),
        ("number of tasks", _length(producer.document.get("tasks")), ours.selected),
        ("stale_files", _names(producer.document.get("stale_files")), sorted(file.path for file in ours.stale)),
        ("unvalidated", _names(producer.document.get("unvalidated")), sorted(ours.unvalidated)),
        ("skipped", _names(producer.document.get("skipped")), sorted(ours.skipped)),
    ]
    return [
        Finding(
            id="producer-summary-differs",
            message=f"{name}: the producer's summary says {theirs!r:.120}, the files say {mine!r:.120}",
            path=producer.path,
            expected=f"{mine!r:.120}",
            found=f"{theirs!r:.120}",
        )
        for name, theirs, mine in pairs
        if theirs is not None and theirs != mine
    ]


def _length(value: Any) -> int | None:
    return len(value) if isinstance(value, list) else None


def _names(value: Any) -> list[str] | None:
    """Ids or file names, whether they are keys, texts or objects with a path."""
    if isinstance(value, dict):
        return sorted(str(key) for key in value)
    if not isinstance(value, list):
        return None
    told = [item.get("path") if isinstance(item, dict) else item for item in value]
    return sorted(item.rsplit("/", 1)[-1] for item in told if isinstance(item, str))
