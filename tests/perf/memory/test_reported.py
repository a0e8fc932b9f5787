"""TensorRT's own figures against the tensors' peak."""

from __future__ import annotations

import pytest

from trex.perf.memory.reported import Reported, compared, reported_in


def test_nothing_is_reported_without_a_log() -> None:
    assert reported_in({}) is None


def test_the_context_stands_for_activations_that_no_build_log_tells() -> None:
    assert reported_in({"context_bytes": 7}) == Reported(context_bytes=7)
    assert Reported(context_bytes=7).shared_bytes == 7
    assert Reported(activation_bytes=0, context_bytes=7).shared_bytes == 0


def test_scratch_that_is_all_of_the_memory_is_that_of_one_region() -> None:
    assert reported_in({"activation_bytes": 7, "scratch_bytes": 7}) == Reported(activation_bytes=7, is_region=True)
    assert reported_in({"activation_bytes": 7, "scratch_bytes": 6}) == Reported(7, 6)


@pytest.mark.parametrize(
    ("reported_bytes", "words"),
    [
        (1000, ": equal."),
        (1024, "equal in whole blocks of 512 B per tensor."),
        (5000, "4,000 B more, due to blocks that begin at multiples of 512 B (24 B here); gaps between blocks"),
        (600, "400 B less, so TensorRT works in place"),
    ],
)
def test_the_difference_in_words(reported_bytes: int, words: str) -> None:
    assert words in compared(Reported(activation_bytes=reported_bytes), 1000, 1024, 0)


def test_causes_that_are_known_are_named() -> None:
    text = compared(Reported(activation_bytes=5000, scratch_bytes=300), 1000, 1000, 2, "max")
    assert "at the max shapes" in text
    assert "scratch space of kernels (up to 300 B a layer)" in text
    assert "2 tensors of unknown size" in text
    assert "multiples" not in text


def test_nothing_to_compare() -> None:
    assert compared(Reported(weights_bytes=5), 1000, 1000, 0) == ""
