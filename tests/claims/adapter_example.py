"""The adapter card: evidence, four stages, a LoRA adapter of rank 128 and its metadata-fixed copy, a gate."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.claims.writing import safetensors, sha256, write, write_json, write_rows

TARGETS = ("q_proj", "k_proj", "v_proj", "o_proj", "in_proj", "up_proj", "down_proj")
RANK = 128
REVISION = hashlib.sha1(b"the base model", usedforsecurity=False).hexdigest()
# kind -> topic -> pairs
MIXTURE = {
    "repair": {"sum_mult": 192, "dates": 80, "base": 48, "knapsack": 48, "modular": 32},
    "arena": {"own_better": 190, "other_better": 102},
    "gold": {"gold": 68},
}
# name, output, init, data sha256, kept, run
STAGES = (
    ("v55c", "runs/v55c/step_400", "bake/step_40", "pairs v55", 400, 400),
    ("s2h", "runs/s2h/step_240", "runs/v55c/step_400", "pairs s2c", 240, 400),
    ("s2p", "runs/s2p/step_120", "runs/s2h/step_240", "pairs s2f", 120, 120),
    ("s2bw", "runs/s2bw/step_60", "runs/s2p/step_120", "", 60, 80),
)
METRICS = ("wins", "margin", "math", "code", "weekday", "count_or", "leak", "margin_second_seed")
CHECKS: dict[str, tuple[float, ...]] = {
    "runs/s2p/step_120": (39, 0.8888, 170, 64, 7, 12, 0, 0.6209),
    "runs/s2bw/step_20": (38, 0.8901, 171, 64, 7, 12, 0, 0.6190),
    "runs/s2bw/step_40": (38, 0.8966, 172, 64, 7, 12, 0, 0.6143),
    "runs/s2bw/step_60": (39, 0.9004, 174, 64, 7, 12, 0, 0.6080),
    "runs/s2bw/step_80": (37, 0.8950, 173, 64, 6, 12, 0, 0.6031),
    "runs/skill_repair/step_40": (39, 0.8702, 175, 64, 7, 12, 0, 0.6102),
    "runs/on_policy/step_60": (40, 0.9111, 173, 64, 7, 11, 0, 0.6104),
    "runs/traces/step_30": (39, 0.9010, 176, 63, 7, 12, 0, 0.6088),
    "runs/feedback/step_90": (41, 0.9202, 174, 64, 7, 12, 1, 0.5610),
}


def write_adapter(folder: Path) -> None:
    """Everything but the card and the claims."""
    write_rows(folder / "data/pref_s2bw_mix.jsonl", _pairs())
    mix = sha256(folder / "data/pref_s2bw_mix.jsonl")
    weights = {"base": REVISION, "format": "pt"}
    write(folder / "adapter_model.safetensors", safetensors(_shapes(), weights, "s2bw"))
    write(folder / "runs/s2bw/step_60/adapter_model.safetensors", safetensors(_shapes(), {"format": "pt"}, "s2bw"))
    write_json(folder / "adapter_config.json", _config())
    evidence = {"optimizer_steps": 60, "slurm_job_id": "8885", "code_commit": REVISION[::-1]}
    data = {"path": "data/pref_s2bw_mix.jsonl", "sha256": mix, "rows": 760}
    write_json(folder / "training_evidence.json", {**evidence, "data": data})
    write_json(folder / "trainer_state.json", {"global_step": 60, "max_steps": 80, "seed": 414})
    for name, output, init, seed, kept, run in STAGES:
        digest = mix if not seed else hashlib.sha256(seed.encode()).hexdigest()
        steps = {"init": init, "output": output, "steps": {"kept": kept, "run": run}}
        write_json(folder / f"evidence/{name}.json", {**steps, "data": {"sha256": digest}})
    rows = [{"checkpoint": name, **dict(zip(METRICS, values, strict=True))} for name, values in CHECKS.items()]
    write_rows(folder / "evaluation/checks.jsonl", rows)
    mean = {"value": 174 / 276, "n": 276, "coverage": 1.0}
    summary = {"kind": "run_summary", "version": 1, "counts": {"selected": 276, "scored": 276, "mean_reward": mean}}
    write_json(folder / "evaluation/math_run_summary.json", summary)
    write_json(folder / "generation_config.json", {"temperature": 0.6, "top_p": 0.95, "max_new_tokens": 4096})
    write_json(folder / "serving_config.json", {"max_input_tokens": 8192})
    write(folder / "system_prompt.txt", "You answer briefly and say when you do not know.\n")


def _pairs() -> Iterator[dict[str, Any]]:
    for kind, topics in MIXTURE.items():
        for topic, count in topics.items():
            yield from ({"kind": kind, "topic": topic, "pair": number, "weight": 1} for number in range(count))


def _shapes() -> dict[str, tuple[int, int]]:
    shapes = {}
    for target in TARGETS:
        shapes[f"base_model.model.layers.0.{target}.lora_A.weight"] = (RANK, 2)
        shapes[f"base_model.model.layers.0.{target}.lora_B.weight"] = (2, RANK)
    for whole in ("lm_head", "embed_tokens"):
        shapes[f"base_model.model.{whole}.weight"] = (4, 2)
    return shapes


def _config() -> dict[str, Any]:
    return {
        "r": RANK,
        "lora_alpha": 256,
        "lora_dropout": 0.05,
        "target_modules": sorted(TARGETS),
        "modules_to_save": ["lm_head", "embed_tokens"],
        "revision": REVISION,
    }
