"""Memory: what the engine must hold while it runs, what sets the peak, what it stores, and what would lower both."""

from __future__ import annotations

from collections.abc import Iterator

from trex.core.counted import counted
from trex.core.printable import clipped, printable
from trex.perf.memory.peak import Peak
from trex.perf.memory.plan_memory import Memory, memory_of
from trex.perf.memory.reported import Reported
from trex.perf.performance import Performance
from trex.plan.memory import Bytes
from trex.views.document import Detail, Fact, Section, SectionPlug, section
from trex.views.perf.memory_tables import memory_tables
from trex.views.table import byte_size


def make(performance: Performance, detail: Detail) -> Section | None:
    own = performance.memory
    memory, point = _shown(performance)
    stored = memory.stored.total
    if memory.peak is None and not memory.reported and not stored.known and not memory.activations.unknown_count:
        return None
    return section(
        statements=tuple(_statements(memory, point, own.comparison)),
        facts=tuple(_facts(memory, point)),
        tables=tuple(table for table in memory_tables(memory, own.points, detail) if table.rows or table.left_out),
    )


# Of the peak: less is noise to a reader.
_WORTH_TELLING = 0.01
_NAME_CHARS = 60

SECTION = SectionPlug("Memory", 70, make)


def _shown(performance: Performance) -> tuple[Memory, str]:
    """The memory, at the largest shapes of the profile where those are known and the engine's own are not."""
    memory = performance.memory
    if any(point.point == "max" for point in memory.points):
        return memory_of(performance.plan.at_shapes("max")), "max"
    return memory, ""


# ------------------------------------------------------------------------------------------------------------ words


def _statements(memory: Memory, point: str, comparison: str) -> Iterator[str]:
    peak = memory.peak
    at = f" at the {point} shapes" if point else ""
    if peak is None:
        yield "The activations' peak is unknown: the file contains no size of a tensor between layers."
    elif (reported := _reported_instead(memory, peak)) is not None:
        yield f"TensorRT reports {byte_size(reported)} of activation memory; the sizes of most tensors are unknown."
    elif not peak.size_bytes:
        yield "No layer hands a tensor of known size to another, so no memory for activations is needed."
    else:
        least = "at least " if memory.is_lower_bound else ""
        yield (
            f"Activations need {least}{byte_size(peak.size_bytes)}{at}, while layer {peak.layer.index} "
            f"({_name(peak.layer.name)}) runs; inputs and outputs are the caller's{_and(memory.bindings)}."
        )
        yield from _about_peak(memory, peak)
    if memory.is_lower_bound:
        yield _untold(memory)
    if peak is not None and memory.side_layers:
        yield (
            f"{counted(memory.side_layers, 'layer')} on auxiliary streams may run in parallel with others, so more can "
            "be live than in this order."
        )
    if comparison:
        yield comparison
    if memory.stored.total.known:
        yield _about_weights(memory)


def _reported_instead(memory: Memory, peak: Peak) -> int | None:
    """TensorRT's own figure, where so many sizes are unknown that the known ones are less than half of it."""
    reported = memory.reported.shared_bytes if memory.reported is not None else None
    is_short = reported is not None and 2 * peak.size_bytes < reported
    return reported if is_short and memory.is_lower_bound else None


def _about_peak(memory: Memory, peak: Peak) -> Iterator[str]:
    waiting = [item for item in peak.held if not item.is_used and item.size_bytes]
    if peak.waiting_bytes > _WORTH_TELLING * peak.size_bytes:
        yield (
            f"{byte_size(peak.waiting_bytes)} of the peak ({100 * peak.waiting_bytes / peak.size_bytes:.0f} %) only "
            f"wait there for later layers, in {counted(len(waiting), 'tensor')}."
        )
    else:
        few = f"{byte_size(peak.waiting_bytes)} of " if waiting else ""
        yield (
            f"{'All but ' + few if few else 'All of '}the peak is what that layer itself reads and writes: smaller "
            "tensors help, another order of the layers does not."
        )


def _name(name: str) -> str:
    return clipped(printable(name), _NAME_CHARS) or "a tensor without a name"


def _about_weights(memory: Memory) -> str:
    stored = memory.stored
    known = [(item.label, part.known_bytes) for item, part in stored.by_type.items() if part.known_bytes]
    types = ", ".join(f"{byte_size(size)} {label}" for label, size in known)
    text = f"Weights take {byte_size(stored.total.known)} ({types})"
    if stored.total.unknown_count:
        text += f", and {counted(stored.total.unknown_count, 'stored tensor is', 'stored tensors are')} of unknown size"
    best = stored.narrowings[0] if stored.narrowings else None
    if best is not None and best.saved_bytes:
        text += f"; in {best.to} those of {best.data_type.label} would take {byte_size(best.saved_bytes)} less"
    return f"{text} (arithmetic only: accuracy is not judged)." if best else f"{text}."


def _untold(memory: Memory) -> str:
    parts = []
    if memory.activations.unknown_count:
        parts.append(f"{counted(memory.activations.unknown_count, 'tensor')} of unknown size")
    if memory.untold_layers:
        parts.append(f"{counted(memory.untold_layers, 'layer')} without outputs in the file")
    return f"{' and '.join(parts)} could not be counted, so the figures are lower bounds."


def _and(size: Bytes) -> str:
    return f" ({byte_size(size.known)})" if size.known and not size.unknown_count else ""


def _sum_text(size: Bytes) -> str:
    unknown = f" + {counted(size.unknown_count, 'tensor')} of unknown size" if size.unknown_count else ""
    return f"{byte_size(size.known)}{unknown}" if size.known or not unknown else unknown[3:]


def _facts(memory: Memory, point: str) -> Iterator[Fact]:
    peak = memory.peak
    if peak is not None:
        at = f" at the {point} shapes" if point else ""
        least = "≥ " if memory.is_lower_bound else ""
        yield Fact("Peak of activations", f"{least}{byte_size(peak.size_bytes)}{at}", peak.size_bytes)
        yield Fact("Sum of activations", _sum_text(memory.activations), _bytes_data(memory.activations))
    if memory.reuse_factor is not None:
        yield Fact("Reuse factor", f"{memory.reuse_factor:.2f}", memory.reuse_factor)
    if memory.bindings.known or memory.bindings.unknown_count:
        yield Fact("Inputs and outputs", _sum_text(memory.bindings), _bytes_data(memory.bindings))
    if memory.given.known or memory.given.unknown_count:
        yield Fact("Data that no layer writes", _sum_text(memory.given), _bytes_data(memory.given))
    if memory.host.known or memory.host.unknown_count:
        yield Fact("In the host's memory", _sum_text(memory.host), _bytes_data(memory.host))
    yield Fact("Weights", _sum_text(memory.stored.total), _bytes_data(memory.stored.total))
    reported = memory.reported or Reported()
    for label, size in (
        ("TensorRT's activation memory", reported.shared_bytes),
        ("TensorRT's scratch memory", reported.scratch_bytes),
        ("TensorRT's weights memory", reported.weights_bytes),
    ):
        if size is not None:
            yield Fact(label, byte_size(size), size)


def _bytes_data(size: Bytes) -> dict[str, int]:
    return {"bytes": size.known, "unknown": size.unknown_count}


# ------------------------------------------------------------------------------------------ derivations and data
