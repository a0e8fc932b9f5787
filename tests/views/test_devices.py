"""Tables of devices, and the document of one device."""

from __future__ import annotations

from trex.core.data_type import DataType
from trex.export.document import RenderStyle, render_document
from trex.perf.arithmetic import Arithmetic, Rate
from trex.perf.device import Device
from trex.perf.known_devices import Listed, find_device, known_devices
from trex.views.devices import PEAKS, arithmetic_text, devices_table, figures_table, one_device_document, peaks_table


def test_every_device_is_a_row_by_compute_capability() -> None:
    listed, _ = known_devices({"XDG_CONFIG_HOME": "/nowhere"})
    table = devices_table(listed)
    assert len(table.rows) == len(listed)
    capabilities = [tuple(map(int, row[1].split("."))) for row in table.rows]
    assert capabilities == sorted(capabilities)
    a10 = next(row for row in table.rows if row[0] == "A10")
    # 72 SMs × 1.695 GHz × 256, 512, 1024 and 2048 operations.
    assert a10[1:10] == ("8.6", 72, 1.695, 600, 6, 31.24, 62.48, 125.0, 249.9)
    assert a10[10:] == (None, None, "datasheet", None)


def test_short_names_find_their_devices() -> None:
    listed, _ = known_devices({"XDG_CONFIG_HOME": "/nowhere"})
    short = {row[0] for row in devices_table(listed).rows}
    assert {"RTX 4090", "T4"} < short
    names = {find_device(name, {"XDG_CONFIG_HOME": "/nowhere"}).name for name in short}
    assert names == {entry.device.name for entry in listed}


def test_a_row_is_as_sure_as_its_least_sure_figure() -> None:
    h100 = find_device("H100 SXM", {"XDG_CONFIG_HOME": "/nowhere"})
    (row,) = devices_table([Listed(h100, __file__, True)]).rows
    assert row[-2:] == ("derived", "yours")  # the clock at which the tensor cores' peak is published is derived
    (row,) = devices_table([Listed(Device("x"), __file__, False)]).rows
    assert row == ("x", *[None] * 13)


def test_figures_and_peaks_have_sources() -> None:
    device = find_device("RTX 4090", {"XDG_CONFIG_HOME": "/nowhere"})
    for table in (figures_table(device), peaks_table(device)):
        source = [column.name for column in table.columns].index("source")
        assert table.rows and all(row[source] and row[source - 1] for row in table.rows)
    peaks = {row[0]: row[1] for row in peaks_table(device).rows}
    assert peaks["FP16, FP32 accumulate, tensor cores"] == 165.2
    assert peaks["FP16, FP16 accumulate, tensor cores"] == 330.3
    assert not any("FP4" in name for name in peaks)


def test_words_for_arithmetic() -> None:
    assert len({arithmetic_text(arithmetic) for arithmetic in PEAKS}) == len(PEAKS)
    assert arithmetic_text(Arithmetic(DataType.FP32, tf32=True)) == "TF32, FP32 accumulate, tensor cores"
    assert arithmetic_text(Arithmetic(DataType.FP32)) == "FP32, CUDA cores"
    assert (
        arithmetic_text(Arithmetic(DataType.FP16, sparse=True)) == "FP16, accumulator unknown, tensor cores, 2:4 sparse"
    )


def test_the_text_of_a_device_contains_every_source_in_full() -> None:
    long = "a source " * 60
    device = Device(
        "x\x1b[31m", (8, 0), 10, 1.0, sources={"sm_count": long, "clock_ghz": long}, certainties={"sm_count": "page"},
        rates={Arithmetic(DataType.FP16, DataType.FP32): Rate(1e12, "measured\nhere", "measured")},
    )  # fmt: skip
    for width in (None, 120, 60):
        text = render_document(one_device_document(device), "text", RenderStyle(width=width)).decode()
        assert "\x1b" not in text
        assert " ".join(text.split()).count(long.strip()) == 1  # once, though two figures have it
        assert width is None or max(map(len, text.splitlines())) <= width
    assert render_document(one_device_document(Device("nothing known")), "text") == b"nothing known\n"
