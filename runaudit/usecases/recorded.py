"""Takes out of a stored summary what a rebuild needs: its options, and the decisions that stand."""

from collections.abc import Mapping
from typing import Any

from runaudit.errors import InputError
from runaudit.judge.integrity import listed_files
from runaudit.layouts.base import Layout
from runaudit.model.digest import Digest
from runaudit.model.request import DEFAULT_MOST_ROW, Recorded, Request

# of an entry: what its key is made of, and of which kinds
_IDENTITY = ("shard", "stage", "task_index", "repeat", "task_id", "server", "agent")
_OF_A_KEY = frozenset((str, int, bool, type(None)))
# asked in this order: nearly every object is a dict, and the abstract class is slow to ask
_OBJECT = (dict, Mapping)


def recorded_of(document: Mapping[str, Any], layout: Layout) -> Recorded:
    """The decisions of a summary."""
    tasks = [task for task in _list(document.get("tasks")) if is_entry(task)]
    stale, aside = (_digests(document.get(name)) for name in ("stale_files", "set_aside"))
    listed = {
        path: _digest(told.get("digest"))
        for path, told in listed_files(document).items()
        if path not in stale and path not in aside
    }
    told = _told(document)
    return Recorded(
        log_folders={layout.entry_key(task): _text(task.get("verifier_logs")) for task in tasks},
        stale=stale,
        set_aside=aside,
        listed=listed,
        selected=tuple(tasks) if "expected" in told else None,
    )


def request_of(document: Mapping[str, Any], layout: Layout, **more: Any) -> Request:
    """The request that a rebuild of this summary makes, with its own recorded options."""
    options = _mapping(document.get("options"))
    run, files, told = (_mapping(document.get("run")), _mapping(document.get("files")), _told(document))
    digest = options.get("digest")
    pass_at, most = options.get("pass_at"), options.get("max_row")
    dataset = _mapping(run.get("dataset"))
    return Request(
        resumed=run.get("resumed") if isinstance(run.get("resumed"), bool) else None,
        split=_text(options.get("split")) or "validation",
        rows=_text(files.get("rows")) if "rows" in told else None,
        run_config=_text(files.get("run_config")) if "run_config" in told else None,
        unvalidated=_reasons(document.get("unvalidated")) if "unvalidated" in told else None,
        skipped=_reasons(document.get("skipped")) if "skipped" in told else None,
        target=_text(run.get("target")) if "target" in told else None,
        taskset=_text(run.get("taskset")) if "taskset" in told else None,
        agent=_first(run.get("agents")) if "agent" in told else None,
        dataset=_text(dataset.get("name")) if "dataset" in told else None,
        digest=digest if digest in ("xxh3", "sha256") else None,
        pass_at=pass_at if isinstance(pass_at, (int, float)) and not isinstance(pass_at, bool) else None,
        messages=options.get("messages") is not False,
        max_row=most if isinstance(most, int) and not isinstance(most, bool) and most > 0 else DEFAULT_MOST_ROW,
        recorded=recorded_of(document, layout),
        **more,
    )


def is_entry(value: Any) -> bool:
    """Whether a value of `tasks` is an entry whose key can be taken: an object whose identity is text and numbers."""
    if not isinstance(value, _OBJECT):
        return False
    kinds = set(map(type, map(value.get, _IDENTITY)))
    return kinds <= _OF_A_KEY


def digest_in(evidence: Any) -> Digest | None:
    """The digest that a piece of evidence states, None when there is none that parses."""
    text = _digest(evidence.get("digest")) if isinstance(evidence, Mapping) else None
    return None if text is None else Digest.parse(text)


def left_out_of(document: Mapping[str, Any]) -> frozenset[str]:
    """Dotted fields of the document that a rebuild cannot recheck, because they were told or redacted."""
    options, told = _mapping(document.get("options")), _told(document)
    names = {"run.resumed", "run.selected_from"}
    names |= {f"run.{name}" for name in ("target", "taskset") if name in told}
    names |= {"run.agents"} if "agent" in told else set()
    names |= {"run.dataset.name"} if "dataset" in told else set()
    names |= {name for name in ("unvalidated", "skipped") if name in told}
    if "expected" in told:
        names |= {"input", "run.task_source", "run.request"}
    if options.get("redacted"):
        names |= {"missing_paths", "input", "failure", "run", "checks"}
    return frozenset(names)


def _told(document: Mapping[str, Any]) -> set[str]:
    return {item for item in _list(_mapping(document.get("options")).get("told")) if isinstance(item, str)}


def _digests(value: Any) -> dict[str, str | None]:
    return {
        item["path"]: _digest(item.get("digest"))
        for item in _list(value)
        if isinstance(item, Mapping) and isinstance(item.get("path"), str)
    }


def _digest(value: Any) -> str | None:
    """A digest that parses; a summary that somebody else wrote may hold anything."""
    try:
        return str(Digest.parse(value)) if isinstance(value, str) else None
    except InputError:
        return None


def _reasons(value: Any) -> dict[str, str]:
    return {str(key): str(reason) for key, reason in _mapping(value).items()}


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _first(value: Any) -> str | None:
    return _text(value[0]) if isinstance(value, list) and value else None


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
