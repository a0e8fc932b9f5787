"""Which GPU the figures are judged against, and what to keep in mind about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from trex.core.counted import counted
from trex.core.note import Note
from trex.perf.arithmetic import Arithmetic
from trex.perf.device import Device
from trex.perf.peaks import accumulates_in_fp32, may_halve_fp32_accumulation
from trex.perf.performance import Performance
from trex.views.devices import PEAKS, capability_text, rounded
from trex.views.document import Detail, Fact, Section, SectionPlug, section

_UNKNOWN = Note(
    "no-device",
    "the engine's files do not say which GPU ran it: rates are shown, but not compared with a peak",
    "--device NAME (`trex devices` lists them); trtexec's profile log or `trex process` records it",
    severity="info",
)


def make(performance: Performance, detail: Detail) -> Section:
    device = performance.device
    if device is None:
        return section(statements=("Which GPU this engine ran on is not known.",), notes=(_UNKNOWN,))
    used = Counter(arithmetic for arithmetic in performance.roofline.arithmetic if arithmetic is not None)
    return section(
        statements=(_judged_against(device), *_caveats(device, used)),
        facts=tuple(_facts(device)),
        notes=device.notes,
    )


def _judged_against(device: Device) -> str:
    capability = capability_text(device)
    parts = [
        f"compute capability {capability}" if capability else "",
        f"{device.sm_count} SMs" if device.sm_count is not None else "",
        f"{device.clock_ghz:g} GHz" if device.clock_ghz is not None else "",
    ]
    known = ", ".join(part for part in parts if part)
    return f"Figures are judged against the peaks of {device.name}" + (f" ({known})." if known else ".")


def _caveats(device: Device, used: Counter[Arithmetic]) -> Iterator[str]:
    missing = ["its memory bandwidth"] if device.bandwidth_gb_per_s is None else []
    if not any(map(device.ops_per_s, PEAKS)):
        missing.append("its peaks")
    if missing:
        yield f"Not known of it: {' and '.join(missing)}; what needs that stays unknown."
    if device.power_note:
        yield f"Power: {device.power_note}."
    yield from _clock_that_ran(device)
    yield from _sums(device, used)
    l2 = device.l2_bytes_per_s
    if l2 is not None and l2.certainty == "derived":
        yield "The bandwidth of its L2 is not published: an upper bound stands in for it, which hides limits by the L2."


def _clock_that_ran(device: Device) -> Iterator[str]:
    if device.running_clock_ghz is None or device.clock_ghz is None:
        return
    share = device.running_clock_ghz / device.clock_ghz
    text = f"While the profile ran, the clock was {device.running_clock_ghz:.3g} GHz (median)"
    if share < 0.97:
        yield f"{text}, {100 * share:.0f} % of the clock assumed here: arithmetic and L2 had that share of their peaks."
    else:
        yield f"{text}, close to or above the one assumed here."


def _sums(device: Device, used: Counter[Arithmetic]) -> Iterator[str]:
    is_of_use = any(accumulates_in_fp32(arithmetic) is not False for arithmetic in used)
    if not is_of_use or not may_halve_fp32_accumulation(device.compute_capability):
        return
    if device.halves_fp32_accumulation is None:
        yield (
            "Whether this part sums in FP32 at half rate, as GeForce parts do, is not known: half rate is assumed for "
            "TF32, BF16, and for FP16 and FP8 with sums in FP32."
        )
    elif device.halves_fp32_accumulation:
        untold = sum(layers for arithmetic, layers in used.items() if accumulates_in_fp32(arithmetic) is None)
        yield (
            "This part sums in FP32 at half rate: FP16 with sums in FP16 has twice the peak of FP16 with sums in FP32."
            + (f" For {counted(untold, 'layer')} the accumulator type is unknown." if untold else "")
        )


def _facts(device: Device) -> Iterator[Fact]:
    yield Fact("Device", device.name, device.name)
    bandwidth = device.bytes_per_s
    if bandwidth is not None:
        gb_per_s = bandwidth.per_second / 1e9
        yield Fact("Memory bandwidth", f"{gb_per_s:,.4g} GB/s ({bandwidth.certainty})", rounded(gb_per_s))
    if device.l2_mib is not None:
        yield Fact("L2", f"{device.l2_mib:g} MiB", device.l2_mib)
    if device.power_limit_w is not None:
        yield Fact("Power limit", f"{device.power_limit_w:g} W", device.power_limit_w)


SECTION = SectionPlug("Device", 10, make)
