"""cuDNN and cuBLAS in a style of their own: ``ampere_h16816cudnn_128x64_sliced1x2_ldg8_relu_exp_stages_64x3_…``."""

from __future__ import annotations

from trex.ingest.spelling.tactics.common import said_operands, variant, vocabulary
from trex.ingest.spelling.tactics.reading import Family, Reading
from trex.ingest.spelling.tactics.style import (
    TILE,
    find_style,
    said_tile,
    say_type_beside,
    style_of,
    style_said,
    style_types,
)
from trex.ingest.spelling.tactics.vocabulary import fact

_SIZES = variant("one of the variants small, medium, large and interior; which problems each suits is not published")
_VOCABULARY = vocabulary(
    {
        "small": _SIZES,
        "medium": _SIZES,
        "large": _SIZES,
        "interior": _SIZES,
        "f2f": fact("arithmetic", "converts its sums to the result's type (F2F)"),
        "interleaved": fact("layouts", "channels lie in vectors"),
        "nhwc2nchw": fact("layouts", "reads channels last (NHWC), writes planes of channels (NCHW)"),
    },
    patterns=(
        (r"c(\d{1,3})", lambda m: fact("layouts", f"channels in vectors of {m[1]}")),
        (
            r"tile\d{1,4}[tn]?",
            lambda m: variant("how the image is cut into tiles; what the number counts is not published"),
        ),
        (r"[tn][tn]", said_operands),
    ),
)


def _read(reading: Reading) -> None:
    words = reading.words
    style_at = find_style(words)
    style = style_of(words[style_at])
    assert style is not None
    library = "cublas" if "cublas" in words or style.what != "cudnn" else "cudnn"
    reading.learn({"library": library, **style_types(words, style_at)})
    while reading.at < len(words):
        word = reading.word
        if reading.at == style_at:
            reading.say(style_said(style, "of cuBLAS"))
        elif "tile" not in reading.facts and TILE.fullmatch(word):
            reading.say(said_tile(word))
        elif not say_type_beside(reading, style_at):
            reading.read(_VOCABULARY)


FAMILY = Family("cuDNN and cuBLAS", 60, lambda words: find_style(words) >= 0, _read, _VOCABULARY)
