"""A stand-in for `runaudit run` whose own steps misbehave as told: `run_driver.py OPTIONS-AS-JSON COMMAND…`."""

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

from runaudit.cli.exits import complain
from runaudit.cli.leave import leave_as
from runaudit.usecases.process import Ending
from runaudit.usecases.run import Dispatch, Expectation, run_command
from runaudit.write.atomic import replace


def recurse(depth: int = 0) -> int:
    return recurse(depth + 1) + 1


def fill_memory() -> None:
    raise MemoryError


def fail() -> None:
    raise ValueError("broken\nin two lines")


def write_noise() -> None:
    os.write(1, b"noise of ours\n")
    sys.stdout.write("more noise\n")
    sys.stdout.flush()


def swallow_terminations() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(600)


def interrupt() -> None:
    raise KeyboardInterrupt


def become_nobody() -> None:
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)


MISBEHAVE: dict[str, Callable[[], object]] = {
    "fine": lambda: None,
    "fail": fail,
    "recursion": recurse,
    "memory": fill_memory,
    "interrupt": interrupt,
    "exit": lambda: sys.exit(9),
    "crash": lambda: os.kill(os.getpid(), signal.SIGSEGV),
    "hang": swallow_terminations,
    "noise": write_noise,
    "nobody": become_nobody,
}


def main() -> int:
    options: dict[str, Any] = json.loads(sys.argv[1])
    output = options["output"]

    def before(rollouts: str) -> str:
        replace(f"{rollouts}.preparing", [b""])
        MISBEHAVE[options.get("before", "fine")]()
        replace(f"{rollouts}.before", [b"seen"])
        return f"{rollouts}.before"

    def after(rollouts: str, dispatch: Dispatch, ending: Ending) -> str | None:
        replace(f"{rollouts}.started", [b""])
        MISBEHAVE[options.get("after", "fine")]()
        told = [dispatch.signatures, dispatch.resumed, ending.code, ending.signal]
        replace(f"{rollouts}.after", [json.dumps(told).encode()])
        return None

    expectation = Expectation(output=output, resume=options.get("resume", False))
    ending = run_command(
        sys.argv[2:],
        expectation,
        before=before,
        after=after,
        complain=complain,
        summary_seconds=options.get("seconds", 10.0),
        signature_seconds=options.get("seconds", 10.0),
    )
    return leave_as(ending)


if __name__ == "__main__":
    sys.exit(main())
