"""What lies in an export, as values: games with their hints and hashes, the environment memory, everything else."""

import msgspec

from runaudit.layouts.games.names import FolderName, GameName
from runaudit.model.finding import Finding


class Game(msgspec.Struct, frozen=True):
    """One game file. Paths are relative to the export; hashes are SHA-256 in hex, None where a file is unreadable."""

    path: str
    folder: FolderName
    name: GameName
    sha256: str | None
    hint: str | None = None
    hint_sha256: str | None = None

    @property
    def file_name(self) -> str:
        """The name without its folder."""
        return self.path.rpartition("/")[2]


class Memory(msgspec.Struct, frozen=True):
    """The environment memory: how many entries (None: the shape is not known), which skills they name, its hash."""

    path: str
    entries: int | None
    skills: frozenset[str] = frozenset()
    sha256: str | None = None


class Live(msgspec.Struct, frozen=True):
    """The folder of games that were live when the export was made: file name to SHA-256."""

    path: str
    files: dict[str, str]


class Export(msgspec.Struct, frozen=True):
    """An export as it lies on disk. `findings` is what could not be read or has no sound name."""

    root: str
    games: tuple[Game, ...]
    folders: tuple[FolderName, ...]
    orphan_hints: tuple[str, ...] = ()
    strangers: tuple[str, ...] = ()
    memory: Memory | None = None
    live: Live | None = None
    findings: tuple[Finding, ...] = ()

    def per_generation(self) -> dict[str, int]:
        """How many games each folder holds, in the order of the folders."""
        counts = {folder.name: 0 for folder in self.folders}
        for game in self.games:
            counts[game.folder.name] += 1
        return counts

    def per_skill(self) -> dict[str, int]:
        """How many games each skill has, by name."""
        counts: dict[str, int] = {}
        for game in sorted(self.games, key=lambda game: game.name.skill):
            counts[game.name.skill] = counts.get(game.name.skill, 0) + 1
        return counts
