"""Judges `selection`: follows the stated rule round by round, over rows of the stated split only."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

import msgspec

from runaudit.claims.answer import Answer, Unknown, cannot_tell, some
from runaudit.claims.candidates import by_name, metric_of, parted
from runaudit.claims.evidence import Evidence, Row
from runaudit.claims.numbers import Value, match
from runaudit.claims.reading_fields import fits, value_at
from runaudit.claims.statement import Inputs, Round, Selection
from runaudit.claims.tables import table_of

_PLACES = 6


class _Ranked(msgspec.Struct, frozen=True):
    """A candidate with its value in the metric of a round."""

    name: str
    value: Fraction


class _Selected(msgspec.Struct, frozen=True):
    """What came out: the order of the last round, best first."""

    order: tuple[_Ranked, ...]
    metric: str

    @property
    def winner(self) -> str:
        return self.order[0].name

    @property
    def runner_up(self) -> str | None:
        return self.order[1].name if len(self.order) > 1 else None

    @property
    def margin(self) -> Fraction | None:
        return abs(self.order[0].value - self.order[1].value) if len(self.order) > 1 else None


def selection(statement: Selection, evidence: Evidence) -> Answer:
    """Whether the stated rule selects the stated winner, from the stated split alone."""
    split = ", ".join(f"{field} = {value}" for field, value in statement.split.items())
    table = table_of(statement.rows, statement.at, evidence)
    rows = table if isinstance(table, Unknown) else parted(table, statement.split)
    if isinstance(rows, Unknown):
        return cannot_tell(f"the rule, over rows with {split}, against {statement.winner}", rows)
    compared = f"the rule, over the {len(rows.inside)} rows with {split} ({len(rows.outside)} others not read)"
    selected = _select(rows.inside, statement)
    if isinstance(selected, Unknown):
        return cannot_tell(compared, selected, expected=statement.winner)
    reading = _only_split(statement, statement.inputs, evidence) if statement.inputs else []
    wrong = [*_differences(statement, selected), *(one for one in reading if isinstance(one, str))]
    unknown = [one for one in reading if isinstance(one, Unknown)]
    expected, found = _expected(statement), _told(selected)
    if wrong:
        path = statement.rows if isinstance(statement.rows, str) else statement.rows[0]
        return Answer(word="fails", compared=compared, expected=expected, found=found, why=some(wrong), path=path)
    if unknown:
        return cannot_tell(compared, *unknown, expected=expected, found=found)
    notes = _other_readings(statement, selected, (*rows.inside, *rows.outside), rows.inside)
    return Answer(word="holds", compared=compared, expected=expected, found=found, notes=notes)


def _select(rows: Sequence[Row], statement: Selection) -> _Selected | Unknown:
    candidates = by_name(rows, statement.name)
    if isinstance(candidates, Unknown):
        return candidates
    entering = {name for one in statement.rounds for name in one.also}
    if absent := sorted(entering - candidates.keys()):
        return Unknown(f"there are no rows of {absent[0]} in this split")
    pool = [name for name in candidates if name not in entering]
    order: tuple[_Ranked, ...] = ()
    for number, one in enumerate(statement.rounds, 1):
        pool += one.also
        if not pool:
            return Unknown("there are no candidates in this split")
        groups = _groups(pool, candidates, one)
        if isinstance(groups, Unknown):
            return groups
        pool = []
        for members in groups.values():
            ranked = _ranked(members, candidates, one)
            if isinstance(ranked, Unknown):
                return Unknown(f"round {number}: {ranked.why}")
            order = ranked
            pool.append(ranked[0].name)
    if len(pool) > 1:
        return Unknown(f"the last round leaves {len(pool)} winners")
    return _Selected(order=order, metric=_metric(statement.rounds[-1]))


def _groups(pool: Sequence[str], candidates: Mapping[str, list[Row]], one: Round) -> dict[str, list[str]] | Unknown:
    if one.within is None:
        return {"": list(pool)}
    groups: dict[str, list[str]] = {}
    for name in pool:
        values = {str(value_at(row.value, one.within)) for row in candidates[name]}
        if len(values) > 1 or isinstance(value_at(candidates[name][0].value, one.within), Unknown):
            return Unknown(f"{name} has no single {one.within}")
        groups.setdefault(values.pop(), []).append(name)
    return groups


def _ranked(names: Sequence[str], candidates: Mapping[str, list[Row]], one: Round) -> tuple[_Ranked, ...] | Unknown:
    """The candidates, best first. An Unknown for a tie at the top: the rule does not say who wins then."""
    found = []
    for name in names:
        value = metric_of(name, candidates[name], _metric(one), one.weights)
        if isinstance(value, Unknown):
            return value
        found.append(_Ranked(name, value))
    found.sort(key=lambda ranked: (ranked.value if one.least else -ranked.value, ranked.name))
    if len(found) > 1 and found[0].value == found[1].value:
        return Unknown(f"{found[0].name} and {found[1].name} are tied in {_metric(one)}")
    return tuple(found)


def _metric(one: Round) -> str:
    return one.least or one.greatest or ""


def _only_split(statement: Selection, inputs: Inputs, evidence: Evidence) -> list[str | Unknown]:
    """What the selector says it read: an entry for each file with a row of another split, or that is not known."""
    document = evidence.document(inputs.json)
    listed = document if isinstance(document, Unknown) else value_at(document, inputs.at)
    if isinstance(listed, Unknown):
        return [listed]
    paths = (
        [value_at(one, "path") if isinstance(one, Mapping) else one for one in listed]
        if isinstance(listed, list)
        else []
    )
    if not paths or not all(isinstance(path, str) for path in paths):
        return [Unknown(f"{inputs.json}: {inputs.at} is no list of paths")]
    told: list[str | Unknown] = []
    for path in paths:
        table = table_of(path, None, evidence)
        if isinstance(table, Unknown):
            told.append(table)
            continue
        others = [row for row in table.rows if fits(row.value, statement.split) is not True]
        if others:
            told.append(f"{path}:{others[0].number} is of another split, and {inputs.json} says that it was read")
    return told


def _differences(statement: Selection, selected: _Selected) -> list[str]:
    wrong = []
    if selected.winner != statement.winner:
        wrong.append(f"the rule selects {selected.winner}, not {statement.winner}")
    elif statement.runner_up is not None and selected.runner_up != statement.runner_up:
        wrong.append(f"the runner-up is {selected.runner_up}, not {statement.runner_up}")
    if statement.margin is not None and not wrong:
        margin = Value(selected.margin, "the margin")
        if match(Value(statement.margin, "stated", printed=True), margin) in ("different", "shortened"):
            wrong.append(f"the margin is {_number(selected.margin)}, not {statement.margin}")
    return wrong


def _other_readings(
    statement: Selection, selected: _Selected, every: Sequence[Row], inside: Sequence[Row]
) -> tuple[str, ...]:
    """What other readings of the rule would select, where it is something else: how much the reading matters."""
    notes = []
    anywhere = _select(every, statement)
    if isinstance(anywhere, _Selected) and anywhere.winner != selected.winner:
        notes.append(f"over the rows of every split the rule would select {anywhere.winner}")
    if len(statement.rounds) > 1:
        last = msgspec.structs.replace(statement.rounds[-1], also=())
        at_once = _select(inside, msgspec.structs.replace(statement, rounds=(last,)))
        if isinstance(at_once, _Selected) and at_once.winner != selected.winner:
            notes.append(f"the last round alone would select {at_once.winner}")
    return tuple(notes)


def _expected(statement: Selection) -> str:
    parts = [f"winner {statement.winner}"]
    parts += [f"runner-up {statement.runner_up}"] if statement.runner_up else []
    parts += [f"margin {statement.margin}"] if statement.margin is not None else []
    return ", ".join(parts)


def _told(selected: _Selected) -> str:
    told = f"winner {selected.winner} ({selected.metric} {_number(selected.order[0].value)})"
    if selected.runner_up is None:
        return f"{told}, no runner-up"
    second = f"runner-up {selected.runner_up} ({_number(selected.order[1].value)})"
    return f"{told}, {second}, margin {_number(selected.margin)}"


def _number(value: Fraction | None) -> str:
    return "none" if value is None else f"{round(float(value), _PLACES):g}"
