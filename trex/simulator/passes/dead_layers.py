"""Removes steps whose outputs nothing needs.

What it does: from the end to the beginning, removes a step if nothing reads its outputs and none is an output of the
network.
The rule: layers that do not contribute to an output are removed before layers are fused (developer guide of TensorRT,
how the builder optimizes; https://docs.nvidia.com/deeplearning/tensorrt/latest/performance/best-practices.html).
What it leaves out: unused outputs of a step with another output in use.
"""

from __future__ import annotations

from trex.simulator.builder import BuildPass
from trex.simulator.draft_editor import DraftEditor


def edit(editor: DraftEditor) -> None:
    for number in reversed(list(editor)):
        step = editor[number]
        if not any(map(editor.is_needed, step.outputs)):
            editor.remove(number)
            editor.decide(f"{step.label} was removed", "nothing reads its output", step.origins)


PASS = BuildPass("Dead layers", 30, edit)
