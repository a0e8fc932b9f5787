"""Pointwise operations outside of Myelin's parts."""

from __future__ import annotations

from tests.simulator.models import Net, target
from trex.core.data_type import DataType
from trex.core.model import Model
from trex.simulator.draft import NetworkDraft, StepKind
from trex.simulator.draft_editor import DraftEditor
from trex.simulator.initial_draft import initial_draft
from trex.simulator.passes.pointwise_fusion import PASS

SHAPE = (1, 8, 4, 4)


def fused(model: Model) -> NetworkDraft:
    editor = DraftEditor(initial_draft(model, target()), "pointwise-fusion")
    PASS.edit(editor)
    return editor.done()


def labels(draft: NetworkDraft) -> list[str]:
    return [step.label for step in draft.steps]


def test_a_sigmoid_and_its_product_are_one_kernel() -> None:
    net = Net(x=SHAPE)
    net.add("Sigmoid", "x", "s", *SHAPE, name="Sigmoid_94")
    net.add("Mul", "x s", "y", *SHAPE, name="Mul_95")
    draft = fused(net.model("y"))
    assert labels(draft) == ["PWN(PWN(Sigmoid_94), Mul_95)"]
    assert draft.steps[0].kind is StepKind.POINTWISE
    assert draft.steps[0].inputs == ("x",)


def test_a_long_chain_ends_somewhere() -> None:
    net = Net(x=SHAPE)
    for index in range(100):
        net.add("Tanh", f"t{index - 1}" if index else "x", f"t{index}", *SHAPE)
    draft = fused(net.model("t99"))
    assert 1 < len(draft.steps) <= 5
    assert sum(len(step.operators) for step in draft.steps) == 100


def test_two_branches_join() -> None:
    net = Net(x=SHAPE, z=SHAPE)
    net.add("Exp", "x", "a", *SHAPE)
    net.add("Neg", "z", "b", *SHAPE)
    net.add("Add", "a b", "y", *SHAPE)
    draft = fused(net.model("y"))
    assert len(draft.steps) == 1
    assert set(draft.steps[0].inputs) == {"x", "z"}


def test_what_somebody_else_reads_stays() -> None:
    net = Net(x=SHAPE)
    net.add("Exp", "x", "a", *SHAPE)
    net.add("Neg", "a", "y", *SHAPE)
    assert len(fused(net.model("y", "a")).steps) == 2


def test_a_broadcast_operand_stays_a_kernel_of_its_own() -> None:
    net = Net(x=SHAPE, g=(1, 8, 1, 1))
    net.add("Sigmoid", "g", "s", 1, 8, 1, 1)
    net.add("Mul", "x s", "y", *SHAPE)
    assert len(fused(net.model("y")).steps) == 2


def test_integers_stay() -> None:
    net = Net(x=SHAPE)
    net.add("Abs", "x", "a", *SHAPE, data_type=DataType.INT64)
    net.add("Neg", "a", "y", *SHAPE, data_type=DataType.INT64)
    assert len(fused(net.model("y")).steps) == 2
