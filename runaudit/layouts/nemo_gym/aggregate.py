"""Holds the aggregate metrics against the rows, by the rules that the producer has. Pure.

A mean over all rows is the wrong test: masked rows, keys counted as zero, several servers and several agents make it
false on clean runs. Each entry is held against its own rows, and against nothing else.
"""

from collections import Counter
from collections.abc import Sequence

from msgspec import UNSET

from runaudit.layouts.nemo_gym.aggregate_account import ServerMeans, imputed_note, server_means
from runaudit.layouts.nemo_gym.aggregate_context import Context, Outcome
from runaudit.layouts.nemo_gym.aggregate_entries import Distribution, distribute, names_of
from runaudit.layouts.nemo_gym.aggregate_listed import check_listed, missed_rows
from runaudit.layouts.nemo_gym.aggregate_members import key_of, members, row_reward, standing_row
from runaudit.layouts.nemo_gym.aggregate_numbers import number, text
from runaudit.layouts.nemo_gym.aggregate_shape import Entry, read_entry
from runaudit.layouts.nemo_gym.aggregate_unlisted import check_unlisted
from runaudit.layouts.nemo_gym.slot import Slot
from runaudit.model.finding import Finding

__all__ = ["ServerMeans", "check"]

# far more servers than any run has; every entry costs time for every key that no entry can be found for
_MOST_ENTRIES = 1024


def check(
    entries: object, slots: Sequence[Slot], *, path: str, sidecars: bool, unplaced: int
) -> tuple[tuple[Finding, ...], tuple[ServerMeans, ...]]:
    """Findings about the decoded aggregate at `path`, and for each entry the two means with what sets them apart.

    `sidecars` is False for a merged file: nothing says then which keys were owed or failed. `unplaced` counts rows
    that no key could be given to. Whatever `entries` is, nothing raises.
    """
    if not isinstance(entries, list) or len(entries) > _MOST_ENTRIES:
        return (_not_a_list(entries, path),), ()
    read = [read_entry(value, position) for position, value in enumerate(entries, 1)]
    shares = distribute(read, slots)
    findings = _strangers(read, shares, path)
    means = []
    with_rows = Counter(key_of(slot) for slot in slots if slot.rows)
    for entry, own in zip(read, shares.own, strict=True):
        context = Context(
            entry=entry,
            members=members(entry, own, shares.loose, with_rows),
            path=path,
            sidecars=sidecars,
            unplaced=unplaced,
        )
        outcome = _outcome(context, shares)
        account = server_means(context, own, outcome)
        findings += [*outcome.findings, *_notes(context, outcome, account)]
        means.append(account)
    return tuple(findings), tuple(means)


def _not_a_list(entries: object, path: str) -> Finding:
    length = f"{len(entries)} entries" if isinstance(entries, list) else text(entries)
    return Finding(
        id="aggregate-unreadable",
        message="it is no list of entries, one for each server",
        path=path,
        expected=f"a list of at most {_MOST_ENTRIES} entries",
        found=length,
    )


def _outcome(context: Context, shares: Distribution) -> Outcome:
    entry, known = context.entry, context.members
    if entry.failed:
        return Outcome((context.finding("aggregate-failed", "the producer wrote an error in its place"),))
    if entry.unread is not None and entry.wrong_shape:
        return Outcome((context.finding("aggregate-unreadable", entry.unread),))
    reason = entry.unread
    if reason is None and shares.nameless:
        reason = f"{len(shares.nameless)} rows name neither a server nor an agent"
    if reason is None and known.twice is not None:
        reason = f"task {known.twice[0]}, repeat {known.twice[1]} has rows in several shards or stages"
    if reason is not None:
        return Outcome((), not_compared=reason)
    return _compared(context)


def _compared(context: Context) -> Outcome:
    entry = context.entry
    masking = _masked_count(context)
    if entry.infos is not None:
        outcome = check_listed(context, entry.infos)
    elif not entry.groups and number(entry.mean) is None and (entry.masking == "counted" or entry.rubric):
        # the producer states only how much was left out when nothing is left to measure
        outcome = Outcome(tuple(missed_rows(context, list(context.members.kept))), n=0)
    else:
        outcome = check_unlisted(context)
    return Outcome((*masking, *outcome.findings), outcome.imputed, outcome.extra, outcome.n, outcome.not_compared)


def _masked_count(context: Context) -> tuple[Finding, ...]:
    entry, known = context.entry, context.members
    stated = number(entry.masked)
    if entry.masking != "counted" or context.unplaced:
        return ()
    if stated is not None and known.masked <= stated <= known.masked + known.masked_unknown:
        return ()
    return (
        context.finding(
            "aggregate-masking-differs",
            "it left out another number of masked rows than the rollouts have",
            expected=known.masked,
            found=entry.masked,
        ),
    )


def _notes(context: Context, outcome: Outcome, account: ServerMeans) -> list[Finding]:
    notes = []
    if outcome.not_compared is not None:
        notes.append(context.finding("aggregate-not-checked", outcome.not_compared))
    elif context.entry.mean is UNSET and outcome.n:
        notes.append(context.finding("aggregate-not-checked", "it states no mean reward"))
    if outcome.extra:
        notes.append(imputed_note(context, outcome, account))
    return notes


def _strangers(read: Sequence[Entry], shares: Distribution, path: str) -> list[Finding]:
    """Rows whose server or agent has no entry; one whose rows are all masked has one, too.

    Where an entry does not say whose it is, it may be theirs.
    """
    if any(entry.server is None and entry.agent is None for entry in read):
        return []
    findings = []
    slots = shares.strangers if read else [*shares.strangers, *shares.nameless]
    for slot in slots:
        row = standing_row(slot.rows) or slot.rows[0]
        name = next((name for name in names_of(slot) if name), None)
        findings.append(
            Finding(
                id="aggregate-misses-row",
                message=f"no entry is of {name or 'any server'}, which line {row.line} of the rollouts names",
                path=path,
                task_index=slot.task_index,
                repeat=slot.repeat,
                expected=text(row_reward(row)),
                found="absent",
            )
        )
    return findings
