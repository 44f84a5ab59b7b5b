"""The names of an export: generation folders, partial steps, games and their hints. A name and its parser, no files.

generations/gen_GG_step_SSSSS/game_SSSSS_III_skill.py  and  …_hint.txt
generations/partial/step_SSSSS/game_SSSSS_III_skill.py
"""

import re

import msgspec

MANIFEST = "manifest.json"
CARD = "README.md"
MEMORY = "env_memory.json"
GENERATIONS = "generations"
PARTIAL = "partial"
LIVE = "spare_games"
# The six skills of the source; an export states its own through its manifest or its environment memory.
SKILLS = (
    "mathematical_reasoning",
    "logical_deduction",
    "spatial_reasoning",
    "pattern_recognition",
    "optimization",
    "causal_inference",
)

_FULL = re.compile(r"gen_(?P<generation>\d+)_step_(?P<step>\d+)\Z")
_PARTIAL = re.compile(r"step_(?P<step>\d+)\Z")
_GAME = re.compile(r"game_(?P<step>\d+)_(?P<index>\d+)_(?P<skill>[^/]+)\.py\Z")
_HINT_END = "_hint.txt"


class FolderName(msgspec.Struct, frozen=True):
    """What the name of a generation folder says. `generation` is None for a partial step."""

    name: str
    step: int
    generation: int | None = None

    @property
    def full(self) -> bool:
        """Whether it is a full snapshot, which has hints."""
        return self.generation is not None


class GameName(msgspec.Struct, frozen=True):
    """What the name of a game file says."""

    step: int
    index: int
    skill: str


def full_folder(name: str) -> FolderName | None:
    """A folder directly below `generations/`."""
    match = _FULL.match(name)
    return FolderName(name=name, step=int(match["step"]), generation=int(match["generation"])) if match else None


def partial_folder(name: str) -> FolderName | None:
    """A folder below `generations/partial/`."""
    match = _PARTIAL.match(name)
    return FolderName(name=name, step=int(match["step"])) if match else None


def game_name(name: str) -> GameName | None:
    """A game file's name."""
    match = _GAME.match(name)
    return GameName(step=int(match["step"]), index=int(match["index"]), skill=match["skill"]) if match else None


def looks_like_game(name: str) -> bool:
    """Whether a name means to be a game's, well formed or not."""
    return name.startswith("game_") and name.endswith(".py")


def looks_like_hint(name: str) -> bool:
    """Whether a name means to be a hint's."""
    return name.startswith("game_") and name.endswith(_HINT_END)


def hint_of(game: str) -> str:
    """The name of the hint that belongs to a game's file name."""
    return game.removesuffix(".py") + _HINT_END


def basename(path: str) -> str:
    """The last component of a path as any system writes it: logs come from elsewhere."""
    return path.replace("\\", "/").rpartition("/")[2]


def shown(name: str) -> str:
    """A file name as text that every document can hold: what is no UTF-8 is escaped."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
