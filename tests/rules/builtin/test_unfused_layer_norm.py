"""Normalizations in parts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.factories import conv, layer, t
from tests.rules.cases import analyzed, findings, on_round_device, unchecked
from tests.rules.planting import Parts, like, pair
from tests.simulated_examples import SIMULATED
from trex.core.layer import NameParts
from trex.core.tensor import Tensor
from trex.engine_plan import load
from trex.perf.performance import Performance
from trex.rules.analyzed_engine import AnalyzedEngine

RULE = "unfused-layer-norm"


def kernel(name, inputs, output, *origins):
    return layer(name, "kgen", inputs, [output], origins=origins)


def in_two():
    return (
        kernel("mean", ["x"], "d", "/norm/ReduceMean", "/norm/Sub"),
        kernel("rest", ["d"], "y", "/norm/Pow", "/norm/ReduceMean_1", "/norm/Add", "/norm/Sqrt", "/norm/Div"),
    )


def test_two_kernels():
    (found,) = findings(RULE, on_round_device(*in_two(), ms=[0.1, 0.3]))
    assert found.layers == (0, 1) and found.savings == {0: pytest.approx(0.1)}
    assert "opset_version=17" in found.fix[0]


def test_parts_with_a_neighbors_work_are_less_certain():
    """As in a GELU that computes the mean too: one kernel for the normalization would take it out of that one."""
    tokens = {"mean": ("Erf", "Mul", "Mean"), "rest": ("Add", "Sqrt", "Div")}
    layers = [replace(item, origins=()) for item in in_two()]
    (found,) = findings(RULE, analyzed(*layers, ms=[0.1, 0.3], tokens=tokens))
    (plain,) = findings(RULE, analyzed(*layers, ms=[0.1, 0.3], tokens={**tokens, "mean": ("Mul", "Mean")}))
    assert found.confidence == 0.3 < plain.confidence


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
    (found,) = findings(RULE, on_round_device(*layers, ms=[0.1, 0.1, 0.1, 0.1, 0.1, 0.3]))
    assert found.layers == (0, 1, 2, 3, 4, 5) and sum(found.savings.values()) == pytest.approx(0.5)


def test_two_means_of_one_root_are_one_normalization():
    """The variance as the mean of the squares less the square of the mean."""
    means = (
        kernel("mean", ["x"], "m", "/norm/ReduceMean"),
        kernel("mean2", ["x"], "q", "/norm/Pow", "/norm/ReduceMean_1"),
    )
    rest = kernel("rest", ["m", "q"], "y", "/norm/Sub", "/norm/Sqrt", "/norm/Div")
    (found,) = findings(RULE, on_round_device(*means, rest, ms=[0.1, 0.1, 0.3]))
    assert found.layers == (0, 1, 2)


def test_tokens_alone():
    made = layer("a", "kgen", ["x"], ["d"]), layer("b", "kgen", ["d"], ["y"])
    engine = on_round_device(*made, ms=[0.1, 0.3], tokens={"a": ("Mean", "Sub"), "b": ("Mul", "Mean", "Sqrt", "Div")})
    assert len(findings(RULE, engine)) == 1


def test_one_kernel_and_a_global_average_are_fine():
    assert not findings(RULE, AnalyzedEngine(Performance(load(str(SIMULATED / "transformer-fp16")))))
    pooled = layer("gap", "Reduce", ["x"], ["p"], origins=("/ReduceMean",)), conv("fc", [t("p")], ["y"])
    assert not findings(RULE, on_round_device(*pooled, ms=[0.1, 0.1]))


def test_regions_are_unchecked():
    region = layer("{ForeignNode[a...b]}", "Myelin", origins=("/norm/ReduceMean",))
    assert unchecked(RULE, on_round_device(region))[0].layers == (0,)


def test_without_a_profile():
    (found,) = findings(RULE, on_round_device(*in_two()))
    assert not found.savings and not found.formula


def test_a_normalization_that_is_one_operator_in_the_model_is_the_builders_choice():
    whole = "/norm/LayerNormalization"
    halves = (kernel("MeanSub", ["x"], "d", whole), kernel("SqrtDiv", ["d"], "y", whole))
    tokens = {"MeanSub": ("Mean", "Sub", "Mul", "Mean"), "SqrtDiv": ("Add", "Sqrt", "Div", "Mul")}
    assert not findings(RULE, analyzed(*halves, tokens=tokens))
    parts = [replace(half, origins=("/norm/Parts",)) for half in halves]
    assert findings(RULE, analyzed(*parts, tokens=tokens))


# ---- The defect that tests plant into engines, and its sound twin


def norm(x: Tensor, bad: bool) -> Parts:
    all_origins = ("ReduceMean", "Sub", "Pow", "ReduceMean_1", "Add", "Sqrt", "Div")
    origins = [f"/norm901/{name}" for name in all_origins]
    if not bad:
        return [(layer("norm901", "kgen", [x], [like(x, "n901")], origins=origins), 0.05)]
    return [
        (layer("mean901", "kgen", [x], [like(x, "d901")], origins=origins[:2]), 0.05),
        (layer("rest902", "kgen", [like(x, "d901")], [like(x, "n902")], origins=origins[2:]), 0.05),
    ]


PLANTER = pair(norm)
