"""Says when a statement proves nothing: no side of it comes from the files, or both sides are one thing.

Such a statement cannot fail, so it does not hold either. Pure.
"""

import posixpath
from collections.abc import Sequence

from runaudit.claims.quantity import Constant, Quantity, Sha256
from runaudit.claims.statement import Contained, Digest, Equal, Identical, Lineage, SameTensors, Stage, Statement


def proves_nothing(statement: Statement) -> str | None:
    """Why the statement could not have failed; None when it could."""
    match statement:
        case Equal(values=values):
            return _of_values(values)
        case Digest(path=path, stated=stated, scheme="sha256"):
            own = all(isinstance(one, Sha256) and _same_place(one.sha256, path) for one in stated)
            return _itself(path) if own else None
        case Identical(paths=(one, other)) | SameTensors(tensors=(one, other)):
            return _itself(one) if _same_place(one, other) else None
        case Contained(rows=rows, within=within):
            own = all(_same_place(one, other) for one, other in zip(rows, within, strict=True))
            return _itself(rows[0]) if own else None
        case Lineage(stages=stages):
            held = any(stage.data or _evident(stage, statement) for stage in stages)
            return None if held else "no stage is held against data or evidence: the chain is only what the claim says"
        case _:
            return None


def _of_values(values: Sequence[Quantity]) -> str | None:
    if all(isinstance(value, Constant) for value in values):
        return "every value is stated, none is taken from the files or added up"
    if all(value == values[0] for value in values):
        return "every value is the same one, held against itself"
    return None


def _evident(stage: Stage, statement: Lineage) -> bool:
    return stage.evidence is not None and any(getattr(stage, field) is not None for field in statement.fields)


def _itself(path: str) -> str:
    return f"{path} is held against itself"


def _same_place(one: str, other: str) -> bool:
    return posixpath.normpath(one) == posixpath.normpath(other)
