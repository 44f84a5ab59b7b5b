"""Wrapping: widths, marks, and that nothing gets lost."""

import pytest
from hypothesis import given, settings, strategies

from runaudit.render.columns import NARROWEST, columns_of, padded, wrapped


@pytest.mark.parametrize(("text", "width"), [("abc", 3), ("日本", 4), ("e\u0301", 1), ("", 0)])
def test_width_is_counted_in_columns(text: str, width: int) -> None:
    assert columns_of(text) == width
    assert columns_of(padded(text, 7)) == 7


def test_text_breaks_between_words() -> None:
    assert wrapped("one two three four five", width=20, hanging=2) == ["one two three four", "  five"]


def test_a_label_keeps_its_text_beside_it_or_below() -> None:
    assert wrapped("text", width=20, lead="label  ", hanging=7) == ["label  text"]
    assert wrapped("x" * 15, width=20, lead="a label  ", hanging=2) == ["a label", "  " + "x" * 15]


def test_a_long_word_goes_on_after_a_mark_where_a_folder_ends() -> None:
    assert wrapped("abcdefgh/abcdefgh/abcdefgh", width=20) == ["abcdefgh/abcdefgh/\\", "abcdefgh"]
    assert wrapped("x" * 30, width=20) == ["x" * 19 + "\\", "x" * 11]


def test_runs_of_spaces_inside_a_line_are_kept() -> None:
    assert wrapped("scored   1   a", width=20) == ["scored   1   a"]


@settings(max_examples=200, deadline=None)
@given(strategies.text(strategies.characters(categories=["L", "N", "P"]), max_size=80), strategies.integers(1, 60))
def test_a_word_is_whole_once_its_marks_are_taken_out(word: str, width: int) -> None:
    lines = wrapped(word, width=width, hanging=4)
    assert max(map(columns_of, lines)) <= max(width, NARROWEST)
    whole = lines[0].removesuffix("\\") if len(lines) > 1 else lines[0]
    for number, line in enumerate(lines[1:], 2):
        whole += line[4:].removesuffix("\\") if number < len(lines) else line[4:]
    assert whole == word
