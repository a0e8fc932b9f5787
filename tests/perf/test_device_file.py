"""Device files: read, written, and refused with an address."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trex.core.data_type import DataType
from trex.core.errors import TrexError
from trex.perf.arithmetic import CERTAINTIES, Arithmetic, Rate
from trex.perf.device_file import device_document, device_of_document, device_text, read_device
from trex.perf.known_devices import BUNDLED

FP16 = Arithmetic(DataType.FP16, DataType.FP32)
WHOLE = {
    "name": "NVIDIA Example 100",
    "aliases": ["Example 100"],
    "source": "data sheet",
    "certainty": "datasheet",
    "compute_capability": "8.6",
    "sm_count": 72,
    "clock_ghz": {"value": 1.695, "source": "nvidia-smi", "certainty": "reported"},
    "bandwidth_gb_per_s": 600,
    "l2_mib": None,
    "halves_fp32_accumulation": False,
    "power_note": "held to 150 W",
    "rates": [{"data_type": "FP16", "accumulate": "FP32", "tera_per_second": 102.5, "certainty": "measured"}],
}


def written(folder: Path, text: str) -> Path:
    file = folder / "gpu.json"
    file.write_text(text, encoding="utf-8")
    return file


def test_every_figure_has_its_source_and_certainty(tmp_path: Path) -> None:
    device = read_device(written(tmp_path, json.dumps(WHOLE)))
    assert (device.name, device.aliases) == ("NVIDIA Example 100", ("Example 100",))
    assert (device.compute_capability, device.sm_count, device.clock_ghz) == ((8, 6), 72, 1.695)
    assert device.l2_mib is None and "l2_mib" not in device.sources
    assert device.halves_fp32_accumulation is False
    assert device.sources["sm_count"] == "data sheet" and device.certainties["sm_count"] == "datasheet"
    assert device.sources["clock_ghz"] == "nvidia-smi" and device.certainties["clock_ghz"] == "reported"
    assert device.rates == {FP16: Rate(102.5e12, "data sheet", "measured")}
    assert device.ops_per_s(FP16) is device.rates[FP16]


def test_a_name_is_enough(tmp_path: Path) -> None:
    file = written(tmp_path, '{"name": "X", "sm_count": 10}')
    device = read_device(file)
    assert device.clock_ghz is None and device.ops_per_s(FP16) is None
    assert device.sources["sm_count"] == f"file {file}" and device.certainties["sm_count"] == "reported"


@pytest.mark.parametrize("file", sorted(BUNDLED.glob("*.json")), ids=lambda file: file.stem)
def test_every_bundled_file_reads_and_writes_back(file: Path) -> None:
    device = read_device(file)
    assert device_of_document(json.loads(device_text(device)), "x") == device
    assert device_of_document(device_document(device), "x") == device
    assert device.compute_capability is not None and device.sm_count is not None
    assert device.bandwidth_gb_per_s is not None
    for field in device.sources:
        assert device.sources[field].strip() and device.certainties[field] in CERTAINTIES
    assert device.clock_ghz is not None or "Laptop" in device.name
    assert file.stem == file.stem.lower()


@pytest.mark.parametrize(
    ("changes", "field", "message"),
    [
        ({"name": ""}, "name", "a device needs a name"),
        ({"name": 7}, "name", "7: expected text"),
        ({"sms": 72}, "sms", "unknown field"),
        ({"sm_count": "72"}, "sm_count", "'72': expected a number"),
        ({"sm_count": 72.5}, "sm_count", "72.5: expected an integer"),
        ({"sm_count": True}, "sm_count", "True: expected a number"),
        ({"sm_count": -1}, "sm_count", "-1: out of range"),
        ({"clock_ghz": 10**400}, "clock_ghz", "1"),
        ({"clock_ghz": 1695}, "clock_ghz", "1695: out of range"),  # MHz
        ({"clock_ghz": 1e-300}, "clock_ghz", "1e-300: out of range"),
        ({"clock_ghz": {"ghz": 1.7}}, "clock_ghz", "expected an object with value, source and certainty"),
        ({"clock_ghz": {"value": 1.7, "source": 3}}, "clock_ghz", "3: expected the source"),
        ({"clock_ghz": {"value": 1.7, "certainty": "sure"}}, "clock_ghz", "'sure': unknown certainty"),
        ({"clock_ghz": {"value": 1.7, "certainty": ["measured"]}}, "clock_ghz", "['measured']: unknown certainty"),
        ({"certainty": "memory"}, "certainty", "'memory': unknown certainty"),
        ({"compute_capability": 8.6}, "compute_capability", "8.6: expected a compute capability"),
        ({"compute_capability": "sm_86"}, "compute_capability", "'sm_86': expected a compute capability"),
        ({"halves_fp32_accumulation": "yes"}, "halves_fp32_accumulation", "'yes': expected true or false"),
        ({"aliases": "A10"}, "aliases", "'A10': expected a list of names"),
        ({"rates": {}}, "rates", "expected a list of objects"),
        ({"rates": [7]}, "rates[0]", "7: expected an object"),
        (
            {"rates": [{"data_type": "FP16", "tera_per_second": tera} for tera in (1, 2)]},
            "rates[1]",
            "a second rate of",
        ),
        ({"rates": [{"data_type": "FP16"}]}, "rates[0].tera_per_second", "None: expected a rate"),
        ({"rates": [{"data_type": "half", "tera_per_second": 1}]}, "rates[0].data_type", "'half': unknown data type"),
        (
            {"rates": [{"data_type": "FP16", "tera_per_second": 1, "tf32": 1}]},
            "rates[0].tf32",
            "1: expected true or false",
        ),
        ({"rates": [{"data_type": "FP16", "tera_per_second": 1, "tops": 1}]}, "rates[0].tops", "unknown field"),
    ],
)
def test_errors_have_an_address(changes: dict[str, object], field: str, message: str, tmp_path: Path) -> None:
    file = written(tmp_path, json.dumps({**WHOLE, **changes}))
    with pytest.raises(TrexError) as raised:
        read_device(file)
    assert raised.value.where == f"{file}: {field}"
    assert raised.value.message.startswith(message)
    assert raised.value.hint or "true nor false" in message


@pytest.mark.parametrize("text", ["", "{", "[]", "7", '"x"', "NaN", '{"name": "X", "clock_ghz": NaN}', "[" * 100_000])
def test_a_file_that_describes_no_device_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(TrexError):
        read_device(written(tmp_path, text))


def test_files_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TrexError, match="can't read the device file"):
        read_device(tmp_path / "absent.json")
    with pytest.raises(TrexError, match="can't read the device file"):
        read_device(tmp_path)
    (tmp_path / "bytes.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(TrexError, match="invalid JSON"):
        read_device(tmp_path / "bytes.json")
    (tmp_path / "long.json").write_bytes(b" " * (2 << 20))
    with pytest.raises(TrexError, match="more than 1,048,576 bytes"):
        read_device(tmp_path / "long.json")


def test_a_mark_of_byte_order_is_no_matter(tmp_path: Path) -> None:
    file = tmp_path / "gpu.json"
    file.write_bytes(b"\xef\xbb\xbf" + json.dumps(WHOLE).encode())
    assert read_device(file).sm_count == 72
