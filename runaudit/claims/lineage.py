"""Judges `lineage`: a chain of stages, each link present, without a ring, agreeing with its evidence."""

from collections.abc import Iterator

import msgspec

from runaudit.claims.answer import Answer, Unknown, cannot_tell
from runaudit.claims.evidence import Evidence
from runaudit.claims.numbers import Value, match
from runaudit.claims.reading_fields import value_at
from runaudit.claims.statement import Lineage, Stage


class _Wrong(msgspec.Struct, frozen=True):
    """What is wrong with one stage: the two sides, and the document that says otherwise."""

    why: str
    expected: str = ""
    found: str = ""
    path: str | None = None


def lineage(statement: Lineage, evidence: Evidence) -> Answer:
    """Whether the chain stands."""
    held = sum(stage.evidence is not None or stage.data is not None for stage in statement.stages)
    compared = f"{len(statement.stages)} stages with one another, {held} of them with evidence or data"
    chain = _chain(statement)
    wrong = list(_broken(statement, chain))
    unknown: list[Unknown] = []
    for stage in statement.stages:
        for one in (*_data(stage, evidence), *_evidence(statement, stage, evidence)):
            if isinstance(one, Unknown):
                unknown.append(one)
            else:
                wrong.append(one)
    expected = f"{len(statement.stages)} stages from {' or '.join(statement.roots)} to {statement.ends_at}"
    if wrong:
        return Answer(
            word="fails",
            compared=compared,
            expected="; ".join(dict.fromkeys(one.expected for one in wrong if one.expected)) or expected,
            found="; ".join(dict.fromkeys(one.found for one in wrong if one.found)),
            why="; ".join(one.why for one in wrong),
            path=next((one.path for one in wrong if one.path), None),
            outside=tuple(one.outside for one in unknown if one.outside),
        )
    if unknown:
        return cannot_tell(compared, *unknown, expected=expected)
    told = " <- ".join(stage.name for stage in chain)
    return Answer(word="holds", compared=compared, expected=expected, found=f"{told} <- {chain[-1].init}")


def _chain(statement: Lineage) -> list[Stage]:
    """The stages from the last one back, until a root, a gap or a ring."""
    by_output = {stage.output: stage for stage in statement.stages}
    chain: list[Stage] = []
    output = statement.ends_at
    while output in by_output and by_output[output] not in chain:
        chain.append(by_output[output])
        output = chain[-1].init
    return chain


def _broken(statement: Lineage, chain: list[Stage]) -> Iterator[_Wrong]:
    outputs = [stage.output for stage in statement.stages]
    for output in sorted({output for output in outputs if outputs.count(output) > 1}):
        yield _Wrong(f"two stages have the output {output}", f"one stage with output {output}", "two")
    if not chain:
        yield _Wrong(f"no stage has the output {statement.ends_at}", statement.ends_at, "no such output")
        return
    last = chain[-1].init
    if last not in statement.roots:
        why = "the chain is a ring" if last in outputs else f"{chain[-1].name} begins at {last}, which no stage leaves"
        yield _Wrong(why, " or ".join(statement.roots), last)
    else:
        for stage in statement.stages:
            if stage not in chain:
                yield _Wrong(f"{stage.name} is no part of the chain", "one chain", f"{stage.name} beside it")
    for stage in statement.stages:
        if stage.kept is not None and stage.run is not None and stage.kept > stage.run:
            yield _Wrong(
                f"{stage.name} keeps step {stage.kept} of {stage.run}", f"at most {stage.run}", str(stage.kept)
            )


def _data(stage: Stage, evidence: Evidence) -> Iterator[_Wrong | Unknown]:
    """The stage's data file has the digest that is stated for it."""
    if stage.data is None:
        return
    if stage.data_sha256 is None:
        yield Unknown(f"{stage.name}: no digest is stated for {stage.data}")
        return
    found = evidence.sha256(stage.data)
    if isinstance(found, Unknown):
        yield found
    elif (how := match(Value(stage.data_sha256, "stated", printed=True), Value(found, stage.data))) != "equal":
        yield _differs(stage, "data_sha256", stage.data_sha256, found, stage.data, how)


def _evidence(statement: Lineage, stage: Stage, evidence: Evidence) -> Iterator[_Wrong | Unknown]:
    """What the stage's evidence says of the same fields."""
    if stage.evidence is None:
        return
    document = evidence.document(stage.evidence)
    if isinstance(document, Unknown):
        yield document
        return
    for field, at in statement.fields.items():
        stated = getattr(stage, field)
        if stated is None:
            continue
        found = value_at(document, at)
        if isinstance(found, Unknown):
            yield Unknown(f"{stage.evidence}: {found.why}")
        elif (how := match(Value(stated, "stated", printed=True), Value(found, at))) not in ("equal", "other-type"):
            yield _differs(stage, field, stated, found, stage.evidence, how)


def _differs(stage: Stage, field: str, stated: object, found: object, path: str, how: str) -> _Wrong | Unknown:
    if how == "shortened":
        return Unknown(f"{stage.name}: {field} {stated} agrees with {path} only as far as the shorter goes")
    side = f"{stage.name} {field}"
    return _Wrong(f"{side}: {found} ({path}), not {stated}", f"{side} {stated}", f"{side} {found}", path)
