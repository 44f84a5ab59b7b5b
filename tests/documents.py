"""Documents that tests look at: of the clean runs, of the demo's run, and of one that has whatever else can be."""

import json
import os
from pathlib import Path
from typing import Any

from runaudit import Identity, output_signatures, write_run_summary
from runaudit.usecases.demo_run import ROLLOUTS, write_earlier, write_run

ROOT = Path(__file__).parents[1]
_CLEAN = ROOT / "fixtures" / "runs" / "clean"
CLEAN_RUNS = sorted(
    path.with_name(path.name.replace("_aggregate_metrics.json", ".jsonl"))
    for path in _CLEAN.glob("*/*_aggregate_metrics.json")
)
Documents = tuple[dict[str, Any], dict[str, Any]]
_START = 1_767_225_600.25


def set_times(folder: Path) -> None:
    """Gives the files of a run the order in which it writes them, which a checkout does not keep."""
    for path in folder.iterdir():
        later = 2 if path.name in ("quality_summary.json", "rollout_verdicts.jsonl") else 0
        later = 1 if path.name.endswith("_aggregate_metrics.json") else later
        os.utime(path, (_START + later, _START + later))


def signed_and_summarized(rollouts: Path, **told: Any) -> Documents:
    """Signatures of what lies there, and the summary; both as they are read back from their bytes."""
    set_times(rollouts.parent)
    signatures = output_signatures(rollouts)
    write_run_summary(rollouts, **told)
    written = rollouts.with_name(f"{rollouts.stem}_run_summary.json").read_text(encoding="utf-8")
    return json.loads(json.dumps(signatures)), json.loads(written)


def demo_document(folder: Path) -> Documents:
    """The signatures and the summary of the demo's run."""
    rollouts = folder / ROLLOUTS
    write_earlier(str(folder))
    signatures = output_signatures(rollouts)
    write_run(str(folder))
    return signatures, write_run_summary(rollouts, before_dispatch=signatures)


def told_document(folder: Path) -> Documents:
    """A run with told values, damaged rows, missing log folders, and trees below its log folders."""
    write_earlier(str(folder))
    write_run(str(folder))
    rollouts = folder / ROLLOUTS
    logs = folder / "verifier" / "task0-repeat0"
    (logs / "artifacts" / "deep").mkdir(parents=True)
    for name in ("artifacts/deep/a.txt", "reward.json", "trajectory.json", "other.log"):
        (logs / name).write_text('{"reward": 1}', encoding="utf-8")
    rows = rollouts.read_text(encoding="utf-8").splitlines()
    odd = {**json.loads(rows[0]), "_ng_task_index": 9, "verifier_logs_dir": "/gone/logs"}
    native = {**odd, "_ng_task_index": 10, "_ng_task_id": {"taskset": "s", "task_id": "t"}, "stage_index": 1}
    texts = ('"high"', "NaN", "null", "true")
    odd_rewards = [
        json.dumps({**odd, "_ng_rollout_index": n}).replace('"reward": 1.0', f'"reward": {text}')
        for n, text in enumerate(texts)
    ]
    rollouts.write_text("\n".join([*rows, *odd_rewards, json.dumps(native), '{"cut": "']), encoding="utf-8")
    (folder / "run_config.yaml").write_text("server:\n  data: {dataset_digest: abc}\n", encoding="utf-8")
    signatures = output_signatures(rollouts)
    identity = Identity(target="t", taskset="s", agent="a", dataset="d")
    reasons = {"task-1": "no solution"}
    summary = write_run_summary(rollouts, identity=identity, unvalidated=reasons, skipped=reasons)
    return signatures, summary


def closed(schema: Any) -> Any:
    """A schema that refuses every key that it does not name, wherever it names any."""
    if isinstance(schema, list):
        return [closed(inner) for inner in schema]
    if not isinstance(schema, dict):
        return schema
    shut = {key: closed(inner) for key, inner in schema.items()}
    names_keys = isinstance(schema.get("properties"), dict) and "type" in schema
    if names_keys and "additionalProperties" not in schema:
        shut["additionalProperties"] = False
    return shut
