"""Values for agents: what hypothesis makes up is bounded and visible afterwards."""

from __future__ import annotations

import json
import math

from hypothesis import given, settings
from hypothesis import strategies as st

from trex.agents.inert import LONGEST_TEXT, inert, tokens_of

VALUES = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=40),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
    max_leaves=9,
)


@settings(max_examples=30)
@given(VALUES)
def test_any_value_becomes_json_of_visible_bounded_text(value: object) -> None:
    text = json.dumps(inert(value), ensure_ascii=False, allow_nan=False)
    assert text.isprintable() and inert(json.loads(text)) == json.loads(text)


def test_long_texts_lose_their_middle() -> None:
    text = inert("a" * 9999 + "b")
    assert len(text) == LONGEST_TEXT and text.startswith("a") and text.endswith("b") and "…" in text


def test_numbers_have_five_digits_and_unknown_is_null() -> None:
    assert inert([0.123456789, 1234567.8, math.nan, math.inf, 1.7977e308, 12345678]) == [
        0.12346, 1234600.0, None, None, None, 12345678,
    ]  # fmt: skip


def test_tokens_are_estimated_from_above() -> None:
    assert [tokens_of(text) for text in ("", "abcde", "é", "日本", "a" * 10_000)] == [0, 2, 2, 6, 4000]
