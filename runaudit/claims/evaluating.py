"""Answers one statement, whichever of the ten kinds it is."""

from runaudit.claims.adapters import adapter
from runaudit.claims.agreeing import digest, equal
from runaudit.claims.answer import Answer, Unknown, cannot_tell
from runaudit.claims.copies import contained, identical, same_tensors
from runaudit.claims.evidence import Evidence
from runaudit.claims.gating import gate
from runaudit.claims.lineage import lineage
from runaudit.claims.receipts import pairs
from runaudit.claims.selecting import selection
from runaudit.claims.statement import (
    Adapter,
    Contained,
    Digest,
    Equal,
    Gate,
    Identical,
    Lineage,
    Pairs,
    SameTensors,
    Selection,
    Statement,
)
from runaudit.claims.substance import proves_nothing


def evaluate(statement: Statement, evidence: Evidence) -> Answer:
    """The answer to a statement. What could not have failed does not hold."""
    answer = _answer(statement, evidence)
    if answer.word == "holds" and (why := proves_nothing(statement)):
        return cannot_tell(answer.compared, Unknown(why), expected=answer.expected, found=answer.found)
    return answer


def _answer(statement: Statement, evidence: Evidence) -> Answer:  # noqa: C901  # one line for each kind
    match statement:
        case Digest():
            return digest(statement, evidence)
        case Identical():
            return identical(statement, evidence)
        case Equal():
            return equal(statement, evidence)
        case Contained():
            return contained(statement, evidence)
        case Pairs():
            return pairs(statement, evidence)
        case Adapter():
            return adapter(statement, evidence)
        case SameTensors():
            return same_tensors(statement, evidence)
        case Lineage():
            return lineage(statement, evidence)
        case Selection():
            return selection(statement, evidence)
        case Gate():
            return gate(statement, evidence)
