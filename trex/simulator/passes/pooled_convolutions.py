"""Fuses max pooling into the first convolution, in INT8.

What it does: a convolution of an image (up to four channels) that reads and writes INT8 and applies ReLU, and whose
only reader is a max pooling in INT8, becomes one step with it (``ConvActPool``).
The rule: "convolution and pooling" in TensorRT's layer fusion catalog: both in one precision, the convolution with or
without an activation (https://docs.nvidia.com/deeplearning/tensorrt/latest/performance/fusion-catalog.html). The
documents name no further condition; that explicitly quantized networks have it for their first layer was inferred from
engines.
What it leaves out: floating point, average pooling, padding between the two, deeper layers.
"""

from __future__ import annotations

from trex.core.data_type import DataType
from trex.simulator.builder import BuildPass
from trex.simulator.draft import StepKind
from trex.simulator.draft_editor import DraftEditor
from trex.simulator.fusion import channels_of, follower, fuse, groups_of
from trex.simulator.myelin import MYELIN_ALONE

_FEW_CHANNELS = 4


def edit(editor: DraftEditor) -> None:
    for number in editor:
        step = editor[number]
        if step.kind is not StepKind.CONVOLUTION or step.precision is not DataType.INT8 or groups_of(step) > 1:
            continue
        channels = channels_of(editor.shape_of(step.inputs[0]))
        is_first = channels is not None and channels <= _FEW_CHANNELS and len(step.inputs) == 1
        after = follower(editor, number) if is_first else None
        if after is None or step.facts.get("activation") != "RELU":
            continue
        pooling = editor[after]
        if pooling.main is None or pooling.main.type != "MaxPool" or pooling.precision is not DataType.INT8:
            continue
        fused = fuse(editor, number, after, pooling=pooling.main)
        what = f"{pooling.label} is fused into {step.label}"
        editor.decide(what, "both run in INT8, and the first layer has such a kernel", editor[fused].origins)


PASS = BuildPass("Pooled convolutions", 190, edit, until=MYELIN_ALONE)
