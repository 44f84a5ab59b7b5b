"""Documents that nest 100,000 deep, are very wide or long, or hold names and numbers that nobody expects.

Each file of each kind of folder, as input to the commands that read it: a clear error or a finding, never a crash.
`make fuzz` takes every change of every file; here each file gets two of them, and each change some files.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from runaudit.cli.exits import COULD_NOT_AUDIT
from runaudit.usecases import show
from tests.hostile.bounded import captured, preload, run_bounded
from tests.hostile.hostile_content import CHANGES, long_line, many, wide
from tests.hostile.sound import KINDS, signed_run
from tests.hostile.trials import Stage
from tests.stories.unprivileged import open_folder

KEYS, LONG = 100_000, 4 << 20
BIG = {"a wide object": wide(KEYS), "a long list": many(KEYS // 10), "a long line": long_line(LONG)}
# options of commands whose files no kind of folder holds
OPTIONS = {
    "expected.jsonl": "summarize {run}/rollouts.jsonl -o - --expected {it}",
    "unvalidated.json": "summarize {run}/rollouts.jsonl -o - --unvalidated {it}",
    "skipped.json": "summarize {run}/rollouts.jsonl -o - --skipped {it}",
    "signatures.json": "summarize {run}/rollouts.jsonl -o - --signatures {it}",
    "run_config.yaml": "summarize {run}/rollouts.jsonl -o - --run-config {it}",
    "gate.toml": "verify {run} --policy {it}",
    "runaudit.toml": "verify {run} --config {it}",
}


@pytest.fixture(scope="module")
def top() -> Iterator[Path]:
    """A folder that every user may walk into."""
    with open_folder() as folder:
        yield folder


@pytest.mark.parametrize("kind", KINDS)
def test_no_document_of_a_folder_brings_a_command_down(top: Path, kind: str) -> None:
    stage = Stage(top, kind)
    names = list(CHANGES)
    for number, path in enumerate(stage.roles()):
        for name in (names[number % len(names)], names[(number + 3) % len(names)]):
            _, wrong = stage.with_content(path, CHANGES[name])
            assert (path, name, wrong) == (path, name, [])


@pytest.mark.parametrize("name", BIG)
def test_big_documents_are_read_or_refused(top: Path, name: str) -> None:
    for kind, path in (
        ("NeMo Gym run", "rollouts_aggregate_metrics.json"),
        ("Harbor job", "result.json"),
        ("manifest", "SHA256_MANIFEST.json"),
        ("claims", "manifest.json"),
        ("games export", "manifest.json"),
        ("two summaries", "candidate.json"),
    ):
        stage = Stage(top / name, kind)
        _, wrong = stage.with_content(path, BIG[name])
        assert (kind, wrong) == (kind, [])


@pytest.mark.parametrize("change", CHANGES)
def test_no_file_that_an_option_names_brings_a_command_down(tmp_path: Path, change: str) -> None:
    preload()
    with open_folder() as folder:
        signed_run(folder / "run")
        (folder / "out").mkdir()
        (folder / "out").chmod(0o777)
        for name, words in OPTIONS.items():
            sound = b'{"a": "b", "version": 1}\n' if not name.endswith(".toml") else b"[require]\ncoverage = 0.5\n"
            (folder / name).write_bytes(CHANGES[change](sound))
            command = words.format(run=folder / "run", it=folder / name).split(" ")
            bounded = run_bounded([command], folder / "out")
            assert bounded.died is None
            assert "internal error" not in bounded.ran[0].err
            assert bounded.ran[0].code in ((2,) if name.endswith(".toml") else (0, 3))
    assert list(tmp_path.iterdir()) == []


def test_no_memory_is_no_crash_and_no_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    signed_run(tmp_path / "run")

    def starved(_: str) -> None:
        raise MemoryError

    monkeypatch.setattr(show, "load_summary", starved)
    ran = captured(["show", str(tmp_path / "run")])
    assert ran.code == COULD_NOT_AUDIT
    assert "out of memory" in ran.err
    assert "internal error" not in ran.err
