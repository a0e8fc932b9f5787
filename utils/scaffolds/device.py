"""A GPU and its rates: ``trex perf --device NAME``."""

from __future__ import annotations

from utils.scaffold import Scaffold

SCAFFOLD = Scaffold(
    folder="perf/devices",
    plug="""\
{
 "name": "NVIDIA $title",
 "source": "data sheet of the $title, with its address",
 "certainty": "datasheet",
 "compute_capability": "8.6",
 "sm_count": 72,
 "clock_ghz": 1.695,
 "bandwidth_gb_per_s": 600,
 "l2_mib": 6
}
""",
    test='''\
"""The device ``$name``: figures of its data sheet, in 10¹² operations per second."""

from __future__ import annotations

import pytest

from trex.core.data_type import DataType
from trex.perf.arithmetic import Arithmetic
from trex.perf.recognize import find_device

DATA_SHEET = {Arithmetic(DataType.FP16, DataType.FP16): 125.0}


def test_the_peaks_are_those_of_the_data_sheet() -> None:
    device = find_device("$title")
    for arithmetic, tera_per_second in DATA_SHEET.items():
        rate = device.ops_per_s(arithmetic)
        assert rate is not None and rate.per_second / 1e12 == pytest.approx(tera_per_second, rel=0.02)
''',
    related=(
        "tests/perf/test_device_file.py",
        "tests/perf/test_peaks.py",
        "tests/perf/test_known_devices.py",
        "tests/perf/test_recognize.py",
        "tests/views/test_devices.py",
    ),
    ending=".json",
)
