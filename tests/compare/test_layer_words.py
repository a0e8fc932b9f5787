"""Words for the types, kernels and formats of layers."""

from __future__ import annotations

from dataclasses import replace

from tests.factories import conv, layer, t
from trex.compare.layer_words import differing_parts, io_formats, io_types, kernel_label, type_words

SHAPE = [1, 8, 4, 4]


def test_common_beginnings_and_endings_are_cut():
    assert differing_parts("a_b_c_d", "a_x_c_d") == ("…b…", "…x…")
    assert differing_parts("one", "two") == ("one", "two")
    assert differing_parts("a_b", "a_b_c") == ("…b", "…b_c")


def test_equal_types_are_one_word():
    assert type_words(conv("a", [t("x", SHAPE, "FP16")], [t("y", SHAPE, "FP16")])) == "FP16"
    assert type_words(conv("a", [t("x", SHAPE, "INT8")], [t("y", SHAPE, "FP16")])).endswith(" to FP16")
    copy = layer("r", "Reformat", [t("x", SHAPE, "FP32")], [t("y", SHAPE, "INT8")])
    assert type_words(copy) == "FP32 to INT8"


def test_formats_and_kernels_known_or_unknown():
    layer = conv("a", [t("x", SHAPE, format="NHWC8")], [t("y", SHAPE, format="NCHW")])
    assert (io_formats(layer), io_types(layer)) == ("NHWC8 to NCHW", "FP16")
    assert io_formats(replace(layer, inputs=(), outputs=())) == "?"
    assert kernel_label(replace(layer, tactic="", tactic_value=None)) == "kernel not named"
    assert kernel_label(replace(layer, tactic="", tactic_value=7)) == "tactic 7"
