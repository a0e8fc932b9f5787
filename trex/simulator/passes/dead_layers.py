"""Takes out steps whose outputs nobody needs.

What it does: from the end to the beginning, a step goes when no output of it is read or is an output of the network.
The rule: layers that do not contribute to an output are removed before layers are fused (developer guide of TensorRT,
how the builder optimizes; https://docs.nvidia.com/deeplearning/tensorrt/latest/performance/best-practices.html).
What it leaves out: single outputs of a step that has another one in use.
"""

from __future__ import annotations

from trex.simulator.builder import BuildPass
from trex.simulator.draft_editor import DraftEditor


def edit(editor: DraftEditor) -> None:
    for number in reversed(list(editor)):
        step = editor[number]
        if not any(map(editor.is_needed, step.outputs)):
            editor.remove(number)
            editor.decide(f"{step.label} was taken out", "nobody needs what it computes", step.origins)


PASS = BuildPass("Dead steps", 30, edit)
