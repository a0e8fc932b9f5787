"""EnginePlan → the facts that TREx's ``summary_dict`` has and ``summary`` prints, in its formats."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from trex.classic.spelling import classic_format, dimensions_text
from trex.core.counted import counted
from trex.core.tensor import Tensor
from trex.plan.engine_plan import EnginePlan
from trex.plan.layer_statistics import of_layers

UNKNOWN = "unknown"


def classic_facts(plan: EnginePlan) -> dict[str, str]:
    """Inputs, Outputs, Average time (sum of the layers' times, in ms), Layers, Weights, Activations (in MiB, as MB).

    Of partial sums also how many layers or tensors they are of; times that were predicted say so.
    """
    inputs, outputs = plan.binding_tensors()
    unknown = plan.unknown_sizes
    is_detailed = plan.engine.verbosity == "detailed"
    predicted = " (predicted)" if plan.provenance.has_predicted_times else ""
    return {
        "Inputs": _bindings_text(inputs),
        "Outputs": _bindings_text(outputs),
        "Average time": _number(plan.total_runtime, "{:.3f} ms", of_layers(plan.layer_ms) + predicted),
        "Layers": str(len(plan.working_layers)),
        "Weights": _size(plan.total_weights_size if is_detailed else math.nan, unknown["weights"]),
        "Activations": _size(plan.total_act_size or math.nan, unknown["activations"]),
    }


def summary_sections(plan: EnginePlan) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The sections of TREx's summary; those about which no file has facts are left out."""
    sections = {
        "Model": classic_facts(plan),
        "Device Properties": plan.device_properties,
        "Builder Configuration": plan.builder_cfg,
        "Performance Summary": plan.performance_summary,
    }
    return ((title, facts) for title, facts in sections.items() if facts)


def sections_text(plan: EnginePlan) -> str:
    """``Model:`` with an indented ``key: value`` per line, and so on."""
    lines = []
    for title, facts in summary_sections(plan):
        lines += [f"{title}:", *(f"\t{key}: {value}" for key, value in facts.items())]
    return "\n".join(lines) + "\n"


def _bindings_text(tensors: Sequence[Tensor]) -> str:
    """``input1: [1, 3, 224, 224]xFP32 NCHW``, several joined by commas."""
    return ", ".join(f"{tensor.name}: {dimensions_text(tensor.shape)}x{classic_format(tensor)}" for tensor in tensors)


def _size(size_bytes: float, unknown_count: int) -> str:
    more = f" + {counted(unknown_count, 'tensor')} of unknown size" if unknown_count else ""
    return _number(size_bytes / 2**20, "{:.1f} MB", more)


def _number(value: float, text: str, more: str) -> str:
    return text.format(value) + more if value == value else UNKNOWN
