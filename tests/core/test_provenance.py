"""Statements on predicted data: with the builder's release where it is known."""

from __future__ import annotations

import pytest

from trex.core.provenance import Provenance, rtx_release

BUILT = Provenance.BUILT_ON_CPU


@pytest.mark.parametrize(
    ("text", "release"),
    [
        ("TensorRT for RTX 1.7.1", "for RTX 1.7.1"),
        ("for RTX 1.7.1", "for RTX 1.7.1"),
        ("10.16.0", ""),
        ("for RTX 1.7.1<b>", ""),
        ("for RTX " + "9" * 5000 + ".1", ""),
        ("", ""),
    ],
)
def test_the_release_of_a_builder(text: str, release: str) -> None:
    assert rtx_release(text) == release


def test_a_statement_names_the_release_if_it_is_known() -> None:
    named = "built by TensorRT for RTX 1.7.1 on a CPU; times are predicted, not measured"
    assert BUILT.stated("for RTX 1.7.1") == named
    assert BUILT.stated("10.16.0") == BUILT.statement == named.replace(" 1.7.1", "")
    assert Provenance.MEASURED.stated("for RTX 1.7.1") == ""
    assert Provenance.SIMULATED.stated("for RTX 1.7.1") == Provenance.SIMULATED.statement


def test_a_statement_is_recognized_with_and_without_a_release() -> None:
    for text in (BUILT.statement, f"{BUILT.stated('for RTX 1.7.1')} (a, b); another"):
        assert BUILT.is_stated_in(text)
        assert not any(kind.is_stated_in(text) for kind in Provenance if kind is not BUILT)
