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
from trex.simulator.timing.constants import Constants
from trex.simulator.timing.intervals import OTHER, SAME_ARCHITECTURE, SAME_GPU
from trex.simulator.timing.prediction import POWER_CAPPED, predict

LAYERS = chain(copy("in", (32, 3, 224, 224)), convolution("a"), noop("v", "a.y", "v"), convolution("b", out=256))


def test_each_layer_has_a_time_within_its_interval():
    found = predict(LAYERS, a_device())
    assert len(found.layers) == 4 and found.kernel_count == 3
    assert found.layers[2].ms == 0
    for each in found.layers:
        assert each.low_ms <= each.ms <= each.high_ms
    assert found.total_ms == pytest.approx(sum(each.ms for each in found.layers))
    assert found.low_ms < found.total_ms < found.high_ms
    assert found.distance == SAME_ARCHITECTURE and not found.notes


def test_it_is_the_same_on_every_run():
    assert predict(LAYERS, a_device()).layers == predict(LAYERS, a_device()).layers


def test_the_interval_of_a_part_held_back_by_its_power_is_wider_and_says_so():
    free, held = predict(LAYERS, a_device()), predict(LAYERS, a_device(power_note="held to 70 W"))
    assert held.total_ms == free.total_ms
    assert held.high_ms == pytest.approx(POWER_CAPPED * free.high_ms)
    assert [note.code for note in held.notes] == ["time-at-full-clock"]
    measured = predict(LAYERS, find_device("NVIDIA A100 80GB PCIe"))
    assert measured.distance == SAME_GPU and not measured.notes


def test_work_that_is_not_told_widens_the_sum_and_is_noted():
    region = layer("{ForeignNode[a...b]}", "Myelin", [t("x", [8, 128, 768])], [t("y", [8, 128, 768])])
    found = predict([*LAYERS, region], a_device())
    assert found.high_ms > 2 * predict(LAYERS, a_device()).high_ms
    assert "time-of-untold-work" in [note.code for note in found.notes]
    assert found.layers[-1].reason


def test_sums_of_many_short_kernels_are_as_unsure_as_the_launch():
    short = chain(*(copy(f"c{number}", (1, 8, 4, 4)) for number in range(100)))
    near, far = predict(short, find_device("NVIDIA A100 80GB PCIe")), predict(short, a_device())
    assert near.total_ms == pytest.approx(far.total_ms, rel=0.01)
    assert far.low_ms < 0.7 * far.total_ms < 0.8 * near.total_ms < near.low_ms
    assert far.high_ms > 1.5 * far.total_ms > near.high_ms


def test_works_may_be_given():
    from dataclasses import replace

    from trex.perf.work.plan_works import work_of

    works = [work_of(each) for each in LAYERS]
    doubled = [replace(each, macs=each.macs and 2 * each.macs, k=each.k and 2 * each.k) for each in works]
    assert predict(LAYERS, a_device(), doubled).total_ms > predict(LAYERS, a_device(), works).total_ms
    with pytest.raises(ValueError, match="1 works for 4 layers"):
        predict(LAYERS, a_device(), works[:1])


def test_no_layers_take_no_time():
    found = predict([], a_device())
    assert found.total_ms == found.low_ms == found.high_ms == 0 and found.layers == ()


def test_without_intervals_everything_is_half_to_twice():
    found = predict(LAYERS, a_device(compute_capability=(9, 0)), constants=Constants(prior_values()))
    assert found.distance == OTHER
    assert found.low_ms == pytest.approx(found.total_ms / 2) and found.high_ms == pytest.approx(found.total_ms * 2)


def test_narrower_types_and_larger_parts_are_faster():
    types = [
        predict([convolution(batch=64, channels=256, out=256, type=each, format=form)], a_device()).total_ms
        for each, form in (("FP32", "NHWC"), ("FP16", "NHWC8"), ("INT8", "NC/32HW32"))
    ]
    assert types == sorted(types, reverse=True)
    parts = [
        predict([convolution(batch=64, channels=256, out=256)], find_device(each)).total_ms
        for each in ("T4", "A10", "A100-SXM4-80GB", "H100 80GB HBM3")
    ]
    assert parts == sorted(parts, reverse=True)


@pytest.mark.parametrize("listed", known_devices({"HOME": "/nonexistent"})[0], ids=lambda listed: listed.device.name)
def test_every_known_device_has_times_or_says_what_is_missing(listed):
    try:
        found = predict(LAYERS, listed.device)
    except TrexError as error:
        assert "unknown clock" in error.message
        return
    assert 0.005 < found.total_ms < 1000 and math.isfinite(found.high_ms)


@pytest.mark.parametrize("case", [case for case in CASES.values() if not case.expect.error], ids=lambda case: case.name)
def test_every_engine_has_times(case, tmp_path):
    try:
        plan = load(case.write(tmp_path))
    except (TrexError, ImportError):
        pytest.skip("cannot be loaded here")
    found = predict(plan.layers, a_device())
    assert len(found.layers) == len(plan.layers)
    for each in found.layers:
        assert math.isfinite(each.high_ms)
        assert 0 <= each.low_ms <= each.ms <= each.high_ms
