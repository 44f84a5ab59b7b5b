"""Drives one game in a process of its own, and writes what happened to standard output, one JSON object a line.

Started by path with a JSON argument (see `replay_box`), never imported by runaudit: it uses the standard library only,
so that any interpreter can run it. The limits are the kernel's (`setrlimit`); the audit hook refuses and reports
files, sockets, processes and threads. Both keep accidents small. Neither is a sandbox.
"""

from __future__ import annotations

import _thread
import json
import math
import os
import random
import re
import resource
import signal
import sys
from importlib.machinery import SourceFileLoader

# An import costs each game milliseconds: those that only the type checker needs are left out.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType
    from typing import Any

    Settings = dict[str, Any]


WORDS = ("up", "down", "left", "right", "yes", "no", "north", "south", "east", "west", "a", "b", "c", "help", "")
TOKEN = re.compile(r"\[[^\]\n]{1,20}\]|-?\d+|[A-Za-z]{1,16}")
LEGAL = ("legal_actions", "valid_actions", "available_actions", "actions")
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
EFFECTS = {
    "socket": "socket",
    "subprocess": "process",
    "os.fork": "process",
    "os.forkpty": "process",
    "os.exec": "process",
    "os.posix_spawn": "process",
    "os.spawn": "process",
    "os.system": "process",
    "os.kill": "process",
    "os.killpg": "process",
    "pty.spawn": "process",
}
FILE_EVENTS = (
    "os.remove",
    "os.rename",
    "os.mkdir",
    "os.rmdir",
    "os.link",
    "os.symlink",
    "os.truncate",
    "os.chmod",
    "os.chown",
    "os.utime",
    "shutil",
)
MOST_EFFECTS = 20
MOST_TEXT = 300
SEEN = 2000  # characters of an observation in which the policy looks for actions
FROM_TEXT = 0.8  # how often it takes one from there


class BrokenError(Exception):
    """The contract does not hold; the message says how."""


class Recorder:
    """Writes records past whatever the game does to standard output."""

    def __init__(self, settings: Settings) -> None:
        self.descriptor = os.dup(1)
        self.text_limit: int = settings["text_limit"]
        self.left: int = settings["record_size"]
        self.effects: set[tuple[str, str]] = set()
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        os.close(quiet)

    def write(self, **record: Any) -> None:
        data = json.dumps(record).encode() + b"\n"
        while data:
            data = data[os.write(self.descriptor, data) :]

    def phase(self, name: str) -> None:
        """What is being done, for the case that nothing comes after it."""
        self.write(kind="phase", phase=name)

    def step(self, **record: Any) -> None:
        """One step of the trace; too many bytes of them are cut, once and for all."""
        if self.left < 0:
            return
        self.left -= len(json.dumps(record))
        self.write(**(record if self.left >= 0 else {"kind": "cut"}))

    def effect(self, kind: str, what: str) -> None:
        """Each kind of effect and its object once: a loop must not fill the record."""
        if (kind, what) not in self.effects and len(self.effects) < MOST_EFFECTS:
            self.effects.add((kind, what))
            self.write(kind="effect", effect=kind, what=what[:200])


class Guard:
    """The audit hook. Writing below the scratch folder is let through a few times; everything else is refused."""

    def __init__(self, recorder: Recorder, scratch: str, files: int) -> None:
        self.recorder = recorder
        self.scratch = os.path.realpath(scratch) + os.sep
        self.files = files
        self.active = False

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.active:
            return
        kind = EFFECTS.get(event) or EFFECTS.get(event.partition(".")[0])
        if event == "open":
            self.opening(arguments[0], arguments[2])
        elif kind:
            self.refuse(kind, event)
        elif event in FILE_EVENTS or event.partition(".")[0] in FILE_EVENTS:
            self.writing(event, arguments[0] if arguments else "")

    def opening(self, path: object, flags: int | None) -> None:
        if isinstance(path, str | bytes | os.PathLike) and (flags or 0) & WRITING:
            self.writing("open", path)

    def writing(self, event: str, path: Any) -> None:
        try:
            name = os.path.realpath(os.fsdecode(path))
        except (TypeError, ValueError):
            name = repr(path)
        if name == os.devnull:
            return
        inside = (name + os.sep).startswith(self.scratch)
        shown = name[len(self.scratch) :] if inside else name
        self.active = False
        self.recorder.effect("file", f"{event} {shown}{'' if inside else ' (outside its folder)'}")
        self.active = True
        self.files -= 1
        if not inside or self.files < 0:
            raise PermissionError("replay: writing files is refused")

    def refuse(self, kind: str, event: str) -> None:
        self.active = False
        self.recorder.effect(kind, event)
        self.active = True
        raise PermissionError(f"replay: {event} is refused")


def refuse_threads(guard: Guard) -> None:
    """Before Python 3.12 no audit event tells of a thread, so the functions that start one are replaced."""

    def refused(*_: object, **__: object) -> None:
        guard.refuse("thread", "_thread.start_new_thread")

    for module in (_thread, sys.modules.get("threading")):
        for name in ("start_new_thread", "start_new", "_start_new_thread", "start_joinable_thread"):
            if hasattr(module, name):
                setattr(module, name, refused)


def limit(settings: Settings) -> None:
    """The kernel's limits, hard, so that the game cannot raise them."""
    pairs = (
        (resource.RLIMIT_AS, settings["memory"]),
        (resource.RLIMIT_CPU, settings["cpu_seconds"]),
        (resource.RLIMIT_FSIZE, settings["file_size"]),
        (resource.RLIMIT_NOFILE, settings["open_files"]),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NPROC, 1),
    )
    for which, wanted in pairs:
        _, hard = resource.getrlimit(which)
        value = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(which, (value, value))


def load(path: str) -> Any:
    """The one class of the file that has reset and step."""
    module = type(sys)("replayed_game")
    module.__file__ = path
    sys.modules["replayed_game"] = module
    SourceFileLoader("replayed_game", path).exec_module(module)
    found = [
        value
        for value in vars(module).values()
        if isinstance(value, type)
        and value.__module__ == "replayed_game"
        and callable(getattr(value, "reset", None))
        and callable(getattr(value, "step", None))
    ]
    found = list(dict.fromkeys(found))
    leaves = [one for one in found if not any(one is not other and issubclass(other, one) for other in found)]
    if len(leaves) != 1:
        names = ", ".join(one.__name__ for one in leaves) or "none"
        raise BrokenError(f"expected one class with reset and step, found {names}")
    return leaves[0]


def checked_tuple(value: object, what: str, wanted: Sequence[tuple[str, type]]) -> tuple[Any, ...]:
    """The value, when it is a tuple of the wanted types. An int passes as the reward, a bool as no number."""
    found = type(value).__name__
    if not isinstance(value, tuple) or len(value) != len(wanted):
        size = f" of {len(value)}" if isinstance(value, tuple | list) else ""
        raise BrokenError(f"{what} returned {found}{size}, expected a tuple of {len(wanted)}")
    for item, (name, kind) in zip(value, wanted, strict=True):
        right = isinstance(item, kind) or (kind is float and isinstance(item, int))
        if not right or (isinstance(item, bool) and kind is not bool):
            raise BrokenError(f"{what} returned {type(item).__name__} as {name}, expected {kind.__name__}")
    return value


RESET = (("observation", str), ("info", dict))
STEP = (("observation", str), ("reward", float), ("terminated", bool), ("truncated", bool), ("info", dict))


def choose(chance: random.Random, observation: str, info: dict[Any, Any]) -> str:
    """An action: one that the game names as legal, a token of the observation, or a common word."""
    for key in LEGAL:
        legal = info.get(key)
        if isinstance(legal, list | tuple) and legal:
            return str(chance.choice(list(legal)))
    tokens = TOKEN.findall(observation[-SEEN:])
    return chance.choice(tokens) if tokens and chance.random() < FROM_TEXT else chance.choice(WORDS)


def plain(info: dict[Any, Any], recorder: Recorder) -> Any:
    """The info as JSON; what is none is named by its type, because its text can hold addresses."""
    try:
        text = json.dumps(info, default=lambda value: {"type": type(value).__name__}, skipkeys=True)
    except (ValueError, RecursionError):
        return {"type": "dict"}
    return json.loads(text) if len(text) <= recorder.text_limit else {"cut": len(text)}


def episode(game: Any, settings: Settings, recorder: Recorder, number: int, *, again: bool) -> None:
    """One episode from reset to its end. Raises BrokenError."""
    chance = random.Random(f"{settings['seed']}:{settings['name']}:{number}")  # noqa: S311  # a policy, no secret
    common = {"kind": "step", "episode": number, "again": again, "seed": settings["seed"] + number}
    recorder.phase(f"reset of episode {number}")
    observation, info = checked_tuple(game.reset(seed=settings["seed"] + number), "reset", RESET)
    result: dict[str, Any] = {"reward": None, "terminated": False, "truncated": False}
    recorder.step(**common, step=0, action=None, **seen(observation, recorder), **result, info=plain(info, recorder))
    for step in range(1, settings["max_steps"] + 1):
        action = choose(chance, observation, info)
        recorder.phase(f"step {step} of episode {number}")
        observation, reward, terminated, truncated, info = checked_tuple(game.step(action), "step", STEP)
        if not math.isfinite(reward):
            raise BrokenError(f"step returned the reward {reward!r}, expected a finite number")
        result = {"reward": float(reward), "terminated": terminated, "truncated": truncated}
        text = seen(observation, recorder)
        recorder.step(**common, step=step, action=action, **text, **result, info=plain(info, recorder))
        if terminated or truncated:
            return
    raise BrokenError(f"not ended after {settings['max_steps']} steps")


def seen(observation: str, recorder: Recorder) -> dict[str, Any]:
    """The observation, cut to the limit, and its full length."""
    return {"observation": observation[: recorder.text_limit], "observation_length": len(observation)}


def drive(settings: Settings, recorder: Recorder) -> None:
    """All episodes, then the first one again with a new instance."""
    recorder.phase("import")
    game = load(settings["file"])
    for number, again in [*((number, False) for number in range(settings["episodes"])), (0, True)]:
        episode(game(), settings, recorder, number, again=again)
    recorder.write(kind="end")


def describe(error: BaseException) -> str:
    """What an exception says; its text is the game's own, and asking for it can fail as well."""
    try:
        return f"{type(error).__name__}: {error}"[:MOST_TEXT]
    except Exception:  # noqa: BLE001  # the game's own code
        return type(error).__name__


def out_of_time(_: int, __: FrameType | None) -> None:
    """For the case that nobody is left to stop the game from outside."""
    raise SystemExit("no time left")


def main(settings: Settings) -> None:
    """Sets the limits, then the hook, then runs the game."""
    recorder = Recorder(settings)
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [path for path in sys.path if os.path.abspath(path) != here]
    guard = Guard(recorder, settings["scratch"], settings["files"])
    os.chdir(settings["scratch"])
    limit(settings)
    signal.signal(signal.SIGALRM, out_of_time)
    signal.alarm(settings["alarm_seconds"])
    refuse_threads(guard)
    sys.addaudithook(guard)
    guard.active = True
    try:
        drive(settings, recorder)
    except BrokenError as error:
        recorder.write(kind="broken", message=str(error))
    except MemoryError:
        recorder.write(kind="limit", limit="memory")
    except SystemExit as error:
        recorder.write(kind="broken", message=f"it left the interpreter (SystemExit {str(error.code)[:MOST_TEXT]})")
    except BaseException as error:  # noqa: BLE001  # whatever a game raises is its fault, and reported
        recorder.write(kind="broken", message=f"it raised {describe(error)}")


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
