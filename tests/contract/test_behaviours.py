"""The table of behaviours in docs/run-summary.md is whole, and every test that it names exists."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
_ROW = re.compile(r"\| (\d+) \| (.+) \| `(\w+\.py)::(test_\w+)` \|")
BEHAVIOURS = [
    match.groups() for match in map(_ROW.fullmatch, (ROOT / "docs/run-summary.md").read_text().splitlines()) if match
]


def test_every_behaviour_has_one_row_and_a_test_of_its_own() -> None:
    assert [int(number) for number, *_ in BEHAVIOURS] == list(range(1, 44))
    named = [(file, test) for _, _, file, test in BEHAVIOURS]
    assert len(set(named)) == len(named)


@pytest.mark.parametrize(("number", "file", "test"), [(n, file, test) for n, _, file, test in BEHAVIOURS])
def test_the_test_that_a_behaviour_names_exists(number: str, file: str, test: str) -> None:
    tree = ast.parse((ROOT / "tests/stories" / file).read_text())
    assert test in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, f"behaviour {number}"
