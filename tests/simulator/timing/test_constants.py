"""The formula of a layer's time, and the constants of the package."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.simulator.timing.round_device import prior_values
from trex.simulator.timing import time_kinds as kinds
from trex.simulator.timing.constants import FILE, HOST_MS, POWER, Constants, fitted, layer_ms
from trex.simulator.timing.demand import Demand
from trex.simulator.timing.intervals import DISTANCES, fitted_devices
from trex.simulator.timing.parameters import parameters

PRIORS = Constants(prior_values((8, 0)))


def a_demand(kind: str = kinds.CONVOLUTION, compute: float = 0.0, far: float = 0.0, near: float = 0.0, steps: int = 0):
    return Demand(kind, compute, far, near, steps, True)


def test_a_kernel_without_work_takes_the_launch():
    assert layer_ms(0.004, 0.001, 0.0, 0.0, 0.0) == pytest.approx(0.005)


def test_the_longer_of_compute_and_wait_counts():
    assert layer_ms(0.0, 0.0, 3.0, 1.0, 0.0) == pytest.approx(3.0)
    assert layer_ms(0.0, 0.0, 1.0, 3.0, 0.0) == pytest.approx(3.0)


def test_compute_and_memory_partly_overlap():
    together = layer_ms(0.0, 0.0, 1.0, 0.0, 1.0)
    assert 1.0 < together < 2.0
    assert together == pytest.approx(2 ** (1 / POWER))


def test_arrays_give_the_same_times_as_numbers():
    computed, moved = np.array([0.1, 2.0, 0.0]), np.array([0.3, 0.0, 0.2])
    column = layer_ms(0.004, 0.001, computed, 0.15, moved)
    assert column.tolist() == [
        pytest.approx(layer_ms(0.004, 0.001, float(a), 0.15, float(b))) for a, b in zip(computed, moved)
    ]


def test_a_layer_by_hand():
    assert PRIORS.layer_ms(a_demand(kinds.REFORMAT), (8, 0)) == pytest.approx(0.004)
    assert PRIORS.layer_ms(a_demand(kinds.REFORMAT, far=0.7), (8, 0)) == pytest.approx(1.004)
    assert PRIORS.layer_ms(a_demand(kinds.REFORMAT, near=0.21), (8, 0)) == pytest.approx(1.004)
    assert PRIORS.layer_ms(a_demand(compute=0.8), (8, 0)) == pytest.approx(1.005)
    assert PRIORS.layer_ms(a_demand(steps=100), (8, 0)) == pytest.approx(0.005 + 100 * 0.0001)
    assert PRIORS.layer_ms(a_demand(steps=100), (7, 5)) == pytest.approx(0.005 + 100 * 0.0003)


def test_times_without_a_kernel():
    assert PRIORS.layer_ms(a_demand(kinds.NOTHING), (8, 0)) == 0
    assert PRIORS.layer_ms(a_demand(kinds.HOST), (8, 0)) == HOST_MS


def test_a_capability_without_engines_has_the_common_launch():
    constants = Constants({**PRIORS.values, "launch of 8.0": 2.0})
    assert constants.launch_ms((8, 0)) == pytest.approx(0.008)
    assert constants.launch_ms((9, 0)) == pytest.approx(0.004)


def test_the_file_has_every_constant_with_its_origin():
    document = fitted().document
    assert document["engines"] and document["fitted"] and document["what"]
    capabilities = {capability for _, capability in fitted_devices(document)}
    assert document["published"] and sum(group["figures"] for group in document["published"]) > 50
    for item in parameters(tuple(sorted(capabilities))):
        entry = document["constants"][item.name]
        assert entry["value"] > 0 and entry["unit"] == item.unit and entry["meaning"] and entry["prior_source"]
        assert not entry["spread"] or entry["spread"][0] <= entry["spread"][1]
        if not entry["layers"] and not entry["figures"]:
            alone = document["constants"][item.like]["value"] if item.like else item.prior
            assert entry["value"] == pytest.approx(alone, rel=1e-3)
    assert set(document["intervals"]["compute"]) == set(DISTANCES)


def test_the_file_has_aggregates_and_no_layers():
    text = FILE.read_text(encoding="utf-8")
    assert len(text) < 40_000
    assert json.loads(text)
    for word in ("TacticName", "Reformatting CopyNode", "xmma", "Relu"):
        assert word not in text
