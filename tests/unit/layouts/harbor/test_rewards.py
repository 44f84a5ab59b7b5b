"""The grammar of reward files and the precedence of the two."""

import pytest

from runaudit.layouts.harbor.rewards import RewardFiles, as_rewards, parse_json, parse_text, scalar
from runaudit.layouts.harbor.versions import Writer, parse
from runaudit.model.trouble import Trouble

NEW = Writer("0.25.0", parse("0.25.0"))
OLD = Writer("0.6.6", parse("0.6.6"))


@pytest.mark.parametrize(
    ("data", "reward"),
    [
        (b"1", 1.0),
        (b" 0.5\r\n", 0.5),
        (b"-1", -1.0),
        (b"+2.", 2.0),
        (b".5", 0.5),
        (b"1e-1", 0.1),
        (b"\xef\xbb\xbf1", 1.0),
    ],
)
def test_a_decimal_is_a_reward(data: bytes, reward: float) -> None:
    assert parse_text(data) == {"reward": reward}


@pytest.mark.parametrize(
    "data", [b"", b" \n", b"nan", b"inf", b"1_0", b"0x1", b"1,5", b"1 2", b"1e999", "٣".encode(), b"\x1b[1m1", b"1\0"]
)
def test_anything_else_is_none(data: bytes) -> None:
    found = parse_text(data)
    assert isinstance(found, Trouble)
    assert found.id == "invalid-reward-file"


@pytest.mark.parametrize(
    ("data", "rewards"),
    [
        (b'{"reward": 0}', {"reward": 0}),
        (b'{"a": 1, "b": 0.5}', {"a": 1, "b": 0.5}),
        (b'{"reward": true}', {"reward": 1}),
        (b"{}", {}),
    ],
)
def test_an_object_of_numbers_is_rewards(data: bytes, rewards: dict[str, float]) -> None:
    assert parse_json(data) == rewards


@pytest.mark.parametrize(
    "data", [b"", b"1", b"[1]", b'{"reward": "1"}', b'{"reward": NaN}', b'{"reward": 1e400}', b"{"]
)
def test_other_json_is_none(data: bytes) -> None:
    assert isinstance(parse_json(data), Trouble)


@pytest.mark.parametrize(
    ("rewards", "number"),
    [({"reward": 1}, 1), ({"score": 0.5}, 0.5), ({"reward": 0, "style": 1}, 0), ({"a": 1, "b": 1}, None), ({}, None)],
)
def test_the_one_number_that_rewards_mean(rewards: dict[str, float], number: float | None) -> None:
    assert scalar(rewards) == number


def test_a_result_without_numbers_has_no_rewards() -> None:
    assert as_rewards({"reward": None}) is None
    assert as_rewards([1]) is None


def test_precedence_changed_between_versions() -> None:
    files = RewardFiles(from_text={"reward": 1}, from_json={"reward": 0})
    assert files.chosen(NEW) == ("reward.json", {"reward": 0})
    assert files.chosen(OLD) == ("reward.txt", {"reward": 1})
    assert files.chosen(Writer()) is None


def test_unknown_precedence_does_not_matter_where_both_agree() -> None:
    assert RewardFiles({"reward": 1.0}, {"reward": 1}).chosen(Writer()) == ("reward.json", {"reward": 1})
