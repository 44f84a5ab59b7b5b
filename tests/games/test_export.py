"""An export at the source's scale: the manifest has its counts, verify is clean, every single change is named."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from runaudit.errors import InputError
from runaudit.model.report import Report
from runaudit.usecases.games import build_games_manifest, verify_games, write_games_manifest
from runaudit.usecases.games_mining import LogSources
from tests.games.exports import FULL, PARTIAL, RUNNING, STOPPED, entry, game_names

Logs = tuple[Path, Path]
Rewrite = Callable[[Path, str], None]
SCHEMA = Path(__file__).parents[2] / "schemas" / "games_manifest.v1.json"
FIRST = "generations/gen_00_step_00000/game_00000_000_mathematical_reasoning"
PARTIAL_GAME = "generations/partial/step_00001/game_00001_000_logical_deduction"


def sources(logs: Logs) -> LogSources:
    return LogSources(files=tuple(map(str, logs)))


def ids(report: Report) -> set[str]:
    return {group.id for group in report.findings}


def said(report: Report) -> str:
    places = [place for group in report.findings for place in group.places]
    return "\n".join(f"{place.path} {place.message} {place.expected} {place.found}" for place in places)


def stated(root: Path) -> Any:
    return json.loads((root / "manifest.json").read_text())


def test_the_manifest_has_exactly_the_sources_counts(whole: Path) -> None:
    summary = stated(whole)["summary"]
    assert summary["total_games"] == 195
    full = {f"gen_{at:02d}_step_{step:05d}": count for at, (step, count) in enumerate(FULL)}
    assert summary["per_generation_counts"] == {**full, **{f"step_{step:05d}": count for step, count in PARTIAL}}
    assert (len(summary["per_skill_counts"]), sum(summary["per_skill_counts"].values())) == (6, 195)
    assert (summary["games_with_reward_data"], summary["games_without_reward_data"]) == (195, 0)
    assert summary["reward_stats_source"] == {STOPPED: 30, RUNNING: 5}
    assert summary["env_memory_entries"] == 200
    games = stated(whole)["games"]
    assert sum(game["hint"] is not None for game in games) == 185
    assert sum(game["plays"] for game in games) == 603 * 16  # pairs of an entry and a game


def test_the_manifest_keeps_its_schema_and_its_bytes(whole: Path, logs: Logs) -> None:
    Draft202012Validator(json.loads(SCHEMA.read_text())).validate(stated(whole))
    again = build_games_manifest(str(whole), sources=sources(logs))
    assert again.content == (whole / "manifest.json").read_bytes()
    assert again.report.body["counts"]["join_rate"] == 1.0


def test_verify_is_clean(whole: Path, logs: Logs) -> None:
    for given in (None, sources(logs)):
        report = verify_games(str(whole), sources=given)
        assert (report.verdict.exit_code, report.findings) == (0, ())
    assert {check.name: check.count for check in report.checks}["card"] == 24


def test_unknown_fields_are_kept(copied: Path, logs: Logs, rewrite: Rewrite) -> None:
    document = stated(copied)
    document["licence"] = "x"
    document["summary"]["wandb_group"] = "kl005"
    document["games"][3]["novelty"] = 0.5
    rewrite(copied / "manifest.json", json.dumps(document))
    write_games_manifest(str(copied), build_games_manifest(str(copied), sources=sources(logs)))
    assert stated(copied) == document


def test_without_logs_rewards_of_unchanged_files_are_kept(copied: Path, rewrite: Rewrite) -> None:
    before = stated(copied)
    rewrite(copied / (FIRST + ".py"), "changed = True\n")
    after = build_games_manifest(str(copied)).document
    assert after["games"][1:] == before["games"][1:]
    assert (after["games"][0]["rewards"], after["games"][0]["mean"]) == ([], None)
    assert after["summary"]["games_without_reward_data"] == 1
    assert after["summary"]["reward_stats_source"] == before["summary"]["reward_stats_source"]


def _numbers(summary: dict[str, Any]) -> list[tuple[str, ...]]:
    """Where a number stands in the summary."""
    found: list[tuple[str, ...]] = []
    for key, value in summary.items():
        if isinstance(value, int):
            found.append((key,))
        elif isinstance(value, dict):
            found += [(key, inner) for inner in value]
    return found


def test_each_number_of_the_summary_off_by_one_is_named(copied: Path, logs: Logs, rewrite: Rewrite) -> None:
    document = stated(copied)
    places = _numbers(document["summary"])
    assert len(places) == 4 + 15 + 6 + 2
    for at, place in enumerate(places):
        changed = json.loads(json.dumps(document))
        holder = changed["summary"]
        for key in place[:-1]:
            holder = holder[key]
        right = holder[place[-1]]
        step = 1 if at % 2 or right == 0 else -1
        holder[place[-1]] += step
        rewrite(copied / "manifest.json", json.dumps(changed))
        needs_logs = place[0] == "reward_stats_source"
        report = verify_games(str(copied), sources=sources(logs) if needs_logs else None)
        assert report.verdict.exit_code == 1, place
        assert "games-count-differs" in ids(report)
        text = said(report)
        assert place[-1] in text or place[0] in text
        assert str(right) in text
        assert str(right + step) in text


def _remove(root: Path, path: str) -> None:
    (root / path).unlink()


def _rename(root: Path, path: str, to: str) -> None:
    (root / path).rename((root / path).with_name(to))


def _edit(root: Path, path: str) -> None:
    text = (root / path).read_text()
    (root / path).unlink()
    (root / path).write_text(text + "\n")


def _add(root: Path, path: str, text: str = "x = 1\n") -> None:
    (root / path).parent.mkdir(exist_ok=True)
    (root / path).write_text(text)


FILES: list[tuple[str, Callable[[Path], object], set[str], str]] = [
    ("game removed", lambda r: _remove(r, FIRST + ".py"), {"games-file-missing", "games-orphan-hint"}, FIRST),
    ("partial game removed", lambda r: _remove(r, PARTIAL_GAME + ".py"), {"games-file-missing"}, PARTIAL_GAME),
    ("hint removed", lambda r: _remove(r, FIRST + "_hint.txt"), {"games-file-missing", "games-hint-missing"}, FIRST),
    ("memory removed", lambda r: _remove(r, "env_memory.json"), {"games-file-missing"}, "env_memory.json"),
    ("game edited", lambda r: _edit(r, FIRST + ".py"), {"games-file-changed"}, FIRST + ".py"),
    ("partial game edited", lambda r: _edit(r, PARTIAL_GAME + ".py"), {"games-file-changed"}, PARTIAL_GAME),
    ("hint edited", lambda r: _edit(r, FIRST + "_hint.txt"), {"games-file-changed"}, FIRST + "_hint.txt"),
    ("memory edited", lambda r: _edit(r, "env_memory.json"), {"games-file-changed"}, "env_memory.json"),
    (
        "game renamed to another step",
        lambda r: _rename(r, FIRST + ".py", "game_00004_000_mathematical_reasoning.py"),
        {"games-file-missing", "games-file-unlisted", "games-name-wrong", "games-orphan-hint"},
        "states another step",
    ),
    (
        "game renamed to a used index",
        lambda r: _rename(r, FIRST + ".py", "game_00000_001_mathematical_reasoning.py"),
        {"games-name-wrong"},
        "index 1 is used twice",
    ),
    (
        "game renamed to an unknown skill",
        lambda r: _rename(r, FIRST + ".py", "game_00000_000_cooking.py"),
        {"games-name-wrong", "games-file-unlisted"},
        "cooking",
    ),
    ("game renamed out of form", lambda r: _rename(r, FIRST + ".py", "game_a.py"), {"games-name-wrong"}, "game_a.py"),
    ("hint renamed", lambda r: _rename(r, FIRST + "_hint.txt", "game_9_hint.txt"), {"games-orphan-hint"}, "game_9"),
    (
        "folder renamed",
        lambda r: _rename(r, "generations/gen_00_step_00000", "gen_00_step_00001"),
        {"games-count-differs", "games-file-missing", "games-name-wrong"},
        "gen_00_step_00001",
    ),
    (
        "folder renamed out of form",
        lambda r: _rename(r, "generations/gen_00_step_00000", "generation_0"),
        {"games-name-wrong", "games-file-missing"},
        "generation_0",
    ),
    (
        "game added",
        lambda r: _add(r, "generations/gen_00_step_00000/game_00000_090_optimization.py"),
        {"games-count-differs", "games-file-unlisted", "games-hint-missing"},
        "game_00000_090",
    ),
    (
        "partial game added",
        lambda r: _add(r, "generations/partial/step_00002/game_00002_000_optimization.py"),
        {"games-count-differs", "games-file-unlisted"},
        "step_00002",
    ),
    (
        "hint added to a partial step",
        lambda r: _add(r, PARTIAL_GAME + "_hint.txt"),
        {"games-hint-unexpected", "games-file-unlisted"},
        PARTIAL_GAME,
    ),
    (
        "hint added without a game",
        lambda r: _add(r, "generations/gen_00_step_00000/game_00000_090_optimization_hint.txt"),
        {"games-orphan-hint"},
        "game_00000_090",
    ),
    ("manifest cut", lambda r: _cut(r / "manifest.json"), {"games-manifest-unreadable"}, "manifest.json"),
    ("card edited", lambda r: _card(r, "(195)", "(196)"), {"games-count-differs"}, "196"),
    ("card's generation", lambda r: _card(r, "(21 games", "(20 games"), {"games-count-differs"}, "gen_02_step_00008"),
    ("card's partial", lambda r: _card(r, "step_00025/", "step_00026/"), {"games-count-differs"}, "step_00026"),
    ("card's memory", lambda r: _card(r, "(200 entries)", "(201 entries)"), {"games-count-differs"}, "201"),
    ("card's log entries", lambda r: _card(r, "35 such", "36 such"), {"games-count-differs"}, "36"),
    ("card's stopped job", lambda r: _card(r, "30 from", "29 from"), {"games-count-differs"}, "29"),
    ("card's join rate", lambda r: _card(r, "100%", "99%"), {"games-count-differs"}, "99"),
    ("card's skills", lambda r: _card(r, "6 cognitive", "7 cognitive"), {"games-count-differs"}, "7"),
]


def _cut(path: Path) -> None:
    text = path.read_text()
    path.unlink()
    path.write_text(text[:-100])


def _card(root: Path, old: str, new: str) -> None:
    text = (root / "README.md").read_text()
    assert old in text
    (root / "README.md").unlink()
    (root / "README.md").write_text(text.replace(old, new))


@pytest.mark.parametrize(("change", "expected", "names"), [case[1:] for case in FILES], ids=[case[0] for case in FILES])
def test_each_change_of_a_file_is_named(
    copied: Path, change: Callable[[Path], object], expected: set[str], names: str
) -> None:
    change(copied)
    report = verify_games(str(copied))
    assert report.verdict.exit_code == 1
    assert expected <= ids(report)
    assert names in said(report)


ENTRIES: list[tuple[str, dict[str, Any], str]] = [
    ("a reward", {"rewards": [0.0] * 16}, "games-rewards-differ"),
    ("plays", {"plays": 17}, "games-rewards-differ"),
    ("the mean", {"mean": 0.9}, "games-rewards-differ"),
    ("the skill", {"skill": "optimization"}, "games-name-wrong"),
    ("the step", {"step": 4}, "games-name-wrong"),
    ("the index", {"index": 4}, "games-name-wrong"),
    ("the generation", {"generation": "gen_01_step_00004"}, "games-name-wrong"),
    ("the hash", {"sha256": "0" * 64}, "games-file-changed"),
    ("the hint", {"hint": None}, "games-file-unlisted"),
    ("the file", {"file": "../../etc/passwd"}, "games-file-missing"),
    ("the kind of a field", {"plays": "16"}, "games-manifest-malformed"),
    ("a source", {"sources": [{"job": "elsewhere", "entries": 1, "plays": 16}]}, "games-rewards-differ"),
]


@pytest.mark.parametrize(("change", "expected"), [case[1:] for case in ENTRIES], ids=[case[0] for case in ENTRIES])
def test_each_change_of_an_entry_is_named(
    copied: Path, rewrite: Rewrite, change: dict[str, Any], expected: str
) -> None:
    document = stated(copied)
    document["games"][0].update(change)
    rewrite(copied / "manifest.json", json.dumps(document))
    report = verify_games(str(copied))
    assert expected in ids(report)
    assert report.verdict.exit_code == 1


def test_other_spellings_of_the_same_are_no_findings(copied: Path, rewrite: Rewrite) -> None:
    document = stated(copied)
    for game in document["games"]:
        game["path"] = game.pop("file")
        game["mean_reward"] = round(game.pop("mean"), 4)
        game["generation"] = int(game["generation"][4:6]) if game["generation"].startswith("gen_") else None
        game["skill"] = game["skill"].title()
        game["sources"] = [source["job"] for source in game["sources"]]
    counts = document["summary"]["per_generation_counts"]
    document["summary"]["per_generation_counts"] = {
        key if key.startswith("gen_") else f"partial/{key}": count for key, count in counts.items()
    }
    document["summary"]["reward_stats_source"] = [
        {"job_id": job, "entries": count} for job, count in document["summary"]["reward_stats_source"].items()
    ]
    rewrite(copied / "manifest.json", json.dumps(document))
    assert verify_games(str(copied)).findings == ()


@pytest.mark.parametrize("field", ["generation", "step", "index", "hint", "sha256", "plays", "mean", "sources"])
def test_a_field_that_an_entry_leaves_out_is_named(copied: Path, rewrite: Rewrite, field: str) -> None:
    document = stated(copied)
    del document["games"][0][field]
    rewrite(copied / "manifest.json", json.dumps(document))
    report = verify_games(str(copied))
    [group] = report.findings
    assert (group.id, group.level) == ("games-field-missing", "warning" if field == "sha256" else "note")
    assert f"1 of 195 entries state no {field}" in said(report)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (None, "games-count-missing"),
        ({}, "games-count-missing"),
        ({STOPPED: "30"}, "games-manifest-malformed"),
        ("the logs of two jobs", None),
    ],
)
def test_where_the_rewards_are_from_must_be_said(
    copied: Path, rewrite: Rewrite, source: object, expected: str | None
) -> None:
    document = stated(copied)
    document["summary"]["reward_stats_source"] = source
    for game in document["games"]:
        game["sources"] = []
    rewrite(copied / "manifest.json", json.dumps(document))
    assert ids(verify_games(str(copied))) - {"games-count-differs"} == ({expected} if expected else set())


def test_an_entry_stated_twice_is_named(copied: Path, rewrite: Rewrite) -> None:
    document = stated(copied)
    document["games"].append(document["games"][0])
    rewrite(copied / "manifest.json", json.dumps(document))
    assert {"games-listed-twice", "games-count-differs"} <= ids(verify_games(str(copied)))


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("doubled", [False, True])
def test_each_log_entry_dropped_or_doubled_is_named(
    whole: Path, logs: Logs, tmp_path: Path, which: int, doubled: bool
) -> None:
    lines = logs[which].read_text().splitlines()
    at = [number for number, line in enumerate(lines) if "[COLLECT]" in line]
    for number in (at[0], at[len(at) // 2], at[-1]):
        changed = tmp_path / logs[which].name
        changed.write_text("\n".join(lines[:number] + lines[number : number + 1] * (2 * doubled) + lines[number + 1 :]))
        files = [str(changed) if path == logs[which] else str(path) for path in logs]
        report = verify_games(str(whole), sources=LogSources(files=tuple(files)))
        assert report.verdict.exit_code == 1
        assert {"games-count-differs", "games-rewards-differ"} <= ids(report)
        right = len(at)
        assert f"{right} (summary) {right + (1 if doubled else -1)} (logs)" in said(report)
        assert ("games-log-repeated" in ids(report)) is doubled


def test_a_capped_log_is_no_error_and_names_its_lower_bounds(whole: Path, logs: Logs, tmp_path: Path) -> None:
    capped = tmp_path / logs[0].name
    capped.write_text("\n".join(logs[0].read_text().splitlines()[20:]) + "\n")
    report = verify_games(str(whole), sources=LogSources(files=(str(capped), str(logs[1])), cap=40))
    assert (report.verdict.exit_code, ids(report)) == (0, {"games-log-truncated"})
    built = build_games_manifest(str(whole), sources=LogSources(files=(str(capped), str(logs[1])), cap=40))
    assert list(built.document["summary"]["reward_stats_lower_bounds"]) == [STOPPED]


def test_a_log_inside_another_is_counted_once(whole: Path, logs: Logs, tmp_path: Path) -> None:
    both = tmp_path / logs[1].name
    both.write_text(logs[0].read_text() + logs[1].read_text())
    report = verify_games(str(whole), sources=LogSources(files=(str(logs[0]), str(both))))
    assert (report.verdict.exit_code, ids(report)) == (0, {"games-log-repeated"})


def test_a_game_with_nan_has_no_mean(copied: Path, tmp_path: Path) -> None:
    log = tmp_path / "j.log"
    log.write_text(entry(0, game_names()).replace("0.25", "nan") + "\n")
    built = build_games_manifest(str(copied), sources=LogSources(files=(str(log),)))
    Draft202012Validator(json.loads(SCHEMA.read_text())).validate(built.document)
    assert built.document["games"][0]["mean"] is None
    assert "nan" in built.document["games"][0]["rewards"]
    (copied / "manifest.json").unlink()
    write_games_manifest(str(copied), built)
    report = verify_games(str(copied), sources=LogSources(files=(str(log),)))
    assert "games-reward-non-finite" in ids(report)
    assert "games-rewards-differ" not in ids(report)


def test_nothing_recognised_is_no_audit(tmp_path: Path) -> None:
    for call in (verify_games, build_games_manifest):
        with pytest.raises(InputError, match="no generations"):
            call(str(tmp_path))
    with pytest.raises(InputError, match="no such folder"):
        verify_games(str(tmp_path / "absent"))


def test_another_document_of_the_manifests_name_is_not_overwritten(copied: Path, rewrite: Rewrite) -> None:
    rewrite(copied / "manifest.json", '{"files": []}')
    with pytest.raises(InputError, match="not overwritten"):
        build_games_manifest(str(copied))
