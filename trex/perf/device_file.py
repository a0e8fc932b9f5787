"""Device file (JSON) ↔ Device: one GPU per file, every figure with its source.

A file is one JSON object. ``name`` is the GPU's name as nvidia-smi prints it; ``aliases`` are further names. A figure
is a number, which has the file's ``source`` and ``certainty``, or an object:

{
 "name": "NVIDIA Example 100",
 "aliases": ["Example 100"],
 "source": "Example 100 data sheet, March 2024",
 "certainty": "datasheet",
 "compute_capability": "8.6",
 "sm_count": 72,
 "clock_ghz": {"value": 1.695, "source": "nvidia-smi -q -d CLOCK", "certainty": "reported"},
 "bandwidth_gb_per_s": 600,
 "l2_mib": 6,
 "rates": [{"data_type": "FP16", "accumulate": "FP32", "tera_per_second": 102.5, "certainty": "measured"}]
}

Figures: ``sm_count``, ``clock_ghz`` (boost clock), ``tensor_clock_ghz`` (if the tensor cores' peaks are published at
another clock), ``base_clock_ghz`` (if the power limit holds matrix work near it), ``bandwidth_gb_per_s`` (10⁹ bytes per
second), ``memory_gib`` (of parts that share a name: the capacity distinguishes them), ``l2_mib``, ``l2_gb_per_s``,
``l2_bytes_per_clock``, ``power_limit_w``, ``halves_fp32_accumulation`` (true on GeForce: FP16 with FP32 accumulation at
half rate), ``has_matrix_units`` (false on GeForce GTX 16). In words: ``power_note``. All but ``name`` are optional: an
absent figure is unknown, and so is what depends on it. ``rates`` take precedence over rates derived from SMs and clock;
``data_type`` and ``tera_per_second`` (10¹² operations, a MAC is two) are required, ``accumulate``, ``tensor_core``
(true), ``tf32`` (false), ``sparse`` (false), ``source`` and ``certainty`` are optional. Certainties: measured,
reported, datasheet, page, derived, unverified.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from trex.core.data_type import DataType
from trex.core.errors import TrexError
from trex.core.regular_file import read_regular
from trex.perf.arithmetic import CERTAINTIES, Arithmetic, Rate
from trex.perf.device import Device

NUMBERS = (
    "sm_count",
    "clock_ghz",
    "tensor_clock_ghz",
    "base_clock_ghz",
    "bandwidth_gb_per_s",
    "memory_gib",
    "l2_mib",
    "l2_gb_per_s",
    "l2_bytes_per_clock",
    "power_limit_w",
)
SWITCHES = ("halves_fp32_accumulation", "has_matrix_units")
FIGURES = ("compute_capability", *NUMBERS, *SWITCHES)
_WORDS = ("name", "aliases", "source", "certainty", "power_note", "rates")
_OF_RATES = {"tensor_core": True, "tf32": False, "sparse": False}
_MAX_BYTES = 1 << 20
_FORMAT = "pydoc trex.perf.device_file describes the format; `trex devices NAME --save FILE` writes a valid one"
# A figure beyond these has the wrong unit.
_LARGEST = {
    "sm_count": 2048, "clock_ghz": 10, "tensor_clock_ghz": 10, "base_clock_ghz": 10, "bandwidth_gb_per_s": 1e6,
    "memory_gib": 8192, "l2_mib": 2048, "l2_gb_per_s": 1e7, "l2_bytes_per_clock": 1e7, "power_limit_w": 1e5,
}  # fmt: skip
_SMALLEST = 1e-6


def read_device(path: str | Path) -> Device:
    """The device that a file describes.

    Raises TrexError with the address (``file: field``) and the expected content if the file cannot be read or is no
    device file, if a figure has the wrong type or unit, or if a field is unknown.
    """
    where = str(path)
    try:
        data = read_regular(path, _MAX_BYTES)
    except OSError as error:
        raise TrexError(f"can't read the device file: {error.strerror}", "check the path", where) from error
    try:
        document = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise TrexError(f"invalid JSON: {error}", _FORMAT, where) from error
    return device_of_document(document, where)


def device_of_document(document: Any, where: str) -> Device:
    """The device that a JSON object describes. where: its address in errors, which are those of ``read_device``."""
    if not isinstance(document, dict):
        raise TrexError("expected one JSON object", _FORMAT, where)
    return _DeviceReader(document, where).device()


def device_document(device: Device) -> dict[str, Any]:
    """The device as JSON-ready data, every figure with its source and certainty; ``device_of_document`` reads it."""
    document: dict[str, Any] = {"name": device.name}
    if device.aliases:
        document["aliases"] = list(device.aliases)
    for name in FIGURES:
        value = getattr(device, name)
        if value is None or (name == "has_matrix_units" and value):
            continue
        if name == "compute_capability":
            value = ".".join(map(str, value))
        document[name] = {"value": value} | _origin(device, name)
    if device.power_note:
        document["power_note"] = device.power_note
    if device.rates:
        document["rates"] = [_rate_entry(arithmetic, rate) for arithmetic, rate in device.rates.items()]
    return document


def device_text(device: Device) -> str:
    """The device as the text of a file, one line per figure."""
    lines = []
    for name, value in device_document(device).items():
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        if name == "rates":
            text = "[\n" + ",\n".join(f"  {json.dumps(v, ensure_ascii=False, allow_nan=False)}" for v in value) + "\n ]"
        lines.append(f" {json.dumps(name)}: {text}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _origin(device: Device, name: str) -> dict[str, str]:
    origin = {"source": device.sources.get(name, ""), "certainty": device.certainties.get(name, "")}
    return {key: text for key, text in origin.items() if text}


def _rate_entry(arithmetic: Arithmetic, rate: Rate) -> dict[str, Any]:
    entry: dict[str, Any] = {"data_type": arithmetic.data_type.label}
    if arithmetic.accumulate is not DataType.UNKNOWN:
        entry["accumulate"] = arithmetic.accumulate.label
    entry |= {
        name: getattr(arithmetic, name) for name, usual in _OF_RATES.items() if getattr(arithmetic, name) != usual
    }
    return entry | {
        "tera_per_second": rate.per_second / 1e12, "source": rate.source, "certainty": rate.certainty,
    }  # fmt: skip


class _DeviceReader:
    """One document, its address, and the sources and certainties of its figures."""

    def __init__(self, document: Mapping[str, Any], where: str) -> None:
        self.document = document
        self.where = where
        self.sources: dict[str, str] = {}
        self.certainties: dict[str, str] = {}

    def device(self) -> Device:
        unknown = [key for key in self.document if key not in (*FIGURES, *_WORDS)]
        if unknown:
            self.fail(unknown[0], "unknown field", "one of " + ", ".join((*_WORDS, *FIGURES)))
        name = self.text("name")
        if not name:
            self.fail("name", "a device needs a name", 'as nvidia-smi prints it: "name": "NVIDIA A10"')
        aliases = self.document.get("aliases", [])
        if not isinstance(aliases, list) or not all(isinstance(alias, str) for alias in aliases):
            self.fail("aliases", f"{_shown(aliases)}: expected a list of names", '"aliases": ["A10"]')
        self.source = self.text("source") or f"file {self.where}"
        self.certainty = self.word(self.text("certainty") or "reported", "certainty")
        figures: dict[str, Any] = {name: self.number(name) for name in NUMBERS}
        return Device(
            name=name,
            compute_capability=self.capability(),
            halves_fp32_accumulation=self.switch("halves_fp32_accumulation"),
            has_matrix_units=self.switch("has_matrix_units") is not False,
            aliases=tuple(aliases),
            power_note=self.text("power_note"),
            rates=self.rates(),
            sources=self.sources,
            certainties=self.certainties,
            **figures,
        )

    def fail(self, field: str, message: str, hint: str = _FORMAT) -> NoReturn:
        raise TrexError(message, hint, f"{self.where}: {field}")

    def text(self, field: str) -> str:
        value = self.document.get(field, "")
        if not isinstance(value, str):
            self.fail(field, f"{_shown(value)}: expected text")
        return str(value).strip()

    def word(self, certainty: Any, field: str) -> str:
        if not isinstance(certainty, str) or certainty not in CERTAINTIES:
            self.fail(field, f"{_shown(certainty)}: unknown certainty", "one of " + ", ".join(CERTAINTIES))
        return str(certainty)

    def value(self, field: str) -> Any:
        """The figure, with its source and certainty recorded; None if it is absent or null."""
        value = self.document.get(field)
        source, certainty = self.source, self.certainty
        if isinstance(value, dict):
            wrong = [key for key in value if key not in ("value", "source", "certainty")]
            if wrong or "value" not in value:
                self.fail(field, "expected an object with value, source and certainty", '{"value": 72, "source": "…"}')
            source = value.get("source", source)
            if not isinstance(source, str):
                self.fail(field, f"{_shown(source)}: expected the source as text")
            certainty = self.word(value.get("certainty", certainty), field)
            value = value["value"]
        if value is not None:
            self.sources[field], self.certainties[field] = source, certainty
        return value

    def number(self, field: str) -> float | None:
        value = self.value(field)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.fail(field, f"{_shown(value)}: expected a number", f'"{field}": 1.5, without a unit')
        if not _SMALLEST <= value <= _LARGEST[field]:
            limit = f"from {_SMALLEST:g} to {_LARGEST[field]:g} in the unit of its name"
            self.fail(field, f"{_shown(value)}: out of range", limit)
        if field == "sm_count":
            if value != int(value):
                self.fail(field, f"{_shown(value)}: expected an integer")
            return int(value)
        return float(value)

    def capability(self) -> tuple[int, int] | None:
        value = self.value("compute_capability")
        if value is None:
            return None
        match = re.fullmatch(r"([0-9]{1,2})\.([0-9])", value) if isinstance(value, str) else None
        if match is None:
            self.fail("compute_capability", f"{_shown(value)}: expected a compute capability", 'as text: "8.6"')
        return int(match[1]), int(match[2])

    def switch(self, field: str) -> bool | None:
        value = self.value(field)
        if value is not None and not isinstance(value, bool):
            self.fail(field, f"{_shown(value)}: expected true or false")
        switch: bool | None = value
        return switch

    def rates(self) -> dict[Arithmetic, Rate]:
        entries = self.document.get("rates", [])
        if not isinstance(entries, list):
            self.fail("rates", "expected a list of objects")
        rates: dict[Arithmetic, Rate] = {}
        for number, entry in enumerate(entries):
            field = f"rates[{number}]"
            if not isinstance(entry, dict):
                self.fail(field, f"{_shown(entry)}: expected an object")
            for key in entry:
                if key not in ("data_type", "accumulate", "tera_per_second", "source", "certainty", *_OF_RATES):
                    self.fail(f"{field}.{key}", "unknown field of a rate")
            switches = {name: entry.get(name, usual) for name, usual in _OF_RATES.items()}
            for name, switch in switches.items():
                if not isinstance(switch, bool):
                    self.fail(f"{field}.{name}", f"{_shown(switch)}: expected true or false")
            tera = entry.get("tera_per_second")
            if isinstance(tera, bool) or not isinstance(tera, int | float) or not _SMALLEST <= tera < 1e7:
                self.fail(f"{field}.tera_per_second", f"{_shown(tera)}: expected a rate", "10¹² operations per second")
            accumulate = entry.get("accumulate")
            arithmetic = Arithmetic(
                self.data_type(entry.get("data_type"), f"{field}.data_type"),
                DataType.UNKNOWN if accumulate is None else self.data_type(accumulate, f"{field}.accumulate"),
                **switches,
            )
            if arithmetic in rates:
                self.fail(field, "a second rate of the same arithmetic", "keep one of them")
            source = entry.get("source", self.source)
            if not isinstance(source, str):
                self.fail(f"{field}.source", f"{_shown(source)}: expected the source as text")
            certainty = self.word(entry.get("certainty", self.certainty), f"{field}.certainty")
            rates[arithmetic] = Rate(tera * 1e12, source, certainty)
        return rates

    def data_type(self, label: Any, field: str) -> DataType:
        for data_type in DataType:
            if data_type.label == label and data_type.is_known:
                return data_type
        known = ", ".join(data_type.label for data_type in DataType if data_type.is_known)
        return self.fail(field, f"{_shown(label)}: unknown data type", f"one of {known}")


def _shown(value: Any) -> str:
    return f"{value!r}"[:60]
