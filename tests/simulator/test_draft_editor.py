"""The workbench: edits of a draft, and the order in which its steps can run."""

from __future__ import annotations

from trex.core.data_type import DataType
from trex.core.model import Model
from trex.core.operator import Value
from trex.perf.device import Device
from trex.simulator.draft import BuildStep, NetworkDraft, StepKind, in_order
from trex.simulator.draft_editor import DraftEditor
from trex.simulator.target import Target


def step(reads: str, writes: str, kind: StepKind = StepKind.ELEMENTWISE) -> BuildStep:
    return BuildStep(kind, (), None, tuple(reads.split()), tuple(writes.split()))


def draft(*steps: BuildStep, results: str = "d") -> NetworkDraft:
    values = {name: Value(name, (1, 8), DataType.FP32) for name in "abcde"}
    model = Model((), values, (values["a"],), tuple(values[name] for name in results.split()))
    return NetworkDraft(model, Target(Device("none")), steps)


def reads_and_writes(draft: NetworkDraft) -> list[tuple[str, str]]:
    return [(" ".join(item.inputs), " ".join(item.outputs)) for item in draft.steps]


class TestOrder:
    def test_a_step_follows_what_it_reads(self) -> None:
        steps = in_order([step("b", "c"), step("a", "b")])
        assert [item.outputs for item in steps] == [("b",), ("c",)]

    def test_steps_of_a_cycle_stay(self) -> None:
        steps = [step("b", "c"), step("c", "b"), step("a", "d")]
        assert [item.outputs[0] for item in in_order(steps)] == ["d", "c", "b"]

    def test_what_need_not_move_does_not(self) -> None:
        steps = [step("a", "b"), step("a", "c"), step("b c", "d")]
        assert list(in_order(steps)) == steps


class TestEdits:
    def test_two_steps_become_one(self) -> None:
        editor = DraftEditor(draft(step("a", "b"), step("b", "c"), step("c", "d")), "test")
        assert editor.only_reader("b") == 1
        number = editor.merge([0, 1], step("a", "c", StepKind.CONVOLUTION))
        assert editor.writer("c") == number
        assert editor.writer("b") is None
        assert reads_and_writes(editor.done()) == [("a", "c"), ("c", "d")]

    def test_what_the_caller_gets_has_no_only_reader(self) -> None:
        editor = DraftEditor(draft(step("a", "b"), step("b", "c"), results="b c"), "test")
        assert editor.only_reader("b") is None

    def test_what_two_read_has_no_only_reader(self) -> None:
        editor = DraftEditor(draft(step("a", "b"), step("b", "c"), step("b", "d")), "test")
        assert editor.only_reader("b") is None
        assert editor.readers("b") == (1, 2)

    def test_a_bypass_lets_readers_read_what_came_before(self) -> None:
        editor = DraftEditor(draft(step("a", "b", StepKind.IDENTITY), step("b b", "d")), "test")
        assert editor.bypass(0)
        assert reads_and_writes(editor.done()) == [("a a", "d")]

    def test_a_bypass_before_a_result_lets_its_writer_write_it(self) -> None:
        editor = DraftEditor(
            draft(step("a", "b"), step("b", "d", StepKind.IDENTITY), step("b", "c"), results="c d"), "test"
        )
        assert editor.bypass(1)
        assert reads_and_writes(editor.done()) == [("a", "d"), ("d", "c")]

    def test_no_bypass_from_an_input_to_a_result(self) -> None:
        editor = DraftEditor(draft(step("a", "d", StepKind.IDENTITY)), "test")
        assert not editor.bypass(0)
        assert reads_and_writes(editor.done()) == [("a", "d")]

    def test_a_step_that_is_added_stands_where_its_tensors_let_it(self) -> None:
        editor = DraftEditor(draft(step("a", "b"), step("b", "d")), "test")
        copy = editor.add_tensor("b", "b_copied", DataType.FP16)
        editor.add(step("b", copy, StepKind.REFORMAT), neighbor=1)
        editor.rename_input(1, "b", copy)
        built = editor.done()
        assert reads_and_writes(built) == [("a", "b"), ("b", "b_copied"), ("b_copied", "d")]
        assert built.type_of(copy) is DataType.FP16
        assert built.shape_of(copy) == (1, 8)

    def test_a_tensor_that_is_renamed_again_has_its_last_name(self) -> None:
        editor = DraftEditor(draft(step("a", "b"), step("a", "c"), step("a b c", "d")), "test")
        for old, new in (("b", "e"), ("e", "c"), ("c", "b"), ("a", "c"), ("b", "a")):
            editor.rename_input(2, old, new)
        assert (editor.readers("a"), editor.readers("b"), editor.readers("c")) == ((0, 1, 2), (), (2,))
        assert editor[2].inputs == ("c", "a", "a")
        assert reads_and_writes(editor.done())[-1] == ("c a a", "d")

    def test_names_of_new_tensors_are_unique(self) -> None:
        editor = DraftEditor(draft(step("a", "d")), "test")
        assert [editor.add_tensor("a", "b") for _ in range(2)] == ["b_2", "b_3"]

    def test_decisions_are_kept_in_order(self) -> None:
        editor = DraftEditor(draft(step("a", "d")), "test")
        editor.decide("one", "because", ["x"])
        first = editor.done()
        second = DraftEditor(first, "other")
        second.decide("two", "because")
        assert [(item.by, item.what) for item in second.done().decisions] == [("test", "one"), ("other", "two")]
