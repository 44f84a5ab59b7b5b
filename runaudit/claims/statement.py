"""The ten kinds of statement that a claims file can make, with their fields.

Every statement has an `id` and the `sentence` of the card that it stands for. Paths are relative to the audited folder.
"""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Literal

import msgspec

from runaudit.claims.quantity import Quantity, Where

Number = int | Decimal


class _Base(msgspec.Struct, frozen=True, tag_field="kind", forbid_unknown_fields=True, kw_only=True):
    id: str
    sentence: str


class Digest(_Base, frozen=True, tag="digest", kw_only=True):
    """The content of `path` (a file or a folder) has the digest that is `stated`, in one place or in several.

    `scheme`: how the digest was taken. `unstated` tries the usual ones and cannot tell when none fits.
    """

    path: str
    stated: tuple[Quantity, ...]
    scheme: Literal["sha256", "tree", "unstated"] = "sha256"


class Identical(_Base, frozen=True, tag="identical", kw_only=True):
    """Two files, or the files below two folders that match `pattern`, are the same to the byte. `count`: how many."""

    paths: tuple[str, str]
    pattern: str = "**"
    count: int | None = None


class Equal(_Base, frozen=True, tag="equal", kw_only=True):
    """All `values` are one; the first is what the card states. `about` is the tolerance that the word stands for."""

    values: tuple[Quantity, ...]
    about: Number | None = None


class Contained(_Base, frozen=True, tag="contained", kw_only=True):
    """The rows of each file of `rows` stand in the file of `within` at the same place of the list, byte for byte.

    `where` takes the rows that the sentence speaks of; `both_ways` also asks the reverse of the same rows.
    """

    rows: tuple[str, ...]
    within: tuple[str, ...]
    where: Where = {}
    both_ways: bool = False


class Pairs(_Base, frozen=True, tag="pairs", kw_only=True):
    """Every path with a SHA-256 in a JSON document (below `at`) is a file below `root`. `count`: how many."""

    json: str
    at: str = ""
    root: str = "."
    path_key: str = "path"
    digest_key: str = "sha256"
    count: int | None = None


class Adapter(_Base, frozen=True, tag="adapter", kw_only=True):
    """The tensors of a LoRA adapter: their rank, the modules they adapt, those they must not, those saved whole.

    `config` is an adapter_config.json that must say the same.
    """

    tensors: str
    config: str | None = None
    rank: int | None = None
    targets: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    saved: tuple[str, ...] = ()


class SameTensors(_Base, frozen=True, tag="same-tensors", kw_only=True):
    """Two safetensors files hold the same tensors to the byte. `headers`: whether their headers differ, too."""

    tensors: tuple[str, str]
    headers: Literal["different", "identical", "any"] = "any"


class Stage(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One stage of a lineage. `init` is the `output` of another stage, or one of the claim's `roots`."""

    name: str
    init: str
    output: str
    kept: int | None = None
    run: int | None = None
    data: str | None = None
    data_sha256: str | None = None
    evidence: str | None = None


class Lineage(_Base, frozen=True, tag="lineage", kw_only=True):
    """A chain of stages, each from the last, that ends at `ends_at`.

    `fields` says where the evidence of a stage holds `init`, `output`, `kept`, `run`, `data_sha256`.
    """

    stages: tuple[Stage, ...]
    roots: tuple[str, ...]
    ends_at: str
    fields: Mapping[Literal["init", "output", "kept", "run", "data_sha256"], str] = {}


class Weights(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The share that the rows with each value of the field `by` have in a metric."""

    by: str
    shares: Mapping[str, Any]


class Round(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One stage of a selection: the `least` or the `greatest` of a metric, within each value of a field or overall.

    `also` are the names of candidates that enter here.
    """

    least: str | None = None
    greatest: str | None = None
    within: str | None = None
    also: tuple[str, ...] = ()
    weights: Weights | None = None


class Inputs(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A list in a JSON document: paths, or objects with a `path`."""

    json: str
    at: str = ""


class Selection(_Base, frozen=True, tag="selection", kw_only=True):
    """The stated rule, followed over rows of the stated split only, selects `winner`.

    `name` are the fields that name a candidate, joined by `/`. `split` is a field and its value. `inputs` is what the
    selector says it read; every row there must be of the split.
    """

    rows: str | tuple[str, ...]
    at: str | None = None
    name: tuple[str, ...]
    split: Where
    rounds: tuple[Round, ...]
    winner: str
    runner_up: str | None = None
    margin: Number | None = None
    inputs: Inputs | None = None


class Threshold(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A bound on one metric. `about` is how far beyond the bound still passes."""

    metric: str
    at_least: Number | None = None
    at_most: Number | None = None
    about: Number = 0


class Gate(_Base, frozen=True, tag="gate", kw_only=True):
    """The `nominated` candidate passes every threshold; each of the `rejected` (else all others) fails one."""

    rows: str | tuple[str, ...]
    at: str | None = None
    name: str
    thresholds: tuple[Threshold, ...]
    nominated: str
    rejected: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()


Statement = Digest | Identical | Equal | Contained | Pairs | Adapter | SameTensors | Lineage | Selection | Gate
_ALL = (Digest, Identical, Equal, Contained, Pairs, Adapter, SameTensors, Lineage, Selection, Gate)
KINDS: dict[str, type[msgspec.Struct]] = {str(one.__struct_config__.tag): one for one in _ALL}
ID = re.compile(r"[a-z0-9][a-z0-9._-]*\Z")


class Unchecked(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A sentence of the card that the author knows cannot be checked, and why."""

    sentence: str
    why: str = ""


class ClaimsFile(msgspec.Struct, frozen=True):
    """A claims file that was understood."""

    statements: tuple[Statement, ...]
    card: str | None = None
    unchecked: tuple[Unchecked, ...] = ()
