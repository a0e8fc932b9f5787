"""How far a device is from those that were measured."""

from __future__ import annotations

from tests.simulator.timing.round_device import a_device
from trex.simulator.timing.constants import fitted
from trex.simulator.timing.intervals import (
    DISTANCES,
    OTHER,
    SAME_ARCHITECTURE,
    SAME_GPU,
    UNSEEN,
    compute_interval,
    distance_between,
    fitted_devices,
    unknown_work_interval,
)

KNOWN = [("NVIDIA A100 80GB PCIe", (8, 0))]
DOCUMENT = {
    "intervals": {
        "unknown work": {SAME_GPU: {"low": 1.0, "high": 40.0, "layers": 7}},
        "compute": {SAME_GPU: {"low": 0.9, "high": 1.2, "engines": 5}},
    }
}


def test_distances():
    assert distance_between(a_device(name="A100 80GB PCIe"), KNOWN) == SAME_GPU
    assert distance_between(a_device(), KNOWN) == SAME_ARCHITECTURE
    assert distance_between(a_device(compute_capability=(9, 0)), KNOWN) == OTHER


def test_unknown_work_is_half_to_twice_or_wider():
    assert unknown_work_interval(DOCUMENT, SAME_GPU) == (0.5, 40.0)
    assert unknown_work_interval({}, OTHER) == UNSEEN


def test_sums():
    assert compute_interval(DOCUMENT, SAME_GPU) == ((0.9, 1.2), 5)
    assert compute_interval({}, OTHER) == (UNSEEN, 0)


def test_in_the_package_farther_is_never_surer():
    document = fitted().document
    assert len(fitted_devices(document)) == len(document["engines"])
    result = [compute_interval(document, item)[0] for item in DISTANCES]
    assert result == sorted(result, key=lambda one: one[1] - one[0])
    assert all(low < 0.95 and high > 1.05 for low, high in result)
