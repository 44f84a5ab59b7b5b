"""From what a game's workers wrote to findings and to the lines of the trace. Pure."""

import signal
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from runaudit.layouts.games.replay_box import Limits, Ran
from runaudit.model.finding import Finding

_SEEN = ("observation", "observation_length", "reward", "terminated", "truncated")
_KILLED = (-signal.SIGKILL, -signal.SIGXCPU, 128 + signal.SIGKILL, 128 + signal.SIGXCPU)
_TRACE = ("episode", "seed", "step", "action", *_SEEN, "info")


class Replayed(msgspec.Struct, frozen=True):
    """One game: its findings, how many steps and episodes were made, and its trace."""

    file: str
    findings: tuple[Finding, ...]
    episodes: int
    steps: int
    trace: tuple[dict[str, Any], ...]

    @property
    def sound(self) -> bool:
        """Whether the game kept its contract."""
        return not self.findings


def judge(file: str, runs: Sequence[Ran], limits: Limits) -> Replayed:
    """The game at `file` after its runs: the first, and, where that was whole, one in a new process."""
    first = runs[0]
    findings = [*_ending(file, first, limits), *_effects(file, first)]
    if not findings:
        findings += [found for other in runs[1:] for found in _ending(file, other, limits)]
        findings += _differences(file, runs)
    steps = _steps(first, again=False)
    trace = [{"game": file, **{key: step.get(key) for key in _TRACE}} for step in steps]
    if any(record["kind"] == "cut" for record in first.records):
        trace.append({"game": file, "cut": True})
    return Replayed(
        file=file,
        findings=tuple(findings),
        episodes=len({step.get("episode") for step in steps}),
        steps=sum(step.get("step") != 0 for step in steps),
        trace=tuple(trace),
    )


def whole(ran: Ran) -> bool:
    """Whether the worker got to its end without complaint."""
    return not ran.timed_out and any(record["kind"] == "end" for record in ran.records)


def _ending(file: str, ran: Ran, limits: Limits) -> Iterable[Finding]:
    phase = next((str(record.get("phase")) for record in reversed(ran.records) if record["kind"] == "phase"), "start")
    broken = next((record for record in ran.records if record["kind"] == "broken"), None)
    if any(record["kind"] == "limit" for record in ran.records):
        message = f"more than {limits.memory >> 20} MiB of memory, in {phase}"
        yield Finding(id="games-limit-reached", message=message, path=file)
    elif broken is not None:
        message = f"{broken.get('message')}, in {phase}"
        yield Finding(id="games-contract-broken", message=message, path=file)
    elif ran.timed_out:
        message = f"more than {limits.seconds:g} seconds, in {phase}"
        yield Finding(id="games-limit-reached", message=message, path=file)
    elif not whole(ran) and ran.code in _KILLED:
        message = f"killed by the system, at its limit of processor time or for want of memory, in {phase}"
        yield Finding(id="games-limit-reached", message=message, path=file)
    elif not whole(ran):
        message = f"it left the interpreter with exit code {ran.code}, in {phase}"
        yield Finding(id="games-contract-broken", message=message, path=file)


def _effects(file: str, ran: Ran) -> Iterable[Finding]:
    for record in ran.records:
        if record["kind"] == "effect":
            message = f"{record.get('effect')}: {record.get('what')}"
            yield Finding(id="games-side-effect", message=message, path=file)


def _differences(file: str, runs: Sequence[Ran]) -> Iterable[Finding]:
    first = _steps(runs[0], again=False)
    repeated = [step for step in first if step.get("episode") == 0]
    found = _difference(file, repeated, _steps(runs[0], again=True), "with a new instance in the same process")
    if found is None:
        others = [(_steps(other, again=False), "in a new process, with other hashes of text") for other in runs[1:]]
        found = next((one for other, how in others if (one := _difference(file, first, other, how))), None)
    if found is not None:
        yield found


def _steps(ran: Ran, *, again: bool) -> list[dict[str, Any]]:
    return [record for record in ran.records if record["kind"] == "step" and record.get("again") is again]


def _difference(
    file: str, first: Sequence[dict[str, Any]], second: Sequence[dict[str, Any]], how: str
) -> Finding | None:
    """The first thing that differs under one seed and the same actions. A trace that was cut is compared that far."""
    for one, other in zip(first, second, strict=False):
        for key in _SEEN:
            if one.get(key) != other.get(key):
                where = f"step {one.get('step')} of episode {one.get('episode')}"
                return Finding(
                    id="games-contract-broken",
                    message=f"under one seed it gives another {key} in {where}, {how}",
                    path=file,
                    expected=str(one.get(key))[:200],
                    found=str(other.get(key))[:200],
                )
    return None
