"""Sound folders of every kind that the program reads, each with the document that records it.

Each is made at the place where it will be judged: rows name their log folders by absolute path.
"""

import gzip
import hashlib
import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from runaudit.write.atomic import replace
from tests.builders import AGENT, TRAJECTORY, Run, failure, flat_input, flat_row, lines, native_input, row
from tests.hostile.bounded import captured
from tests.job_builders.harbor_job import HarborJob

FIXTURES = Path(__file__).parents[2] / "fixtures"
SUMMARY, MANIFEST = "rollouts_run_summary.json", "SHA256_MANIFEST.json"
REWARDS = (1.0, 0.0, 0.5)


@dataclass(frozen=True)
class Kind:
    """A kind of folder: how it is made, and the commands that are run over a damaged one.

    In the words of a command `{here}` is the folder, `{out}` a place for what is written. The commands run in their
    order, after the damage; those of `before` run on the sound folder.
    """

    name: str
    make: Callable[[Path], None]
    commands: tuple[tuple[str, ...], ...]
    before: tuple[tuple[str, ...], ...] = ()


def run_quietly(*words: str) -> None:
    """One command that must succeed."""
    ran = captured(words)
    if ran.code != 0:
        raise AssertionError(f"{' '.join(words)}: exit {ran.code}: {ran.err}")


def _logs(run: Run, task: int, reward: float) -> str:
    files = {
        "reward.txt": f"{reward}\n",
        "test-stdout.txt": f"{task + 3} passed\nin 0.12 s\n",
        "trajectory.json": TRAJECTORY,
        "artifacts/patch.diff": f"--- a\n+++ b\n+{task}\n",
        "agent.log": "worked\ndone\n",
    }
    return run.logs(f"task{task}", files)


def signed_run(folder: Path) -> None:
    """A run with what an earlier one left, signatures, log folders, a masked, a failed and a missing task."""
    run = Run(folder)
    run.put("quality_summary.json", {"run": {"rollouts": ["rollouts.jsonl"]}, "tasks": {}}, at=-100)
    run_quietly("signatures", str(run.rollouts))
    run.inputs(*(native_input(task) for task in range(6)))
    named = [row(task, reward=REWARDS[task], verifier_logs_dir=_logs(run, task, REWARDS[task])) for task in range(2)]
    run.results(*named, row(2, reward=REWARDS[2], note="café"), row(3, reward=1.0, mask_sample=True))
    run.failures(failure(4), failure(4, _ng_attempt_index=1))
    run.aggregate(rewards=REWARDS, agent="e")
    run_quietly("summarize", str(run.rollouts))


def merged_run(folder: Path) -> None:
    """A merged, packed file of two shards with the list of its sources, a health report, digests by SHA-256."""
    run = Run(folder)
    sources, rows = [], []
    for number in range(2):
        part = Run(folder, f"part{number}")
        tasks = range(2 * number, 2 * number + 2)
        part.inputs(*(flat_input(task) for task in tasks))
        mine = [flat_row(tasks[0], reward=1.0), flat_row(tasks[1], reward=0.25)]
        data = part.results(*mine).read_bytes()
        rows += mine
        digest = hashlib.sha256(data).hexdigest()
        sources.append({"path": f"part{number}.jsonl", "size": len(data), "sha256": digest})
    run.put("rollouts.jsonl.gz", gzip.compress(lines(rows), mtime=0), at=20)
    run.put("rollouts_sources.json", sources, at=20)
    run.health("part0.jsonl", "part1.jsonl")
    run.aggregate(rewards=(1.0, 0.25, 1.0, 0.25), agent=AGENT, server=None)
    run_quietly("summarize", str(folder / "rollouts.jsonl.gz"), "--digest", "sha256")


def harbor_job(folder: Path) -> None:
    """A job of three tasks, one of them failed, with a trajectory, a ledger and its summary."""
    job = HarborJob(folder)
    extra = {"verifier/reward.json": '{"reward": 1}', "agent/trajectory.json": TRAJECTORY, "agent/oracle.txt": "done\n"}
    job.trial("greet", "AAAAAAA", {"reward": 1}, files=extra)
    job.trial("sum", "BBBBBBB", {"reward": 0})
    job.trial("stall", "CCCCCCC", None, error="AgentTimeoutError")
    job.finish(job.group(1 / 3))
    run_quietly("summarize", str(folder))


def listed_tree(folder: Path) -> None:
    """A tree of files with a manifest of their SHA-256."""
    for number in range(4):
        path = folder / "data" / f"part-{number}" / "rows.jsonl"
        path.parent.mkdir(parents=True)
        path.write_bytes(lines(row(task) for task in range(number)))
    (folder / "model.bin").write_bytes(bytes(range(256)) * 20)
    (folder / "README.md").write_text("# A release\n\ncafé\n", encoding="utf-8")
    run_quietly("manifest", "create", str(folder))


def claimed_evidence(folder: Path) -> None:
    """A card, its claims, and the export that they are about: every claim holds."""
    shutil.copytree(FIXTURES / "claims" / "games-export", folder, dirs_exist_ok=True)


def exported_games(folder: Path) -> None:
    """An export of self-play games with its card and manifest."""
    shutil.copytree(FIXTURES / "claims" / "games-export", folder, dirs_exist_ok=True)
    logs = [
        {"file": game["file"].rsplit("/", 1)[-1], "rewards": game["rewards"]}
        for game in json.loads((folder / "manifest.json").read_bytes())["games"]
    ]
    stats = {f"/run/{game['file']}": game["rewards"] for game in logs}
    (folder / "job.log").write_text(f"[COLLECT] stats: {{'game': {stats!r}, 'skill': {{}}}}\n", encoding="utf-8")
    (folder / "claims.toml").unlink()
    run_quietly("games", "manifest", str(folder), "--logs", str(folder / "job.log"))


def two_summaries(folder: Path) -> None:
    """The summaries of two runs that are equally good, and a policy."""
    for name in ("baseline", "candidate"):
        run = Run(folder / name)
        run.scored(*REWARDS, 1.0)
        run_quietly("summarize", str(run.rollouts))
        replace(str(folder / f"{name}.json"), [run.summary.read_bytes()])
        shutil.rmtree(run.folder)
    (folder / "gate.toml").write_text("[require]\ncoverage = 0.5\n\n[metrics.mean_reward]\nmin = 0.5\n", "utf-8")


_VERIFY = ("verify", "{here}", "--format", "json", "--all")
KINDS = {
    kind.name: kind
    for kind in (
        Kind("NeMo Gym run", signed_run, (_VERIFY, ("summarize", "{here}/rollouts.jsonl", "-o", "-"))),
        Kind("merged run", merged_run, (_VERIFY, ("summarize", "{here}/rollouts.jsonl.gz", "-o", "-"))),
        Kind("Harbor job", harbor_job, (_VERIFY, ("summarize", "{here}", "-o", "-"))),
        Kind(
            "manifest",
            listed_tree,
            (
                ("manifest", "verify", "{here}", "--format", "json", "--all"),
                ("manifest", "verify", "{here}", "--format", "json", "--all", "--expect", "{expect}"),
                ("manifest", "verify", "{here}", "--format", "json", "--all", "--cache", "{out}/cache"),
            ),
            before=(("manifest", "verify", "{here}", "--cache", "{out}/cache"),),
        ),
        Kind("claims", claimed_evidence, (("claims", "check", "{here}/claims.toml", "--format", "json", "--all"),)),
        Kind(
            "games export",
            exported_games,
            (
                ("games", "verify", "{here}", "--format", "json", "--all"),
                ("games", "verify", "{here}", "--format", "json", "--all", "--logs", "{here}/job.log"),
            ),
        ),
        Kind(
            "two summaries",
            two_summaries,
            (
                ("diff", "{here}/baseline.json", "{here}/candidate.json", "--format", "json"),
                ("diff", "{here}/baseline.json", "{here}/candidate.json", "--policy", "{here}/gate.toml"),
                ("show", "{here}/candidate.json"),
            ),
        ),
    )
}
