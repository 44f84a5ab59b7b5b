"""Judges `gate`: the nominated candidate passes every threshold together, each rejected one fails at least one."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

import msgspec

from runaudit.claims.answer import Answer, Unknown, cannot_tell, some
from runaudit.claims.candidates import by_name
from runaudit.claims.evidence import Evidence, Row
from runaudit.claims.numbers import number_of
from runaudit.claims.reading_fields import value_at
from runaudit.claims.statement import Gate, Threshold
from runaudit.claims.tables import table_of


class _Passage(msgspec.Struct, frozen=True):
    """How a candidate stands at the gate: the thresholds it misses, and those that cannot be told."""

    missed: tuple[str, ...]
    unknown: tuple[Unknown, ...]


def gate(statement: Gate, evidence: Evidence) -> Answer:
    """Whether the joint gate decides as stated."""
    table = table_of(statement.rows, statement.at, evidence)
    candidates = table if isinstance(table, Unknown) else by_name(table.rows, [statement.name])
    bounds = "; ".join(_bound(one) for one in statement.thresholds)
    if isinstance(candidates, Unknown):
        return cannot_tell(f"{statement.nominated} and the rejected against {bounds}", candidates)
    rejected = statement.rejected or tuple(
        name for name in candidates if name not in (statement.nominated, *statement.ignored)
    )
    compared = f"{statement.nominated} and {len(rejected)} rejected against {bounds}"
    passages = {name: _passage(name, candidates, statement.thresholds) for name in (statement.nominated, *rejected)}
    wrong, unknown = _judged(statement.nominated, rejected, passages)
    expected = f"{statement.nominated} passes, each of {len(rejected)} rejected fails one"
    found = "; ".join(f"{name} {_told(passage)}" for name, passage in passages.items())
    if wrong:
        path = table.paths[0] if not isinstance(table, Unknown) else None
        return Answer(word="fails", compared=compared, expected=expected, found=found, why=some(wrong), path=path)
    if not rejected:
        unknown = (*unknown, Unknown("there is no rejected candidate"))
    if unknown:
        return cannot_tell(compared, *unknown, expected=expected, found=found)
    return Answer(word="holds", compared=compared, expected=expected, found=found)


def _judged(
    nominated: str, rejected: Sequence[str], passages: Mapping[str, _Passage]
) -> tuple[list[str], tuple[Unknown, ...]]:
    wrong = [f"{nominated} misses {missed}" for missed in passages[nominated].missed]
    unknown = [*passages[nominated].unknown]
    for name in rejected:
        passage = passages[name]
        if passage.missed:
            continue
        if passage.unknown:
            unknown += passage.unknown
        else:
            wrong.append(f"{name} was rejected and passes every threshold")
    return wrong, tuple(unknown)


def _passage(name: str, candidates: Mapping[str, Sequence[Row]], thresholds: Sequence[Threshold]) -> _Passage:
    rows = candidates.get(name, ())
    if len(rows) != 1:
        return _Passage((), (Unknown(f"{name} has {len(rows) or 'no'} rows, expected one"),))
    missed: list[str] = []
    unknown: list[Unknown] = []
    for threshold in thresholds:
        found = value_at(rows[0].value, threshold.metric)
        number = None if isinstance(found, Unknown) else number_of(found)
        if number is None:
            why = found.why if isinstance(found, Unknown) else f"{threshold.metric} is no number"
            unknown.append(Unknown(f"{name}: {why}"))
        elif not _passes(number, threshold):
            missed.append(f"{_bound(threshold)} (has {found})")
    return _Passage(tuple(missed), tuple(unknown))


def _passes(number: Fraction, threshold: Threshold) -> bool:
    about = Fraction(threshold.about)
    if threshold.at_least is not None and number < Fraction(threshold.at_least) - about:
        return False
    return threshold.at_most is None or number <= Fraction(threshold.at_most) + about


def _bound(threshold: Threshold) -> str:
    about = f" within {threshold.about}" if threshold.about else ""
    bounds = [f"at least {threshold.at_least}"] if threshold.at_least is not None else []
    bounds += [f"at most {threshold.at_most}"] if threshold.at_most is not None else []
    return f"{threshold.metric} {' and '.join(bounds)}{about}"


def _told(passage: _Passage) -> str:
    if passage.missed:
        return f"misses {', '.join(passage.missed)}"
    return "cannot be told" if passage.unknown else "passes"
