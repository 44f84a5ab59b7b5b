"""Text from data: printable, inert in a CI log, and unchanged where it is harmless."""

import json

import pytest

from runaudit.render.escaping import inert, inert_json, printable


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain é 😀 {x}", "plain é 😀 {x}"),
        ("a\nb\tc", "a\\nb\\tc"),
        ("\x1b[31m\x7f\x9b", "\\x1b[31m\\x7f\\x9b"),
        ("\u202e\u2066\ufeff\u2028", "\\u202e\\u2066\\ufeff\\u2028"),
        ("a\udcff", "a\\udcff"),
        ("\U000e0041", "\\U000e0041"),
    ],
)
def test_printable(text: str, expected: str) -> None:
    assert printable(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("::error::x", "\\x3a:error::x"),
        ("  ::error::x", "  \\x3a:error::x"),
        ("a ::error::x", "a ::error::x"),
        ("a:b", "a:b"),
        ("a##[error]", "a\\x23#[error]"),
        ("\n::error", "\\n::error"),
    ],
)
def test_inert(text: str, expected: str) -> None:
    assert inert(text) == expected


def test_inert_twice_is_inert_once() -> None:
    assert inert(inert("\x1b::\n##[x")) == inert("\x1b::\n##[x")
    assert inert(inert("::x")) == inert("::x")


def test_inert_json_means_the_same() -> None:
    value = {"a": "\x7f\u202e\U000e0041 é ##[x]", "b": ["\x1b"]}
    document = json.dumps(value, ensure_ascii=False, indent=2)
    safe = inert_json(document)
    assert json.loads(safe) == value
    assert all(line.isprintable() for line in safe.split("\n"))
    assert "\\udb40\\udc41 é \\u0023#[x]" in safe
