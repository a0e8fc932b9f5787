"""Attention in parts: which condition each block violates, and what a fused kernel would save."""

from __future__ import annotations

import pytest

from tests.factories import layer, t
from tests.perf.round_device import round_device
from tests.rules.judged import findings, judged, unanswered
from trex.rules.analyzed_engine import Inspected

RULE = "unfused-attention"
SOFTMAX = ("Maxr", "Sub", "Exp", "Sum", "Div", "Mul")


def block(
    head=64, tokens=256, type="FP16", second="", softmax=SOFTMAX, written="", scale=False, kernel="softmax", **more
):
    """Eight heads of a batch of four: product, softmax as Myelin's kernel, product."""
    second = second or type
    scores, out = [4, 8, tokens, tokens], [4, 8, tokens, head]
    layers = [
        layer(
            "bmm1", "gemm", [t("q", out, type), t("k", out, type)], [t("s", scores, "FP16" if type == "INT8" else type)]
        ),
        layer(kernel, "kgen", [t("s", scores)], [t("p", scores, second)]),
        layer("bmm2", "gemm", [t("p", scores, second), t("v", out, second)], [t("y", out, written or second)]),
    ]
    if scale:
        layers.insert(1, layer("scale", "kgen", [t("s", scores)], [t("s2", scores)]))
        layers[2] = layer(kernel, "kgen", [t("s2", scores)], [t("p", scores, second)])
    tokens_of = {kernel: softmax, "scale": ("Mul",)}
    device = more.pop("device", None) or round_device(compute_capability=(8, 0))
    return judged(*layers, ms=more.pop("ms", [0.1] * len(layers)), tokens=tokens_of, device=device, **more)


def condition(seen: Inspected) -> str:
    (found,) = findings(RULE, seen)
    return next(each.value for each in found.evidence if each.what == "violated conditions")


def test_its_price():
    # macs: 2 · 4·8 · 256·256·64 = 268,435,456: 2 · that / 10¹⁴ = 0.00537 ms. Q, K, V, output: 4 · 4·8·256·64·2 =
    # 4,194,304 bytes / 5·10¹¹ = 0.00839 ms. So 0.1 + 0.2 + 0.3 − 0.00839 ms, spread by time.
    (found,) = findings(RULE, block(ms=[0.1, 0.2, 0.3]))
    fused = 4_194_304 / 5e11 * 1e3
    assert found.at_stake_ms == pytest.approx(0.6 - fused)
    assert found.at_stake[1] == pytest.approx(0.2 * (1 - fused / 0.6))
    assert found.layers == (0, 1, 2)


def test_without_a_device_only_what_vanishes_is_priced():
    seen = block(ms=[0.1, 0.2, 0.3], no_device=True)
    (found,) = findings(RULE, seen)
    assert found.at_stake == {1: pytest.approx(0.2)}
    assert "between the products" in found.formula


def test_none_violated_is_said():
    seen = block()
    assert condition(seen) == "none"
    (found,) = findings(RULE, seen)
    assert found.confidence == 0.3 and "violates none" in found.message


@pytest.mark.parametrize(
    ("changes", "violated", "words"),
    [
        ({"head": 12}, "head size", "heads of 12"),
        ({"head": 320}, "head size", "heads of 320"),
        ({"head": 20}, "head size", "multiples of 8"),
        ({"type": "FP32"}, "precision", "the first product multiplies FP32"),
        ({"device": round_device(compute_capability=(7, 0))}, "SM", "7.0 is below 7.5"),
        ({"type": "INT8", "written": "INT8", "head": 128}, "head size", "16, 32 or 64, not 128"),
        ({"type": "INT8", "written": "INT8", "tokens": 1024}, "sequence", "at most 512, not 1,024"),
        ({"type": "INT8", "second": "FP16"}, "Q/DQ position", "after the softmax"),
        ({"type": "FP16", "second": "INT8", "written": "INT8"}, "Q/DQ position", "before the first product"),
        ({"type": "INT8", "written": "FP16"}, "Q/DQ position", "after the second product"),
        ({"softmax": ("Mul", "Add", *SOFTMAX)}, "scale", "scaled after the first product"),
        ({"scale": True}, "scale", "scaled after the first product"),
        ({"type": "FP8", "written": "FP8", "device": round_device(compute_capability=(8, 0))},
         "precision", "FP8 needs compute capability 8.9"),
        ({"type": "FP8", "written": "FP8", "head": 128, "device": round_device(compute_capability=(8, 9))},
         "head size", "at most 64"),
    ],
)  # fmt: skip
def test_each_condition(changes, violated, words):
    seen = block(**changes)
    assert condition(seen) == violated
    (found,) = findings(RULE, seen)
    assert words in found.message and found.advice


def test_a_transposition_between_dequantize_and_product():
    scores, out, keys = [4, 8, 64, 64], [4, 8, 64, 32], [4, 8, 32, 64]
    layers = [
        layer("t", "kgen", [t("k0", out, "INT8")], [t("k", keys, "INT8")]),
        layer("bmm1", "gemm", [t("q", out, "INT8"), t("k", keys, "INT8")], [t("s", scores)]),
        layer("softmax", "kgen", [t("s", scores)], [t("p", scores, "INT8")]),
        layer("bmm2", "gemm", [t("p", scores, "INT8"), t("v", out, "INT8")], [t("y", out, "INT8")]),
    ]
    seen = judged(*layers, tokens={"t": ("Tran",), "softmax": SOFTMAX}, device=round_device(compute_capability=(8, 0)))
    (found,) = findings(RULE, seen)
    assert "a transposition stands between" in found.message and found.at_stake == {}


def test_tensorrts_own_layers_and_a_softmax_in_two():
    scores, out = [4, 8, 64, 64], [4, 8, 64, 32]
    layers = [
        layer("MatMul_1", "MatrixMultiply", [t("q", out), t("k", out)], [t("s", scores)]),
        layer("Softmax_2", "SoftMax", [t("s", scores)], [t("p", scores)]),
        layer("MatMul_3", "MatrixMultiply", [t("p", scores), t("v", out)], [t("y", out)]),
    ]
    assert len(findings(RULE, judged(*layers))) == 1
    split = [
        layer("bmm1", "gemm", [t("q", out), t("k", out)], [t("s", scores)]),
        layer("a", "kgen", [t("s", scores)], [t("e", scores), t("z", [4, 8, 64, 1])]),
        layer("b", "kgen", [t("e", scores), t("z", [4, 8, 64, 1])], [t("p", scores)]),
        layer("bmm2", "gemm", [t("p", scores), t("v", out)], [t("y", out)]),
    ]
    seen = judged(*split, tokens={"a": ("Maxr", "Sub", "Exp", "Sum"), "b": ("Div", "Mul")})
    (found,) = findings(RULE, seen)
    assert found.layers == (0, 1, 2, 3)


def test_a_classifier_and_a_fused_kernel_are_none():
    from trex.engine_plan import load
    from trex.perf.performance import Performance

    assert not findings(RULE, Inspected(Performance(load("example:transformer-fp16"))))
    softmax = layer("Softmax", "SoftMax", [t("a", [1, 1000])], [t("y", [1, 1000])])
    assert not findings(
        RULE, judged(layer("fc", "gemm", [t("x", [1, 64]), t("w", [64, 1000])], [t("a", [1, 1000])]), softmax)
    )


def test_regions_cannot_be_told():
    from dataclasses import replace

    from trex.core.layer import NameParts

    region = replace(
        layer("{ForeignNode[a...b]}", "Myelin", origins=("/attn/Softmax",)), name_parts=NameParts(("a", "b"))
    )
    assert unanswered(RULE, judged(region))[0].layers == (0,)
    assert not unanswered(RULE, judged(layer("{ForeignNode[a...b]}", "Myelin")))


def test_unknown_shapes():
    layers = [
        layer("bmm1", "gemm", [t("q", None), t("k", None)], [t("s", None)]),
        layer("softmax", "SoftMax", [t("s", None)], [t("p", None)]),
        layer("bmm2", "gemm", [t("p", None), t("v", None)], [t("y", None)]),
    ]
    (found,) = findings(RULE, judged(*layers, ms=[0.1, 0.2, 0.3]))
    assert found.at_stake == {1: pytest.approx(0.2)}
