"""Lists of tasks that were told or found: unvalidated (no reference solution) and skipped (did not load)."""

from collections.abc import Mapping
from typing import Any

from runaudit.errors import InputError
from runaudit.model.finding import Finding
from runaudit.model.trouble import Trouble
from runaudit.read.documents import read_json
from runaudit.read.places import Sight


def reasons_in(value: Any, path: str, default: str) -> dict[str, str]:
    """A mapping of task id to reason, from an object, or from a list of ids that share one reason.

    Raises InputError when it is neither.
    """
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return {key: inner if isinstance(inner, str) else default for key, inner in sorted(value.items())}
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return dict.fromkeys(sorted(value), default)
    raise InputError(f"{path}: expected an object of task id to reason, or a list of task ids")


def read_reasons(sight: Sight, path: str, default: str) -> dict[str, str]:
    """The mapping in a file that the caller named. Raises InputError when it cannot be read."""
    document = read_json(sight, strict_keys=True)
    if isinstance(document, Trouble):
        raise InputError(f"{path}: {document.message}")
    return reasons_in(document.value, path, default)


def found_reasons(sight: Sight, path: str, default: str, findings: list[Finding]) -> dict[str, str]:
    """The mapping in a file that was found, not told: what cannot be read becomes a finding."""
    try:
        return read_reasons(sight, path, default)
    except InputError as error:
        findings.append(Finding(id="document-unreadable", message=str(error).removeprefix(f"{path}: "), path=path))
        return {}
