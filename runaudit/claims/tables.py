"""Rows that a statement speaks of, from JSONL files or a list inside a JSON document, and what is counted in them."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import msgspec

from runaudit.claims.answer import Unknown
from runaudit.claims.evidence import Evidence, Row
from runaudit.claims.numbers import Value, number_of
from runaudit.claims.quantity import Rows
from runaudit.claims.reading_fields import fits, value_at

_WILD = ("*", "?")


class Table(msgspec.Struct, frozen=True):
    """Rows in order, and the names of the files that they come from."""

    rows: tuple[Row, ...]
    paths: tuple[str, ...]


def table_of(rows: str | Sequence[str], at: str | None, evidence: Evidence) -> Table | Unknown:
    """All rows of the named files. An Unknown when a file or a single row of it cannot be read."""
    paths = _paths(rows, evidence)
    if isinstance(paths, Unknown):
        return paths
    held: list[Row] = []
    for path in paths:
        for row in evidence.rows(path) if at is None else _entries(path, at, evidence):
            if isinstance(row, Unknown):
                return row
            held.append(row)
    return Table(rows=tuple(held), paths=tuple(paths))


def _paths(rows: str | Sequence[str], evidence: Evidence) -> Sequence[str] | Unknown:
    found: list[str] = []
    for name in [rows] if isinstance(rows, str) else rows:
        if not any(mark in name for mark in _WILD):
            found.append(name)
            continue
        matching = evidence.files(name)
        if isinstance(matching, Unknown):
            return matching
        if not matching:
            return Unknown(f"no file matches {name}")
        found += matching
    return list(dict.fromkeys(found))


def _entries(path: str, at: str, evidence: Evidence) -> Iterator[Row | Unknown]:
    document = evidence.document(path)
    listed = document if isinstance(document, Unknown) else value_at(document, at)
    if isinstance(listed, Unknown):
        yield listed if listed is document else Unknown(f"{path}: {listed.why}")
    elif isinstance(listed, Mapping):
        yield from (Row(path, number, b"", value) for number, value in enumerate(listed.values(), 1))
    elif isinstance(listed, list):
        yield from (Row(path, number, b"", value) for number, value in enumerate(listed, 1))
    else:
        yield Unknown(f"{path}: {at} is neither a list nor an object")


def selected(table: Table, where: Mapping[str, Any]) -> tuple[Row, ...] | Unknown:
    """The rows that fit."""
    kept: list[Row] = []
    for row in table.rows:
        fitting = fits(row.value, where)
        if isinstance(fitting, Unknown):
            return Unknown(f"{row.path}:{row.number}: {fitting.why}")
        if fitting:
            kept.append(row)
    return tuple(kept)


def counted(quantity: Rows, evidence: Evidence) -> Value | Unknown:
    """What a quantity counts in its rows."""
    table = table_of(quantity.rows, quantity.at, evidence)
    rows = table if isinstance(table, Unknown) else selected(table, quantity.where)
    if isinstance(table, Unknown) or isinstance(rows, Unknown):
        return table if isinstance(table, Unknown) else Unknown(getattr(rows, "why", ""))
    if trouble := _twice(rows, quantity) or _nowhere(table, quantity):
        return trouble
    counted_value = _measured(rows, quantity)
    if isinstance(counted_value, Unknown):
        return counted_value
    return Value(counted_value, said(quantity), path=table.paths[0] if table.paths else None)


def _twice(rows: Sequence[Row], quantity: Rows) -> Unknown | None:
    fields = [field for field in (quantity.having, quantity.distinct, quantity.total) if field]
    for row in rows:
        for field in fields:
            found = value_at(row.value, field)
            if isinstance(found, Unknown) and "stated twice" in found.why:
                return Unknown(f"{row.path}:{row.number}: {found.why}")
    return None


def _nowhere(table: Table, quantity: Rows) -> Unknown | None:
    """A field that no row has: nothing was counted by it, which is not the same as none."""
    for field in [*quantity.where, *([quantity.distinct] if quantity.distinct else [])]:
        if table.rows and all(isinstance(value_at(row.value, field), Unknown) for row in table.rows):
            return Unknown(f"no row of {', '.join(table.paths)} has a field {field}")
    return None


def _measured(rows: Sequence[Row], quantity: Rows) -> int | Decimal | Fraction | Unknown:
    if quantity.having is not None:
        rows = [row for row in rows if has_value(value_at(row.value, quantity.having))]
    if quantity.distinct is not None:
        values = (value_at(row.value, quantity.distinct) for row in rows)
        return len({repr(value) for value in values if has_value(value)})
    if quantity.total is not None:
        return _total(rows, quantity.total)
    return len(rows)


def _total(rows: Sequence[Row], field: str) -> int | Fraction | Unknown:
    added = Fraction(0)
    for row in rows:
        number = number_of(value_at(row.value, field))
        if number is None:
            return Unknown(f"{row.path}:{row.number}: {field} is no number")
        added += number
    return int(added) if added.denominator == 1 else added


def has_value(value: Any) -> bool:
    """Whether a field says something: it is there, is not null and not empty."""
    return not isinstance(value, Unknown) and value is not None and value not in ("", [], {})


def said(quantity: Rows) -> str:
    """What is counted, in words."""
    names = quantity.rows if isinstance(quantity.rows, str) else ", ".join(quantity.rows)
    place = f"{names} at {quantity.at}" if quantity.at else names
    what = "rows"
    if quantity.distinct is not None:
        what = f"distinct {quantity.distinct}"
    elif quantity.total is not None:
        what = f"sum of {quantity.total}"
    conditions = [f"{field} = {_allowed(value)}" for field, value in quantity.where.items()]
    conditions += [f"{quantity.having} present"] if quantity.having else []
    return f"{what} of {place}" + (f" where {', '.join(conditions)}" if conditions else "")


def _allowed(value: Any) -> str:
    return " or ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
