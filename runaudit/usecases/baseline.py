"""Replaces a baseline by a candidate: a separate, guarded step, never a side effect of comparing."""

import os
from collections.abc import Iterable

from runaudit.compare.change import Change
from runaudit.compare.tally import Tally
from runaudit.errors import UsageError
from runaudit.usecases.diff import Compared
from runaudit.write.atomic import replace

_MOST_NAMES = 50


class UpdateRefused(UsageError):  # noqa: N818  # a refusal is what it is
    """The verdict does not allow a new baseline."""


def update_baseline(path: str, compared: Compared, *, accept: bool = False) -> tuple[str, ...]:
    """Writes the candidate's summary to `path`, atomically; returns what the new baseline forgets, in lines.

    A link at `path` is replaced; the summary that it led to stays as it was.

    Refused with UpdateRefused while the verdict is not `pass`, unless `accept`. Raises UsageError for several
    candidates and where `path` holds something other than the baseline that was compared, OutputError when it cannot be
    written.
    """
    if len(compared.candidates) != 1:
        raise UsageError("--update-baseline takes one candidate: which of several is the new baseline?")
    candidate = compared.candidates[0]
    real = os.path.realpath(path)
    if real == candidate.path:
        raise UsageError(f"--update-baseline {path}: that is the candidate itself")
    if os.path.isdir(real):
        raise UsageError(f"--update-baseline {path}: name the file, this is a folder")
    known = compared.baseline.path if compared.baseline is not None else None
    if os.path.lexists(path) and real != known:
        raise UsageError(f"--update-baseline {path}: this is not the baseline that was compared; compare with it first")
    word = compared.report.verdict.word
    if word != "pass" and not accept:
        raise UpdateRefused(f"the baseline was not updated: the verdict is {word} (--accept updates it all the same)")
    replace(path, [candidate.content()])
    return (f"{path} now holds the summary of {candidate.name}", *_forgotten(compared))


def _forgotten(compared: Compared) -> Iterable[str]:
    """What the old baseline held that the new one does not: tasks, measured rewards, passes."""
    lost = [line for c in compared.comparisons for change in c.changes if (line := _loss(change)) is not None]
    yield from lost[:_MOST_NAMES]
    if len(lost) > _MOST_NAMES:
        yield f"and {len(lost) - _MOST_NAMES} more"
    if compared.baseline is not None and not lost:
        yield "it forgets nothing: every task is there, scored and passed as often as before"


def _loss(change: Change) -> str | None:
    before, after, name = change.baseline, change.candidate, change.key.name
    if before is None:
        return None
    if after is None:
        return f"it forgets {name}: no longer there"
    if after.scored < before.scored:
        return f"it forgets {before.scored - after.scored} of {before.scored} measured rewards of {name}"
    if _rate(after) < _rate(before):
        return f"it forgets that {name} passed {before.passes} of {before.scored}: now {after.passes} of {after.scored}"
    return None


def _rate(tally: Tally) -> float:
    return (tally.passes or 0) / tally.scored if tally.scored else 0.0
