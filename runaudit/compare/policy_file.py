"""Reads a policy from TOML. Every key and value is checked; an unknown one is refused with the nearest known name.

Numbers stay decimal: `max_drop = 0.1` is one tenth, not the double next to it.
"""

import hashlib
import tomllib
from collections.abc import Iterable, Mapping
from decimal import Decimal
from difflib import get_close_matches
from typing import Any, NoReturn, TypeVar

from runaudit.compare.change import CLASSES
from runaudit.compare.metric_names import is_metric, known_metrics
from runaudit.compare.policy import Margin, Policy, Require, TaskRule
from runaudit.errors import UsageError
from runaudit.model.finding import LEVELS

_T = TypeVar("_T")
_SECTIONS = ("require", "fail", "metrics", "findings", "tasks")


def parse(data: bytes, source: str) -> Policy:
    """The policy in `data`, with its digest. Raises UsageError naming the file, the place and what is known there."""
    try:
        document = tomllib.loads(data.decode("utf-8"), parse_float=Decimal)
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"policy {source}: no TOML: {error}") from error
    reader = _Reader(source)
    reader.only(document, _SECTIONS, "")
    fail = reader.table(document, "fail", ("on", "significant"))
    findings = reader.table(document, "findings", ("fail_level",))
    on = fail.get("on")
    return Policy(
        require=_require(reader, document),
        fail_on=None if on is None else tuple(reader.words(on, "fail.on", CLASSES)),
        significant=reader.number(fail, "significant", "fail", 0, 1),
        metrics=_metrics(reader, document),
        fail_level=reader.word(findings["fail_level"], "findings.fail_level", LEVELS) if findings else None,
        tasks=_tasks(reader, document),
        source=source,
        digest=f"sha256:{hashlib.sha256(data).hexdigest()}",
    )


def _require(reader: "_Reader", document: Mapping[str, Any]) -> Require:
    table = reader.table(document, "require", ("comparable", "coverage", "repeats"))
    repeats = table.get("repeats")
    if repeats is not None and (type(repeats) is not int or repeats < 1):
        reader.refuse("require.repeats", f"expected a whole number from 1, found {repeats!r}")
    return Require(
        comparable=bool(reader.flag(table, "comparable", "require")),
        coverage=reader.number(table, "coverage", "require", 0, 1),
        repeats=repeats,
    )


def _metrics(reader: "_Reader", document: Mapping[str, Any]) -> dict[str, Margin]:
    margins = {}
    for name, value in reader.mapping(document.get("metrics", {}), "metrics").items():
        where = f"metrics.{name}"
        if not is_metric(name):
            reader.refuse(where, f"no such metric{_nearest(name, known_metrics())}")
        bounds = reader.mapping(value, where)
        reader.only(bounds, ("min", "max", "max_drop", "max_rise"), where)
        margins[name] = Margin(
            min=reader.number(bounds, "min", where),
            max=reader.number(bounds, "max", where),
            max_drop=reader.number(bounds, "max_drop", where, 0),
            max_rise=reader.number(bounds, "max_rise", where, 0),
        )
    return margins


def _tasks(reader: "_Reader", document: Mapping[str, Any]) -> tuple[TaskRule, ...]:
    value = document.get("tasks", [])
    # One table is one rule for all tasks; TOML has either that or the list.
    rules = [value] if isinstance(value, dict) else value
    if not isinstance(rules, list):
        reader.refuse("tasks", "expected [tasks] or [[tasks]]")
    found = []
    for number, rule in enumerate(rules, 1):
        where = f"tasks ({number})"
        table = reader.mapping(rule, where)
        reader.only(table, ("match", "max_drop", "quarantine"), where)
        pattern = table.get("match", "*")
        if not isinstance(pattern, str):
            reader.refuse(f"{where}.match", f"expected a shell pattern, found {pattern!r}")
        drop = reader.number(table, "max_drop", where, 0)
        found.append(TaskRule(match=pattern, max_drop=drop, quarantine=reader.flag(table, "quarantine", where)))
    return tuple(found)


class _Reader:
    """Checks values of one policy file and refuses them by place."""

    def __init__(self, source: str) -> None:
        self._source = source

    def refuse(self, where: str, what: str) -> NoReturn:
        """Raises UsageError."""
        raise UsageError(f"policy {self._source}: {where}: {what}")

    def only(self, table: Mapping[str, Any], known: Iterable[str], where: str) -> None:
        """Refuses a key that is not known."""
        names = tuple(known)
        for key in table:
            if key not in names:
                self.refuse(f"{where}.{key}" if where else key, f"unknown key{_nearest(key, names)}")

    def mapping(self, value: Any, where: str) -> Mapping[str, Any]:
        """A table."""
        if not isinstance(value, dict):
            self.refuse(where, f"expected a table, found {value!r}")
        checked: dict[str, Any] = value
        return checked

    def table(self, document: Mapping[str, Any], name: str, known: Iterable[str]) -> Mapping[str, Any]:
        """A section of the file, empty when it is not there."""
        table = self.mapping(document.get(name, {}), name)
        self.only(table, known, name)
        return table

    def number(
        self, table: Mapping[str, Any], key: str, where: str, least: int | None = None, most: int | None = None
    ) -> Decimal | None:
        """A finite number within the bounds; None when it is not there."""
        value = table.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | Decimal) or not Decimal(value).is_finite():
            self.refuse(f"{where}.{key}", f"expected a number, found {value!r}")
        number = Decimal(value)
        if (least is not None and number < least) or (most is not None and number > most):
            self.refuse(f"{where}.{key}", f"expected {_range(least, most)}, found {number}")
        return number

    def flag(self, table: Mapping[str, Any], key: str, where: str) -> bool | None:
        """True, false, or None when it is not there."""
        value = table.get(key)
        if value is not None and not isinstance(value, bool):
            self.refuse(f"{where}.{key}", f"expected true or false, found {value!r}")
        checked: bool | None = value
        return checked

    def word(self, value: Any, where: str, known: Iterable[_T]) -> _T:
        """One of the known words."""
        names = tuple(known)
        if value not in names:
            self.refuse(where, f"unknown word {value!r}{_nearest(str(value), [str(n) for n in names])}")
        return names[names.index(value)]

    def words(self, value: Any, where: str, known: Iterable[_T]) -> list[_T]:
        """A list of known words."""
        if not isinstance(value, list):
            self.refuse(where, f"expected a list of words, found {value!r}")
        names = tuple(known)
        return [self.word(item, where, names) for item in value]


def _range(least: int | None, most: int | None) -> str:
    return f"a number from {least}" if most is None else f"a number between {least} and {most}"


def _nearest(name: str, known: Iterable[str]) -> str:
    names = list(known)
    near = get_close_matches(name, names, n=1, cutoff=0.5)
    return f"; did you mean {near[0]}?" if near else f"; known here: {', '.join(names)}"
