"""A summary that two readers could read differently is told from one that this program wrote."""

import json
import random
from pathlib import Path

import orjson
import pytest

from runaudit.errors import InputError
from runaudit.usecases.canonical import _PIECE, _is_as_written, two_readings
from runaudit.usecases.comparands import find
from tests.builders import Run, native_input, row
from tests.hostile.sound import run_quietly


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A summary as it is written, longer than a piece."""
    run = Run(tmp_path_factory.mktemp("run"))
    tasks = range(1 + _PIECE // 900)
    run.inputs(*(native_input(task) for task in tasks))
    run.results(*(row(task, reward=float(task % 2)) for task in tasks))
    run_quietly("summarize", str(run.rollouts))
    data = run.summary.read_bytes()
    assert len(data) > _PIECE
    return data


def test_what_is_written_is_known_without_a_slow_look(written: bytes) -> None:
    assert _is_as_written(written)
    assert two_readings(written) is None


def test_other_writers_of_the_same_values_are_read_as_well(written: bytes) -> None:
    for text in (orjson.dumps(orjson.loads(written)), json.dumps(json.loads(written), indent=1).encode()):
        assert not _is_as_written(text)
        assert two_readings(text) is None


@pytest.mark.parametrize("place", ["head", "tasks", "task", "last task"])
def test_a_key_stated_twice_is_told(written: bytes, place: str) -> None:
    pairs = {
        "head": (b'  "layout"', b'  "layout": "x",\n  "layout"'),
        "tasks": (b'  "tasks": [', b'  "tasks": [],\n  "tasks": ['),
        "task": (b'      "reward": 1.0', b'      "reward": 0.0,\n      "reward": 1.0'),
    }
    if place == "last task":
        head, _, tail = written.rpartition(b'      "reward"')
        text = head + b'      "reward": 0.5,\n      "reward"' + tail
    else:
        text = written.replace(*pairs[place], 1)
    trouble = two_readings(text)
    assert trouble is not None
    assert "states a key twice" in trouble.message


@pytest.mark.parametrize("seed", range(4))
def test_no_flipped_byte_passes_that_strict_json_refuses(written: bytes, seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(100):
        at = chance.randrange(len(written))
        text = written[:at] + bytes([chance.randrange(256)]) + written[at + 1 :]
        if _is_as_written(text):
            json.loads(text)


@pytest.mark.parametrize(
    "edit",
    [
        (b'"outcome": "scored"', b'"outcome": "failed",\n      "outcome": "scored"'),
        (b'"server": "sums', b'"server": "\xe9ums'),
    ],
    ids=["twice", "Latin-1"],
)
def test_diff_refuses_it_on_both_sides(written: bytes, tmp_path: Path, edit: tuple[bytes, bytes]) -> None:
    (tmp_path / "odd.json").write_bytes(written.replace(*edit, 1))
    with pytest.raises(InputError, match="no readable run summary"):
        find(str(tmp_path / "odd.json"), lambda _: b"")


def test_a_scored_task_without_a_reward_is_refused_and_never_counted(written: bytes, tmp_path: Path) -> None:
    said = b'"reward": 1.0'
    for name, instead in {"null": b'"reward": null', "gone": b'"rew": 1.0'}.items():
        (tmp_path / name).write_bytes(written.replace(said, instead, 1))
        with pytest.raises(InputError, match=r"tasks\.1 is scored and states no reward"):
            find(str(tmp_path / name), lambda _: b"")
