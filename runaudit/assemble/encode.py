"""The bytes of a document: strict JSON, UTF-8, two-space indent, stable key order, final newline.

A run summary is encoded entry by entry, so that its memory does not grow with its size.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec
import orjson

from runaudit.model.summary import KIND, VERSION, Summary
from runaudit.model.task import TaskEntry

_INDENT = orjson.OPT_INDENT_2
_BATCH = 256
_MAY_BE_UNSET = ("stage", "shard", "trial_name", "trial_id", "recorded_reward")
_NESTED = ("failure", "usage", "evidence")
_FRAME_BEGINS = b'{\n  "tasks": ['
_FRAME_ENDS = b"\n  ]\n}"
# no string can hold a line feed: in a document of ours these bytes stand once, behind the head
TASKS_BEGIN = b',\n  "tasks": ['


def document_bytes(document: Any) -> bytes:
    """One JSON document. Text that is no Unicode is escaped; callers hold no numbers that are not finite."""
    return _dumps(document) + b"\n"


def _dumps(value: Any) -> bytes:
    try:
        return orjson.dumps(value, option=_INDENT)
    except orjson.JSONEncodeError:
        return orjson.dumps(_encodable(value), option=_INDENT)


def _encodable(value: Any) -> Any:
    if isinstance(value, dict):
        return {_encodable(key): _encodable(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_encodable(inner) for inner in value]
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, int) and not -(1 << 63) <= value < 1 << 64:
        return str(value)
    return value


def summary_head(summary: Summary) -> dict[str, Any]:
    """The document without its tasks."""
    account = summary.account
    return {
        "kind": KIND,
        "version": VERSION,
        "layout": account.layout,
        "producer": msgspec.to_builtins(account.producer),
        "options": summary.options,
        "run": msgspec.to_builtins(account.run),
        "counts": msgspec.to_builtins(summary.counts),
        "means": msgspec.to_builtins(account.means),
        "files": msgspec.to_builtins(account.files),
        "skipped": account.skipped,
        "unvalidated": account.unvalidated,
        "stale_files": msgspec.to_builtins(account.stale_files),
        "set_aside": msgspec.to_builtins(account.set_aside),
        "missing_paths": msgspec.to_builtins(account.missing_paths),
        "checks": msgspec.to_builtins(account.checks),
        "findings": msgspec.to_builtins(summary.findings),
        "evidence": msgspec.to_builtins(dict(sorted(account.evidence.items()))),
    }


def _entry_values(entry: TaskEntry) -> dict[str, Any]:
    """What `msgspec.to_builtins` says of an entry, without a copy of its input: many entries share one."""
    values = msgspec.structs.asdict(entry)
    for name in _MAY_BE_UNSET:
        if values[name] is msgspec.UNSET:
            del values[name]
    for name in _NESTED:
        if values[name] is not None:
            values[name] = msgspec.to_builtins(values[name])
    return values


def summary_document(summary: Summary, redact: Callable[[Any], Any] | None = None) -> dict[str, Any]:
    """The whole document as the values that a reader of its bytes gets."""
    return values_of(list(summary_chunks(summary, redact)))


def values_of(chunks: Sequence[bytes], tasks: list[Any] | None = None) -> dict[str, Any]:
    """The values of a document in chunks; with `tasks`, those are taken as they are and their text is not decoded."""
    if tasks is None:
        document: dict[str, Any] = orjson.loads(b"".join(chunks))
        return document
    head: dict[str, Any] = orjson.loads(chunks[0].removesuffix(TASKS_BEGIN) + b"}")
    return {**head, "tasks": tasks}


def summary_chunks(summary: Summary, redact: Callable[[Any], Any] | None = None) -> Iterator[bytes]:
    """The document's bytes, piece by piece, the head first; `redact` is applied to every part before it is encoded."""
    clean = redact or (lambda value: value)
    head = _dumps(clean(summary_head(summary)))
    yield head.removesuffix(b"\n}") + TASKS_BEGIN
    entries = summary.account.entries
    for start in range(0, len(entries), _BATCH):
        # part by part: what moves or redacts one knows the head and single entries
        batch = [clean(_entry_values(entry)) for entry in entries[start : start + _BATCH]]
        # encoded as the whole document would hold them, for the indent; then the frame is taken off
        text = _dumps({"tasks": batch}).removeprefix(_FRAME_BEGINS).removesuffix(_FRAME_ENDS)
        yield b"," + text if start else text
    yield _FRAME_ENDS + b"\n" if entries else b"]\n}\n"
