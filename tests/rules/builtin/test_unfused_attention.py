"""Attention in parts: which condition each block violates, and what a fused kernel would save."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.factories import layer, t
from tests.perf.round_device import round_device
from tests.rules.cases import analyzed, findings, on_round_device, plan_of, tokened, unchecked
from tests.rules.planting import Parts, pair
from tests.simulated_examples import SIMULATED
from trex.core.tensor import Tensor
from trex.rules.analyzed_engine import AnalyzedEngine

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
    device = more.get("device", round_device(compute_capability=(8, 0)))
    return analyzed(*layers, ms=more.get("ms", [0.1] * len(layers)), tokens=tokens_of, device=device)


def condition(engine: AnalyzedEngine) -> str:
    (found,) = findings(RULE, engine)
    return next(each.value for each in found.evidence if each.what == "violated conditions")


def test_its_savings():
    # macs: 2 · 4·8 · 256·256·64 = 268,435,456: 2 · that / 10¹⁴ = 0.00537 ms. Q, K, V, output: 4 · 4·8·256·64·2 =
    # 4,194,304 bytes / 5·10¹¹ = 0.00839 ms. So 0.1 + 0.2 + 0.3 − 0.00839 ms, spread by time.
    (found,) = findings(RULE, block(ms=[0.1, 0.2, 0.3]))
    fused = 4_194_304 / 5e11 * 1e3
    assert sum(found.savings.values()) == pytest.approx(0.6 - fused)
    assert found.savings[1] == pytest.approx(0.2 * (1 - fused / 0.6))
    assert found.layers == (0, 1, 2)


def test_without_a_device_only_what_vanishes_has_savings():
    engine = block(ms=[0.1, 0.2, 0.3], device=None)
    (found,) = findings(RULE, engine)
    assert found.savings == {1: pytest.approx(0.2)}
    assert "between the GEMMs" in found.formula


def test_none_violated_is_stated():
    engine = block()
    assert condition(engine) == "none"
    (found,) = findings(RULE, engine)
    assert found.confidence == 0.3 and "the files show no violated condition" in found.message


def test_a_softmax_over_another_axis_is_no_attention():
    """Its kernel writes exponentials and their sums, of length 1 in the first axis."""
    scores, sums = [16, 512, 512], [1, 512, 512]
    layers = (
        layer("bmm1", "gemm", [t("q", [16, 512, 64]), t("k", [16, 64, 512])], [t("s", scores)]),
        layer("softmax", "kgen", [t("s", scores)], [t("e", scores), t("sums", sums)]),
        layer("div", "kgen", [t("e", scores), t("sums", sums)], [t("p", scores)]),
        layer("bmm2", "gemm", [t("p", scores), t("v", [16, 512, 64])], [t("y", [16, 512, 64])]),
    )
    tokens = {"softmax": ("Sub", "Exp", "Sum"), "div": ("Div",)}
    device = round_device(compute_capability=(8, 0))
    engine = analyzed(*layers, ms=[0.1, 0.3, 0.2, 0.1], tokens=tokens, device=device)
    assert not findings(RULE, engine)
    rows = tuple(replace(item, outputs=(*item.outputs[:1], t("sums", [16, 512, 1]))) for item in layers[1:2])
    assert condition(analyzed(layers[0], *rows, *layers[2:], tokens=tokens, device=device)) == "none"


@pytest.mark.parametrize(
    ("changes", "violated", "words"),
    [
        ({"head": 12}, "head size", "12 is not 16 to 256"),
        ({"head": 320}, "head size", "320 is not 16 to 256"),
        ({"head": 20}, "head size", "multiples of 8"),
        ({"type": "FP32"}, "precision", "both GEMMs multiply FP32"),
        ({"device": round_device(compute_capability=(7, 0))}, "SM", "7.0 is below 7.5"),
        ({"type": "INT8", "written": "INT8", "head": 128}, "head size", "16, 32 or 64, not 128"),
        ({"type": "INT8", "written": "INT8", "tokens": 1024}, "sequence", "at most 512, not 1,024"),
        ({"type": "INT8", "second": "FP16"}, "Q/DQ position", "after the softmax"),
        ({"type": "FP16", "second": "INT8", "written": "INT8"}, "Q/DQ position", "before the first GEMM"),
        ({"type": "INT8", "written": "FP16"}, "Q/DQ position", "after the second GEMM"),
        ({"softmax": ("Mul", "Add", *SOFTMAX)}, "scale", "scaled after the first GEMM"),
        ({"scale": True}, "scale", "scaled after the first GEMM"),
        ({"type": "FP8", "written": "FP8", "device": round_device(compute_capability=(8, 0))},
         "precision", "FP8 needs compute capability 8.9"),
        ({"type": "FP8", "written": "FP8", "head": 128, "device": round_device(compute_capability=(8, 9))},
         "head size", "at most 64"),
    ],
)  # fmt: skip
def test_each_condition(changes, violated, words):
    engine = block(**changes)
    assert condition(engine) == violated
    (found,) = findings(RULE, engine)
    assert words in found.message and found.fix


def test_a_transposition_between_dequantize_and_product():
    scores, out, keys = [4, 8, 64, 64], [4, 8, 64, 32], [4, 8, 32, 64]
    layers = [
        layer("t", "kgen", [t("k0", out, "INT8")], [t("k", keys, "INT8")]),
        layer("bmm1", "gemm", [t("q", out, "INT8"), t("k", keys, "INT8")], [t("s", scores)]),
        layer("softmax", "kgen", [t("s", scores)], [t("p", scores, "INT8")]),
        layer("bmm2", "gemm", [t("p", scores, "INT8"), t("v", out, "INT8")], [t("y", out, "INT8")]),
    ]
    engine = on_round_device(
        *layers, tokens={"t": ("Tran",), "softmax": SOFTMAX}, device=round_device(compute_capability=(8, 0))
    )
    (found,) = findings(RULE, engine)
    assert "a transposition comes between" in found.message and found.savings == {}


def test_tensorrts_own_layers_and_a_softmax_in_two():
    scores, out = [4, 8, 64, 64], [4, 8, 64, 32]
    layers = [
        layer("MatMul_1", "MatrixMultiply", [t("q", out), t("k", out)], [t("s", scores)]),
        layer("Softmax_2", "SoftMax", [t("s", scores)], [t("p", scores)]),
        layer("MatMul_3", "MatrixMultiply", [t("p", scores), t("v", out)], [t("y", out)]),
    ]
    assert len(findings(RULE, on_round_device(*layers))) == 1
    split = [
        layer("bmm1", "gemm", [t("q", out), t("k", out)], [t("s", scores)]),
        layer("a", "kgen", [t("s", scores)], [t("e", scores), t("z", [4, 8, 64, 1])]),
        layer("b", "kgen", [t("e", scores), t("z", [4, 8, 64, 1])], [t("p", scores)]),
        layer("bmm2", "gemm", [t("p", scores), t("v", out)], [t("y", out)]),
    ]
    engine = on_round_device(*split, tokens={"a": ("Maxr", "Sub", "Exp", "Sum"), "b": ("Div", "Mul")})
    (found,) = findings(RULE, engine)
    assert found.layers == (0, 1, 2, 3)


def test_a_classifier_and_a_fused_kernel_are_none():
    from trex.engine_plan import load
    from trex.perf.performance import Performance

    assert not findings(RULE, AnalyzedEngine(Performance(load(str(SIMULATED / "transformer-fp16")))))
    softmax = layer("Softmax", "SoftMax", [t("a", [1, 1000])], [t("y", [1, 1000])])
    assert not findings(
        RULE, on_round_device(layer("fc", "gemm", [t("x", [1, 64]), t("w", [64, 1000])], [t("a", [1, 1000])]), softmax)
    )


def test_regions_are_unchecked():
    from dataclasses import replace

    from trex.core.layer import NameParts

    region = replace(
        layer("{ForeignNode[a...b]}", "Myelin", origins=("/attn/Softmax",)), name_parts=NameParts(("a", "b"))
    )
    assert unchecked(RULE, on_round_device(region))[0].layers == (0,)
    assert not unchecked(RULE, on_round_device(layer("{ForeignNode[a...b]}", "Myelin")))


def test_unknown_shapes():
    layers = [
        layer("bmm1", "gemm", [t("q", None), t("k", None)], [t("s", None)]),
        layer("softmax", "SoftMax", [t("s", None)], [t("p", None)]),
        layer("bmm2", "gemm", [t("p", None), t("v", None)], [t("y", None)]),
    ]
    (found,) = findings(RULE, on_round_device(*layers, ms=[0.1, 0.2, 0.3]))
    assert found.savings == {1: pytest.approx(0.2)}


def detr():
    """A DETR's layers by name: 18 attentions, then a class head, whose softmax is none."""
    names = []
    for number in range(18):
        path = f"/transformer/layers.{number}/self_attn"
        names += [f"{path}/Add", f"{path}/MatMul_1", f"{path}/Softmax", f"{path}/MatMul_2", f"{path}/Gemm"]
    names += ["/class/Add", "/class/Relu", "/class/Div", "/Softmax"]
    return plan_of(names, dict.fromkeys(names, 0.1))


def test_softmaxes_between_products_by_name():
    plan = detr()
    (found,) = findings(RULE, plan)
    assert found.message.startswith("18 softmaxes run as kernels of their own between GEMMs, by the layers'")
    assert len(found.main_layers) == 18 and sum(found.savings.values()) == pytest.approx(1.8)
    assert "detailed" in found.fix[0]
    (answer,) = unchecked(RULE, plan)
    assert answer.layers == (93,) and "1 softmax with only a name" in answer.reason


def test_generated_kernels_by_name():
    # Names as TensorRT 10 gives them to the kernels of a region, in three letters and in four.
    names = ["/attn/MatMul_myl109_2", "__myl_MulMaxSubExpSum_myl109_3", "__myl_DivMulTra_myl109_4"]
    names += ["/attn/MatMul_1_myl109_5", "/fc/Gemm", "node_bmm_myl36_4", "__myl_MaxrSubExpSumDivMul_myl36_5"]
    names += ["node_MatMul_303_myl36_7"]
    (found,) = findings(RULE, plan_of(names))
    assert found.main_layers == (1, 6) and not found.savings and not found.formula


# ---- The defect that tests plant into engines, and its sound twin


PLANTED_SOFTMAX = ("Maxr", "Sub", "Exp", "Sum", "Div", "Mul")


def attention(x: Tensor, bad: bool) -> Parts:
    scores, out = [4, 8, 256, 256], [4, 8, 256, 64]
    entry = layer("split900", "kgen", [x], [t("q900", out), t("k900", out), t("v900", out)])
    if not bad:
        fused = layer("_gemm_mha_v2_901", "kgen", [t(n, out) for n in ("q900", "k900", "v900")], [t("m903", out)])
        return [(entry, 0.02), (replace(fused, tactic="fmha_v2_flash_attention_fp16_64_32_S_64_sm80"), 0.1)]
    return [
        (entry, 0.02),
        (layer("bmm901", "gemm", [t("q900", out), t("k900", out)], [t("s901", scores)]), 0.1),
        (tokened(layer("softmax902", "kgen", [t("s901", scores)], [t("p902", scores)]), *PLANTED_SOFTMAX), 0.1),
        (layer("bmm903", "gemm", [t("p902", scores), t("v900", out)], [t("m903", out)]), 0.1),
    ]


PLANTER = pair(attention)
