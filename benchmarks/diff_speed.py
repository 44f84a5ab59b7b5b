"""What `runaudit diff` costs beside parsing both summaries with orjson: processor time and peak memory.

The two summaries have one entry for each task and differ in about two rewards of five. Prints a Markdown table.

    python benchmarks/diff_speed.py [TASKS]
"""

import json
import os
import subprocess
import sys
import tempfile
from random import Random
from typing import Any, NamedTuple

FORMATS = ("terminal", "json", "markdown", "junit")
PARSE = "import orjson, sys; kept = [orjson.loads(open(path, 'rb').read()) for path in sys.argv[1:]]"


class Cost(NamedTuple):
    """Processor seconds and peak MiB of one process."""

    seconds: float
    mebibytes: float


def entry(index: int, source: Random) -> dict[str, Any]:
    """One entry of `tasks` with everything that a summary usually says."""
    passed = source.random() < 0.7
    logs = f"verifier/task-{index:06d}-0"
    return {
        "task_id": f"task-{index:06d}",
        "taskset": "bench",
        "task_index": index,
        "repeat": 0,
        "server": "bench_environment",
        "agent": "bench_agent",
        "model": "bench-model",
        "outcome": "scored",
        "reward": float(passed),
        "recorded_reward": float(passed),
        "passed": passed,
        "verifier_logs": logs,
        "test_stdout": f"{logs}/test-stdout.txt",
        "reward_file": f"{logs}/reward.txt",
        "input": {"digest": f"sha256:{index:064x}", "digests": None, "metadata": None, "turns": []},
        "usage": {"input_tokens": 100, "output_tokens": source.randrange(900), "total_tokens": 1000},
        "seconds": source.random() * 100,
        "evidence": {"reward_file": {"size": 2, "digest": f"xxh3:{source.getrandbits(64):016x}"}},
    }


def write_summary(path: str, tasks: int, seed: int) -> None:
    """A summary of that many tasks, indented as `summarize` writes it."""
    source = Random(seed)
    entries = [entry(index, source) for index in range(tasks)]
    summary = {"kind": "run_summary", "version": 1, "layout": "nemo-gym", "run": {}, "evidence": {}, "tasks": entries}
    with open(path, "w", encoding="utf-8") as file:
        json.dump(summary, file, indent=2)


def cost(*command: str) -> Cost:
    """Runs a command to its end."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, _, usage = os.wait4(process.pid, 0)
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def main() -> None:
    """Prints the table."""
    tasks = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with tempfile.TemporaryDirectory() as folder:
        sides = [os.path.join(folder, f"{name}_run_summary.json") for name in ("baseline", "candidate")]
        for seed, path in enumerate(sides):
            write_summary(path, tasks, seed)
        parsing = cost(sys.executable, "-c", PARSE, *sides)
        size = os.path.getsize(sides[0]) / 1e6
        print(f"| {tasks:,} tasks, {size:.0f} MB a side | processor seconds | of parsing | peak MiB |")
        print("| --- | ---: | ---: | ---: |")
        print(f"| parsing both with orjson | {parsing.seconds:.1f} | 1.0 | {parsing.mebibytes:.0f} |", flush=True)
        for name in FORMATS:
            found = cost(sys.executable, "-m", "runaudit", "diff", *sides, "--format", name)
            ratio = found.seconds / parsing.seconds
            print(f"| `diff --format {name}` | {found.seconds:.1f} | {ratio:.1f} | {found.mebibytes:.0f} |", flush=True)


if __name__ == "__main__":
    main()
