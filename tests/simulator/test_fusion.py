"""Several steps as one: what it reads, writes and holds."""

from __future__ import annotations

from tests.simulator.models import Net, target
from trex.simulator.draft import StepKind
from trex.simulator.draft_editor import DraftEditor
from trex.simulator.fusion import as_one_step
from trex.simulator.initial_draft import initial_draft


def fork(*results: str) -> DraftEditor:
    """Steps 0 to 3: h = x + k, k stored; s = sigmoid(h); y = h + s + s + k; z = √s."""
    net = Net(x=(4,))
    net.stored("k", 4)
    net.add("Add", "x k", "h", 4)
    net.add("Sigmoid", "h", "s", 4)
    net.add("Sum", "h s s k", "y", 4)
    net.add("Sqrt", "s", "z", 4)
    return DraftEditor(initial_draft(net.model(*results), target()), "test")


class TestAsOneStep:
    def test_it_reads_what_no_member_writes_each_tensor_once(self) -> None:
        built = as_one_step(fork("y", "z"), [1, 2], StepKind.REGION)
        assert built is not None
        assert (built.kind, built.inputs, built.constants) == (StepKind.REGION, ("h",), ("k",))
        assert built.origins == ("Sigmoid_1", "Sum_2")

    def test_it_writes_what_is_read_outside_or_a_result(self) -> None:
        editor = fork("y", "z")
        outside = as_one_step(editor, [0, 1, 2], StepKind.REGION)
        assert outside is not None and outside.outputs == ("s", "y")
        all_of_it = as_one_step(editor, [0, 1, 2, 3], StepKind.REGION)
        assert all_of_it is not None and all_of_it.outputs == ("y", "z")
        result = as_one_step(fork("h", "y", "z"), [0, 1, 2, 3], StepKind.REGION)
        assert result is not None and result.outputs == ("h", "y", "z")

    def test_stored_values_are_held_once_and_facts_are_only_those_given(self) -> None:
        editor = fork("y", "z")
        editor.replace(0, editor[0].with_facts(label="old"))
        built = as_one_step(editor, [0, 1, 2], StepKind.ATTENTION, kernels=())
        assert built is not None
        assert (built.constants, dict(built.facts)) == (("k",), {"kernels": ()})

    def test_what_nobody_needs_is_none(self) -> None:
        assert as_one_step(fork("z"), [2], StepKind.REGION) is None
