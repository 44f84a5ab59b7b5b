"""Each parser takes its sound input, and refuses what random changes make of it by our own exceptions only."""

from random import Random

import pytest

from tests.hostile import parsers
from tests.hostile.damages import CONTENT
from tests.hostile.parsers import PARSERS, parse, seeds


@pytest.mark.parametrize("seed", seeds(), ids=range(len(PARSERS)))
def test_random_changes_of_a_sound_input_are_read_or_refused(seed: bytes) -> None:
    PARSERS[seed[0]](seed[1:])
    chance = Random(seed[0])
    for _ in range(600):
        data = seed[1:]
        for _ in range(chance.randint(1, 4)):
            data = CONTENT[chance.choice([name for name in CONTENT if name != "nest deep"])](data, chance) or data
        parse(seed[:1] + data)
    for _ in range(3):
        parse(seed[:1] + (CONTENT["nest deep"](seed[1:], chance) or b""))


def test_a_parser_that_breaks_is_not_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: bytes) -> object:
        raise IndexError

    monkeypatch.setattr(parsers, "PARSERS", (broken,))
    with pytest.raises(IndexError):
        parse(b"\0x")
