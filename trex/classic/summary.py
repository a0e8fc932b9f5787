"""EnginePlan → the facts that TREx's ``summary_dict`` has and ``summary`` prints, in its formats."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from trex.classic.spelling import classic_format, dimensions_text
from trex.core.tensor import Tensor
from trex.plan.engine_plan import EnginePlan

UNKNOWN = "unknown"


def classic_facts(plan: EnginePlan) -> dict[str, str]:
    """Inputs, Outputs, Average time (sum of the layers' times, in ms), Layers, Weights, Activations (in MiB, as MB)."""
    inputs, outputs = plan.binding_tensors()
    return {
        "Inputs": _bindings_text(inputs),
        "Outputs": _bindings_text(outputs),
        "Average time": _number(plan.total_runtime, "{:.3f} ms"),
        "Layers": str(len(plan.working_layers)),
        "Weights": _number(plan.total_weights_size / 2**20, "{:.1f} MB"),
        "Activations": _number(plan.total_act_size / 2**20, "{:.1f} MB"),
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


def _number(value: float, text: str) -> str:
    return text.format(value) if value == value else UNKNOWN
