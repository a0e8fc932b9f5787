"""Normalizations in parts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.factories import conv, layer, t
from tests.rules.judged import findings, judged, unanswered
from trex.core.layer import NameParts
from trex.engine_plan import load
from trex.perf.performance import Performance
from trex.rules.analyzed_engine import Inspected

RULE = "unfused-layer-norm"


def kernel(name, inputs, output, *origins):
    return layer(name, "kgen", inputs, [output], origins=origins)


def in_two():
    return (
        kernel("mean", ["x"], "d", "/norm/ReduceMean", "/norm/Sub"),
        kernel("rest", ["d"], "y", "/norm/Pow", "/norm/ReduceMean_1", "/norm/Add", "/norm/Sqrt", "/norm/Div"),
    )


def test_two_kernels():
    (found,) = findings(RULE, judged(*in_two(), ms=[0.1, 0.3]))
    assert found.layers == (0, 1) and found.at_stake == {0: pytest.approx(0.1)}
    assert "opset_version=17" in found.advice[0]


def test_layers_of_their_own():
    names = [
        ("ReduceMean_1", "Reduce", ["x"], "m"),
        ("Sub_2", "ElementWise", ["x", "m"], "d"),
        ("PWN(Pow_3)", "PointWise", ["d"], "q"),
        ("ReduceMean_4", "Reduce", ["q"], "v"),
        ("PWN(Add_5, Sqrt_6)", "PointWise", ["v"], "r"),
        ("Div_7", "ElementWise", ["d", "r"], "y"),
    ]
    layers = [
        replace(layer(name, type, inputs, [output]), name_parts=NameParts(parts))
        for (name, type, inputs, output), parts in zip(
            names,
            [("ReduceMean_1",), ("Sub_2",), ("Pow_3",), ("ReduceMean_4",), ("Add_5", "Sqrt_6"), ("Div_7",)],
            strict=True,
        )
    ]
    (found,) = findings(RULE, judged(*layers, ms=[0.1, 0.1, 0.1, 0.1, 0.1, 0.3]))
    assert found.layers == (0, 1, 2, 3, 4, 5) and found.at_stake_ms == pytest.approx(0.5)


def test_tokens_alone():
    made = layer("a", "kgen", ["x"], ["d"]), layer("b", "kgen", ["d"], ["y"])
    seen = judged(*made, ms=[0.1, 0.3], tokens={"a": ("Mean", "Sub"), "b": ("Mul", "Mean", "Sqrt", "Div")})
    assert len(findings(RULE, seen)) == 1


def test_one_kernel_and_a_global_average_are_fine():
    assert not findings(RULE, Inspected(Performance(load("example:transformer-fp16"))))
    pooled = layer("gap", "Reduce", ["x"], ["p"], origins=("/ReduceMean",)), conv("fc", [t("p")], ["y"])
    assert not findings(RULE, judged(*pooled, ms=[0.1, 0.1]))


def test_regions_cannot_be_told():
    region = layer("{ForeignNode[a...b]}", "Myelin", origins=("/norm/ReduceMean",))
    assert unanswered(RULE, judged(region))[0].layers == (0,)


def test_without_a_profile():
    (found,) = findings(RULE, judged(*in_two()))
    assert not found.at_stake and not found.formula
