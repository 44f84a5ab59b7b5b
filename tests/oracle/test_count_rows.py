"""The oracle against runs so small that the answer can be read off."""

import gzip
import json
import random
from pathlib import Path
from typing import Any

import pytest

from tests.oracle.count_rows import compare, count


def row(task: int, repeat: int = 0, **more: Any) -> dict[str, Any]:
    return {"_ng_task_index": task, "_ng_rollout_index": repeat, **more}


def asked(task: int, text: str, **more: Any) -> dict[str, Any]:
    return row(task, responses_create_params={"input": [{"role": "user", "content": text}]}, **more)


def write(folder: Path, rows: list[Any], owed: list[Any] | None = None, failures: list[Any] | None = None) -> Path:
    for kind, values in (("", rows), ("_materialized_inputs", owed), ("_failures", failures)):
        if values is not None:
            text = "".join(value if isinstance(value, str) else json.dumps(value) + "\n" for value in values)
            (folder / f"run.v1{kind}.jsonl").write_text(text, encoding="utf-8")
    return folder / "run.v1.jsonl"


def outcomes(result: dict[str, Any]) -> dict[tuple[int, int], str]:
    return {(entry["task_index"], entry["repeat"]): entry["outcome"] for entry in result["tasks"]}


def test_each_outcome_is_told_apart(tmp_path: Path) -> None:
    rows = [
        row(0, reward=1.0),
        row(1, reward=0.0, mask_sample=True),
        row(2, reward=None),
        row(5, reward=1.0),
        row(5, reward=0.5),
        row(6, reward=0.25, mask_sample=None),
    ]
    owed = [row(task) for task in range(7)]
    result = count(write(tmp_path, rows, owed, [row(3, _ng_failure_class="timeout", reward=1.0)]))
    assert [entry["outcome"] for entry in result["tasks"]] == [
        "scored",
        "masked",
        "unscored",
        "failed",
        "missing",
        "conflicted",
        "scored",
    ]
    assert result["mean_reward"] == {"value": 0.625, "n": 2}
    assert result["selected"] == sum(result["counts"].values()) == 7


@pytest.mark.parametrize("reward", ["NaN", "-Infinity", "1e400", "1" + "0" * 400, "true", '"1"', "null", "[1]"])
def test_what_is_no_finite_number_is_no_score(tmp_path: Path, reward: str) -> None:
    line = f'{{"_ng_task_index":0,"_ng_rollout_index":0,"reward":{reward}}}\n'
    assert outcomes(count(write(tmp_path, [line]))) == {(0, 0): "unscored"}


def test_a_success_beats_an_earlier_failure(tmp_path: Path) -> None:
    failed = [row(0, _ng_failure_class="x"), row(0, _ng_failure_class="x")]
    assert outcomes(count(write(tmp_path, [row(0, reward=1, _ng_attempt_index=2)], [row(0)], failed))) == {
        (0, 0): "scored"
    }


def test_a_later_attempt_decides_between_two_rewards(tmp_path: Path) -> None:
    result = count(write(tmp_path, [row(0, reward=1.0, _ng_attempt_index=1), row(0, reward=0.0)]))
    assert result["mean_reward"] == {"value": 1.0, "n": 1}


def test_a_reward_stated_twice_is_conflicted_only_when_it_differs(tmp_path: Path) -> None:
    head = '{"_ng_rollout_index":0,"_ng_task_index":'
    lines = [f'{head}0,"reward":1,"reward":0}}\n', f'{head}1,"reward":1,"reward":1.0}}\n']
    assert outcomes(count(write(tmp_path, lines))) == {(0, 0): "conflicted", (1, 0): "scored"}


def test_lines_that_hide_nothing(tmp_path: Path) -> None:
    whole = json.dumps(row(0, reward=1.0))
    text = ["\ufeff" + whole + "\r\n", "\n", "  \n", "[1]\n", "null\n", "broken\n"]
    glued = json.dumps(row(1, reward=0.0)) + json.dumps(row(2, reward=0.5)) + "\n"
    result = count(write(tmp_path, [*text, glued, '{"_ng_task_index": 3, "rew']))
    lines = result["lines"]
    assert (lines["rows"], lines["blank"], lines["damaged"], lines["torn"]) == (3, 2, 3, True)
    assert result["mean_reward"] == {"value": 0.5, "n": 3}


def test_line_separators_inside_text_split_nothing(tmp_path: Path) -> None:
    line = json.dumps(row(0, reward=1.0, said="a\u2028b\u0085c"), ensure_ascii=False) + "\n"
    assert count(write(tmp_path, [line]))["lines"]["rows"] == 1


def test_rows_without_indices_are_counted_apart(tmp_path: Path) -> None:
    result = count(write(tmp_path, [{"reward": 1.0}, {"reward": 0.0, "_ng_task_index": "0"}], [row(0), row(1)]))
    assert (result["unplaced"], result["waiting"], result["counts"]["missing"]) == (2, 2, 0)


def test_omitted_rows_count_nowhere(tmp_path: Path) -> None:
    omitted = row(0, _ng_omitted_rollout=True, _ng_failure_class="x")
    assert outcomes(count(write(tmp_path, [], [row(0)], [omitted]))) == {(0, 0): "missing"}


def test_a_key_that_nobody_asked_for_is_unexpected(tmp_path: Path) -> None:
    result = count(write(tmp_path, [row(0, reward=1.0), row(9, reward=1.0)], [row(0)]))
    assert (result["selected"], result["unexpected"]) == (1, 1)


def test_equal_indices_of_two_servers_are_two_keys(tmp_path: Path) -> None:
    rows = [row(0, reward=1.0, _ng_environment_server="a"), row(0, reward=0.0, _ng_environment_server="b")]
    assert count(write(tmp_path, rows))["counts"]["scored"] == 2


def test_a_row_that_names_a_server_answers_for_an_input_that_names_an_agent(tmp_path: Path) -> None:
    stamped = row(0, reward=1.0, _ng_environment_server="s", agent_ref={"name": "a", "type": "t"})
    result = count(write(tmp_path, [stamped], [row(0, agent_ref={"name": "a"}), row(1, agent_ref={"name": "a"})]))
    assert outcomes(result) == {(0, 0): "scored", (1, 0): "missing"}


@pytest.mark.parametrize(
    ("answered", "outcome"),
    [("Add 1. Think.", "scored"), ("Add 2. Think.", "conflicted"), ("Rewritten.", "scored"), ("", "scored")],
)
def test_a_prompt_of_another_task_is_a_conflict(tmp_path: Path, answered: str, outcome: str) -> None:
    owed = [asked(0, "Add 1."), asked(1, "Add 2.")]
    assert outcomes(count(write(tmp_path, [asked(0, answered, reward=1.0)], owed)))[(0, 0)] == outcome


@pytest.mark.parametrize(("told", "outcome"), [("t0", "scored"), ({"task_id": "t1"}, "conflicted")])
def test_an_id_of_another_task_is_a_conflict(tmp_path: Path, told: object, outcome: str) -> None:
    rows = [row(0, reward=1.0, _ng_task_id=told)]
    assert outcomes(count(write(tmp_path, rows, [row(0, task_id={"taskset": "s", "task_id": "t0"})]))) == {
        (0, 0): outcome
    }


def test_a_cut_gzip_gives_the_rows_before_the_cut(tmp_path: Path) -> None:
    noise = random.Random(0)
    rows = [row(task, reward=1.0, note="".join(noise.choices("abcdefgh", k=4000))) for task in range(50)]
    packed = gzip.compress("".join(json.dumps(r) + "\n" for r in rows).encode())
    path = tmp_path / "run.v1.jsonl.gz"
    path.write_bytes(packed[: len(packed) // 2])
    assert 10 < count(path)["counts"]["scored"] < 40


def summary_of(result: dict[str, Any]) -> dict[str, Any]:
    return {
        "counts": {
            "selected": result["selected"],
            **result["counts"],
            "mean_reward": {**result["mean_reward"], "coverage": 1.0},
        },
        "tasks": [dict(entry) for entry in result["tasks"]],
    }


def test_a_summary_that_agrees_has_no_difference(tmp_path: Path) -> None:
    result = count(write(tmp_path, [row(0, reward=1), row(1, reward=0.5)], [row(0), row(1), row(2)]))
    assert compare(summary_of(result), result) == []


def test_each_kind_of_difference_is_named(tmp_path: Path) -> None:
    result = count(write(tmp_path, [row(0, reward=1.0)], [row(0), row(1)]))
    summary = summary_of(result)
    summary["counts"]["missing"] = 0
    summary["counts"]["mean_reward"]["n"] = 2
    summary["tasks"][0]["reward"] = 0.5
    del summary["tasks"][1]
    assert compare(summary, result) == [
        "missing: summary 0, counted 1",
        "mean_reward: summary 1.0 over 2, counted 1.0 over 1",
        "stage 0 task 0 repeat 0: summary [('scored', '0.5')], counted [('scored', '1.0')]",
        "stage 0 task 1 repeat 0: summary None, counted [('missing', '')]",
    ]


def test_an_entry_that_the_oracle_does_not_know_is_named(tmp_path: Path) -> None:
    result = count(write(tmp_path, [row(0, reward=1.0)]))
    summary = summary_of(result)
    summary["tasks"].append({"task_index": 7, "repeat": 0, "outcome": "missing", "reward": None})
    assert compare(summary, result) == ["stage 0 task 7 repeat 0: summary [('missing', '')], counted None"]


def test_no_task_may_be_called_missing_beside_unplaced_rows(tmp_path: Path) -> None:
    result = count(write(tmp_path, [{"reward": 1.0}], [row(0)]))
    assert compare({"counts": {"missing": 1}}, result) == ["1 tasks called missing beside 1 unplaced rows"]
