"""A writer killed at any moment leaves the old document or the new one, whole, and nothing that is taken for data."""

import json
import os
import random
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from runaudit.cli.exits import guarded
from runaudit.write import atomic
from tests.builders import Run, native_input, row
from tests.hostile.children import in_child
from tests.hostile.kill_rounds import Rounds, faults, kill_while_writing, killed_at
from tests.hostile.writers import WRITERS, lay, writer


def chunks(text: bytes, kill_at: int | None) -> Iterator[bytes]:
    """The new document in pieces; the writer is killed when it asks for one of them."""
    for position in range(10):
        if position == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)
        yield text


@pytest.mark.parametrize("name", WRITERS)
def test_killed_before_and_after_every_call_of_a_write(tmp_path: Path, name: str) -> None:
    one = writer(name, tmp_path / "place", 3)
    for before in (True, False):
        nth = 1
        while killed_at(one, nth, before=before):
            assert not faults(one)
            one.restore()
            nth += 1
        # what comes to its end is the new document
        assert all(target.path.read_bytes() == target.new for target in one.targets)
        one.restore()
        assert nth > 5


@pytest.mark.parametrize("piece", range(10))
def test_killed_between_any_two_pieces_of_the_document(tmp_path: Path, piece: int) -> None:
    path = tmp_path / "summary.json"
    path.write_bytes(b"old\n")
    child = in_child(lambda: atomic.replace(str(path), chunks(b"new\n" * 50_000, piece)))
    assert os.WIFSIGNALED(os.waitpid(child, 0)[1])
    assert path.read_bytes() == b"old\n"


def test_random_kills_leave_whole_documents(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chance, told = random.Random(1), Rounds()
    for name in WRITERS:
        some = kill_while_writing(writer(name, tmp_path / name, 30), 2, chance)
        told.rounds, told.hits = told.rounds + some.rounds, told.hits + some.hits
        told.faults += some.faults
    with capsys.disabled():
        print(f"\n{told.rounds} kills, {told.hits} of them hit a write")  # noqa: T201  # how good the test was
    assert told.faults == []
    assert told.hits > 0


def test_a_leftover_is_named_and_never_taken_for_the_summary(tmp_path: Path) -> None:
    run = Run(tmp_path / "results")
    run.inputs(native_input(0))
    run.results(row(0, reward=1.0))
    leftover = run.folder / ".rollouts_run_summary.json.0123456789ab.tmp"
    leftover.write_bytes(b'{"kind": "run_summary", "version": 1, "tasks": []}')
    assert guarded(["summarize", str(run.rollouts)]) == 0
    document = json.loads(run.summary.read_bytes())
    assert document["counts"]["scored"] == 1
    assert "leftover-file" in {group["id"] for group in document["findings"]}
    assert leftover.exists()


@pytest.mark.parametrize("kept", [1, 0.5, -1], ids=["one byte", "half", "all but its end"])
def test_a_ledger_whose_last_line_a_kill_cut_goes_on_as_if_it_were_not_there(tmp_path: Path, kept: float) -> None:
    one = writer("summarize-harbor", tmp_path / "place", 3)
    ledger = one.targets[0]
    held = len(ledger.old or b"")
    line = ledger.new[held:]
    ledger.path.write_bytes(ledger.new[: held + (kept if isinstance(kept, int) else int(len(line) * kept)) % len(line)])
    assert ledger.whole()
    assert faults(one) == []
    summary = json.loads(one.targets[1].path.read_bytes())
    # a line that lacks its end alone is an entry all the same
    assert ("ledger-damaged" in {group["id"] for group in summary["findings"]}) == (kept != -1)


def test_a_ledger_that_a_kill_left_empty_is_none(tmp_path: Path) -> None:
    one = writer("summarize-harbor", tmp_path / "place", 3)
    ledger, summary = (target.path for target in one.targets)
    left = []
    for old in (None, b""):
        lay(ledger, old)
        assert one.run() == one.code
        left.append((ledger.read_bytes(), summary.read_bytes()))
    assert left[0] == left[1]
