"""Replays the games of an export: drives each through reset and step, and checks its contract.

This runs other people's code. It happens on request only; `layouts.games.replay_box` says what holds it and what not.
"""

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import msgspec
import orjson

from runaudit.errors import InputError, UsageError
from runaudit.layouts.games.listing import look_through
from runaudit.layouts.games.names import looks_like_game
from runaudit.layouts.games.replay_box import Isolation, Limits, Play, isolation, run
from runaudit.layouts.games.replay_judge import Replayed, judge, whole
from runaudit.model.check import Check
from runaudit.model.finding import Level
from runaudit.model.report import Report
from runaudit.usecases.games_settings import Settings, concluded_on
from runaudit.write.atomic import replace

__all__ = ["Limits", "Play", "replay_games"]


class _Target(msgspec.Struct, frozen=True):
    """A game to replay: its name in the report, and where it is."""

    name: str
    path: str


def replay_games(
    root: str,
    *,
    play: Play | None = None,
    limits: Limits | None = None,
    jobs: int = 2,
    only: Sequence[str] = (),
    python: str | None = None,
    once: bool = False,
    trace: str | None = None,
    progress: Callable[[int, int], None] | None = None,
    fail_on: Level | None = "error",
    settings: Settings | None = None,
) -> Report:
    """Replays every game of the export (or the one game file) at `root`, `jobs` at a time, each in its own process.

    `only` keeps the games whose path holds one of the texts. `python` is the interpreter, by default this one. With
    `once` there is no second process with other hashes of text: half the time, and what depends on them is not found.
    `trace` is where the steps of the first run go, a JSON object a line. `progress` hears how many of how many are
    done. Raises InputError when there is no game, UsageError when `python` is no program: what never started is no
    fault of a game. Raises OutputError when the trace or what the games do cannot be written.
    """
    if python is not None and shutil.which(python) is None:
        raise UsageError(f"--python {python}: there is no such program")
    targets = [target for target in _targets(root) if not only or any(text in target.name for text in only)]
    if not targets:
        raise InputError(f"{root}: no game to replay")
    held, given, drawn = isolation(), limits or Limits(), play or Play()

    def one(target: _Target) -> Replayed:
        return _replay(target, drawn, given, held, python, once=once)

    found: list[Replayed] = []
    with ThreadPoolExecutor(max_workers=jobs) as pool:
        for replayed in pool.map(one, targets):
            found.append(replayed)
            if progress is not None:
                progress(len(found), len(targets))
    if trace is not None:
        replace(trace, _lines(found))
    return _report(root, found, held, fail_on, settings)


def _targets(root: str) -> list[_Target]:
    if os.path.isfile(root):
        return [_Target(name=os.path.basename(root), path=root)]
    if not os.path.isdir(root):
        raise InputError(f"{root}: no such file or folder")
    export = look_through(root)
    if export.folders:
        return [_Target(name=game.path, path=os.path.join(root, game.path)) for game in export.games]
    names = sorted(name for name in os.listdir(root) if looks_like_game(name))
    return [_Target(name=name, path=os.path.join(root, name)) for name in names]


def _replay(
    target: _Target, play: Play, limits: Limits, held: Isolation, python: str | None, *, once: bool
) -> Replayed:
    """Two processes with different hashes of text; the second only where the first was whole."""
    runs = [run(target.path, target.name, play, limits, held, hash_seed=1, python=python)]
    if not once and whole(runs[0]):
        runs.append(run(target.path, target.name, play, limits, held, hash_seed=2, python=python))
    return judge(target.name, runs, limits)


def _lines(found: Sequence[Replayed]) -> Iterator[bytes]:
    for replayed in found:
        for record in replayed.trace:
            yield orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE)


def _report(
    root: str, found: Sequence[Replayed], held: Isolation, fail_on: Level | None, settings: Settings | None
) -> Report:
    findings = [finding for replayed in found for finding in replayed.findings]
    broken = [replayed.file for replayed in found if not replayed.sound]
    network = Check(name="network cut", made=held.network_cut, reason=held.reason)
    processes = Check(name="process namespace", made=held.processes_held, reason=held.reason)
    checks = (Check(name="contract", made=True, count=len(found)), network, processes)
    concluded = concluded_on(findings, checks, settings, judged=len(found), fail_on=fail_on)
    counts = {
        "games": len(found),
        "sound": len(found) - len(broken),
        "not_sound": len(broken),
        "episodes": sum(replayed.episodes for replayed in found),
        "steps": sum(replayed.steps for replayed in found),
    }
    return Report(
        kind="games_replay",
        version=1,
        subject=root,
        verdict=concluded.verdict,
        checks=checks,
        findings=concluded.findings,
        body={"counts": counts, "network": "cut" if held.network_cut else "not cut"},
        headline=(
            f"{counts['sound']} of {counts['games']} games are sound, {counts['steps']} steps",
            f"network: {'cut' if held.network_cut else f'not cut ({held.reason})'}; this is no sandbox",
        ),
        configuration=concluded.configuration,
        fail_on=fail_on,
    )
