"""The training recipe: a data set in two variants, a training run over four arms, a selection, receipts, a manifest.

The arithmetic is that of a published recipe at a smaller scale: 115 stored training rows of which 5 are quarantined
leave 110, in pools of 7 + 4 + 31 + 68; 188 rows in five splits, 11 of them quarantined.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.claims.writing import content, safetensors, sha256, write, write_json, write_manifest, write_rows

TASKS = ("maze", "snake", "basic", "predict_position")
RETAINED = ("maze", "snake", "basic")
# split -> rows of each task, and how many of them (of the last task) are quarantined
SPLITS: dict[str, tuple[tuple[int, int, int, int], int]] = {
    "train": ((7, 4, 31, 73), 5),
    "dev": ((4, 3, 5, 12), 2),
    "test": ((4, 3, 5, 12), 2),
    "ood_maze": ((6, 0, 0, 6), 1),
    "ood_snake": ((0, 6, 0, 7), 1),
}
SHARES = {"maze": 1 / 3, "snake": 1 / 3, "basic": 1 / 6, "predict_position": 1 / 6}
BATCH = {"maze": 8, "snake": 8, "basic": 4, "predict_position": 4}
UPDATES = 600
DRAWN = 2400
# arm -> step -> (loss, success) on dev; the same on test
DEV = {
    "hard_lr1e5": {200: (0.71, 0.62), 400: (0.52, 0.74), 600: (0.55, 0.70)},
    "hard_lr2e5": {200: (0.54, 0.69), 400: (0.58, 0.73), 600: (0.66, 0.81)},
    "soft_lr1e5": {200: (0.80, 0.58), 400: (0.61, 0.66), 600: (0.60, 0.68)},
    "soft_lr2e5": {200: (0.63, 0.64), 400: (0.59, 0.67), 600: (0.70, 0.71)},
}
TEST = {
    "hard_lr1e5": {200: (0.75, 0.60), 400: (0.69, 0.61), 600: (0.57, 0.66)},
    "hard_lr2e5": {200: (0.58, 0.70), 400: (0.62, 0.71), 600: (0.70, 0.76)},
    "soft_lr1e5": {200: (0.84, 0.55), 400: (0.66, 0.63), 600: (0.50, 0.88)},
    "soft_lr2e5": {200: (0.66, 0.62), 400: (0.63, 0.65), 600: (0.73, 0.69)},
}
INITIALIZATION = (0.90, 0.48)
ENVIRONMENT = {"python": "3.14.4", "torch": "2.14.0", "safetensors": "0.8.0", "accelerator": "A100 80GB"}


def write_recipe(folder: Path) -> None:
    """Everything but the card and the claims."""
    for variant in ("hard", "soft"):
        for split in SPLITS:
            write_rows(folder / "unified" / variant / f"{split}.jsonl", _questions(split, variant))
    for split in SPLITS:
        write_rows(folder / "preparation/original_unified_hard" / f"{split}.jsonl", _questions(split, "original"))
    write_rows(folder / "expert/predict_position/episodes.jsonl", ({"episode": n, "frames": 8} for n in range(12)))
    _write_config(folder)
    _write_experiment(folder)
    _write_models(folder)
    for name in ("jev", "native"):
        write_rows(folder / "evaluation" / name / "cases.jsonl", _cases(name))
    _write_demonstrations(folder)
    write_manifest(folder)


def _questions(split: str, variant: str) -> Iterator[dict[str, Any]]:
    """The rows of a split. Rows of the last task differ between variants, those of the others never."""
    counts, quarantined = SPLITS[split]
    for task, count in zip(TASKS, counts, strict=True):
        for number in range(count):
            row: dict[str, Any] = {"id": f"{split}-{task}-{number}", "task": task, "choices": 4}
            if task in RETAINED:
                row["target"] = number % 4
            elif number < quarantined:
                row["target"] = None
            else:
                row["target"] = [0.7, 0.1, 0.1, 0.1] if variant == "soft" else number % 3
                row["built_by"] = "v1" if variant == "original" else "v2"
            yield row


def _write_config(folder: Path) -> None:
    arms = {
        arm: {"targets": arm[:4], "backbone_lr": rate, "head_lr": rate * 10, "seed": 17, "updates": UPDATES}
        for arm, rate in zip(DEV, (1e-5, 2e-5, 1e-5, 2e-5), strict=True)
    }
    rule = ["least weighted dev loss within each arm", "greatest weighted game success among these and initialization"]
    shared = {"batch": {**BATCH, "questions": 24}, "weights": SHARES, "selection": rule}
    write_json(folder / "configs/unified_sft_v1.json", {"arms": arms, **shared})
    draws = ({"update": n // 4 + 1, "question": n * 7 % 61} for n in range(DRAWN))
    write_rows(folder / "evaluation/experiment/predict_position_draws.jsonl", draws)


def _write_experiment(folder: Path) -> None:
    place = folder / "evaluation/experiment"
    for split, table in (("dev", DEV), ("test", TEST)):
        rows = [row for arm, steps in table.items() for step in steps for row in _scores(arm, step, split, steps[step])]
        rows += list(_scores("initialization", 0, split, INITIALIZATION))
        write_rows(place / f"{split}_scores.jsonl", rows)
    receipt = {
        "inputs": [{"path": "evaluation/experiment/dev_scores.jsonl", "split": "dev"}],
        "selected": {"arm": "hard_lr1e5", "step": 400},
    }
    write_json(place / "selection.json", receipt)
    write_json(place / "environment.json", ENVIRONMENT)


def _scores(arm: str, step: int, split: str, values: tuple[float, float]) -> Iterator[dict[str, Any]]:
    """A row for each task, whose weighted means are the values."""
    loss, success = values
    for task, shift in zip(TASKS, (0.02, -0.02, 0.03, -0.03), strict=True):
        yield {
            "arm": arm,
            "step": step,
            "split": split,
            "task": task,
            "loss": round(loss + shift, 4),
            "success": round(success - shift, 4),
        }


def _write_models(folder: Path) -> None:
    shapes = {"backbone.weight": (8, 8), "head.weight": (4, 8)}
    for place in ("checkpoint", "training_initialization"):
        weights = safetensors(shapes, {"format": "pt"}, place)
        write(folder / "model" / place / "model.safetensors", weights)
        write_json(folder / "model" / place / "config.json", {"hidden": 8, "choices": 4})


def _cases(name: str) -> Iterator[dict[str, Any]]:
    for split in ("test", "ood_maze", "ood_snake"):
        for number in range(sum(SPLITS[split][0]) - SPLITS[split][1]):
            yield {"case": f"{split}-{number}", "split": split, "recorder": name, "answer": number % 4}


def _write_demonstrations(folder: Path) -> None:
    place = folder / "demonstrations"
    for number in range(6):
        game = "maze" if number < 3 else "snake"
        write_json(place / f"recordings/{game}_{number}.json", {"game": game, "size": 50 if game == "maze" else 12})
    write(place / "scripts/build_demo.py", f"# {content(24, 'demo').hex()}\n")
    sources = sorted([*place.glob("recordings/*"), *place.glob("scripts/*")])
    listed = [{"path": path.relative_to(place).as_posix(), "sha256": sha256(path)} for path in sources]
    write_json(place / "results/demo_v1_receipt.json", {"protocol": "code planner", "sources": listed})
