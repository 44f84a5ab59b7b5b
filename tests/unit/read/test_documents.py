"""The fast parser is never believed where the explaining one sees more."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runaudit.model.trouble import Trouble
from runaudit.read.documents import decode_json
from runaudit.read.values import DECODER, doubled_keys

KEYS = st.sampled_from(["a", "b", "\u00e9", 'q"', "\\", "e\u0301"])
PLAIN = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**70), 2**70), st.floats(), st.text(max_size=4, alphabet='a"\\\n\u00e9,:{')
)


def written(value: Any, *, escaped: bool) -> str:
    """JSON text; a list of pairs stands for an object, whose keys may be stated twice."""
    if isinstance(value, list) and value and all(isinstance(one, tuple) for one in value):
        inner = (f"{json.dumps(key, ensure_ascii=escaped)}: {written(one, escaped=escaped)}" for key, one in value)
        return "{" + ", ".join(inner) + "}"
    if isinstance(value, list):
        return "[" + ",\n ".join(written(one, escaped=escaped) for one in value) + "]"
    return json.dumps(value, ensure_ascii=escaped)


VALUES = st.recursive(
    PLAIN,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.lists(st.tuples(KEYS, inner), min_size=1, max_size=4)),
    max_leaves=8,
)


@given(value=VALUES, escaped=st.booleans())
def test_strict_keys_see_what_the_explaining_parser_sees(value: Any, escaped: bool) -> None:
    text = written(value, escaped=escaped)
    slow = DECODER.decode(text)
    fast = decode_json(text.encode(), strict_keys=True)
    assert not isinstance(fast, Trouble)
    assert repr(fast.value) == repr(slow)
    assert doubled_keys(fast.value) == doubled_keys(slow)


@pytest.mark.parametrize(
    ("text", "slow"),
    [
        ('{"a": 1,\n "b": [1.5, "x"]}', False),
        ('{"a": 1, "a": 1}', True),
        ('{"a": {"b": 1, "b": 2}}', True),
        ('{"a": 1e2}', True),
        ("[" * 300 + "]" * 300, True),
    ],
)
def test_an_ordinary_document_is_parsed_once(text: str, slow: bool) -> None:
    document = decode_json(text.encode(), strict_keys=True)
    assert not isinstance(document, Trouble)
    assert document.slow is slow
