"""Reads a manifest's JSON into what it states.

Its makers differ in how they spell some fields; every spelling that is understood stands in SPELLINGS, ours first.
A field of the wrong kind is a finding, and counts as not stated.
"""

import math
from typing import Any

from runaudit.layouts.games.names import MANIFEST
from runaudit.layouts.games.stated import Stated, StatedGame, StatedSummary
from runaudit.model.finding import Finding
from runaudit.read.values import NonFinite, doubled_keys

SPELLINGS: dict[str, tuple[str, ...]] = {
    "file": ("file", "path", "game_file", "file_path", "filename"),
    "generation": ("generation", "generation_dir", "folder"),
    "step": ("step", "training_step"),
    "index": ("index", "game_index"),
    "skill": ("skill", "skill_name", "cognitive_skill"),
    "hint": ("hint", "hint_file", "hint_path"),
    "sha256": ("sha256", "digest"),
    "rewards": ("rewards", "play_rewards", "observed_rewards"),
    "plays": ("plays", "num_plays", "n_plays"),
    "mean": ("mean", "mean_reward", "reward_mean"),
    "sources": ("sources", "reward_sources"),
    "log_entries": ("log_entries", "entries", "collect_stats_entries", "num_entries", "count"),
}
FIELDS = ("generation", "step", "index", "skill", "hint", "sha256", "rewards", "plays", "mean", "sources")
_WORDS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


class _Reader:
    """Takes typed fields out of one object and keeps what was of the wrong kind."""

    def __init__(self, holder: dict[str, Any], where: str, findings: list[Finding]) -> None:
        self._holder = holder
        self._where = where
        self._findings = findings

    def has(self, name: str) -> bool:
        return any(key in self._holder for key in SPELLINGS.get(name, (name,)))

    def raw(self, name: str) -> Any:
        return next((self._holder[key] for key in SPELLINGS.get(name, (name,)) if key in self._holder), None)

    def wrong(self, name: str, wanted: str, found: Any) -> None:
        self._findings.append(
            Finding(
                id="games-manifest-malformed",
                message=f"{self._where}{name} is no {wanted}",
                path=MANIFEST,
                expected=wanted,
                found=repr(found)[:80],
            )
        )

    def count(self, name: str) -> int | None:
        value = self.raw(name)
        if value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= 0):
            return value
        self.wrong(name, "count", value)
        return None

    def text(self, name: str) -> str | None:
        value = self.raw(name)
        if value is None or isinstance(value, str):
            return value
        self.wrong(name, "text", value)
        return None

    def number(self, name: str) -> float | None:
        value = self.raw(name)
        if value is None:
            return None
        found = _as_float(value)
        if found is None:
            self.wrong(name, "number", value)
        return found

    def counts(self, name: str) -> dict[str, int] | None:
        value = self.raw(name)
        if value is None:
            return None
        if isinstance(value, dict) and all(isinstance(n, int) and not isinstance(n, bool) for n in value.values()):
            return dict(value)
        self.wrong(name, "object of counts", value)
        return None

    def numbers(self, name: str) -> tuple[float, ...] | None:
        value = self.raw(name)
        if value is None:
            return None
        found = [_as_float(item) for item in value] if isinstance(value, list) else [None]
        kept = tuple(number for number in found if number is not None)
        if len(kept) == len(found):
            return kept
        self.wrong(name, "list of numbers", value)
        return None


def _as_float(value: Any) -> float | None:
    if isinstance(value, NonFinite):
        value = value.text.lower().replace("infinity", "inf")
    if isinstance(value, str):
        return _WORDS.get(value.lower())
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def stated_in(value: Any) -> Stated | None:
    """What a manifest's decoded JSON states; None when it is no manifest of games (no object with a list `games`)."""
    if not isinstance(value, dict) or not isinstance(value.get("games"), list):
        return None
    findings = [
        Finding(id="duplicate-key", message=f"states the key {key} twice", path=MANIFEST) for key in doubled_keys(value)
    ]
    summary = value.get("summary")
    if not isinstance(summary, dict):
        message = "no object under the key summary"
        findings.append(Finding(id="games-manifest-malformed", message=message, path=MANIFEST))
        summary = {}
    games = tuple(game for at, entry in enumerate(value["games"]) if (game := _game(entry, at, findings)) is not None)
    return Stated(
        summary=_summary(summary, findings),
        games=games,
        left_out=_left_out(value["games"]),
        findings=tuple(findings),
    )


def _left_out(entries: list[Any]) -> dict[str, int]:
    readers = [_Reader(entry, "", []) for entry in entries if isinstance(entry, dict)]
    counted = {name: sum(not read.has(name) for read in readers) for name in FIELDS}
    return {name: count for name, count in counted.items() if count}


def _summary(holder: dict[str, Any], findings: list[Finding]) -> StatedSummary:
    read = _Reader(holder, "summary.", findings)
    lower = read.raw("reward_stats_lower_bounds")
    return StatedSummary(
        total_games=read.count("total_games"),
        per_generation=read.counts("per_generation_counts"),
        per_skill=read.counts("per_skill_counts"),
        with_rewards=read.count("games_with_reward_data"),
        without_rewards=read.count("games_without_reward_data"),
        log_entries=_log_entries(read),
        lower_bounds=tuple(lower) if isinstance(lower, dict) else (),
        live_note=read.text("note_spare_games_live_dir"),
        memory_entries=read.count("env_memory_entries"),
        memory_sha256=read.text("env_memory_sha256"),
        states_logs=bool(read.raw("reward_stats_source")),
    )


def _log_entries(read: _Reader) -> dict[str, int] | None:
    """Entries by job: a number, or an object that holds one; or a list of objects that name their job."""
    value = read.raw("reward_stats_source")
    if isinstance(value, list):
        value = {str(item.get("job", item.get("job_id"))): item for item in value if isinstance(item, dict)}
    if not isinstance(value, dict):
        if value is not None and not isinstance(value, str):
            read.wrong("reward_stats_source", "object of jobs", value)
        return None
    found = {}
    for job, inner in value.items():
        number = (
            next((inner[key] for key in SPELLINGS["log_entries"] if key in inner), None)
            if isinstance(inner, dict)
            else inner
        )
        if isinstance(number, int) and not isinstance(number, bool):
            found[job] = number
        elif not isinstance(inner, dict):
            read.wrong(f"reward_stats_source.{job}", "count", inner)
    return found or None


def _game(entry: Any, position: int, findings: list[Finding]) -> StatedGame | None:
    where = f"games[{position}]"
    file = _Reader(entry, "", []).text("file") if isinstance(entry, dict) else None
    if not file:
        message = f"{where} is no object that names a file"
        findings.append(Finding(id="games-manifest-malformed", message=message, path=MANIFEST))
        return None
    read = _Reader(entry, f"{where}.", findings)
    return StatedGame(
        position=position,
        file=file.removeprefix("./"),
        generation=None if read.raw("generation") is None else str(read.raw("generation")),
        step=read.count("step"),
        index=read.count("index"),
        skill=read.text("skill"),
        states_hint=read.has("hint"),
        hint=read.text("hint"),
        sha256=read.text("sha256"),
        hint_sha256=read.text("hint_sha256"),
        rewards=read.numbers("rewards"),
        plays=read.count("plays"),
        states_mean=read.has("mean"),
        mean=read.number("mean"),
        sources=_sources(read.raw("sources")),
    )


def _sources(value: Any) -> dict[str, tuple[int | None, int | None]] | None:
    """Entries and plays by job, as far as they are stated."""
    if not isinstance(value, list):
        return None
    found: dict[str, tuple[int | None, int | None]] = {}
    for item in value:
        if isinstance(item, str):
            found[item] = (None, None)
        elif isinstance(item, dict) and isinstance(item.get("job"), str):
            entries, plays = item.get("entries"), item.get("plays")
            found[item["job"]] = (
                entries if isinstance(entries, int) else None,
                plays if isinstance(plays, int) else None,
            )
    return found
