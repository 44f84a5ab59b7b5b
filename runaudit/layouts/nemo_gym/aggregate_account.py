"""Answers "why is my mean not the aggregate's mean?" for one server, in numbers and in one sentence."""

from collections import Counter
from collections.abc import Sequence

import msgspec

from runaudit.layouts.nemo_gym.aggregate_context import Context, Outcome
from runaudit.layouts.nemo_gym.aggregate_members import NO_TRACE, standing_row
from runaudit.layouts.nemo_gym.aggregate_numbers import close, mean_of, number
from runaudit.layouts.nemo_gym.row import Row
from runaudit.layouts.nemo_gym.slot import Slot
from runaudit.model.finding import Finding


class ServerMeans(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of the aggregate beside the rows of its server.

    `rows` counts keys with a row: `scored` (a measured reward), `masked`, `unscored` (all others). `imputed` counts
    keys without a row that the aggregate counts. `mean` is over the `n` scored rows; `aggregate_mean` is what the
    entry states, over `aggregate_n` numbers where that can be told. `explanation` is one sentence.
    """

    server: str | None
    agent: str | None
    rows: int
    scored: int
    masked: int
    unscored: int
    imputed: int
    mean: float | None
    n: int
    aggregate_mean: float | None
    aggregate_n: int | None
    explanation: str


def server_means(context: Context, own: Sequence[Slot], outcome: Outcome) -> ServerMeans:
    """The two means of the entry, with the slots `own` that are its server's."""
    standing = [standing_row(slot.rows) for slot in own if slot.rows]
    rows = [row for row in standing if row is not None]
    rewards = [row.reward for row in rows if row.masked is False and row.reward is not None]
    masked = sum(row.masked is True for row in rows)
    mean, stated = mean_of(rewards), number(context.entry.mean)
    return ServerMeans(
        server=context.entry.server,
        agent=context.entry.agent,
        rows=len(standing),
        scored=len(rewards),
        masked=masked,
        unscored=len(standing) - len(rewards) - masked,
        imputed=outcome.extra,
        mean=mean,
        n=len(rewards),
        aggregate_mean=stated,
        aggregate_n=outcome.n if stated is not None else None,
        explanation=_explanation(context, outcome, mean, stated, _rules(context, rows, outcome)),
    )


def imputed_note(context: Context, outcome: Outcome, account: ServerMeans) -> Finding:
    """The one note about keys that the entry counts without a row: both means, both n, and which keys."""
    rows = f"mean {_text(account.mean)} over {account.n} {_rows(account.n)}"
    aggregate = f"{_text(account.aggregate_mean)} over {account.aggregate_n} in the aggregate"
    doubt = "" if context.sidecars else "; without the sidecars nobody can tell which keys were owed"
    return context.finding(
        "aggregate-imputed",
        f"{rows}, {aggregate}: {_keys(outcome)}{doubt}",
        expected=account.mean,
        found=account.aggregate_mean,
    )


def _rules(context: Context, rows: Sequence[Row], outcome: Outcome) -> list[str]:
    """The rules that set the two means apart, as far as they apply here."""
    rules = []
    measured = sum(row.masked is True and row.reward is not None for row in rows)
    invalid = sum(row.masked is False and row.invalid_judge and row.reward is not None for row in rows)
    if context.entry.masking == "in" and measured:
        rules.append(f"the aggregate takes in {measured} masked {_rows(measured)}, as releases up to 0.6 do")
    if booleans := sum(isinstance(row.recorded, bool) for row in rows if _enters(context, row)):
        rules.append(f"the aggregate takes {booleans} {'boolean' if booleans == 1 else 'booleans'} for 0 or 1")
    if context.entry.rubric and invalid:
        rules.append(f"the aggregate leaves out {invalid} {_rows(invalid)} without a usable judge response")
    if outcome.extra:
        rules.append(f"in the aggregate {_keys(outcome)}")
    return rules


def _enters(context: Context, row: Row) -> bool:
    return row.masked is False or context.entry.masking == "in"


def _explanation(context: Context, outcome: Outcome, mean: float | None, stated: float | None, rules: list[str]) -> str:
    if context.entry.failed:
        return "The producer's aggregation failed: there is no second mean."
    if outcome.not_compared is not None or context.entry.unread is not None:
        return f"The two cannot be compared: {outcome.not_compared or context.entry.unread}."
    if mean is None and stated is None:
        return "Nothing was measured: neither states a mean."
    if stated is None:
        return "The aggregate states no mean reward."
    if rules:
        sentence = "; ".join(rules)
        return f"{sentence[0].upper()}{sentence[1:]}."
    if mean is not None and stated is not None and close(mean, stated):
        return (
            "Nothing sets them apart."
            if not outcome.findings
            else "The means agree, but not what is behind them: see the findings."
        )
    return "No rule of the producer sets them apart: see the findings."


def _keys(outcome: Outcome) -> str:
    counted = (
        f"{outcome.extra} keys without a row are counted" if outcome.extra != 1 else "1 key without a row is counted"
    )
    kinds = Counter(ghost.kind or NO_TRACE for ghost in (outcome.imputed or {}).values())
    listed = ", ".join(f"{kind}: {count}" for kind, count in sorted(kinds.items()))
    return f"{counted} ({listed})" if listed else counted


def _rows(count: int) -> str:
    return "row" if count == 1 else "rows"


def _text(value: float | None) -> str:
    return "none" if value is None else repr(value)
