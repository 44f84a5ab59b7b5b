"""Understands a claims file: a decoded TOML document becomes statements, or an error that names the place.

Keys that are not known are refused with the one that was probably meant. What a statement needs besides its types
(two values to compare, one direction for each round) is checked here, so that the rules can rely on it.
"""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

import msgspec

from runaudit.claims.quantity import LEADING, tagged
from runaudit.claims.statement import (
    ID,
    KINDS,
    Adapter,
    ClaimsFile,
    Contained,
    Equal,
    Gate,
    Identical,
    Lineage,
    Round,
    SameTensors,
    Selection,
    Stage,
    Statement,
    Threshold,
    Unchecked,
    Weights,
)
from runaudit.errors import UsageError
from runaudit.model.suggestion import did_you_mean

VERSION = 1
_TOP = ("version", "card", "claims", "unchecked")
_QUANTITIES = {"equal": "values", "digest": "stated"}
_LISTS = {"contained": ("rows", "within")}
_NESTED: dict[str, dict[str, type[msgspec.Struct]]] = {
    "lineage": {"stages": Stage},
    "selection": {"rounds": Round},
    "gate": {"thresholds": Threshold},
}


def parse(document: Mapping[str, Any], source: str) -> ClaimsFile:
    """The statements of a document. Raises UsageError, naming file, claim and field."""
    _known(document, _TOP, source)
    version = document.get("version")
    if version != VERSION or isinstance(version, bool):
        raise UsageError(f"{source}: version: expected {VERSION}, found {version!r}")
    card = document.get("card")
    if card is not None and not isinstance(card, str):
        raise UsageError(f"{source}: card: expected a path, found {card!r}")
    statements = [
        _statement(table, f"{source}: claim {number}", source)
        for number, table in enumerate(_tables(document, "claims", source), 1)
    ]
    ids = [statement.id for statement in statements]
    if doubled := next((one for one in ids if ids.count(one) > 1), None):
        raise UsageError(f"{source}: two claims have the id {doubled!r}")
    unchecked = [
        _unchecked(table, f"{source}: unchecked {number}")
        for number, table in enumerate(_tables(document, "unchecked", source), 1)
    ]
    return ClaimsFile(statements=tuple(statements), card=card, unchecked=tuple(unchecked))


def _tables(document: Mapping[str, Any], key: str, source: str) -> Sequence[Mapping[str, Any]]:
    tables = document.get(key, [])
    if not isinstance(tables, list) or not all(isinstance(table, Mapping) for table in tables):
        raise UsageError(f"{source}: {key}: expected tables [[{key}]]")
    return tables


def _unchecked(table: Mapping[str, Any], where: str) -> Unchecked:
    _known(table, _names(Unchecked), where)
    sentence: Unchecked = _converted(table, Unchecked, where)
    return sentence


def _statement(table: Mapping[str, Any], where: str, source: str) -> Statement:
    name, kind = table.get("id"), table.get("kind")
    if isinstance(name, str):
        where = f"{source}: claim {name!r}"
    if not isinstance(name, str) or not ID.match(name):
        raise UsageError(f"{where}: id: expected lower-case letters, digits, '.', '_' and '-', found {name!r}")
    if not isinstance(kind, str) or kind not in KINDS:
        guess = did_you_mean(str(kind), KINDS)
        raise UsageError(f"{where}: kind: expected one of {', '.join(KINDS)}, found {kind!r}{guess}")
    form = KINDS[kind]
    _known(table, ("kind", *_names(form)), where)
    statement: Statement = _converted(_prepared(table, kind, where), form, where)
    if not statement.sentence.strip():
        raise UsageError(f"{where}: sentence: expected the sentence of the card that the claim stands for")
    _check(statement, where)
    _check_says_something(statement, where)
    return statement


def _prepared(table: Mapping[str, Any], kind: str, where: str) -> dict[str, Any]:
    """The table with quantities tagged, single paths as lists, and the keys of nested tables checked."""
    made = dict(table)
    if key := _QUANTITIES.get(kind):
        stated = made.get(key)
        listed = stated if isinstance(stated, list) else [] if stated is None else [stated]
        for number, quantity in enumerate(listed, 1):
            _check_quantity(quantity, f"{where}: {key}, number {number}")
        made[key] = [tagged(quantity) for quantity in listed]
    for key in _LISTS.get(kind, ()):
        if isinstance(made.get(key), str):
            made[key] = [made[key]]
    for key, form in _NESTED.get(kind, {}).items():
        entries = made.get(key)
        for number, nested in enumerate(entries if isinstance(entries, list) else [], 1):
            if isinstance(nested, Mapping):
                _known(nested, _names(form), f"{where}: {key}, number {number}")
                if isinstance(weights := nested.get("weights"), Mapping):
                    _known(weights, _names(Weights), f"{where}: {key}, number {number}: weights")
    return made


def _check_quantity(stated: Any, where: str) -> None:
    if isinstance(stated, list):
        if not stated:
            raise UsageError(f"{where}: a sum of nothing")
        for term in stated:
            _check_quantity(term, where)
    elif isinstance(stated, Mapping):
        leading = [key for key in LEADING if key in stated]
        if len(leading) != 1:
            guess = did_you_mean(next(iter(stated), ""), LEADING)
            raise UsageError(f"{where}: expected exactly one of {', '.join(LEADING)}, found {', '.join(stated)}{guess}")
        _known(stated, _names(LEADING[leading[0]]), where)
    elif not isinstance(stated, str | int | Decimal) or (isinstance(stated, Decimal) and not stated.is_finite()):
        raise UsageError(f"{where}: expected a text, a finite number, true or false, found {stated}")


def _check(statement: Statement, where: str) -> None:
    match statement:
        case Equal(values=values) if len(values) < 2:  # noqa: PLR2004  # one value agrees with itself
            raise UsageError(f"{where}: values: expected at least two, the first as the card states it")
        case Equal(about=about) if about is not None and about < 0:
            raise UsageError(f"{where}: about: expected a tolerance of 0 or more, found {about}")
        case Contained(rows=rows, within=within) if not rows or len(rows) != len(within):
            raise UsageError(f"{where}: rows and within: expected equally many paths, at least one")
        case Gate(thresholds=thresholds):
            if not thresholds or any(one.at_least is None and one.at_most is None for one in thresholds):
                raise UsageError(f"{where}: thresholds: expected at least one, each with at_least or at_most")
            if below := next((one for one in thresholds if one.about < 0), None):
                raise UsageError(f"{where}: thresholds: {below.metric}: about: expected 0 or more, found {below.about}")
        case Selection():
            _check_selection(statement, where)
        case _:
            if getattr(statement, "stated", True) == () or getattr(statement, "stages", True) == ():
                raise UsageError(f"{where}: expected at least one entry")


def _check_says_something(statement: Statement, where: str) -> None:
    """Refuses what would hold whatever the files are."""
    match statement:
        case Identical(paths=pair) | SameTensors(tensors=pair) if pair[0] == pair[1]:
            raise UsageError(f"{where}: both paths are {pair[0]}, which agrees with itself")
        case Contained(rows=rows, within=within) if any(map(str.__eq__, rows, within)):
            raise UsageError(f"{where}: rows and within: a file contains itself")
        case Adapter(rank=None, targets=(), without=(), saved=()):
            raise UsageError(f"{where}: expected at least one of rank, targets, without, saved")
        case Lineage(fields=fields, stages=stages) if not fields and any(stage.evidence for stage in stages):
            raise UsageError(f"{where}: fields: expected where the evidence of a stage holds what is stated")
        case _:
            return


def _check_selection(statement: Selection, where: str) -> None:
    if not statement.rounds or any((one.least is None) == (one.greatest is None) for one in statement.rounds):
        raise UsageError(f"{where}: rounds: expected at least one, each with either least or greatest")
    if not statement.name or not statement.split:
        raise UsageError(f"{where}: name and split: expected at least one field each")
    if statement.rounds[-1].within is not None:
        raise UsageError(f"{where}: rounds: the last round selects one, it has no within")


def _known(table: Mapping[str, Any], known: Iterable[str], where: str) -> None:
    names = list(known)
    for key in table:
        if key not in names:
            hint = did_you_mean(key, names) or f"; known are {', '.join(names)}"
            raise UsageError(f"{where}: unknown key {key!r}{hint}")


def _names(form: type[msgspec.Struct]) -> tuple[str, ...]:
    return tuple(field.encode_name for field in msgspec.structs.fields(form))


def _converted(table: Mapping[str, Any], form: Any, where: str) -> Any:
    try:
        return msgspec.convert(table, form)
    except msgspec.ValidationError as error:
        raise UsageError(f"{where}: {error}") from None
