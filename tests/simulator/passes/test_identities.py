"""Steps without effect."""

from __future__ import annotations

import pytest

from tests.simulator.passes.written import after, lines, network


@pytest.mark.parametrize(
    "operator",
    [
        "Identity x",
        "Dropout x",
        "Transpose x | perm=(0,1,2,3)",
        "Pad x p",
        "Concat x | axis=1",
        "Add x zero",
        "Mul x one",
        "Reshape x to | to=(2,8,16,16)",
    ],
)
def test_what_changes_nothing_goes(operator: str) -> None:
    built = after(
        network(f"p: = 0 0 0 0 0 0 0 0\n zero: = 0\n one: = 1\n to: = 2 8 16 16\n a = {operator}\n b = Relu a", "b"),
        "identities",
    )
    assert lines(built) == ["b: x > b"]
    assert built.decisions[0].operators == ("a",)


@pytest.mark.parametrize(
    "operator", ["Transpose x | perm=(0,1,3,2)", "Pad x p", "Add x one", "Mul x x", "Slice x s s s back", "Softmax x"]
)
def test_what_changes_something_stays(operator: str) -> None:
    text = f"p: = 0 0 1 1 0 0 1 1\n one: = 1\n s: = 0 1\n back: = -1 1\n a = {operator}\n b = Relu a"
    assert len(after(network(text, "b"), "identities").steps) == 2


def test_a_mask_that_is_read_keeps_its_dropout() -> None:
    built = after(network("a m = Dropout x\n b = Not m\n c = Relu a", "b c"), "identities")
    assert len(built.steps) == 3


def test_a_copy_from_an_input_to_an_output_is_made() -> None:
    assert len(after(network("a = Identity x", "a"), "identities").steps) == 1
