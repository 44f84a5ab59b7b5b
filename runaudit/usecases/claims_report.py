"""The report on a claims file: an entry for each claim, the sentences that nobody checked, findings, verdict."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import msgspec

from runaudit.claims.answer import Answer, Word
from runaudit.claims.statement import Digest, Equal, Statement
from runaudit.model.check import Check
from runaudit.model.configuration import Configuration
from runaudit.model.finding import Finding, Level
from runaudit.model.report import Case, Outcome, Report
from runaudit.usecases.conclude import conclude
from runaudit.usecases.registry import definitions

KIND = "claims_check"
VERSION = 1
_OUTCOMES: dict[str, Outcome] = {"holds": "pass", "fails": "fail", "cannot tell": "could-not-judge"}


class Answered(msgspec.Struct, frozen=True):
    """A statement, the answer to it, and its line in the claims file."""

    statement: Statement
    answer: Answer
    line: int | None = None


class Unlooked(msgspec.Struct, frozen=True):
    """A sentence that nobody checked, why, and where the card has it."""

    sentence: str
    why: str
    path: str | None = None
    line: int | None = None


class Judging(msgspec.Struct, frozen=True):
    """What turns answers into a verdict. `unknown_is_fine`: claims that cannot be told may pass."""

    unknown_is_fine: bool
    allow_empty: bool
    fail_on: Level | None
    configuration: Configuration
    today: date


def findings_of(answered: Sequence[Answered], unlooked: Sequence[Unlooked], name: str) -> tuple[Finding, ...]:
    """One finding for each claim that fails, each path that leaves the folder, each sentence that nobody checked."""
    found: list[Finding] = []
    for one in answered:
        if one.answer.word == "fails":
            found.append(_failed(one, name))
        found += [
            Finding(
                id="outside-root",
                message=f"claim {one.statement.id} names {path}, which leads out of the folder and was not opened",
                path=name,
                line=one.line,
            )
            for path in one.answer.outside
        ]
    found += [
        Finding(id="claim-unchecked", message=f"{one.sentence} ({one.why})", path=one.path or name, line=one.line)
        for one in unlooked
    ]
    return tuple(found)


def _failed(one: Answered, name: str) -> Finding:
    why = f": {one.answer.why}" if one.answer.why else ""
    about = f" (see {one.answer.path})" if one.answer.path else ""
    return Finding(
        id="claim-fails",
        message=f"{one.statement.id}{why}{about}; the card: {one.statement.sentence}",
        path=name,
        line=one.line,
        expected=one.answer.expected,
        found=one.answer.found,
    )


def report_of(
    subject: str,
    answered: Sequence[Answered],
    unlooked: Sequence[Unlooked],
    findings: Sequence[Finding],
    card: Check,
    judging: Judging,
) -> Report:
    """The whole report. A claim that cannot be told is a check that was not made."""
    open_claims = tuple(
        Check(
            name=f"claim {one.statement.id}",
            made=False,
            reason=f"claim-cannot-tell: {one.answer.why}",
            belongs=not judging.unknown_is_fine,
        )
        for one in answered
        if one.answer.word == "cannot tell"
    )
    words = Counter(one.answer.word for one in answered)
    checks = (Check(name="claims", made=True, count=len(answered)), card, *open_claims)
    concluded = conclude(
        findings,
        checks,
        registry=definitions(),
        configuration=judging.configuration,
        today=judging.today,
        judged=len(answered),
        fail_on=judging.fail_on,
        allow_empty=judging.allow_empty,
        verifying=True,
    )
    counts = {"holds": words["holds"], "fails": words["fails"], "cannot_tell": words["cannot tell"]}
    return Report(
        kind=KIND,
        version=VERSION,
        subject=subject,
        verdict=concluded.verdict,
        checks=checks,
        findings=concluded.findings,
        body={
            "counts": {**counts, "unchecked": len(unlooked)},
            "claims": [_entry(one) for one in answered],
            "unchecked": [{"sentence": one.sentence, "why": one.why} for one in unlooked],
        },
        headline=(_headline(len(answered), words, len(unlooked)),),
        sections=(("claims", tuple(_line(one) for one in answered)),),
        cases=tuple(_case(one) for one in answered),
        configuration=concluded.configuration,
        fail_on=judging.fail_on,
    )


def _headline(claims: int, words: Mapping[Word, int], unlooked: int) -> str:
    answers = f"{words['holds']} hold, {words['fails']} fail, {words['cannot tell']} cannot be told"
    return f"{claims} claims: {answers}; unchecked sentences: {unlooked}"


def _entry(one: Answered) -> dict[str, Any]:
    answer = one.answer
    return {
        "id": one.statement.id,
        "sentence": one.statement.sentence,
        "answer": answer.word,
        "compared": answer.compared,
        "expected": answer.expected,
        "found": answer.found,
        "why": answer.why,
        "notes": list(answer.notes),
    }


def _line(one: Answered) -> str:
    """One line: the answer, what was compared with what, and the two sides or the reason."""
    answer = one.answer
    told = f"{answer.word}: {one.statement.id}: "
    # the sides of these two name their sources themselves
    sides = isinstance(one.statement, Equal | Digest)
    notes = "".join(f" ({note})" for note in answer.notes)
    if answer.word == "cannot tell":
        return f"{told}{answer.compared}: {answer.why}"
    if sides:
        return f"{told}{answer.expected} against {answer.found}{notes}"
    if answer.word == "fails":
        return f"{told}{answer.compared}: expected {answer.expected}, found {answer.found}"
    return f"{told}{answer.compared}: {answer.found}{notes}"


def _case(one: Answered) -> Case:
    answer = one.answer
    message = "" if answer.word == "holds" else f"{one.statement.sentence}\n{_line(one)}"
    return Case(suite="claims", name=one.statement.id, outcome=_OUTCOMES[answer.word], message=message)
