"""What a claim can speak of: a value that the card states, or one that is read or counted in the files.

`tagged` turns the short forms of a claims file into these values: a plain value is `Constant`, a list is `Total`, a
table is told by its one leading key (`json`, `rows`, `files`, `sha256`, `rank`, `summary`).
"""

from collections.abc import Mapping
from typing import Any

import msgspec

Where = Mapping[str, Any]
BLANK = "?"


class Constant(msgspec.Struct, frozen=True, tag_field="type", tag="constant", forbid_unknown_fields=True):
    """A value as the card prints it. Numbers with a point are decimals, so that the printed places are known."""

    value: Any


class Total(msgspec.Struct, frozen=True, tag_field="type", tag="total", forbid_unknown_fields=True):
    """The sum of its terms."""

    terms: tuple["Quantity", ...]


class Field(msgspec.Struct, frozen=True, tag_field="type", tag="json", forbid_unknown_fields=True):
    """A value inside a JSON document, at a JSON pointer (`/a/0/b`) or a dotted path (`a.0.b`).

    `length` takes the number of entries of the list or object that stands there.
    """

    json: str
    at: str
    length: bool = False


class Rows(msgspec.Struct, frozen=True, tag_field="type", tag="rows", forbid_unknown_fields=True):
    """Rows of JSONL files (a path, a pattern or a list of them), or entries of the list `at` in a JSON document.

    Counts them, those that fit `where` (field to value, or to a list of values), and of these: the ones that have a
    value in the field `having`, the distinct values of the field `distinct`, or adds up the field `total`.
    """

    rows: str | tuple[str, ...]
    at: str | None = None
    where: Where = {}
    having: str | None = None
    distinct: str | None = None
    total: str | None = None


class Files(msgspec.Struct, frozen=True, tag_field="type", tag="files", forbid_unknown_fields=True):
    """The number of files that match a pattern: `*` stays within a folder, `**` crosses folders."""

    files: str


class Sha256(msgspec.Struct, frozen=True, tag_field="type", tag="sha256", forbid_unknown_fields=True):
    """The SHA-256 of a file's content, as hex digits."""

    sha256: str


class Rank(msgspec.Struct, frozen=True, tag_field="type", tag="rank", forbid_unknown_fields=True):
    """The rank that the LoRA tensors of a safetensors file have, when all have the same."""

    rank: str


class Quoted(msgspec.Struct, frozen=True, tag_field="type", tag="summary", forbid_unknown_fields=True):
    """A value of a run summary, such as `counts.mean_reward.value`. The document must be a run summary."""

    summary: str
    at: str


Quantity = Constant | Total | Field | Rows | Files | Sha256 | Rank | Quoted
LEADING: dict[str, type[msgspec.Struct]] = {
    "json": Field,
    "rows": Rows,
    "files": Files,
    "sha256": Sha256,
    "rank": Rank,
    "summary": Quoted,
}


def tagged(stated: Any) -> Any:
    """A quantity of a claims file with its `type`; a table without a leading key is left as it is."""
    if isinstance(stated, list):
        return {"type": "total", "terms": [tagged(term) for term in stated]}
    if isinstance(stated, dict):
        leading = [key for key in LEADING if key in stated]
        return {"type": leading[0], **stated} if len(leading) == 1 else stated
    return {"type": "constant", "value": stated}
