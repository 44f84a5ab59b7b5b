"""Lays one case of fixtures/cases out in a temporary place and does the steps of its expect.json that touch files.

What git cannot hold (times, modes, links, pipes, odd names) stands in the case's SETUP.json. In texts, arguments and
link targets @CASE@ is the place where the case was laid out and @HERE@ where it is now.
"""

import base64
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Step = dict[str, Any]
_ABOUT = ("SETUP.json", "EXPECT.md", "expect.json")
NOBODY = 65534


def lay_out(case: Path, place: Path) -> Path:
    """A copy of a case as its SETUP.json wants it."""
    shutil.copytree(case, place, symlinks=True, ignore=shutil.ignore_patterns(*_ABOUT))
    setup = json.loads((case / "SETUP.json").read_text())
    for name, content in setup.get("files", {}).items():
        _write(place / name, content, str(place))
    for path in place.rglob("*.json*"):
        if path.is_file() and b"@CASE@" in (data := path.read_bytes()):
            path.write_bytes(data.replace(b"@CASE@", str(place).encode()))
    for name, target in setup.get("symlinks", {}).items():
        (place / name).symlink_to(target)
    for name in setup.get("fifos", []):
        os.mkfifo(place / name)
    for name, seconds in setup.get("mtimes", {}).items():
        os.utime(place / name, (seconds, seconds))
    for name, mode in setup.get("modes", {}).items():
        (place / name).chmod(int(mode, 8))
    return place


def _write(path: Path, content: Step, here: str, *, mode: str = "wb") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    data = base64.b64decode(content["base64"]) if "base64" in content else content["text"].encode()
    with path.open(mode) as file:
        file.write(data.replace(b"@CASE@", here.encode()))


@dataclass
class Folder:
    """Where a case was laid out, and where it is now."""

    laid: Path
    here: Path

    def filled(self, text: str) -> str:
        """The text with this folder's places put in."""
        return text.replace("@CASE@", str(self.laid)).replace("@HERE@", str(self.here))

    def give_away(self) -> None:
        """Hands every file to an unprivileged user."""
        for folder, _, names in os.walk(self.laid):
            for name in (".", *names):
                os.chown(os.path.join(folder, name), NOBODY, NOBODY, follow_symlinks=False)

    def do(self, step: Step) -> bool:
        """Does a step that touches files; False when the step is a command."""
        action = getattr(self, f"_{step['do'].replace(' ', '_')}", None)
        if action is None:
            return False
        action(step)
        return True

    def _write(self, step: Step) -> None:
        _write(self.here / step["path"], step, str(self.laid))

    def _append(self, step: Step) -> None:
        _write(self.here / step["path"], step, str(self.laid), mode="ab")

    def _truncate(self, step: Step) -> None:
        os.truncate(self.here / step["path"], step["size"])

    def _delete(self, step: Step) -> None:
        path = self.here / step["path"]
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()

    def _utime(self, step: Step) -> None:
        for name, seconds in step["mtimes"].items():
            os.utime(self.here / name, (seconds, seconds))

    def _symlink(self, step: Step) -> None:
        (self.here / step["path"]).symlink_to(self.filled(step["target"]))

    def _copy(self, step: Step) -> None:
        source, target = self.here / step["from"], self.here / step["to"]
        if source.is_dir():
            shutil.copytree(source, target, symlinks=True)
        else:
            shutil.copy2(source, target)

    def _move(self, step: Step) -> None:
        target = self.laid.parent / step["to"]
        target.parent.mkdir(parents=True, exist_ok=True)
        self.here = self.here.rename(target)

    def _python(self, step: Step) -> None:
        subprocess.run([sys.executable, *step["args"]], cwd=self.here, check=True)
