"""A received folder cannot influence its own audit: what its summary says is data, whatever it says."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.builders import Run
from tests.stories.summaries import Document, stored
from tests.stories.whole_run import audit, copied, write_run

ROOT = Path(__file__).parents[2]
# Names whatever is opened or listed from here on, then audits.
WATCHER = """
import sys
seen = []
def watch(event, args):
    if event in ("open", "os.scandir", "os.listdir"):
        seen.append(str(args[0]))
sys.addaudithook(watch)
from runaudit.cli.exits import guarded
code = guarded(["verify", "--format", "json", *sys.argv[1:]])
sys.stdout.flush()
sys.stderr.write("\\n".join(["", *(f"SEEN {path}" for path in seen)]))
sys.exit(code)
"""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The run whose summary every test replaces."""
    return write_run(tmp_path_factory.mktemp("whole"))


def traps(outside: Path) -> list[str]:
    """Paths that must never be opened: climbing out, absolute, devices, odd spellings of all three."""
    inner = outside / "secret"
    inner.mkdir(exist_ok=True)
    for name in ("test-stdout.txt", "reward.json", "trajectory.json", "rows.jsonl"):
        (inner / name).write_text("{}")
    climbing = "../outside/secret"
    return [
        str(inner),
        f"{inner}/rows.jsonl",
        climbing,
        f"{climbing}/rows.jsonl",
        f"verifier/../../outside/secret/{'rows.jsonl'}",
        "./.././outside/secret/rows.jsonl",
        "/dev/zero",
        "/dev/stdin",
        "/proc/self/environ",
        "//etc/passwd",
        "..",
        "/",
    ]


def _everywhere(document: Document, paths: list[str]) -> None:
    """Puts the paths into every field of the document that holds one."""
    for number, key in enumerate(document["files"]):
        listed = isinstance(document["files"][key], list)
        document["files"][key] = paths if listed else paths[number % len(paths)]
    document["evidence"].update({path: {"size": 2, "digest": "xxh3:" + "0" * 32} for path in paths})
    for field in ("stale_files", "set_aside"):
        document[field] = [{"path": path, "key": "rollouts", "size": 2, "digest": None} for path in paths]
    document["missing_paths"] = [{"path": path, "field": "verifier_logs"} for path in paths]
    document["options"].update(told=["rows", "run_config", "skipped"], split="../../../outside/secret/rows")
    for number, task in enumerate(document["tasks"]):
        at = number * 3
        task["verifier_logs"] = paths[at % len(paths)]
        for step, field in enumerate(("test_stdout", "reward_file", "trajectory", "artifacts")):
            task[field] = paths[(at + step) % len(paths)]
        task["evidence"] = {
            "test_stdout": {"size": 2, "digest": None},
            "files": {paths[at % len(paths)]: {"size": 1, "digest": None}},
        }


@pytest.mark.parametrize("turn", range(4))
def test_no_path_of_a_summary_leads_out_of_the_folder(whole: Run, tmp_path: Path, turn: int) -> None:
    copy = copied(whole, tmp_path / "copy")
    outside = tmp_path / "outside"
    outside.mkdir()
    paths = traps(outside)
    document = stored(copy.summary)
    turned = paths[turn * 3 :] + paths[: turn * 3]
    _everywhere(document, turned)
    document["files"]["rollouts"] = "rollouts.jsonl"
    copy.summary.write_text(json.dumps(document))
    ran = _watched([sys.executable, "-c", WATCHER, str(copy.folder)])
    assert ran.returncode == 1, ran.stderr
    seen = [line[5:] for line in ran.stderr.splitlines() if line.startswith("SEEN ")]
    assert any(path.startswith(str(copy.folder)) for path in seen)
    assert [path for path in seen if _is_trap(path, outside)] == []


def _watched(words: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)


def _is_trap(path: str, outside: Path) -> bool:
    whole = os.path.realpath(path)
    return whole.startswith((str(outside), "/dev/", "/proc/", "/etc/passwd")) or whole == "/"


def test_a_summary_cannot_switch_off_what_it_states_digests_of(whole: Run, tmp_path: Path) -> None:
    copy = copied(whole, tmp_path / "copy")
    (copy.folder / "verifier/task0/trajectory.json").write_text('{"steps": [7]}')
    document = stored(copy.summary)
    document["options"]["digest"] = "none"
    copy.summary.write_text(json.dumps(document))
    found = audit(copy.folder)
    assert (found.code, found.ids("error")) == (1, {"summary-unreadable": 1})


def test_a_configuration_in_the_folder_is_a_note(whole: Run, tmp_path: Path) -> None:
    copy = copied(whole, tmp_path / "copy")
    (copy.folder / "trajectory-of-nobody.json").write_text("{}")
    (copy.folder / "verifier/task0/reward.json").write_text('{"reward": 0.75}')
    (copy.folder / "runaudit.toml").write_text('[levels]\nreward-mismatch = "note"\nfile-changed = "note"\n')
    here = Path.cwd()
    os.chdir(copy.folder)
    try:
        found = audit(copy.folder)
    finally:
        os.chdir(here)
    assert (found.code, found.ids("note")["configuration-ignored"]) == (1, 1)
    assert {"reward-mismatch", "file-changed"} <= set(found.ids("error"))


_SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(min_value=1 << 62, max_value=1 << 80),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from(["rollouts.jsonl", "../x", "/dev/zero", "\0", "\ud800", "xxh3:0", "verifier/task0", "a/" * 3000]),
)
_VALUES = st.recursive(
    _SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
)


def _ways(value: Any, way: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every way through a document."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [way, *(found for key, each in inner for found in _ways(each, (*way, key)))]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_summary_with_wrong_values_anywhere_never_crashes(whole: Run, tmp_path: Path, data: st.DataObject) -> None:
    folder = tmp_path / "copy"
    copy = Run(folder) if folder.exists() else copied(whole, folder)
    document = stored(whole.summary)
    for _ in range(data.draw(st.integers(1, 3))):
        way = data.draw(st.sampled_from([way for way in _ways(document) if way]))
        place: Any = document
        for step in way[:-1]:
            place = place[step]
        place[way[-1]] = data.draw(_VALUES)
    copy.summary.write_text(json.dumps(document))
    found = audit(folder)
    assert found.code in (0, 1, 3)


@pytest.mark.parametrize("value", [None, 1, "text", [], {}, [1], [None], [[]], {"a": 1}, float("nan"), 1e400])
@pytest.mark.parametrize("field", ["tasks", "evidence", "files", "options", "counts", "findings", "version", "layout"])
def test_a_part_of_the_wrong_type_is_an_error(whole: Run, tmp_path: Path, field: str, value: Any) -> None:
    copy = copied(whole, tmp_path / "copy")
    document = stored(copy.summary)
    document[field] = 2.5 if (field, value) == ("version", 1) else value
    copy.summary.write_text(json.dumps(document))
    found = audit(copy.folder)
    assert found.code in (1, 3), found.report


SHAPES: dict[str, Callable[[str], str]] = {
    "an empty object": lambda _: "{}",
    "a list": lambda _: "[]",
    "nested without end": lambda _: '{"kind": "run_summary", "tasks": ' + "[" * 100_000,
    "nested deep": lambda text: text.replace('"tasks": [', f'"tasks": [{"[" * 900}{"]" * 900},', 1),
    "a deep entry": lambda text: text.replace('"model": ', f'"deep": {"[" * 900}{"]" * 900}, "model": '),
    "a deep key": lambda text: text.replace('"server": ', f'"shard": {"[" * 900}{"]" * 900}, "server": '),
    "not a number": lambda text: text.replace('"reward": 0.5', '"reward": NaN'),
    "infinite": lambda text: text.replace('"size": ', '"size": 1e999, "bytes": ', 1),
    "another kind": lambda text: text.replace('"kind": "run_summary"', '"kind": "run_summary "'),
    "text behind it": lambda text: f"{text}{{}}",
    "a mark in front": lambda text: f"\ufeff{text}",
}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_summary_of_another_shape_never_crashes(whole: Run, tmp_path: Path, shape: str) -> None:
    copy = copied(whole, tmp_path / "copy")
    text = SHAPES[shape](copy.summary.read_text())
    copy.summary.write_text(text, encoding="utf-8")
    found = audit(copy.folder)
    clean = shape in ("an empty object", "another kind", "a mark in front")
    assert found.code in ((0, 1) if clean else (1, 3)), found.ids()


def test_a_hundred_thousand_entries_of_nothing_end_soon(whole: Run, tmp_path: Path) -> None:
    copy = copied(whole, tmp_path / "copy")
    document = stored(copy.summary)
    document["tasks"] = [{}] * 50_000 + [1] * 50_000
    copy.summary.write_text(json.dumps(document))
    begin = time.process_time()
    found = audit(copy.folder)
    assert (found.code, time.process_time() - begin < 30) == (1, True)
