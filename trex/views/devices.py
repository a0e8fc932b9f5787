"""Devices → Documents: the peaks of every known GPU, or one GPU with the source of every figure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from trex.core.data_type import DataType
from trex.core.note import Note
from trex.perf.arithmetic import Arithmetic, least_certain
from trex.perf.device import Device
from trex.perf.device_file import FIGURES, device_document
from trex.perf.known_devices import Listed
from trex.perf.peaks import row_of
from trex.views.document import Block, Document, Fact, Facts, Section, Text
from trex.views.table import Table, TableColumn

COMPARED = {
    "FP32": Arithmetic(DataType.FP32, DataType.FP32, tensor_core=False),
    "TF32": Arithmetic(DataType.FP32, DataType.FP32, tf32=True),
    "FP16": Arithmetic(DataType.FP16, DataType.FP32),
    "INT8": Arithmetic(DataType.INT8, DataType.INT32),
    "FP8": Arithmetic(DataType.FP8, DataType.FP32),
    "FP4": Arithmetic(DataType.FP4, DataType.FP32),
}
"""The peaks by which devices are compared: dense, accumulated in FP32 (integers in INT32)."""

PEAKS = (
    Arithmetic(DataType.FP32, DataType.FP32, tensor_core=False),
    Arithmetic(DataType.FP16, DataType.FP16, tensor_core=False),
    Arithmetic(DataType.INT8, DataType.INT32, tensor_core=False),
    Arithmetic(DataType.FP32, DataType.FP32, tf32=True),
    Arithmetic(DataType.FP16, DataType.FP32),
    Arithmetic(DataType.FP16, DataType.FP16),
    Arithmetic(DataType.BF16, DataType.FP32),
    Arithmetic(DataType.INT8, DataType.INT32),
    Arithmetic(DataType.FP8, DataType.FP32),
    Arithmetic(DataType.FP8, DataType.FP16),
    Arithmetic(DataType.INT4, DataType.INT32),
    Arithmetic(DataType.FP4, DataType.FP32),
)
"""The peaks shown of one device."""

_ONLY_SUMS = {
    "TF32": DataType.FP32, "BF16": DataType.FP32, "FP4": DataType.FP32, "INT8": DataType.INT32, "INT4": DataType.INT32,
}  # fmt: skip
_UNITS = {
    "compute_capability": ("compute capability", ""),
    "sm_count": ("SMs", ""),
    "clock_ghz": ("clock", "GHz"),
    "tensor_clock_ghz": ("clock of the tensor core peaks", "GHz"),
    "base_clock_ghz": ("base clock", "GHz"),
    "running_clock_ghz": ("measured clock", "GHz"),
    "bandwidth_gb_per_s": ("memory bandwidth", "GB/s"),
    "memory_gib": ("memory", "GiB"),
    "l2_mib": ("L2", "MiB"),
    "l2_gb_per_s": ("L2 bandwidth, measured", "GB/s"),
    "l2_bytes_per_clock": ("L2 bandwidth per clock", "bytes"),
    "power_limit_w": ("power limit", "W"),
    "has_matrix_units": ("tensor cores", ""),
    "halves_fp32_accumulation": ("half rate with FP32 accumulate", ""),
}


def devices_document(listed: Sequence[Listed], notes: Sequence[Note], folder: str) -> Document:
    """All known devices. folder: where the user's own device files are read from."""
    columns = "FP32 to FP4: dense peaks in 10¹² operations/s, FP16 and FP8 accumulated in FP32."
    section = Section(
        "devices",
        "",
        (devices_table(listed), Text((columns, f"Your own device files: {folder}"))),
        data={"devices": [device_document(entry.device) for entry in listed]},
    )
    return Document("devices", "Known GPUs", sections=(section,), notes=tuple(notes))


def one_device_document(device: Device) -> Document:
    """One device: its figures and peaks, and every source in full."""
    sources: dict[str, int] = {}
    tables = [_numbered(table, sources) for table in (figures_table(device), peaks_table(device)) if table.rows]
    names = (f"also called {', '.join(device.aliases)}",) if device.aliases else ()
    remarks = (*names, *((device.power_note,) if device.power_note else ()))
    listed = tuple(Fact(f"[{number}]", source) for source, number in sources.items())
    blocks: list[Block] = [Text(remarks)] if remarks else []
    blocks += tables
    if listed:
        blocks.append(Facts(listed, "Sources"))
    section = Section("device", "", tuple(blocks), data={"device": device_document(device)})
    return Document("devices", device.name, sections=(section,), notes=device.notes)


def _numbered(table: Table, sources: dict[str, int]) -> Table:
    """The table with the number of its source in each row, in order of first use."""
    at = [column.name for column in table.columns].index("source")
    rows = []
    for row in table.rows:
        number = f"[{sources.setdefault(row[at], len(sources) + 1)}]" if row[at] else None
        rows.append((*row[:at], number, *row[at + 1 :]))
    return replace(table, rows=tuple(rows))


def devices_table(listed: Iterable[Listed]) -> Table:
    """One row per device, by compute capability and name; peaks in 10¹² operations per second.

    certainty: of the least certain figure behind the row's peaks and bandwidth.
    """
    rows = []
    for entry in sorted(listed, key=lambda entry: (entry.device.compute_capability or (99, 0), entry.device.name)):
        device = entry.device
        rates = [device.ops_per_s(arithmetic) for arithmetic in COMPARED.values()]
        certainties = [rate.certainty for rate in (*rates, device.bytes_per_s) if rate is not None]
        rows.append(
            (
                without_maker(device.name),
                capability_text(device),
                device.sm_count,
                device.clock_ghz,
                rounded(device.bandwidth_gb_per_s),
                rounded(device.l2_mib),
                *(None if rate is None else rounded(rate.per_second / 1e12) for rate in rates),
                least_certain(certainties) if certainties else None,
                "yours" if entry.is_users else None,
            )
        )
    columns = (
        TableColumn("device"),
        TableColumn("cc"),
        TableColumn("SMs", "count"),
        TableColumn("GHz", "number"),
        TableColumn("GB/s", "number"),
        TableColumn("L2 MiB", "number"),
        *(TableColumn(label, "number") for label in COMPARED),
        TableColumn("certainty"),
        TableColumn("file", "name", if_known=True),
    )
    return Table("", columns, tuple(rows), "devices")


def without_maker(name: str) -> str:
    """The short name, which finds the device as well."""
    for word in ("NVIDIA ", "GeForce ", "Tesla "):
        name = name.removeprefix(word)
    return name


def figures_table(device: Device) -> Table:
    """Every known figure of a device with its certainty and source."""
    rows: list[tuple[Any, ...]] = []
    for field in (*FIGURES[:4], "running_clock_ghz", *FIGURES[4:]):
        value = getattr(device, field)
        if value is None or (field == "has_matrix_units" and value):
            continue
        words, unit = _UNITS[field]
        text = capability_text(device) if field == "compute_capability" else value_text(value)
        source = (device.certainties.get(field, ""), device.sources.get(field, ""))
        rows.append((words, f"{text} {unit}".strip(), *source))
    l2 = device.l2_bytes_per_s
    if l2 is not None and device.l2_gb_per_s is None:
        rows.append(("L2 bandwidth", f"{l2.per_second / 1e9:,.0f} GB/s", l2.certainty, l2.source))
    columns = (TableColumn("figure"), TableColumn("value"), TableColumn("certainty"), TableColumn("source"))
    return Table("Figures", columns, tuple(rows))


def peaks_table(device: Device) -> Table:
    """Every known peak of a device in 10¹² operations a second, dense, with certainty and source."""
    shown = {arithmetic_text(arithmetic): arithmetic for arithmetic in (*device.rates, *PEAKS)}
    rows = []
    for text, arithmetic in sorted(shown.items(), key=lambda item: (item[1].tensor_core, _peak_order(item[1]))):
        rate = device.ops_per_s(arithmetic)
        if rate is not None:
            rows.append((text, rounded(rate.per_second / 1e12), rate.certainty, rate.source))
    columns = (
        TableColumn("arithmetic"),
        TableColumn("peak", "number", "10¹²/s"),
        TableColumn("certainty"),
        TableColumn("source"),
    )
    return Table("Peaks", columns, tuple(rows))


def arithmetic_text(arithmetic: Arithmetic) -> str:
    """``FP16, FP32 accumulate, tensor cores``."""
    row, on_matrix = row_of(arithmetic)
    words = [row]
    if on_matrix:
        sums = arithmetic.accumulate if arithmetic.accumulate.is_known else _ONLY_SUMS.get(row)
        words.append(f"{sums.label} accumulate" if sums else "accumulator unknown")
    words.append("tensor cores" if on_matrix else "CUDA cores")
    if arithmetic.sparse:
        words.append("2:4 sparse")
    return ", ".join(words)


def _peak_order(arithmetic: Arithmetic) -> int:
    """The position of an arithmetic in PEAKS; others come last."""
    same = [index for index, usual in enumerate(PEAKS) if row_of(usual) == row_of(arithmetic)]
    return same[0] if same else len(PEAKS)


def capability_text(device: Device) -> str | None:
    """``8.6``, None when it is not known."""
    return None if device.compute_capability is None else ".".join(map(str, device.compute_capability))


def value_text(value: float | bool) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else f"{value:.6g}"


def rounded(value: float | None) -> float | None:
    """Four digits, as many as any of these figures deserves."""
    return None if value is None else float(f"{value:.4g}")
