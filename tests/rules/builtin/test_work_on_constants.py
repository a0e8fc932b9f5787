"""Work on constants at run time: weights that are quantized, normalized or transposed at every inference."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.factories import layer, stored, t
from tests.rules.cases import Subject, analyzed, conv, finding, findings, named, only_unchecked, plan_of, reports, work
from tests.rules.planting import Parts, like, pair
from trex.core.layer import Layer, Role
from trex.core.tensor import ShapeRange, Tensor
from trex.rules.analyzed_engine import AnalyzedEngine

RULE = "work-on-constants"
FILTER = (64, 64, 3, 3)
ROUNDING = ("Roun", "Max", "Min", "Mul")


def fake_quantization(name: str, written: str, **keys: object) -> Layer:
    """A generated kernel that reads only stored weights, as TensorRT for RTX builds it."""
    return layer(
        name, "kgen", [], [t(written, FILTER)], weights=[stored("weights", "FP16", 36_864)], origins=("/Round_1",),
        **keys,
    )  # fmt: skip


def engine_of(*layers: Layer, tokens: tuple[str, ...] = ROUNDING, **keys: object) -> AnalyzedEngine:
    return analyzed(*layers, tokens={"__myl_a": tokens, "__myl_b": tokens}, **keys)


def test_weights_that_are_quantized_at_every_inference() -> None:
    # 0.2 + 0.17 of 1.0 ms are spent on what never changes.
    engine = engine_of(
        fake_quantization("__myl_a", "v"),
        conv("Conv_1", [t("x"), t("v", FILTER)], t("a")),
        fake_quantization("__myl_b", "w"),
        conv("Conv_2", [t("a"), t("w", FILTER)], t("y")),
        ms=[0.2, 0.3, 0.17, 0.33],
    )
    report = finding(RULE, engine)
    assert report.savings == {0: pytest.approx(0.2), 2: pytest.approx(0.17)} and report.main_layers == (0, 2)
    assert report.message == (
        "2 kernels compute on constants only, with the same result at every inference: 0.37 ms (37.0 % of time), "
        "for Conv_1 and Conv_2"
    )
    assert "quantize the input" in report.fix[0] and "--refit" in report.fix[-1]
    assert {item.what: item.value for item in report.evidence}["bytes that they write"] == 2 * 2 * 36_864


def test_a_chain_from_stored_data_counts_as_a_whole() -> None:
    engine = analyzed(
        layer("stored", "Constant", [], [t("c", FILTER)], role=Role.CONSTANT),
        work("Cast_1", "Reformat", [t("c", FILTER)], t("d", FILTER)),
        layer("view", "NoOp", [t("d", FILTER)], [t("e", FILTER)], role=Role.NOOP),
        work("Transpose_2", "Shuffle", [t("e", FILTER)], t("f", FILTER)),
        conv("Conv_3", [t("x"), t("f", FILTER)], t("y")),
        ms=[0.1, 0.1, 0.1, 0.1, 0.1],
    )
    assert [engine.layers[engine.position_of[index]].name for index in finding(RULE, engine).main_layers] == [
        "Cast_1",
        "Transpose_2",
    ]


def test_without_times_there_are_no_savings_and_small_shares_are_left_alone() -> None:
    layers = fake_quantization("__myl_a", "v"), conv("Conv_1", [t("x"), t("v", FILTER)], t("y"))
    report = finding(RULE, engine_of(*layers))
    assert report.savings == {} and report.formula == ""
    assert reports(RULE, engine_of(*layers, ms=[0.001, 1.0])) == []


def test_what_an_input_reaches_is_sound() -> None:
    assert reports(RULE, analyzed(work("Mul_1", "PointWise", [t("x"), t("c")], t("y")))) == []
    unnamed = layer("stored", "Constant", [], [t("")], role=Role.CONSTANT)
    assert reports(RULE, analyzed(unnamed, work("Mul_1", "PointWise", [t("")], t("y")))) == []
    not_recorded = work("Cast_1", "Reformat", [t("from nowhere")], t("a"))
    assert reports(RULE, analyzed(not_recorded, conv("Conv_2", [t("x"), t("a")], t("y")))) == []


@pytest.mark.parametrize("tokens", [("Move",), ("Fill",), ("Rand", "Cast")])
def test_fills_copies_and_random_numbers_are_sound(tokens: tuple[str, ...]) -> None:
    layers = replace(fake_quantization("__myl_a", "v"), origins=()), conv("Conv_1", [t("x"), t("v", FILTER)], t("y"))
    assert reports(RULE, engine_of(*layers, tokens=tokens)) == []


def test_plugins_host_work_and_what_reads_them_are_sound() -> None:
    plugin = named(layer("anchors", "PluginV2", [], [t("a")]), "anchors")
    call = layer("shape call", "shape_call", [], [t("b")], role=Role.SHAPE)
    assert reports(RULE, analyzed(plugin, call, work("Add_1", "PointWise", [t("a"), t("b")], t("y")))) == []


def test_what_depends_on_a_shape_is_sound_in_an_engine_of_dynamic_shapes() -> None:
    layers = fake_quantization("__myl_a", "v"), conv("Conv_1", [t("x"), t("v", FILTER)], t("y"))
    ranges = ShapeRange((1, 8, 4, 4), (2, 8, 4, 4), (8, 8, 4, 4))

    def dynamic(tokens: tuple[str, ...]) -> Subject:
        plan = engine_of(*layers, tokens=tokens).plan
        bindings = tuple(replace(item, profiles=(ranges,)) if item.is_input else item for item in plan.engine.bindings)
        plan.engine = replace(plan.engine, bindings=bindings)
        return plan

    assert len(findings(RULE, dynamic(ROUNDING))) == 1
    assert findings(RULE, dynamic(("Repl", "Mul"))) == []


def test_names_alone_are_unchecked() -> None:
    answer = only_unchecked(RULE, plan_of([{"Name": "/a/Conv"}, {"Name": "/b/QuantizeLinear"}]))
    assert "tensors are unknown" in answer.reason and "detailed" in answer.hint


def test_an_engine_whose_layers_all_read_nothing_is_unchecked() -> None:
    engine = engine_of(fake_quantization("__myl_a", "v"), fake_quantization("__myl_b", "w"), ms=[1.0, 1.0])
    assert "incomplete" in only_unchecked(RULE, engine).reason


# ---- The defect that tests plant into engines, and its sound twin


def planted(x: Tensor, bad: bool) -> Parts:
    weights = fake_quantization("__myl_901", "w901")
    if not bad:
        weights = replace(weights, inputs=(x,))
    after = conv("Conv_902", [x, t("w901", FILTER)], like(x, "e902"))
    return [(weights, 0.05), (after, 0.05)]


PLANTER = pair(planted)
