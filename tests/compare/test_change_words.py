"""Types, kernels and formats of layers in the words of a comparison."""

from __future__ import annotations

from dataclasses import replace

from tests.factories import conv, layer, t
from trex.compare.change_words import apart, format_words, joined, kernel_words, type_words

SHAPE = [1, 8, 4, 4]


def test_names_lose_what_they_share_at_both_ends():
    assert apart("a_b_c_d", "a_x_c_d") == ("…b…", "…x…")
    assert apart("one", "two") == ("one", "two")
    assert apart("a_b", "a_b_c") == ("…b", "…b_c")


def test_types_are_one_word_where_they_are_alike():
    assert type_words(conv("a", [t("x", SHAPE, "FP16")], [t("y", SHAPE, "FP16")])) == "FP16"
    assert type_words(conv("a", [t("x", SHAPE, "INT8")], [t("y", SHAPE, "FP16")])).endswith(" to FP16")
    copy = layer("r", "Reformat", [t("x", SHAPE, "FP32")], [t("y", SHAPE, "INT8")])
    assert type_words(copy) == "FP32 to INT8"


def test_formats_and_kernels_are_told_or_said_to_be_unknown():
    made = conv("a", [t("x", SHAPE, format="NHWC8")], [t("y", SHAPE, format="NCHW")])
    assert format_words(made) == "NHWC8 to NCHW"
    assert format_words(replace(made, inputs=(), outputs=())) == "? to ?"
    assert kernel_words(replace(made, tactic="", tactic_value=None)) == "no kernel told"
    assert kernel_words(replace(made, tactic="", tactic_value=7)) == "tactic 7"


def test_words_are_said_once():
    assert joined(["a", "b", "a"]) == "a, b"
