"""Selects type and format of every tensor for the lowest total time.

What it does: every step has a few implementations, each reading and writing its tensors in certain types and formats;
the pass selects implementations such that the steps and the reformats between them cost little.
The rule: the builder selects tactics and formats together, by time, and inserts reformats where they differ; inputs and
outputs of the network are row-major in the model's type
(https://docs.nvidia.com/deeplearning/tensorrt/latest/architecture/how-trt-works.html; developer guide, I/O formats).
What it leaves out: measured times, which only the device has; the costs are roofline estimates, and in branched
networks the search may miss the minimum.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from trex.core.data_type import DataType
from trex.simulator.builder import BuildPass
from trex.simulator.draft_editor import DraftEditor
from trex.simulator.format_search import FormatSearch
from trex.simulator.implementations import LINEAR, FormatCosts
from trex.simulator.kernel_formats import implementations_of
from trex.simulator.myelin import MYELIN_ALONE


def edit(editor: DraftEditor) -> None:
    costs = FormatCosts(editor)
    numbers = list(editor)
    ways = {number: implementations_of(costs, editor[number]) for number in numbers}
    chosen = FormatSearch(editor, ways, costs.bytes_per_s).best()
    precisions: Counter[DataType] = Counter()
    for number in numbers:
        step, choice = editor[number], chosen[number]
        if step.operators:
            precisions[choice.precision] += 1
        facts = {**step.facts, "reads": choice.reads or ()}
        editor.replace(number, replace(step, precision=choice.precision, facts=facts))
        for name, slot in zip(step.outputs, choice.writes, strict=True):
            editor.set_type(name, slot.type)
            editor.set_format(name, slot.layout)
    for value in editor.draft.model.inputs:
        editor.set_format(value.name, LINEAR)
    counts = ", ".join(f"{count} in {data_type}" for data_type, count in precisions.most_common())
    editor.decide(f"precision of {sum(precisions.values())} steps: {counts}", "lowest cost of steps and reformats")


PASS = BuildPass("Types and layouts", 600, edit, until=MYELIN_ALONE)
