"""Reformat nodes say why they exist; missing facts are said to be missing."""

from __future__ import annotations

from dataclasses import replace

from tests.factories import layer, t
from trex.core.layer import NameParts
from trex.views.diagram.explanations import explanation, reformat_reason


def reformat(source, target, wraps="", **raw):
    result = layer("copy", "Reformat", [source], [target], **raw)
    return replace(result, name_parts=NameParts((), "reformat", wraps=wraps))


def test_layout_change_names_whom_it_serves():
    result = reformat(t("x"), t("y", format="NHWC8"), wraps="conv1", Origin="REFORMAT")
    assert reformat_reason(result) == ("layout change for conv1", "layout NCHW → NHWC8")


def test_quantize_and_dequantize_are_told_by_the_widths():
    narrow, wide = t("y", type="INT8"), t("x", type="FP32")
    assert reformat_reason(reformat(wide, narrow, Origin="QDQ")) == ("quantize", "precision FP32 → INT8")
    assert reformat_reason(reformat(narrow, wide, Origin="QDQ"))[0] == "dequantize"
    unknown = t("z", type="Unknown")
    assert reformat_reason(reformat(unknown, narrow, Origin="QDQ"))[0] == "quantize or dequantize"


def test_a_missing_origin_is_not_guessed():
    assert reformat_reason(reformat(t("x"), t("y"))) == ("origin not reported", "same type and format on both sides")
    vague = reformat_reason(reformat(t("x", format="Unknown"), t("y")))
    assert vague == ("origin not reported", "what it changes: not reported")
    assert reformat_reason(replace(reformat(t("x"), t("y")), inputs=(), outputs=())) == ("origin not reported",)


def test_other_origins():
    assert reformat_reason(reformat(t("x"), t("y"), Origin="SLICE"))[0] == "copy of a slice"
    assert reformat_reason(reformat(t("x"), t("y"), Origin="BRAND_NEW"))[0] == "origin BRAND_NEW"
    assert reformat_reason(reformat(t("x"), t("y"), Origin=7))[0] == "origin not reported"


def test_grammar_and_types_are_explained():
    fused = replace(layer("a || b + c"), name_parts=NameParts(("a", "b", "c"), "horizontal+vertical"))
    words = " ".join(explanation(fused))
    assert "'||'" in words and "'+'" in words
    for kind in ("TrainStation", "signal", "wait", "shape_call"):
        assert explanation(layer("n", kind))[0].startswith(f"{kind}: ")
    assert explanation(layer("n", "NeverHeardOf")) == ()
