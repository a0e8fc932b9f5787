"""Kernels: families, generations and units of the layers' kernels, by time, and what their names leave open."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trex.core.counted import counted
from trex.core.printable import clipped, printable
from trex.core.provenance import Provenance
from trex.core.tactic import Tactic
from trex.ingest.spelling.tactic_names import decode_tactic
from trex.perf.kernel_use import MATRIX_KINDS, KernelUse, UseSummary, kernel_use_of
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan
from trex.plan.kernels import is_chosen_late
from trex.views.document import Detail, Section, SectionPlug, section
from trex.views.table import Table, TableColumn

_UNKNOWN_FAMILY = "no known family"
_UNITS = {True: "Tensor Cores", False: "CUDA cores", None: "unknown"}
_NAME_CHARS = 100
_MOST_SHOWN = 5
_USE_COLUMNS = (
    TableColumn("layers", "count"),
    TableColumn("kernels", "count"),
    TableColumn("time", "ms", "ms", if_known=True),
    TableColumn("time %", "pct", if_known=True),
)


def make(performance: Performance, detail: Detail) -> Section | None:
    use = kernel_use_of(performance.plan)
    if not use.layers:
        return None
    sm = _device_sm(performance)
    return section(
        statements=tuple(_statements(use, sm, performance.plan)),
        tables=(_families(use), _kernels(use).first(detail.top)),
    )


SECTION = SectionPlug("Kernels", 60, make)


def _device_sm(performance: Performance) -> int | None:
    device = performance.device
    if device is None or device.compute_capability is None:
        return None
    major, minor = device.compute_capability
    return 10 * major + minor


# ------------------------------------------------------------------------------------------------------------ words


def _statements(use: KernelUse, sm: int | None, plan: EnginePlan) -> Iterator[str]:
    families = use.by(_family)
    named = [f"{family} {_part(use, item)}" for family, item in list(families.items())[:3]]
    more = f" and {counted(len(families) - 3, 'more family', 'more families')}" if len(families) > 3 else ""
    kernels = counted(len(use.by_name()), "kernel")
    yield f"{kernels} of {counted(len(families), 'family', 'families')}: {_listed(named)}{more}."
    yield from _of_units(use)
    yield from _of_generations(use, sm)
    sparse = use.of(lambda kernel: kernel.sparse)
    if sparse.layers:
        layers = counted(sparse.layers, "layer runs a kernel", "layers run kernels")
        yield f"{layers} for 2:4 sparse weights{_time_text(use, sparse)}."
    if plan.provenance is Provenance.SIMULATED:
        yield "The engine is simulated, and the names of its kernels are invented: TensorRT chooses kernels of its own."
        return
    if any(map(is_chosen_late, plan.working_layers)):
        yield "TensorRT for RTX chooses most kernels on the GPU at run time; until then their names are stubs."
        return
    yield from _of_names(use)


def _of_units(use: KernelUse) -> Iterator[str]:
    every = use.of(_multiplies)
    if not every.layers:
        return
    texts = []
    for unit, item in use.by(lambda kernel: _UNITS[kernel.tensor_core] if _multiplies(kernel) else None).items():
        share = use.share(item, every)
        amount = f"{100 * share:.0f} % of their time" if share is not None else f"{item.layers:,}"
        texts.append(f"{amount} {'on ' + unit if unit != _UNITS[None] else 'where the name does not show it'}")
    yield f"Of the {counted(every.layers, 'layer')} that multiply matrices: {_listed(texts)}."


def _of_generations(use: KernelUse, sm: int | None) -> Iterator[str]:
    if sm is None:
        return
    older = use.of(lambda kernel: _multiplies(kernel) and _generation_before(kernel, sm))
    if older.layers:
        before = use.by(lambda kernel: kernel.sm if _multiplies(kernel) and _generation_before(kernel, sm) else None)
        written = _listed([_capability(item) for item in sorted(before)])
        yield (
            f"{counted(older.layers, 'layer multiplies', 'layers multiply')} with kernels of an older generation than "
            f"the device: written for compute capability {written}, the device has {_capability(sm)}"
            f"{_time_text(use, older)}."
        )
    newer = use.of(lambda kernel: kernel.sm is not None and kernel.sm > sm)
    if newer.layers:
        yield (
            f"{counted(newer.layers, 'layer runs a kernel', 'layers run kernels')} written for a newer device than "
            f"compute capability {_capability(sm)}: the engine ran on another device than the one named here."
        )


def _of_names(use: KernelUse) -> Iterator[str]:
    unknown = use.of(lambda kernel: not kernel.family)
    if unknown.layers:
        untold = [name for name in use.by_name() if not decode_tactic(name).family]
        yield (
            f"{counted(unknown.kernels, 'name is', 'names are')} of no known family{_time_text(use, unknown)}: "
            f"{_listed([clipped(printable(name), _NAME_CHARS) for name in untold[:_MOST_SHOWN]])}."
        )


def _part(use: KernelUse, use_summary: UseSummary) -> str:
    share = use.share(use_summary)
    return f"{100 * share:.0f} % of the time" if share is not None else counted(use_summary.layers, "layer")


def _time_text(use: KernelUse, use_summary: UseSummary) -> str:
    """In brackets, behind a number of layers; nothing where times are unknown."""
    share = use.share(use_summary)
    return "" if share is None else f" ({100 * share:.0f} % of the time)"


def _listed(words: list[str]) -> str:
    return ", ".join(words)


# ----------------------------------------------------------------------------------------------------------- tables


def _row(use: KernelUse, use_summary: UseSummary) -> tuple[Any, ...]:
    share = use.share(use_summary)
    return use_summary.layers, use_summary.kernels, use_summary.time_ms, None if share is None else 100 * share


def _families(use: KernelUse) -> Table:
    rows = [(family, *_row(use, item)) for family, item in use.by(_family).items()]
    if use.unnamed.layers:
        rows.append(("no kernel named", *_row(use, use.unnamed)))
    return Table("Kernels by family", (TableColumn("family"), *_USE_COLUMNS), tuple(rows))


def _kernels(use: KernelUse) -> Table:
    rows = []
    for name, item in use.by_name().items():
        tactic = decode_tactic(name)
        share = use.share(item)
        rows.append(
            (
                name,
                item.layers,
                item.time_ms,
                None if share is None else 100 * share,
                _UNITS[tactic.tensor_core],
                _types(tactic),
                None if tactic.tile is None else "×".join("?" if side is None else str(side) for side in tactic.tile),
                tactic.stages,
            )
        )
    columns = (
        TableColumn("kernel", "name", readable=36),
        TableColumn("layers", "count"),
        TableColumn("time", "ms", "ms", if_known=True),
        TableColumn("time %", "pct", if_known=True),
        TableColumn("units"),
        TableColumn("types"),
        TableColumn("tile", if_known=True),
        TableColumn("stages", "count", if_known=True),
    )
    title = "Kernels that take longest" if use.total_ms is not None else "Kernels of most layers"
    return Table(title, columns, tuple(rows), more="trex perf --top N")


def _types(tactic: Tactic) -> str:
    """``FP16 → FP16, sums FP32``; what the name does not contain is left out."""
    taken, out, sums = tactic.input_type, tactic.output_type, tactic.accumulate_type
    if not taken.is_known:
        return "unknown"
    multiplied = f"{taken.label} as TF32" if tactic.tf32 else taken.label
    return f"{multiplied}{' → ' + out.label if out.is_known else ''}{', sums ' + sums.label if sums.is_known else ''}"


# -------------------------------------------------------------------------------------------------------- questions


def _family(kernel: Tactic) -> str:
    return kernel.family or _UNKNOWN_FAMILY


def _multiplies(kernel: Tactic) -> bool:
    return kernel.kind in MATRIX_KINDS


def _generation_before(kernel: Tactic, sm: int) -> bool:
    return kernel.sm is not None and kernel.sm // 10 < sm // 10


def _capability(sm: int) -> str:
    return f"{sm // 10}.{sm % 10}"
