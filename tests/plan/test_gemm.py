"""M, N and K by hand-counted loops: every convolution here is also counted as its nested sums."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.factories import conv, gemm, layer, t
from tests.synthetic.artifacts import artifacts
from tests.synthetic.cnn import resnet18_fp16, resnet18_int8
from tests.synthetic.description import Description
from tests.synthetic.transformer import vision_transformer
from trex.ingest.graph_json import read_graph
from trex.plan.gemm import Gemm, gemm_of, gemm_of_record


def test_a_depthwise_convolution_has_one_channel_per_group() -> None:
    convolution = conv("d", [t("x", [1, 64, 8, 8])], [t("y", [1, 64, 8, 8])], (3, 3), groups=64)
    product = gemm_of(convolution)
    assert product == Gemm(m=64, n=64, k=9)
    assert product.macs == 64 * 64 * 9


@pytest.mark.parametrize("space", [(16,), (16, 8), (4, 8, 2)])
def test_any_number_of_spatial_dimensions(space: tuple[int, ...]) -> None:
    kernel = (3,) * len(space)
    convolution = conv("c", [t("x", [2, 12, *space])], [t("y", [2, 20, *space])], kernel, groups=4)
    product = gemm_of(convolution)
    assert product is not None
    positions = 2
    for extent in space:
        positions *= extent
    assert product == Gemm(positions, 20, 3 * 3 ** len(space))
    assert product.macs == positions * 20 * (12 // 4) * 3 ** len(space)


def test_a_deconvolution_is_counted_over_its_input() -> None:
    deconvolution = conv("d", [t("x", [1, 16, 7, 7])], [t("y", [1, 8, 14, 14])], (2, 2), stride=2, type="Deconvolution")
    product = gemm_of(deconvolution)
    assert product is not None
    loops = sum(1 for _ in range(7 * 7)) * 16 * 8 * 2 * 2
    assert product.macs == loops
    grouped = conv("d", [t("x", [1, 16, 7])], [t("y", [1, 8, 14])], (2,), groups=4, type="Deconvolution")
    assert gemm_of(grouped).macs == 7 * 16 * (8 // 4) * 2  # type: ignore[union-attr]


def test_a_pooled_convolution_is_counted_before_the_pooling() -> None:
    record: dict[str, Any] = {
        "ConvKernel": [7, 7],
        "ConvStride": [2, 2],
        "ConvDilation": [1, 1],
        "ConvPrePadding": [3, 3],
        "ConvPostPadding": [3, 3],
        "ConvPaddingMode": "kEXPLICIT_ROUND_DOWN",
        "ConvOutMaps": 64,
        "ConvGroups": 1,
    }
    source, output = t("x", [32, 3, 224, 224], "INT8"), t("y", [32, 64, 56, 56], "INT8")
    product = gemm_of(layer("c", "ConvActPool", [source], [output], **record))
    assert product == Gemm(32 * 112 * 112, 64, 147)
    longer = {key.replace("Conv", "Convolution", 1): value for key, value in record.items()}
    assert gemm_of_record("ConvActPool", "", longer, source.shape, output.shape) == product
    same = {**record, "ConvPaddingMode": "kSAME_UPPER", "ConvStride": [4, 4]}
    assert gemm_of_record("ConvActPool", "", same, source.shape, None).m == 32 * 56 * 56  # type: ignore[union-attr]
    up = {**record, "ConvPaddingMode": "kEXPLICIT_ROUND_UP"}
    assert gemm_of_record("ConvActPool", "", up, (1, 3, 224, 224), None).m == 113 * 113  # type: ignore[union-attr]


def test_matrix_products_take_their_stored_operand_from_the_record() -> None:
    product = gemm("g", t("a", [1, 9216]), t("w", [9216, 4096]), t("y", [1, 4096]), t("alpha", [1], "FP32"))
    assert len(product.inputs) == 1
    assert gemm_of(product) == Gemm(1, 4096, 9216)


@pytest.mark.parametrize(
    ("a", "b", "y", "expected"),
    [
        ([77, 768], [768, 320], [77, 320], Gemm(77, 320, 768)),
        ([77, 768], [320, 768], [77, 320], Gemm(77, 320, 768)),
        ([768, 77], [768, 320], [77, 320], Gemm(77, 320, 768)),
        ([2, 77, 768], [768, 320], [2, 77, 320], Gemm(154, 320, 768)),
        ([1, 256, 6, 6], [9216, 4096], [1, 4096], Gemm(1, 4096, 9216)),
        ([2, 8, 77, 64], [2, 8, 64, 99], [2, 8, 77, 99], Gemm(77, 99, 64, batch=16)),
        ([2, 8, 77, 64], [2, 8, 99, 64], [2, 8, 77, 99], Gemm(77, 99, 64, batch=16)),
        ([1, 512, 12, 64], [1, 12, 64, 512], [1, 12, 512, 512], None),
        ([77, None], [768, 320], [77, 320], None),
        ([77, 768], [320], [77, 320], None),
    ],
)
def test_matrix_products_of_every_layout(a: list, b: list, y: list, expected: Gemm | None) -> None:
    assert gemm_of(layer("g", "gemm", [t("a", a), t("b", b)], [t("y", y)])) == expected


def test_myelin_convolutions_in_either_layout() -> None:
    first = layer("c", "conv", [t("x", [1, 16, 28, 28]), t("w", [32, 16, 3, 3])], [t("y", [1, 32, 28, 28])])
    last = layer("c", "conv", [t("x", [1, 28, 28, 16]), t("w", [32, 3, 3, 16])], [t("y", [1, 28, 28, 32])])
    assert gemm_of(first) == gemm_of(last) == Gemm(784, 32, 144)
    either = layer("c", "conv", [t("x", [1, 8, 8, 8]), t("w", [8, 8, 8, 8])], [t("y", [1, 8, 8, 8])])
    assert gemm_of(either) is None


def test_unknown_shapes_give_no_product() -> None:
    dynamic = conv("c", [t("x", [None, 64, 8, 8])], [t("y", [None, 64, 8, 8])], (3, 3))
    assert gemm_of(dynamic) is None
    assert gemm_of(layer("c", "Convolution")) is None
    assert gemm_of(layer("c", "Convolution", [], [])) is None
    assert gemm_of(layer("k", "kgen")) is None
    assert gemm_of(layer("g", "gemm", ["a"], [])) is None


@pytest.mark.parametrize("kernel", [None, "3x3", [3], [3, -1], [3, 0], [3, True], [[3], 3], [2**70, 3], {}, 3.5])
def test_damaged_kernels_are_no_product(kernel: object) -> None:
    shape = (1, 64, 8, 8)
    assert gemm_of_record("Convolution", "", {"Kernel": kernel}, shape, shape) is None


@pytest.mark.parametrize("groups", [0, -1, 3, "one", [], 2**70])
def test_damaged_groups_are_no_product(groups: object) -> None:
    shape = (1, 64, 8, 8)
    assert gemm_of_record("Convolution", "", {"Kernel": [1, 1], "Groups": groups}, shape, shape) is None


def test_real_convolutions_agree_with_their_weight_counts(shared_engines: Path) -> None:
    """Weights of a convolution are out_maps · K values: an independent count in the file."""
    checked = 0
    for file in shared_engines.glob("*/*.graph.json"):
        for record in json.loads(file.read_text(errors="replace"), strict=False)["Layers"]:
            if record.get("ParameterType") != "Convolution":
                continue
            source, output = record["Inputs"][0]["Dimensions"], record["Outputs"][0]["Dimensions"]
            product = gemm_of_record("Convolution", "", record, tuple(source), tuple(output))
            assert product is not None, record["Name"]
            assert product.n * product.k == record["Weights"]["Count"], record["Name"]
            checked += 1
    assert checked > 100


@pytest.mark.parametrize(
    ("folder", "images", "published"),
    [
        ("trt10.4-alexnet-fp16-rtx3060", 1, 0.714e9),
        ("trt10.4-resnet18-fp16-rtx3060", 1, 1.814e9),
        ("trt8.4-resnet18-a100-qat-residual", 32, 1.814e9),
        ("trt8.2-resnet50-rtx3090-qat", 32, 3.858e9),
        ("trt8.4-mobilenetv2-qat", 1, 0.301e9),
    ],
)
def test_real_engines_cost_what_is_published(shared_engines: Path, folder: str, images: int, published: float) -> None:
    """MACs per image as torchvision and the models' papers give them."""
    (file,) = (shared_engines / folder).glob("*.graph.json")
    products = [gemm_of(item) for item in read_graph(file.read_bytes(), file.name).layers]
    total = sum(product.macs for product in products if product is not None)
    assert total / images == pytest.approx(published, rel=0.002)


@pytest.mark.parametrize(
    "describe", [resnet18_fp16, lambda: resnet18_int8(residual_quantizers=True), vision_transformer]
)
def test_synthetic_engines_cost_what_their_maker_meant(describe: Callable[[], Description]) -> None:
    description = describe()
    files = artifacts(description, queries=2)
    engine = read_graph(next(data for name, data in files.items() if name.endswith(".graph.json")))
    operations = {step.name: step.operations for step in description.steps}
    checked = 0
    for item in engine.layers:
        product = gemm_of(item)
        if product is not None:
            assert 2 * product.macs == operations[item.name], item.name
            checked += 1
    assert checked > 20
