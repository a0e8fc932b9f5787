"""Name of a kernel (a tactic) → what it says about types, Tensor Cores and tiling.

Families: xmma (``sm80_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_…_tensor16x8x16``), the cuDNN and cuBLAS style
(``ampere_fp32_icudnn_int8x4_128x64_…``, ``turing_fp16_s1688cudnn_fp16_…``), CUTLASS 2 and 3, nvjet, xmma pooling, fused
attention, Myelin's generated kernels. Only what a name states is reported; everything else stays unknown.
Sources of the grammars: CUTLASS's documented kernel naming, and names compared with their layers in real engines.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from trex.core.data_type import DataType
from trex.core.tactic import IMPLICIT_GEMM, NO_TACTIC, WINOGRAD, Tactic

_UNKNOWN = DataType.UNKNOWN

_TYPES = {
    "f64": DataType.FP64,
    "f32": DataType.FP32,
    "tf32": DataType.FP32,
    "f16": DataType.FP16,
    "bf16": DataType.BF16,
    "e4m3": DataType.FP8,
    "e5m2": DataType.FP8,
    "ue4m3": DataType.FP8,
    "f8": DataType.FP8,
    "e2m1": DataType.FP4,
    "f4": DataType.FP4,
    "i64": DataType.INT64,
    "i32": DataType.INT32,
    "s32": DataType.INT32,
    "i8": DataType.INT8,
    "s8": DataType.INT8,
    "u8": DataType.UINT8,
    "i4": DataType.INT4,
    "s4": DataType.INT4,
    "fp64": DataType.FP64,
    "fp32": DataType.FP32,
    "fp16": DataType.FP16,
    "fp8": DataType.FP8,
    "int8": DataType.INT8,
    "int8x4": DataType.INT8,
    "int8x32": DataType.INT8,
    "int32": DataType.INT32,
}
_ACCUMULATORS = {
    "s": DataType.FP32,
    "h": DataType.FP16,
    "i": DataType.INT32,
    "d": DataType.FP64,
}
_SMS = {
    "maxwell": 50,
    "pascal": 60,
    "volta": 70,
    "turing": 75,
    "ampere": 80,
    "ada": 89,
    "hopper": 90,
    "blackwell": 100,
}
_FIRST_TENSOR_CORE_SM = 70
_LONGEST_NAME = 2000

_ONE_TYPE = "(tf32|bf16|f64|f32|f16|e4m3|e5m2|e2m1|i32|i8|u8|i4)"
_TYPE_GROUP = re.compile(_ONE_TYPE + _ONE_TYPE + "?")
_TYPE_TRIPLE = re.compile(_ONE_TYPE * 3)
_STYLE = re.compile(r"([shid])(\d{2,7}|\d+x\d+x\d+)?(tf32)?(cudnn|gemm|gemmex|gemv)")
_POOLING_TYPE = re.compile(r"(FP16|FP32|FP64|BF16|INT8|FP8)(?:FP32|FP16|INT32)?(?:N?D?[CH]|$)")
_POOLING_ENUM = {"kHALF": DataType.FP16, "kFLOAT": DataType.FP32, "kINT8": DataType.INT8, "kBF16": DataType.BF16}
_SM = re.compile(r"(?:^|_)(?:sm|cutlass_|cutlass3x_sm)(\d{2,3})a?(?=_)")
_TILESIZE = re.compile(r"tilesize(\d{1,4})x(\d{1,4})x(\d{1,4})(?!\d|x)")
_TILE = re.compile(r"_(\d{2,4})x(\d{1,4})(?:x(\d{1,4}))?(?=_|$)")
_TILE_K = re.compile(r"_(?:stages_)?(\d{1,4})x\d{1,2}(?=_|$)")
_MATRIX_WORDS = re.compile(
    r"[hiqd]mma\d*|w?gmma\w*|wgmma|wmma|u?tcmma|utc\wmma|tcgen05\w*|(?:bs|bw|sp)?tensorop|warpgroupsize.*"
)
_TENSOR_SHAPE = re.compile(r"tensor\d+x\d+x\d+")
_WINOGRAD = re.compile(r"wngd(\d)x(\d)")
_SCALAR_WORDS = frozenset(("ffma", "hfma2", "dfma", "dp4a", "simt"))
_NVJET_TYPES = {"h": DataType.FP16, "t": DataType.BF16, "s": DataType.FP32}
_ATTENTION = re.compile(r"f?mha|fmhca|flash_?attention|flash_fwd", re.IGNORECASE)


def decode_tactic(name: str) -> Tactic:
    """What a kernel's name states; ``NO_TACTIC`` for an empty name or one of no known family."""
    return _decoded(name) if 0 < len(name) <= _LONGEST_NAME else NO_TACTIC


@lru_cache(maxsize=16384)
def _decoded(name: str) -> Tactic:
    if name.startswith("__my"):
        return Tactic(library="Myelin", kind="generated")
    words = name.split("_")
    lower = [word.lower() for word in words]
    if "pooling" in lower:
        return _pooling(name, words)
    read = _xmma(lower) if "xmma" in lower else None
    read = read or _style(lower) or _cutlass3(lower) or _nvjet(lower) or _plain_types(lower) or {}
    matrix = _tensor_core(lower, read)
    sm = _sm(name, lower)
    if matrix is None and sm is not None and sm < _FIRST_TENSOR_CORE_SM:
        matrix = False
    read.pop("math", None)
    return Tactic(
        **read,
        tensor_core=matrix,
        tile=_tile(name),
        library=_library(lower),
        sm=sm,
        kind=_kind(name, lower),
        algorithm=_algorithm(lower),
        winograd_tile=_winograd_tile(lower),
    )


def _xmma(words: list[str]) -> dict[str, Any] | None:
    """``<in><out>_<multiply><accumulate>_<epilogue>``; a single type in the middle both multiplies and accumulates."""
    for at in range(len(words) - 2):
        first, second, third = (_TYPE_GROUP.fullmatch(word) for word in words[at : at + 3])
        if first and first[2] and second and third and not third[2]:
            math = second[1]
            data = _TYPES[first[1]]
            # The multiplying type is the weights' own where it is the activations' too; FP32 math on FP16 data is not.
            weights = (
                _TYPES[math] if second[2] and (_TYPES[math] is data or (_TYPES[math].bits or 64) <= 8) else _UNKNOWN
            )
            return {
                "input_type": data,
                "output_type": _TYPES[first[2]],
                "weights_type": weights,
                "accumulate_type": _TYPES[second[2] or math],
                "tf32": math == "tf32",
                "math": _TYPES[math],
                "evidence": "_".join(words[at : at + 3]),
            }
    fused = [word for word in words if word in ("fp32", "fp16")]
    if "fused" in words and len(fused) >= 2:
        # sm50_xmma_conv_fprop_fused_conv_act_fp32_NCHW_fp32_NCHW_KCRS_…_Accfloat
        accumulate = {"accfloat": DataType.FP32, "acchalf": DataType.FP16}
        told = [accumulate[word] for word in words if word in accumulate]
        return {
            "input_type": _TYPES[fused[0]],
            "output_type": _TYPES[fused[1]],
            "accumulate_type": told[0] if told else _UNKNOWN,
            "math": told[0] if told else _UNKNOWN,
            "evidence": "_".join(fused),
        }
    return None


def _style(words: list[str]) -> dict[str, Any] | None:
    """``[<out>_]<accumulate>[<instruction>]{cudnn,gemm}[_…_<in>]``: s single, h half, i integer, d double."""
    for at, word in enumerate(words):
        match = _STYLE.fullmatch(word)
        if not match:
            continue
        letter, instruction, tf32, _ = match.groups()
        accumulate = _ACCUMULATORS[letter]
        before = _TYPES.get(words[at - 1]) if at else None
        if "cutlass3x" in words:
            return _cutlass3_types(words, at, letter, tf32)
        behind = next((_TYPES[w] for w in words[at + 1 : at + 3] if w in _TYPES), None)
        tf32 = tf32 or (words[at - 1] if at and words[at - 1] == "tf32" else None)
        if behind is None:
            # An integer kernel that names no input type could be INT8 or INT4.
            behind = _UNKNOWN if letter == "i" else DataType.FP32 if tf32 else accumulate
            if letter == "s" and instruction and not tf32:
                behind = before or _UNKNOWN
        output = before or (_UNKNOWN if letter == "i" else accumulate)
        return {
            "input_type": behind,
            "weights_type": behind,
            "accumulate_type": accumulate,
            "output_type": output,
            "tf32": bool(tf32),
            "math": behind if instruction else accumulate,
            "evidence": "_".join(words[max(at - (before is not None), 0) : at + 2]),
        }
    return None


def _cutlass3(words: list[str]) -> dict[str, Any] | None:
    if "cutlass3x" in words and "gemm" in words:
        return _cutlass3_types(words, words.index("gemm"), "", None)
    return None


def _cutlass3_types(words: list[str], at: int, letter: str, tf32: str | None) -> dict[str, Any]:
    """CUTLASS 3 lists A, B, accumulator, C and D behind the instruction; a block-scaled operand is ``scalexdata``."""
    listed: list[DataType] = []
    for word in words[at + 1 :]:
        data_type = _TYPES.get(word.rpartition("x")[2]) if word not in _TYPES else _TYPES[word]
        if data_type is not None:
            listed.append(data_type)
        elif word == "void" and len(listed) == 3:
            listed.append(_UNKNOWN)
        elif listed or word not in ("block", "scaled"):
            break
    listed += [_UNKNOWN] * (5 - len(listed))
    accumulate = listed[2] if listed[2].is_known else _ACCUMULATORS.get(letter, _UNKNOWN)
    return {
        "input_type": listed[0],
        "weights_type": listed[1],
        "accumulate_type": accumulate,
        "output_type": listed[4],
        "tf32": bool(tf32) or "tf32" in words[at + 1 : at + 3],
        "evidence": "_".join(words[at : at + 6]),
    }


def _nvjet(words: list[str]) -> dict[str, Any] | None:
    """``nvjet_sm90_tst_…``: input, compute and output type, one letter each; longer codes are left alone."""
    if words[0] != "nvjet":
        return None
    for word in words[1:3]:
        if len(word) == 3 and word[1] == "s" and word[0] in _NVJET_TYPES and word[2] in _NVJET_TYPES:
            return {
                "input_type": _NVJET_TYPES[word[0]],
                "weights_type": _NVJET_TYPES[word[0]],
                "accumulate_type": DataType.FP32,
                "output_type": _NVJET_TYPES[word[2]],
                "tf32": word[0] == "s",
                "evidence": f"nvjet_{word}",
            }
    return None


def _plain_types(words: list[str]) -> dict[str, Any] | None:
    """Kernels that name their types in one word (``f16f16f32``) or name one type at all (``fmha_…_fp16_…``)."""
    for word in words:
        triple = _TYPE_TRIPLE.fullmatch(word)
        if triple:
            return {
                "input_type": _TYPES[triple[1]],
                "weights_type": _TYPES[triple[2]],
                "accumulate_type": _TYPES[triple[3]],
                "evidence": word,
            }
    named = {data_type for word in words if (data_type := _TYPES.get(word)) and word != "int32"}
    if len(named) == 1:
        found = named.pop()
        if found is DataType.FP32 and any(_MATRIX_WORDS.fullmatch(word) for word in words):
            return None  # Tensor Cores do not multiply FP32: it is the accumulator that is named
        return {"input_type": found, "evidence": next(word for word in words if _TYPES.get(word) is found)}
    return None


def _pooling(name: str, words: list[str]) -> Tactic:
    """Pooling computes on the CUDA cores; names carry the data's type, then the accumulator's."""
    found, evidence = _UNKNOWN, ""
    for word in words:
        match = _POOLING_TYPE.match(word)
        if match or word in _POOLING_ENUM:
            found = DataType.BF16 if match and match[1] == "BF16" else _POOLING_ENUM.get(word, _UNKNOWN)
            found = _TYPES.get(match[1].lower(), found) if match else found
            evidence = word
            break
    lower = [word.lower() for word in words]
    return Tactic(
        input_type=found,
        output_type=found,
        tensor_core=False,
        library=_library(lower),
        sm=_sm(name, lower),
        kind="pooling",
        evidence=evidence,
    )


def _tensor_core(words: list[str], read: dict[str, Any]) -> bool | None:
    if any(word in _SCALAR_WORDS for word in words):
        return False
    for word in words:
        if _TENSOR_SHAPE.fullmatch(word) or _MATRIX_WORDS.fullmatch(word):
            return True
        style = _STYLE.fullmatch(word)
        if style:
            return style[2] is not None
    if words[0] == "nvjet" and read:
        return True
    # Tensor Cores multiply FP16, BF16, TF32, FP8, FP4, integers and FP64, but never plain FP32.
    if read.get("math") is DataType.FP32 and not read.get("tf32"):
        return False
    return None


def _tile(name: str) -> tuple[int, int, int | None] | None:
    match = _TILESIZE.search(name)
    if match:
        return int(match[1]), int(match[2]), int(match[3])
    if "xmma" in name:
        return None
    match = _TILE.search(name)
    if not match:
        return None
    if match[3]:
        return int(match[1]), int(match[2]), int(match[3])
    depth = _TILE_K.search(name, match.end()) if "stages_" in name or name.startswith(("cutlass", "nvjet")) else None
    return int(match[1]), int(match[2]), int(depth[1]) if depth else None


def _library(words: list[str]) -> str:
    for word in words:
        if word in ("cublas", "nvjet"):
            return "cublas"
    for word in words:
        if word.startswith("cutlass"):
            return "cutlass"
        if word == "xmma":
            return "xmma"
        style = _STYLE.fullmatch(word)
        if style:
            return "cudnn" if style[4] == "cudnn" else "cublas"
    return "cudnn" if "cudnn" in words else ""


def _algorithm(words: list[str]) -> str:
    if "winograd" in words or "wngd" in words:
        return WINOGRAD
    if "implicit" in words and "gemm" in words:
        return IMPLICIT_GEMM
    return ""


def _winograd_tile(words: list[str]) -> tuple[int, int] | None:
    found = next((match for word in words if (match := _WINOGRAD.fullmatch(word))), None)
    return (int(found[1]), int(found[2])) if found else None


def _sm(name: str, words: list[str]) -> int | None:
    match = _SM.search(name)
    if match:
        return int(match[1])
    return next((_SMS[word] for word in words if word in _SMS), None)


def _kind(name: str, words: list[str]) -> str:
    if _ATTENTION.search(name):
        return "attention"
    if "dgrad" in words or any(word.startswith("deconv") for word in words):
        return "deconvolution"
    if "fprop" in words or any(word.startswith("conv") or word.endswith("cudnn") for word in words):
        return "convolution"
    if words[0] == "nvjet" or any("gemm" in word or "gemv" in word for word in words):
        return "gemm"
    return ""
