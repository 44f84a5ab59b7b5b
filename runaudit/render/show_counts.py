"""The first part of a shown summary: which run it is, and its numbers, each with its denominator."""

from collections import Counter
from collections.abc import Iterator, Sequence

from runaudit.model.stored import StoredMeans, StoredSummary
from runaudit.model.summary import Mean
from runaudit.model.task import OUTCOMES
from runaudit.render.page import Page

_MOST_NAMES = 3
_MOST_SERVERS = 8
_PRODUCERS = {"nemo-gym": "NeMo Gym run", "harbor-job": "Harbor job"}


def identity(page: Page, summary: StoredSummary) -> None:
    """One line that says which run it is, as far as that is known."""
    run = summary.run
    rollouts = summary.files.get("rollouts")
    name = [rollouts] if isinstance(rollouts, str) else []
    known = [
        ("target", run.target),
        ("task set", run.taskset),
        ("dataset", run.dataset.name if run.dataset else None),
        ("agent", _names(run.agents)),
        ("model", _names(run.models)),
        ("split", run.split),
        ("harness", run.harness_version),
    ]
    parts = [f"{label} {value}" for label, value in known if value]
    parts += ["resumed"] if run.resumed else []
    title = " ".join([_PRODUCERS.get(summary.layout, summary.layout), *name])
    page.line(f"{title}: {', '.join(parts)}" if parts else title, role="title")


def _names(names: Sequence[str]) -> str:
    more = [f"{len(names) - _MOST_NAMES} more"] if len(names) > _MOST_NAMES else []
    return ", ".join([*names[:_MOST_NAMES], *more])


def counts(page: Page, summary: StoredSummary) -> None:
    """Selected, every outcome with its share, both means, and what stands beside them."""
    held = summary.counts
    page.heading(f"{held.selected:,} selected tasks and repeats{_selected_from(summary)}")
    width = len(f"{held.selected:,}")
    for outcome in OUTCOMES:
        count = getattr(held, outcome)
        text = f"{outcome:<15}  {count:>{width},}  {share(count, held.selected):>6}{_beside(outcome, summary)}"
        page.item(text, role=None if count else "dim")
    page.table(_means(summary))


def _selected_from(summary: StoredSummary) -> str:
    if summary.run.selected_from == "rows":
        return " (taken from the rows alone: nothing can be called missing)"
    return ""


def _beside(outcome: str, summary: StoredSummary) -> str:
    held = summary.counts
    if outcome == "scored":
        told = [] if held.passed is None else [f"{held.passed:,} passed ({share(held.passed, held.scored)} of scored)"]
        told += [f"{held.degraded:,} degraded"] if held.degraded else []
        return f"   {', '.join(told)}" if told else ""
    if outcome == "masked":
        kinds = Counter(
            task.failure.kind for task in summary.tasks if task.outcome == outcome and task.failure is not None
        )
        return f"   {_tally(kinds)}" if kinds else ""
    return ""


def _tally(kinds: Counter[str | None]) -> str:
    ordered = sorted(kinds.items(), key=lambda pair: (-pair[1], pair[0] or ""))
    told = [f"{kind or 'no kind stated'} {count:,}" for kind, count in ordered[:_MOST_NAMES]]
    more = [f"{len(ordered) - _MOST_NAMES} kinds more"] if len(ordered) > _MOST_NAMES else []
    return ", ".join([*told, *more])


def _means(summary: StoredSummary) -> Iterator[tuple[str, str]]:
    held = summary.counts
    yield "mean reward", _mean(held.mean_reward, "scored", held.selected)
    yield "mean over tasks", _mean(held.mean_reward_over_tasks, "tasks", None)
    left_out = [f"{held.unvalidated:,} unvalidated", f"{held.skipped:,} skipped"]
    if held.rows_unplaced:
        left_out.append(f"{held.rows_unplaced:,} rows unplaced (they belong to no task that is known)")
    yield "beside these", ", ".join(left_out)
    verdicts = Counter(task.health for task in summary.tasks if task.health is not None)
    if verdicts:
        yield "health report", ", ".join(f"{count:,} {verdict}" for verdict, count in sorted(verdicts.items()))


def _mean(mean: Mean, what: str, selected: int | None) -> str:
    if mean.value is None:
        return f"none: nothing was scored of {selected:,} selected" if selected else "none: nothing was scored"
    denominator = f" of {selected:,} selected" if selected is not None else ""
    coverage = "" if mean.coverage is None else f", coverage {percent(mean.coverage)}"
    return f"{number(mean.value)}  over {mean.n:,} {what}{denominator}{coverage}"


def servers(page: Page, means: Sequence[StoredMeans], *, every: bool) -> None:
    """Per server: the mean over the rows, what the producer's aggregate states, and what sets them apart."""
    if not means:
        return
    page.heading("Why the mean is, or is not, the one in the aggregate metrics")
    shown = means if every else means[:_MOST_SERVERS]
    for entry in shown:
        agent = f" (agent {entry.agent})" if entry.agent and entry.server else ""
        page.item(f"{entry.server or entry.agent or 'no server named'}{agent}")
        apart = f"{entry.rows:,} rows: {entry.scored:,} scored, {entry.masked:,} masked, {entry.unscored:,} unscored"
        page.table(
            [
                ("  rows", f"{number(entry.mean)}  over {entry.n:,} ({apart})"),
                ("  aggregate", f"{number(entry.aggregate_mean)}{_aggregate_n(entry)}"),
            ]
        )
        if entry.explanation:
            page.line(entry.explanation, lead="    ", hanging=4)
    if len(means) > len(shown):
        page.item(f"{len(means) - len(shown):,} more (--all)", role="dim")


def _aggregate_n(entry: StoredMeans) -> str:
    if entry.aggregate_n is None:
        return ""
    imputed = f" ({entry.imputed:,} of them without a row)" if entry.imputed else ""
    return f"  over {entry.aggregate_n:,}{imputed}"


def number(value: float | None) -> str:
    """A mean for a person: six significant digits."""
    return "none" if value is None else f"{value:.6g}"


def share(count: int, whole: int) -> str:
    """A count as a percentage of a whole; never 0.0 % or 100.0 % by rounding alone."""
    return percent(count / whole) if whole else "-"


def percent(value: float) -> str:
    """A share in percent with one decimal; what is not all or nothing does not look like it."""
    text = f"{value:.1%}"
    if text == "100.0%" and value < 1:
        return ">99.9%"
    return "<0.1%" if text == "0.0%" and value > 0 else text
