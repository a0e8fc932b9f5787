"""NetworkDraft → KernelTimes: the predicted time of every kernel, and of the steps that contain them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from trex.ingest.graph_json import engine_from_documents
from trex.simulator.draft import NetworkDraft
from trex.simulator.engine_json import engine_document
from trex.simulator.step_work import work_of_step
from trex.simulator.target import DEFAULT_RELEASE
from trex.simulator.timing.constants import Constants
from trex.simulator.timing.prediction import Prediction, predict


@dataclass(frozen=True)
class KernelTimes:
    """kernels: one prediction for each kernel. layer_ms: one for each step of the draft, the sum of its kernels."""

    kernels: Prediction
    layer_ms: tuple[float, ...]


def kernel_times(draft: NetworkDraft, constants: Constants | None = None) -> KernelTimes:
    """A step that is listed as one layer (fact ``kernels``) takes as long as its kernels.

    constants: of the timing, by default the package's. Raises TrexError for a device of unknown rates.
    """
    kernels_of = [step.facts.get("kernels", (step,)) for step in draft.steps]
    apart = draft
    if any(len(kernels) != 1 or kernels[0] is not step for kernels, step in zip(kernels_of, draft.steps, strict=True)):
        steps = tuple(kernel for kernels in kernels_of for kernel in kernels)
        apart = replace(draft, steps=steps, target=replace(draft.target, release=DEFAULT_RELEASE))
    layers = engine_from_documents([engine_document(apart, "")]).layers
    works = [work_of_step(step, layer, draft.model) for step, layer in zip(apart.steps, layers, strict=True)]
    predicted = predict(layers, draft.target.device, works, constants)
    sums, begin = [], 0
    for kernels in kernels_of:
        end = begin + len(kernels)
        sums.append(sum(layer.ms for layer in predicted.layers[begin:end]))
        begin = end
    return KernelTimes(predicted, tuple(sums))
