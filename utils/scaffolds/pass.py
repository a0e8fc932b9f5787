"""A pass of the simulated builder."""

from __future__ import annotations

from utils.scaffold import Scaffold

SCAFFOLD = Scaffold(
    folder="simulator/passes",
    plug='''\
"""One sentence: what the pass fuses, moves or removes.

What it does: a step of type ``$camel`` is removed when nothing reads it.
The rule: the page of NVIDIA's documentation, or the engines and logs that were examined.
What it leaves out: the cases that TensorRT handles and the pass does not.
"""

from __future__ import annotations

from trex.simulator.builder import BuildPass
from trex.simulator.draft_editor import DraftEditor


def edit(editor: DraftEditor) -> None:
    for number in reversed(list(editor)):
        step = editor[number]
        if step.main is not None and step.main.type == "$camel" and not any(map(editor.is_needed, step.outputs)):
            editor.remove(number)
            editor.decide(f"{step.label} was removed", "nothing reads it", step.origins)


PASS = BuildPass("$title", 35, edit)  # order: an unused number; passes run by increasing order
''',
    test='''\
"""The pass ``$name``."""

from __future__ import annotations

from tests.simulator.passes.written import after, lines, network


def test_it_removes_what_nothing_reads() -> None:
    draft = after(network("a = Relu x\\n b = $camel a", "a"), "$name")
    assert lines(draft) == ["a: x > a"]
    assert [decision.operators for decision in draft.decisions] == [("b",)]


def test_other_steps_stay() -> None:
    assert lines(after(network("a = Relu x\\n b = Tanh a", "b"), "$name")) == ["a: x > a", "b: a > b"]
''',
    related=("tests/simulator/passes", "tests/simulator/test_structure.py", "tests/simulator/test_fusion.py"),
)
