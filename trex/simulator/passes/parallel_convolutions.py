"""Merges parallel convolutions of one input into one.

What it does: convolutions with one input, the same kernel, stride, padding, dilation and activation, without groups and
without a residual addition, become one with all their filters; its name joins theirs with ``||``.
The rule: horizontal fusion: the builder merges layers that read one tensor with the same parameters
(https://docs.nvidia.com/deeplearning/tensorrt/latest/performance/fusion-catalog.html). It does not do so in explicitly
quantized networks, whose scales differ (https://github.com/NVIDIA/TensorRT/issues/1602).
What it leaves out: quantized convolutions, depthwise and grouped ones, GEMMs. More than 32 become several: the bound is
ours, since the names of reformats at its outputs repeat the whole name.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

from trex.simulator.builder import BuildPass
from trex.simulator.draft import BuildStep, StepKind
from trex.simulator.draft_editor import DraftEditor
from trex.simulator.fusion import groups_by_key, groups_of
from trex.simulator.myelin import MYELIN_ALONE

_MOST = 32


def edit(editor: DraftEditor) -> None:
    for numbers in groups_by_key(editor, editor, _key):
        for begin in range(0, len(numbers), _MOST):
            if len(part := numbers[begin : begin + _MOST]) > 1:
                _merge(editor, part)


def _key(editor: DraftEditor, step: BuildStep) -> Hashable | None:
    main = step.main
    if main is None or step.kind is not StepKind.CONVOLUTION or main.type != "Conv" or len(step.inputs) != 1:
        return None
    if groups_of(step) > 1 or "weights_type" in step.facts or "padding" in step.facts:
        return None
    weights = editor.draft.model.value(main.inputs[1])
    if weights is None or weights.shape is None:
        return None
    attributes = tuple(sorted((name, repr(value)) for name, value in main.attributes.items()))
    return (step.inputs[0], tuple(weights.shape[1:]), attributes, step.facts.get("activation"))


def _merge(editor: DraftEditor, numbers: list[int]) -> None:
    steps = [editor[number] for number in numbers]
    one = steps[0]
    merged = replace(
        one,
        operators=tuple(operator for step in steps for operator in step.operators),
        outputs=tuple(name for step in steps for name in step.outputs),
        constants=tuple(dict.fromkeys(name for step in steps for name in step.constants)),
        facts={**one.facts, "label": " || ".join(step.label for step in steps), "is_horizontal": True},
    )
    # At the position of the first: its input is available, and nothing depends on the later ones yet.
    for number in numbers[1:]:
        editor.remove(number)
    editor.replace(numbers[0], merged)
    why = f"they read {one.inputs[0]} with the same kernel, stride, padding and activation"
    editor.decide(f"{' and '.join(step.label for step in steps)} run as one", why, merged.origins)


PASS = BuildPass("Parallel convolutions", 200, edit, until=MYELIN_ALONE)
