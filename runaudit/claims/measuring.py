"""The value of a quantity, and where it was found."""

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

from runaudit.claims.adapters import rank_of
from runaudit.claims.answer import Unknown
from runaudit.claims.evidence import Evidence
from runaudit.claims.numbers import Value, number_of
from runaudit.claims.quantity import (
    BLANK,
    Constant,
    Field,
    Files,
    Quantity,
    Quoted,
    Rank,
    Rows,
    Sha256,
    Total,
)
from runaudit.claims.reading_fields import value_at
from runaudit.claims.tables import counted

SUMMARY_KIND = "run_summary"
SUMMARY_VERSION = 1


def measure(quantity: Quantity, evidence: Evidence) -> Value | Unknown:
    """The value of a quantity; an Unknown when something that it needs cannot be read."""
    match quantity:
        case Constant(value):
            return Unknown("the author left this blank") if value == BLANK else Value(value, "stated", printed=True)
        case Total(terms):
            return _sum(terms, evidence)
        case Field():
            return _field(quantity, evidence)
        case Rows():
            return counted(quantity, evidence)
        case Files(pattern):
            found = evidence.files(pattern)
            return found if isinstance(found, Unknown) else Value(len(found), f"files {pattern}")
        case Sha256(path):
            digest = evidence.sha256(path)
            return digest if isinstance(digest, Unknown) else Value(digest, f"SHA-256 of {path}", path=path)
        case Rank(path):
            return _rank(path, evidence)
        case Quoted():
            return _quoted(quantity, evidence)


def _sum(terms: tuple[Quantity, ...], evidence: Evidence) -> Value | Unknown:
    values = [measure(term, evidence) for term in terms]
    for value in values:
        if isinstance(value, Unknown):
            return value
    known = [value for value in values if isinstance(value, Value)]
    numbers = [number_of(value.value) for value in known]
    added = Fraction(0)
    for value, number in zip(known, numbers, strict=True):
        if number is None:
            return Unknown(f"{value.text} ({value.source}) is no number and cannot be added")
        added += number
    printed = all(value.printed for value in known)
    total: Any = int(added) if added.denominator == 1 and not any(_inexact(value.value) for value in known) else added
    if printed and any(isinstance(value.value, Decimal) for value in known):
        total = sum((Decimal(str(value.value)) for value in known), Decimal(0))
    source = " + ".join(value.text if value.printed else f"{value.text} ({value.source})" for value in known)
    return Value(total, source, printed=printed, path=next((value.path for value in known if value.path), None))


def _inexact(value: Any) -> bool:
    return isinstance(value, float | Fraction)


def _field(quantity: Field, evidence: Evidence) -> Value | Unknown:
    document = evidence.document(quantity.json)
    if isinstance(document, Unknown):
        return document
    return _at(document, quantity.json, quantity.at, length=quantity.length)


def _at(document: Any, path: str, at: str, *, length: bool = False) -> Value | Unknown:
    value = value_at(document, at)
    if isinstance(value, Unknown):
        return Unknown(f"{path}: {value.why}")
    if length:
        if not isinstance(value, list | Mapping):
            return Unknown(f"{path}: {at} is neither a list nor an object")
        if twice := getattr(value, "values_of", {}):
            return Unknown(f"{path}: {at} states {next(iter(twice))!r} twice")
        return Value(len(value), f"{path}, entries at {at or 'the top'}", path=path)
    if value is None or isinstance(value, list | Mapping):
        found = "null" if value is None else "a list or object"
        return Unknown(f"{path}: {at} is {found}, no single value")
    if not isinstance(value, str | bool | int | float):
        return Unknown(f"{path}: {at} is not a finite number")
    return Value(value, f"{path} at {at}", path=path)


def _rank(path: str, evidence: Evidence) -> Value | Unknown:
    file = evidence.tensors(path)
    rank = file if isinstance(file, Unknown) else rank_of(file, path)
    return rank if isinstance(rank, Unknown) else Value(rank, f"rank of the tensors in {path}", path=path)


def _quoted(quantity: Quoted, evidence: Evidence) -> Value | Unknown:
    document = evidence.document(quantity.summary)
    if isinstance(document, Unknown):
        return document
    kind = document.get("kind") if isinstance(document, Mapping) else None
    if kind != SUMMARY_KIND:
        return Unknown(f"{quantity.summary} is no run summary")
    version = document.get("version")
    if version != SUMMARY_VERSION:
        return Unknown(
            f"{quantity.summary} is a run summary of version {version}, this runaudit reads {SUMMARY_VERSION}"
        )
    return _at(document, quantity.summary, quantity.at)
