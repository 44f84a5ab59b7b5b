"""Finds a value inside a decoded JSON document: by JSON pointer (RFC 6901) or by dotted path."""

from collections.abc import Mapping
from typing import Any

from runaudit.claims.answer import Unknown


def value_at(value: Any, at: str) -> Any:
    """The value at a pointer that begins with a slash, or at a dotted path; the whole value for an empty one.

    An Unknown when nothing stands there, or when an object on the way states the key twice. A dotted path prefers a key
    that holds the dots itself.
    """
    if at.startswith("/"):
        steps = [step.replace("~1", "/").replace("~0", "~") for step in at[1:].split("/")]
        return _walk(value, steps, at)
    if isinstance(value, Mapping) and at in value:
        return _step(value, at, at)
    return _walk(value, at.split("."), at) if at else value


def _walk(value: Any, steps: list[str], at: str) -> Any:
    for step in steps:
        value = _step(value, step, at)
        if isinstance(value, Unknown):
            return value
    return value


def _step(value: Any, step: str, at: str) -> Any:
    if isinstance(value, Mapping):
        if step not in value:
            return Unknown(f"there is no {at}{_keys(value)}")
        if twice := getattr(value, "values_of", {}).get(step):
            return Unknown(f"{at}: {step!r} is stated twice: {', '.join(str(one)[:40] for one in twice)}")
        return value[step]
    if isinstance(value, list) and step.isascii() and step.isdigit() and int(step) < len(value):
        return value[int(step)]
    return Unknown(f"there is no {at}")


def _keys(value: Mapping[str, Any]) -> str:
    found = ", ".join(str(key)[:40] for key in list(value)[:8])
    return f" (keys there: {found})" if found else ""


def fits(value: Any, where: Mapping[str, Any]) -> bool | Unknown:
    """Whether a row has the stated values (one of them, where a list is stated); an Unknown when a key stands twice."""
    for at, wanted in where.items():
        found = value_at(value, at)
        if isinstance(found, Unknown):
            if "stated twice" in found.why:
                return found
            return False
        allowed = wanted if isinstance(wanted, list | tuple) else [wanted]
        if not any(found == one and isinstance(found, bool) == isinstance(one, bool) for one in allowed):
            return False
    return True
