"""Numbers as a card prints them, against numbers as documents hold them."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runaudit.claims.numbers import Value, consistent, match, number_of


def how(stated: Any, found: Any, about: str | None = None) -> str:
    tolerance = None if about is None else Fraction(about)
    return match(Value(stated, "card", printed=True), Value(found, "file"), tolerance)


@pytest.mark.parametrize(
    ("stated", "found", "expected"),
    [
        (760, 760, "equal"),
        (760, 759, "different"),
        (760, 760.0, "equal"),
        (760, 760.4, "different"),
        (Decimal("0.58"), 0.5833, "rounded"),
        (Decimal("0.58"), 0.5851, "different"),
        (Decimal("0.58"), 0.585, "rounded"),
        (Decimal("0.59"), 0.585, "rounded"),
        (Decimal("0.580"), 0.5833, "different"),
        (Decimal("0.6080"), 0.608, "equal"),
        (Decimal("1.0"), 0.96, "rounded"),
        (Decimal("1e-5"), 1e-05, "equal"),
        (Decimal("1E+2"), 104, "different"),
        (8885, "8885", "other-type"),
        ("8885", 8885, "other-type"),
        ("10,893", 10893, "other-type"),
        ("1,23", 123, "different"),
        ("1/3", 1 / 3, "equal"),
        ("1/0", 0, "different"),
        ("3.14.4", "3.14.4", "equal"),
        ("3.14.4", "3.14.5", "different"),
        (True, True, "equal"),
        (True, 1, "different"),
        (1, True, "different"),
        ("434456c", "434456c9a6753f29d24e23c95d622aaf17111b3b", "shortened"),
        ("434456d", "434456c9a6753f29d24e23c95d622aaf17111b3b", "different"),
        ("sha256:" + "AB" * 32, "ab" * 32, "equal"),
        ("Abc", "abc", "different"),
    ],
)
def test_a_stated_value_against_a_found_one(stated: Any, found: Any, expected: str) -> None:
    assert how(stated, found) == expected


def test_about_is_a_stated_tolerance() -> None:
    assert how(Decimal("0.89"), 0.8949, "0.005") == "about"
    assert how(Decimal("0.89"), 0.8951, "0.005") == "different"
    assert how(100, 103, "3") == "about"


def test_two_found_values_may_round_to_one_another_and_no_more() -> None:
    assert consistent(Value("174/276", "a"), Value(0.6304, "b"))
    assert not consistent(Value("174/276", "a"), Value(0.6251, "b"))
    assert consistent(Value("x", "a"), Value("x", "b"))
    assert not consistent(Value("x", "a"), Value("y", "b"))


@pytest.mark.parametrize(
    "value", [True, None, [], "nan", "1e5", "", "1 2", Decimal("NaN"), Decimal("1e999999"), "9" * 50]
)
def test_what_is_no_number(value: Any) -> None:
    assert number_of(value) is None


@given(st.decimals(min_value=-1000, max_value=1000, places=3), st.integers(min_value=1, max_value=3))
def test_a_rounded_number_agrees_with_what_it_was_rounded_from(exact: Decimal, places: int) -> None:
    printed = round(exact, places)
    assert how(printed, float(exact)) in ("equal", "rounded")
    assert how(printed + Decimal(1).scaleb(-places), float(exact)) in ("different", "rounded")
    assert how(printed + 2 * Decimal(1).scaleb(-places), float(exact)) == "different"
