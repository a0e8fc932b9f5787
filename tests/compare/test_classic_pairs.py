"""Classic pairs: layers of one type and shape pair up in near-linear time."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.raw_records import chain, layer, tensor
from tests.simulated_examples import SIMULATED
from trex.compare.classic_pairs import Pair, classic_pairs, io_shapes
from trex.engine_plan import EnginePlan, load
from trex.plan.engine_plan import EnginePlan as Plan


def is_whole(left: Plan, right: Plan, pairs: list[Pair]) -> None:
    """Every layer of both sides once, and no pair of nothing."""
    for side, plan in enumerate((left, right)):
        assert sorted(place for pair in pairs if (place := pair[side]) is not None) == list(
            range(len(plan.working_layers))
        )
    assert (None, None) not in pairs


@pytest.mark.parametrize("exact", [True, False])
def test_layers_of_one_name_pair_up(exact: bool) -> None:
    left, right = EnginePlan(chain("a", "b", "c", "d")), EnginePlan(chain("a", "c", "d"))
    assert classic_pairs(left, right, exact=exact) == [(0, 0), (1, None), (2, 1), (3, 2)]
    assert classic_pairs(right, left, exact=exact) == [(0, 0), (None, 1), (1, 2), (2, 3)]


def test_renumbered_names_are_not_trusted() -> None:
    # The right engine has a node more before each convolution, so Conv_4 is another one there.
    left = EnginePlan(chain(*(f"Conv_{number}" for number in range(0, 20, 2))))
    right = EnginePlan(chain(*(f"Conv_{number}" for number in range(0, 40, 4))))
    assert classic_pairs(left, right, exact=True) == [(place, place) for place in range(10)]


def test_shapes_without_batch_must_match() -> None:
    def one(batch: int, width: int, written: str) -> Plan:
        return EnginePlan([layer("a", "kgen", [tensor("x", [batch, width], written)], [tensor("y", [batch, width])])])

    plan = one(1, 8, "Row major linear FP16 format")
    assert classic_pairs(plan, one(32, 8, "Row major linear INT8 format"), exact=True) == [(0, 0)]
    assert classic_pairs(plan, one(1, 16, "Row major linear FP16 format"), exact=True) == [(0, None), (None, 0)]


def test_exact_compares_all_inputs() -> None:
    wide, narrow = tensor("r", [1, 8, 4, 4]), tensor("r", [1, 8, 1, 1])
    plans = [EnginePlan([layer("add", "ElementWise", ["x", each], ["y"])]) for each in (wide, narrow)]
    assert classic_pairs(*plans, exact=True) == [(0, None), (None, 0)]
    assert classic_pairs(*plans, exact=False) == [(0, 0)]
    assert io_shapes(plans[1].working_layers[0], True) == (((8, 4, 4), (8, 1, 1)), ((8, 4, 4),))
    assert io_shapes(plans[1].working_layers[0], False) == (((8, 4, 4),), ((8, 4, 4),))


@pytest.mark.parametrize("exact", [True, False])
def test_layers_without_inputs_pair_up(exact: bool) -> None:
    left, right = (EnginePlan([layer(name, "Fill", [], ["y"])]) for name in ("a", "b"))
    assert classic_pairs(left, right, exact=exact) == [(0, 0)]


def test_another_execution_order() -> None:
    branch, other = layer("p", "Pooling", ["x"], ["y"]), layer("c", "Convolution", ["x"], ["z"])
    left, right = EnginePlan([branch, other]), EnginePlan([{**other, "Name": "d"}, {**branch, "Name": "q"}])
    assert classic_pairs(left, right, exact=True) == [(0, 1), (1, 0)]


def test_different_models_have_every_layer_once() -> None:
    left, right = load(str(SIMULATED / "resnet18-int8")), load(str(SIMULATED / "transformer-fp16"))
    is_whole(left, right, classic_pairs(left, right, exact=True))


def test_dropped_layers_among_equal_ones() -> None:
    chance = random.Random(7)
    kinds = [chance.choice("abcdef") for _ in range(400)]
    kept = [place for place in range(400) if chance.random() < 0.9]
    left = EnginePlan([layer(f"l{place}", kind, [], ["y"]) for place, kind in enumerate(kinds)])
    right = EnginePlan([layer(f"r{place}", kinds[place], [], ["y"]) for place in kept])
    pairs = classic_pairs(left, right, exact=True)
    is_whole(left, right, pairs)
    found = {pair[0]: pair[1] for pair in pairs if None not in pair}
    assert len(found) == len(kept)
    assert sum(found.get(place) == at for at, place in enumerate(kept)) >= 0.9 * len(kept)


def test_the_quantized_mobilenets(shared_engines: Path) -> None:
    """The quantized MobileNets before and after their residual connections were quantized, too: every convolution
    meets that of its weights, and the fifteen conversions at the additions have no counterpart.

    Any rule that pairs equal types and shapes in order gives these pairs, as no such layers ever change places.
    """
    left, right = (load(shared_engines / f"trt8.4-mobilenetv2-{variant}") for variant in ("qat", "qat-residuals"))
    alone = (7, 11, 15, 19, 23, 27, 31, 35, 39, 43, 47, 51, 55, 59, 63)
    expected: list[Pair] = [(place, None) for place in alone]
    expected += zip((place for place in range(72) if place not in alone), range(57), strict=True)
    expected.sort(key=lambda pair: pair[0] or 0)
    for exact in (True, False):
        assert classic_pairs(left, right, exact=exact) == expected
    for mine, theirs in expected:
        if mine is not None and theirs is not None and left.layers[mine].type == "Convolution":
            assert left.layers[mine].name.split()[0] == right.layers[theirs].name.split()[0]
    assert {left.layers[place].type for place in alone} == {"Reformat"}


def test_weights_in_names_distinguish_layers() -> None:
    """As in quantized ResNets: the addition moves to another convolution, and numbers of nodes are no names."""

    def plan(*names: str) -> Plan:
        return EnginePlan([layer(name, "Convolution", [tensor("x")], [tensor("y")]) for name in names])

    left = plan("a.conv1.weight + Conv_3", "a.conv2.weight + Conv_7", "b.conv1.weight + Conv_11")
    right = plan("a.conv1.weight + Conv_5", "b.conv1.weight + Conv_23 + Relu_24")
    assert classic_pairs(left, right, exact=True) == [(0, 0), (1, None), (2, 1)]
