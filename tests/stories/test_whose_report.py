"""Behaviours about files that follow a completed collection: is the aggregate, is the health report this run's?"""

import os

import pytest

from tests.builders import Run, native_input, row
from tests.stories.summaries import Document, entry, findings, places, summarized, summary_of

NEITHER = {"quality_summary": None, "rollout_verdicts": None}
BOTH = {"quality_summary": "quality_summary.json", "rollout_verdicts": "rollout_verdicts.jsonl"}


def reports(document: Document) -> dict[str, str | None]:
    """The two health reports as `files` lists them."""
    return {key: document["files"][key] for key in NEITHER}


@pytest.mark.parametrize(("at", "listed"), [(9.5, False), (10.0, True), (10.5, True)])
def test_an_aggregate_counts_when_it_is_at_least_as_new_as_the_rollouts(run: Run, at: float, listed: bool) -> None:
    run.scored(1.0)
    run.aggregate(at=at)
    document = summarized(run)
    assert document["files"]["aggregate_metrics"] == ("rollouts_aggregate_metrics.json" if listed else None)
    assert ("aggregate-older" in findings(document, "note")) is not listed
    assert [(file["key"], file["path"]) for file in document["set_aside"]] == (
        [] if listed else [("aggregate_metrics", "rollouts_aggregate_metrics.json")]
    )


def test_an_aggregate_without_rollouts_of_this_run_is_null(run: Run) -> None:
    run.inputs(native_input(0))
    run.aggregate()
    document = summary_of(run)
    assert document["files"]["aggregate_metrics"] is None
    assert findings(document)["aggregate-without-rollouts"] == 1


def test_a_report_that_records_these_rollouts_is_linked(run: Run) -> None:
    run.scored(1.0)
    run.health("rollouts.jsonl")
    document = summarized(run)
    assert reports(document) == BOTH
    assert entry(document)["health"] == "healthy"


@pytest.mark.parametrize("recorded", [("other.jsonl",), ("rollouts.jsonl", "other.jsonl"), ("../rollouts.jsonl",)])
def test_a_report_that_records_other_rollouts_is_not_linked(run: Run, recorded: tuple[str, ...]) -> None:
    run.scored(1.0)
    run.put("other.jsonl", "")
    run.health(*recorded)
    document = summary_of(run)
    assert reports(document) == NEITHER
    assert entry(document)["health"] is None
    assert findings(document, "note")["health-not-attributed"] == 1


def merged(run: Run) -> None:
    """A merged file with two shards that its sources list."""
    for number in range(2):
        shard = Run(run.folder, f"shard{number}")
        shard.inputs(native_input(number))
        shard.results(row(number))
    run.results(row(0), row(1))
    run.put("rollouts_sources.json", ["shard0.jsonl", "shard1.jsonl"], at=10)


@pytest.mark.parametrize(
    ("recorded", "linked"),
    [
        (("shard0.jsonl", "shard1.jsonl"), True),
        (("shard1.jsonl", "shard0.jsonl"), True),
        (("shard0.jsonl",), False),
        (("shard0.jsonl", "shard1.jsonl", "shard2.jsonl"), False),
        (("rollouts.jsonl",), False),
    ],
)
def test_a_merged_files_report_must_record_exactly_its_shards(
    run: Run, recorded: tuple[str, ...], linked: bool
) -> None:
    merged(run)
    run.health(*recorded)
    assert reports(summary_of(run)) == (BOTH if linked else NEITHER)


@pytest.mark.parametrize(("at", "linked"), [(9.5, False), (10.0, True)])
def test_an_own_report_counts_only_when_at_least_as_new(run: Run, at: float, linked: bool) -> None:
    run.scored(1.0)
    run.health("rollouts.jsonl", at=at)
    assert reports(summary_of(run)) == (BOTH if linked else NEITHER)


def test_the_newest_report_of_a_folder_belongs_to_the_stem_that_it_records(run: Run) -> None:
    run.scored(1.0)
    second = Run(run.folder, "second")
    second.scored(0.0)
    run.health("second.jsonl", at=1000)
    assert reports(summary_of(run)) == NEITHER
    assert reports(summary_of(second)) == BOTH


def test_recorded_rollouts_are_relative_to_the_reports_folder(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run.scored(1.0)
    elsewhere = run.folder.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "rollouts.jsonl").write_text("")
    monkeypatch.chdir(elsewhere)
    run.health("rollouts.jsonl")
    assert reports(summary_of(run)) == BOTH
    run.health(os.path.relpath(elsewhere / "rollouts.jsonl", run.folder))
    assert reports(summary_of(run)) == NEITHER


def test_a_recorded_path_has_its_folders_resolved_and_keeps_its_own_name(run: Run) -> None:
    run.scored(1.0)
    (run.folder.parent / "latest").symlink_to(run.folder)
    run.health(str(run.folder.parent / "latest" / "rollouts.jsonl"))
    assert reports(summary_of(run)) == BOTH
    store = run.put("store/blob", run.rollouts.read_bytes(), at=10)
    run.rollouts.unlink()
    run.rollouts.symlink_to(store)
    run.health("rollouts.jsonl")
    assert reports(summary_of(run)) == BOTH
    run.health("store/blob")
    assert reports(summary_of(run)) == NEITHER


def test_a_shard_that_is_a_link_keeps_its_name(run: Run) -> None:
    merged(run)
    shard = run.folder / "shard1.jsonl"
    shard.rename(run.folder / "blob")
    shard.symlink_to("blob")
    run.health("shard0.jsonl", "shard1.jsonl")
    assert reports(summary_of(run)) == BOTH
    run.health("shard0.jsonl", "blob")
    assert reports(summary_of(run)) == NEITHER


@pytest.mark.parametrize(
    ("content", "finding"),
    [
        ({"run": {"verdicts": {}}, "tasks": {}}, "health-not-attributed"),
        ({"run": {"rollouts": []}}, "health-not-attributed"),
        ({"run": {"rollouts": [3]}}, "health-not-attributed"),
        ([], "health-not-attributed"),
        ("", "health-unreadable"),
        ('{"run": {"rollouts": ["rollouts.jsonl"]', "health-unreadable"),
    ],
)
def test_a_report_without_a_record_is_not_linked_and_a_note_says_why(
    run: Run, content: Document | str, finding: str
) -> None:
    run.scored(1.0)
    run.health("rollouts.jsonl")
    run.put("quality_summary.json", content, at=30)
    document = summary_of(run)
    assert reports(document) == NEITHER
    assert findings(document)[finding] == 1
    assert places(document, finding)[0]["path"] == "quality_summary.json"


def test_a_provisional_summary_has_no_verdicts_and_nothing_is_wrong(run: Run) -> None:
    run.scored(1.0)
    run.health("rollouts.jsonl", verdicts=False)
    document = summary_of(run)
    assert reports(document) == {"quality_summary": "quality_summary.json", "rollout_verdicts": None}
    assert (document["missing_paths"], document["findings"]) == ([], [])


def test_verdicts_without_a_quality_summary_are_nobodys(run: Run) -> None:
    run.scored(1.0)
    run.health("rollouts.jsonl")
    (run.folder / "quality_summary.json").unlink()
    document = summary_of(run)
    assert reports(document) == NEITHER
    assert entry(document)["health"] is None


def test_without_rollouts_neither_report_is_linked(run: Run) -> None:
    run.inputs(native_input(0))
    run.health("rollouts.jsonl")
    assert reports(summary_of(run)) == NEITHER


def test_ages_of_reset_times_are_told_as_weak_evidence(run: Run) -> None:
    run.scored(1.0)
    run.aggregate()
    for path in run.folder.iterdir():
        os.utime(path, (315_532_800, 315_532_800))
    document = summary_of(run)
    assert document["files"]["aggregate_metrics"] == "rollouts_aggregate_metrics.json"
    assert findings(document, "note")["times-look-reset"] == 1
