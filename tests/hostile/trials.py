"""One trial: a sound folder, a damage, the commands, and a judgement of each answer and of what was touched."""

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.hostile import judging
from tests.hostile.bounded import RESIDENT, Bounded, Ran, preload, run_bounded
from tests.hostile.damages import Harm, Scene, damage
from tests.hostile.judging import SUMMARIES, Judgement, Trial
from tests.hostile.sound import KINDS, MANIFEST
from tests.oracle import count_harbor, count_rows
from tests.oracle.recorded import content

# docs/exit-codes.md, by the first words of a command
CODES = {
    "verify": {0, 1, 3},
    "summarize": {0, 3},
    "manifest": {0, 1, 3},
    "claims": {0, 1, 2, 3},
    "games": {0, 1, 3},
    "diff": {0, 1, 2, 3},
    "show": {0, 3},
}
LEDGER = "runaudit_ledger.jsonl"
_BUGS = ("Traceback", "internal error")
Judge = Callable[[Trial, Ran], Judgement]


@dataclass(frozen=True)
class Result:
    """A trial's number, its damage, and what was said of each command; faults go first."""

    kind: str
    number: int
    harm: Harm
    judgements: tuple[Judgement, ...]

    @property
    def faults(self) -> tuple[str, ...]:
        """What went wrong."""
        return tuple(judgement.why for judgement in self.judgements if judgement.word == "fault")

    @property
    def word(self) -> str:
        """The weightiest word: a fault, else found, else undetectable, else harmless."""
        words = {judgement.word for judgement in self.judgements}
        return next(word for word in ("fault", "found", "undetectable", "harmless") if word in words)


class Stage:
    """Where the trials of one kind of folder take place, one after the other."""

    def __init__(self, top: Path, name: str) -> None:
        preload()
        self.kind = KINDS[name]
        self._top = top / name.replace(" ", "-")
        self._top.mkdir(parents=True)
        self._here, self._outside, self._out = (self._top / part for part in ("here", "outside", "out"))
        self._sound, self._seen = self._top / "sound", self._top / "seen"
        self.kind.make(self._here)
        shutil.copytree(self._here, self._sound)
        self._seen.mkdir()
        self._before = self._answers_before()

    def _answers_before(self) -> Any:
        """The summary that `summarize` makes of the sound folder."""
        if self.kind.name not in SUMMARIES:
            return None
        self._lay_out()
        ran = run_bounded([self._worded(self.kind.commands[-1])], self._out).ran
        return json.loads(ran[0].out)

    def _lay_out(self) -> None:
        """The sound folder at its place, nothing outside it, an empty folder that everybody may write to."""
        for folder in (self._here, self._outside, self._out):
            shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self._sound, self._here)
        self._outside.mkdir()
        self._out.mkdir()
        self._out.chmod(0o777)

    def _worded(self, command: tuple[str, ...]) -> tuple[str, ...]:
        expect = ""
        if "{expect}" in command:
            expect = hashlib.sha256((self._sound / MANIFEST).read_bytes()).hexdigest()
        return tuple(word.format(here=self._here, out=self._out, expect=expect) for word in command)

    def trial(self, seed: int, number: int) -> Result:
        """Lays the sound folder out, damages it, runs the commands and judges."""
        self._lay_out()
        if self.kind.before:
            run_bounded([self._worded(command) for command in self.kind.before], self._out)
        harm = damage(Scene(self._here, self._outside), seed, number)
        held = _held(self._top, self._out)
        told = run_bounded([self._worded(command) for command in self.kind.commands], self._out)
        trial = Trial(self.kind.name, harm, self._sound, self._here, told.ran)
        judgements = [*self._behaviour(told), *self._untouched(held, told)]
        judgements += [self._judge(trial, ran) for ran in told.ran if ran.code in CODES[ran.words[0]]]
        if self.kind.name in SUMMARIES and number % 3 == 0:
            judgements += self._rewritten(held)
        return Result(self.kind.name, number, harm, tuple(judgements))

    def _rewritten(self, held: dict[str, Any]) -> list[Judgement]:
        """`summarize` where it writes by itself: its document, and a line of the ledger, are all that is another."""
        told = run_bounded([self._worded(self.kind.commands[-1][:2])], self._out, drop=False)
        name = SUMMARIES[self.kind.name]
        own = [name, name.replace("run_summary", "runaudit_summary"), LEDGER]
        now = _held(self._top, self._out)
        ours = {str(self._here / one) for one in own}
        changed = [path for path in held.keys() | now.keys() if held.get(path) != now.get(path) and path not in ours]
        found = self._behaviour(told)
        if changed:
            found.append(judging.fault(f"changed while the summary was written: {sorted(changed)[:3]}"))
        return found

    def roles(self) -> list[str]:
        """One file of the sound folder for each role that a file can have in it."""
        files = sorted(str(path.relative_to(self._sound)) for path in self._sound.rglob("*") if path.is_file())
        return list({(judging.role(path), path.count("/")): path for path in reversed(files)}.values())[::-1]

    def with_content(self, path: str, change: Callable[[bytes], bytes]) -> tuple[Bounded, list[str]]:
        """The commands over a folder in which one file has other content, and what they did wrong."""
        self._lay_out()
        (self._here / path).write_bytes(change((self._sound / path).read_bytes()))
        held = _held(self._top, self._out)
        told = run_bounded([self._worded(command) for command in self.kind.commands], self._out)
        return told, [judgement.why for judgement in (*self._behaviour(told), *self._untouched(held, told))]

    def _behaviour(self, told: Bounded) -> list[Judgement]:
        """No crash, no hang, no blow-up, no exit code that nobody promised."""
        found = [judging.fault(told.died)] if told.died else []
        if told.resident > RESIDENT:
            found.append(judging.fault(f"{told.resident >> 10} MiB of memory"))
        for ran in told.ran:
            if any(bug in ran.err for bug in _BUGS):
                found.append(judging.fault(f"{ran.words[0]}: {ran.err.strip()[-300:]}"))
            elif ran.code not in CODES[ran.words[0]]:
                found.append(judging.fault(f"{ran.words[0]}: exit {ran.code}: {ran.err.strip()[:200]}"))
        return found

    def _untouched(self, held: dict[str, Any], told: Bounded) -> list[Judgement]:
        """Nothing outside the folder was opened, and nothing anywhere was changed."""
        here, out, top = (os.path.realpath(path) for path in (self._here, self._out, self._top))
        named = [os.path.realpath(word) for command in self.kind.commands for word in self._worded(command)]
        inside = (here, out, *(path for path in named if os.path.isfile(path)))
        away = [path for path in told.read if _below(path, top) and not any(_below(path, one) for one in inside)]
        away = [path for path in away if path != top]
        wrote = [path for path in told.written if not _below(path, out) and path != os.devnull]
        now = _held(self._top, self._out)
        changed = sorted(path for path in held.keys() | now.keys() if held.get(path) != now.get(path))
        said = {"opened outside": away, "opened for writing": wrote, "changed": changed}
        return [judging.fault(f"{what}: {paths[:3]}") for what, paths in said.items() if paths]

    def _judge(self, trial: Trial, ran: Ran) -> Judgement:
        if ran.words[0] == "verify":
            return judging.verified(trial, ran, SUMMARIES[self.kind.name])
        if ran.words[0] == "summarize":
            return judging.summarized(trial, ran, self._before, self._counted)
        if ran.words[0] == "manifest":
            return judging.manifest_checked(trial, ran, anchored="--expect" in ran.words)
        if ran.words[0] == "games":
            return judging.games_verified(trial, ran, with_logs="--logs" in ran.words)
        judge: dict[str, Judge] = {
            "claims": judging.claims_checked,
            "diff": judging.compared,
            "show": judging.shown,
        }
        return judge[ran.words[0]](trial, ran)

    def _counted(self, folder: Path) -> Any:
        """The independent count over what a stranger may read inside the folder; None where it has no opinion."""
        shutil.rmtree(self._seen)
        self._seen.mkdir()
        for path in folder.rglob("*"):
            name = str(path.relative_to(folder))
            data = content(folder, name)
            if data is not None:
                (self._seen / name).parent.mkdir(parents=True, exist_ok=True)
                (self._seen / name).write_bytes(data)
        try:
            if self.kind.name == "Harbor job":
                return count_harbor.count(self._seen)
            counted = count_rows.count(self._seen / "rollouts.jsonl")
            # the order of the inputs is no answer
            return {**counted, "tasks": sorted(counted["tasks"], key=repr)}
        except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
            # a reader of finished results only
            return None


def _below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder + "/")


def _held(top: Path, out: Path) -> dict[str, Any]:
    """Everything that lies below a folder: kinds, modes, content, links. Without what the commands print."""
    found: dict[str, Any] = {}
    for where, folders, files in os.walk(top):
        if Path(where) in (out, out.parent / "seen"):
            folders.clear()
            continue
        for name in (*folders, *files):
            path = os.path.join(where, name)
            status = os.lstat(path)
            said: Any = os.readlink(path) if os.path.islink(path) else None
            if said is None and os.path.isfile(path):
                with open(path, "rb") as file:
                    said = hashlib.sha1(file.read(), usedforsecurity=False).digest()
            found[path] = (status.st_mode, said)
    return found
