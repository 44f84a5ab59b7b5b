"""Log folders of every kind: reward files in every shape, odd paths, links, sharing, moved folders and maps."""

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.builders import Run, native_input, row
from tests.stories.summaries import entry, findings, outcomes, places, summarized, summary_of

Files = dict[str, bytes | str]


def one(run: Run, logs: Any, *, reward: float = 1.0, **more: Any) -> None:
    """A run of one task whose row names a log folder."""
    run.inputs(native_input(0))
    run.results(row(0, reward=reward, verifier_logs_dir=logs, **more))


# files -> reward of the row -> findings
REWARDS: dict[str, tuple[Files, float, dict[str, str]]] = {
    "decimal": ({"reward.txt": "1.0\n"}, 1.0, {}),
    "signed": ({"reward.txt": " +1e0\r\n"}, 1.0, {}),
    "point only": ({"reward.txt": "1."}, 1.0, {}),
    "other number": ({"reward.txt": "0.5"}, 1.0, {"reward-mismatch": "error"}),
    "word scored": ({"reward.txt": "pass"}, 1.0, {"invalid-reward-file": "warning", "reward-mismatch": "error"}),
    "word at zero": ({"reward.txt": "pass"}, 0.0, {"invalid-reward-file": "warning"}),
    "nan": ({"reward.txt": "nan"}, 0.0, {"invalid-reward-file": "warning"}),
    "inf": ({"reward.txt": "inf"}, 0.0, {"invalid-reward-file": "warning"}),
    "overflow": ({"reward.txt": "1e999"}, 0.0, {"invalid-reward-file": "warning"}),
    "empty": ({"reward.txt": ""}, 0.0, {"invalid-reward-file": "warning"}),
    "two numbers": ({"reward.txt": "1 0"}, 0.0, {"invalid-reward-file": "warning"}),
    "underscore": ({"reward.txt": "1_0"}, 0.0, {"invalid-reward-file": "warning"}),
    "arabic digits": ({"reward.txt": "\u0661"}, 0.0, {"invalid-reward-file": "warning"}),
    "NUL padded": ({"reward.txt": b"1.0" + b"\0" * 20}, 0.0, {"invalid-reward-file": "warning"}),
    "UTF-16": ({"reward.txt": "1.0".encode("utf-16")}, 0.0, {"invalid-reward-file": "warning"}),
    "marked": ({"reward.txt": b"\xef\xbb\xbf1.0"}, 1.0, {"odd-encoding": "note"}),
    "key": ({"reward.json": '{"reward": 1, "speed": 3}'}, 1.0, {}),
    "single key": ({"reward.json": '{"score": 1}'}, 1.0, {}),
    "named": ({"reward.json": '{"a": 0.3, "b": 0.7}'}, 1.0, {}),
    "boolean": ({"reward.json": '{"reward": true}'}, 0.0, {"invalid-reward-file": "warning"}),
    "text": ({"reward.json": '{"reward": "1"}'}, 0.0, {"invalid-reward-file": "warning"}),
    "null": ({"reward.json": '{"reward": null}'}, 0.0, {"invalid-reward-file": "warning"}),
    "empty object": ({"reward.json": "{}"}, 0.0, {"invalid-reward-file": "warning"}),
    "list": ({"reward.json": "[1.0]"}, 0.0, {"invalid-reward-file": "warning"}),
    "NaN": ({"reward.json": '{"reward": NaN}'}, 0.0, {"invalid-reward-file": "warning"}),
    "huge": ({"reward.json": '{"reward": 1' + "0" * 6000 + "}"}, 0.0, {"invalid-reward-file": "warning"}),
    "deep": ({"reward.json": "[" * 100_000}, 0.0, {"invalid-reward-file": "warning"}),
    "cut": ({"reward.json": '{"reward": 1'}, 0.0, {"invalid-reward-file": "warning"}),
    "twice": ({"reward.json": '{"reward": 0, "reward": 1}'}, 1.0, {"duplicate-key": "error"}),
    "text behind bad json": (
        {"reward.json": "{", "reward.txt": "1"},
        1.0,
        {"invalid-reward-file": "warning"},
    ),
    "both agree": ({"reward.json": '{"reward": 1}', "reward.txt": "1.0"}, 1.0, {}),
    "both differ": ({"reward.json": '{"reward": 1}', "reward.txt": "0"}, 1.0, {"reward-conflict": "warning"}),
    "too large": ({"reward.txt": "1" + " " * (2 << 20)}, 0.0, {"invalid-reward-file": "warning"}),
    "none": ({"test-stdout.txt": "ok"}, 1.0, {"reward-without-file": "note"}),
}


@pytest.mark.parametrize("name", REWARDS)
def test_a_reward_file_is_read_as_its_writer_reads_it(run: Run, name: str) -> None:
    files, reward, expected = REWARDS[name]
    one(run, run.logs("v0", files), reward=reward)
    document = summary_of(run)
    assert {group["id"]: group["level"] for group in document["findings"]} == expected
    assert (entry(document)["outcome"], entry(document)["reward"]) == ("scored", reward)


def test_a_missing_reward_kind_explains_a_zero_without_a_file(run: Run) -> None:
    one(run, run.logs("v0", {}), reward=0.0, failure_kind="harbor:missing_reward")
    document = summary_of(run)
    assert findings(document) == {"tasks-degraded": 1}
    assert entry(document)["degraded"] == "harbor:missing_reward"


@pytest.mark.parametrize(
    "told", ["verifier/v0", "./verifier/v0", "verifier/v0/", "verifier//v0", "verifier/../verifier/v0"]
)
def test_a_relative_log_folder_starts_at_the_results_folder(run: Run, told: str) -> None:
    run.logs("v0", {"reward.txt": "1"})
    one(run, told)
    assert entry(summary_of(run))["verifier_logs"] == "verifier/v0"


@pytest.mark.parametrize("told", [".", "", "/", "..", "../results", "/../../.."])
def test_a_folder_that_holds_the_run_is_no_log_folder(run: Run, told: str) -> None:
    one(run, told)
    document = summary_of(run)
    assert (entry(document)["verifier_logs"], entry(document)["outcome"]) == (None, "scored")
    assert document["missing_paths"] == []
    assert findings(document) == ({"wrong-kind": 1} if told else {})


@pytest.mark.parametrize(
    "told", ["/nowhere/v0", "verifier/v0\0", "x" * 5000, "C:\\runs\\v0", "\\\\host\\v0", "\ud800", "a\nb"]
)
def test_a_path_that_leads_nowhere_is_missing(run: Run, told: str) -> None:
    one(run, told)
    document = summarized(run)
    assert len(document["missing_paths"]) == 1
    assert findings(document) == {"missing-log-folder": 1}


def test_links_that_loop_or_dangle_are_missing_and_told(run: Run) -> None:
    run.inputs(native_input(0), native_input(1))
    folder = run.folder / "verifier"
    folder.mkdir()
    (folder / "loop").symlink_to("loop")
    (folder / "dangling").symlink_to("nowhere")
    run.results(row(0, verifier_logs_dir=str(folder / "loop")), row(1, verifier_logs_dir=str(folder / "dangling")))
    document = summary_of(run)
    assert findings(document) == {"missing-log-folder": 2, "link-loop": 1, "dangling-link": 1}


def test_a_link_out_of_the_folder_is_named_and_not_followed(run: Run) -> None:
    outside = Run(run.folder.parent / "elsewhere").logs("v0", {"reward.txt": "0.25"})
    link = run.folder / "verifier" / "v0"
    link.parent.mkdir()
    link.symlink_to(outside)
    one(run, str(link))
    document = summary_of(run)
    assert findings(document, "warning") == {"outside-root": 1}
    assert (entry(document)["verifier_logs"], entry(document)["reward_file"]) == ("verifier/v0", None)


@pytest.mark.parametrize(
    "name", ["reward.txt", "reward.json", "test-stdout.txt", "trajectory.json", "artifacts", "more/x"]
)
@pytest.mark.parametrize("kind", ["folder", "pipe", "outside", "loop", "dangling", "device"])
def test_odd_kinds_inside_a_log_folder_are_told_and_never_opened(run: Run, name: str, kind: str) -> None:
    logs = Path(run.logs("v0", {"other.txt": "x"}))
    path = logs / name
    path.parent.mkdir(exist_ok=True)
    targets = {"outside": "/etc/hostname", "loop": path.name, "dangling": "nowhere", "device": "/dev/zero"}
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to(targets[kind])
    one(run, str(logs), reward=0.0)
    document = summary_of(run)
    told = {"loop": "link-loop", "dangling": "dangling-link"}.get(
        kind, "wrong-kind" if kind in ("folder", "pipe") else "outside-root"
    )
    fine = kind == "folder" and name in ("artifacts", "more/x")
    assert findings(document, "warning") == ({} if fine else {told: 1})
    assert entry(document)["outcome"] == "scored"


def test_two_tasks_that_name_one_folder_are_an_error(run: Run) -> None:
    logs = run.logs("v0", {"reward.txt": "1"})
    run.inputs(native_input(0), native_input(1), native_input(2))
    run.results(row(0, verifier_logs_dir=logs), row(1, verifier_logs_dir=f"{logs}/"), row(2))
    document = summary_of(run)
    assert findings(document, "error") == {"shared-log-folder": 1}


def test_a_folder_shared_through_a_link_is_shared_all_the_same(run: Run) -> None:
    logs = run.logs("v0", {"reward.txt": "1"})
    (run.folder / "verifier" / "v1").symlink_to("v0")
    run.inputs(native_input(0), native_input(1))
    run.results(row(0, verifier_logs_dir=logs), row(1, verifier_logs_dir=f"{run.folder}/verifier/v1"))
    assert findings(summary_of(run), "error") == {"shared-log-folder": 1}


@pytest.mark.parametrize("name", [b"\xff\xfe", b"a\nb", b"\x1b[31m", "ünï".encode(), b"-rf", b"a b"])
def test_odd_names_inside_a_log_folder_survive(run: Run, name: bytes) -> None:
    logs = run.logs("v0", {"reward.txt": "1"})
    Path(os.fsdecode(os.fsencode(logs) + b"/" + name)).write_bytes(b"x")
    one(run, logs)
    document = summarized(run)
    assert entry(document)["evidence"]["other"]["files"] == 1
    assert findings(document) == ({"portability": 1} if name == b"\xff\xfe" else {})


def moved(run: Run, *names: str) -> Run:
    """A copy of a run elsewhere, after which the original is gone: every recorded path is dead."""
    tasks = range(len(names))
    run.inputs(*(native_input(task) for task in tasks))
    run.results(
        *(row(t, verifier_logs_dir=run.logs(name, {"reward.txt": "1"})) for t, name in zip(tasks, names, strict=True))
    )
    there = run.folder.parent / "new" / "place"
    shutil.copytree(run.folder, there)
    shutil.rmtree(run.folder)
    return Run(there)


def test_a_moved_folder_is_told_the_one_map_that_helps(run: Run) -> None:
    there = moved(run, "v0", "v1")
    document = summarized(there)
    assert findings(document) == {"missing-log-folder": 2}
    hint = f"--map {run.folder.resolve()}=."
    assert all(hint in place["message"] for place in places(document, "missing-log-folder"))
    for option in (
        ("--map", f"{run.folder.resolve()}=."),
        ("--map", f"{run.folder.resolve()}={there.folder}"),
        ("--relocate",),
    ):
        document = summarized(there, *option)
        assert [entry(document, task)["verifier_logs"] for task in range(2)] == ["verifier/v0", "verifier/v1"]
        assert (document["missing_paths"], document["findings"]) == ([], [])


def test_a_map_that_leads_nowhere_leaves_the_paths_missing(run: Run) -> None:
    there = moved(run, "v0")
    document = summarized(there, "--map", f"{run.folder.resolve()}=nowhere")
    assert len(document["missing_paths"]) == 1


def test_a_relocation_that_is_not_unique_is_not_guessed(run: Run) -> None:
    there = moved(run, "v0")
    shutil.copytree(there.folder / "verifier", there.folder / "copy" / "verifier")
    document = summarized(there, "--relocate")
    assert entry(document)["verifier_logs"] == "verifier/v0"
    shutil.rmtree(there.folder / "verifier")
    document = summarized(there, "--relocate")
    assert entry(document)["verifier_logs"] is None


def test_a_copy_beside_its_original_uses_the_inner_folder_and_says_so(run: Run) -> None:
    one(run, run.logs("v0", {"reward.txt": "1"}))
    there = Run(run.folder.parent / "copy")
    shutil.copytree(run.folder, there.folder)
    document = summary_of(there)
    assert entry(document)["verifier_logs"] == "verifier/v0"
    assert findings(document, "warning") == {"inner-copy-used": 1}


def test_a_reward_older_than_its_verification_is_told_as_age(run: Run) -> None:
    logs = run.logs("v0", {"test-stdout.txt": "ok"})
    run.put("verifier/v0/reward.txt", "1", at=-600)
    one(run, logs, verifier_seconds=5.0)
    assert findings(summary_of(run)) == {"stale-reward": 1}
    one(run, logs, verifier_seconds=700.0)
    assert findings(summary_of(run)) == {}


def test_sources_may_list_shards_beside_the_folder(run: Run) -> None:
    part = Run(run.folder.parent / "shards", "part0")
    part.folder.mkdir()
    part.inputs(native_input(0), native_input(1))
    part.results(row(0))
    run.results(row(0), at=20)
    run.put("rollouts_sources.json", ["../shards/part0.jsonl"], at=20)
    document = summary_of(run)
    assert document["files"]["shards"] == ["../shards/part0.jsonl"]
    assert outcomes(document) == {"0/0": "scored", "1/0": "missing"}
