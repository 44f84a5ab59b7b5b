"""The JSON Schemas of the documents that runaudit writes: in the installed package, else beside it in a checkout."""

import json
import os
from typing import Any

from runaudit.errors import InputError, UsageError
from runaudit.model.suggestion import did_you_mean

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# A wheel carries the schemas inside the package; in a checkout they lie at the top, beside it.
_FOLDERS = (os.path.join(_PACKAGE, "schemas"), os.path.join(os.path.dirname(_PACKAGE), "schemas"))
_END = ".json"


def schema_names() -> tuple[str, ...]:
    """The names of the schemas (`run_summary.v1`), sorted. Raises InputError when the installation holds none."""
    return tuple(sorted(name.removesuffix(_END) for name in os.listdir(_folder()) if name.endswith(_END)))


def schema_text(name: str) -> str:
    """The schema of that name as it stands in its file; without a version (`run_summary`) the newest one.

    Raises UsageError when no schema has the name.
    """
    known = schema_names()
    wanted = name.removesuffix(_END)
    if wanted not in known:
        versions = [other for other in known if other.rpartition(".v")[0] == wanted]
        if not versions:
            hint = did_you_mean(wanted, known) or f"; known: {', '.join(known)}"
            raise UsageError(f"no schema has the name {name!r}{hint}")
        wanted = max(versions, key=_version)
    with open(os.path.join(_folder(), wanted + _END), encoding="utf-8") as file:
        return file.read()


def schema(name: str) -> dict[str, Any]:
    """The schema of that name as values. Raises UsageError when no schema has the name."""
    document: dict[str, Any] = json.loads(schema_text(name))
    return document


def title(name: str) -> str:
    """What the schema describes, in its own words."""
    return str(schema(name).get("title", ""))


def _version(name: str) -> int:
    digits = name.rpartition(".v")[2]
    return int(digits) if digits.isdecimal() else 0


def _folder() -> str:
    for folder in _FOLDERS:
        if os.path.isdir(folder):
            return folder
    raise InputError(f"the schemas are not installed: neither {' nor '.join(_FOLDERS)} is a folder")
