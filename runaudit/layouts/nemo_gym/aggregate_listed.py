"""Row by row: an entry that lists the rows it was computed from, against the rows on disk."""

from collections.abc import Iterator

from msgspec import UNSET

from runaudit.layouts.nemo_gym.aggregate_context import Context, Outcome
from runaudit.layouts.nemo_gym.aggregate_means import mean_findings
from runaudit.layouts.nemo_gym.aggregate_members import NO_TRACE, Ghost, row_reward
from runaudit.layouts.nemo_gym.aggregate_numbers import numbers, same, text
from runaudit.layouts.nemo_gym.aggregate_shape import Info, Key
from runaudit.model.finding import Finding


def check_listed(context: Context, infos: tuple[Info, ...]) -> Outcome:
    """Holds every listed row against the row of its key, every row against the list, and the means against the list."""
    findings: list[Finding] = []
    imputed: dict[Key, Ghost] = {}
    for info in infos:
        result = _check_info(context, info)
        if isinstance(result, Finding):
            findings.append(result)
        elif result is not None:
            imputed[info.key] = result
    listed = {info.key for info in infos}
    findings += missed_rows(context, [key for key in context.members.kept if key not in listed])
    findings += _partly(context, imputed, listed)
    findings += mean_findings(context, [(info.key, info.reward) for info in infos], grouped=True)
    not_placed = sum(_may_be_unplaced(context, info) for info in infos) if context.unplaced else 0
    return Outcome(
        findings=tuple(findings),
        imputed=imputed,
        extra=len(imputed),
        n=len(numbers([info.reward for info in infos])),
        not_compared=f"{not_placed} of its rows may be among those without a key" if not_placed else None,
    )


def missed_rows(context: Context, keys: list[Key]) -> list[Finding]:
    """A finding for each row that counts and did not enter the aggregate."""
    return [
        context.finding(
            "aggregate-misses-row",
            f"line {context.members.kept[key].line} of the rollouts is not among the rows it was computed from",
            key=key,
            expected=row_reward(context.members.kept[key]),
            found="absent",
        )
        for key in sorted(keys)
    ]


def _check_info(context: Context, info: Info) -> Finding | Ghost | None:
    """What is wrong with a listed row; the ghost where it is counted without a row; None where it is the row's."""
    known = context.members
    if info.key in known.left_out:
        return context.finding(
            "aggregate-masking-differs",
            "it counts a row that is marked as no valid measurement",
            key=info.key,
            expected="absent",
            found=info.reward,
        )
    row = known.kept.get(info.key)
    if row is not None and same(row_reward(row), info.reward):
        return None
    rows = known.free.get(info.key, ()) if row is None else (row,)
    if not rows:
        return _check_ghost(context, info)
    if any(row.contradicts or same(row_reward(row), info.reward) for row in rows):
        return None
    return context.finding(
        "aggregate-row-differs",
        f"the reward that entered is not the one in line {rows[0].line} of the rollouts",
        key=info.key,
        expected=row_reward(rows[0]),
        found=info.reward,
    )


def _check_ghost(context: Context, info: Info) -> Finding | Ghost | None:
    if not context.sidecars and same(info.reward, 0.0):
        return Ghost(None, 0.0)
    ghost = context.members.ghosts.get(info.key)
    if ghost is not None and same(info.reward, ghost.reward) and (ghost.tokens or not info.tokens):
        return ghost
    if _may_be_unplaced(context, info):
        return None
    if info.tokens:
        return context.finding(
            "aggregate-row-vanished",
            "it holds token counts of a row that is gone",
            key=info.key,
            expected="absent",
            found=info.reward,
        )
    if ghost is not None:
        return context.finding(
            "aggregate-row-vanished",
            f"it holds a reward that no rule counts for a key without a row ({ghost.kind or NO_TRACE})",
            key=info.key,
            expected=ghost.reward,
            found=info.reward,
        )
    return context.finding(
        "aggregate-foreign-row",
        "it counts a key that is neither a row nor owed nor failed",
        key=info.key,
        expected="absent",
        found=info.reward,
    )


def _may_be_unplaced(context: Context, info: Info) -> bool:
    known = context.members
    return context.unplaced > 0 and not any(
        info.key in keys for keys in (known.kept, known.free, known.left_out, known.ghosts)
    )


def _partly(context: Context, imputed: dict[Key, Ghost], listed: set[Key]) -> Iterator[Finding]:
    """A failure class is counted whole or not at all, and so are the keys without a trace."""
    if context.unplaced:
        return
    for kind in sorted({ghost.kind for ghost in imputed.values() if ghost.kind is not None}):
        whole = sorted(key for key, ghost in context.members.ghosts.items() if ghost.kind == kind)
        left_out = [key for key in whole if key not in listed]
        if left_out:
            yield context.finding(
                "aggregate-imputed-partly",
                f"of {len(whole)} keys without a row ({kind}) only {len(whole) - len(left_out)} are counted",
                key=left_out[0],
                expected=text(context.members.ghosts[left_out[0]].reward),
                found=UNSET,
            )
