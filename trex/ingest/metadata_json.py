"""Metadata JSON → Metadata: facts written by process_engine, a device dump or a script."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from trex.core.metadata import LatencySummary, Metadata
from trex.core.note import Note
from trex.ingest.differing_facts import name_two_gpus
from trex.ingest.finding.file_kind import Kind, wrong_kind
from trex.ingest.lenient_json import parse
from trex.ingest.spelling.device_facts import device_facts, trtexec_device_section
from trex.ingest.spelling.latency_summaries import possible_summaries
from trex.ingest.spelling.written_number import written_number, written_quantity

# Section names without case, blanks and underscores → fields of Metadata.
_SECTIONS = {
    "modeloptions": "model_options",
    "buildoptions": "build_options",
    "systemoptions": "system_options",
    "inferenceoptions": "inference_options",
    "reportingoptions": "reporting_options",
    "deviceinformation": "device",
    "deviceinfo": "device",
    "device": "device",
    "performancesummary": "performance",
    "performance": "performance",
    "milestones": "milestones",
}
_TEXTS = {"tensorrtversion": "tensorrt_version", "trtversion": "tensorrt_version", "commandline": "command_line"}

_WARM_UP = re.compile(r"\(\+ *([0-9.]{1,20}) *ms warm up\)")
_NUMBER_LIST = re.compile(r"[0-9.]{1,9}(?: *, *[0-9.]{1,9}){0,63}")
_LETTERS = re.compile(r"[^a-z0-9]")

# More are of no one machine.
_MOST_DEVICES = 256
_FEWEST = 4
"""Numbers in a line of the summary, before its percentiles."""
_PERCENTILES_OF = {5: (99.0,), 7: (90.0, 95.0, 99.0)}


def read_metadata(data: bytes, where: str = "") -> Metadata:
    """The facts in the bytes of a metadata JSON file, values verbatim.

    Accepted: process_engine's sections (``model_options``, ``build_options``, ``device_information``,
    ``performance_summary``, ``inference_options``; others go to ``extra``), numbers or text; and the list of devices of
    older files, whose CUDA attributes are kept and repeated in trtexec's words.

    Raises TrexError if the file is something else.
    """
    parsed = parse(data, where)
    reader = _MetadataReader(where, list(parsed.notes))
    documents = parsed.documents
    document = documents[0] if documents else None
    if len(documents) > 1:
        reader.note("metadata-several-documents", f"the file has {len(documents)} JSON documents; the first was read")
    if isinstance(document, list) and document and all(isinstance(device, dict) for device in document):
        is_metadata = reader.device_list(document)
    else:
        is_metadata = isinstance(document, dict) and reader.sections(document)
    if not is_metadata:
        raise wrong_kind(data, Kind.METADATA, "trex process (or process_engine.py) writes metadata files", where)
    return reader.metadata()


def listed_devices(metadata: Metadata) -> list[dict[str, Any]]:
    """The devices of a file that describes several."""
    devices = metadata.extra.get("devices")
    return [device for device in devices if isinstance(device, dict)] if isinstance(devices, list) else []


def device_of(devices: Sequence[dict[str, Any]], run: Metadata) -> dict[str, Any]:
    """The device section of the one of a machine's devices that a run names; {} if several that differ may be it."""
    name = device_facts(run.device).name or ""
    known = [(device_facts(device), device) for device in devices[:_MOST_DEVICES]]
    fitting = [pair for pair in known if not name_two_gpus(name, pair[0].name or "")]
    named = [pair for pair in fitting if pair[0].name == name] or fitting
    number = written_number(run.device.get("Selected Device ID"))
    numbered = [pair for index, pair in enumerate(known) if name and index == number and pair in named]
    for pairs in (named, numbered):
        facts = {facts for facts, _ in pairs}
        if len(facts) == 1:
            return {**trtexec_device_section(facts.pop()), **pairs[0][1]}
    return {}


def warm_up_ms(metadata: Metadata) -> float | None:
    """The warm-up of the run in milliseconds, from ``Duration: 3s (+ 200ms warm up)``; None if unknown."""
    duration = metadata.inference_options.get("Duration")
    match = _WARM_UP.search(duration) if isinstance(duration, str) else None
    return written_number(match[1]) if match else None


class _MetadataReader:
    """Sorts a document's keys into Metadata's fields, with Notes on doubtful ones."""

    def __init__(self, where: str, notes: list[Note]) -> None:
        self.where = where
        self.notes = notes
        self.fields: dict[str, dict[str, Any]] = {}
        self.texts: dict[str, str] = {}
        self.extra: dict[str, Any] = {}
        self.synthetic = self.simulated = self.built_on_cpu = False

    def note(self, code: str, message: str, hint: str = "", severity: str = "warning") -> None:
        self.notes.append(Note(code, message, hint, self.where, severity))

    def sections(self, document: dict[str, Any]) -> bool:
        """Reads a document of sections, or one that is a device section itself; False for any other."""
        for key, value in document.items():
            plain = _LETTERS.sub("", key.lower())
            field = _SECTIONS.get(plain)
            if field and isinstance(value, dict):
                self.fields.setdefault(field, {}).update(value)
            elif field == "device" and isinstance(value, list) and all(isinstance(item, dict) for item in value):
                self.device_list(value)
            elif plain in _TEXTS and isinstance(value, str):
                self.texts[_TEXTS[plain]] = value
            elif plain == "synthetic" and isinstance(value, bool):
                self.synthetic = value
            else:
                self.simulated = self.simulated or plain == "simulated"
                self.built_on_cpu = self.built_on_cpu or plain == "builtoncpu"
                self.extra[key] = value
        if self.fields or self.texts or not document:
            return True
        if not device_facts(document).is_empty and "Layers" not in document:
            self.extra = {}
            return self.device_list([document])
        return any(isinstance(value, dict) for value in self.extra.values()) and "Layers" not in self.extra

    def device_list(self, devices: list[dict[str, Any]]) -> bool:
        """Reads CUDA attributes of the device, unless several differ; False if this is no list of devices."""
        if not devices:
            return True
        if replace(device_facts(devices[0]), name=None).is_empty:
            return False
        if len(devices) > 1:
            self.extra["devices"] = devices
        self.fields["device"] = device_of(devices, Metadata())
        if not self.fields["device"]:
            message = f"the file describes {len(devices)} devices that differ; the one that the run names counts"
            self.note("several-devices", message, severity="info")
        return True

    def metadata(self) -> Metadata:
        milestones = self.fields.get("milestones", {})
        self.fields["milestones"] = {k: v for k, v in milestones.items() if isinstance(v, int | float)}
        marks = {"synthetic": self.synthetic, "simulated": self.simulated, "built_on_cpu": self.built_on_cpu}
        metadata = Metadata(**self.fields, **self.texts, **marks, sources=(self.where,))  # type: ignore[arg-type]
        read = self._latency(metadata.performance, _labels(metadata.reporting_options))
        latency, impossible = possible_summaries(read, self.where)
        return replace(metadata, latency=latency, extra=self.extra, notes=(*self.notes, *impossible))

    def _latency(self, performance: Mapping[str, Any], labels: tuple[float, ...]) -> dict[str, LatencySummary]:
        latency: dict[str, LatencySummary] = {}
        assumed: list[str] = []
        unlabeled: list[str] = []
        odd: list[str] = []
        usual = _usual_length(performance, labels)
        for key, value in performance.items():
            if isinstance(value, list):
                if usual and len(value) >= _FEWEST and len(value) != usual:
                    odd.append(key)
                    continue
                summary, percentiles = _from_list(value, labels)
                if len(value) in _PERCENTILES_OF and len(labels) != len(value) - 4:
                    assumed.append(key)
                elif percentiles:
                    unlabeled.append(key)
                if summary is not None:
                    latency[key] = summary
        if odd:
            self.note(
                "other-count-of-numbers",
                f"{', '.join(map(repr, odd[:5]))} of the run's summary: expected {usual} numbers, "
                "as in the other lines; left out",
            )
        if assumed and not (self.simulated or self.built_on_cpu):  # trex writes trtexec's default there
            self.note(
                "percentile-assumed",
                f"percentiles of {', '.join(map(repr, assumed[:5]))} have no labels and were read as trtexec's "
                "default: one as the 99th, three as the 90th, 95th and 99th",
                "",
                "info",
            )
        if unlabeled:
            self.note(
                "percentiles-unlabeled",
                f"the percentiles of {', '.join(map(repr, unlabeled[:5]))} have no labels; they were left out",
            )
        return latency


def _usual_length(performance: Mapping[str, Any], labels: tuple[float, ...]) -> int:
    """Numbers in a line: those that the run's percentiles give, else those of most lines; 0 if as many have others."""
    lengths = Counter(len(value) for value in performance.values() if isinstance(value, list) and len(value) >= _FEWEST)
    if labels and _FEWEST + len(labels) in lengths:
        return _FEWEST + len(labels)
    first, second = (*lengths.most_common(2), (0, 0), (0, 0))[:2]
    return first[0] if first[1] > second[1] else 0


def _labels(reporting_options: Mapping[str, Any]) -> tuple[float, ...]:
    """The percentiles of the run, from ``Percentiles: 90,95,99`` or ``Percentile: 99``."""
    for key in ("Percentiles", "Percentile"):
        value = reporting_options.get(key)
        number = written_number(value)
        if number is not None:
            return (number,)
        if isinstance(value, str) and _NUMBER_LIST.fullmatch(value.strip()):
            return tuple(number for part in value.split(",") if (number := written_number(part)) is not None)
    return ()


def _from_list(values: list[Any], labels: tuple[float, ...]) -> tuple[LatencySummary | None, bool]:
    """[min, max, mean, median, percentiles …] in ms, and whether it has percentiles without labels."""
    numbers = [_milliseconds(value) for value in values]
    if len(numbers) < _FEWEST or all(number is None for number in numbers):
        return None, bool(numbers)
    if len(labels) != len(numbers) - 4:
        labels = _PERCENTILES_OF.get(len(numbers), ())
    percentiles = {label: number for label, number in zip(labels, numbers[4:]) if number is not None}
    return LatencySummary(numbers[0], numbers[1], numbers[2], numbers[3], percentiles), len(numbers) > 4 and not labels


def _milliseconds(value: Any) -> float | None:
    quantity = written_quantity(value)
    return quantity[0] if quantity and quantity[1] in ("", "ms") and quantity[0] >= 0 else None
