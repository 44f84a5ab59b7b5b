"""Rewards: each entry with itself, and, where logs are given, the manifest against what the logs say. Pure."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from runaudit.layouts.games.compose import mean_of
from runaudit.layouts.games.count_rules import agree
from runaudit.layouts.games.export import Game
from runaudit.layouts.games.joining import Played
from runaudit.layouts.games.mining import JobLog
from runaudit.layouts.games.names import MANIFEST
from runaudit.layouts.games.stated import Stated, StatedGame, StatedSummary
from runaudit.model.finding import Finding

Pairs = Sequence[tuple[StatedGame, Game | None]]
_TOLERANCE = 1e-9
_FEWEST_DECIMALS, _MOST_DECIMALS = 3, 8


def entries(stated: Stated) -> list[Finding]:
    """Each entry's rewards against its own plays, mean and sources."""
    findings: list[Finding] = []
    for entry in stated.games:
        findings += _plays(entry)
        findings += _mean(entry)
        if entry.rewards and not all(math.isfinite(reward) for reward in entry.rewards):
            message = "rewards that are not finite: the game has no mean"
            findings.append(Finding(id="games-reward-non-finite", message=message, path=entry.file))
    return findings


def _plays(entry: StatedGame) -> Iterable[Finding]:
    rewards = None if entry.rewards is None else len(entry.rewards)
    sources = [plays for _, plays in (entry.sources or {}).values()]
    summed = sum(plays for plays in sources if plays is not None) if sources and None not in sources else None
    plays = entry.plays
    if len({count for count in (plays, rewards, summed) if count is not None}) > 1:
        yield Finding(
            id="games-rewards-differ",
            message=f"plays {plays}, rewards {rewards}, plays of its sources {summed}",
            path=entry.file,
            expected=f"{plays} (plays)",
            found=f"{rewards} (rewards), {summed} (sources)",
        )


def _mean(entry: StatedGame) -> Iterable[Finding]:
    if entry.rewards is None or not entry.states_mean:
        return
    expected = mean_of(entry.rewards)
    if not _same(entry.mean, expected):
        message = "its mean is not that of its rewards" if entry.rewards else "it has a mean without any reward"
        yield Finding(
            id="games-rewards-differ", message=message, path=entry.file, expected=str(expected), found=str(entry.mean)
        )


def _same(stated: float | None, mean: float | None) -> bool:
    if stated is None or mean is None:
        return stated is mean or (mean is None and stated is not None and not math.isfinite(stated))
    return math.isclose(stated, mean, rel_tol=_TOLERANCE, abs_tol=_rounding(stated))


def _rounding(stated: float) -> float:
    """Half a unit of the last decimal that is stated; fewer than three decimals are no rounding but a coarse number."""
    decimals = len(repr(stated).partition(".")[2])
    return 0.5 * 10**-decimals + _TOLERANCE if _FEWEST_DECIMALS <= decimals <= _MOST_DECIMALS else _TOLERANCE


def job_totals(stated: Stated) -> list[Finding]:
    """A job that a game names as its source must be among the summary's, and cannot give a game more entries."""
    logs = stated.summary.log_entries
    if logs is None:
        return []
    findings = []
    for entry in stated.games:
        for job, (count, _) in (entry.sources or {}).items():
            if job not in logs or (count is not None and count > logs[job]):
                message = f"rewards from {job}, of which the summary counts {logs.get(job, 0)} entries"
                findings.append(
                    Finding(
                        id="games-rewards-differ",
                        message=message,
                        path=entry.file,
                        expected=f"at most {logs.get(job, 0)}",
                        found=str(count),
                    )
                )
    return findings


def against_logs(stated: Stated, pairs: Pairs, logs: Sequence[JobLog], played: dict[str, Played]) -> list[Finding]:
    """The manifest's rewards and entry counts against those of the logs, which may be lower bounds."""
    lower = any(log.lower_bound for log in logs)
    findings = _entry_counts(stated.summary, logs)
    for entry, game in pairs:
        if game is not None:
            findings += _rewards(entry, game, played.get(game.path, Played()), lower=lower)
    return findings


def _entry_counts(summary: StatedSummary, logs: Sequence[JobLog]) -> list[Finding]:
    """By job where names agree, else in total: a log file can have another name than its job."""
    stated = summary.log_entries
    if stated is None:
        return []
    mined = {log.job: len(log.entries) for log in logs}
    bounded = {log.job for log in logs if log.lower_bound} | set(summary.lower_bounds)
    if set(mined) == set(stated):
        rows = [(job, stated[job], mined[job], job in bounded) for job in stated]
    else:
        rows = [("all jobs", sum(stated.values()), sum(mined.values()), bool(bounded))]
    findings = []
    for job, expected, found, bound in rows:
        if not (bound and found <= expected):
            findings += agree(f"reward_stats_source of {job}", ("summary", expected), ("logs", found))
    return findings


def _rewards(entry: StatedGame, game: Game, played: Played, *, lower: bool) -> Iterable[Finding]:
    if entry.rewards is None:
        yield from _plays_only(entry, game, played, lower=lower)
        return
    stated, mined = _bag(entry.rewards), _bag(played.rewards)
    missing, extra = stated - mined, mined - stated
    if extra or (missing and not lower):
        yield Finding(
            id="games-rewards-differ",
            message=f"the manifest has {len(entry.rewards)} rewards, the logs {len(played.rewards)}; "
            f"{missing.total()} are in the manifest only, {extra.total()} in the logs only",
            path=game.path,
            expected=f"{len(entry.rewards)} ({MANIFEST})",
            found=f"{len(played.rewards)} (logs)",
        )


def _plays_only(entry: StatedGame, game: Game, played: Played, *, lower: bool) -> Iterable[Finding]:
    """A manifest that lists no rewards, only how many, and their mean."""
    found = len(played.rewards)
    if entry.plays is not None and entry.plays != found and not (lower and found < entry.plays):
        yield Finding(
            id="games-rewards-differ",
            message=f"the manifest has {entry.plays} plays, the logs {found}",
            path=game.path,
            expected=f"{entry.plays} ({MANIFEST})",
            found=f"{found} (logs)",
        )
    elif entry.states_mean and not lower and not _same(entry.mean, mean_of(played.rewards)):
        yield Finding(
            id="games-rewards-differ",
            message="its mean is not that of the rewards in the logs",
            path=game.path,
            expected=str(mean_of(played.rewards)),
            found=str(entry.mean),
        )


def _bag(rewards: Iterable[float]) -> Counter[str]:
    """Rewards whatever their order; nan equals nan here."""
    return Counter(repr(float(reward)) for reward in rewards)
