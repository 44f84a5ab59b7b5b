"""When a resume is one."""

from pathlib import Path

import pytest

from runaudit.usecases.run import Expectation, is_resume

ROLLOUTS = "rollouts.jsonl"
INPUTS = "rollouts_materialized_inputs.jsonl"


@pytest.mark.parametrize(
    ("asked", "needs_inputs", "present", "resumed"),
    [
        (True, True, (ROLLOUTS, INPUTS), True),
        (True, True, (ROLLOUTS,), False),
        (True, True, (INPUTS,), False),
        (True, True, (), False),
        (True, False, (ROLLOUTS,), True),
        (True, False, (), False),
        (False, True, (ROLLOUTS, INPUTS), False),
        (None, True, (ROLLOUTS, INPUTS), False),
    ],
)
def test_a_resume_is_one_when_asked_for_and_possible(
    tmp_path: Path, asked: bool | None, needs_inputs: bool, present: tuple[str, ...], resumed: bool
) -> None:
    for name in present:
        (tmp_path / name).write_bytes(b"")
    expectation = Expectation(output=str(tmp_path / ROLLOUTS), resume=asked, resume_needs_inputs=needs_inputs)
    assert is_resume(expectation) is resumed
