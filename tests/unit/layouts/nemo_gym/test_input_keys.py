"""Keys that an input row states twice, however they are spelled, and repeats that are told by their bytes."""

import orjson
import pytest

from runaudit.layouts.nemo_gym.input_keys import keys_stated_twice
from runaudit.layouts.nemo_gym.input_repeats import repeat_after, repeat_in


@pytest.mark.parametrize(
    "second", ['"_ng_task_index"', '"\\u005fng_task_index"', '"_ng_task\\u005Findex"', '"_n\\u0067_task_index"']
)
def test_a_key_stated_twice_is_found_in_every_spelling(second: str) -> None:
    data = f'{{"_ng_task_index": 1, {second}: 2, "text": "x"}}'.encode()
    assert keys_stated_twice(data, orjson.loads(data)) == {"_ng_task_index": [1, 2]}


def test_escapes_in_text_are_no_doubled_keys() -> None:
    data = b'{"_ng_task_index": 1, "text": "\\u005f \\u00e9", "task_source": "a\\u0041"}'
    assert keys_stated_twice(data, orjson.loads(data)) == {}


@pytest.mark.parametrize("blank", ["", " "])
def test_a_repeat_is_told_only_where_the_row_states_one_number(blank: str) -> None:
    nested = f'{{"inner":{{"_ng_rollout_index":3}},"_ng_rollout_index"{blank}:3}}'.encode()
    assert repeat_in(nested) == (0, None)


def test_the_next_repeat_has_the_same_bytes_around_its_number() -> None:
    first, second = b'{"a":1,"_ng_rollout_index":9,"b":2}', b'{"a":1,"_ng_rollout_index":10,"b":2}'
    number, around = repeat_in(first)
    assert number == 9
    assert around is not None
    assert repeat_after(second, around) == 10
    for other in (b'{"a":2,"_ng_rollout_index":10,"b":2}', b'{"a":1,"_ng_rollout_index":"10","b":2}', first[:-1]):
        assert repeat_after(other, around) is None
    for odd in (b"", b"010", b"-1", b"1.0", b"1234567890"):
        assert repeat_after(b'{"a":1,"_ng_rollout_index":' + odd + b',"b":2}', around) is None
