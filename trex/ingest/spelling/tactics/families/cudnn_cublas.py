"""cuDNN and cuBLAS kernels with a style word: ``ampere_h16816cudnn_128x64_sliced1x2_ldg8_relu_exp_stages_64x3_…``."""

from __future__ import annotations

from trex.ingest.spelling.tactics.common import vocabulary
from trex.ingest.spelling.tactics.style import find_style, read_styled_name, style_of
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
    style = style_of(reader.words[find_style(reader.words)])
    is_cudnn = style is not None and style.operation == "cudnn" and "cublas" not in reader.words
    reader.set_fields({"library": "cudnn" if is_cudnn else "cublas"})
    read_styled_name(reader, _VOCABULARY, "cuBLAS")


FAMILY = Family("cuDNN and cuBLAS", 60, lambda words: find_style(words) >= 0, _decode)
