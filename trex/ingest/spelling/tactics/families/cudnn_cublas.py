"""cuDNN and cuBLAS kernels with a style word: ``ampere_h16816cudnn_128x64_sliced1x2_ldg8_relu_exp_stages_64x3_…``."""

from __future__ import annotations

from trex.ingest.spelling.tactics.common import vocabulary
from trex.ingest.spelling.tactics.style import find_style, read_style_type, style_meaning, style_of, style_types
from trex.ingest.spelling.tactics.vocabulary import TILE, tile_meaning
from trex.ingest.spelling.tactics.word_cursor import Family, WordCursor

_SIZES = "one of the variants small, medium, large and interior; which problems each suits is not published"
_VOCABULARY = vocabulary(
    {
        "small": _SIZES,
        "medium": _SIZES,
        "large": _SIZES,
        "interior": _SIZES,
        "f2f": "converts the sums to the output type (F2F)",
        "interleaved": "channels in vectors",
        "nhwc2nchw": "reads channels last (NHWC), writes planar channels (NCHW)",
    },
    patterns=(
        (r"c(\d{1,3})", r"channels in vectors of \1"),
        (r"tile\d{1,4}[tn]?", "how the image is cut into tiles; what the number counts is not published"),
    ),
)


def _decode(reader: WordCursor) -> None:
    words = reader.words
    style_index = find_style(words)
    style = style_of(words[style_index])
    assert style is not None
    library = "cublas" if "cublas" in words or style.operation != "cudnn" else "cudnn"
    reader.set_fields({"library": library, **style_types(words, style_index)})
    while reader.index < len(words):
        word = reader.word
        if reader.index == style_index:
            reader.add(style_meaning(style, "cuBLAS"))
        elif "tile" not in reader.fields and TILE.fullmatch(word):
            reader.add(tile_meaning(word))
        elif not read_style_type(reader, style_index):
            reader.read(_VOCABULARY)


FAMILY = Family("cuDNN and cuBLAS", 60, lambda words: find_style(words) >= 0, _decode, _VOCABULARY)
