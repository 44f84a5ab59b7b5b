"""Every folder of fixtures/cases is a test: laid out, taken through its steps, and held against its expectations.

A step's command is looked up among the commands that there are; a step of an absent one is left out, and the reason
printed.
"""

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import pytest

from runaudit.cli.exits import guarded
from runaudit.cli.main import cli
from tests.stories.case_expectations import CHECKS, strings
from tests.stories.case_folder import NOBODY, Folder, Step, lay_out

CASES = Path(__file__).parents[2] / "fixtures" / "cases"
FOLDERS = sorted(path.parent for path in CASES.glob("*/expect.json"))
# commands that report on standard output; the others write documents
REPORTS = {"verify", "diff", "manifest verify", "claims check", "games verify"}
_OF_THE_RUN = {"exit", "unchanged", "in_output", "not_in_output", "max_seconds", "max_rss_mib"}
_MEASURED = """
import sys
from runaudit.cli.exits import guarded
code = guarded(sys.argv[2:])
with open("/proc/self/status") as status, open(sys.argv[1], "w") as told:
    told.write(next(line.split()[1] for line in status if line.startswith("VmHWM")))
sys.exit(code)
"""


@dataclass(frozen=True)
class Ran:
    """What a command left: exit code, what it printed, its document (None: none), seconds, peak memory in MiB."""

    exit: int
    printed: str
    text: str
    seconds: float
    mebibytes: float = 0.0

    @property
    def document(self) -> Any:
        """The document, which must be strict JSON."""
        return json.loads(self.text, parse_constant=_refuse) if self.text.strip() else None


def _refuse(token: str) -> None:
    pytest.fail(f"the document holds {token}")


def is_absent(step: Step) -> bool:
    """Whether there is no such command yet."""
    command: click.Command | None = cli
    context = click.Context(cli)
    for word in step["do"].split():
        try:
            command = command.get_command(context, word) if isinstance(command, click.Group) else None
        except ModuleNotFoundError:
            command = None
    return command is None


@contextlib.contextmanager
def _place(folder: Folder, *, unprivileged: bool) -> Iterator[None]:
    """In the case's folder; as nobody where the case asks for it and we are root."""
    old = Path.cwd()
    os.chdir(folder.here)
    dropped = unprivileged and os.geteuid() == 0
    try:
        if dropped:
            os.setegid(NOBODY)
            os.seteuid(NOBODY)
        yield
    finally:
        if dropped:
            os.seteuid(0)
            os.setegid(0)
        os.chdir(old)


def run_in_process(words: list[str]) -> tuple[int, str, str]:
    """Exit code, standard output, standard error."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2)]
    with contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]):
        code = guarded(words)
    out, err = (stream.buffer.getvalue().decode("utf-8", "replace") for stream in streams)
    return code, out, err


def run_measured(words: list[str]) -> tuple[int, str, str, float]:
    """The same in a process of its own, with its peak memory in MiB."""
    with tempfile.NamedTemporaryFile("r") as told:
        ran = subprocess.run([sys.executable, "-c", _MEASURED, told.name, *words], capture_output=True, check=False)
        return ran.returncode, ran.stdout.decode(), ran.stderr.decode(), int(told.read()) / 1024


def run_step(step: Step, folder: Folder, *, unprivileged: bool) -> Ran:
    """Runs the command of a step and takes up what it left."""
    arguments = [folder.filled(word) for word in step.get("args", [])]
    words = [*step["do"].split(), *arguments, *(["--format", "json"] if step["do"] in REPORTS else [])]
    measured = "max_rss_mib" in step.get("expect", {}) and Path("/proc/self/status").exists()
    begin = time.monotonic()
    with _place(folder, unprivileged=unprivileged):
        code, out, err, *peak = run_measured(words) if measured else run_in_process(words)
    text = out if step["do"] in REPORTS else ""
    if step["do"] == "summarize":
        text = _summary_text(arguments, folder.here)
    return Ran(code, out + err, text, time.monotonic() - begin, *peak)


def _summary_text(arguments: list[str], here: Path) -> str:
    rollouts = here / next(word for word in arguments if word.endswith((".jsonl", ".jsonl.gz")))
    stem = rollouts.name.removesuffix(".gz").removesuffix(".jsonl")
    names = [f"{stem}_runaudit_summary.json", f"{stem}_run_summary.json"]
    return next((path.read_text() for name in names if (path := rollouts.with_name(name)).is_file()), "")


def differences(ran: Ran, expected: dict[str, Any]) -> list[str]:
    """What differs from a step's expectation."""
    unknown = set(expected) - _OF_THE_RUN - set(CHECKS)
    found = [f"no such expectation: {name}" for name in sorted(unknown)]
    if ran.exit not in expected.get("exit", [ran.exit]):
        found.append(f"exit code {ran.exit}, want {expected['exit']}: {ran.printed[-300:]}")
    if "internal error" in ran.printed:
        found.append(ran.printed)
    document = ran.document
    whole = "\n".join([ran.printed, ran.text, *strings(document)])
    found += [f"{text!r} is in the output" for text in expected.get("not_in_output", []) if text in whole]
    found += [f"{text!r} is not in the output" for text in expected.get("in_output", []) if text not in whole]
    if ran.seconds > expected.get("max_seconds", ran.seconds):
        found.append(f"it took {ran.seconds:.1f} s")
    if ran.mebibytes > expected.get("max_rss_mib", ran.mebibytes):
        found.append(f"it took {ran.mebibytes:.0f} MiB, want {expected['max_rss_mib']}")
    for name in CHECKS.keys() & expected.keys():
        found += CHECKS[name](document, expected[name]) if isinstance(document, dict) else ["there is no document"]
    return found


def take_steps(plan: dict[str, Any], folder: Folder) -> Iterator[str]:
    """Does every step of a plan; yields what differs."""
    for number, step in enumerate(plan["steps"], 1):
        if folder.do(step):
            continue
        title = f"step {number} ({step['do']} {' '.join(step.get('args', []))})"
        if is_absent(step):
            print(f"{title} left out: there is no such command yet")  # noqa: T201  # for the reader
            continue
        expected = step.get("expect", {})
        kept = [folder.here / name for name in expected.get("unchanged", [])]
        before = [path.read_bytes() if path.is_file() else None for path in kept]
        ran = run_step(step, folder, unprivileged=plan.get("unprivileged", False))
        yield from (f"{title}: {told}" for told in differences(ran, expected))
        after = [path.read_bytes() if path.is_file() else None for path in kept]
        yield from (f"{title}: {path.name} changed" for path, a, b in zip(kept, before, after, strict=True) if a != b)


@pytest.mark.parametrize("case", FOLDERS, ids=lambda case: str(case.name))
def test_a_case_comes_out_as_expected(case: Path) -> None:
    plan = json.loads((case / "expect.json").read_text())
    # pytest's own folders are closed to other users, who run some of the cases
    with tempfile.TemporaryDirectory() as scratch:
        place = lay_out(case, Path(scratch).resolve() / "run")
        folder = Folder(place, place)
        if plan.get("unprivileged") and os.geteuid() == 0:
            Path(scratch).chmod(0o755)
            folder.give_away()
        assert list(take_steps(plan, folder)) == []


def test_every_case_says_what_it_is_about() -> None:
    assert [case.name for case in FOLDERS if not (case / "EXPECT.md").read_text().startswith("# ")] == []
    assert [case for case in CASES.iterdir() if case not in FOLDERS] == []
