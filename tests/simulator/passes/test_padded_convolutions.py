"""Padding into convolutions."""

from __future__ import annotations

import pytest

from tests.simulator.passes.written import after, lines, network


def test_zeros_around_an_image_are_padded_by_the_convolution() -> None:
    text = "p: = 0 0 1 1 0 0 1 1\n w: 8x8x3x3\n a = Pad x p\n c = Conv a w"
    built = after(network(text, "c"), "padded-convolutions")
    assert lines(built) == ["a + c: x > c"]
    assert built.steps[0].facts["padding"] == (0, 0, 1, 1, 0, 0, 1, 1)


@pytest.mark.parametrize(
    ("pads", "more"),
    [
        ("0 1 0 0 0 0 0 0", ""),
        ("0 0 -1 0 0 0 0 0", ""),
        ("0 0 1 1 0 0 1 1", "| mode='edge'"),
        ("0 0 1 1 0 0 1 1", "| pads=()"),
        ("0 0 1 1 0 0 1", ""),
        ("0 inf nan 1", ""),
    ],
)
def test_other_padding_and_what_is_none_stays(pads: str, more: str) -> None:
    text = f"p: = {pads}\n w: 8x9x3x3\n a = Pad x p {more}\n c = Conv a w"
    assert len(after(network(text, "c"), "padded-convolutions").steps) == 2


def test_a_padded_image_that_others_read_stays() -> None:
    text = "p: = 0 0 1 1 0 0 1 1\n w: 8x8x3x3\n a = Pad x p\n c = Conv a w\n b = Relu a"
    assert len(after(network(text, "b c"), "padded-convolutions").steps) == 3
