"""What a caller asks of a layout: where the run is, what was told about it, and how to look.

`Recorded` carries the decisions of an earlier summary, for `verify`: they are kept where the content agrees, so that a
folder whose times were lost on the way is judged as it was.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from runaudit.model.digest import Algorithm
from runaudit.model.signature import OutputSignatures

DEFAULT_MOST_ROW = 256 << 20


class Recorded(msgspec.Struct, frozen=True, kw_only=True):
    """Decisions of an earlier summary of this folder.

    `log_folders` maps (stage, task index, repeat, server or agent, shard) in text form to the relative path that the
    row's folder was found at; `stale` and `set_aside` map relative paths to the digests they had when they were left
    out; `listed` holds the paths that were this run's, with their digests. `selected`
    are the entries of a run whose owed rows were told and are not on disk.
    """

    log_folders: Mapping[str, str | None] = {}
    stale: Mapping[str, str | None] = {}
    set_aside: Mapping[str, str | None] = {}
    listed: Mapping[str, str | None] = {}
    selected: tuple[Mapping[str, Any], ...] | None = None


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """Options of `summarize`, parsed; names equal the command's options.

    `beyond` lets paths outside the folder be looked at (one's own run); `roots` are further folders that count as
    inside. `workers` above 1 allows that many processes for large files.
    """

    signatures: OutputSignatures | None = None
    expected: Sequence[Mapping[str, Any]] | str | None = None
    resumed: bool | None = None
    split: str = "validation"
    rows: str | None = None
    run_config: str | None = None
    unvalidated: Mapping[str, str] | None = None
    skipped: Mapping[str, str] | str | None = None
    target: str | None = None
    taskset: str | None = None
    agent: str | None = None
    dataset: str | None = None
    map: tuple[tuple[str, str], ...] = ()
    relocate: bool = False
    digest: Algorithm | None = "xxh3"
    pass_at: float | None = None
    messages: bool = True
    max_row: int = DEFAULT_MOST_ROW
    roots: tuple[str, ...] = ()
    beyond: bool = True
    recorded: Recorded | None = None
    workers: int = 1
