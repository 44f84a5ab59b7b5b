"""Which sentences of a card state something, and which of them claims stand for."""

import pytest

from runaudit.claims.card import sentences, stands_in, states_something, uncovered

CARD = """---
tags: [a, 1]
---
# Run 7

It has 12 layers and 3 heads. It is small.
- 60 steps, job 8885
  on one machine
- nothing here

| stage | steps |
| --- | --- |
| s1 | 400 |

```python
x = 17
```
See [the paper](https://example.org/2024) and `step_60`.
"""


def test_sentences_with_their_lines() -> None:
    assert [(sentence.line, sentence.text) for sentence in sentences(CARD)] == [
        (6, "It has 12 layers and 3 heads."),
        (6, "It is small."),
        (7, "60 steps, job 8885 on one machine"),
        (9, "nothing here"),
        (11, "| stage | steps |"),
        (13, "| s1 | 400 |"),
        (18, "See [the paper](https://example.org/2024) and `step_60`."),
    ]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("It has 12 layers", True),
        ("It has layers", False),
        ("see step_60 of gen_01_step_00004", False),
        ("digest " + "ab12" * 16, True),
        ("from https://example.org/2024", False),
    ],
)
def test_what_states_something(sentence: str, expected: bool) -> None:
    assert states_something(sentence) is expected


def test_a_sentence_is_stood_for_when_all_of_its_numbers_are() -> None:
    left = [
        sentence.text for sentence in uncovered(CARD, ["It has 12 layers", "| s1 | 400 |", "**60 steps**, job 8885"])
    ]
    assert left == ["It has 12 layers and 3 heads."]
    assert uncovered(CARD, ["12 layers", "3 heads", "s1 | 400", "60 steps, job 8885 on one machine"]) == ()


def test_a_sentence_stands_in_a_card_without_markup_and_across_lines() -> None:
    assert stands_in(CARD, "60 steps, job 8885 on one machine")
    assert stands_in(CARD, "see [the paper](https://example.org/2024) and step_60")
    assert not stands_in(CARD, "61 steps")
