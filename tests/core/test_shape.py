"""Shapes: sizes of unknown dimensions are unknown, never negative."""

from __future__ import annotations

import pytest

from trex.core.shape import Shape, is_static, shape_text, volume


@pytest.mark.parametrize(
    ("shape", "elements"),
    [
        ((), 1),
        ((7,), 7),
        ((1, 3, 224, 224), 150_528),
        ((2, None, 4), None),
        ((None,), None),
        ((4, 0, 8), 0),
        ((None, 0), 0),
        ((0, None, None), 0),
        (None, None),
    ],
)
def test_volume(shape: Shape | None, elements: int | None) -> None:
    assert volume(shape) == elements


def test_a_huge_volume_is_exact() -> None:
    assert volume((2**40, 3, 2**40)) == 3 * 2**80


@pytest.mark.parametrize(("shape", "static"), [((), True), ((1, 0), True), ((1, None), False), (None, False)])
def test_static(shape: Shape | None, static: bool) -> None:
    assert is_static(shape) is static


@pytest.mark.parametrize(
    ("shape", "text"),
    [((1, 3, None, 224), "1x3x?x224"), ((), "scalar"), (None, "?"), ((5,), "5"), ((0, 2), "0x2")],
)
def test_text(shape: Shape | None, text: str) -> None:
    assert shape_text(shape) == text


def test_text_with_another_word_for_unknown() -> None:
    assert shape_text((None, 2), unknown="N") == "Nx2"
    assert shape_text(None, unknown="not reported") == "not reported"
