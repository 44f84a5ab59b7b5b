"""Finds the generation that the folder of live games is a copy of, to the byte. Pure."""

import re
from collections.abc import Sequence

import msgspec

from runaudit.layouts.games.export import Export, Game, Live
from runaudit.layouts.games.names import MANIFEST
from runaudit.model.finding import Finding

_CLAIM = re.compile(r"byte-identical to `?(?P<generation>gen_\d+_step_\d+)`?(?: for all (?P<count>\d+))?")


class Likeness(msgspec.Struct, frozen=True):
    """How a live folder compares with its nearest generation: file names that are the same, other, or on one side."""

    live: str
    generation: str
    same: tuple[str, ...]
    different: tuple[str, ...] = ()
    only_live: tuple[str, ...] = ()
    only_generation: tuple[str, ...] = ()

    @property
    def identical(self) -> bool:
        """Whether both hold the same files with the same bytes."""
        return bool(self.same) and not (self.different or self.only_live or self.only_generation)

    def note(self) -> str:
        """The sentence that the manifest carries."""
        if self.identical:
            return (
                f"{self.live}/ is byte-identical to {self.generation} for all {len(self.same)} game_*.py files, "
                "so it is not duplicated here."
            )
        return (
            f"{self.live}/ is byte-identical to no generation; nearest is {self.generation}: {len(self.same)} files "
            f"the same, {len(self.different)} different, {len(self.only_live)} only live, "
            f"{len(self.only_generation)} only in the generation."
        )


def nearest(export: Export) -> Likeness | None:
    """The generation that shares most bytes with the live folder; None without a live folder or without games."""
    if export.live is None or not export.live.files:
        return None
    by_folder: dict[str, list[Game]] = {}
    for game in export.games:
        by_folder.setdefault(game.folder.name, []).append(game)
    compared = [_compare(export.live, folder, games) for folder, games in by_folder.items()]
    return max(compared, key=lambda found: (found.identical, len(found.same), -len(found.only_live)), default=None)


def _compare(live: Live, folder: str, games: Sequence[Game]) -> Likeness:
    hashes = {game.file_name: game.sha256 for game in games}
    shared = sorted(set(hashes) & set(live.files))
    return Likeness(
        live=live.path,
        generation=folder,
        same=tuple(name for name in shared if hashes[name] == live.files[name]),
        different=tuple(name for name in shared if hashes[name] != live.files[name]),
        only_live=tuple(sorted(set(live.files) - set(hashes))),
        only_generation=tuple(sorted(set(hashes) - set(live.files))),
    )


def judged(likeness: Likeness | None) -> list[Finding]:
    """A live folder that is no copy of a generation: its games are in no list."""
    if likeness is None or likeness.identical:
        return []
    return [
        Finding(
            id="games-live-differs",
            message=likeness.note(),
            path=f"{likeness.live}/{name}" if name else likeness.live,
        )
        for name in (*likeness.different, *likeness.only_live, *likeness.only_generation)
    ]


def claims(likeness: Likeness | None, note: str | None, export: Export, *, path: str = MANIFEST) -> list[Finding]:
    """The note of a document on the live folder against the folder, or, without it, against the generation it names."""
    claim = _CLAIM.search(note or "")
    if claim is None:
        return judged(likeness)
    name = claim["generation"]
    if likeness is not None and not (likeness.identical and likeness.generation == name):
        return [_broken(path, f"it claims {name}; {likeness.note()}")]
    held = sum(game.folder.name == name for game in export.games)
    if not held:
        return [_broken(path, f"it claims {name}, which the export does not hold")]
    if claim["count"] is not None and int(claim["count"][:9]) != held:
        return [_broken(path, f"it claims {claim['count']} files, {name} holds {held}")]
    return []


def _broken(path: str, message: str) -> Finding:
    return Finding(id="games-live-claim-wrong", message=message, path=path)
