"""Makes the data that the benchmarks read. The same seed gives the same bytes; nothing real is in them.

A row has the shape that the producer writes: the request, the response with its bulk, then the small fields; in
token-heavy rows the bulk is numbers. A third of the rows hold text that is not ASCII.
"""

import json
import os
import random
from collections.abc import Iterator

_LETTERS = "etaoinshrdlucmfwypvbgkqjxz"
_WIDE = ("naïve", "—", "日本", "✓", "“so”")
_POOL = 6 << 20


class Texts:
    """Slices of one pool of prose, already escaped as JSON strings hold it."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._plain = self._pool(wide=False)
        self._wide = self._pool(wide=True)

    def _pool(self, *, wide: bool) -> bytes:
        chosen = self._random
        words = ["".join(chosen.choices(_LETTERS, k=chosen.randint(2, 9))) for _ in range(3000)]
        words += ['say \\"no\\"', "line\\n", "path\\\\to"] * 20
        words += list(_WIDE) * (4 if wide else 0)
        text = " ".join(chosen.choices(words, k=_POOL // 6))
        return text.encode()

    def some(self, size: int, *, wide: bool) -> bytes:
        """About `size` bytes of text, cut between words."""
        pool = self._wide if wide else self._plain
        pieces = []
        while size > 0:
            start = pool.index(b" ", self._random.randrange(0, len(pool) // 2)) + 1
            stop = pool.rindex(b" ", start, min(start + max(size, 40), len(pool)))
            pieces.append(pool[start:stop])
            size -= stop - start + 1
        return b" ".join(pieces)

    def numbers(self, size: int) -> bytes:
        """About `size` bytes of token ids and log probabilities, as the inside of a JSON list."""
        block = ",".join(
            f"{self._random.randrange(150_000)},-{self._random.random():.9f}" for _ in range(2000)
        ).encode()
        return b",".join([block] * max(1, size // len(block)))


def _row(texts: Texts, number: int, size: int, *, tokens: bool, logs: str | None) -> bytes:
    wide = number % 3 == 0
    task, repeat = divmod(number, 4)
    prompt = b"Task %d: " % task + texts.some(120, wide=False)
    if tokens:
        bulk = (
            b'{"id":"m","type":"message","role":"assistant","content":[{"type":"output_text","text":"'
            + texts.some(size // 3, wide=wide)
            + b'"}],"generation_token_ids":['
            + texts.numbers(size * 2 // 3)
            + b"]}"
        )
    else:
        count = max(1, round((size - 700) / 4000))
        part = max(40, (size - 700) // count)
        bulk = b",".join(
            b'{"id":"m%d","type":"message","role":"assistant","content":[{"type":"output_text","text":"%s"}]}'
            % (index, texts.some(part - 90, wide=wide))
            for index in range(count)
        )
    folder = b"null" if logs is None else json.dumps(f"{logs}/{task}-{repeat}").encode()
    return (
        b'{"responses_create_params":{"input":[{"role":"user","content":"%s"}],"temperature":0.7},'
        b'"response":{"id":"resp_%d","model":"bench-model","output":[%s],'
        b'"usage":{"input_tokens":%d,"output_tokens":%d,"total_tokens":%d}},'
        b'"reward":%.1f,"mask_sample":false,"failure_kind":null,"verifier_logs_dir":%s,"elapsed_seconds":%.3f,'
        b'"_ng_task_id":{"taskset":"bench","task_id":"task-%d"},"_ng_task_index":%d,"_ng_rollout_index":%d,'
        b'"_ng_environment_server":"bench_environment","task_source":"bench","agent_ref":{"name":"bench_agent"}}\n'
    ) % (prompt, number, bulk, 100, size // 5, 100 + size // 5, number % 2, folder, number / 7, task, task, repeat)


def _input(number: int) -> bytes:
    task, repeat = divmod(number, 4)
    return (
        b'{"task_id":{"taskset":"bench","task_id":"task-%d"},"task_input":{"responses_create_params":'
        b'{"input":[{"role":"user","content":"Task %d: do what it says."}]}},"task_source":"bench",'
        b'"agent_ref":{"name":"bench_agent"},"_ng_task_index":%d,"_ng_rollout_index":%d,'
        b'"_ng_environment_server":"bench_environment"}\n'
    ) % (task, task, task, repeat)


def rows(count: int, size: int, *, tokens: bool = False, logs: str | None = None, seed: int = 1) -> Iterator[bytes]:
    """`count` rows of about `size` bytes each; `logs` is the folder that their log folders lie in."""
    texts = Texts(seed)
    for number in range(count):
        yield _row(texts, number, size, tokens=tokens, logs=logs)


def write_run(folder: str, count: int, size: int, *, tokens: bool = False, logs: str | None = None) -> str:
    """A results folder with rollouts and materialized inputs. Returns the path of the rollouts."""
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "rollouts.jsonl")
    with open(path, "wb", 4 << 20) as file:
        file.writelines(rows(count, size, tokens=tokens, logs=logs))
    with open(os.path.join(folder, "rollouts_materialized_inputs.jsonl"), "wb", 4 << 20) as file:
        file.writelines(_input(number) for number in range(count))
    return path


def write_run_with_logs(folder: str, count: int, *, files: int = 3, size: int = 6000) -> str:
    """A run whose every row names a log folder with `files` files. Returns the path of the rollouts."""
    base = os.path.join(folder, "verifier")
    path = write_run(folder, count, 1200, logs=base)
    texts = Texts(2)
    for number in range(count):
        task, repeat = divmod(number, 4)
        place = os.path.join(base, f"{task}-{repeat}")
        os.makedirs(place)
        _write(os.path.join(place, "reward.txt"), b"%.1f\n" % (number % 2))
        _write(os.path.join(place, "test-stdout.txt"), texts.some(size, wide=False))
        for extra in range(files - 2):
            _write(os.path.join(place, f"note{extra}.txt"), texts.some(size // 10, wide=False))
    return path


def write_tree(folder: str, count: int, smallest: int, largest: int) -> None:
    """`count` files of random sizes, a hundred to a folder."""
    chosen = random.Random(3)
    block = chosen.randbytes(4 << 20)
    for number in range(count):
        place = os.path.join(folder, f"{number // 100:04d}")
        if number % 100 == 0:
            os.makedirs(place, exist_ok=True)
        left = chosen.randint(smallest, largest)
        with open(os.path.join(place, f"{number:06d}.bin"), "wb") as file:
            while left > 0:
                start = chosen.randrange(len(block) // 2)
                file.write(block[start : start + min(left, len(block) // 2)])
                left -= min(left, len(block) // 2)


def _write(path: str, data: bytes) -> None:
    with open(path, "wb") as file:
        file.write(data)
