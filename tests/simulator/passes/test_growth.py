"""What passes keep of a network grows as the network does: names and decisions of a row do not repeat the whole row."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.simulator.passes.written import after, network
from trex.simulator.draft import NetworkDraft


def reshapes(count: int) -> NetworkDraft:
    row = "\n".join(f"a{i} = Reshape {f'a{i - 1}' if i else 'x'} s | to=(2,2048)" for i in range(count))
    return after(network(f"s: = 1 1\n{row}", f"a{count - 1}"), "reshapes")


def scales(count: int) -> NetworkDraft:
    row = "\n".join(f"a{i} = Add {f'a{i - 1}' if i else 'c'} k" for i in range(count))
    return after(network(f"w: 8x8x1x1\n k: = 2\n c = Conv x w\n{row}", f"a{count - 1}"), "scales-and-biases")


def clones(count: int) -> NetworkDraft:
    row = "\n".join(f"r{i} = Relu x\n a{i} = Concat {f'a{i - 1}' if i else 'x'} r{i}" for i in range(count))
    return after(network(f"s: = 0.5\n{row}\n q = QuantizeLinear a{count - 1} s", "q"), "quantizers-backward")


def words(draft: NetworkDraft) -> int:
    decisions = sum(len(decision.what) + len(decision.operators) for decision in draft.decisions)
    names = sum(len(step.label) + len("".join((*step.inputs, *step.outputs))) for step in draft.steps)
    return decisions + names


@pytest.mark.parametrize("row", [reshapes, scales, clones])
def test_three_times_as_long_a_row_has_about_three_times_the_words(row: Callable[[int], NetworkDraft]) -> None:
    assert words(row(240)) < 5 * words(row(80))


def test_a_row_that_is_folded_at_once_keeps_all_names() -> None:
    assert reshapes(3).steps[0].label == "a0 + a1 + a2"
    assert scales(3).steps[0].label == "c + a0 + a1 + a2"
    assert [decision.operators for decision in scales(2).decisions] == [("c", "a0"), ("c", "a1")]
