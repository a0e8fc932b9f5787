"""Every kind of work over every engine of the catalog: nothing raises, what is unknown stays so."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import trex
from tests.engines import READABLE
from tests.factories import LABELS, chain, conv, engine, gemm, layer, t
from tests.raw_records import convolution
from tests.synthetic import CASES, Case
from trex.core.layer import Layer, NameParts, Role, Weights
from trex.ingest.graph_json import layers_from_raw
from trex.perf.performance import Performance
from trex.perf.work.kind import KINDS, type_key
from trex.perf.work.plan_works import work_of
from trex.perf.work.work import Work
from trex.plan.engine_plan import EnginePlan
from trex.plan.gemm import Gemm

FIGURES = ("macs", "other_ops", "bytes_read", "bytes_written", "weights_bytes")


def figures(work: Work) -> list[float | None]:
    return [getattr(work, name) for name in FIGURES]


def check(work: Work) -> None:
    for value in figures(work):
        assert value is None or (value >= 0 and math.isfinite(value))
    assert 0 <= work.confidence <= 1
    if None in figures(work) or work.confidence < 1:
        assert work.reason
    if figures(work) == [None] * 4 + [work.weights_bytes]:
        assert work.confidence == 0
    if work.gemm is not None and work.macs is not None:
        assert work.macs == work.gemm.macs
    assert work.weights_bytes is None or work.bytes_read is None or work.weights_bytes <= work.bytes_read


@pytest.mark.parametrize("case", READABLE, ids=lambda case: case.name)
def test_every_layer_of_every_engine_has_its_work(case: Case, tmp_path: Path):
    plan = trex.load(case.write(tmp_path))
    works = Performance(plan).works
    assert len(works) == len(plan.working_layers)
    for item, work in zip(plan.working_layers, works):
        check(work)
        tensors = (*item.inputs, *item.outputs)
        if item.role is Role.KERNEL and any(tensor.shape is None or None in tensor.shape for tensor in tensors):
            assert work.bytes_moved is None


@pytest.mark.parametrize("name", sorted(KINDS))
def test_every_kind_survives_every_sort_of_layer(name: str):
    """A kind is asked about whole, dynamic, nameless, untyped and empty layers, with and without its parameters."""
    shapes = [(1, 8, 4, 4), (None, 8, 4, 4), (), (0, 8), None, (2**40,) * 8]
    built = [layer("a", name, [t("x", shape)], [t("y", shape)]) for shape in shapes]
    built += [
        layer("b", name, [t("x", type="Unknown")], [t("y")]),
        layer("c", name, [], []),
        layer("c", name, [], ["y"]),
    ]
    built += [_damaged(key, value) for key in _KEYS for value in _DAMAGE]
    built += [replace(gemm("e", t("a", (4, 8)), t("b", (8, 2)), t("c", (4, 2))), raw={})]
    built += [replace(built[0], name_parts=NameParts((), tokens=tokens)) for tokens in (("Xyz",), ("gemm", "mha"), ())]
    built += [replace(built[0], weights=(Weights("input", LABELS["FP16"], None, None, "w"),))]
    for item in built:
        for kind in KINDS[name].value:
            if kind.takes is None or kind.takes(item):
                for role in kind.roles:
                    check(kind.work(replace(item, role=role)))


def _damaged(key: str, value: Any) -> Layer:
    damage: dict[str, Any] = {key: value}
    return conv("d", ["x"], ["y"], (3, 3), **damage)


_KEYS: tuple[str, ...] = (
    "Kernel",
    "Stride",
    "Dilation",
    "PrePadding",
    "Groups",
    "OutMaps",
    "Activation",
    "WindowSize",
    "Start",
)
_KEYS += ("Operations", "NbOperations", "Scale", "Mode", "PoolingType", "Origin")
_DAMAGE: tuple[Any, ...] = (
    None,
    "x",
    -1,
    0,
    [],
    ["x"],
    [0, 0],
    [-3, 7],
    [1.5, 2.5],
    [2**50, 2**50],
    [[1], [2]],
    {"Count": -1},
    True,
)


@pytest.mark.parametrize("name", sorted(KINDS))
def test_a_kinds_docstring_is_its_documentation(name: str):
    doc = KINDS[name].doc
    for heading in ("Formula: ", "Source: ", "Does not hold for: "):
        assert f"\n\n{heading}" in doc
    assert not KINDS.broken


def test_types_are_spelled_without_library_and_version():
    assert type_key("CudaDepthwiseConvolution") == type_key("CaskGemmConvolution") == "convolution"
    assert type_key("PointWiseV2") == "pointwise"
    assert type_key("batch_gemm") == "batchgemm"
    assert type_key("Cask") == "cask"


def test_a_type_without_formula_has_its_bytes():
    work = work_of(layer("a", "FutureThing", [t("x", (2, 3), "FP32")], [t("y", (4,), "INT8")]))
    assert (work.kind, work.macs, work.other_ops) == ("", None, None)
    assert (work.bytes_read, work.bytes_written, work.weights_bytes) == (24, 4, 0)
    assert "FutureThing" in work.reason


def test_names_alone_give_no_work():
    only = replace(layer("/a/Conv", "Convolution", [], []), raw={"Name": "/a/Conv"})
    work = work_of(only)
    assert figures(work)[:4] == [None] * 4
    assert work.confidence == 0
    assert "only names" in work.reason


def test_a_kernel_without_tensors_moves_an_unknown_number_of_bytes():
    work = work_of(layer("a", "Shuffle", [], []))
    assert work.bytes_read is None and work.bytes_written is None


def test_a_tensor_read_twice_is_moved_once():
    x = t("x", (1, 8, 4, 4), "FP16")
    assert work_of(layer("a", "ElementWise", [x, x], ["y"])).bytes_read == 8 * 4 * 4 * 2


def test_works_follow_the_plans_rows():
    built = engine(
        *chain(conv("a", ["x"], ["t"]), layer("b", "NoOp", ["t"], ["u"], role=Role.NOOP), conv("c", ["u"], ["y"]))
    )
    plan = EnginePlan(built)
    assert len(Performance(plan).works) == len(plan.working_layers) == 2


def test_absurd_dimensions_are_no_work():
    huge = conv("a", [t("x", (2**40, 64, 2**40, 2**40))], [t("y", (2**40, 64, 2**40, 2**40))], (3, 3))
    work = work_of(huge)
    assert figures(work) == [None] * 5
    assert "no device" in work.reason


def test_roles_that_run_no_kernel_have_no_work():
    for role in (Role.NOOP, Role.CONSTANT, Role.SYNC, Role.SHAPE, Role.TRAIN_STATION):
        work = work_of(layer("a", "Anything", ["x"], ["y"], role=role))
        assert figures(work) == [0] * 5
        assert work.kind == "no-work"


def test_at_given_shapes_the_work_is_known(tmp_path: Path):
    """Batch 2: 16 filters over 8·3·3 values at 16·16 positions, then 10 columns over 4096 values."""
    plan = trex.load(CASES["thirteen-profiles"].write(tmp_path))
    assert {work.macs for work in Performance(plan).works} == {None, 0}
    conv_work, product, cast = Performance(plan.at_shapes({"input": (2, 8, 16, 16)})).works
    assert conv_work.macs == 2 * 16 * 16 * 16 * (8 * 9)
    assert (product.macs, product.gemm) == (2 * 10 * 4096, Gemm(2, 10, 4096))
    assert (cast.macs, cast.bytes_read, cast.bytes_written) == (0, 2 * 10 * 2, 2 * 10 * 4)


def test_attention_of_unclear_layout_is_unknown():
    """(2, 256, 8, 64) all over: 8 heads of 256 tokens or 256 heads of 8 tokens."""
    operands = [t(name, (2, 256, 8, 64)) for name in "qkv"]
    tokens = NameParts((), "myelin", tokens=("gemm", "mha"))
    work = work_of(replace(layer("_gemm_mha_v2", "kgen", operands, [t("y", (2, 256, 8, 64))]), name_parts=tokens))
    assert work.macs is None and work.other_ops is None
    assert "ambiguous order" in work.reason
    assert work.bytes_moved == 4 * 2 * 256 * 8 * 64 * 2


def test_packed_attention_counts_its_gemms_only():
    tokens = NameParts((), "myelin", tokens=("gemm", "mha"))
    packed = layer("_gemm_mha_v2", "kgen", [t("qkv", (2, 128, 3 * 768))], [t("y", (2, 128, 768))])
    work = work_of(replace(packed, name_parts=tokens))
    assert work.macs == 2 * 2 * 128 * 128 * 768
    assert work.other_ops is None and "heads" in work.reason


def test_a_product_hidden_in_a_kernel_is_never_nothing():
    """Every token of a GEMM makes the MACs unknown or greater than 0."""
    for token in ("Gemm", "Fc", "Conv", "Mha", "Gem", "Con"):
        tokens = NameParts((), "myelin", tokens=("Add", token, "Relu"))
        built = layer("k", "kgen", [t("a", (128, 64)), t("b", (64, 32)), t("c", (32,))], [t("y", (128, 32))])
        work = work_of(replace(built, name_parts=tokens))
        assert work.macs is None or work.macs > 0, token


def work_of_record(record: dict[str, Any]) -> Work:
    (only,) = layers_from_raw([record])
    return work_of(only)


def test_a_convolution_whose_weights_contradict_its_kernel_is_doubted():
    good = work_of_record(convolution("c", "x", "y"))
    assert (good.macs, good.confidence) == (8 * 8 * 9 * 16, 1.0)
    for changed in ({"Kernel": [5, 5]}, {"OutMaps": 16}, {"Weights": {"Type": "Half", "Count": 8}}):
        work = work_of_record(convolution("c", "x", "y", **changed))
        assert work.confidence == 0.5 and "contradict" in work.reason


def test_a_convolution_with_an_implicit_batch():
    """TensorRT 8 and 9: shapes without the batch dimension."""
    record = convolution("c", "x", "y")
    for side in ("Inputs", "Outputs"):
        record[side][0]["Dimensions"] = record[side][0]["Dimensions"][1:]
    assert work_of_record(record).macs == work_of_record(convolution("c", "x", "y")).macs
