"""Which documents are a trajectory in ATIF, and what is taken from them."""

from typing import Any

import pytest

from runaudit.layouts.atif import trajectory_of
from runaudit.layouts.harbor.trajectories import trial_of_session
from runaudit.layouts.trajectory import Amounts, Trajectory
from runaudit.model.trouble import Trouble

SOUND: dict[str, Any] = {
    "schema_version": "ATIF-v1.6",
    "session_id": "greet__AAAAAAA__agent",
    "agent": {"name": "own", "version": "1"},
    "steps": [
        {"step_id": 1, "source": "user", "message": "go"},
        {
            "step_id": 2,
            "source": "agent",
            "message": "ok",
            "tool_calls": [{"tool_call_id": "c"}],
            "observation": {"results": [{"source_call_id": "c"}]},
            "metrics": {"prompt_tokens": 5},
        },
    ],
    "final_metrics": {"total_prompt_tokens": 5, "total_steps": 2},
}


def test_a_sound_document_is_taken() -> None:
    found = trajectory_of(SOUND, "t.json", trial_of_session)
    assert isinstance(found, Trajectory)
    assert (found.totals, found.total_steps, found.belongs_to) == (Amounts(input=5), 2, "greet__AAAAAAA")
    assert [(step.id, step.by_agent) for step in found.steps] == [(1, False), (2, True)]


def test_without_a_version_it_is_the_newest() -> None:
    assert isinstance(trajectory_of({**SOUND, "schema_version": "ATIF-v1.8"}, "t"), Trajectory)
    assert isinstance(trajectory_of({k: v for k, v in SOUND.items() if k != "schema_version"}, "t"), Trajectory)


@pytest.mark.parametrize("session", ["6ba7b810-9dad-11d1-80b4-00c04fd430c8", "greet__AAAAAAA", None, 5])
def test_a_session_of_another_kind_names_no_trial(session: Any) -> None:
    found = trajectory_of({**SOUND, "session_id": session}, "t", trial_of_session)
    assert isinstance(found, Trajectory)
    assert found.belongs_to is None


@pytest.mark.parametrize(
    "changed",
    [
        {"schema_version": "ATIF-v2.0"},
        {"schema_version": None},
        {"steps": []},
        {"steps": "many"},
        {"agent": {"name": "own"}},
        {"steps": [{"step_id": 1, "source": "robot"}]},
        {"steps": [{"source": "user"}]},
        {"steps": [{"step_id": 1, "source": "agent", "observation": {"results": [{"source_call_id": "x"}]}}]},
    ],
)
def test_what_harbor_refuses_is_no_trajectory(changed: dict[str, Any]) -> None:
    assert isinstance(trajectory_of({**SOUND, **changed}, "t"), Trouble)


@pytest.mark.parametrize("value", [None, [], 1, "text"])
def test_what_is_no_object_is_no_trajectory(value: Any) -> None:
    assert isinstance(trajectory_of(value, "t"), Trouble)
