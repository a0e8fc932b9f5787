"""Run options → weight streaming: the weights that stay on the GPU, and the layers that wait for the others.

An engine built with ``--allowWeightStreaming`` keeps weights beyond ``--weightStreamingBudget`` on the host and copies
them to the GPU in every inference, over PCIe at a fraction of the bandwidth of the GPU's memory. The times of layers
with weights contain that copying, which no roofline of the GPU counts. trtexec prints the budget as bytes, as a share
of the weights that can be streamed, ``Automatic`` (-1) or ``Disabled`` (-2).

Source: TensorRT Developer Guide, Weight Streaming; ``WeightStreamingBudget`` in samples/common/sampleOptions.cpp.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from trex.core.counted import counted
from trex.core.layer import Layer, Role
from trex.core.note import Note
from trex.core.significant import significant

if TYPE_CHECKING:
    from trex.perf.work.work import Work
    from trex.plan.engine_plan import EnginePlan

WEIGHTS_STREAMED = "weights-streamed"
WORDS = "layer time contains copying weights from the host"
MORE_WEIGHTS = "keep more weights on the GPU: a larger --weightStreamingBudget"
_BUDGET, _STREAMING = "Weight Streaming Budget", "Weight Streaming"
_SIZE = re.compile(r"([0-9]{1,18}(?:\.[0-9]{1,9})?)(%| bytes|)", re.ASCII)
_LEAST_BYTES = 16 * 1024
"""PCIe moves so much in the 2 µs of a launch: smaller weights change no time."""
_PCIE_BYTES_PER_S, _NOTABLE = 32e9, 0.05
"""Of PCIe 4.0 with 16 lanes, and the share of the weights and of the layers' time up to which copying changes no
judgment: our choice."""


def may_stream(plan: EnginePlan) -> bool:
    """Whether the run has a budget of less than all weights, and the build, if known, allows streaming."""
    budget = plan.metadata.inference_options.get(_BUDGET)
    size = _size_of_budget(plan)
    is_whole = size is not None and size[1] and size[0] >= 100.0
    is_off = budget is None or is_whole or str(budget).strip() in ("Disabled", "-2")
    return not is_off and plan.builder_cfg.get(_STREAMING) != "Disabled"


def weights_on_device(plan: EnginePlan, weights_bytes: int) -> int | None:
    """All weights, or the budget of a run that streams them; None if TensorRT chooses it."""
    if not may_stream(plan):
        return weights_bytes
    size = _size_of_budget(plan)
    if size is None:
        return None
    amount, is_share = size
    return min(weights_bytes, int(amount / 100.0 * weights_bytes if is_share else amount))


def streamed_layers(plan: EnginePlan, works: Sequence[Work]) -> frozenset[int]:
    """Positions in ``plan.working_layers`` of the layers with weights, if the run's budget is known and lower."""
    size = _size_of_budget(plan) if may_stream(plan) and not plan.provenance.has_predicted_times else None
    if size is None:
        return frozenset()
    amount, is_share = size
    whole = plan.total_weights_size
    copied = whole - (amount / 100.0 * whole if is_share else amount)
    is_little = copied <= _NOTABLE * whole and copied / _PCIE_BYTES_PER_S * 1e3 <= _NOTABLE * plan.layers_ms
    if copied <= 0 or is_little:
        return frozenset()
    pairs = enumerate(zip(plan.working_layers, works, strict=True))
    return frozenset(position for position, (layer, work) in pairs if _has_weights(layer, work))


def streaming_note(plan: EnginePlan, streamed: frozenset[int]) -> Iterator[Note]:
    """At most one warning. streamed: see ``streamed_layers``."""
    if not streamed:
        return
    times = plan.layer_ms
    known = [ms for position in streamed if (ms := times[position]) is not None]
    share = f" ({significant(100.0 * sum(known) / plan.layers_ms, 2)} % of the time)" if sum(known) > 0.0 else ""
    message = (
        f"the run streams weights from the host (weight streaming budget {budget_text(plan)}): the times of "
        f"{counted(len(streamed), 'layer')} with weights{share} contain copying them, which no roofline counts"
    )
    hint = f"{MORE_WEIGHTS}; at 100% the times are of the GPU alone"
    yield Note(WEIGHTS_STREAMED, message, hint, next(iter(plan.metadata.sources), ""))


def budget_text(plan: EnginePlan) -> str:
    """The run's budget in trtexec's words, without the zeros: ``10%``; "" without one."""
    budget = str(plan.metadata.inference_options.get(_BUDGET, "")).strip()
    size = _SIZE.fullmatch(budget)
    return f"{float(size[1]):g}%" if size is not None and size[2] == "%" else budget


def _size_of_budget(plan: EnginePlan) -> tuple[float, bool] | None:
    """(percent of the weights, True) or (bytes, False); None if TensorRT chooses, or in other words."""
    size = _SIZE.fullmatch(str(plan.metadata.inference_options.get(_BUDGET)).strip())
    return None if size is None else (float(size[1]), size[2] == "%")


def _has_weights(layer: Layer, work: Work) -> bool:
    if layer.role is not Role.KERNEL:
        return False
    size = work.weights_bytes if work.weights_bytes else layer.weights_size_bytes
    return bool(layer.weights) if size is None else size >= _LEAST_BYTES
