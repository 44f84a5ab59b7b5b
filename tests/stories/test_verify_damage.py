"""Every kind of file of a run, and every damage: the expected finding and exit code, no traceback, no hang."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.builders import Run
from tests.stories import damage
from tests.stories.summaries import command, stored
from tests.stories.unprivileged import as_nobody, open_folder
from tests.stories.whole_run import Audit, audit, copied, write_run, write_run_with_a_stale_file

OWN = {
    "rollouts": "rollouts.jsonl",
    "failures": "rollouts_failures.jsonl",
    "materialized inputs": "rollouts_materialized_inputs.jsonl",
    "aggregate": "rollouts_aggregate_metrics.json",
    "sources": "rollouts_sources.json",
    "shard": "shard0.jsonl",
    "quality summary": "quality_summary.json",
    "verdicts": "rollout_verdicts.jsonl",
    "rows": "tasks.jsonl",
    "prepared rows": "tasks_prepare.jsonl",
    "rows metrics": "tasks_metrics.json",
    "collated input": "rollouts/preprocessed_datasets/validation.jsonl",
    "run config": "run_config.yaml",
    "stdout": "verifier/task0/test-stdout.txt",
    "reward.json": "verifier/task0/reward.json",
    "reward.txt": "verifier/task1/reward.txt",
    "trajectory": "verifier/task2/trajectory.json",
}
TREES = {"artifact": "verifier/task0/artifacts/out.txt", "log": "verifier/task1/verifier.log"}
SUMMARY = "rollouts_run_summary.json"
SIGNATURES = "rollouts_output_signatures.json"
PLACES = {
    damage.link_outside: "outside-root",
    damage.dangling: "dangling-link",
    damage.loop: "link-loop",
    damage.folder: "wrong-kind",
    damage.pipe: "wrong-kind",
    damage.unix_socket: "wrong-kind",
}
CONTENTS = {
    damage.delete: "file-missing",
    damage.truncate: "file-changed",
    damage.flip: "file-changed",
    damage.another_runs: "file-changed",
}
OF_A_FILE: dict[damage.Damage, str | None] = {**CONTENTS, **PLACES, damage.link_inside: None}
# one digest covers names, sizes and links of everything below; contents only with --digest sha256
OF_A_TREE = OF_A_FILE | {
    damage.delete: "file-changed",
    damage.flip: None,
    damage.folder: "file-changed",
    damage.link_inside: "file-changed",
}
OF_THE_SUMMARY: dict[damage.Damage, str] = {
    **dict.fromkeys((damage.truncate, *PLACES), "summary-unreadable"),
    damage.another_runs: "summary-outdated",
}
Cell = tuple[str, str, damage.Damage, str | None]


def named(value: object) -> str:
    """The name of a cell's damage, or its text."""
    return getattr(value, "__name__", str(value))


def cells() -> Iterator[Cell]:
    """Every kind of file of the whole run, with every damage and the finding that must come of it."""
    for kind, path in OWN.items():
        yield from ((kind, path, harm, finding) for harm, finding in OF_A_FILE.items())
    for kind, path in TREES.items():
        yield from ((kind, path, harm, finding) for harm, finding in OF_A_TREE.items())


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The run that every cell damages a copy of."""
    return write_run(tmp_path_factory.mktemp("whole"))


@pytest.fixture(scope="module")
def with_stale(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run with a file that an earlier one left."""
    return write_run_with_a_stale_file(tmp_path_factory.mktemp("stale"))


def damaged(run: Run, path: str, harm: damage.Damage, scratch: Path) -> Audit:
    """The audit of a copy in which one file was damaged."""
    outside = scratch / "outside"
    outside.mkdir()
    copy = copied(run, scratch / "copy")
    harm(copy.folder / path, outside)
    return audit(copy.folder)


def told_of(found: Audit, finding: str | None) -> list[str]:
    """The paths of a finding's places."""
    return [place.get("path", "") for place in found.places(finding or "")]


@pytest.mark.parametrize(("kind", "path", "harm", "finding"), list(cells()), ids=named)
def test_a_damaged_file_is_found(
    whole: Run, tmp_path: Path, kind: str, path: str, harm: damage.Damage, finding: str | None
) -> None:
    found = damaged(whole, path, harm, tmp_path)
    if finding is None:
        assert (found.code, found.ids("error")) == (0, {}), kind
        return
    assert found.code == 1
    assert finding in found.ids("error")
    assert [each for each in told_of(found, finding) if path.startswith(each)], kind
    assert len(set(told_of(found, finding))) == len(told_of(found, finding))


@pytest.mark.parametrize(("harm", "finding"), list(OF_A_FILE.items()), ids=named)
def test_damage_to_a_stale_file_is_found(
    with_stale: Run, tmp_path: Path, harm: damage.Damage, finding: str | None
) -> None:
    found = damaged(with_stale, "rollouts_failures.jsonl", harm, tmp_path)
    assert found.code == (0 if finding is None else 1)
    assert finding is None or told_of(found, finding) == ["rollouts_failures.jsonl"]


@pytest.mark.parametrize(("harm", "finding"), list(OF_THE_SUMMARY.items()), ids=named)
def test_damage_to_the_summary_is_found(whole: Run, tmp_path: Path, harm: damage.Damage, finding: str) -> None:
    found = damaged(whole, SUMMARY, harm, tmp_path)
    assert found.code == 1
    assert finding in found.ids("error")


def test_a_summary_that_is_gone_leaves_its_question_open(whole: Run, tmp_path: Path) -> None:
    found = damaged(whole, SUMMARY, damage.delete, tmp_path)
    assert found.code == 0
    assert found.unmade()["integrity"].startswith("there is no summary")


def test_a_link_to_the_summary_inside_the_folder_is_followed(whole: Run, tmp_path: Path) -> None:
    found = damaged(whole, SUMMARY, damage.link_inside, tmp_path)
    assert (found.code, found.ids("error")) == (0, {})


@pytest.mark.parametrize("harm", [damage.truncate, damage.flip, damage.another_runs])
def test_signatures_that_the_summary_did_not_use_are_named(whole: Run, tmp_path: Path, harm: damage.Damage) -> None:
    found = damaged(whole, SIGNATURES, harm, tmp_path)
    assert (found.code, found.ids("warning")["signatures-changed"]) == (0, 1)
    (place,) = found.places("signatures-changed")
    assert place["expected"] == stored(whole.summary)["options"]["signatures"] != place["found"]


def test_signatures_that_are_gone_are_a_check_that_was_not_made(whole: Run, tmp_path: Path) -> None:
    found = damaged(whole, SIGNATURES, damage.delete, tmp_path)
    assert (found.code, "signatures" in found.unmade()) == (0, True)


@pytest.mark.parametrize(("harm", "finding"), list(PLACES.items()), ids=named)
def test_signatures_of_the_wrong_kind_are_found(whole: Run, tmp_path: Path, harm: damage.Damage, finding: str) -> None:
    found = damaged(whole, SIGNATURES, harm, tmp_path)
    assert (found.code, told_of(found, finding)) == (1, [SIGNATURES])


def test_swapped_log_folders_are_found_on_both_sides(whole: Run, tmp_path: Path) -> None:
    logs = copied(whole, tmp_path / "copy").folder / "verifier"
    (logs / "task0").rename(logs / "kept")
    (logs / "task2").rename(logs / "task0")
    (logs / "kept").rename(logs / "task2")
    found = audit(tmp_path / "copy")
    assert found.code == 1
    assert {path.split("/")[1] for path in told_of(found, "file-changed")} == {"task0", "task2"}
    assert found.ids("error")["reward-mismatch"] == 2


@pytest.mark.parametrize("name", ["verifier/task0", "verifier", "verifier/task0/artifacts"])
def test_a_log_folder_that_is_gone_is_found(whole: Run, tmp_path: Path, name: str) -> None:
    copy = copied(whole, tmp_path / "copy")
    shutil.rmtree(copy.folder / name)
    found = audit(copy.folder)
    assert (found.code, "file-missing" in found.ids("error")) == (1, True)


def test_a_log_folder_is_not_called_gone_when_its_row_is(whole: Run, tmp_path: Path) -> None:
    copy = copied(whole, tmp_path / "copy")
    copy.rollouts.unlink()
    damage.flip(copy.folder / OWN["stdout"], tmp_path)
    shutil.rmtree(copy.folder / "verifier/task2")
    found = audit(copy.folder)
    assert told_of(found, "file-missing") == ["rollouts.jsonl", "verifier/task2"]
    assert told_of(found, "file-changed") == [OWN["stdout"]]


def test_a_changed_artifact_of_the_same_size_is_found_with_sha256(tmp_path: Path) -> None:
    run = write_run(tmp_path)
    assert command("summarize", run.rollouts, "--digest", "sha256") == 0
    damage.flip(run.folder / TREES["artifact"], tmp_path)
    assert told_of(audit(run.folder), "file-changed") == ["verifier/task0"]


UNREADABLE = [*OWN.values(), SUMMARY, SIGNATURES, "verifier/task0", "verifier", "verifier/task1/artifacts"]


@pytest.mark.parametrize("path", UNREADABLE)
def test_no_permission_is_no_damage(whole: Run, path: str) -> None:
    with open_folder() as scratch:
        copy = copied(whole, scratch / "copy")
        (copy.folder / path).chmod(0)
        with as_nobody():
            found = audit(copy.folder)
        (copy.folder / path).chmod(0o755)
    assert (found.code, found.ids("error")) == (3, {}), [found.places(each) for each in found.ids("error")]
    assert [each for each in told_of(found, "no-permission") if each.startswith(path)]
    assert any(reason for reason in found.unmade().values())


@pytest.mark.parametrize("path", UNREADABLE)
def test_no_permission_hides_no_damage_elsewhere(whole: Run, path: str) -> None:
    with open_folder() as scratch:
        copy = copied(whole, scratch / "copy")
        damage.flip(copy.folder / "verifier/task2/trajectory.json", scratch)
        damage.another_runs(copy.folder / "tasks_metrics.json", scratch)
        (copy.folder / path).chmod(0)
        with as_nobody():
            found = audit(copy.folder)
        (copy.folder / path).chmod(0o755)
    if path == SUMMARY:
        # what the summary recorded is not known, so nothing can be called changed
        assert found.code == 3
    else:
        assert (found.code, "file-changed" in found.ids("error")) == (1, True)


def test_a_folder_that_may_not_be_listed_could_not_be_audited(whole: Run) -> None:
    with open_folder() as scratch:
        copy = copied(whole, scratch / "copy")
        copy.folder.chmod(0)
        with as_nobody():
            found = audit(copy.folder)
        copy.folder.chmod(0o755)
    assert (found.code, "may not be read" in found.complaint) == (3, True)
