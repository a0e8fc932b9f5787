"""EnginePlan and works → the GPU layers whose times probably contain the run time of the DLA.

Until about TensorRT 8.5 the row of a DLA part has only the time of its launch; the first GPU layer that reads what the
part wrote, or the layer after a copy of it, waits for the part (``trex explain dla``). Such a layer takes five times as
long as the part or more, and longer than::

    0.2 ms + bytes / 2 GB/s + operations / 0.2 TOP/s

Of 222 layers of 18 real engines that take more than 0.05 ms, the slowest takes an eighth of that (16 GB/s); the slowest
device with a DLA, Xavier NX, has 51 GB/s. Layers of unknown work, such as regions and plugins, are not judged.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from trex.core.counted import counted
from trex.core.layer import DLA_PART, REFORMATS
from trex.core.note import Note
from trex.core.printable import clipped
from trex.core.release import release_from_text
from trex.core.significant import significant

if TYPE_CHECKING:
    from trex.perf.work.work import Work
    from trex.plan.engine_plan import EnginePlan

DLA_TIME = "dla-time-in-gpu-layers"
WORDS = "layer time is probably the run time of a DLA part"
_LAUNCH_MS = 0.2
_OF_LAUNCHES = 5.0
"""Our choice: a part with a row of its own time is no launch."""
_BYTES_PER_S, _OPS_PER_S = 2e9, 0.2e12
_FIRST_WITH_OWN_TIMES = 10
"""Which release was the first to do so is not known exactly; this one does."""
_LONGEST = 60


def has_dla(plan: EnginePlan) -> bool:
    return any(layer.type == DLA_PART for layer in plan.working_layers)


def dla_waits(plan: EnginePlan, works: Sequence[Work]) -> frozenset[int]:
    """Positions in ``plan.working_layers`` of the GPU layers that probably have the time of a DLA part."""
    release = release_from_text(plan.tensorrt_version)
    if plan.provenance.has_predicted_times or (release is not None and release.major >= _FIRST_WITH_OWN_TIMES):
        return frozenset()
    layers, times = plan.working_layers, plan.layer_ms
    writers: dict[str, int] = {}
    read: dict[int, set[int]] = {}
    waits = set()
    for position, (layer, work, ms) in enumerate(zip(layers, works, times, strict=True)):
        sources = {writers[tensor.name] for tensor in layer.inputs if tensor.name in writers}
        parts = {source for source in sources if layers[source].type == DLA_PART}
        parts |= {part for source in sources for part in read.get(source, ())}
        if layer.type != DLA_PART and parts:
            if _takes_more(ms, work, [times[part] for part in parts]):
                waits.add(position)
            elif layer.type in REFORMATS:  # what follows a copy that does not wait may
                read[position] = parts
        writers |= {tensor.name: position for tensor in layer.outputs if tensor.name}
    return frozenset(waits)


def _takes_more(ms: float | None, work: Work, launches_ms: Sequence[float | None]) -> bool:
    """Whether a layer takes longer than the DLA parts that it reads, and than any GPU needs for its work."""
    launches = [launch for launch in launches_ms if launch is not None]
    if ms is None or len(launches) < len(launches_ms) or work.bytes_moved is None or work.operations is None:
        return False
    enough_ms = _LAUNCH_MS + 1e3 * (work.bytes_moved / _BYTES_PER_S + work.operations / _OPS_PER_S)
    return ms > max(enough_ms, _OF_LAUNCHES * sum(launches))


def dla_time_note(plan: EnginePlan, waits: frozenset[int]) -> Iterator[Note]:
    """At most one warning. waits: see ``dla_waits``."""
    if not waits:
        return
    layers, times = plan.working_layers, plan.layer_ms
    slowest = max(waits, key=lambda position: times[position] or 0.0)
    waiting = sum(times[position] or 0.0 for position in waits)
    parts = [ms or 0.0 for layer, ms in zip(layers, times, strict=True) if layer.type == DLA_PART]
    rows = counted(len(waits), "GPU layer that waits", "GPU layers that wait")
    message = (
        f"the DLA's own run time is probably in {rows} for it ({significant(waiting, 3)} ms; the slowest: "
        f"{clipped(layers[slowest].name, _LONGEST)!r}), not in its {'part' if len(parts) == 1 else 'parts'} "
        f"({significant(sum(parts), 3)} ms): rules, savings and the roofline leave that time out"
    )
    source = plan.layer_times.source if plan.layer_times else ""
    yield Note(DLA_TIME, message, "trex explain dla", source)
