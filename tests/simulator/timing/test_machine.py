"""Rates of devices, and which arithmetic a precision takes."""

from __future__ import annotations

import pytest

from tests.simulator.timing.round_device import a_device
from trex.core.data_type import DataType
from trex.core.errors import TrexError
from trex.perf.device import Device
from trex.perf.known_devices import find_device
from trex.simulator.timing.machine import Machine

TERA = 1e12


def test_precisions_of_an_a100():
    machine = Machine(a_device())
    assert machine.multiplied(DataType.INT8, "convolution") == (pytest.approx(624 * TERA, rel=0.01), 1)
    assert machine.multiplied(DataType.FP16, "convolution") == (pytest.approx(312 * TERA, rel=0.01), 2)
    assert machine.multiplied(DataType.FP32, "convolution") == (pytest.approx(156 * TERA, rel=0.01), 4)
    assert machine.multiplied(DataType.UNKNOWN, "convolution") == machine.multiplied(DataType.FP32, "convolution")
    assert machine.memory == 2000e9
    assert machine.into_sm == pytest.approx(64 * 1.41e9)


def test_geforce_sums_in_fp16_in_convolutions_and_in_fp32_elsewhere():
    machine = Machine(find_device("RTX 3090"))
    convolution, product = (machine.multiplied(DataType.FP16, kind)[0] for kind in ("convolution", "gemm"))
    assert convolution == pytest.approx(2 * product)


def test_turing_has_no_tf32():
    machine = Machine(find_device("TITAN RTX"))
    assert machine.multiplied(DataType.FP32, "convolution")[0] == machine.cuda


def test_a_type_without_units_is_multiplied_as_a_wider_one():
    """A V100 multiplies bytes on the CUDA cores, halves twice as fast on the tensor cores; a P40 has neither."""
    v100, p40 = Machine(find_device("V100")), Machine(find_device("Tesla P40"))
    assert v100.multiplied(DataType.INT8, "convolution") == v100.multiplied(DataType.FP16, "convolution")
    assert p40.multiplied(DataType.FP16, "convolution") == (p40.cuda, 4)
    assert p40.multiplied(DataType.INT8, "convolution")[0] > p40.cuda
    assert Machine(a_device()).multiplied(DataType.FP8, "convolution")[1] == 2


@pytest.mark.parametrize("field", ["sm_count", "clock_ghz", "bandwidth_gb_per_s", "compute_capability"])
def test_what_is_missing_is_named(field):
    with pytest.raises(TrexError, match="unknown") as caught:
        Machine(a_device(**{field: None}))
    assert "trex devices" in caught.value.hint


def test_a_capability_without_rates_is_an_error():
    with pytest.raises(TrexError, match="operations per clock"):
        Machine(a_device(compute_capability=(99, 0)))
    with pytest.raises(TrexError, match="unknown"):
        Machine(Device("nothing"))
