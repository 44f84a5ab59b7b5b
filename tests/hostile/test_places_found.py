"""What a folder holds in the place of a file: each of these was once passed over, by one of the commands."""

import json
import shutil
from pathlib import Path

import pytest

from tests.hostile.bounded import captured, preload, run_bounded
from tests.hostile.judging import places
from tests.hostile.sound import (
    exported_games,
    harbor_job,
    listed_tree,
    merged_run,
    signed_run,
)
from tests.stories.unprivileged import open_folder

GAME = "generations/gen_00_step_00000/game_00000_002_spatial_reasoning.py"


def told(*words: str) -> tuple[int, set[str]]:
    """The exit code of a command that reports as JSON, and every path that its findings name."""
    ran = captured([*words, "--format", "json", "--all"])
    return ran.code, places(json.loads(ran.out)) if ran.out else set()


@pytest.mark.parametrize("aim", [".", "..", "../../sum__BBBBBBB"])
@pytest.mark.parametrize("name", ["verifier/test-stdout.txt", "verifier/reward.json", "agent/trajectory.json"])
def test_a_trials_file_that_became_a_link_to_a_folder(tmp_path: Path, name: str, aim: str) -> None:
    harbor_job(tmp_path / "job")
    path = tmp_path / "job" / "greet__AAAAAAA" / name
    path.unlink()
    path.symlink_to(aim)
    code, named = told("verify", str(tmp_path / "job"))
    assert code == 1
    assert f"greet__AAAAAAA/{name}" in named


@pytest.mark.parametrize(
    "path", [GAME, GAME.replace(".py", "_hint.txt"), "env_memory.json", "spare_games", "README.md"]
)
def test_what_may_not_be_read_of_an_export_leaves_it_open(path: str) -> None:
    preload()
    with open_folder() as top:
        exported_games(top / "games")
        (top / "games" / path).chmod(0)
        (top / "out").mkdir()
        (top / "out").chmod(0o777)
        ran = run_bounded([("games", "verify", str(top / "games"))], top / "out").ran[0]
        assert ran.code == 3


def test_a_manifest_that_a_folder_links_to_outside_is_not_opened(tmp_path: Path) -> None:
    tree, blobs = tmp_path / "tree", tmp_path / "blobs"
    listed_tree(tree)
    blobs.mkdir()
    shutil.move(tree / "SHA256_MANIFEST.json", blobs / "a0")
    (tree / "SHA256_MANIFEST.json").symlink_to("../blobs/a0")
    assert told("manifest", "verify", str(tree))[0] == 1
    # named as a root, or itself, it is what the user meant
    assert told("manifest", "verify", str(tree), "--root", str(blobs))[0] == 0
    assert told("manifest", "verify", str(tree / "SHA256_MANIFEST.json"))[0] == 0


@pytest.mark.parametrize("name", ["bag-info.txt", "tagmanifest-sha256.txt", "manifest-sha256.txt"])
def test_a_bags_documents_that_lead_outside_are_not_opened(tmp_path: Path, name: str) -> None:
    bag = tmp_path / "bag"
    (bag / "data").mkdir(parents=True)
    (bag / "bagit.txt").write_text("BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n")
    (bag / "data" / "a").write_bytes(b"")
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    listings = {"bag-info.txt": "Payload-Oxum: 0.1\n", "manifest-sha256.txt": f"{empty}  data/a\n"}
    for other, text in {**listings, "tagmanifest-sha256.txt": ""}.items():
        (bag / other).write_text(text)
    code = told("manifest", "verify", str(bag))[0]
    (tmp_path / "away").write_text("Payload-Oxum: 7.7\n")
    (bag / name).unlink()
    (bag / name).symlink_to("../away")
    with_link = captured(["manifest", "verify", str(bag), "--all"])
    assert code == 0
    assert b"7.7" not in with_link.out
    if name != "bag-info.txt":
        assert with_link.code == 1


def test_a_folder_where_the_rollouts_of_a_merged_run_belong(tmp_path: Path) -> None:
    merged_run(tmp_path / "run")
    rollouts = tmp_path / "run" / "rollouts.jsonl.gz"
    rollouts.unlink()
    rollouts.mkdir()
    ran = captured(["summarize", str(rollouts), "-o", "-"])
    assert ran.code == 0
    assert "wrong-kind" in {group["id"] for group in json.loads(ran.out)["findings"]}


@pytest.mark.parametrize("change", ["artifacts", "other", "link out"])
def test_a_log_folder_whose_row_is_gone_is_looked_at_all_the_same(tmp_path: Path, change: str) -> None:
    signed_run(tmp_path / "run")
    logs = tmp_path / "run" / "verifier" / "task0"
    rows = (tmp_path / "run" / "rollouts.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "run" / "rollouts.jsonl").write_bytes(b"".join(rows[1:]))
    assert "verifier/task0" not in told("verify", str(tmp_path / "run"))[1]
    if change == "artifacts":
        (logs / "artifacts" / "patch.diff").write_text("longer than it was, by some")
    elif change == "other":
        (logs / "agent.log").unlink()
    else:
        (logs / "agent.log").unlink()
        (logs / "agent.log").symlink_to("/etc/hostname")
    code, named = told("verify", str(tmp_path / "run"))
    assert code == 1
    assert {"verifier/task0", "verifier/task0/agent.log"} & named


def test_an_interpreter_that_is_none_is_no_fault_of_a_game(tmp_path: Path) -> None:
    exported_games(tmp_path / "games")
    for python in (str(tmp_path), "/nowhere/python", str(tmp_path / "games" / "README.md")):
        ran = captured(["games", "replay", str(tmp_path / "games"), "--python", python])
        assert ran.code == 2
        assert "--python" in ran.err


@pytest.mark.parametrize("inside", ["nothing", "the file", "a run"])
@pytest.mark.parametrize("command", ["summarize", "verify", "show"])
def test_a_folder_with_the_name_of_the_rollouts_is_not_looked_into(tmp_path: Path, inside: str, command: str) -> None:
    signed_run(tmp_path / "run")
    rollouts = tmp_path / "run" / "rollouts.jsonl"
    data = rollouts.read_bytes()
    rollouts.unlink()
    rollouts.mkdir()
    if inside == "the file":
        (rollouts / "rollouts.jsonl").write_bytes(data)
    elif inside == "a run":
        signed_run(rollouts)
    ran = captured([command, str(rollouts), *(("-o", "-", "--signatures", "none") if command == "summarize" else ())])
    if command == "summarize":
        document = json.loads(ran.out)
        assert document["counts"]["scored"] == 0
        assert "wrong-kind" in {group["id"] for group in document["findings"]}
    elif command == "verify":
        assert ran.code == 1
        assert b"wrong-kind" in ran.out
    else:
        # the summary beside it is the one of these rollouts
        assert ran.code == 0
        assert b"3   50.0%" in ran.out


def test_a_slash_says_that_a_folder_is_meant_whatever_its_name(tmp_path: Path) -> None:
    signed_run(tmp_path / "odd.jsonl")
    assert captured(["verify", f"{tmp_path / 'odd.jsonl'}/"]).code == 0
    assert captured(["verify", str(tmp_path / "odd.jsonl")]).code != 0


@pytest.mark.parametrize(
    ("name", "value"),
    [("split", [[]]), ("pass_at", True), ("max_row", "5"), ("messages", 1), ("told", "target"), ("redacted", False)],
)
def test_an_option_of_another_type_makes_a_summary_unreadable(tmp_path: Path, name: str, value: object) -> None:
    for make, summary in ((harbor_job, "run_summary.json"), (signed_run, "rollouts_run_summary.json")):
        folder = tmp_path / make.__name__
        make(folder)
        path = folder / summary
        document = json.loads(path.read_bytes())
        document["options"][name] = value
        path.write_text(json.dumps(document))
        ran = captured(["verify", str(folder)])
        assert ran.code == 1
        assert f"{summary}: options.{name}: a value of another type" in " ".join(ran.out.decode().split())
