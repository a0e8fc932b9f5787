"""How far a device is from those that were measured."""

from __future__ import annotations

from tests.simulator.timing.round_device import a_device
from trex.simulator.timing.constants import fitted
from trex.simulator.timing.intervals import (
    COMPUTE,
    DISTANCES,
    OTHER,
    SAME_ARCHITECTURE,
    SAME_GPU,
    TOTAL,
    UNSEEN,
    distance_between,
    fitted_devices,
    interval,
    layer_interval,
)

KNOWN = [("NVIDIA A100 80GB PCIe", (8, 0))]
DOCUMENT = {
    "intervals": {
        "layer": {
            SAME_GPU: {
                "all kinds": {"low": 0.8, "high": 1.3, "layers": 90},
                "pooling": {"low": 0.9, "high": 1.1, "layers": 8},
                "pointwise": {"low": 0.99, "high": 1.01, "layers": 3},
                "unknown work": {"low": 1.0, "high": 40.0, "layers": 7},
            }
        },
        "total": {SAME_GPU: {"low": 0.9, "high": 1.2, "engines": 5}},
    }
}


def test_distances():
    assert distance_between(a_device(name="A100 80GB PCIe"), KNOWN) == SAME_GPU
    assert distance_between(a_device(), KNOWN) == SAME_ARCHITECTURE
    assert distance_between(a_device(compute_capability=(9, 0)), KNOWN) == OTHER


def test_a_kind_that_was_judged_has_its_own_interval():
    assert layer_interval(DOCUMENT, SAME_GPU, "pooling", True) == ((0.9, 1.1), "")


def test_a_kind_of_few_layers_has_a_wide_one_and_says_why():
    result, reason = layer_interval(DOCUMENT, SAME_GPU, "pointwise", True)
    assert result == (0.5, 2.0) and "pointwise" in reason
    result, reason = layer_interval(DOCUMENT, SAME_GPU, "region", False)
    assert result == (0.5, 40.0) and "unknown work" in reason


def test_nothing_judged_means_half_to_twice():
    assert layer_interval({}, OTHER, "pooling", True)[0] == UNSEEN
    assert interval({}, TOTAL, OTHER) == UNSEEN
    assert interval(DOCUMENT, TOTAL, SAME_GPU) == (0.9, 1.2)


def test_in_the_package_farther_is_never_surer():
    document = fitted().document
    assert len(fitted_devices(document)) == len(document["engines"])
    for whole in (TOTAL, COMPUTE):
        result = [interval(document, whole, item) for item in DISTANCES]
        assert result == sorted(result, key=lambda one: one[1] - one[0])
        assert all(low < 0.95 and high > 1.05 for low, high in result)
