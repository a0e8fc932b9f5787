"""Myelin's parts: attention, epilogues and generated kernels."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.simulator.models import Net, small_cnn, target
from trex.core.data_type import DataType
from trex.core.layer import Role
from trex.core.model import Model
from trex.core.release import Release
from trex.examples.network import write_network
from trex.ingest.graph_json import engine_from_documents
from trex.ingest.onnx_model import read_model
from trex.perf.device import Device
from trex.perf.recognize import find_device
from trex.simulator.builder import build
from trex.simulator.draft import NetworkDraft, StepKind
from trex.simulator.draft_editor import DraftEditor
from trex.simulator.engine_json import engine_document
from trex.simulator.initial_draft import initial_draft
from trex.simulator.kernel_times import work_of_step
from trex.simulator.passes import attention_fusion, foreign_nodes, merged_gemms, myelin_kernels
from trex.simulator.target import DEFAULT_RELEASE, Target


def after_passes(
    model: Model, *allowed: DataType, device: str = "A100", release: Release = DEFAULT_RELEASE
) -> NetworkDraft:
    draft = initial_draft(model, target(device, *allowed, release=release))
    for item in (attention_fusion, merged_gemms, myelin_kernels, foreign_nodes):
        editor = DraftEditor(draft, item.__name__)
        item.PASS.edit(editor)
        draft = editor.done()
    return draft


def kinds(draft: NetworkDraft) -> list[StepKind]:
    return [step.kind for step in draft.steps]


def block(width: int = 64, heads: int = 4) -> Model:
    """LayerNorm-free attention block with a scale behind the scores, a bias and a residual."""
    net = Net(x=(1, 128, heads * width), q=(1, heads, 128, width), k=(1, heads, width, 128), v=(1, heads, 128, width))
    net.stored("scale")
    net.stored("w", heads * width, heads * width)
    net.stored("b", heads * width)
    net.add("MatMul", "q k", "s", 1, heads, 128, 128)
    net.add("Div", "s scale", "d", 1, heads, 128, 128)
    net.add("Softmax", "d", "p", 1, heads, 128, 128, attributes={"axis": -1})
    net.add("MatMul", "p v", "o", 1, heads, 128, width)
    net.add("Transpose", "o", "t", 1, 128, heads, width, attributes={"perm": (0, 2, 1, 3)})
    net.add("Reshape", "t", "r", 1, 128, heads * width)
    net.add("MatMul", "r w", "m", 1, 128, heads * width)
    net.add("Add", "m b", "a", 1, 128, heads * width)
    net.add("Add", "a x", "y", 1, 128, heads * width)
    return net.model("y")


def around_a_convolution() -> Model:
    """A sum that a convolution and a GEMM behind it both read: parts of Myelin on both sides."""
    net = Net(x=(1, 8, 4, 4), a=(1, 8, 4, 4), b=(1, 8, 4, 4))
    net.stored("w", 8, 8, 1, 1)
    whole = (1, 8, 4, 4)
    net.add("MatMul", "a b", "m", *whole)
    net.add("Add", "m x", "h", *whole)
    net.add("Conv", "h w", "c", *whole)
    net.add("Mul", "h c", "y", *whole)
    return net.model("y")


class TestAttention:
    def test_a_block_in_halves_is_one_kernel(self) -> None:
        draft = after_passes(block(), DataType.FP16)
        attention = next(step for step in draft.steps if step.kind is StepKind.ATTENTION)
        assert attention.origins == ("MatMul_0", "Div_1", "Softmax_2", "MatMul_3")
        assert attention.inputs == ("q", "k", "v")

    def test_in_single_precision_it_stays_apart_and_says_why(self) -> None:
        draft = after_passes(block())
        assert StepKind.ATTENTION not in kinds(draft)
        assert any("FP32" in decision.what for decision in draft.decisions)

    def test_heads_of_another_size_stay_apart(self) -> None:
        draft = after_passes(block(width=20), DataType.FP16)
        assert StepKind.ATTENTION not in kinds(draft)
        assert any("head size 20" in decision.what for decision in draft.decisions)

    def test_a_softmax_without_products_is_none(self) -> None:
        net = Net(x=(4, 10))
        net.add("Softmax", "x", "y", 4, 10)
        assert kinds(after_passes(net.model("y"), DataType.FP16)) == [StepKind.SOFTMAX]

    def test_scores_that_somebody_else_reads_keep_the_block_apart(self) -> None:
        net = Net(q=(1, 4, 16, 64), k=(1, 4, 64, 16), v=(1, 4, 16, 64))
        net.add("MatMul", "q k", "s", 1, 4, 16, 16)
        net.add("Softmax", "s", "p", 1, 4, 16, 16)
        net.add("MatMul", "p v", "y", 1, 4, 16, 64)
        draft = after_passes(net.model("y", "p"), DataType.FP16)
        assert StepKind.ATTENTION not in kinds(draft)


class TestEpilogue:
    def test_the_bias_joins_the_product(self) -> None:
        draft = after_passes(block(), DataType.FP16)
        product = next(step for step in draft.steps if step.kind is StepKind.MATRIX_MULTIPLY)
        assert product.origins == ("MatMul_6", "Add_7", "Add_8")
        assert product.facts["bias"] is True


class TestGeneratedKernels:
    def test_a_written_out_normalization_is_one_kernel(self) -> None:
        net = Net(x=(1, 16, 64), y=(1, 16, 64))
        for name in ("two", "tiny"):
            net.stored(name)
        for name in ("gamma", "beta"):
            net.stored(name, 64)
        net.stored("w", 64, 64)
        whole, one = (1, 16, 64), (1, 16, 1)
        net.add("Add", "x y", "h", *whole)
        net.add("ReduceMean", "h", "m", *one, attributes={"axes": (-1,)})
        net.add("Sub", "h m", "c", *whole)
        net.add("Pow", "c two", "q", *whole)
        net.add("ReduceMean", "q", "v", *one, attributes={"axes": (-1,)})
        net.add("Add", "v tiny", "e", *one)
        net.add("Sqrt", "e", "d", *one)
        net.add("Div", "c d", "n", *whole)
        net.add("Mul", "n gamma", "g", *whole)
        net.add("Add", "g beta", "o", *whole)
        net.add("MatMul", "o w", "z", *whole)
        draft = after_passes(net.model("z"), DataType.FP16)
        assert kinds(draft) == [StepKind.REGION, StepKind.MATRIX_MULTIPLY]
        assert len(draft.steps[0].operators) == 10

    def test_what_a_convolution_stands_between_is_two_kernels(self) -> None:
        draft = after_passes(around_a_convolution())
        assert [step.origins for step in draft.steps] == [("MatMul_0", "Add_1"), ("Conv_2",), ("Mul_3",)]

    def test_a_reshape_alone_launches_nothing(self) -> None:
        net = Net(x=(4, 64))
        net.stored("w", 64, 64)
        net.add("Reshape", "x", "r", 2, 2, 64)
        net.add("MatMul", "r w", "y", 2, 2, 64)
        assert kinds(after_passes(net.model("y"))) == [StepKind.IDENTITY, StepKind.MATRIX_MULTIPLY]

    def test_pointwise_operations_of_a_convolutional_network_are_not_taken(self) -> None:
        net = Net(x=(1, 8, 4, 4))
        net.stored("w", 8, 8, 1, 1)
        net.add("Conv", "x w", "c", 1, 8, 4, 4)
        net.add("Sigmoid", "c", "s", 1, 8, 4, 4)
        net.add("Mul", "c s", "y", 1, 8, 4, 4)
        assert kinds(after_passes(net.model("y"))) == [StepKind.CONVOLUTION, StepKind.ACTIVATION, StepKind.ELEMENTWISE]

    def test_a_device_that_is_too_old_fuses_no_attention(self) -> None:
        draft = initial_draft(block(), target("A100", DataType.FP16))
        old = replace(draft, target=replace(draft.target, device=Device("old", compute_capability=(7, 0))))
        editor = DraftEditor(old, "attention")
        attention_fusion.PASS.edit(editor)
        assert StepKind.ATTENTION not in kinds(editor.done())


class TestEverything:
    """TensorRT 11, where Myelin compiles convolutions, too."""

    def test_bias_activation_and_residual_are_the_convolutions(self) -> None:
        built = build(small_cnn(), target(release=Release(11, 1)))
        kernels = [step.origins for step in built.steps if step.kind is not StepKind.IDENTITY]
        assert kernels == [
            (),
            ("Conv_0", "Relu_1"),
            ("MaxPool_2",),
            ("Conv_3", "Add_4", "Relu_5"),
            ("GlobalAveragePool_6", "Flatten_7"),
            ("Gemm_8",),
            ("Gemm_8", "Softmax_9"),
        ]
        layers = engine_from_documents([engine_document(built, "")]).layers
        types = [layer.type for layer in layers if layer.role is Role.KERNEL]
        assert types == ["kgen", "correlation", "maxpool", "correlation", "kgen", "gemm", "kgen"]

    def test_a_normalization_takes_the_additions_before_it(self) -> None:
        net = Net(x=(1, 16, 64), y=(1, 16, 64))
        for name in ("w", "v"):
            net.stored(name, 64, 64)
        for name in ("b", "gamma", "beta"):
            net.stored(name, 64)
        whole = (1, 16, 64)
        net.add("MatMul", "x w", "m", *whole)
        net.add("Add", "m b", "a", *whole)
        net.add("Add", "a y", "h", *whole)
        net.add("LayerNormalization", "h gamma beta", "n", *whole)
        net.add("MatMul", "n v", "p", *whole)
        net.add("Add", "p b", "q", *whole)
        net.add("Relu", "q", "z", *whole)
        built = build(net.model("z"), target(release=Release(11, 1)))
        assert [step.origins for step in built.steps] == [
            ("MatMul_0",),
            ("Add_1", "Add_2", "LayerNormalization_3"),
            ("MatMul_4", "Add_5", "Relu_6"),
        ]

    def test_work_is_counted_once(self, tmp_path: Path) -> None:
        path = write_network("resnet18-qat", tmp_path / "m.onnx")
        model = read_model(str(path))
        sums = []
        for release in (Release(10, 4), Release(11, 1)):
            built = build(model, target("A100", DataType.INT8, release=release))
            layers = engine_from_documents([engine_document(built, "")]).layers
            works = [work_of_step(step, layer, model) for step, layer in zip(built.steps, layers, strict=True)]
            sums.append(sum(work.macs or 0 for work in works))
        assert sums[0] == pytest.approx(sums[1], rel=1e-3)
        assert {layer.compute.data_type for layer in layers if layer.type == "correlation"} == {DataType.INT8}

    def test_a_transformer_layer_of_release_10_is_seven_kernels(self, tmp_path: Path) -> None:
        path = write_network("bert-base-fp16", tmp_path / "m.onnx")
        built = build(read_model(str(path)), Target(find_device("A100"), Release(10, 10), strongly_typed=True))
        kernels = [step for step in built.steps if step.kind is not StepKind.IDENTITY]
        assert len([step for step in kernels if any("layer.5/" in name for name in step.origins)]) == 7


class TestWholeRegions:
    def test_an_old_release_tells_one_layer(self) -> None:
        draft = after_passes(block(), DataType.FP16, release=Release(8, 6))
        assert kinds(draft) == [StepKind.REGION]
        assert draft.steps[0].label == "{ForeignNode[MatMul_0...Add_8]}"
        assert draft.steps[0].outputs == ("y",)

    def test_a_convolution_between_parts_two_regions(self) -> None:
        draft = after_passes(around_a_convolution(), release=Release(8, 6))
        assert kinds(draft) == [StepKind.REGION, StepKind.CONVOLUTION, StepKind.REGION]
