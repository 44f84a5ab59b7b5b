"""Starts the wrapper around small commands and shows what came through."""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
DRIVER = str(Path(__file__).with_name("run_driver.py"))


class Wrapped:
    """A folder for one run: builds command lines, reads what the steps recorded."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.output = folder / "rollouts.jsonl"

    def line(self, *command: str, **options: Any) -> list[str]:
        told = json.dumps({"output": str(self.output), **options})
        return [sys.executable, "-c", START, DRIVER, told, *command]

    def run(self, *command: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(self.line(*command, **options), capture_output=True, check=False, timeout=60, cwd=ROOT)

    def popen(self, *command: str, **options: Any) -> subprocess.Popen[bytes]:
        """In a process group of its own, so that a signal to the group reaches nobody else."""
        return subprocess.Popen(
            self.line(*command, **options),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=ROOT,
            start_new_session=True,
        )

    @property
    def signed(self) -> bool:
        return Path(f"{self.output}.before").exists()

    @property
    def preparing(self) -> bool:
        return Path(f"{self.output}.preparing").exists()

    @property
    def summary(self) -> list[Any] | None:
        """What the summary step was told: signatures, resumed, code, signal; None when it did not end well."""
        path = Path(f"{self.output}.after")
        return json.loads(path.read_text()) if path.exists() else None

    @property
    def summary_started(self) -> bool:
        return Path(f"{self.output}.started").exists()


# Runs the driver as a program, importing the package from the working directory.
START = (
    "import runpy, sys; sys.argv = sys.argv[1:]; sys.path.insert(0, '.'); "
    "runpy.run_path(sys.argv[0], run_name='__main__')"
)


def until(condition: Callable[[], bool], seconds: float = 20.0) -> None:
    """Waits for a condition; fails when it does not come."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)
