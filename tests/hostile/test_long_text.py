"""Text that is one long line: what takes twice the text takes twice the time, not four times."""

import json
import time
from pathlib import Path

import pytest

from runaudit.claims.card import stands_in, states_something, uncovered
from runaudit.layouts.games.card import said_by
from runaudit.layouts.games.loglines import split_worker
from runaudit.layouts.games.memory import read_memory
from runaudit.read.places import Places

SIZE = 100_000
SECONDS = 5.0
TEXTS = {
    "a word": "x" * SIZE,
    "digits": "9" * SIZE,
    "digits and a letter": "9" * SIZE + "x",
    "half links": "](" * SIZE,
    "back quotes": "`" * SIZE + "x",
    "blank lines": "\n" * SIZE + "x",
    "blanks": "a." + " " * SIZE + "b",
    "names of folders": "gen_0_step_0/" * (SIZE // 10),
    "totals": "total_games " * (SIZE // 10),
    "memories": "env_memory.json " * (SIZE // 10),
    "proposers": "accumulated by the proposer " * (SIZE // 10),
    "half prefixes": "(" + "pid=1 " * (SIZE // 2),
    "slashes": "a/" * SIZE,
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_long_line_of_a_card_or_a_log_takes_no_longer_than_its_length(name: str) -> None:
    text, began = TEXTS[name], time.process_time()
    uncovered(text, ("760 pairs",))
    stands_in(text, "760 pairs")
    said_by(text)
    split_worker(text)
    assert time.process_time() - began < SECONDS


@pytest.mark.parametrize(
    ("sentence", "states"),
    [
        ("See step_60 and v2.", False),
        ("See a.b-c/d1e and 7x.", True),
        ("7x_60", True),
        ("x_60", False),
        ("see [it](a/b9) there", False),
        ("the digest 434456c", True),
        ("no number", False),
    ],
)
def test_what_a_sentence_states_is_told_as_before(sentence: str, states: bool) -> None:
    assert states_something(sentence) is states


def test_numbers_of_a_card_are_read_from_their_beginning() -> None:
    said = said_by("gen_00_step_00000/ holds (1,024 games) and all 195 games are here; 35 such log entries")
    assert [(one.about, one.number) for one in said] == [("generation", 1024), ("total", 195), ("log-entries", 35)]


def test_a_memory_whose_skills_are_no_text_is_counted(tmp_path: Path) -> None:
    (tmp_path / "env_memory.json").write_text(json.dumps([{"skill": {}}, {"skill": ["x"]}, {"skill": "Maze"}]))
    memory, troubles = read_memory(Places([str(tmp_path)]), "env_memory.json")
    assert memory is not None
    assert (memory.entries, memory.skills, troubles) == (3, frozenset({"maze"}), ())
