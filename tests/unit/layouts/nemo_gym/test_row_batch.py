"""Rows that are taken together are the same rows, with the same findings, as when each is taken alone."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runaudit.layouts.nemo_gym import row_file
from runaudit.layouts.nemo_gym.harvest import Harvest
from runaudit.layouts.nemo_gym.prompts import Prompts
from runaudit.layouts.nemo_gym.row_batch import Batch, Unlike, take_together
from runaudit.layouts.nemo_gym.row_file import RowFile, read_rows
from runaudit.layouts.nemo_gym.row_reader import RowReader
from runaudit.read.lines import Block, Line
from runaudit.read.places import Places
from tests.builders import flat_row, lines, row

PLAIN = [
    row(0),
    row(1, reward=0),
    row(2, reward=None, mask_sample=True, failure_kind="verifier_error"),
    row(3, agent_ref={"name": "solver"}, verifier_logs_dir="/somewhere/3"),
    row(4, verifier_seconds=1, elapsed_seconds=2.5, invalid_judge_response=True),
    row(5, stage_index=2, _ng_attempt_index=1, verifier_logs_dir=""),
    row(6, response={"model": None, "output": [], "usage": {"input_tokens": 1, "output_tokens": "none"}}),
    row(7, response={"output": [1, 2, 3, 4, 5, 6, 7, 8], "usage": None}),
    row(8, failure_kind="", text="naïve 日本"),
]
ODD: list[dict[str, Any]] = [
    flat_row(9),
    row(10, _ng_task_id="sum-10"),
    row(11, _ng_task_index="11"),
    row(12, _ng_task_index=-1),
    row(13, reward="1.0"),
    row(14, reward=[1]),
    row(15, _ng_failure_class="Timeout", reward=None),
    row(16, _ng_omitted_rollout=True),
    row(17, response=None),
    row(18, response={"model": 4}),
    row(19, responses_create_params=None),
    row(20, _ng_task_id={"taskset": None, "task_id": "sum-20"}),
    row(21, _ng_environment_server=7),
    row(22, agent_ref={"name": ["x"]}),
    row(23, task_source=True),
    row(24, elapsed_seconds="long"),
    row(25, reward=10**320),
    row(26, verifier_seconds=-(10**320)),
    row(27, elapsed_seconds=10**320, _ng_task_index=10**400),
]
DAMAGED = [
    lines([row(30)])[:-40] + b"\n",
    lines([row(31)])[:-1] + b"\r\n",
    b"\n",
    b"  \n",
    b"\0\0\0\n",
    b"[1]\n",
    lines([row(32, text="x")]).replace(b'"x"', b'"\xff"'),
    lines([row(33, reward=1.5)]).replace(b"1.5", b"NaN"),
    lines([row(34)]).replace(b'"reward"', b'"reward": 0.5, "reward"'),
    lines([row(35)]).replace(b'"model"', b'"model": "other", "model"'),
    lines([row(36, _ng_task_id="a")]).replace(b'"_ng_task_id"', b'"_ng_task_id": "b", "_ng_task_id"'),
    lines([row(37)])[:-1] + lines([row(38)]),
    b'{"a":' + b"[" * 300 + b"]" * 300 + b"}\n",
]


def reader(*, prompts: bool = False) -> RowReader:
    known = Prompts()
    if prompts:
        known.add(0, b"Some other text", "other")
    return RowReader("rollouts.jsonl", prompts=known, messages=False, failures=False, keep_metadata=False)


def block_of(data: bytes, *, ascii_: bool) -> Block:
    spans, start = [], 0
    while (stop := data.find(b"\n", start)) >= 0:
        spans.append((start, stop))
        start = stop + 1
    return Block(5, 1000, memoryview(data), spans, ascii_)


def singly(block: Block, taker: RowReader) -> Harvest:
    for line in block.lines():
        taker.take(line)
    return taker.harvest


def together(block: Block, taker: RowReader) -> Harvest:
    taker.take_block(block)
    return taker.harvest


def same(one: Harvest, other: Harvest) -> None:
    assert list(one.table.take_rows()) == list(other.table.take_rows())
    for name in Harvest.__struct_fields__:
        if name != "table":
            assert getattr(one, name) == getattr(other, name), name


one_line = st.one_of(
    st.sampled_from(PLAIN).map(lambda value: lines([value])),
    st.sampled_from(PLAIN).map(lambda value: json.dumps(value, ensure_ascii=False).encode() + b"\n"),
    st.sampled_from(ODD).map(lambda value: lines([value])),
    st.sampled_from(DAMAGED),
)


@given(st.lists(one_line, min_size=1, max_size=8), st.booleans())
def test_odd_rows_among_others(chosen: list[bytes], prompts: bool) -> None:
    data = b"".join(chosen)
    block = block_of(data, ascii_=data.isascii())
    same(together(block, reader(prompts=prompts)), singly(block, reader(prompts=prompts)))


@pytest.mark.parametrize("odd", range(len(ODD)))
def test_each_odd_row_between_plain_ones(odd: int) -> None:
    block = block_of(lines([PLAIN[0], ODD[odd], PLAIN[1]]), ascii_=False)
    same(together(block, reader()), singly(block, reader()))


@pytest.mark.parametrize("damaged", range(len(DAMAGED)))
def test_each_damaged_line_between_plain_ones(damaged: int) -> None:
    block = block_of(lines([PLAIN[0]]) + DAMAGED[damaged] + lines([PLAIN[1]]), ascii_=False)
    same(together(block, reader()), singly(block, reader()))


def test_a_reward_that_no_double_holds_is_told() -> None:
    for taker in (together, singly):
        harvest = taker(block_of(lines([PLAIN[0], row(25, reward=10**320)]), ascii_=True), reader())
        assert [(found.id, found.found) for found in harvest.findings] == [("non-finite-reward", "1" + "0" * 39)]
        assert [(one.reward, one.recorded) for one in harvest.table.take_rows()] == [(1.0, 1.0), (None, "1" + "0" * 39)]


def test_plain_rows_are_taken_together() -> None:
    taken = take_together(block_of(lines(PLAIN), ascii_=False), ids=True)
    assert isinstance(taken, Batch)
    assert "answers" not in taken.columns.fields
    assert len(list(taken.columns.rows())) == len(PLAIN)


def test_rows_without_ids_are_taken_together_only_where_none_are_asked_for() -> None:
    block = block_of(lines([flat_row(1), flat_row(2)]), ascii_=True)
    assert isinstance(take_together(block, ids=False), Batch)
    assert isinstance(take_together(block, ids=True), Unlike)


def rows_of(path: Path, workers: int, taker: type[RowReader] = RowReader) -> Harvest:
    def new() -> RowReader:
        return taker("r", prompts=Prompts(), messages=False, failures=False, keep_metadata=False)

    sight = Places([str(path.parent)]).look(str(path))
    harvest = read_rows(RowFile(sight, "r", new, 1 << 20, "xxh3", workers))
    assert isinstance(harvest, Harvest)
    return harvest


def test_a_lost_process_costs_time_and_no_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "rollouts.jsonl"
    path.write_bytes(lines([row(task) for task in range(50)]))
    whole = rows_of(path, 1)
    monkeypatch.setattr(row_file, "_PARALLEL_ABOVE", 0)
    monkeypatch.setattr(row_file, "_RANGE", 5000)
    here = os.getpid()

    class Mortal(RowReader):
        def take_block(self, block: Block) -> None:
            if os.getpid() != here and block.offset > 10_000:
                os.kill(os.getpid(), 9)
            super().take_block(block)

    same(rows_of(path, 2, Mortal), whole)


@pytest.mark.parametrize("span", [1, 50, 333, 5000])
def test_ranges_hold_each_line_once(span: int, tmp_path: Path) -> None:
    data = b"".join(b"%d" % number * (number % 40) + b"\n" for number in range(300)) + b"no end"
    path = tmp_path / "rows"
    path.write_bytes(data)
    descriptor = os.open(path, os.O_RDONLY)

    def pieces() -> Iterator[Line]:
        for start in range(0, len(data), span):
            for piece in row_file._lines_in(descriptor, 1 << 20, start, min(start + span, len(data)), len(data)):
                yield from piece.lines() if isinstance(piece, Block) else [piece]

    found = [(line.offset, bytes(line.data or b"")) for line in pieces()]
    os.close(descriptor)
    assert b"\n".join(text for _, text in found) == data
    assert all(data[offset : offset + len(text)] == text for offset, text in found)
