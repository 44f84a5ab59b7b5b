"""The configuration's TOML, key by key, into values. What is not understood is refused, never skipped.

`docs/configuration.md` describes the format.
"""

from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import Any

from runaudit.errors import UsageError
from runaudit.judge.levels import EVERYWHERE
from runaudit.model.configuration import Configuration, KnownFinding
from runaudit.model.finding import LEVELS, Definition, Level
from runaudit.model.suggestion import did_you_mean

_TOP = ("levels", "known")
_KNOWN = ("id", "path", "reason", "expires")


def parse(
    table: Mapping[str, Any], file: str, registry: Mapping[str, Definition], *, digest: str | None = None
) -> Configuration:
    """The configuration in a decoded table.

    Raises UsageError that names the file, the key, what was expected and what was found.
    """

    def refuse(key: str, sentence: str) -> UsageError:
        return UsageError(f"{file}: {key}: {sentence}")

    _only(table, _TOP, "", refuse)
    levels = table.get("levels", {})
    if not isinstance(levels, dict):
        raise refuse("levels", f"expected a table of levels by finding id, found {_shown(levels)}")
    known = table.get("known", [])
    if not isinstance(known, list):
        raise refuse("known", f"expected an array of tables ([[known]]), found {_shown(known)}")
    return Configuration(
        levels={name: _level(name, level, registry, refuse) for name, level in levels.items()},
        known=tuple(_known(entry, f"known[{place}]", registry, refuse) for place, entry in enumerate(known)),
        file=file,
        digest=digest,
    )


_Refuse = Callable[[str, str], UsageError]


def _only(table: Mapping[str, Any], names: tuple[str, ...], prefix: str, refuse: _Refuse) -> None:
    for key in table:
        if key not in names:
            hint = did_you_mean(key, names) or f"; known keys: {', '.join(names)}"
            raise refuse(f"{prefix}{key}", f"unknown key{hint}")


def _level(name: str, level: Any, registry: Mapping[str, Definition], refuse: _Refuse) -> Level:
    _id(name, f"levels.{name}", registry, refuse)
    for known in LEVELS:
        if level == known:
            return known
    hint = did_you_mean(level, LEVELS) if isinstance(level, str) else ""
    raise refuse(f"levels.{name}", f"expected {', '.join(LEVELS)}, found {_shown(level)}{hint}")


def _known(entry: Any, where: str, registry: Mapping[str, Definition], refuse: _Refuse) -> KnownFinding:
    if not isinstance(entry, dict):
        raise refuse(where, f"expected a table, found {_shown(entry)}")
    _only(entry, _KNOWN, f"{where}.", refuse)
    name = _text(entry, "id", where, refuse)
    _id(name, f"{where}.id", registry, refuse)
    expires = entry.get("expires")
    if not isinstance(expires, date) or isinstance(expires, datetime):
        raise refuse(f"{where}.expires", f"expected a date (2027-01-31, without quotes), found {_shown(expires)}")
    return KnownFinding(
        id=name,
        path=_text(entry, "path", where, refuse) if "path" in entry else EVERYWHERE,
        reason=_text(entry, "reason", where, refuse),
        expires=expires,
    )


def _text(entry: Mapping[str, Any], key: str, where: str, refuse: _Refuse) -> str:
    value = entry.get(key)
    if not isinstance(value, str) or not value.strip():
        raise refuse(f"{where}.{key}", f"expected a text, found {_shown(value)}")
    return value


def _id(name: str, where: str, registry: Mapping[str, Definition], refuse: _Refuse) -> None:
    definition = registry.get(name)
    if definition is None:
        raise refuse(where, f"no finding has the id {name!r}{did_you_mean(name, registry)}")
    if definition.level is None:
        raise refuse(where, f"{name} stops the command and has no level to change")


def _shown(value: Any) -> str:
    return "nothing" if value is None else repr(value)[:80]
