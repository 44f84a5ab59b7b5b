"""Names that do not tell which game is meant, and the folder of live games."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

from runaudit.model.finding import Group
from runaudit.usecases.games import build_games_manifest, verify_games, write_games_manifest
from runaudit.usecases.games_mining import LogSources

Rewrite = Callable[[Path, str], None]
NAME = "game_00001_000_logical_deduction.py"


def by_id(groups: tuple[Group, ...]) -> dict[str, Group]:
    return {group.id: group for group in groups}


def test_a_name_in_two_folders_is_joined_with_neither(copied: Path, logs: tuple[Path, Path]) -> None:
    shutil.copy(copied / "generations/partial/step_00001" / NAME, copied / "generations/partial/step_00005" / NAME)
    built = build_games_manifest(str(copied), sources=LogSources(files=tuple(map(str, logs))))
    games = [game for game in built.document["games"] if game["file"].endswith(NAME)]
    assert [(game["rewards"], game["mean"]) for game in games] == [([], None)] * 2
    found = by_id(built.report.findings)["games-ambiguous-name"]
    assert found.level == "warning"
    assert "step_00001, step_00005" in str(found.places[0].message)
    assert built.document["summary"]["games_without_reward_data"] == 2


def test_a_name_in_two_folders_of_the_logs_is_reported(copied: Path, tmp_path: Path) -> None:
    log = tmp_path / "j.log"
    log.write_text(f"[COLLECT] stats: {{'game': {{'/a/{NAME}': [1.0], '/b/{NAME}': [0.0], '/a/other.py': [1.0]}}}}\n")
    built = build_games_manifest(str(copied), sources=LogSources(files=(str(log),)))
    found = by_id(built.report.findings)
    assert "2 folders" in str(found["games-ambiguous-name"].places[0].message)
    assert found["games-rewards-unmatched"].places[0].path == "other.py"
    [game] = [game for game in built.document["games"] if game["file"].endswith(NAME)]
    assert (game["rewards"], game["plays"], game["mean"]) == ([1.0, 0.0], 2, 0.5)


def test_a_live_folder_identical_to_a_generation_is_found(copied: Path) -> None:
    shutil.copytree(
        copied / "generations/gen_01_step_00004",
        copied / "spare_games",
        ignore=shutil.ignore_patterns("*_hint.txt"),
    )
    built = build_games_manifest(str(copied))
    note = built.document["summary"]["note_spare_games_live_dir"]
    assert "spare_games/ is byte-identical to gen_01_step_00004 for all 24 game_*.py files" in note
    assert (built.report.findings, built.document["summary"]["total_games"]) == ((), 195)
    (copied / "manifest.json").unlink()
    write_games_manifest(str(copied), built)
    assert verify_games(str(copied)).findings == ()


def test_a_live_folder_elsewhere_is_compared(copied: Path, tmp_path: Path) -> None:
    live = Path(shutil.copytree(copied / "generations/gen_07_step_00028", tmp_path / "live"))
    note = build_games_manifest(str(copied), live_folder=str(live)).document["summary"]["note_spare_games_live_dir"]
    assert note.startswith("live/ is byte-identical to gen_07_step_00028")


def test_a_live_folder_that_differs_is_named(copied: Path, rewrite: Rewrite) -> None:
    live = Path(shutil.copytree(copied / "generations/gen_01_step_00004", copied / "spare_games"))
    game = next(live.glob("*.py"))
    rewrite(game, "changed = 1\n")
    built = build_games_manifest(str(copied))
    found = by_id(built.report.findings)["games-live-differs"]
    assert [place.path for place in found.places] == [f"spare_games/{game.name}"]
    assert "byte-identical to no generation" in built.document["summary"]["note_spare_games_live_dir"]


def test_a_claim_of_identity_that_does_not_hold_is_an_error(copied: Path, rewrite: Rewrite) -> None:
    document = json.loads((copied / "manifest.json").read_text())
    for claim, says in (
        ("byte-identical to gen_01_step_00004 for all 23 game_*.py files", "holds 24"),
        ("byte-identical to gen_09_step_00036", "does not hold"),
    ):
        document["summary"]["note_spare_games_live_dir"] = claim
        rewrite(copied / "manifest.json", json.dumps(document))
        report = verify_games(str(copied))
        assert report.verdict.exit_code == 1
        assert says in str(by_id(report.findings)["games-live-claim-wrong"].places[0].message)
    shutil.copytree(copied / "generations/gen_02_step_00008", copied / "spare_games")
    document["summary"]["note_spare_games_live_dir"] = "byte-identical to gen_01_step_00004"
    rewrite(copied / "manifest.json", json.dumps(document))
    assert "games-live-claim-wrong" in by_id(verify_games(str(copied)).findings)
