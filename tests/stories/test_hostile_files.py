"""Files that are not what their names say: damaged, of the wrong kind, closed. None hides the rows of the others."""

import errno
import gzip
import json
import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import runaudit
from tests.builders import Run, failure, flat_row, lines, native_input, row
from tests.stories.summaries import command, entry, findings, outcomes, places, rewards, stored, summarized, summary_of

ROW_FILES = ("rollouts.jsonl", "rollouts_failures.jsonl", "rollouts_materialized_inputs.jsonl")
DOCUMENTS = (
    "rollouts_aggregate_metrics.json",
    "rollouts_sources.json",
    "quality_summary.json",
    "rollout_verdicts.jsonl",
    "skipped.json",
    "tasks_metrics.json",
    "run_config.yaml",
    "tasks.jsonl",
    "rollouts/preprocessed_datasets/validation_metrics.json",
    "rollouts_run_summary.json",
)
CONTENTS: dict[str, bytes] = {
    "empty": b"",
    "blanks": b" \n\n",
    "NULs": b"\0" * 5000,
    "bad UTF-8": b'{"run": "\xff\xfe"}',
    "UTF-16": '{"run": {}}'.encode("utf-16"),
    "marked": b'\xef\xbb\xbf{"run": {"rollouts": ["rollouts.jsonl"]}}',
    "deep": b"[" * 100_000,
    "deep and whole": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "cut": b'{"run": {"rollouts": ["rollo',
    "number": b"3",
    "text": b'"x"',
    "null": b"null",
    "list": b"[1, null, {}, [], true]",
    "list of objects": b'[{"path": 3}, {"path": null}, {}]',
    "object": b'{"run": 3, "shards": 3, "sources": [[]], "a": 1, "name": [], "jsonl_fpath": 4}',
    "huge": b'{"size": 1' + b"0" * 5000 + b', "run": 1e400}',
    "gzip": gzip.compress(b'{"run": {}}'),
    "surrogate": b'{"run": {"rollouts": ["\\ud800.jsonl"]}, "a\\udfff": "\\ud800"}',
    "twice": b'{"run": 1, "run": {"rollouts": ["rollouts.jsonl"], "rollouts": []}}',
}


@pytest.mark.parametrize("content", CONTENTS)
@pytest.mark.parametrize("name", [*ROW_FILES, *DOCUMENTS])
def test_damage_in_one_file_never_hides_the_others(run: Run, name: str, content: str) -> None:
    run.scored(1.0, 0.0)
    run.put(name, CONTENTS[content], at=60)
    document = summary_of(run)
    if name not in {"rollouts.jsonl", "rollouts_materialized_inputs.jsonl"}:
        assert rewards(document) == {"0/0": 1.0, "1/0": 0.0}
    elif name == "rollouts.jsonl":
        assert set(outcomes(document).values()) <= {"missing", "unscored"}
    listed = [path for path in document["files"].values() if isinstance(path, str)]
    assert set(listed) == set(document["evidence"]) - set(document["files"]["shards"])


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        os.chdir(path.parent)
        server.bind(path.name)


def _loop(path: Path) -> None:
    path.symlink_to(path.name)


def _long_loop(path: Path) -> None:
    path.symlink_to(f"{path.name}.other")
    (path.parent / f"{path.name}.other").symlink_to(path.name)


def _outside(path: Path) -> None:
    secret = path.parents[len(path.parents) - len(Path(os.environ["RUN_ROOT"]).parents) - 1] / "secret.jsonl"
    secret.write_bytes(lines([row(0), row(1)]))
    path.symlink_to(secret)


KINDS: dict[str, tuple[Callable[[Path], None], str]] = {
    "folder": (Path.mkdir, "wrong-kind"),
    "pipe": (_pipe, "wrong-kind"),
    "socket": (_socket, "wrong-kind"),
    "dangling": (lambda path: path.symlink_to("nowhere"), "dangling-link"),
    "loop": (_loop, "link-loop"),
    "long loop": (_long_loop, "link-loop"),
    "device": (lambda path: path.symlink_to("/dev/zero"), "outside-root"),
    "outside": (_outside, "outside-root"),
    "above": (lambda path: path.symlink_to(".."), "outside-root|wrong-kind"),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", [*ROW_FILES, *DOCUMENTS[:-1]])
def test_the_wrong_kind_at_a_name_is_told_and_never_opened(
    run: Run, name: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(run.folder)
    monkeypatch.setenv("RUN_ROOT", str(run.folder.parent))
    run.scored(1.0, 0.0)
    path = run.folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    make, finding = KINDS[kind]
    make(path)
    document = summary_of(run)
    told = [p["path"] for one in finding.split("|") for p in places(document, one)]
    assert name in told
    assert all(group["level"] != "error" for group in document["findings"])
    key = next(iter([key for key, file in document["files"].items() if file == name]), None)
    assert key is None
    expected = {"missing"} if name == "rollouts.jsonl" else {"scored"}
    assert set(outcomes(document).values()) == expected


@pytest.mark.parametrize("name", [*ROW_FILES, *DOCUMENTS[:4]])
def test_a_file_that_may_not_be_read_is_told_and_its_check_not_made(
    run: Run, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run.scored(1.0)
    run.health("rollouts.jsonl")
    if not (run.folder / name).exists():
        run.put(name, "{}", at=60)
    real = os.path.realpath(run.folder / name)
    really_open = os.open

    def closed(path: Any, *args: Any, **kwargs: Any) -> int:
        if os.fspath(path) == real:
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return really_open(path, *args, **kwargs)

    monkeypatch.setattr(os, "open", closed)
    document = summary_of(run)
    told = [place.get("path") for group in document["findings"] for place in group["places"]]
    assert name in told
    assert all(group["level"] != "error" for group in document["findings"])


@pytest.mark.parametrize("value", [None, "", "xxh3:", "md5:00", 3, {"path": 3}], ids=repr)
def test_signatures_that_are_none_stop_the_command(run: Run, value: Any, capsys: pytest.CaptureFixture[str]) -> None:
    run.scored(1.0)
    document = runaudit.output_signatures(run.rollouts)
    document["files"]["rollouts"] = value if value is not None else {"path": "x"}
    run.put("rollouts_output_signatures.json", json.dumps(document))
    code = command("summarize", run.rollouts)
    err = capsys.readouterr().err
    assert code == 3
    assert "internal error" not in err
    assert "rollouts_output_signatures.json" in err


@pytest.mark.parametrize("digest", ["md5:00", "xxh3:zz", "", "sha256:00"])
def test_a_digest_that_is_none_in_the_signatures_stops_the_command(
    run: Run, digest: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run.scored(1.0)
    document = runaudit.output_signatures(run.rollouts)
    document["files"]["rollouts"]["digest"] = digest
    run.put("rollouts_output_signatures.json", json.dumps(document))
    assert command("summarize", run.rollouts) == 3
    assert "rollouts_output_signatures.json" in capsys.readouterr().err


SHARDS: dict[str, tuple[Any, dict[str, int]]] = {
    "itself": (["rollouts.jsonl"], {}),
    "twice": (["part0.jsonl", "part0.jsonl"], {}),
    "nothing": ([], {}),
    "no list": ({"merged": True}, {"sources-unreadable": 1}),
    "a folder": (["part0.jsonl", "parts"], {"wrong-kind": 1}),
    "gone": (["part0.jsonl", "part9.jsonl"], {"shard-missing": 1}),
    "outside": (["part0.jsonl", "../../etc/passwd"], {"shard-missing": 1}),
    "a NUL": (["part0.jsonl", "part\0.jsonl"], {"shard-missing": 1}),
    "no path": ([{"size": 3}], {"sources-unreadable": 1}),
    "numbers": ([1, 2], {"sources-unreadable": 1}),
    "size as text": ([{"path": "part0.jsonl", "size": "3"}], {}),
    "size as truth": ([{"path": "part0.jsonl", "size": True}], {}),
    "wrong hash": ([{"path": "part0.jsonl", "sha256": "00"}], {"shard-changed": 1}),
    "keyed": ({"sources": [{"rollouts_path": "part0.jsonl"}]}, {}),
}


@pytest.mark.parametrize("name", SHARDS)
def test_odd_lists_of_shards_are_named_and_the_merged_rows_read(run: Run, name: str) -> None:
    sources, expected = SHARDS[name]
    (run.folder / "parts").mkdir()
    part = Run(run.folder, "part0")
    part.inputs(native_input(0))
    part.results(row(0))
    run.results(row(0), at=20)
    run.put("rollouts_sources.json", sources, at=20)
    document = summarized(run)
    assert outcomes(document)["0/0"] == "scored"
    assert len(document["tasks"]) == 1
    troubled = {group["id"]: group["count"] for group in document["findings"] if group["id"] != "nothing-ran"}
    assert troubled == expected


def test_shards_that_number_on_their_own_do_not_answer_for_one_another(run: Run) -> None:
    for number in range(2):
        task = {"taskset": "sums", "task_id": f"own-{number}"}
        part = Run(run.folder, f"part{number}")
        part.inputs(native_input(0, task_id=task), native_input(1, task_id=task | {"task_id": f"lost-{number}"}))
        part.results(row(0, _ng_task_id=task))
    rows = [row(0, reward=r, _ng_task_id={"taskset": "sums", "task_id": f"own-{n}"}) for n, r in enumerate((1.0, 0.0))]
    run.results(*rows, at=20)
    run.put("rollouts_sources.json", ["part0.jsonl", "part1.jsonl"], at=20)
    document = summary_of(run)
    told = [(e["task_id"], e["outcome"], e["reward"]) for e in document["tasks"]]
    assert told == [
        ("own-0", "scored", 1.0),
        ("lost-0", "missing", None),
        ("own-1", "scored", 0.0),
        ("lost-1", "missing", None),
    ]
    assert findings(document, "error") == {}


@pytest.mark.parametrize("which", ["unvalidated", "skipped"])
def test_a_task_that_is_left_out_and_scored_is_a_contradiction(run: Run, which: str) -> None:
    run.scored(1.0, 0.0)
    document = summarized(run, f"--{which}", run.put("told.json", {"sum-1": "why"}))
    assert findings(document, "error") == {f"{which}-but-scored": 1}
    assert outcomes(document) == {"0/0": "scored", "1/0": "scored"}


def test_a_task_that_was_left_out_and_never_selected_is_told(run: Run) -> None:
    run.scored(1.0)
    run.put("tasks.jsonl", lines([native_input(0)]))
    document = summary_of(run, unvalidated={"sum-99": "why"})
    assert findings(document, "warning") == {"unvalidated-not-selected": 1}


def test_a_task_in_both_lists_has_no_entry_and_stands_in_both(run: Run) -> None:
    run.inputs(native_input(0))
    document = summary_of(run, unvalidated={"sum-0": "a"}, skipped={"sum-0": "b"})
    assert (document["tasks"], document["unvalidated"], document["skipped"]) == ([], {"sum-0": "a"}, {"sum-0": "b"})


def test_a_resume_over_a_cut_row_is_clean_but_for_the_damage(run: Run) -> None:
    run.inputs(native_input(0), native_input(1))
    cut = lines([row(1)])[:-40]
    run.put("rollouts.jsonl", lines([row(0)]) + cut + lines([row(1, _ng_attempt_index=1)]), at=10)
    run.failures(failure(1))
    document = summarized(run, "--resumed")
    assert outcomes(document) == {"0/0": "scored", "1/0": "scored"}
    assert findings(document, "error") == {"glued-lines": 1}


@pytest.mark.parametrize("prefix", ["/data/private", "/data/private/"])
def test_redacted_prefixes_stand_nowhere_in_the_document(run: Run, prefix: str) -> None:
    run.inputs(native_input(0), native_input(1))
    run.results(row(0, verifier_logs_dir="/data/private/verifier/v0"), row(1, task_source="/data/private"))
    run.failures(failure(1, _ng_failure_message="no such file: /data/private/x"))
    summarized(run, "--redact", prefix)
    assert b"/data/private" not in run.summary.read_bytes()


def test_messages_are_bounded_and_can_be_left_out(run: Run) -> None:
    run.inputs(native_input(0))
    run.failures(failure(0, _ng_failure_message="secret " * 100))
    assert len(entry(summarized(run))["failure"]["message"]) == 200
    summarized(run, "--no-messages")
    assert b"secret" not in run.summary.read_bytes()


def test_a_producers_document_under_our_name_is_never_overwritten(run: Run) -> None:
    run.scored(1.0)
    theirs = run.put("rollouts_run_summary.json", {"kind": "gym_run"})
    before = theirs.read_bytes()
    assert command("summarize", run.rollouts) == 0
    assert theirs.read_bytes() == before
    assert stored(run.folder / "rollouts_runaudit_summary.json")["kind"] == "run_summary"


def test_prompts_tell_flat_rows_of_another_task(run: Run) -> None:
    from tests.builders import flat_input, request  # noqa: PLC0415  # only here

    run.inputs(flat_input(0), flat_input(1))
    run.results(flat_row(0, responses_create_params=request(1)), flat_row(1))
    document = summary_of(run)
    assert outcomes(document) == {"0/0": "conflicted", "1/0": "scored"}
    assert findings(document, "error") == {"identity-mismatch": 1}
