"""GEMMs of one input become one; heads of one GEMM are written apart."""

from __future__ import annotations

from tests.simulator.models import Net, target
from trex.core.data_type import DataType
from trex.core.model import Model
from trex.core.release import Release
from trex.simulator.draft import NetworkDraft, StepKind
from trex.simulator.draft_editor import DraftEditor
from trex.simulator.initial_draft import initial_draft
from trex.simulator.passes import merged_gemms

_ELEVEN = Release(11, 1)


def merged(model: Model, release: Release = _ELEVEN) -> NetworkDraft:
    editor = DraftEditor(initial_draft(model, target("A100", DataType.FP16, release=release)), "test")
    merged_gemms.PASS.edit(editor)
    return editor.done()


def projections(*names: str, inputs: str = "xxx") -> Model:
    net = Net(x=(1, 8, 16), z=(1, 8, 16))
    for name, source in zip(names, inputs, strict=False):
        net.stored(f"w{name}", 16, 16)
        net.add("MatMul", f"{source} w{name}", name, 1, 8, 16)
    return net.model(*names)


def test_gemms_of_one_input_are_one() -> None:
    (gemm,) = merged(projections("q", "k", "v")).steps
    assert (gemm.inputs, gemm.outputs, gemm.constants) == (("x",), ("q", "k", "v"), ("wq", "wk", "wv"))
    assert [main.name for main in gemm.facts["merged"]] == ["MatMul_0", "MatMul_1", "MatMul_2"]
    assert len(merged(projections("q", "k", "v"), Release(10, 4)).steps) == 1


def test_gemms_of_two_inputs_are_two() -> None:
    assert [step.outputs for step in merged(projections("q", "k", inputs="xz")).steps] == [("q",), ("k",)]


def test_columns_that_are_split_into_heads_are_written_apart() -> None:
    net = Net(x=(1, 8, 16))
    net.stored("w", 16, 32)
    net.stored("b", 32)
    net.add("MatMul", "x w", "m", 1, 8, 32)
    net.add("Add", "m b", "a", 1, 8, 32)
    net.add("Split", "a", "q k", 1, 8, 16, attributes={"axis": -1})
    for name in ("q", "k"):
        net.add("Reshape", name, f"{name}h", 1, 8, 4, 4)
    steps = merged(net.model("qh", "kh")).steps
    assert [step.kind for step in steps].count(StepKind.ELEMENTWISE) == 2
    assert not [step for step in steps if step.main is not None and step.main.type == "Split"]
    assert len(next(step for step in steps if step.kind is StepKind.MATRIX_MULTIPLY).outputs) == 2
