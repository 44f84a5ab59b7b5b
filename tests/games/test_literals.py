"""Literals out of logs: what Python prints is understood, and nothing is evaluated."""

import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runaudit.layouts.games.literals import LiteralError, read_literal

_scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20)
_values: st.SearchStrategy[Any] = st.recursive(
    _scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
)


@given(_values)
def test_reads_back_what_repr_prints(value: Any) -> None:
    text = repr(value)
    assert read_literal(text) == (value, len(text))


def test_understands_nan_and_infinity() -> None:
    (nan, inf, minus), _ = read_literal("[nan, inf, -inf]")
    assert math.isnan(nan)
    assert (inf, minus) == (math.inf, -math.inf)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{'a': np.float64(1.0)}", "a call, np.float64(…), is refused"),
        ("[reward]", "the name 'reward' is refused"),
        ("[1, 2", "ends too early"),
        ("{'a': 1, 'a': 2}", "stated twice"),
        ("{[1]: 2}", "a key that is a container"),
        ("[1 2]", "expected ','"),
        ("'open", "does not end"),
        ("[" * 40, "nested too deep"),
        ("[f'{1}']", "refused"),
        ("[1]*9", None),
        ("[" + "9" * 500 + "]", "too long"),
    ],
)
def test_refuses_with_the_place(text: str, says: str | None) -> None:
    if says is None:
        assert read_literal(text) == ([1], 3)
        return
    with pytest.raises(LiteralError, match=r"at character \d+") as caught:
        read_literal(text)
    assert says in str(caught.value)


def test_executes_nothing(tmp_path: Path) -> None:
    target = tmp_path / "made"
    with pytest.raises(LiteralError):
        read_literal(f"[__import__('pathlib').Path({str(target)!r}).touch()]")
    assert not target.exists()
