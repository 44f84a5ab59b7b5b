"""Rows that no collector should write: each is named with its place, and none hides the rows around it."""

import gzip
import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.builders import Run, failure, flat_row, lines, native_input, row, without
from tests.stories.summaries import command, entry, findings, outcomes, places, rewards, stored, summarized, summary_of

DEEP = 100_000


def text(value: dict[str, Any]) -> bytes:
    """A row without its line end."""
    return lines([value])[:-1]


def stated_twice(name: str, first: Any, second: Any, **more: Any) -> bytes:
    """Task 1's row with one more statement of a key; `first` comes first."""
    head = f'{{"{name}": {json.dumps(first)}, "{name}": {json.dumps(second)}, '.encode()
    return head + text(without(row(1, **more), name))[1:]


def replaced(old: bytes, new: bytes) -> bytes:
    """Task 1's row with some bytes replaced."""
    whole = text(row(1, note="here"))
    assert old in whole
    return whole.replace(old, new)


CUT = text(row(1))[:-30]
# line in the middle of the rollouts -> finding, its level, what becomes of task 1
LINES: dict[str, tuple[bytes, str, str, str]] = {
    "cut": (CUT, "corrupt-line", "error", "missing"),
    "no JSON": (b"<PLACEHOLDER ROW>", "corrupt-line", "error", "missing"),
    "glued": (text(row(1)) + text(row(3)), "glued-lines", "error", "scored"),
    "glued with blanks": (text(row(1)) + b"  \t" + text(row(3)), "glued-lines", "error", "scored"),
    "cut and glued": (text(row(3))[:-20] + text(row(1)), "glued-lines", "error", "scored"),
    "list": (b"[1]", "not-an-object", "error", "missing"),
    "number": (b"3", "not-an-object", "error", "missing"),
    "text": (b'"row"', "not-an-object", "error", "missing"),
    "null": (b"null", "not-an-object", "error", "missing"),
    "NULs": (b"\0" * 4096, "nul-bytes", "error", "missing"),
    "NULs before": (b"\0" * 512 + text(row(1)), "nul-bytes", "error", "scored"),
    "NULs behind": (text(row(1)) + b"\0" * 512, "nul-bytes", "error", "scored"),
    "NULs inside": (replaced(b"here", b"he\0re"), "nul-bytes", "error", "scored"),
    "deep list": (b"[" * DEEP + b"]" * DEEP, "nested-too-deep", "error", "missing"),
    "deep cut": (b'{"a":' * DEEP, "nested-too-deep", "error", "missing"),
    "deep field": (replaced(b'"here"', b"[" * DEEP + b"]" * DEEP), "nested-too-deep", "error", "missing"),
    "1e400": (replaced(b'"reward":1.0', b'"reward":1e400'), "non-finite-reward", "error", "unscored"),
    "-Infinity": (replaced(b'"reward":1.0', b'"reward":-Infinity'), "non-finite-reward", "error", "unscored"),
    "NaN": (replaced(b'"reward":1.0', b'"reward":NaN'), "non-finite-reward", "error", "unscored"),
    "huge reward": (replaced(b'"reward":1.0', b'"reward":1' + b"0" * 5000), "non-finite-reward", "error", "unscored"),
    "NaN elsewhere": (replaced(b'"here"', b"NaN"), "non-finite-elsewhere", "note", "scored"),
    "bad UTF-8 elsewhere": (replaced(b"here", b"he\xffre"), "odd-encoding", "note", "scored"),
    "bad UTF-8 in the id": (replaced(b'"sum-1"', b'"sum-\xff"'), "odd-encoding", "error", "scored"),
    "bad UTF-8 in the server": (replaced(b"sums_environment", b"sums_\xfe"), "odd-encoding", "error", "scored"),
    "CR LF": (text(row(1)) + b"\r", "odd-encoding", "note", "scored"),
}


@pytest.mark.parametrize("name", LINES)
def test_a_bad_line_is_named_and_hides_no_other(run: Run, name: str) -> None:
    line, finding, level, outcome = LINES[name]
    run.inputs(*(native_input(task) for task in range(4)))
    run.put("rollouts.jsonl", lines([row(0)]) + line + b"\n" + lines([row(2)]), at=10)
    document = summarized(run)
    assert finding in findings(document, level)
    assert places(document, finding)[0]["path"] == "rollouts.jsonl"
    assert places(document, finding)[0]["line"] == 2
    assert len(text(row(0))) < places(document, finding)[0]["offset"] <= len(text(row(0))) + 1 + len(line)
    assert outcomes(document) | {"3/0": ""} == {"0/0": "scored", "1/0": outcome, "2/0": "scored", "3/0": ""}


@pytest.mark.parametrize("name", LINES)
def test_a_bad_line_of_failures_or_inputs_hides_no_other(run: Run, name: str) -> None:
    line = LINES[name][0]
    run.put("rollouts_materialized_inputs.jsonl", lines([native_input(0)]) + line + b"\n" + lines([native_input(2)]))
    run.results(row(0))
    run.put("rollouts_failures.jsonl", lines([failure(3)]) + line + b"\n" + lines([failure(2)]), at=10)
    document = summarized(run)
    assert {"0/0": "scored", "2/0": "failed"}.items() <= outcomes(document).items()
    if LINES[name][2] == "error" and LINES[name][1] != "non-finite-reward":
        told = {place["path"] for place in places(document, LINES[name][1])}
        assert {"rollouts_failures.jsonl", "rollouts_materialized_inputs.jsonl"} <= told


@pytest.mark.parametrize("end", [b"", b"\n", b"\n\n  \n", b"\0" * 100, b"\n" + b"\0" * 100])
@pytest.mark.parametrize("which", ["rollouts", "failures", "inputs"])
def test_a_cut_last_line_is_milder_whatever_blank_follows(run: Run, which: str, end: bytes) -> None:
    run.scored(1.0)
    names = {"rollouts": row(1), "failures": failure(1), "inputs": native_input(1)}
    path = {"inputs": "rollouts_materialized_inputs.jsonl", "failures": "rollouts_failures.jsonl"}.get(which)
    file = run.folder / (path or "rollouts.jsonl")
    run.put(file.name, file.read_bytes() + text(names[which])[:-9] + end, at=10)
    document = summary_of(run)
    assert findings(document, "warning") == {"torn-last-line": 1}
    assert set(findings(document, "error")) <= ({"nul-bytes"} if b"\0" in end else set())
    assert rewards(document) == {"0/0": 1.0}


WRONG: list[Any] = [True, -1, 1.5, "x", [], {}, [1], {"a": 1}, 10**30]
FIELDS: dict[str, set[Any]] = {
    "_ng_task_index": {10**30, -1, 1.5, "x"},
    "_ng_rollout_index": {10**30, -1, 1.5, "x"},
    "_ng_attempt_index": {10**30, -1, 1.5, "x"},
    "_ng_environment_server": {-1, 1.5},
    "_ng_task_id": {-1, 1.5},
    "task_source": {-1, 1.5},
    "reward": {"x"},
    "mask_sample": {-1, 1.5, "x"},
    "failure_kind": {-1, 1.5},
    "verifier_logs_dir": {-1, 1.5},
    "verifier_seconds": {"x"},
    "elapsed_seconds": {"x"},
    "agent_ref": {-1, 1.5, "x"},
    "response": {-1, 1.5, "x"},
    "responses_create_params": {-1, 1.5, "x"},
    "stage_index": {1.5},
}


@pytest.mark.parametrize("field", FIELDS)
def test_a_field_of_the_wrong_type_is_named_and_hides_no_other_row(run: Run, field: str) -> None:
    run.inputs(native_input(0), native_input(1))
    for value in WRONG:
        run.results(row(1) | {field: value}, row(0))
        document = summarized(run)
        assert outcomes(document)["0/0"] == "scored"
        scalar = value if not isinstance(value, bool | list | dict) else None
        if scalar in FIELDS[field]:
            assert places(document, "wrong-type")[0]["line"] == 1
        assert all(type(e["task_index"]) in (int, type(None)) for e in document["tasks"])


INNER = {
    "_ng_task_id": ("taskset", "task_id"),
    "agent_ref": ("name",),
    "response": ("model",),
}


@pytest.mark.parametrize(("outer", "name"), [(outer, name) for outer, names in INNER.items() for name in names])
@pytest.mark.parametrize("value", [3, [], {}, True], ids=repr)
def test_an_inner_field_of_the_wrong_type_is_named(run: Run, outer: str, name: str, value: Any) -> None:
    run.inputs(native_input(0), native_input(1))
    odd = row(1)
    odd[outer] = odd.get(outer, {}) | {name: value}
    run.results(odd, row(0))
    document = summary_of(run)
    assert outcomes(document)["0/0"] == "scored"
    assert places(document, "wrong-type")[0]["line"] == 1


DOUBLED: dict[str, tuple[Any, Any, str]] = {
    "reward": (0.0, 1.0, "conflicted"),
    "mask_sample": (True, False, "conflicted"),
    "_ng_task_id": ({"taskset": "sums", "task_id": "sum-0"}, {"taskset": "sums", "task_id": "sum-1"}, "conflicted"),
    "_ng_task_index": (0, 1, "scored"),
    "_ng_rollout_index": (1, 0, "scored"),
    "_ng_environment_server": ("other", "sums_environment", "scored"),
    "task_source": ("other", "sums_resources_server", "scored"),
    "verifier_logs_dir": (None, None, "scored"),
    "failure_kind": ("a", "b", "scored"),
    "_ng_attempt_index": (1, 2, "scored"),
    "agent_ref": ({"name": "one"}, {"name": "two"}, "scored"),
    "response": ({"output": []}, {"output": [{}]}, "scored"),
    "responses_create_params": ({"input": "a"}, {"input": "b"}, "scored"),
}


@pytest.mark.parametrize("field", DOUBLED)
def test_a_key_that_is_stated_twice_is_an_error(run: Run, field: str) -> None:
    first, second, outcome = DOUBLED[field]
    run.inputs(native_input(0), native_input(1))
    run.put("rollouts.jsonl", lines([row(0)]) + stated_twice(field, first, second) + b"\n", at=10)
    document = summary_of(run)
    assert "duplicate-key" in findings(document, "error")
    assert field in places(document, "duplicate-key")[0]["message"]
    assert outcomes(document) == {"0/0": "scored", "1/0": outcome}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"task_id":"sum-1"', b'"task_id":"sum-0","task_id":"sum-1"'),
        (b'"taskset":"sums"', b'"taskset":"other","taskset":"sums"'),
        (b'"output_tokens":3', b'"output_tokens":0,"output_tokens":3'),
        (b'"model":"small-model"', b'"model":"a","model":"b"'),
        (b'"usage":{', b'"usage":{"input_tokens":1},"usage":{'),
    ],
)
def test_a_key_inside_a_field_that_is_read_counts_as_well(run: Run, old: bytes, new: bytes) -> None:
    run.inputs(native_input(0), native_input(1))
    run.put("rollouts.jsonl", lines([row(0)]) + replaced(old, new) + b"\n", at=10)
    document = summary_of(run)
    assert findings(document, "error") == {"duplicate-key": 1}
    assert outcomes(document)["1/0"] == ("conflicted" if b"sum-0" in new or b"other" in new else "scored")


def test_a_key_stated_twice_outside_the_fields_that_are_read_changes_nothing(run: Run) -> None:
    run.inputs(native_input(1))
    run.put("rollouts.jsonl", replaced(b'"note":"here"', b'"note":{"a":1,"a":2},"note":3') + b"\n", at=10)
    assert (rewards(summary_of(run)), summary_of(run)["findings"]) == ({"1/0": 1.0}, [])


@pytest.mark.parametrize("twice", ["_ng_task_index", "_ng_rollout_index", "task_id", "task_source"])
def test_an_input_that_states_a_key_twice_is_an_error(run: Run, twice: str) -> None:
    whole = text(native_input(1))
    odd = b'{"' + twice.encode() + b'":7,' + whole[1:]
    run.put("rollouts_materialized_inputs.jsonl", lines([native_input(0)]) + odd + b"\n")
    run.results(row(0))
    document = summary_of(run)
    assert findings(document, "error") == {"duplicate-key": 1}
    assert places(document, "duplicate-key")[0]["path"] == "rollouts_materialized_inputs.jsonl"


ENCODINGS: dict[str, Callable[[bytes], bytes]] = {
    "UTF-16 with a mark": lambda data: data.decode().encode("utf-16"),
    "UTF-16 little": lambda data: data.decode().encode("utf-16-le"),
    "UTF-16 big": lambda data: data.decode().encode("utf-16-be"),
    "UTF-32": lambda data: data.decode().encode("utf-32"),
}


@pytest.mark.parametrize("name", ENCODINGS)
def test_rows_in_another_encoding_are_one_error_for_each_file(run: Run, name: str) -> None:
    run.inputs(native_input(0))
    run.results(row(0))
    run.failures(failure(0))
    for path in list(run.folder.iterdir()):
        run.put(path.name, ENCODINGS[name](path.read_bytes()), at=10)
    document = summary_of(run)
    assert findings(document, "error") == {"odd-encoding": 3}


def test_a_byte_order_mark_and_crlf_cost_nothing(run: Run) -> None:
    run.scored(1.0, 0.0)
    for path in list(run.folder.iterdir()):
        run.put(path.name, b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"), at=10)
    document = summary_of(run)
    assert rewards(document) == {"0/0": 1.0, "1/0": 0.0}
    assert {group["level"] for group in document["findings"]} == {"note"}


@pytest.mark.parametrize("cut", [0, 5, 12, -9, -1])
def test_a_cut_gzip_file_gives_the_rows_before_the_cut(run: Run, cut: int) -> None:
    run.inputs(*(native_input(task) for task in range(2)))
    first, second = gzip.compress(lines([row(0)]), mtime=0), gzip.compress(lines([row(1)]), mtime=0)
    packed = Run(run.folder, "rollouts")
    run.put("rollouts.jsonl.gz", first + (second[:cut] if cut else second), at=10)
    document = summary_of(packed.folder / "rollouts.jsonl.gz")
    assert outcomes(document)["0/0"] == "scored"
    assert document["files"]["rollouts"] == "rollouts.jsonl.gz"
    assert ("truncated-gzip" in findings(document, "error")) is bool(cut)


@pytest.mark.parametrize("tail", [b"\0" * 1000, b"garbage"])
def test_what_follows_a_whole_gzip_file_does_not_hide_its_rows(run: Run, tail: bytes) -> None:
    run.inputs(native_input(0))
    run.put("rollouts.jsonl.gz", gzip.compress(lines([row(0)])) + tail, at=10)
    assert rewards(summary_of(run.folder / "rollouts.jsonl.gz")) == {"0/0": 1.0}


def test_rows_without_indices_are_placed_by_unique_ids(run: Run) -> None:
    run.inputs(native_input(0), native_input(1))
    run.results(*(without(row(task), "_ng_task_index", "_ng_rollout_index") for task in (1, 0)))
    document = summary_of(run)
    assert outcomes(document) == {"0/0": "scored", "1/0": "scored"}


def test_rows_without_indices_and_ids_are_counted_and_nothing_is_missing(run: Run) -> None:
    run.inputs(native_input(0), native_input(1))
    homeless = without(row(0), "_ng_task_index", "_ng_rollout_index", "_ng_task_id")
    run.results(homeless, homeless)
    document = summary_of(run)
    assert (document["counts"]["rows_unplaced"], document["counts"]["missing"]) == (2, 0)
    assert findings(document, "warning")["rows-without-index"] == 1


def test_several_servers_and_agents_share_indices_in_one_file(run: Run) -> None:
    servers = ("alpha", "beta", "gamma")
    run.inputs(*(native_input(0, _ng_environment_server=server) for server in servers))
    told = zip(servers[:2], (1.0, 0.0), strict=True)
    run.results(*(row(0, reward=reward, _ng_environment_server=server) for server, reward in told))
    run.failures(failure(0, _ng_environment_server="gamma"))
    entries = [(e["server"], e["outcome"], e["reward"]) for e in summary_of(run)["tasks"]]
    assert entries == [("alpha", "scored", 1.0), ("beta", "scored", 0.0), ("gamma", "failed", None)]


def test_agents_share_indices_without_inputs_as_well(run: Run) -> None:
    run.results(*(flat_row(0, reward=reward, agent_ref={"name": f"a{reward}"}) for reward in (0.0, 1.0)))
    assert [(e["agent"], e["reward"]) for e in summary_of(run)["tasks"]] == [("a0.0", 0.0), ("a1.0", 1.0)]


@pytest.mark.parametrize(
    ("rows", "outcome", "finding"),
    [
        ([row(0), row(0)], "scored", ("duplicate-row", "note")),
        ([row(0), row(0, note=1)], "scored", ("duplicate-row", "warning")),
        ([row(0), row(0, reward=0.0)], "conflicted", ("conflicting-rows", "error")),
        ([row(0), row(0, reward=None)], "conflicted", ("conflicting-rows", "error")),
        ([row(0), row(0, mask_sample=True)], "conflicted", ("conflicting-rows", "error")),
        ([row(0, reward=0.0), row(0, _ng_attempt_index=2)], "scored", ("duplicate-row", "note")),
        ([row(0), row(0, reward=0.0), row(0, reward=0.5)], "conflicted", ("conflicting-rows", "error")),
        ([row(0), row(0, _ng_task_id="sum-1")], "conflicted", ("identity-mismatch", "error")),
        ([row(0, _ng_task_id="sum-0")], "scored", None),
        ([row(0, _ng_task_id="sum-1")], "conflicted", ("identity-mismatch", "error")),
    ],
)  # fmt: skip
def test_rows_of_one_key_agree_or_are_in_conflict(
    run: Run, rows: list[dict[str, Any]], outcome: str, finding: tuple[str, str] | None
) -> None:
    run.inputs(native_input(0))
    run.results(*rows)
    document = summary_of(run)
    assert entry(document)["outcome"] == outcome
    assert [(g["id"], g["level"]) for g in document["findings"] if g["id"] != "nothing-ran"] == [finding] * bool(
        finding
    )


def test_an_omitted_rollout_counts_nowhere(run: Run) -> None:
    run.inputs(native_input(0), native_input(1))
    run.results(row(0))
    run.failures(failure(1, _ng_omitted_rollout=True))
    assert outcomes(summary_of(run)) == {"0/0": "scored", "1/0": "missing"}


def test_a_failures_row_is_never_a_score(run: Run) -> None:
    run.inputs(native_input(0))
    run.results()
    run.failures(failure(0, reward=1.0, response={}))
    document = summary_of(run)
    assert (outcomes(document), rewards(document)) == ({"0/0": "failed"}, {"0/0": None})


def test_a_row_over_the_limit_is_named_and_not_parsed(run: Run) -> None:
    run.inputs(native_input(0), native_input(1))
    run.results(row(0), row(1, note="x" * 100_000))
    document = summarized(run, "--max-row", "64KiB")
    assert findings(document, "error") == {"row-too-large": 1}
    assert outcomes(document)["0/0"] == "scored"


@pytest.mark.parametrize("name", ["a\nb", "\x1b[31mred", "\u202eabc", "😀", "-rf", "a b", "ünï"])
def test_a_hostile_stem_reaches_no_terminal_raw(run: Run, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    odd = Run(run.folder, name)
    odd.scored(1.0)
    capsys.readouterr()
    assert command("summarize", odd.rollouts) == 0
    printed = capsys.readouterr()
    assert not any(sign in printed.out + printed.err for sign in ("\x1b", "\u202e", "a\nb"))
    assert stored(odd.summary)["files"]["rollouts"] == f"{name}.jsonl"


def test_lone_surrogates_and_odd_text_come_out_as_strict_json(run: Run) -> None:
    task = {"taskset": "sums", "task_id": "sum-\ud800"}
    run.inputs(native_input(0, task_id=task))
    run.results(row(0, _ng_task_id=task, failure_kind="\udfff", task_source="\ud83d"))
    document = summarized(run)
    assert entry(document)["outcome"] == "scored"
