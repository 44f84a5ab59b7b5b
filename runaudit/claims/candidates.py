"""Candidates of a selection: rows gathered by name, and the value that each has in a metric."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import msgspec

from runaudit.claims.answer import Unknown
from runaudit.claims.evidence import Row
from runaudit.claims.numbers import number_of
from runaudit.claims.reading_fields import fits, value_at
from runaudit.claims.statement import Weights
from runaudit.claims.tables import Table


class Parted(msgspec.Struct, frozen=True):
    """Rows of the stated split, and the others."""

    inside: tuple[Row, ...]
    outside: tuple[Row, ...]


def parted(table: Table, split: Mapping[str, Any]) -> Parted | Unknown:
    """The rows by whether they are of the split. An Unknown when a row does not say of which split it is."""
    inside: list[Row] = []
    outside: list[Row] = []
    for row in table.rows:
        for field in split:
            if isinstance(found := value_at(row.value, field), Unknown):
                return Unknown(f"{row.path}:{row.number}: {found.why}")
        (inside if fits(row.value, split) is True else outside).append(row)
    return Parted(tuple(inside), tuple(outside))


def by_name(rows: Sequence[Row], fields: Sequence[str]) -> dict[str, list[Row]] | Unknown:
    """The rows of each candidate, whose name is the values of the fields joined by `/`."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        parts = [value_at(row.value, field) for field in fields]
        if missing := next((part for part in parts if isinstance(part, Unknown)), None):
            return Unknown(f"{row.path}:{row.number}: {missing.why}")
        found.setdefault("/".join(map(str, parts)), []).append(row)
    return found


def metric_of(name: str, rows: Sequence[Row], metric: str, weights: Weights | None) -> Fraction | Unknown:
    """The mean of a metric over a candidate's rows, or the weighted sum of the means of its parts."""
    if weights is None:
        return _mean(name, rows, metric)
    added = Fraction(0)
    for part, share in weights.shares.items():
        weight = number_of(share)
        members = [row for row in rows if str(value_at(row.value, weights.by)) == part]
        mean = _mean(f"{name}, {part}", members, metric)
        if weight is None:
            return Unknown(f"the share of {part} is no number: {share}")
        if isinstance(mean, Unknown):
            return mean
        added += weight * mean
    return added


def _mean(name: str, rows: Sequence[Row], metric: str) -> Fraction | Unknown:
    if not rows:
        return Unknown(f"{name}: no rows with {metric}")
    added = Fraction(0)
    for row in rows:
        found = value_at(row.value, metric)
        number = None if isinstance(found, Unknown) else number_of(found)
        if number is None:
            why = found.why if isinstance(found, Unknown) else f"{metric} is no number"
            return Unknown(f"{name}: {row.path}:{row.number}: {why}")
        added += number
    return added / len(rows)
