"""EnginePlan → Device: the GPU that the plan's own files name, completed from the table of known devices.

The facts in the engine's files (SMs, clock, memory bus, L2) take precedence over the table; if the two differ beyond
rounding, a Note says so. Bandwidth = 2 · memory clock · bus width / 8: the driver's memory clock counts two transfers a
tick for HBM and GDDR; for memory shared with a CPU (Jetson, GB10) it does not, and the table's figure is used. The
clock that trtexec prints is the driver's maximum, not the one that ran; telemetry of the profiled run has that one
(``Device.running_clock_ghz``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from math import isnan
from statistics import median
from typing import TYPE_CHECKING, Any

from trex.core.device_facts import DeviceFacts
from trex.core.note import Note
from trex.perf.device import Device
from trex.perf.known_devices import close_names, devices_called, find_device, known_devices, plain_name
from trex.perf.peaks import known_capabilities, may_halve_fp32_accumulation

if TYPE_CHECKING:
    from trex.core.telemetry import Telemetry
    from trex.plan.engine_plan import EnginePlan

__all__ = ["chosen_by_hand", "device_of", "device_of_facts", "find_device"]

_OWN_FILE = "`trex devices NAME --save mine.json` writes a file to start your own from"
_SHARED_MEMORY = frozenset({(5, 3), (6, 2), (7, 2), (8, 7), (10, 1), (11, 0), (12, 1)})
_MIG = re.compile(r"^(?P<card>.*\S)\s+MIG\s+(?P<slice>[0-9]{1,2}[cg]\.\S+)$", re.IGNORECASE)
_VGPU = re.compile(
    r"^(?:NVIDIA\s+)?(?:GRID\s+)?(?P<card>\S.*?)-(?P<slice>(?:[0-9]-)?[0-9]{1,3}[ABCQV])$", re.IGNORECASE
)
_WITHOUT_MATRIX_UNITS = re.compile(
    r"\b(GTX 16[0-9]{2}|MX[0-9]{3}|T(400|500|550|600|1000|1200)|CMP .*)\b", re.IGNORECASE
)
_WHOLE = 0.9
"""Share of a card's bandwidth from which that of a slice is taken for the card's: 7/8 is the largest slice below it."""
_MAX_NAME = 200
_MEASURED = "profile"
_BUSY_PCT = 10.0
_SAME_CLOCK = 0.01
_MOST_ABOVE = 2.0
"""Of a clock or a bandwidth, over the table's: another power mode or a slice has less, and laptops boost by 1.6."""
_SAME_BANDWIDTH = 0.05
_LEAST_MEMORY = 0.75
"""Of a module's capacity: firmware keeps the rest. Our choice; 14 486 of 16 384 MiB have been seen on an Orin NX."""


def chosen_by_hand(plan: EnginePlan, device: Device) -> Iterator[Note]:
    """A Note on a known GPU that is not the known one of the engine's files. One of the user's own file is as meant."""
    named = plan.device_facts.name
    if not named or plain_name(named) in map(plain_name, (device.name, *device.aliases)):
        return
    known = [one.device for one in known_devices()[0]]
    if devices_called(named, known) and devices_called(device.name, known):
        message = f"times are judged against {device.name}, though the engine's files name {named!r}"
        yield Note("device-chosen-by-hand", message, "leave --device out to take the one that the files name")


def device_of(plan: EnginePlan) -> Device | None:
    """The device that ran the profile, else the one that built the engine; None if the files name none.

    For an unknown name only the facts in the files are used: with compute capability, SMs and clock the peaks are
    derived. A similar name is never taken for a match. Doubts are in ``Device.notes``.
    """
    facts = plan.device_facts
    telemetry = plan.telemetry
    if facts.name is None and telemetry is not None and isinstance(telemetry.gpu.get("name"), str):
        facts = replace(facts, name=str(telemetry.gpu["name"]))
    if facts.is_empty:
        return None
    metadata = plan.metadata if plan.metadata.device else plan.build_metadata
    where = metadata.sources[0].replace("\\", "/").rpartition("/")[2] if metadata.sources else ""
    notes = list(_contexts(plan, facts, where))
    device = device_of_facts(facts, where)
    if telemetry is not None:
        device = _with_running_clock(device, telemetry)
    return replace(device, notes=(*device.notes, *notes))


def device_of_facts(facts: DeviceFacts, where: str = "", source: str = "") -> Device:
    """The device with these facts. where: address of the file that contains them. source: where the facts come from."""
    source = source or f"reported by the engine's files{f' ({where})' if where else ''}"
    notes: list[Note] = []
    name = facts.name or "unnamed device"
    card, is_slice = _whole_card(name, notes, where)
    known = _known(card, facts, notes, where) if facts.name else None
    if is_slice and not _is_of_slice(_bandwidth(facts), known):
        facts = replace(facts, memory_bus_bits=None)
    if known is None:
        known = Device(name)
    elif is_slice:  # the share of a slice is only in the engine's files
        known = replace(
            known, sm_count=None, bandwidth_gb_per_s=None, l2_mib=None, l2_gb_per_s=None, l2_bytes_per_clock=None
        )
    return replace(_merged(known, facts, name, notes, where, source), notes=tuple(notes))


def _whole_card(name: str, notes: list[Note], where: str) -> tuple[str, bool]:
    """(name of the physical card, whether only a slice of it is available)."""
    if len(name) > _MAX_NAME:  # no driver's name; the patterns below take quadratic time
        return name, False
    mig = _MIG.match(name)
    if mig:
        sliced = f"{name!r} is a MIG slice ({mig['slice']}) of a {mig['card']}: unknown bandwidth and L2 of the slice"
        hint = "`trex devices measure` on the slice measures them; SMs are as the engine's files report them"
        notes.append(Note("device-is-a-slice", sliced, hint, where))
        return mig["card"], True
    vgpu = _VGPU.match(name)
    if vgpu and not name.upper().endswith("GB"):
        backed = "-" in vgpu["slice"]
        virtual = f"{name!r} is a virtual GPU on a {vgpu['card']}: " + (
            "a slice of it, of unknown bandwidth and L2" if backed else "other machines may share it"
        )
        notes.append(Note("device-is-virtual", virtual, "measure on the whole card, or alone on it", where))
        return vgpu["card"], backed
    return name, False


def _known(name: str, facts: DeviceFacts, notes: list[Note], where: str) -> Device | None:
    """The one known device of this name, selected by memory, SMs and clock if several share it (``Orin``)."""
    listed, unread = known_devices()
    notes.extend(unread)
    devices = [entry.device for entry in listed]
    matches = devices_called(name, devices)
    if len(matches) > 1:
        fitting = _fitting(matches, facts)
        if len(fitting) == 1:
            return fitting[0]
        several = ", ".join(device.name for device in fitting or matches)
        unclear = f"ambiguous device name {name!r} ({several}): facts that are not in the files stay unknown"
        notes.append(Note("device-ambiguous", unclear, "choose one with --device NAME", where))
        return None
    if matches:
        return matches[0]
    close = close_names(name, devices, 3)
    others = f"; {', '.join(close)} {'is another part' if len(close) == 1 else 'are other parts'}" if close else ""
    absent = f"the device {name!r} is not in the table of known devices{others}"
    left, is_derived = _left(facts)
    severity = "info" if is_derived else "warning"
    notes.append(Note("device-not-known", f"{absent}: {left}", f"--device NAME|FILE; {_OWN_FILE}", where, severity))
    return None


def _left(facts: DeviceFacts) -> tuple[str, bool]:
    """(the consequence for the peaks of an unknown device, whether they can be derived)."""
    missing = [
        words
        for words, value in (
            ("compute capability", facts.compute_capability),
            ("SMs", facts.sm_count),
            ("clock", facts.compute_clock_ghz),
        )
        if value is None
    ]
    if missing:
        return f"its peaks stay unknown: no {' or '.join(missing)} in its files", False
    if facts.compute_capability not in known_capabilities():
        return "its peaks stay unknown: no known rates for its compute capability", False
    return "its peaks are derived from compute capability, SMs and clock in its files", True


def _fitting(devices: list[Device], facts: DeviceFacts) -> list[Device]:
    """The devices that the facts do not contradict; of these, those with exactly its SMs and its clock, if any.

    A Jetson's power mode may switch SMs off and lower the clock, so fewer SMs contradict nothing.
    """
    fitting = [
        device
        for device in devices
        if facts.compute_capability in (None, device.compute_capability)
        and (facts.sm_count is None or facts.sm_count <= (device.sm_count or 0))
        and _has_memory(device, facts.memory_mib)
    ]
    fitting = [device for device in fitting if device.sm_count == facts.sm_count] or fitting
    clock = facts.compute_clock_ghz
    return [device for device in fitting if _near(device.clock_ghz, clock, _SAME_CLOCK)] or fitting


def _has_memory(device: Device, memory_mib: float | None) -> bool:
    """Whether the driver may report this much of the device's memory; true if either is unknown."""
    if memory_mib is None or device.memory_gib is None:
        return True
    return _LEAST_MEMORY <= memory_mib / 1024 / device.memory_gib <= 1


def _merged(known: Device, facts: DeviceFacts, name: str, notes: list[Note], where: str, origin: str) -> Device:
    """The known device with the facts' figures in place of the table's."""
    figures: dict[str, Any] = {}
    sources, certainties = dict(known.sources), dict(known.certainties)

    def take(field: str, value: Any, source: str = origin) -> None:
        if value is not None:
            figures[field], sources[field], certainties[field] = value, source, "reported"

    take("compute_capability", facts.compute_capability)
    take("sm_count", facts.sm_count)
    take("clock_ghz", facts.compute_clock_ghz, f"{origin}: the driver's maximum or application clock")
    take("l2_mib", facts.l2_mib)
    capability = facts.compute_capability or known.compute_capability
    bandwidth = _bandwidth(facts)
    if bandwidth is not None and capability in _SHARED_MEMORY:
        shared = "the driver's memory clock does not give the bandwidth of memory that is shared with a CPU"
        left = "the table's figure is used" if known.bandwidth_gb_per_s else "it stays unknown"
        notes.append(Note("device-shared-memory", f"{shared}: {left}", "", where, "info"))
    else:
        formula = f"2 × {facts.memory_clock_ghz} GHz × {facts.memory_bus_bits} bits / 8, {origin}"
        take("bandwidth_gb_per_s", bandwidth, formula)
    notes.extend(_differences(known, figures, where))
    clock = figures.get("clock_ghz")
    if clock is not None and known.tensor_clock_ghz is not None and clock < known.tensor_clock_ghz:
        figures["tensor_clock_ghz"] = None
    if (
        known.halves_fp32_accumulation is None
        and "geforce" in name.casefold()
        and may_halve_fp32_accumulation(capability)
    ):
        figures["halves_fp32_accumulation"] = True
        sources["halves_fp32_accumulation"] = "its name says GeForce"
        certainties["halves_fp32_accumulation"] = "derived"
    if capability == (7, 5) and _WITHOUT_MATRIX_UNITS.search(name):
        figures["has_matrix_units"] = False
    return replace(known, name=name, sources=sources, certainties=certainties, **figures)


def _bandwidth(facts: DeviceFacts) -> float | None:
    if facts.memory_clock_ghz is None or facts.memory_bus_bits is None:
        return None
    return 2 * facts.memory_clock_ghz * facts.memory_bus_bits / 8


def _is_of_slice(bandwidth: float | None, card: Device | None) -> bool:
    """Whether a bandwidth in the files of a slice is less than the whole card's, so that it can be the slice's."""
    whole = None if card is None else card.bandwidth_gb_per_s
    return bandwidth is not None and whole is not None and bandwidth < _WHOLE * whole


def _differences(known: Device, figures: dict[str, Any], where: str) -> Iterable[Note]:
    """Differences of the engine's files and the table beyond rounding."""
    for field, words, unit, tolerance in (
        ("compute_capability", "compute capability", "", 0.0),
        ("sm_count", "SMs", "", 0.0),
        ("clock_ghz", "clock", " GHz", _SAME_CLOCK),
        ("bandwidth_gb_per_s", "bandwidth", " GB/s", _SAME_BANDWIDTH),
        ("l2_mib", "L2", " MiB", 0.01),
    ):
        before, after = getattr(known, field), figures.get(field)
        if before is None or after is None or before == after:
            continue
        if tolerance and _near(before, after, tolerance):
            continue
        shown = [".".join(map(str, v)) if isinstance(v, tuple) else f"{v:.6g}{unit}" for v in (after, before)]
        hint = ""
        if field in ("sm_count", "compute_capability"):
            hint = "the name in the file may be wrong, or only a slice of the device ran"
        if field == "sm_count" and known.compute_capability in _SHARED_MEMORY and after < before:
            hint = "a Jetson's power mode (nvpmodel) can switch SMs off"
        if tolerance and after > _MOST_ABOVE * before:
            hint = "no device of this name has so much: the name or a figure of the file is wrong"
        severity = "warning" if hint else "info"
        values = f"{shown[0]} in the engine's files, {shown[1]} in the table of known devices"
        message = f"{words}: {values}; the files' value is used"
        yield Note("device-facts-differ", message, hint, where, severity)


def _contexts(plan: EnginePlan, facts: DeviceFacts, where: str) -> Iterable[Note]:
    """Notes on how the plan and the device belong together."""
    if plan.is_synthetic and not plan.provenance.has_predicted_times:  # their statement says it
        stated = f"the data is synthetic: {facts.name or 'the device'} is stated by its script, nothing ran on it"
        yield Note("device-is-synthetic", stated, "", where, "info")
    built = plan.build_device_facts.name
    if built and facts.name and plain_name(built) != plain_name(facts.name):
        moved = f"the engine was built on {built!r} and profiled on {facts.name!r}"
        yield Note(
            "device-not-of-the-build",
            moved,
            "build on the device that runs it: the builder times tactics to choose them",
            where,
        )


def _with_running_clock(device: Device, telemetry: Telemetry) -> Device:
    """The device with the median clock of the profiled run's telemetry while the GPU was busy; of all of it if no stage
    is named.
    """
    stage = _MEASURED if telemetry.stages else ""
    clocks = telemetry.values("sm_clock_mhz", stage)
    busy = telemetry.values("gpu_utilization_pct", stage)
    known = [clock for clock in clocks if not isnan(clock) and clock > 0]
    if len(busy) == len(clocks):
        working = [clock for clock, pct in zip(clocks, busy) if pct >= _BUSY_PCT and clock > 0]
        known = working or known
    if not known:
        return device
    source = f"median of {len(known)} samples of the GPU's telemetry" + (" while the profile ran" if stage else "")
    return replace(
        device,
        running_clock_ghz=median(known) / 1000,
        sources={**device.sources, "running_clock_ghz": source},
        certainties={**device.certainties, "running_clock_ghz": "measured"},
    )


def _near(first: float | None, second: float | None, tolerance: float) -> bool:
    return first is not None and second is not None and abs(first - second) <= tolerance * max(first, second)
