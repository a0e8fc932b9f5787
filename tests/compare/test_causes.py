"""The cause of each match; signs: negative is faster, a speed-up above 1 is faster."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.factories import chain, conv, engine, layer, t, time
from trex.compare.causes import ONE_SIDE_TIMED, Cause, Change, changes_of
from trex.compare.matching.align import align
from trex.compare.matching.match import Alignment, Match
from trex.core.layer import Layer, NameParts, Role
from trex.core.timings import LayerTimes
from trex.plan.engine_plan import EnginePlan


def plan(layers: Sequence[Layer], times: Sequence[float | None]) -> EnginePlan:
    """A profiled plan of these layers, in their order."""
    numbered = chain(*layers)
    records = tuple(
        replace(time(each.name, ms), occurrence=each.occurrence)
        for each, ms in zip(numbered, times, strict=True)
        if ms is not None
    )
    return EnginePlan(engine(*numbered), LayerTimes(records))


def change(left: Sequence[Layer], right: Sequence[Layer], before: Sequence[float], after: Sequence[float]) -> Change:
    """All layers of the left in one match with all of the right."""
    match = Match(tuple(range(len(left))), tuple(range(len(right))), "the test says so", 1.0)
    (found,) = changes_of(Alignment(plan(left, before), plan(right, after), (match,)))
    return found


def product(name: str = "a", type: str = "FP16", tactic: str = "k1", shape: int = 8, **more: object) -> Layer:
    made = conv(name, [t("x", [1, 8, 4, 4], type)], [t("y", [1, shape, 4, 4], type)])
    return replace(made, tactic=tactic, **more)


def copy(source: str = "FP32", target: str = "FP16") -> Layer:
    return layer("r", "Reformat", [t("x", [1, 8, 4, 4], source)], [t("x2", [1, 8, 4, 4], target)])


def named(name: str, *operations: str, tactic: str = "k") -> Layer:
    return replace(product(name, tactic=tactic), name_parts=NameParts(operations), origins=operations)


@pytest.mark.parametrize(
    "cause, left, right",
    [
        (Cause.SAME_KERNEL, [product()], [product()]),
        (Cause.TACTIC, [product()], [product(tactic="k2")]),
        (Cause.PRECISION, [product(type="FP32")], [product(type="FP16", tactic="k2")]),
        (Cause.SHAPES, [product()], [product(shape=16)]),
        (Cause.REFORMATS, [product()], [product(), copy()]),
        (Cause.REFORMATS, [product(), copy()], [product()]),
        (Cause.FUSION, [product("a"), product("b")], [product("a")]),
        (Cause.FUSION, [product("a")], [product("a"), product("b")]),
        (Cause.ATTENTION, [product("a"), product("b")], [layer("mha", "mha")]),
        (Cause.ATTENTION, [layer("mha", "mha")], [product("a"), product("b")]),
        (Cause.PRECISION, [copy("FP32", "FP16")], [copy("FP32", "INT8")]),
        (Cause.UNEXPLAINED, [product(tactic="")], [product(tactic="k2")]),
    ],
)
def test_causes_by_hand(cause, left, right):
    found = change(left, right, [1.0] * len(left), [2.0] * len(right))
    assert found.cause is cause
    assert found.words


def test_a_layer_that_writes_another_type_changed_its_precision():
    quantized = product(type="INT8")
    floats = replace(quantized, outputs=(t("y", [1, 8, 4, 4], "FP32"),), tactic="k2")
    found = change([floats], [quantized], [2.0], [1.0])
    assert (found.cause, found.words) == (Cause.PRECISION, "INT8 to FP32 → INT8")


def test_a_generated_kernel_for_other_types_of_tensors_changed_its_precision():
    def kernel(hash: str, *outputs: str) -> Layer:
        made = layer("k", "kgen", [t("x")], [t(f"y{type}", type=type) for type in outputs])
        return replace(made, tactic=f"__myl_MulRoun_0x{hash}")

    found = change([kernel("abcd", "INT8", "FP16")], [kernel("ef01", "INT8")], [1.0], [0.5])
    assert (found.cause, found.words) == (Cause.PRECISION, "reads FP16, writes INT8, FP16 → reads FP16, writes INT8")
    assert change([kernel("abcd", "INT8")], [kernel("ef01", "INT8")], [1.0], [0.5]).cause is Cause.TACTIC


def test_signs():
    faster = change([product()], [product()], [2.0], [0.5])
    assert (faster.difference_ms, faster.speedup) == (-1.5, 4.0)
    slower = change([product()], [product()], [0.5], [2.0])
    assert (slower.difference_ms, slower.speedup) == (1.5, 0.25)


def test_fusion_is_gained_with_fewer_kernels_and_lost_with_more():
    assert change([product("a"), product("b")], [product("a")], [1, 1], [1]).words.startswith("fusion gained")
    assert change([product("a")], [product("a"), product("b")], [1], [1, 1]).words.startswith("fusion lost")


@pytest.mark.parametrize("swap", [False, True])
def test_a_change_of_type_comes_before_the_fusion_that_follows_from_it(swap):
    """What TensorRT fuses depends on the type: FP32 → INT8 is why an add has a kernel of its own, not the reverse."""

    def sides(left: list[Layer], right: list[Layer]) -> Change:
        one, other = (right, left) if swap else (left, right)
        return change(one, other, [1.0] * len(one), [1.0] * len(other))

    add = layer("add", "PointWise", [t("x", type="FP16")], [t("y", type="FP16")])
    found = sides([product(type="FP32")], [product(type="INT8"), add])
    assert found.cause is Cause.PRECISION
    assert found.words.startswith("INT8 → FP32, fusion" if swap else "FP32 → INT8, fusion lost: 1 → 2 kernels")
    assert sides([product(type="INT8")], [product(type="INT8"), add]).cause is Cause.FUSION


def test_views_hide_no_change_of_type():
    """A Shuffle beside the product computes in the type of neither."""
    view = layer("view", "Shuffle", [t("x", type="FP32")], [t("y", type="FP32")])
    found = change([product(type="FP32")], [product(type="FP16"), view], [1.0], [0.5, 0.1])
    assert found.cause is Cause.PRECISION and found.words.startswith("FP32 → FP16, fusion lost")
    assert change([product()], [product(), view], [1.0], [1.0, 0.1]).cause is Cause.FUSION, "it is a kernel, too"


def test_the_maximum_and_minimum_of_a_generated_kernel_are_a_clip():
    """ReLU6: fused with the convolution by one release, a kernel ``__myl_MaxMin`` of its own by the other."""
    fused = [
        replace(
            product(f"/c{at}/Conv + /c{at}/Clip"), name_parts=NameParts((f"/c{at}/Conv", f"/c{at}/Clip"), "vertical")
        )
        for at in range(2)
    ]
    apart = []
    for at in range(2):
        generated = layer(f"__myl_MaxMin_myl0_{at}", "kgen", [t("x")], [t("y")])
        parts = NameParts((), fusion="myelin", tokens=("Max", "Min"))
        apart += [replace(product(f"/c{at}/Conv"), name_parts=NameParts((f"/c{at}/Conv",), "none"))]
        apart += [replace(generated, name_parts=parts)]

    def wired(layers: list[Layer]) -> list[Layer]:
        return [
            replace(
                each,
                inputs=(replace(each.inputs[0], name=f"t{at}"),),
                outputs=(replace(each.outputs[0], name=f"t{at + 1}"),),
            )
            for at, each in enumerate(layers)
        ]

    found = changes_of(align(plan(wired(fused), [0.1] * 2), plan(wired(apart), [0.06] * 4)))
    assert [(len(each.match.left), len(each.match.right), each.cause) for each in found] == [(1, 2, Cause.FUSION)] * 2


@pytest.mark.parametrize("ms", [None, math.nan, math.inf, -1.0])
def test_unknown_times_are_unexplained(ms):
    left, right = plan([product()], [1.0]), plan([product()], [1.0])
    record = None if ms is None else time("a", ms)
    right.times = (record,)
    (found,) = changes_of(Alignment(left, right, (Match((0,), (0,), "", 1.0),)))
    assert (found.cause, found.is_known, found.speedup) == (Cause.UNEXPLAINED, False, None)


def test_zero_times_have_no_speed_up():
    found = change([product()], [product()], [0.0], [1.0])
    assert (found.speedup, found.difference_ms, found.cause) == (None, 1.0, Cause.SAME_KERNEL)


def test_unmatched_layers():
    left = plan([product("a"), copy()], [1.0, 0.25])
    right = plan([product("b")], [2.0])
    matches = (
        Match((0,), (), "only on the left", 1.0),
        Match((), (0,), "only on the right", 1.0),
        Match((1,), (), "only on the left", 1.0),
    )
    found = changes_of(Alignment(left, right, matches))
    assert [each.cause for each in found] == [Cause.LAYERS, Cause.LAYERS, Cause.REFORMATS]
    assert [each.difference_ms for each in found] == [-1.0, 2.0, -0.25]
    assert [each.words for each in found] == ["layer removed", "layer added", "reformat removed"]


@pytest.mark.parametrize("other", [None, 0.0])
def test_a_layer_without_work_that_one_side_timed_is_no_added_layer(other):
    """Both graphs have it; without a time, or with none, it is no row of the other side."""
    dummy = layer("dummy", "shape_call", [], [], role=Role.SHAPE)
    timed = plan([product(), dummy], [1.0, 0.002])
    untimed = EnginePlan(timed.engine) if other is None else plan([product(), dummy], [1.0, other])
    for sides in ((timed, untimed), (untimed, timed)):
        found = [each for each in changes_of(align(*sides)) if not each.match.is_matched]
        assert [(each.cause, each.words) for each in found] == [(Cause.UNEXPLAINED, ONE_SIDE_TIMED)]
        assert found[0].is_known is (other is not None)


def test_an_absorbed_layer_is_a_fusion():
    relu = layer("relu", "PointWise", ["y"], ["z"])
    relu = replace(relu, name_parts=NameParts(("Relu_2",)), origins=("Relu_2",))
    left = plan([named("conv", "Conv_1"), relu], [1.0, 0.5])
    right = plan([named("conv + relu", "Conv_1", "Relu_7")], [1.1])
    found = changes_of(Alignment(left, right, (Match((0,), (0,), "", 1.0), Match((1,), (), "only on the left", 1.0))))
    assert [each.cause for each in found] == [Cause.FUSION, Cause.FUSION]
    assert math.fsum(each.difference_ms for each in found) == pytest.approx(-0.4)


def test_names_of_one_engine_alone_prove_no_fusion():
    left = plan([named("conv + relu", "Conv_1", "Relu_2")], [1.0])
    right = plan([named("conv", "Conv_1")], [1.0])
    (found,) = changes_of(Alignment(left, right, (Match((0,), (0,), "", 1.0),)))
    assert found.cause is Cause.SAME_KERNEL


def test_equal_kernel_labels_are_spelled_out():
    one = "sm80_xmma_fprop_implicit_gemm_f16f16_f16f16_f16_nhwckrsc_nhwc_tilesize128x32x16_stage1_warpsize4x1x1_g1"
    found = change([product(tactic=one)], [product(tactic=one + "_strided")], [1.0], [1.0])
    assert found.cause is Cause.TACTIC
    before, after = found.words.split(" → ")
    assert before != after


def test_long_names_show_their_differing_parts():
    found = change([product(tactic="a_b_i8f16_c_d")], [product(tactic="a_b_i8i8_c_d")], [1.0], [1.0])
    assert found.words == "a_b_i8f16_c_d → a_b_i8i8_c_d"
    long = "x" * 80
    found = change([product(tactic=f"{long}_i8f16_d")], [product(tactic=f"{long}_i8i8_d")], [1.0], [1.0])
    assert found.words == "…i8f16… → …i8i8…"


def test_numbers_of_unnamed_layers_are_ignored():
    names = "(Unnamed Layer* {}) [Convolution]", "(Unnamed Layer* {}) [Activation]"
    left, right = ([named("a", *(name.format(at) for name in names)) for at in (first,)] for first in (3, 11))
    assert change(left, right, [1.0], [0.9]).cause is Cause.SAME_KERNEL


def test_changes_without_times():
    match = Match((0,), (0,), "", 1.0)
    (found,) = changes_of(Alignment(plan([product()], [None]), plan([product(tactic="k2")], [1.0]), (match,)))
    assert (found.cause, found.is_known) == (Cause.UNEXPLAINED, False)
    assert "k1 → k2" in found.words and not found.is_unchanged
    (found,) = changes_of(Alignment(plan([product()], [None]), plan([product()], [1.0]), (match,)))
    assert found.is_unchanged
