"""Fused direct convolutions on CUDA cores: ``sm50_xmma_conv_fprop_fused_conv_act_fp32_NCHW_…_R5_S5_U1_V1``.

Letters as in NVIDIA's documentation of convolutions: a tile has P × Q outputs, windows R × S, strides U × V. Checked
against the layers of real engines.
"""

from __future__ import annotations

from trex.core.data_type import DataType
from trex.core.tactic import DIRECT
from trex.ingest.spelling.tactics.common import TILED_OUTPUTS, vocabulary
from trex.ingest.spelling.tactics.types import TYPES
from trex.ingest.spelling.tactics.vocabulary import meaning
from trex.ingest.spelling.tactics.word_cursor import Family, WordCursor

_VOCABULARY = vocabulary(
    {
        "fused_conv_act": meaning("applies the activation", algorithm=DIRECT),
        "fused": "fused with other operations",
    },
    patterns=(
        (r"srcvec(\d{1,2})", r"loads \1 inputs at a time"),
        (r"fltvec(\d{1,2})", r"loads \1 weights at a time"),
        (r"c(\d{1,3})", r"steps of \1 input channels"),
    ),
    phrases=(
        ("r", 4, r"r(\d{1,3})_s(\d{1,3})_u(\d{1,3})_v(\d{1,3})", r"for windows of \1x\2 with strides of \3x\4"),
        ("tp", 2, TILED_OUTPUTS, r"each thread block computes \1x\2 outputs"),
    ),
)
_ACCUMULATORS = {"accfloat": DataType.FP32, "acchalf": DataType.FP16}


def _decode(reader: WordCursor) -> None:
    words = reader.words
    types = [word for word in words if word in ("fp32", "fp16")]
    reader.set_fields({"library": "xmma"})
    if len(types) >= 2:
        accumulate = next((_ACCUMULATORS[word] for word in words if word in _ACCUMULATORS), DataType.UNKNOWN)
        fields = {"input_type": TYPES[types[0]], "output_type": TYPES[types[1]], "accumulate_type": accumulate}
        reader.set_fields({**fields, "math": accumulate, "evidence": "_".join(types)})
    reader.read_all(_VOCABULARY)


def _matches(words: list[str]) -> bool:
    return "xmma" in words and "fused" in words and "conv" in words


FAMILY = Family("fused convolution", 20, _matches, _decode, infer_type=False)
