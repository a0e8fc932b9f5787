"""Fuses a Pad into the following convolution.

What it does: a zero Pad of spatial dimensions whose only reader is a convolution becomes part of it.
The rule: "padding and convolution" in TensorRT's layer fusion catalog: fused if no padding is negative
(https://docs.nvidia.com/deeplearning/tensorrt/latest/performance/fusion-catalog.html).
What it leaves out: pads of other values or modes, and pads before a pooling, which stay layers.
"""

from __future__ import annotations

from dataclasses import replace

from trex.simulator.builder import BuildPass
from trex.simulator.draft import StepKind
from trex.simulator.draft_editor import DraftEditor
from trex.simulator.fusion import follower, joined
from trex.simulator.window import zero_padding


def edit(editor: DraftEditor) -> None:
    for number in editor:
        pad = editor[number]
        after = follower(editor, number) if pad.main is not None and pad.main.type == "Pad" else None
        if after is None:
            continue
        conv, pads = editor[after], zero_padding(editor.draft.model, pad)
        if conv.kind is not StepKind.CONVOLUTION or conv.inputs[0] != pad.outputs[0] or pads is None:
            continue
        rank = len(pads) // 2
        if min(pads) < 0 or any(pads[:2]) or any(pads[rank : rank + 2]):
            continue
        fused = replace(
            conv,
            operators=(*pad.operators, *conv.operators),
            inputs=(*pad.inputs, *conv.inputs[1:]),
            constants=(*conv.constants, *pad.constants),
            facts={**conv.facts, "padding": pads, "label": joined(pad.label, conv.label)},
        )
        editor.merge((number, after), fused)
        editor.decide(f"{conv.label} pads its input itself", "its padding is zero and not negative", fused.origins)


PASS = BuildPass("Padding into convolutions", 90, edit)
