"""The runs that are asked of the real producer, one function for each, into a folder that is given.

A story decides what the peers answer; which files appear, and what stands in them, is the producer's doing.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.interop.gym_driver import producer
from tests.interop.gym_driver.arithmetic import ADDER, SPELLER, SUMS, WORDS, result, sum_task, word_task, write_tasks
from tests.interop.gym_driver.peers import Answer, Reply


def key(body: dict[str, Any]) -> tuple[int, int]:
    """The task and the repeat that a request is about."""
    return body["_ng_task_index"], body["_ng_rollout_index"]


def graded(_: str, body: dict[str, Any]) -> Reply:
    """Half of the answers are right."""
    task, repeat = key(body)
    return Reply(result(body, float((task + repeat) % 2)))


def sums(folder: Path) -> Path:
    """The input rows of the adder."""
    return write_tasks(folder / "tasks.jsonl", [sum_task(a, b) for a, b in SUMS])


def fresh(folder: Path) -> None:
    """Four tasks, two repeats, every rollout scored."""
    producer.collect([ADDER], graded, sums(folder), folder / "rollouts.jsonl", num_repeats=2)


def resumed(folder: Path) -> None:
    """A run that died in the middle of a line, one attempt recorded as failed, then taken up again."""
    output = folder / "rollouts.jsonl"

    def first_pass(server: str, body: dict[str, Any]) -> Reply:
        if key(body) == (3, 0):
            return Reply({"_ng_failure_class": "timeout_exceeded", "failure_reason": "out of time", "reward": 0.0})
        return graded(server, body)

    producer.collect([ADDER], first_pass, sums(folder), output, disable_aggregation=True)
    _cut_last_line(output)
    producer.collect([ADDER], graded, folder / "tasks.jsonl", output, resume_from_cache=True)


def _cut_last_line(output: Path) -> None:
    """Leave what a kill leaves. Releases that cannot read a cut line get the file without the line."""
    whole = output.read_bytes()
    start = whole.rstrip(b"\n").rfind(b"\n") + 1
    repairs = hasattr(producer.collection, "_drop_truncated_tail")
    output.write_bytes(whole[: start + (len(whole) - start) // 2] if repairs else whole[:start])


def second_stem(folder: Path) -> None:
    """Two runs under two names in one folder: the health reports are the later one's."""
    inputs = sums(folder)
    producer.collect([ADDER], graded, inputs, folder / "baseline.jsonl")
    producer.collect([ADDER], lambda _, body: Reply(result(body, 1.0)), inputs, folder / "candidate.jsonl")


def two_servers(folder: Path) -> None:
    """Two agents with rewards that differ so much that a mean over all rows fits neither."""
    tasks = [sum_task(a, b) for a, b in SUMS] + [word_task(word) for word in WORDS]

    def answer(server: str, body: dict[str, Any]) -> Reply:
        if server.startswith(SPELLER):
            return Reply(result(body, 1.0))
        return Reply(result(body, 0.25 * body["_ng_task_index"]))

    inputs = write_tasks(folder / "tasks.jsonl", tasks)
    producer.collect([ADDER, SPELLER], answer, inputs, folder / "rollouts.jsonl")


def masked_and_failed(folder: Path) -> None:
    """One rollout in each outcome that a run can leave: scored, masked, unscored, failed, missing."""

    def answer(server: str, body: dict[str, Any]) -> Reply:
        odd: dict[tuple[int, int], dict[str, Any]] = {
            (0, 1): result(body, 0.0, mask_sample=True, failure_kind="provider_unavailable", failure_reason="gone"),
            (1, 1): {
                "_ng_failure_class": "timeout_exceeded",
                "_ng_failure_terminal": True,
                "failure_kind": "agent_timeout",
                "failure_reason": "the agent ran out of time",
                "mask_sample": True,
                "reward": 0.0,
            },
            (2, 1): {"_ng_failure_class": "kill_shaped", "_ng_no_persist": True},
            (3, 1): result(body, None),
        }
        return Reply(odd[key(body)]) if key(body) in odd else graded(server, body)

    producer.collect([ADDER], answer, sums(folder), folder / "rollouts.jsonl", num_repeats=2)


def refused(folder: Path) -> None:
    """A peer that answers with errors of HTTP: rows of failed requests, where the release records them."""

    def answer(server: str, body: dict[str, Any]) -> Reply:
        status = {(1, 0): 500, (2, 0): 503}.get(key(body), 200)
        return graded(server, body) if status == 200 else Reply("upstream is gone", status)

    producer.collect([ADDER], answer, sums(folder), folder / "rollouts.jsonl", route_failures_to_sidecar=True)


def shards(folder: Path) -> None:
    """Two halves of one numbered data set, collected apart and merged.

    The pattern is narrow because releases up to 0.6 merge every file that it matches, sidecars included.
    """
    numbered = [sum_task(a, b, _ng_task_index=index) for index, (a, b) in enumerate(SUMS)]
    for part, tasks in enumerate((numbered[:2], numbered[2:])):
        inputs = write_tasks(folder / f"tasks{part}.jsonl", tasks)
        producer.collect([ADDER], graded, inputs, folder / f"shard{part}.jsonl", disable_aggregation=True)
    producer.aggregate([ADDER], str(folder / "shard?.jsonl"), folder / "merged.jsonl")


def imputed(folder: Path) -> None:
    """The failures and the gaps of a run counted as zeros by the aggregation, where the release can do that."""
    masked_and_failed(folder)
    producer.aggregate(
        [ADDER],
        str(folder / "rollouts.jsonl"),
        folder / "counted.jsonl",
        count_failure_classes_as_zero=["timeout_exceeded"],
        count_missing_rollouts_as_zero=True,
    )


Rewards = Sequence[Sequence[float]]
COMPARED: dict[str, Rewards] = {
    "baseline": ((1, 1, 1), (1, 1, 0), (0, 0, 0), (0, 1, 0)),
    "candidate": ((0, 0, 0), (1, 1, 1), (1, 1, 1), (1, 0, 0)),
    "partial": ((1, 0.75, 0.5), (1, 1, 0), (0.25, 0, 0), (0, 1, 0)),
    "short": ((1, 1, 1), (1, 1, 0), (0, 0, 0), (0, 1, 0)),
    "reordered": ((0, 1, 0), (0, 0, 0), (1, 1, 0), (1, 1, 1)),
}
"""The rewards of the story `compared`, by run: of each task in the order of its input file, over its repeats."""


def compared(folder: Path) -> None:
    """One baseline and four candidates, each a folder of its own, three repeats.

    `short` repeats the baseline's rewards, but one rollout is masked and one fails. `reordered` repeats them, too, for
    the same tasks in the opposite order.
    """
    for name, rewards in COMPARED.items():
        place = folder / name
        place.mkdir()
        tasks = [sum_task(a, b, task_id=f"sum-{a}-{b}") for a, b in SUMS]
        inputs = write_tasks(place / "tasks.jsonl", tasks[::-1] if name == "reordered" else tasks)
        answer = _rewarded(rewards, lossy=name == "short")
        producer.collect([ADDER], answer, inputs, place / "rollouts.jsonl", num_repeats=3)


def _rewarded(rewards: Rewards, *, lossy: bool) -> Answer:
    """Answers with these rewards; when lossy, a repeat of the first task is masked and one of the last fails."""

    def answer(_: str, body: dict[str, Any]) -> Reply:
        task, repeat = key(body)
        if lossy and (task, repeat) == (0, 1):
            return Reply(result(body, 0.0, mask_sample=True, failure_kind="provider_unavailable"))
        if lossy and (task, repeat) == (3, 1):
            return Reply({"_ng_failure_class": "timeout_exceeded", "_ng_failure_terminal": True, "reward": 0.0})
        return Reply(result(body, float(rewards[task][repeat])))

    return answer


STORIES: dict[str, Callable[[Path], None]] = {
    story.__name__: story
    for story in (fresh, resumed, second_stem, two_servers, masked_and_failed, refused, shards, imputed, compared)
}
