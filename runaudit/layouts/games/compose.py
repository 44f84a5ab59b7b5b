"""Composes the manifest of an export. Pure: equal exports and logs give an equal document.

Fields that are not ours are kept from an earlier manifest, at the top, in its summary, and in each file's entry.
Without any log, the rewards that it states for an unchanged file are kept as well: they cannot be mined again.
"""

import math
from collections.abc import Sequence
from typing import Any

from runaudit.layouts.games.export import Export, Game
from runaudit.layouts.games.joining import Played
from runaudit.layouts.games.live import Likeness
from runaudit.layouts.games.mining import JobLog

_REWARD_FIELDS = ("rewards", "plays", "mean", "sources")


def mean_of(rewards: Sequence[float]) -> float | None:
    """The mean; None for no rewards, and where one of them is not finite."""
    if not rewards or not all(math.isfinite(reward) for reward in rewards):
        return None
    return math.fsum(rewards) / len(rewards)


def compose(
    export: Export,
    logs: Sequence[JobLog] | None,
    played: dict[str, Played],
    likeness: Likeness | None,
    earlier: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """The manifest as a JSON value. `logs` None: no rewards were looked for."""
    before = earlier or {}
    entries = _entries_before(before)
    games = [_entry(game, played.get(game.path), logs, entries.get(game.path, {})) for game in export.games]
    summary = {**_others(before.get("summary")), **_summary(export, games, logs, likeness, before.get("summary"))}
    return {**_others(before), "summary": summary, "games": games}


def _others(value: Any) -> dict[str, Any]:
    return dict(value) if isinstance(value, dict) else {}


def _entries_before(earlier: dict[str, Any]) -> dict[str, dict[str, Any]]:
    listed = earlier.get("games")
    entries = [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []
    return {str(entry.get("file")): entry for entry in entries}


def _entry(game: Game, played: Played | None, logs: Sequence[JobLog] | None, before: dict[str, Any]) -> dict[str, Any]:
    entry = {
        **before,
        "file": game.path,
        "generation": game.folder.name,
        "step": game.name.step,
        "index": game.name.index,
        "skill": game.name.skill,
        "hint": game.hint,
        "hint_sha256": game.hint_sha256,
        "sha256": game.sha256,
    }
    kept = logs is None and before.get("sha256") == game.sha256 and "rewards" in before
    if not kept:
        entry.update(_rewards(played or Played()))
    return entry


def _rewards(played: Played) -> dict[str, Any]:
    return {
        "rewards": [reward if math.isfinite(reward) else repr(reward) for reward in played.rewards],
        "plays": len(played.rewards),
        "mean": mean_of(played.rewards),
        "sources": [{"job": source.job, "entries": source.entries, "plays": source.plays} for source in played.sources],
    }


def _summary(
    export: Export,
    games: Sequence[dict[str, Any]],
    logs: Sequence[JobLog] | None,
    likeness: Likeness | None,
    before: Any,
) -> dict[str, Any]:
    joined = sum(bool(entry.get("rewards")) for entry in games)
    held = _others(before)
    summary: dict[str, Any] = {
        "total_games": len(games),
        "per_generation_counts": export.per_generation(),
        "per_skill_counts": export.per_skill(),
        "games_with_reward_data": joined,
        "games_without_reward_data": len(games) - joined,
        "reward_stats_source": held.get("reward_stats_source", {})
        if logs is None
        else {log.job: len(log.entries) for log in logs},
        "reward_stats_lower_bounds": held.get("reward_stats_lower_bounds", {})
        if logs is None
        else {log.job: list(log.lower_bound) for log in logs if log.lower_bound},
        "note_spare_games_live_dir": likeness.note() if likeness else held.get("note_spare_games_live_dir"),
        "env_memory_entries": export.memory.entries if export.memory else None,
        "env_memory_sha256": export.memory.sha256 if export.memory else None,
    }
    return summary
