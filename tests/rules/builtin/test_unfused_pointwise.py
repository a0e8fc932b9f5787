"""Chains of pointwise kernels."""

from __future__ import annotations

import pytest

from tests.factories import conv, layer, t
from tests.rules.cases import findings, on_round_device
from tests.rules.planting import Parts, like, pair
from trex.core.tensor import Tensor

RULE = "unfused-pointwise"


def pointwise(name, source, output, type="PointWise", **more):
    return layer(name, type, [source] if isinstance(source, str) else source, [output], **more)


def test_a_chain():
    # 0.3 + 0.5 + 0.1 ms; one pass takes as long as the longest, so that 0.4 ms are at stake: those of the others.
    chain = pointwise("a", "x", "b"), pointwise("c", "b", "d", "ElementWise"), pointwise("e", "d", "y", "Scale")
    (found,) = findings(RULE, on_round_device(*chain, ms=[0.3, 0.5, 0.1]))
    assert found.layers == (0, 1, 2) and found.savings == {0: pytest.approx(0.3), 2: pytest.approx(0.1)}
    assert "fold the Scale" in found.fix[0]


def test_types_and_layouts_that_keep_them_apart_are_named():
    chain = pointwise("a", "x", t("b")), pointwise("c", [t("b")], t("y", type="FP32"))
    (found,) = findings(RULE, on_round_device(*chain, ms=[0.3, 0.5]))
    assert "FP16 NCHW and FP32 NCHW" in found.fix[0]


def test_generated_kernels():
    chain = pointwise("a", "x", "b", "kgen"), pointwise("c", "b", "y", "kgen")
    kinds = {"a": ("Add", "Mul"), "c": ("Erf", "Cast")}
    assert len(findings(RULE, on_round_device(*chain, ms=[0.3, 0.5], tokens=kinds))) == 1
    assert not findings(RULE, on_round_device(*chain, ms=[0.3, 0.5], tokens=kinds | {"c": ("Mean", "Sub")}))


def test_a_result_that_others_read_too():
    others = pointwise("a", "x", "b"), pointwise("c", "b", "d"), conv("e", ["b"], ["y"])
    assert not findings(RULE, on_round_device(*others, ms=[0.3, 0.5, 1.0]))
    assert not findings(RULE, on_round_device(*others[:2], ms=[0.3, 0.5], outputs=("b", "d")))


def test_other_layers_other_shapes_other_streams():
    assert not findings(RULE, on_round_device(pointwise("a", "x", "b"), conv("c", ["b"], ["y"]), ms=[0.3, 0.5]))
    wide = pointwise("a", "x", t("b", [1, 8, 1, 1])), pointwise("c", [t("b", [1, 8, 1, 1])], "y")
    assert not findings(RULE, on_round_device(*wide, ms=[0.3, 0.5]))
    apart = pointwise("a", "x", "b", stream=0), pointwise("c", "b", "y", stream=1)
    assert not findings(RULE, on_round_device(*apart, ms=[0.3, 0.5]))


def test_little_time_is_left_alone():
    chain = pointwise("a", "x", "b"), pointwise("c", "b", "d"), conv("e", ["d"], ["y"])
    assert not findings(RULE, on_round_device(*chain, ms=[0.001, 0.001, 10.0]))


def test_many_rows_that_are_little_each_are_one_finding():
    # 20 rows of 2 · 0.01 ms beside 4 ms: 0.01 ms each are 0.23 % of 4.4 ms, together 4.5 %.
    rows = []
    for row in range(20):
        rows += [
            pointwise(f"a{row}", f"x{row}", f"b{row}"),
            pointwise(f"c{row}", f"b{row}", f"d{row}"),
            conv(f"e{row}", [f"d{row}"], [f"x{row + 1}"]),
        ]
    (found,) = findings(RULE, on_round_device(*rows, ms=[0.01, 0.01, 0.2] * 20))
    assert "20 short chains" in found.message and sum(found.savings.values()) == pytest.approx(0.2)


def test_without_a_profile_and_with_unknown_shapes():
    chain = pointwise("a", "x", "b"), pointwise("c", "b", "y")
    (found,) = findings(RULE, on_round_device(*chain))
    assert not found.savings and not found.formula
    unknown = pointwise("a", "x", t("b", None)), pointwise("c", [t("b", None)], t("y", None))
    assert not findings(RULE, on_round_device(*unknown))


def test_a_cycle_ends():
    ring = pointwise("a", "z", "b"), pointwise("c", "b", "z")
    (found,) = findings(RULE, on_round_device(*ring, ms=[0.3, 0.5]))
    assert found.layers == (0, 1)  # what a reads is not yet written: the chain begins there


# ---- The defect that tests plant into engines, and its sound twin


def planted_pointwise(x: Tensor, bad: bool) -> Parts:
    second = layer("Mul_902", "PointWise" if bad else "SoftMax", [like(x, "b901")], [like(x, "c902")])
    return [(layer("Add_901", "PointWise", [x], [like(x, "b901")]), 0.06), (second, 0.06)]


PLANTER = pair(planted_pointwise)
