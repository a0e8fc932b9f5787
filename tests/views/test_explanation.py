"""Word → Explanation: what people look up, and no answer where nothing is known."""

from __future__ import annotations

import pytest

from trex.core.errors import TrexError
from trex.plan.columns import COLUMNS
from trex.views.explanation import explain, index


def kinds(word: str) -> list[str]:
    return [item.kind for item in explain(word)]


def text(word: str) -> str:
    return "\n".join(item.text for item in explain(word))


@pytest.mark.parametrize(
    ("word", "kind", "words"),
    [
        ("latency.pct_time", "column", "%"),
        ("LATENCY.AVG_TIME", "column", "ms"),
        ("attr.kernel", "attribute", "Convolution"),
        ("attr.arithmetic_intensity", "term", "per byte"),
        ("profile-suffix", "quirk", "[profile N]"),
        ("profile_suffix", "quirk", "[profile N]"),
        ("names-only-engine", "note", "Engines that contain only layer names"),
        ("TrainStation", "layer type", "Myelin"),
        ("kgen", "layer type", "generated"),
        ("CaskConvolution", "layer type", "CASK"),
        ("averageMs", "term", "average"),
        ("gpu compute time", "term", "GPU"),
        ("Half", "element type", "2 bytes"),
        ("INT4", "element type", "0.5 byte"),
        ("NHWC8", "tensor format", "multiple of 8"),
        ("kCHW32", "tensor format", "multiple of 32"),
        ("Thirty-two wide channel vectorized row major Int8 format", "tensor format", "INT8"),
        ("[profile 3]", "layer name", "optimization profile 3"),
        ("PWN(Sigmoid_12, Mul_13)", "layer name", "pointwise"),
        ("{ForeignNode[a...b]}", "layer name", "all nodes from a to b"),
        ("__myl_MaxrSubExpSum_myl7_3", "layer name", "region 7"),
        ("Conv_3 + Relu_4", "layer name", "vertical fusion"),
        ("Reformatting CopyNode for Input Tensor 0 to Conv_3", "layer name", "layout or type"),
        ("conv1.weight", "layer name", "stored weight"),
        ("Conv_12", "layer name", "number 12"),
        ("sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize64x32x64_stage3", "kernel", "tile of 64×32×64"),
        ("ampere_h16816cudnn_128x64_ldg8_relu_exp_small_nhwc_tn_v1", "kernel", "not known: exp"),
        ("sm50_xmma_pooling_fw_4d_FP16FP32NHWC_Average_FastDiv_CAlign8", "kernel", "FP16 as NHWC, accumulates in FP32"),
        ("tensor16x8x16", "kernel", "Tensor Core instructions of 16×8×16"),
        ("sm80", "kernel", "compute capability 8.0"),
        ("__myl_MulSumAdd_0x8622c45a2ac50005b4481bcb604814ec", "layer name", "Sum: sum along axes"),
        ("/layer1/layer1.0/conv1/Conv", "layer name", "/layer1/0/conv1"),
    ],
)
def test_what_people_look_up(word, kind, words):
    assert kind in kinds(word)
    assert words in text(word)


@pytest.mark.parametrize("word", ["conv1", "x", "foo", "", "   ", "two words", "input", "x" * 5000, "\x1b[31m"])
def test_words_without_grammar_get_no_useless_answer(word):
    with pytest.raises(TrexError) as caught:
        explain(word)
    assert caught.value.hint
    assert len(caught.value.message) < 300


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("Convolutoin", "Convolution"),
        ("latency.avgtime", "latency.avg_time"),
        ("Trainstaton", "TrainStation"),
        ("throughputt", "Throughput"),
    ],
)
def test_what_was_meant(word, meant):
    with pytest.raises(TrexError) as caught:
        explain(word)
    assert meant in caught.value.hint


@pytest.mark.parametrize("word", ["Convolution", "kgen", "names-only-engine", "latency.time", "Throughput"])
def test_a_known_word_is_not_taken_for_a_layers_name(word):
    assert "layer name" not in kinds(word)


def test_several_words_are_explained_each_where_they_mean_nothing_together():
    assert [item.subject for item in explain("CaskConvolution kgen +")] == ["CaskConvolution", "kgen", "+"]
    assert [item.subject for item in explain("GPU compute time")] == ["GPU Compute Time"]
    with pytest.raises(TrexError, match="nothing is known"):
        explain("kgen nonsense")


def test_every_column_and_every_word_of_the_index_is_explained():
    for column in COLUMNS:
        assert "column" in kinds(column.name)
    for words in index().values():
        assert words
        for word in words:
            assert explain(word)


def test_paragraphs_are_whole_lines():
    lines = text("profile-suffix").split("\n")
    assert any(line.startswith("Why it matters: ") for line in lines)
    assert not any(line and line[0].islower() for line in lines)


def test_long_and_nested_names_take_no_time():
    explain("PWN(" * 5000 + "a" + ")" * 5000)
    explain(" + ".join(f"Conv_{i}" for i in range(5000)))
