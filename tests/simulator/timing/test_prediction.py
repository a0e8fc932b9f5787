"""Times of layers and of all of them."""

from __future__ import annotations

import math

import pytest

from tests.factories import chain, layer, noop, t
from tests.simulator.timing.round_device import a_device, convolution, copy, prior_values
from tests.synthetic import CASES
from trex.core.errors import TrexError
from trex.engine_plan import load
from trex.perf.known_devices import find_device, known_devices
from trex.simulator.timing.constants import Constants, fitted
from trex.simulator.timing.intervals import OTHER, SAME_ARCHITECTURE, SAME_GPU, UNJUDGED
from trex.simulator.timing.prediction import (
    GRAPH_BASE_MS,
    GRAPH_EACH_MS,
    LAUNCH_ON_HOST_MS,
    LEAST_MS,
    POWER_CAPPED,
    compute_ms,
    inference_of,
    predict,
    without_profiler,
)

LAYERS = chain(copy("in", (32, 3, 224, 224)), convolution("a"), noop("v", "a.y", "v"), convolution("b", out=256))


def test_each_layer_has_a_time():
    result = predict(LAYERS, a_device())
    assert len(result.layers) == 4 and result.kernel_count == 3
    assert result.layers[2].ms == 0
    assert result.total_ms == pytest.approx(sum(item.ms for item in result.layers))
    assert result.distance == SAME_ARCHITECTURE and not result.notes


def test_it_is_the_same_on_every_run():
    assert predict(LAYERS, a_device()).layers == predict(LAYERS, a_device()).layers


def test_the_interval_of_a_part_held_back_by_its_power_is_wider_and_says_so():
    free, held = predict(LAYERS, a_device()), predict(LAYERS, a_device(power_note="held to 70 W"))
    assert held.total_ms == free.total_ms
    assert inference_of(held).high_ms == pytest.approx(POWER_CAPPED * inference_of(free).high_ms)
    assert [note.code for note in held.notes] == ["time-at-full-clock"]
    measured = predict(LAYERS, find_device("NVIDIA A100 80GB PCIe"))
    assert measured.distance == SAME_GPU and not measured.notes


def test_a_part_held_near_its_base_clock_multiplies_at_that_clock():
    free = predict(LAYERS, a_device())
    held = predict(LAYERS, a_device(power_note="held to 70 W", base_clock_ghz=a_device().clock_ghz / 3))
    assert held.layers[1].demand.compute_ms > 2 * free.layers[1].demand.compute_ms
    assert [layer.demand.far_ms for layer in held.layers] == [layer.demand.far_ms for layer in free.layers]
    assert [note.code for note in held.notes] == ["time-at-held-clock"]
    assert inference_of(held).high_ms / inference_of(held).compute_ms == pytest.approx(
        inference_of(free).high_ms / inference_of(free).compute_ms
    )


def test_work_that_is_not_told_widens_the_sum_and_is_noted():
    region = layer("{ForeignNode[a...b]}", "Myelin", [t("x", [8, 128, 768])], [t("y", [8, 128, 768])])
    result = predict([*LAYERS, region], a_device())
    assert inference_of(result).high_ms > 2 * inference_of(predict(LAYERS, a_device())).high_ms
    assert "time-of-unknown-work" in [note.code for note in result.notes]


def test_works_may_be_given():
    from dataclasses import replace

    from trex.perf.work.plan_works import work_of

    works = [work_of(item) for item in LAYERS]
    doubled = [
        replace(item, macs=item.macs and 2 * item.macs, gemm=item.gemm and replace(item.gemm, k=2 * item.gemm.k))
        for item in works
    ]
    assert predict(LAYERS, a_device(), doubled).total_ms > predict(LAYERS, a_device(), works).total_ms
    with pytest.raises(ValueError, match="1 works for 4 layers"):
        predict(LAYERS, a_device(), works[:1])


def test_no_layers_take_no_time():
    result = predict([], a_device())
    assert result.total_ms == 0 and result.layers == ()


def test_without_engines_everything_is_as_unsure_as_the_priors():
    prediction = predict(LAYERS, a_device(compute_capability=(9, 0)), constants=Constants(prior_values()))
    assert prediction.distance == OTHER
    result = inference_of(prediction)
    assert result.validated_engines == 0
    assert (result.low_ms, result.high_ms) == pytest.approx([end * result.compute_ms for end in UNJUDGED])
    assert sum(result.unjudged.values()) == pytest.approx(1)
    assert [note.code for note in prediction.notes] == ["time-of-unjudged-work"]


def test_work_that_no_engine_judged_widens_the_bar_by_its_share_and_is_named():
    judged = {"FP16 convolution": {"layers": 9, "engines": 2}}
    intervals = {"compute": {OTHER: {"low": 0.9, "high": 1.2, "engines": 5}}}
    constants = Constants(prior_values(), {"judged": judged, "intervals": intervals})
    device = a_device(compute_capability=(9, 0))
    prediction = predict(
        [convolution("a"), convolution("b", type="FP32", format="NHWC"), copy()], device, None, constants
    )
    shares = [layer.ms / prediction.total_ms for layer in prediction.layers]
    assert prediction.unjudged == pytest.approx({"FP32 convolution": shares[1], "reformat": shares[2]})
    result = inference_of(prediction)
    assert result.unjudged == prediction.unjudged
    for end, interval, unjudged in zip((result.low_ms, result.high_ms), (0.9, 1.2), UNJUDGED, strict=True):
        assert end == pytest.approx(result.compute_ms * (shares[0] * interval + (1 - shares[0]) * unjudged))
    (note,) = prediction.notes
    assert note.message.startswith(f"{100 * (1 - shares[0]):.0f} % of the predicted time is in work that no measured")
    assert "FP32 convolution (" in note.message and "reformat (" in note.message


def test_narrower_types_and_larger_parts_are_faster():
    types = [
        predict([convolution(batch=64, channels=256, out=256, type=item, format=form)], a_device()).total_ms
        for item, form in (("FP32", "NHWC"), ("FP16", "NHWC8"), ("INT8", "NC/32HW32"))
    ]
    assert types == sorted(types, reverse=True)
    parts = [
        predict([convolution(batch=64, channels=256, out=256)], find_device(item)).total_ms
        for item in ("T4", "A10", "A100-SXM4-80GB", "H100 80GB HBM3")
    ]
    assert parts == sorted(parts, reverse=True)


@pytest.mark.parametrize("listed", known_devices({"HOME": "/nonexistent"})[0], ids=lambda listed: listed.device.name)
def test_every_known_device_has_times_or_says_what_is_missing(listed):
    try:
        result = predict(LAYERS, listed.device)
    except TrexError as error:
        assert "unknown clock" in error.message
        return
    assert 0.005 < result.total_ms < 1000


@pytest.mark.parametrize("case", [case for case in CASES.values() if not case.expect.error], ids=lambda case: case.name)
def test_every_engine_has_times(case, tmp_path):
    try:
        plan = load(case.write(tmp_path))
    except (TrexError, ImportError):
        pytest.skip("cannot be loaded here")
    result = predict(plan.working_layers, a_device())
    assert len(result.layers) == len(plan.working_layers)
    assert all(math.isfinite(item.ms) and item.ms >= 0 for item in result.layers)


CONVOLUTIONS = chain(*(convolution(f"c{number}", batch=32) for number in range(10)))
SMALL = chain(*(copy(f"c{number}", (1, 8, 4, 4)) for number in range(10)))
SHORTEST = Constants(prior_values((8, 0)) | {"profiler share": 0.9})


def test_a_run_without_the_profiler_is_shorter():
    prediction = predict(CONVOLUTIONS, a_device())
    result = inference_of(prediction)
    share, launch = fitted().values["profiler share of 8.0"], fitted().launch_ms((8, 0))
    assert result.compute_ms == pytest.approx(prediction.total_ms - 10 * share * launch)
    assert result.low_ms < result.compute_ms < result.high_ms


def test_no_kernel_is_shorter_than_the_shortest():
    assert without_profiler([0.004, 0.1], 0.003) == pytest.approx(LEAST_MS + 0.097)
    assert without_profiler([0.001], 0.003) == pytest.approx(0.001)
    assert compute_ms(predict(SMALL, a_device(), constants=SHORTEST)) == pytest.approx(10 * LEAST_MS)


def test_without_a_graph_small_kernels_wait_for_the_host():
    prediction = predict(SMALL, a_device(), constants=SHORTEST)
    with_graph, without = inference_of(prediction), inference_of(prediction, cuda_graph=False)
    assert with_graph.enqueue_ms == pytest.approx(GRAPH_BASE_MS + 10 * GRAPH_EACH_MS)
    assert without.enqueue_ms == pytest.approx(11 * LAUNCH_ON_HOST_MS)
    assert without.compute_ms >= without.enqueue_ms > with_graph.compute_ms
    assert without.low_ms >= without.enqueue_ms
    large = predict(CONVOLUTIONS, a_device())
    longer = inference_of(large, cuda_graph=False).compute_ms / inference_of(large).compute_ms
    assert 1 < longer < 1.05


def test_nothing_to_run():
    result = inference_of(predict([], a_device()))
    assert result.compute_ms == result.low_ms == result.high_ms == 0
