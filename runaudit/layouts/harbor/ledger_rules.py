"""What the ledger states as fact: attempts that vanished, were replaced or retried, and results that were edited.

Each recorded state is held against the next one, and the last against what is there now. An attempt that Harbor retried
within one session is no loss of evidence: its cost is kept here and said.
"""

from collections.abc import Iterator

import msgspec

from runaudit.layouts.harbor.ledger import ATTEMPT, Attempt, Entry, Ledger
from runaudit.layouts.harbor.names import LEDGER
from runaudit.layouts.harbor.rewards import equal, shown
from runaudit.model.finding import Finding, Level

_CANCELLED = "CancelledError"


class Loss(msgspec.Struct, frozen=True):
    """An attempt that a later state does not have; `instead` has its name there, if any has."""

    old: Attempt
    instead: Attempt | None = None


class Story(msgspec.Struct, frozen=True):
    """What became of the recorded attempts."""

    lost: tuple[Loss, ...] = ()
    edited: tuple[tuple[Attempt, Attempt], ...] = ()
    retried: tuple[tuple[Attempt, Attempt], ...] = ()


def story_of(ledger: Ledger, now: list[Attempt]) -> Story:
    """What became of every attempt that the ledger knows, up to the state `now`."""
    known: dict[str, Attempt] = {}
    session: dict[str, Attempt] = {}
    lost: dict[str, Loss] = {}
    edited: dict[str, tuple[Attempt, Attempt]] = {}
    retried: list[tuple[Attempt, Attempt]] = []
    for entry in (*ledger.entries, Entry("summary", 0, tuple(now))):
        if entry.event == ATTEMPT:
            for attempt in entry.attempts:
                earlier = session.get(attempt.name)
                if earlier is not None and earlier.key != attempt.key:
                    retried.append((earlier, attempt))
                    known.pop(earlier.key, None)
                session[attempt.name] = known[attempt.key] = attempt
            continue
        state = {attempt.key: attempt for attempt in entry.attempts}
        by_name = {attempt.name: attempt for attempt in entry.attempts}
        for key, old in known.items():
            new = state.get(key) or _unreadable(old, by_name.get(old.name))
            if new is None:
                lost.setdefault(key, Loss(old, by_name.get(old.name)))
            elif _differ(old, new):
                edited.setdefault(key, (old, new))
        known = {key: _with_reward(known.get(key), attempt) for key, attempt in state.items()}
        session = {} if entry.event == "start" else session
    return Story(tuple(lost.values()), tuple(edited.values()), tuple(retried))


def _unreadable(old: Attempt, new: Attempt | None) -> Attempt | None:
    """The trial of that name when it states no id any more: the same folder, damaged or rewritten."""
    return new if new is not None and new.id is None and old.id is not None else None


def _with_reward(old: Attempt | None, new: Attempt) -> Attempt:
    """The newer sight of an attempt, at the line where it was first recorded."""
    return new if old is None else msgspec.structs.replace(new, line=new.line or old.line)


def _differ(old: Attempt, new: Attempt) -> bool:
    if old.rewards != new.rewards and not equal(old.rewards, new.rewards):
        return True
    if old.result is not None and new.result is not None and old.result != new.result:
        return True
    return any(new.reward_files.get(path, digest) != digest for path, digest in old.reward_files.items())


def ledger_findings(ledger: Ledger, now: list[Attempt], *, retries: bool) -> Iterator[Finding]:
    """The story as findings. `retries` says whether the job may retry: then a failed attempt can go by design."""
    story = story_of(ledger, now)
    for loss in story.lost:
        yield _loss(loss, retries=retries)
    for old, new in story.edited:
        same = equal(old.rewards, new.rewards) or old.rewards == new.rewards
        what = "its content is another one" if same else f"it says {shown(new.rewards)} now"
        yield Finding(
            "result-edited",
            f"{old.name} was recorded with {shown(old.rewards)}; {what}",
            path=f"{old.name}/result.json",
            task_id=old.task,
            expected=shown(old.rewards) if not same else old.result,
            found=shown(new.rewards) if not same else new.result,
        )
    for old, _ in story.retried:
        yield Finding(
            "attempts-retried",
            f"{old.name}: an attempt ended with {old.exception or shown(old.rewards)} and was run again{_spent(old)}",
            path=LEDGER,
            line=old.line or None,
            task_id=old.task,
        )
    for line in ledger.damaged:
        yield Finding("ledger-damaged", "the line is no entry of a ledger", path=LEDGER, line=line)
    if ledger.newer:
        yield Finding("ledger-damaged", "entries of a newer version were not read", path=LEDGER)


def _loss(loss: Loss, *, retries: bool) -> Finding:
    old, new = loss.old, loss.instead
    level: Level | None = None
    if old.rewards is None and (old.exception == _CANCELLED or (retries and old.exception is not None)):
        level = "note"  # Harbor itself removes cancelled trials at a resume, and failed ones before a retry
    after = f"; another attempt took its place with {shown(new.rewards)}" if new is not None else "; it is gone"
    failed = f" and {old.exception}" if old.exception else ""
    return Finding(
        "attempt-vanished" if new is None else "attempt-replaced",
        f"{old.name} was recorded with {shown(old.rewards)}{failed}{after}",
        path=LEDGER,
        line=old.line or None,
        task_id=old.task,
        expected=shown(old.rewards),
        found="no trial" if new is None else shown(new.rewards),
        level=level,
    )


def _spent(old: Attempt) -> str:
    parts = [
        f"{value} {what}"
        for value, what in ((old.tokens.input, "input tokens"), (old.tokens.output, "output tokens"))
        if value is not None
    ]
    if old.tokens.cost is not None:
        parts.append(f"{old.tokens.cost:.10g} USD")
    return f" ({', '.join(parts)})" if parts else ""
