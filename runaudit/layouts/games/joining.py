"""Joins mined rewards with games, by file name, and says where a name is not enough to tell. Pure.

A name that several files of the export share is joined with none of them. A name that the logs state under several
folders is joined, because the export has one file of that name, and reported.
"""

from collections.abc import Sequence

import msgspec

from runaudit.layouts.games.export import Game
from runaudit.layouts.games.mining import JobLog
from runaudit.layouts.games.names import basename, shown
from runaudit.model.finding import Finding


class Source(msgspec.Struct, frozen=True):
    """What one job's log gave for one game."""

    job: str
    entries: int
    plays: int


class Played(msgspec.Struct, frozen=True):
    """The rewards of one game in the order of the logs, and where they come from."""

    rewards: tuple[float, ...] = ()
    sources: tuple[Source, ...] = ()


class Joined(msgspec.Struct, frozen=True):
    """Rewards by the path of the game's file; a game without an entry is not in it."""

    played: dict[str, Played]
    findings: tuple[Finding, ...] = ()


class _Gathered:
    """What the logs say of one file name."""

    def __init__(self) -> None:
        self.rewards: list[float] = []
        self.per_job: dict[str, tuple[int, int]] = {}
        self.paths: set[str] = set()

    def add(self, job: str, path: str, rewards: tuple[float, ...]) -> None:
        entries, plays = self.per_job.get(job, (0, 0))
        self.per_job[job] = (entries + 1, plays + len(rewards))
        self.paths.add(path)
        self.rewards += rewards

    def played(self) -> Played:
        sources = tuple(Source(job=job, entries=n, plays=plays) for job, (n, plays) in self.per_job.items())
        return Played(rewards=tuple(self.rewards), sources=sources)


def join(games: Sequence[Game], logs: Sequence[JobLog]) -> Joined:
    """The rewards of each game."""
    gathered: dict[str, _Gathered] = {}
    for log in logs:
        for entry in log.entries:
            for path, rewards in entry.rewards.items():
                gathered.setdefault(shown(basename(path)), _Gathered()).add(log.job, path, rewards)
    by_name: dict[str, list[Game]] = {}
    for game in games:
        by_name.setdefault(game.file_name, []).append(game)
    played: dict[str, Played] = {}
    findings: list[Finding] = []
    for name, found in gathered.items():
        owners = by_name.get(name, [])
        if len(owners) == 1:
            played[owners[0].path] = found.played()
        findings += _doubts(name, found, owners)
    return Joined(played=played, findings=tuple(findings))


def _doubts(name: str, found: _Gathered, owners: Sequence[Game]) -> list[Finding]:
    if not owners:
        message = f"the logs have {len(found.rewards)} rewards of a game that is not in the export"
        return [Finding(id="games-rewards-unmatched", message=message, path=name)]
    if len(owners) > 1:
        places = ", ".join(game.folder.name for game in owners)
        message = f"{len(owners)} files have this name ({places}): {len(found.rewards)} rewards are joined with none"
        return [Finding(id="games-ambiguous-name", message=message, path=name)]
    folders = {path.replace("\\", "/").rpartition("/")[0] for path in found.paths}
    if len(folders) > 1:
        message = f"the logs have this name in {len(folders)} folders; all their rewards are joined with the one file"
        return [Finding(id="games-ambiguous-name", message=message, path=owners[0].path)]
    return []


def shared_names(games: Sequence[Game]) -> list[Finding]:
    """File names that stand in several folders, whatever the logs say."""
    folders: dict[str, list[str]] = {}
    for game in games:
        folders.setdefault(game.file_name, []).append(game.folder.name)
    return [
        Finding(
            id="games-ambiguous-name",
            message=f"the same file name in {', '.join(places)}: rewards, which are joined by name, fit none for sure",
            path=name,
        )
        for name, places in folders.items()
        if len(places) > 1
    ]
