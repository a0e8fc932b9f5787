from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trex.core.layer import NameParts
from trex.ingest.spelling.layer_names import (
    GENERATED_OPERATIONS,
    explain_name,
    foreign_ends,
    inserted_for,
    myelin_region,
    parse_name,
    profile_suffix,
    step_in_region,
    token_meaning,
    torch_parts,
)

TORCH = "[CONVOLUTION]-[aten_ops.convolution.default]-[/conv1/convolution]"

NAMES = [
    ("Conv_22", NameParts(("Conv_22",))),
    ("", NameParts(("",))),
    ("Conv_0 + Relu_1", NameParts(("Conv_0", "Relu_1"), "vertical")),
    ("Gemm_1 || Gemm_2 || Gemm_3", NameParts(("Gemm_1", "Gemm_2", "Gemm_3"), "horizontal")),
    ("a + b || c + d", NameParts(("a", "b", "c", "d"), "vertical+horizontal")),
    ("PWN(Sin_72)", NameParts(("Sin_72",), "pointwise")),
    ("PWN(PWN(Sigmoid_79), Mul_80)", NameParts(("Sigmoid_79", "Mul_80"), "pointwise")),
    ("PWN((Unnamed Layer* 2) [Activation])", NameParts(("(Unnamed Layer* 2) [Activation]",), "pointwise")),
    (
        "features.0.0.weight + QuantizeLinear_7 + Conv_9 + PWN(Clip_13)",
        NameParts(("features.0.0.weight", "QuantizeLinear_7", "Conv_9", "Clip_13"), "vertical+pointwise"),
    ),
    (
        "Reshape_106 + (Unnamed Layer* 124) [Shuffle]",
        NameParts(("Reshape_106", "(Unnamed Layer* 124) [Shuffle]"), "vertical"),
    ),
    ("(Unnamed Layer* 2) [Activation]", NameParts(("(Unnamed Layer* 2) [Activation]",))),
    (
        "{ForeignNode[fc.weight...(Unnamed Layer* 58) [ElementWise]]}",
        NameParts(("fc.weight", "(Unnamed Layer* 58) [ElementWise]"), "foreign"),
    ),
    (
        "{ForeignNode[Reshape_1 + Transpose_2...Reshape_3 + Reshape_4]}",
        NameParts(("Reshape_1 + Transpose_2", "Reshape_3 + Reshape_4"), "foreign"),
    ),
    ("{ForeignNode[alone]}", NameParts(("alone",), "foreign")),
    ("__myl_MaxrSubExpSum_myl7_3", NameParts((), "myelin", tokens=("Maxr", "Sub", "Exp", "Sum"), region=7)),
    ("__myl_Res_myl9_1", NameParts((), "myelin", tokens=("Res",), region=9)),
    ("__mye258_0_myl7_0", NameParts((), "myelin", region=7)),
    ("dummy_shape_call__mye622_0_myl9_0", NameParts((), "myelin", region=9)),
    ("_gemm_mha_v2_myl0_4", NameParts((), "myelin", tokens=("gemm", "mha"), region=0)),
    ("node_linear_myl4_0", NameParts(("node_linear",), "myelin", region=4)),
    ("node_linear [profile 1]_myl13_2", NameParts(("node_linear",), "myelin", region=13)),
    ("/a/Mul + /a/Add_myl2_11", NameParts(("/a/Mul", "/a/Add"), "vertical+myelin", region=2)),
    ("Conv_0 + Relu_1 [profile 12]", NameParts(("Conv_0", "Relu_1"), "vertical")),
    ("a\x1eb\x1fc", NameParts(("a", "b", "c"), "vertical")),
    ("a\x1e", NameParts(("a",))),
    ("Reformatting CopyNode for Input Tensor 0 to Conv_0 + Relu_1", NameParts((), "reformat", wraps="Conv_0 + Relu_1")),
    (
        "Reformatting CopyNode for Output Tensor 3 to {ForeignNode[a...b]}",
        NameParts((), "reformat", wraps="{ForeignNode[a...b]}"),
    ),
    ("Reformatted Input Tensor 0 to MaxPool_2", NameParts((), "reformat", wraps="MaxPool_2")),
    ("Optimizer Reformat(x -> <out>)", NameParts((), "reformat", wraps="x -> <out>")),
    (TORCH, NameParts((TORCH,))),
    (f"{TORCH} + {TORCH}", NameParts((TORCH, TORCH), "vertical")),
    # Stray brackets are plain text.
    ("a(b + c", NameParts(("a(b", "c"), "vertical")),
    ("a] + b)", NameParts(("a]", "b)"), "vertical")),
    ("PWN(a + b", NameParts(("PWN(a", "b"), "vertical")),
    ("f(a + b) + c", NameParts(("f(a + b)", "c"), "vertical")),
    ("PWN(f(a, b), c)", NameParts(("f(a, b)", "c"), "pointwise")),
]


@pytest.mark.parametrize(("name", "expected"), NAMES)
def test_the_grammar(name: str, expected: NameParts) -> None:
    assert parse_name(name) == expected


@pytest.mark.parametrize(
    ("name", "bare", "profile"),
    [
        ("conv", "conv", None),
        ("conv [profile 1]", "conv", 1),
        ("conv [profile 11]", "conv", 11),
        ("conv [profile  3]", "conv", 3),
        ("node_linear [profile 1]_myl11_2", "node_linear_myl11_2", 1),
        ("relu_2 [profile 1].1_4_myl11", "relu_2.1_4_myl11", 1),
        ("a [profile 2] + b [profile 2]", "a + b", 2),
        ("[profile x]", "[profile x]", None),
        ("[profile " + "9" * 5000 + "]", "[profile " + "9" * 5000 + "]", None),
    ],
)
def test_profile_suffix(name: str, bare: str, profile: int | None) -> None:
    assert profile_suffix(name) == (bare, profile)


def test_myelin_region_and_step() -> None:
    assert myelin_region("__myl_MulSum_myl24_1") == 24
    assert myelin_region("relu_2 [profile 1].1_4_myl11") == 11
    assert myelin_region("x_myl3_1 [profile 1]") == 3
    assert myelin_region("conv") is None
    assert myelin_region("a_mylar") is None
    assert step_in_region("__myl_MulSum_myl24_1") == 1
    assert step_in_region("relu_myl11") is None
    assert step_in_region("relu") is None


def test_pieces() -> None:
    assert inserted_for("reshape_before_/a/Gemm") == "/a/Gemm"
    assert inserted_for("copied_squeeze_after_X") == "X"
    assert inserted_for("unsqueeze_node_after_fc.bias") == "fc.bias"
    assert inserted_for("Reshape_12") is None
    assert torch_parts(TORCH) == ("CONVOLUTION", "aten_ops.convolution.default", "/conv1/convolution")
    assert torch_parts("[a]") is None
    assert foreign_ends("{ForeignNode[a...b]}") == ("a", "b")
    assert foreign_ends("Conv") is None


def test_tokens_have_meanings_also_when_cut_to_three_letters() -> None:
    assert token_meaning("Resh") == token_meaning("Res") == "reshape"
    assert token_meaning("Sele") == "select (where)"
    assert token_meaning("Mul") == "multiplication"
    assert token_meaning("Max") == "maximum"
    assert token_meaning("Zzzz") == ""
    assert all(GENERATED_OPERATIONS.values())


def test_explanations_name_each_piece_once() -> None:
    lines = explain_name("fc.weight + QuantizeLinear_2 + Gemm_3 + PWN(Relu_4) + PWN(Relu_4)")
    pieces = [piece for piece, _ in lines]
    assert pieces == ["+", "PWN(…)", "fc.weight", "QuantizeLinear_2", "Gemm_3", "Relu_4"]
    meaning = dict(lines)
    assert "vertical fusion" in meaning["+"]
    assert "stored weight of fc" in meaning["fc.weight"]
    assert meaning["QuantizeLinear_2"] == "quantization"


def test_explanations_of_reformats_regions_and_generated_kernels() -> None:
    reformat = dict(explain_name("Reformatting CopyNode for Input Tensor 1 to {ForeignNode[a...b]} [profile 3]"))
    assert "input tensor 1" in reformat["Reformatting CopyNode for Input Tensor 1 to"]
    assert "Myelin" in reformat["{ForeignNode[a...b]}"]
    assert "profile 3" in reformat["[profile 3]"]
    kernel = dict(explain_name("__myl_ReshQqqqSele_myl7_3"))
    assert kernel["Resh"] == "reshape"
    assert "unknown meaning" in kernel["Qqqq"]
    assert "region 7, kernel 3" in kernel["_myl7_3"]
    assert "no kernel" in dict(explain_name("__mye258_0_myl7_0"))["__mye258_0_myl7_0"]
    assert "Torch-TensorRT" in dict(explain_name(TORCH))[TORCH]
    assert "horizontal" in dict(explain_name("a || b"))["||"]
    ends = dict(explain_name("{ForeignNode[Reshape_1 + Transpose_2 + Reshape_3...Softmax_9]}"))
    assert "an end of the region, a fusion of 3 operations" in ends["Reshape_1 + Transpose_2 + Reshape_3"]
    assert "operation or constant" in ends["Softmax_9"]


_NAME = st.text(alphabet=st.sampled_from("ab_/.0[](){}|+, \x1e\x1fPWNmylForeign*"), max_size=60)


@given(st.one_of(_NAME, st.text()))
def test_any_name_has_parts_and_an_explanation(name: str) -> None:
    parts = parse_name(name)
    assert parts.operations or parts.fusion in ("reformat", "myelin")
    assert explain_name(name)


@given(st.lists(st.from_regex(r"[A-Za-z_/.][A-Za-z0-9_/.]{0,12}", fullmatch=True), min_size=2, max_size=8))
def test_joined_operations_come_apart_again(operations: list[str]) -> None:
    expected = tuple(operations)
    if any("_my" in name or "_gemm_mha" in name for name in operations):
        return
    assert parse_name(" + ".join(operations)).operations == expected
    assert parse_name(" || ".join(operations)).operations == expected
    assert parse_name(f"PWN({', '.join(operations)})").operations == expected


@pytest.mark.parametrize(
    "name",
    [
        "PWN(" * 10_000 + "a" + ")" * 10_000,
        "PWN(" * 50_000,
        ")" * 200_000,
        "([{" * 60_000,
        "{ForeignNode[" * 12_000 + "a...b" + "]}" * 12_000,
        "{ForeignNode[" + "." * 200_000 + "]}",
        " + ".join(f"/layers.{i}/MatMul" for i in range(9_000)),
        "Reformatting CopyNode for Input Tensor 0 to " * 4_500,
        "[profile " * 20_000,
        "[profile " + " " * 200_000,
        "_myl1" * 40_000,
        "__myl_" + "Mul" * 60_000 + "_myl1_2",
        "[a]-[b]-[" * 20_000,
    ],
    ids=lambda name: name[:12],
)
def test_long_and_deep_names_are_parsed(name: str) -> None:
    parse_name(name)
    assert explain_name(name)


def test_the_real_names(shared_engines: Path) -> None:
    fusions = set()
    for path in shared_engines.glob("*/*.graph.json"):
        for layer in json.loads(path.read_bytes())["Layers"]:
            parts = parse_name(layer["Name"])
            fusions.add(parts.fusion)
            for operation in parts.operations:
                # A single operation contains no fusion.
                assert not operation.startswith("PWN(")
                assert " || " not in operation
    expected = {"none", "vertical", "reformat", "myelin", "vertical+pointwise", "foreign", "pointwise", "horizontal"}
    assert expected <= fusions
