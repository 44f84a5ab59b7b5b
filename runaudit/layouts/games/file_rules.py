"""The list against the disk: every entry has its file with its bytes, every file its entry, hints where they belong."""

from collections.abc import Iterable, Sequence

from runaudit.layouts.games.export import Export, Game
from runaudit.layouts.games.names import MEMORY, SKILLS, basename
from runaudit.layouts.games.stated import Stated, StatedGame
from runaudit.model.finding import Finding


def matched(stated: Stated, export: Export) -> list[tuple[StatedGame, Game | None]]:
    """Each entry with its file. An entry may name the path, the folder and the name, or a name that is unique."""
    by_path = {game.path: game for game in export.games}
    by_name: dict[str, list[Game]] = {}
    for game in export.games:
        by_name.setdefault(game.file_name, []).append(game)
    return [(entry, by_path.get(entry.file) or _by_name(entry, by_name)) for entry in stated.games]


def _by_name(entry: StatedGame, by_name: dict[str, list[Game]]) -> Game | None:
    candidates = by_name.get(basename(entry.file), [])
    if "/" in entry.file:
        ends = [game for game in candidates if game.path.endswith("/" + entry.file)]
        return ends[0] if len(ends) == 1 else None
    if entry.generation is not None:
        candidates = [game for game in candidates if game.folder.name == basename(entry.generation)]
    return candidates[0] if len(candidates) == 1 else None


def files(pairs: Sequence[tuple[StatedGame, Game | None]], export: Export) -> list[Finding]:
    """Files missing, unlisted, listed twice, or with other bytes than the manifest states."""
    findings: list[Finding] = []
    listed: set[str] = set()
    for entry, game in pairs:
        if game is None:
            message = "the manifest lists it, and it is not there under this name"
            findings.append(Finding(id="games-file-missing", message=message, path=entry.file))
            continue
        if game.path in listed:
            message = f"the manifest lists it again in games[{entry.position}]"
            findings.append(Finding(id="games-listed-twice", message=message, path=game.path))
        listed.add(game.path)
        findings += _bytes(entry, game)
    message = "a game that no entry of the manifest lists"
    findings += [
        Finding(id="games-file-unlisted", message=message, path=game.path)
        for game in export.games
        if game.path not in listed
    ]
    return findings


def _bytes(entry: StatedGame, game: Game) -> Iterable[Finding]:
    for path, expected, found in (
        (game.path, entry.sha256, game.sha256),
        (game.hint, entry.hint_sha256, game.hint_sha256),
    ):
        if path is not None and expected is not None and found is not None and expected.lower() != found:
            message = "its bytes are not those that the manifest states"
            yield Finding(id="games-file-changed", message=message, path=path, expected=expected, found=found)


def hints(pairs: Sequence[tuple[StatedGame, Game | None]], export: Export) -> list[Finding]:
    """Hints: as listed, one for each game of a full snapshot, none in partial steps, none without a game."""
    findings: list[Finding] = []
    for entry, game in pairs:
        if game is not None and entry.states_hint:
            findings += _stated_hint(entry, game)
    for game in export.games:
        if game.folder.full and game.hint is None:
            message = "a game of a full snapshot without its hint"
            findings.append(Finding(id="games-hint-missing", message=message, path=game.path))
        if not game.folder.full and game.hint is not None:
            message = "a hint in a partial step, which has none"
            findings.append(Finding(id="games-hint-unexpected", message=message, path=game.hint))
    message = "a hint whose game is not there"
    findings += [Finding(id="games-orphan-hint", message=message, path=path) for path in export.orphan_hints]
    return findings


def _stated_hint(entry: StatedGame, game: Game) -> Iterable[Finding]:
    if entry.hint is None and game.hint is not None:
        yield Finding(id="games-file-unlisted", message="the manifest states no hint for its game", path=game.hint)
    elif entry.hint is not None and game.hint is None:
        yield Finding(id="games-file-missing", message="a hint that the manifest lists", path=entry.hint)
    elif entry.hint is not None and game.hint is not None and _is_another(entry.hint, game.hint):
        message = "the manifest lists another hint for this game"
        yield Finding(id="games-name-wrong", message=message, path=game.path, expected=game.hint, found=entry.hint)


def _is_another(stated: str, hint: str) -> bool:
    """Whether an entry states another hint file; a maker can also put the hint's text there."""
    return stated.endswith(".txt") and "\n" not in stated and basename(stated) != basename(hint)


def memory(stated: Stated, export: Export) -> list[Finding]:
    """The environment memory is there, with the stated bytes."""
    summary = stated.summary
    promised = summary.memory_entries is not None or summary.memory_sha256 is not None
    if export.memory is None:
        if not promised:
            return []
        return [Finding(id="games-file-missing", message="the manifest counts its entries", path=MEMORY)]
    found = export.memory.sha256
    if summary.memory_sha256 is None or found is None or summary.memory_sha256.lower() == found:
        return []
    message = "its bytes are not those that the manifest states"
    return [Finding(id="games-file-changed", message=message, path=MEMORY, expected=summary.memory_sha256, found=found)]


def names(export: Export, skills: frozenset[str]) -> list[Finding]:
    """Names that contradict their place: the step, an index used twice, a skill that nobody knows."""
    known = skills | frozenset(SKILLS)
    seen: dict[tuple[str, int], str] = {}
    findings = []
    for game in export.games:
        if game.name.step != game.folder.step:
            message = "its name states another step than its folder"
            findings.append(_wrong(game, message, str(game.folder.step), str(game.name.step)))
        first = seen.setdefault((game.folder.name, game.name.index), game.path)
        if first != game.path:
            message = f"index {game.name.index} is used twice in {game.folder.name}; first by {basename(first)}"
            findings.append(_wrong(game, message, "an index of its own", str(game.name.index)))
        if game.name.skill.lower() not in known:
            message = "its name ends in no known skill"
            findings.append(_wrong(game, message, ", ".join(sorted(known)), game.name.skill))
    return findings + _generations(export)


def _generations(export: Export) -> list[Finding]:
    first: dict[int, str] = {}
    findings = []
    for folder in export.folders:
        if folder.generation is not None and first.setdefault(folder.generation, folder.name) != folder.name:
            message = f"generation {folder.generation} has two folders; the other is {first[folder.generation]}"
            findings.append(Finding(id="games-name-wrong", message=message, path=folder.name))
    return findings


def fields(pairs: Sequence[tuple[StatedGame, Game | None]]) -> list[Finding]:
    """What an entry says of its file against what the file's own name and folder say."""
    findings = []
    for entry, game in pairs:
        if game is None:
            continue
        generation = None if entry.generation is None else basename(entry.generation)
        said = (
            ("generation", generation, {game.folder.name, str(game.folder.generation)}),
            ("step", entry.step, {game.name.step}),
            ("index", entry.index, {game.name.index}),
            ("skill", entry.skill and entry.skill.lower(), {game.name.skill.lower()}),
        )
        for name, stated, allowed in said:
            if stated is not None and stated not in allowed:
                message = f"games[{entry.position}].{name} is not what the file's name and folder say"
                findings.append(_wrong(game, message, max(map(str, allowed)), str(stated)))
    return findings


def _wrong(game: Game, message: str, expected: str, found: str) -> Finding:
    return Finding(id="games-name-wrong", message=message, path=game.path, expected=expected, found=found)
