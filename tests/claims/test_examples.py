"""The worked examples: untouched, all holds but what is named; one change is caught by the one claim it hits."""

import filecmp
import json
import shutil
import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from runaudit.usecases.claims import check_claims
from runaudit.usecases.claims_draft import draft_claims, write_draft
from tests.claims.write_examples import EXAMPLES, FIXTURES
from tests.claims.writing import (
    UNLISTED,
    change,
    change_json,
    change_row,
    safetensors,
    sha256,
    write,
    write_json,
    write_manifest,
)

OPEN = {
    "training-recipe": {"checkpoint-bundle", "initialization-bundle"},
    "adapter-card": {"code-commit", "first-stage-pairs"},
    "games-export": set(),
}


def answers(folder: Path) -> dict[str, str]:
    report = check_claims(str(folder / "claims.toml"))
    return {claim["id"]: claim["answer"] for claim in report.body["claims"]}


@cache
def untouched(name: str) -> dict[str, str]:
    return answers(FIXTURES / name)


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_committed_data_is_what_the_script_writes(name: str, tmp_path: Path) -> None:
    EXAMPLES[name](tmp_path)
    written = {path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file()}
    kept = {path.relative_to(FIXTURES / name) for path in (FIXTURES / name).rglob("*") if path.is_file()}
    by_hand = {path for path in kept if path.name in UNLISTED and path.name != "SHA256_MANIFEST.json"}
    assert written == kept - by_hand
    for path in written:
        assert filecmp.cmp(tmp_path / path, FIXTURES / name / path, shallow=False), path


@pytest.mark.parametrize("name", EXAMPLES)
def test_untouched_everything_holds_but_what_is_named(name: str) -> None:
    report = check_claims(str(FIXTURES / name / "claims.toml"))
    found = {claim["id"]: claim["answer"] for claim in report.body["claims"]}
    assert {claim for claim, answer in found.items() if answer != "holds"} == OPEN[name]
    assert {answer for answer in found.values() if answer != "holds"} <= {"cannot tell"}
    assert report.verdict.exit_code == (3 if OPEN[name] else 0)
    assert [group.id for group in report.findings if group.id != "claim-unchecked"] == []
    assert all(entry["why"].startswith("no file records") for entry in report.body["unchecked"])


Change = Callable[[Path], object]


def recipe(edit: Change) -> Change:
    """A change after which the manifest is written anew, so that it is not the manifest that catches it."""

    def edited(folder: Path) -> None:
        edit(folder)
        write_manifest(folder)

    return edited


def _drop_line(path: Path, number: int) -> None:
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[: number - 1] + lines[number:]), encoding="utf-8")


def _other_rank(folder: Path) -> None:
    path = folder / "adapter_config.json"
    change_json(path, "r", 96)


def _reweigh(folder: Path, source: str) -> None:
    """Flips the last byte of an adapter's tensors."""
    path = folder / source
    data = path.read_bytes()
    write(path, data[:-1] + bytes([data[-1] ^ 1]))


def _same_header(folder: Path) -> None:
    write(folder / "runs/s2bw/step_60/adapter_model.safetensors", (folder / "adapter_model.safetensors").read_bytes())


def _more_modules(folder: Path) -> None:
    config = json.loads((folder / "adapter_config.json").read_text(encoding="utf-8"))
    write_json(folder / "adapter_config.json", {**config, "target_modules": [*config["target_modules"], "out_proj"]})


def _narrow(folder: Path) -> None:
    """Both adapter files with matrices of rank 96, and the headers still different."""
    shapes = {}
    for target in ("q_proj", "k_proj", "v_proj", "o_proj", "in_proj", "up_proj", "down_proj"):
        shapes[f"m.{target}.lora_A.weight"] = (96, 2)
        shapes[f"m.{target}.lora_B.weight"] = (2, 96)
    shapes |= {"m.lm_head.weight": (4, 2), "m.embed_tokens.weight": (4, 2)}
    for place, metadata in ((folder, {"format": "pt", "base": "x"}), (folder / "runs/s2bw/step_60", {"format": "pt"})):
        write(place / "adapter_model.safetensors", safetensors(shapes, metadata, "narrow"))


def _swap_games(folder: Path) -> None:
    """Changes a live game and nothing that the manifest lists."""
    path = min((folder / "spare_games").glob("*.py"))
    write(path, path.read_bytes() + b"\n")


def _change_game(folder: Path) -> None:
    path = min((folder / "generations/gen_00_step_00000").glob("*.py"))
    write(path, path.read_bytes() + b"\n")


def _rename_hint(folder: Path) -> None:
    path = min((folder / "generations/gen_00_step_00000").glob("*_hint.txt"))
    path.rename(path.with_name("hint.txt"))


def _partial_hint(folder: Path) -> None:
    write(folder / "generations/partial/step_00001/game_00001_000_x_hint.txt", "A hint.\n")


def _repeat_entry(folder: Path) -> None:
    document = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    document["games"][1] = {**document["games"][0], "skill": document["games"][1]["skill"]}
    write_json(folder / "manifest.json", document)


HARD = "unified/hard/train.jsonl"
CONFIG = "configs/unified_sft_v1.json"
SCORES = "evaluation/experiment"
CHANGES: list[tuple[str, Change, str]] = [
    # the training recipe
    ("training-recipe", lambda f: change(f / "unified/soft/dev.jsonl", "dev-maze-0", "dev-maze-X"), "manifest"),
    ("training-recipe", recipe(lambda f: change_row(f / HARD, 3, choices=5)), "retained-rows"),
    ("training-recipe", recipe(lambda f: change_json(f / CONFIG, "arms.hard_lr1e5.updates", 400)), "run-length"),
    ("training-recipe", recipe(lambda f: change_json(f / CONFIG, "batch.basic", 5)), "batch"),
    ("training-recipe", recipe(lambda f: change_json(f / CONFIG, "weights.snake", 0.3334)), "weights"),
    (
        "training-recipe",
        recipe(lambda f: change_row(f / SCORES / "dev_scores.jsonl", 49, success=3.0)),
        "selected-checkpoint",
    ),
    (
        "training-recipe",
        recipe(lambda f: change_row(f / SCORES / "dev_scores.jsonl", 1, loss=0.01)),
        "selected-checkpoint",
    ),
    (
        "training-recipe",
        recipe(lambda f: change_json(f / SCORES / "selection.json", "inputs.0.path", f"{SCORES}/test_scores.jsonl")),
        "selected-checkpoint",
    ),
    (
        "training-recipe",
        recipe(lambda f: change_json(f / SCORES / "selection.json", "selected.step", 600)),
        "recorded-selection",
    ),
    (
        "training-recipe",
        recipe(lambda f: write(f / "demonstrations/scripts/build_demo.py", "pass\n")),
        "demonstration-receipt",
    ),
    ("training-recipe", recipe(lambda f: _drop_line(f / "evaluation/jev/cases.jsonl", 4)), "recorded-cases"),
    (
        "training-recipe",
        recipe(lambda f: change_row(f / "expert/predict_position/episodes.jsonl", 2, episode=0)),
        "episodes",
    ),
    (
        "training-recipe",
        recipe(lambda f: change_row(f / SCORES / "predict_position_draws.jsonl", 1, question=99)),
        "distinct-draws",
    ),
    (
        "training-recipe",
        recipe(lambda f: change_row(f / "unified/hard/dev.jsonl", 24, id="dev-predict_position-0")),
        "stored-questions",
    ),
    ("training-recipe", recipe(lambda f: change_row(f / "unified/soft/train.jsonl", 115, target=None)), "quarantined"),
    # the adapter card
    ("adapter-card", lambda f: change_json(f / "adapter_config.json", "revision", "0" * 40), "base-revision"),
    ("adapter-card", lambda f: change_json(f / "training_evidence.json", "slurm_job_id", "8886"), "job"),
    ("adapter-card", lambda f: change_json(f / "trainer_state.json", "global_step", 80), "optimizer-steps"),
    ("adapter-card", lambda f: change_json(f / "training_evidence.json", "data.sha256", "0" * 64), "mixture-digest"),
    ("adapter-card", lambda f: _reweigh(f, "adapter_model.safetensors"), "metadata-fixed-copy"),
    ("adapter-card", _same_header, "metadata-fixed-copy"),
    ("adapter-card", _other_rank, "shape"),
    ("adapter-card", _more_modules, "shape"),
    ("adapter-card", _narrow, "shape"),
    ("adapter-card", lambda f: change_json(f / "evidence/s2p.json", "init", "runs/v55c/step_400"), "lineage"),
    ("adapter-card", lambda f: change_json(f / "evidence/s2h.json", "steps.kept", 400), "lineage"),
    ("adapter-card", lambda f: change_json(f / "evidence/v55c.json", "data.sha256", "0" * 64), "lineage"),
    (
        "adapter-card",
        lambda f: change_row(f / "evaluation/checks.jsonl", 9, margin_second_seed=0.6, leak=0),
        "joint-gate",
    ),
    ("adapter-card", lambda f: change_row(f / "evaluation/checks.jsonl", 4, weekday=6), "joint-gate"),
    ("adapter-card", lambda f: change_row(f / "evaluation/checks.jsonl", 3, margin=0.85), "best-of-run"),
    ("adapter-card", lambda f: change_row(f / "evaluation/checks.jsonl", 1, margin=0.8849), "margin-before"),
    (
        "adapter-card",
        lambda f: change_json(f / "evaluation/math_run_summary.json", "counts.mean_reward.value", 0.6251),
        "math",
    ),
    ("adapter-card", lambda f: change_json(f / "evaluation/math_run_summary.json", "counts.scored", 275), "math-tasks"),
    ("adapter-card", lambda f: change_json(f / "generation_config.json", "temperature", 0.7), "temperature"),
    # the games
    ("games-export", _swap_games, "live-games"),
    ("games-export", _change_game, "game-digests"),
    ("games-export", _rename_hint, "hints"),
    ("games-export", _partial_hint, "no-partial-hints"),
    ("games-export", _repeat_entry, "games-in-list"),
    ("games-export", lambda f: change_json(f / "manifest.json", "summary.total_games", 21), "games-in-summary"),
    (
        "games-export",
        lambda f: change_json(f / "manifest.json", "summary.per_generation_counts.step_00001", 2),
        "games-in-summary",
    ),
    ("games-export", lambda f: change_json(f / "manifest.json", "games.3.rewards", []), "rewards-in-list"),
    (
        "games-export",
        lambda f: change_json(f / "manifest.json", "summary.games_with_reward_data", 19),
        "rewards-in-summary",
    ),
    (
        "games-export",
        lambda f: change_json(f / "manifest.json", "summary.reward_stats_source.spare_games_live", 2),
        "log-entries",
    ),
    ("games-export", lambda f: change_json(f / "manifest.json", "summary.per_skill_counts.another", 0), "skills"),
    ("games-export", lambda f: write(f / "generations/gen_02_step_00008/game_x.py", ""), "games-on-disk"),
    ("games-export", lambda f: write_json(f / "env_memory.json", [0] * 19), "memory"),
    ("games-export", lambda f: change_json(f / "config.json", "max_turns", 16), "turns"),
]


@pytest.mark.parametrize(
    ("name", "edit", "caught_by"), CHANGES, ids=[f"{n}-{i}-{c}" for i, (n, _, c) in enumerate(CHANGES)]
)
def test_one_change_is_caught_by_the_claim_that_it_hits(
    name: str, edit: Change, caught_by: str, tmp_path: Path
) -> None:
    folder = tmp_path / name
    shutil.copytree(FIXTURES / name, folder)
    edit(folder)
    changed = {claim: answer for claim, answer in answers(folder).items() if answer != untouched(name)[claim]}
    assert changed == {caught_by: "fails"}


def test_the_case_of_an_adapter_that_its_evidence_does_not_fit() -> None:
    report = check_claims(str(FIXTURES / "training-evidence/claims.toml"))
    found = {claim["id"]: claim for claim in report.body["claims"]}
    assert {name: claim["answer"] for name, claim in found.items()} == {
        "preference-pairs": "fails",
        "dataset-digest": "fails",
        "dataset-in-evidence": "holds",
        "adapter-in-evidence": "holds",
        "optimizer-steps": "fails",
        "job": "holds",
        "base-revision": "cannot tell",
        "rank": "fails",
    }
    for name, (expected, got) in {"preference-pairs": ("760", "2"), "optimizer-steps": ("60", "80")}.items():
        assert expected in found[name]["expected"]
        assert got in found[name]["found"]
    assert ("rank 128" in found["rank"]["expected"], "rank 96" in found["rank"]["found"]) == (True, True)
    assert "another type" in found["job"]["notes"][0]
    assert report.verdict.exit_code == 1


@pytest.mark.parametrize("name", [*EXAMPLES, "training-evidence"])
def test_a_draft_loads_and_asks_at_most_fifteen_things(name: str, tmp_path: Path) -> None:
    drafted = draft_claims(str(FIXTURES / name))
    assert drafted.blanks <= 15
    assert drafted.text.count('"?"') == drafted.blanks
    folder = tmp_path / name
    shutil.copytree(FIXTURES / name, folder)
    report = check_claims(write_draft(str(folder), drafted, force=True))
    entries = report.body["claims"]
    assert len(entries) == drafted.claims > 0
    blank = [entry for entry in entries if "left this blank" in entry["why"]]
    assert len(blank) == drafted.blanks
    assert all(entry["answer"] == "cannot tell" for entry in blank)
    card = next(
        path for path in (folder / "README.md", folder / "TRAINING_RECIPE.md", folder / "CARD.md") if path.exists()
    )
    text = " ".join(card.read_text(encoding="utf-8").split())
    assert all(" ".join(entry["sentence"].split()) in text for entry in blank)


def test_a_draft_asks_for_each_thing_once_beside_the_sentence_that_names_it() -> None:
    games = tomllib.loads(draft_claims(str(FIXTURES / "games-export")).text)["claims"]
    assert [claim["values"][1]["at"].rsplit("/", 1)[-1] for claim in games] == ["total_games", "gen_01_step_00004"]
    recipe = tomllib.loads(draft_claims(str(FIXTURES / "training-recipe")).text)["claims"]
    digests = {claim["path"]: claim["sentence"] for claim in recipe if claim["kind"] == "digest"}
    assert len(digests) == 2
    assert all(path.rpartition("/")[0] in sentence for path, sentence in digests.items())


def test_digests_in_the_cards_are_of_the_files() -> None:
    card = (FIXTURES / "adapter-card/README.md").read_text(encoding="utf-8")
    assert sha256(FIXTURES / "adapter-card/data/pref_s2bw_mix.jsonl") in card
