from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trex.ingest.spelling.layer_names import parse_name
from trex.ingest.spelling.origins import ROOT, module_of, split_origins

CONV = "[CONVOLUTION]-[aten_ops.convolution.default]-[/layer1/0/conv1/convolution_1]"
SCALE = "[SCALE]-[aten_ops._native_batch_norm_legit_no_training.default]-[/layer1/0/bn1/batch_norm_1]"


def token(name: str) -> str:
    return f"[ONNX Layer: {name}]"


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        ("", ()),
        ("\x1e\x1f", ()),
        (token("a"), ("a",)),
        (token("a") + "\x1e" + token("b"), ("a", "b")),
        (token("a") + "\x1f" + token("b") + "\x1e" + token("c") + "\x1e", ("a", "b", "c")),
        (token("a") + token("b"), ("a", "b")),
        (token("a") + "+" + token("b") + " + " + token("c"), ("a", "b", "c")),
        (token("a") + "\x1e" + token("b") + "\x1e" + token("a"), ("a", "b")),
        (token("x[0]") + "\x1e" + token("y[1][2]"), ("x[0]", "y[1][2]")),
        (token("x[0]") + token("y"), ("x[0]", "y")),
        ("[ONNX Layer: cut short", ("cut short",)),
        (CONV, (CONV,)),
        (CONV + "\x1e" + SCALE, (CONV, SCALE)),
        (CONV + SCALE, (CONV, SCALE)),
        ("set by hand", ("set by hand",)),
        ("by hand" + token("a"), ("by hand", "a")),
    ],
)
def test_split_origins(metadata: str, expected: tuple[str, ...]) -> None:
    assert split_origins(metadata) == expected


_NODE = st.text(alphabet=st.sampled_from("ab/_.0]:,"), min_size=1, max_size=12).filter(lambda n: not n.endswith("]"))


@given(st.lists(_NODE, max_size=6, unique=True), st.sampled_from(["\x1e", "\x1f", ""]))
def test_joined_names_are_split(nodes: list[str], separator: str) -> None:
    assert split_origins(separator.join(map(token, nodes))) == tuple(nodes)


@given(st.text())
def test_any_metadata_has_an_answer(metadata: str) -> None:
    assert all(split_origins(metadata))


@pytest.mark.parametrize(
    ("origins", "name", "module"),
    [
        (("/layer1/0/conv1/Conv",), "x", "/layer1/0/conv1"),
        (("/layer1/layer1.0/conv1/Conv",), "x", "/layer1/0/conv1"),
        (("/layer2/layer2.0/downsample/downsample.0/Conv",), "x", "/layer2/0/downsample/0"),
        (("/model/layers.3/self_attn/q_proj/MatMul",), "x", "/model/layers/3/self_attn/q_proj"),
        (("/layer1/layer1.0/conv1/Conv", "/layer1/layer1.0/relu/Relu"), "x", "/layer1/0/conv1"),
        (("/layer1/0/add/Add", "/layer1/0/relu/Relu"), "x", "/layer1/0"),
        (("/attn/q/MatMul", "/attn/k/MatMul"), "x", "/attn"),
        (("/conv1/Conv", "/relu/Relu"), "x", "/conv1"),
        (("/bn1/Mul", "/relu/Relu"), "x", ROOT),
        (("/Flatten",), "x", ROOT),
        (("Conv_22",), "Conv_22", ""),
        ((), "Conv_22", ""),
        ((), "", ""),
        ((CONV, SCALE), "x", "/layer1/0/conv1"),
        ((), f"{CONV} + {SCALE}", "/layer1/0/conv1"),
        ((), CONV, "/layer1/0/conv1"),
        ((), "layer1.0.conv1.weight + QuantizeLinear_20 + Conv_22", "/layer1/0/conv1"),
        (("Conv_22",), "layer1.0.conv1.weight + QuantizeLinear_20 + Conv_22", "/layer1/0/conv1"),
        ((), "fc.weight + Gemm_1 + fc.bias + (Unnamed Layer* 3) [Shuffle]", "/fc"),
        ((), "features.0.0.weight + Conv_9 + PWN(Clip_13)", "/features/0/0"),
        ((), "v1.5 + Conv_9", ""),
        ((), "resnet50/conv1_conv/Conv2D__6", "/resnet50/conv1_conv"),
        ((), "Reformatting CopyNode for Input Tensor 0 to /a/b/Conv + /a/b/Relu", "/a/b"),
        (
            (),
            "Reformatting CopyNode for Input Tensor 0 to Reformatting CopyNode for Output Tensor 0 to /a/b/Conv",
            "/a/b",
        ),
        ((), "reshape_before_/classifier/classifier.1/Gemm", "/classifier/1"),
        ((), "copied_squeeze_after_[ELEMENTWISE]-[aten_ops.addmm.default]-[/fc/addmm_add]", "/fc"),
        ((), "{ForeignNode[/enc/0/Reshape + /enc/0/x/Mul.../enc/7/Add]}", "/enc"),
        ((), "/classifier/classifier.6/Gemm_myl9_2", "/classifier/6"),
        ((), "__myl_MulSum_myl9_2", ""),
    ],
)
def test_module_of(origins: tuple[str, ...], name: str, module: str) -> None:
    assert module_of(origins, parse_name(name)) == module


@given(st.lists(st.text(alphabet="ab/._ +[]{}", max_size=20), max_size=4), st.text(alphabet="ab/.{}[]+ ", max_size=30))
def test_any_names_have_a_module(origins: list[str], name: str) -> None:
    module = module_of(tuple(origins), parse_name(name))
    assert module == "" or module.startswith("/")


@pytest.mark.parametrize(
    "text",
    [
        token("x") * 14_000,
        "]" * 200_000,
        "[ONNX Layer: " + "] " * 100_000,
        "[A]-[" + "] " * 60_000,
        "[A]-[" + "][a" * 60_000,
        "reshape_before_" * 14_000 + "/a/b",
        "/a.b" * 50_000,
        "a.b" * 60_000 + ".weight",
        "{ForeignNode[" * 12_000 + "/a/b...c" + "]}" * 12_000,
    ],
    ids=lambda text: text[:14],
)
def test_long_texts_are_split(text: str) -> None:
    module_of(split_origins(text), parse_name(text))
    module_of((), parse_name(text))


def test_the_real_engines(shared_engines: Path) -> None:
    modules = set()
    longest = 0
    for path in shared_engines.glob("*/*.graph.json"):
        for layer in json.loads(path.read_bytes())["Layers"]:
            origins = split_origins(layer.get("Metadata", ""))
            longest = max(longest, len(origins))
            assert not any("ONNX Layer" in name or "\x1e" in name or "\x1f" in name for name in origins)
            modules.add(module_of(origins, parse_name(layer["Name"])))
    assert longest == 10
    assert {"", "/layer1/0/conv1", "/features/2", "/fc", "/layer2/0/downsample/0"} <= modules
