"""Counts that must agree: the summary, the list, the disk, the card. Each difference names all values. Pure."""

from collections.abc import Iterable, Mapping, Sequence

from runaudit.layouts.games.card import Said, described
from runaudit.layouts.games.export import Export
from runaudit.layouts.games.names import CARD, MANIFEST, basename
from runaudit.layouts.games.stated import Stated, StatedGame
from runaudit.model.finding import Finding

# the summary's fields that an export cannot do without
_OWED = {
    "total_games": "total_games",
    "per_generation": "per_generation_counts",
    "per_skill": "per_skill_counts",
    "with_rewards": "games_with_reward_data",
    "without_rewards": "games_without_reward_data",
}


def agree(name: str, expected: tuple[str, int | None], *others: tuple[str, int | None]) -> list[Finding]:
    """One finding when the sources, each a name and a count, do not all state the same; None is not compared."""
    stated = [(source, count) for source, count in (expected, *others) if count is not None]
    if len({count for _, count in stated}) <= 1:
        return []
    source, count = stated[0]
    rest = [(other, number) for other, number in stated[1:] if number != count] or stated[1:]
    values = ", ".join(f"{source} {count}" for source, count in stated)
    return [
        Finding(
            id="games-count-differs",
            message=f"{name}: {values}",
            path=CARD if source.startswith("card") else MANIFEST,
            expected=f"{count} ({source})",
            found=", ".join(f"{number} ({other})" for other, number in rest),
        )
    ]


def counts(stated: Stated, export: Export) -> list[Finding]:
    """Summary against list against disk, in every number that the summary holds."""
    summary, games = stated.summary, stated.games
    with_rewards = sum(bool(game.rewards) or bool(game.plays) for game in games)
    findings = [
        Finding(id="games-count-missing", message=f"the summary states no {key}", path=MANIFEST)
        for field, key in _OWED.items()
        if getattr(summary, field) is None
    ]
    if with_rewards and not summary.states_logs:
        message = "the summary states no reward_stats_source: nothing says where the rewards are from"
        findings.append(Finding(id="games-count-missing", message=message, path=MANIFEST))
    findings += _left_out(stated)
    findings += agree(
        "total_games", ("summary", summary.total_games), ("list", len(games)), ("disk", len(export.games))
    )
    findings += _tables("per_generation_counts", summary.per_generation, _folders(games), export.per_generation())
    findings += _tables("per_skill_counts", summary.per_skill, _skills(games), export.per_skill())
    findings += agree("games_with_reward_data", ("summary", summary.with_rewards), ("list", with_rewards))
    findings += agree(
        "games_without_reward_data", ("summary", summary.without_rewards), ("list", len(games) - with_rewards)
    )
    memory = export.memory.entries if export.memory else None
    findings += agree("env_memory_entries", ("summary", summary.memory_entries), ("disk", memory))
    return findings


def _left_out(stated: Stated) -> list[Finding]:
    """A finding for each field that entries leave out; a warning where bytes went unchecked for it."""
    return [
        Finding(
            id="games-field-missing",
            message=f"{count} of {len(stated.games)} entries state no {name}; it was not compared",
            path=MANIFEST,
            level="warning" if name == "sha256" else "note",
        )
        for name, count in stated.left_out.items()
    ]


def _folders(games: Sequence[StatedGame]) -> dict[str, int]:
    """The list's own counts by folder: that of an entry's file, else what it calls its generation."""
    return _tally(basename(game.file.rpartition("/")[0] or game.generation or "") for game in games)


def _skills(games: Sequence[StatedGame]) -> dict[str, int]:
    return _tally(game.skill for game in games if game.skill is not None)


def _tally(names: Iterable[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for name in names:
        found[name] = found.get(name, 0) + 1
    return found


def _tables(
    name: str, summary: Mapping[str, int] | None, listed: Mapping[str, int], disk: Mapping[str, int]
) -> list[Finding]:
    tables = {
        source: {_plain(key): count for key, count in table.items()}
        for source, table in (("summary", summary), ("list", listed or None), ("disk", disk))
        if table is not None
    }
    keys = sorted({key for table in tables.values() for key in table})
    findings = []
    for key in keys:
        values = [(source, table.get(key, 0)) for source, table in tables.items()]
        findings += agree(f"{name} of {key}", values[0], *values[1:])
    return findings


def _plain(key: str) -> str:
    """Folder names with or without `partial/`, skills in any case: makers differ, and nothing hangs on it."""
    return basename(key).lower()


def card_counts(said: Sequence[Said], stated: Stated, export: Export) -> list[Finding]:
    """What the card says against the disk, and, for the logs, against the manifest."""
    findings = []
    for statement in said:
        known = _known(statement, stated, export)
        if known is not None and known[1] != statement.number:
            found = agree(described(statement), ("card", statement.number), known)
            findings += [
                Finding(
                    id=one.id,
                    message=one.message,
                    path=one.path,
                    line=statement.line,
                    expected=one.expected,
                    found=one.found,
                )
                for one in found
            ]
    return findings


def _known(statement: Said, stated: Stated, export: Export) -> tuple[str, int] | None:
    """The source and the number that a statement is held against; None when there is nothing to hold it against."""
    logs = stated.summary.log_entries
    match statement.about:
        case "generation":
            return ("disk", export.per_generation().get(statement.name or "", 0))
        case "partial":
            return ("disk", sum(folder.name == statement.name for folder in export.folders))
        case "total":
            return ("disk", len(export.games))
        case "skills":
            return ("disk", len(export.per_skill()))
        case "full-generations":
            return ("disk", sum(folder.full for folder in export.folders))
        case "memory":
            entries = export.memory.entries if export.memory else 0
            return None if entries is None else ("disk", entries)
        case "join-rate":
            return ("manifest", _join_rate(stated)) if stated.games else None
        case "log-entries":
            return ("manifest", sum(logs.values())) if logs else None
        case "log-entries-of-a-job" if logs:
            nearest = min(logs.values(), key=lambda number: (abs(number - statement.number), number))
            return ("manifest", nearest)
    return None


def _join_rate(stated: Stated) -> int:
    """Per cent, rounded down: 194 of 195 is not 100."""
    joined = sum(bool(game.rewards) or bool(game.plays) for game in stated.games)
    return 100 * joined // len(stated.games)
