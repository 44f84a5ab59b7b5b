"""Which task and repeat an entry of a document is about, as far as its values can be trusted."""

from collections.abc import Mapping
from typing import Any

_LARGEST = 1 << 63


def whereabouts(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Task index, repeat and task id for a finding; None where the entry holds something of another type."""
    task_id = entry.get("task_id")
    return {
        "task_index": _index(entry.get("task_index")),
        "repeat": _index(entry.get("repeat")),
        "task_id": task_id if isinstance(task_id, str) else None,
    }


def _index(value: Any) -> int | None:
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value if whole and -_LARGEST <= value < _LARGEST else None
