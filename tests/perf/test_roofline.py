"""Rooflines computed by hand on a device with round figures, each with its derivation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.factories import conv, engine, layer, noop, t, time
from tests.perf.round_device import round_device
from trex.core.layer import Role
from trex.core.metadata import Metadata
from trex.core.timings import LayerTimes
from trex.perf.achievable import Bound, achievable
from trex.perf.performance import Performance
from trex.perf.roofline import LAUNCH_MS, Roofline, roofline_of
from trex.perf.work.work import Work
from trex.plan.engine_plan import EnginePlan

HALF = "sm80_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x64x32_stage5_g1_tensor16x8x16"
HALF_SUMS = HALF.replace("f16f16_f16f32_f32", "f16f16_f16f16_f16")
SINGLE = "ampere_scudnn_128x64_relu_xregs_large_nn_v1"
WINOGRAD = "ampere_scudnn_winograd_128x128_ldg1_ldg4_relu_tile148t_nt_v1"
MIB = 1024 * 1024


def work(macs=0.0, other=0.0, read=0, written=0, weights=0, kind="convolution", confidence=1.0):
    return Work(kind, macs, other, read, written, weights, confidence)


def one(its_work, ms=None, tactic="", precision="FP16", device=None, role=Role.KERNEL, **raw) -> Roofline:
    """The roofline of an engine of one layer."""
    item = layer(
        "a", inputs=[t("x", None)], outputs=[t("y", None)], tactic=tactic, precision=precision, role=role, **raw
    )
    times = None if ms is None else LayerTimes((time("a", ms),))
    return roofline_of(EnginePlan(engine(item), times), [its_work], device or round_device())


def test_bound_by_the_matrix_units():
    # macs 5·10⁹ → 10¹⁰ operations at 10¹⁴ a second = 0.1 ms; 10 MB at 5·10¹¹ = 0.02 ms; 0.1 of 0.125 ms are 80 %.
    # Achievable are 0.1 / 0.8 = 0.125 ms: nothing to be saved. 10¹⁰ / 10⁷ = 1000 operations a byte; the ridge is at
    # 10¹⁴ / 5·10¹¹ = 200.
    result = one(work(5e9, 0, 6_000_000, 4_000_000, 6_000_000), 0.125, HALF)
    assert result.bounds[0].value == "tensor cores"
    assert result.attainable_ms[0] == pytest.approx(0.1)
    assert result.achieved_share[0] == pytest.approx(0.8)
    assert result.headroom_ms[0] == pytest.approx(0.0, abs=1e-9)
    assert (result.intensity[0], result.ridge[0]) == pytest.approx((1000, 200))
    assert result.achieved_tflops[0] == pytest.approx(80)  # 10¹⁰ / 0.125 ms
    assert result.achieved_gb_per_s[0] == pytest.approx(80)  # 10⁷ / 0.125 ms


def test_headroom_is_what_the_achievable_share_leaves():
    # The same layer in 0.3 ms: 0.3 − 0.125 = 0.175 ms.
    result = one(work(5e9, 0, 6_000_000, 4_000_000, 6_000_000), 0.3, HALF)
    assert result.headroom_ms[0] == pytest.approx(0.175)
    assert result.achieved_share[0] == pytest.approx(1 / 3)


def test_sums_in_half_precision_are_twice_as_fast():
    result = one(work(5e9, 0, 1000, 1000), 0.125, HALF_SUMS)
    assert result.multiply_ms[0] == pytest.approx(0.05)  # 10¹⁰ / 2·10¹⁴


def test_bytes_on_cuda_cores_take_four_products_at_a_time():
    # The rate is unknown: four times FP32's 10¹³, so 4·10⁹ operations take 0.1 ms.
    result = one(work(2e9, 0, 1000, 1000), 0.2, "ampere_int8x4_icudnn_int8x4_128x32_relu_interior_c32_nn_v1", "INT8")
    assert result.bounds[0].value == "CUDA cores"
    assert result.multiply_ms[0] == pytest.approx(0.1)


def test_cuda_cores_add_products_and_other_operations():
    # Products 10⁹ / 10¹³ = 0.1 ms, 2·10⁸ other operations / 10¹³ = 0.02 ms, one after the other.
    result = one(work(5e8, 2e8, 1000, 1000), 0.15, SINGLE, "FP32")
    assert result.bounds[0].value == "CUDA cores"
    assert result.attainable_ms[0] == pytest.approx(0.12)


def test_matrix_units_and_cuda_cores_work_in_parallel():
    # Products 10¹⁰ / 10¹⁴ = 0.1 ms; other operations 10⁹ / 2·10¹³ (FP16 on the CUDA cores) = 0.05 ms: hidden.
    assert one(work(5e9, 1e9, 1000, 1000), 0.2, HALF).attainable_ms[0] == pytest.approx(0.1)
    # 4·10⁹ of them take 0.2 ms: they are the bound.
    result = one(work(5e9, 4e9, 1000, 1000), 0.3, HALF)
    assert result.attainable_ms[0] == pytest.approx(0.2) and result.bounds[0].value == "CUDA cores"


def test_winograd_is_judged_with_the_products_it_does():
    # 16/36 of 10⁹ operations at 10¹³ a second = 0.0444 ms; a tile of 4 × 4, at least: 0.025 ms.
    result = one(work(5e8, 0, 1000, 1000), 0.05, WINOGRAD, "FP32", Kernel=[3, 3])
    assert result.multiply_ms[0] == pytest.approx(0.1 * 16 / 36)
    assert result.least_ms[0] == pytest.approx(0.025)
    assert result.operations[0] == pytest.approx(1e9 * 16 / 36)
    # In 0.03 ms it has reached what is attainable: it was not the tile that was assumed.
    result = one(work(5e8, 0, 1000, 1000), 0.03, WINOGRAD, "FP32", Kernel=[3, 3])
    assert result.achieved_share[0] == 1 and not result.impossible[0]


def test_bound_by_memory():
    # 10 MB read (8 of them weights) and 10 MB written at 5·10¹¹ = 0.04 ms; the L2 holds nothing.
    result = one(work(1e6, 0, 10_000_000, 10_000_000, 8_000_000), 0.05, HALF)
    assert result.bounds[0].value == "memory"
    assert result.attainable_ms[0] == pytest.approx(0.04)
    # The least: 10 MB − 4 MiB each way, at 5·10¹¹.
    assert result.least_ms[0] == pytest.approx(2 * (10_000_000 - 4 * MIB) / 500e9 * 1e3)


def test_faster_than_memory_alone_was_served_by_the_l2():
    result = one(work(1e6, 0, 10_000_000, 10_000_000, 8_000_000), 0.03, HALF)
    assert result.bounds[0].value == "L2"
    assert (result.achieved_share[0], result.headroom_ms[0]) == (1.0, 0.0)
    assert not result.notes


def test_faster_than_any_cache_is_a_contradiction():
    # The least is 0.0232 ms, and 0.0232 / 0.02 = 1.16.
    result = one(work(1e6, 0, 10_000_000, 10_000_000, 8_000_000), 0.02, HALF)
    assert result.impossible[0] and result.achieved_share[0] == pytest.approx(1.161, abs=0.001)
    assert result.headroom_ms[0] == 0
    (note,) = result.notes
    assert note.code == "faster-than-possible" and "1.16×" in note.message
    for cause in ("device", "clocks", "work", "L2"):
        assert cause in note.hint


def test_small_layers_are_bound_by_their_launch():
    result = one(work(1000, 0, 1000, 1000), 0.005, HALF)
    assert result.bounds[0].value == "launch"
    assert result.attainable_ms[0] == LAUNCH_MS
    assert result.achieved_share[0] == pytest.approx(0.4)
    assert result.headroom_ms[0] == pytest.approx(0.001)  # 5 µs − 2 µs / 0.5
    assert one(work(1000, 0, 1000, 1000), 0.0015, HALF).achieved_share[0] == 1  # quicker than the floor: reached


def test_what_the_producer_left_in_the_l2():
    # a writes 2 MB that b reads: nothing else lies between, 2 MB + 1 MB < 4 MiB, so only b's weights come from memory.
    # 0.5 MB / 5·10¹¹ = 1 µs from memory; 3.5 MB / 2·10¹² = 1.75 µs through the L2; both below the launch's 2 µs.
    x, y, z = (t(name, [1, 1, 1, 1_000_000]) for name in "xyz")
    plan = EnginePlan(engine(layer("a", inputs=[x], outputs=[y]), layer("b", inputs=[y], outputs=[z])))
    works = [work(0, 0, 2_000_000, 2_000_000), work(0, 0, 2_500_000, 1_000_000, 500_000)]
    result = roofline_of(plan, works, round_device())
    assert result.memory_bytes.tolist() == [2_000_000, 500_000]  # no layer wrote a's input
    assert result.l2_ms[1] == pytest.approx(0.00175)
    far = roofline_of(plan, works, round_device(l2_mib=0.25))
    assert far.memory_bytes.tolist() == [4_000_000, 3_500_000]
    unknown = roofline_of(plan, works, round_device(l2_mib=None))
    assert unknown.memory_bytes.tolist() == [4_000_000, 3_500_000]


def test_bound_by_the_l2():
    # 3.9 MB in and out of a slow L2 (100 GB/s): 0.039 ms; from memory only what was read first.
    x, y, z = (t(name, [1, 1, 1, 1_000_000]) for name in "xyz")
    plan = EnginePlan(engine(layer("a", inputs=[x], outputs=[y]), layer("b", inputs=[y], outputs=[z])))
    works = [work(0, 0, 2_000_000, 2_000_000), work(0, 0, 2_000_000, 1_900_000)]
    result = roofline_of(plan, works, round_device(l2_gb_per_s=100.0))
    assert result.bounds[1].value == "L2"
    assert result.attainable_ms[1] == pytest.approx(0.039)


def test_a_kernel_with_unknown_units():
    # FP32 without a tactic: TF32 on the tensor cores, 2·10⁹ operations / 5·10¹³ = 0.04 ms, and said to be assumed.
    result = one(work(1e9, 0, 1000, 1000), 0.1, "", "FP32")
    assert result.multiply_ms[0] == pytest.approx(0.04)
    assert result.confidence[0] == pytest.approx(0.8)
    assert result.bounds[0].value == "tensor cores"
    # FP16: sums of unknown type are FP32 for the attainable time, FP16 for the lower bound.
    result = one(work(5e9, 0, 1000, 1000), 0.2, "", "FP16")
    assert (result.attainable_ms[0], result.least_ms[0]) == pytest.approx((0.1, 0.05))


@pytest.mark.parametrize("its_work", [work(None), work(1e9, 0, None, 10), work(1e9, 0, 10, None)])
def test_unknown_work_has_no_bound(its_work):
    result = one(its_work, 0.1, HALF)
    assert result.bounds[0].value == "unknown"
    assert all(math.isnan(item[0]) for item in (result.attainable_ms, result.achieved_share, result.headroom_ms))
    assert result.time_ms[0] == 0.1 and not result.impossible[0]


def test_an_unknown_number_of_other_operations_leaves_the_roofline():
    result = one(work(5e9, None, 1000, 1000), 0.2, HALF)
    assert result.attainable_ms[0] == pytest.approx(0.1)
    assert math.isnan(result.achieved_tflops[0])


def test_an_unknown_type_has_no_bound_when_it_multiplies():
    assert one(work(5e9, 0, 10, 10), 0.1, "", "Unknown").bounds[0].value == "unknown"
    assert one(work(0, 0, 10, 10), 0.1, "", "Unknown").bounds[0].value == "launch"


@pytest.mark.parametrize("ms", [0.0, 0.0004, float("nan"), float("inf"), -1.0])
def test_unusable_times_have_no_shares(ms):
    result = one(work(5e9, 0, 1000, 1000), ms, HALF)
    assert math.isnan(result.achieved_share[0]) and math.isnan(result.headroom_ms[0])
    assert result.attainable_ms[0] == pytest.approx(0.1)
    codes = {note.code for note in result.notes}
    assert codes - {"faster-than-possible"} == ({"times-below-resolution"} if math.isfinite(ms) else set())
    # In other units, or a time that is none, since it takes 0.1 ms at least.
    assert ("faster-than-possible" in codes) == (ms in (0.0, 0.0004))


def test_without_times_the_attainable_is_still_known():
    result = one(work(5e9, 0, 1000, 1000), None, HALF)
    assert result.attainable_ms[0] == pytest.approx(0.1)
    assert math.isnan(result.achieved_share[0])


def test_without_a_device_only_relative_statements():
    item = layer("a", inputs=[t("x", None)], outputs=[t("y", None)], tactic=HALF)
    plan = EnginePlan(engine(item), LayerTimes((time("a", 0.1),)))
    result = roofline_of(plan, [work(5e9, 0, 5_000_000, 5_000_000)], None)
    assert result.bounds[0].value == "unknown"
    assert all(
        math.isnan(entry[0])
        for entry in (result.attainable_ms, result.achieved_share, result.headroom_ms, result.ridge)
    )
    assert result.intensity[0] == pytest.approx(1000)
    assert result.achieved_tflops[0] == pytest.approx(100) and result.achieved_gb_per_s[0] == pytest.approx(100)
    assert [note.code for note in result.notes] == ["no-device"]


def test_a_device_of_unknown_bandwidth():
    result = one(work(5e9, 0, 1000, 1000), 0.2, HALF, device=round_device(bandwidth_gb_per_s=None, l2_gb_per_s=None))
    assert result.bounds[0].value == "unknown" and not result.impossible[0]


def test_what_launches_no_kernel_has_no_roofline():
    shape = layer("s", "shape_call", [], [], role=Role.SHAPE)
    plan = EnginePlan(engine(shape, noop("n", "x", "y")), LayerTimes((time("s", 0.1), time("n", 0.1))))
    result = roofline_of(plan, [work(0, 0, 0, 0), work(0, 0, 0, 0)], round_device())
    assert {bound.value for bound in result.bounds} == {"unknown"}


def test_an_engine_without_layers():
    result = roofline_of(EnginePlan(engine()), [], round_device())
    assert len(result.attainable_ms) == 0 and result.notes == ()


def test_total_headroom_is_never_more_than_the_time():
    layers = [layer(f"l{i}", inputs=[t("x")], outputs=[t("y")], tactic=HALF) for i in range(50)]
    rng = np.random.default_rng(5)
    times = LayerTimes(tuple(time(f"l{i}", float(ms)) for i, ms in enumerate(10 ** rng.uniform(-4, 0, 50))))
    works = [work(10 ** rng.uniform(3, 9), 0, int(10 ** rng.uniform(3, 7)), 1000) for _ in layers]
    result = roofline_of(EnginePlan(engine(*layers), times), works, round_device())
    assert 0 < np.nansum(result.headroom_ms) <= np.nansum(result.time_ms)
    assert (np.nan_to_num(result.headroom_ms) <= np.nan_to_num(result.time_ms)).all()


def test_times_of_all_passes_of_a_loop_have_no_shares_of_the_work_of_one():
    jump = layer("j", "cjmp", inputs=["y"], outputs=[], role=Role.SHAPE)
    body = layer("a", inputs=[t("x", None)], outputs=[t("y", None)], tactic=HALF)
    plan = EnginePlan(engine(body, jump), LayerTimes((time("a", 3.0), time("j", 0.001))))
    result = roofline_of(plan, [work(5e9, 0, 6_000_000, 4_000_000), work()][: len(plan.working_layers)], round_device())
    assert result.attainable_ms[0] == pytest.approx(0.1)
    assert np.isnan([result.time_ms[0], result.achieved_share[0], result.headroom_ms[0]]).all()
    assert "work-of-one-pass" in [note.code for note in Performance(plan).notes]
    predicted = EnginePlan(plan.engine, plan.layer_times, metadata=Metadata(simulated=True))
    assert "time-of-control-flow" in [note.code for note in Performance(predicted).notes]


def test_the_amounts_are_those_of_the_works():
    # 2 · 5·10⁸ products and 2·10⁸ others in 0.15 ms: 1.2·10⁹ / 0.15 ms = 8·10¹² a second.
    result = one(work(5e8, 2e8, 3000, 1000), 0.15, SINGLE, "FP32")
    assert (result.macs[0], result.other_ops[0], result.bytes_moved[0]) == (5e8, 2e8, 4000)
    assert result.operations[0] == pytest.approx(1.2e9)
    assert result.achieved_tflops[0] == pytest.approx(8)
    assert result.rate[0] == 1e13 and result.other_ms[0] == pytest.approx(0.02)
    assert result.compute_ms[0] == pytest.approx(0.12) and result.memory_ms[0] == pytest.approx(
        result.memory_bytes[0] / 500e9 * 1e3
    )
    assert result.device == round_device() and len(result.arithmetic) == len(result.kernel_arithmetics) == 1
    assert result.arithmetic[0] is not None


def test_the_least_counts_other_operations_and_the_l2():
    # 4·10⁹ others / 2·10¹³ = 0.2 ms, more than the products of 10¹⁰ / 10¹⁴ = 0.1 ms.
    assert one(work(5e9, 4e9, 1000, 1000), 0.3, HALF).least_ms[0] == pytest.approx(0.2)
    # 2 MB through an L2 of 100 GB/s: 0.02 ms.
    slow = round_device(l2_gb_per_s=100.0)
    assert one(work(0, 0, 1_000_000, 1_000_000), 0.3, HALF, device=slow).least_ms[0] == pytest.approx(0.02)


def test_matrix_units_come_first_among_equals():
    # 10¹⁰ operations / 10¹⁴ = 0.1 ms = 2·10⁹ others / 2·10¹³.
    assert one(work(5e9, 2e9, 1000, 1000), 0.2, HALF).bounds[0].value == "tensor cores"


def test_a_layer_as_long_as_a_launch_is_bound_by_it():
    # 10⁸ products: 2·10⁸ / 10¹⁴ = 2 µs.
    assert one(work(1e8, 0, 10, 10), 0.005, HALF).bounds[0].value == "launch"


def test_a_time_at_the_resolution_has_shares():
    assert one(work(1000, 0, 10, 10), 0.0005, HALF).time_ms[0] == 0.0005


def test_what_is_achievable_depends_on_the_work():
    shares = {
        kind: one(work(5e9, 0, 10, 10, kind=kind), 0.2, HALF).achievable_share[0] for kind in ("convolution", "gemm")
    }
    assert shares == {kind: achievable(Bound.TENSOR_CORES, kind).share for kind in shares}


def test_nothing_moved_has_no_intensity():
    assert math.isnan(one(work(5e9, 0, 0, 0), 0.2, HALF).intensity[0])


def test_confidence_is_that_of_the_work_unless_its_units_are_assumed():
    assert one(work(5e9, 0, 10, 10, confidence=0.5), 0.2, HALF).confidence[0] == 0.5
    assert one(work(0, 5, 10, 10, confidence=0.5), 0.2, "", "FP32").confidence[0] == 0.5
    assert one(work(1e9, 0, 10, 10, confidence=0.5), 0.2, "", "FP32").confidence[0] == pytest.approx(0.4)


def test_notes_in_full():
    def said(ms, device):
        layers = [layer(f"l{i}", inputs=[t("x")], outputs=[t("y")], tactic=HALF) for i in range(len(ms))]
        times = LayerTimes(tuple(time(f"l{i}", value) for i, value in enumerate(ms)))
        notes = roofline_of(EnginePlan(engine(*layers), times), [work(5e9, 0, 10, 10)] * len(ms), device).notes
        return [(note.severity, note.message, note.hint) for note in notes]

    short = "took less than 0.5 µs, the resolution of the timer:"
    assert said([0.0, 0.2], round_device())[0] == ("info", f"1 layer of 2 {short} it has no shares", "")
    unknown = ("info", "unknown GPU: rates are known, shares of its peaks are not",
               "trex perf PATH --device NAME (trex devices lists them)")  # fmt: skip
    assert said([0.0, 0.0004], None) == [("info", f"2 layers of 2 {short} they have no shares", ""), unknown]
    hint = (
        "likely causes: another device (--device NAME), clocks above those assumed, work that the kernel skipped, data "
        "that stayed in the L2, or a run at smaller shapes"
    )
    limit = "faster than the device's limit, up to"
    assert said([0.05, 0.2], round_device()) == [
        ("warning", f"1 layer was {limit} 2.00×: l0 took 0.0500 ms, at least 0.1000 ms expected", hint)
    ]
    assert said([0.2, 0.05, 0.025], round_device()) == [
        ("warning", f"2 layers were {limit} 4.00×: l2 took 0.0250 ms, at least 0.1000 ms expected", hint)
    ]
    assert said([0.1 / 1.04], round_device()) == []


def test_times_of_other_shapes_have_no_shares():
    made = conv("a", [t("x", [None, 8, 4, 4])], [t("y", [None, 8, 4, 4])])
    metadata = Metadata(inference_options={"Input inference shapes": "x=32x8x4x4"})
    plan = EnginePlan(engine(made, inputs=["x"]), LayerTimes((time("a", 1.0),)), metadata=metadata)
    for batch, is_other in ((1, True), (32, False)):
        performance = Performance(plan.at_shapes({"x": (batch, 8, 4, 4)}), round_device())
        assert [note.code for note in performance.contradicted] == ["run-shape-differs"] * is_other
        assert np.isnan(performance.roofline.achieved_share).all() == is_other
        assert np.isnan(performance.headroom_ms).all() == is_other
