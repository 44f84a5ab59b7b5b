"""What a manifest states, as values. None means that it does not state it; nothing here is checked against files."""

import msgspec

from runaudit.model.finding import Finding


class StatedGame(msgspec.Struct, frozen=True):
    """One entry of the manifest's list. `states_hint` tells a hint of null from none stated."""

    position: int
    file: str
    generation: str | None = None
    step: int | None = None
    index: int | None = None
    skill: str | None = None
    states_hint: bool = False
    hint: str | None = None
    sha256: str | None = None
    hint_sha256: str | None = None
    rewards: tuple[float, ...] | None = None
    plays: int | None = None
    states_mean: bool = False
    mean: float | None = None
    sources: dict[str, tuple[int | None, int | None]] | None = None


class StatedSummary(msgspec.Struct, frozen=True):
    """The manifest's summary."""

    total_games: int | None = None
    per_generation: dict[str, int] | None = None
    per_skill: dict[str, int] | None = None
    with_rewards: int | None = None
    without_rewards: int | None = None
    log_entries: dict[str, int] | None = None
    lower_bounds: tuple[str, ...] = ()
    live_note: str | None = None
    memory_entries: int | None = None
    memory_sha256: str | None = None
    states_logs: bool = False


class Stated(msgspec.Struct, frozen=True):
    """A manifest. `left_out` counts, for each field of an entry, the entries that have no such key."""

    summary: StatedSummary
    games: tuple[StatedGame, ...]
    left_out: dict[str, int] = {}
    findings: tuple[Finding, ...] = ()
