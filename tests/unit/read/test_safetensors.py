"""Safetensors headers are untrusted: every lie in one is refused, and tensors are compared without loading them."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from runaudit.model.trouble import Trouble
from runaudit.read.places import Places
from runaudit.read.safetensors import Header, Tensor, read_header, tensor_digests


def packed(header: bytes | Mapping[str, Any], data: bytes = b"") -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


def stated(shape: list[int], begin: int, end: int, dtype: str = "F16") -> dict[str, Any]:
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


def read(folder: Path, content: bytes) -> Header | Trouble:
    (folder / "x.safetensors").write_bytes(content)
    return read_header(Places([str(folder)]).look("x.safetensors"))


def test_a_sound_header(tmp_path: Path) -> None:
    header = read(tmp_path, packed({"__metadata__": {"format": "pt"}, "a": stated([2, 3], 0, 12)}, bytes(12)))
    assert isinstance(header, Header)
    assert header.tensors == {"a": Tensor("F16", (2, 3), 0, 12)}
    assert header.metadata == {"format": "pt"}


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"\0\0\0", "too few"),
        ((1 << 63).to_bytes(8, "little"), "states a header of"),
        (packed({"a": stated([2], 0, 4)}, b"\0"), "do not lie in"),
        (packed(b"[]"), "does not begin"),
        (packed(b'{"a": '), "no JSON"),
        (packed(b"{" + b'"a":{' * 100_000), "nested too deep"),
        (packed(b'{"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},"a":{}}'), "twice"),
        (packed(b'{"a":{"dtype":"U8","dtype":"U8","shape":[0],"data_offsets":[0,0]}}'), "twice"),
        (packed({"a": stated([2], 0, 4, "F17")}, bytes(4)), "not known"),
        (packed({"a": stated([3], 0, 4)}, bytes(4)), "do not hold"),
        (packed({"a": stated([-2], 0, 4)}, bytes(4)), "whole numbers"),
        (packed({"a": stated([True], 0, 2)}, bytes(2)), "whole numbers"),
        (packed({"a": stated([1] * 40, 0, 2)}, bytes(2)), "at most 32"),
        (packed({"a": stated([2], 4, 0)}, bytes(4)), "do not lie in"),
        (packed({"a": {**stated([2], 0, 4), "data_offsets": [0, 4, 8]}}, bytes(4)), "no pair"),
        (packed({"a": {**stated([2], 0, 4), "more": 1}}, bytes(4)), "expected dtype"),
        (packed({"a": stated([2], 0, 4), "b": stated([2], 2, 6)}, bytes(6)), "overlaps 'a'"),
        (packed({"a": stated([1], 0, 2), "b": stated([1], 4, 6)}, bytes(6)), "belong to no tensor"),
        (packed({"a": stated([1], 0, 2)}, bytes(6)), "at the end belong to no tensor"),
        (packed({"__metadata__": {"n": 1}}), "no object of texts"),
    ],
)
def test_every_lie_is_refused(tmp_path: Path, content: bytes, says: str) -> None:
    trouble = read(tmp_path, content)
    assert isinstance(trouble, Trouble)
    assert says in trouble.message


def test_only_plain_files_are_opened(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for name in ("folder", "none", "../x"):
        assert isinstance(read_header(Places([str(tmp_path)]).look(name)), Trouble)


def test_equal_tensors_behind_different_headers(tmp_path: Path) -> None:
    one = packed({"a": stated([2], 0, 4), "b": stated([1], 4, 6)}, b"aaaabb")
    two = packed({"__metadata__": {"k": "v"}, "b": stated([1], 0, 2), "a": stated([2], 2, 6)}, b"bbaaaa")
    found = []
    for content in (one, two):
        header = read(tmp_path, content)
        assert isinstance(header, Header)
        found.append(tensor_digests(Places([str(tmp_path)]).look("x.safetensors"), header))
    assert found[0] == found[1]


def test_a_file_that_shrinks_is_told(tmp_path: Path) -> None:
    header = read(tmp_path, packed({"a": stated([2], 0, 4)}, b"aaaa"))
    assert isinstance(header, Header)
    (tmp_path / "x.safetensors").write_bytes(b"short")
    assert isinstance(tensor_digests(Places([str(tmp_path)]).look("x.safetensors"), header), Trouble)
