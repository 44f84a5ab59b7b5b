"""A few hundred random damages over sound folders, each judged; `make fuzz` does ten thousand."""

import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hostile import judging
from tests.hostile.bounded import Ran
from tests.hostile.damages import KINDS as DAMAGES
from tests.hostile.damages import Harm, Scene, damage
from tests.hostile.fuzz import results, tables
from tests.hostile.judging import Trial
from tests.hostile.sound import KINDS, SUMMARY, signed_run
from tests.stories.unprivileged import open_folder

COUNT, SEED = 210, 7


@pytest.fixture
def top() -> Iterator[Path]:
    """A folder that every user may walk into."""
    with open_folder() as folder:
        yield folder


def test_every_damage_is_answered_as_it_must_be(top: Path) -> None:
    told = list(results(top, COUNT, SEED))
    faults = [
        f"seed {SEED} number {each.number} {each.kind}: {each.harm}: {each.faults}" for each in told if each.faults
    ]
    assert faults == []
    words = Counter(each.word for each in told)
    assert words["found"] > COUNT // 2
    assert {each.kind for each in told} == set(KINDS)
    assert len({each.harm.kind for each in told}) > len(DAMAGES) * 3 // 4
    assert any("undetectable answers" in line for line in tables(told))


def test_a_number_gives_the_same_damage_again(tmp_path: Path) -> None:
    done, kinds = [], set()
    for number in range(150):
        for again in range(2):
            here, outside = tmp_path / f"{number}-{again}" / "here", tmp_path / f"{number}-{again}" / "outside"
            outside.mkdir(parents=True)
            signed_run(here) if number == again == 0 else shutil.copytree(tmp_path / "sound", here)
            if not (tmp_path / "sound").exists():
                shutil.copytree(here, tmp_path / "sound")
            done.append(damage(Scene(here, outside), 3, number))
            shutil.rmtree(tmp_path / f"{number}-{again}")
        assert done[-1].kind == done[-2].kind
        assert done[-1].path == done[-2].path
        kinds.add(done[-1].kind)
    assert kinds > set(DAMAGES) - {"a file for a folder"}


def trial(tmp_path: Path, path: str, data: bytes, *ran: Ran) -> Trial:
    """A trial in which one file has other content."""
    signed_run(tmp_path / "sound")
    shutil.copytree(tmp_path / "sound", tmp_path / "here")
    (tmp_path / "here" / path).write_bytes(data)
    return Trial("NeMo Gym run", Harm("cut", path), tmp_path / "sound", tmp_path / "here", ran)


@pytest.mark.parametrize(
    ("path", "word"),
    [
        ("rollouts.jsonl", "fault"),
        ("verifier/task0/reward.txt", "fault"),
        ("verifier/task1/agent.log", "fault"),
        ("verifier/task1/artifacts/patch.diff", "fault"),
        ("quality_summary.json", "fault"),
        ("notes.txt", "harmless"),
    ],
)
def test_a_change_that_verify_passes_over_is_a_fault(tmp_path: Path, path: str, word: str) -> None:
    passed = Ran(("verify",), 0, b'{"findings": []}', "")
    assert judging.verified(trial(tmp_path, path, b"other"), passed, SUMMARY).word == word


def test_a_finding_that_names_another_file_is_not_enough(tmp_path: Path) -> None:
    elsewhere = Ran(("verify",), 1, b'{"findings": [{"id": "x", "places": [{"path": "rollouts_failures.jsonl"}]}]}', "")
    assert judging.verified(trial(tmp_path, "rollouts.jsonl", b""), elsewhere, SUMMARY).word == "fault"


def test_another_answer_without_a_finding_is_a_fault(tmp_path: Path) -> None:
    before = {"counts": {"scored": 1}, "tasks": [], "findings": []}
    after = Ran(("summarize",), 0, b'{"counts": {"scored": 0}, "tasks": [], "findings": []}', "")
    broken = trial(tmp_path, "rollouts.jsonl", b'{"cut": "')
    assert judging.summarized(broken, after, before, lambda _: None).word == "fault"
    told = Ran(("summarize",), 0, after.out.replace(b"[]}", b'[{"id": "x", "level": "note", "count": 1}]}'), "")
    assert judging.summarized(broken, told, before, lambda _: None).word == "found"
