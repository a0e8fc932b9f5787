"""Words with the same meaning in every family of kernel names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from trex.core.counted import counted
from trex.core.tactic import DIRECT, IMPLICIT_GEMM, WINOGRAD
from trex.ingest.spelling.tactics.types import TYPES, label
from trex.ingest.spelling.tactics.vocabulary import (
    VARIANT,
    Decoder,
    Meaning,
    Vocabulary,
    extents,
    meaning,
    times,
)

SMS = {
    "maxwell": 50,
    "pascal": 60,
    "volta": 70,
    "turing": 75,
    "ampere": 80,
    "ada": 89,
    "hopper": 90,
    "blackwell": 100,
}
_OPERANDS = {"t": "transposed", "n": "not transposed"}


def capability(sm: int) -> str:
    return f"compute capability {sm // 10}.{sm % 10}"


def _generation(name: str, sm: int) -> Meaning:
    return meaning("architecture", f"written for {name.capitalize()} ({capability(sm)})", sm=sm)


def _sm(match: re.Match[str]) -> Meaning | None:
    sm = int(match[1])
    return meaning("architecture", f"written for {capability(sm)}", sm=sm)


def transposition(match: re.Match[str]) -> Meaning:
    """``tn``, ``tnn``: whether the operands and the result are transposed."""
    letters = match[0]
    text = f"first operand {_OPERANDS[letters[0]]}, second {_OPERANDS[letters[1]]}"
    if len(letters) > 2:
        text += f", result {_OPERANDS[letters[2]]}"
    return meaning("layouts", text, layouts=tuple(letters))


def _window(match: re.Match[str]) -> Meaning:
    t, r, s = int(match[1]), int(match[2]), int(match[3])
    window = (r, s) if t == 1 else (t, r, s)
    return meaning("window", f"for windows of {r}×{s}" + ("" if t == 1 else f", {t} deep"), window=window)


def _alignment(match: re.Match[str]) -> Meaning:
    operand, elements = match[1], int(match[2])
    alignment = tuple(elements if operand == letter else None for letter in "abc")
    return meaning("alignment", f"operand {operand.upper()} aligned to {elements} elements", alignment=alignment)


def _warps(match: re.Match[str]) -> Meaning:
    warps = extents(match[2])
    is_group = bool(match[1])
    text = f"{times(match[2])} {'groups of four warps' if is_group else 'warps'} share the tile"
    sliced = {"sliced_k": warps[2]} if warps[2] > 1 else {}
    if sliced:
        text += f", each sum split among {warps[2]}"
    if not is_group:
        return meaning("warps", text, warps=warps, **sliced)
    # Warp groups exist for the matrix instructions (wgmma) that four warps issue together.
    return meaning("warps", text, warps=warps, warp_groups=True, matrix=True, **sliced)


def _mma(match: re.Match[str]) -> Meaning:
    text = f"Tensor Core instructions of {times(match[2])}"
    fields = {"mma": extents(match[2]), "matrix": True}
    if match[1]:
        return meaning("mma", f"{text} with one operand 2:4 sparse", sparse=True, **fields)
    return meaning("mma", text, **fields)


def vector_layout(match: re.Match[str]) -> Meaning:
    """``nchw_vect_c_32``: channels in vectors."""
    text = f"vectors of {match[1]} channels (NC/{match[1]}HW{match[1]})"
    return meaning("layouts", text, layouts=(match[0],))


def pipeline(match: re.Match[str]) -> Meaning:
    count = int(match[1])
    if not count:
        return meaning("stages", "as many pipeline stages as fit")
    return meaning("stages", f"loads operands through a pipeline of {counted(count, 'stage')}", stages=count)


def depth_and_stages(match: re.Match[str]) -> Meaning:
    """``64x3``: elements along k per step, and stages of the pipeline."""
    depth, count = int(match[1]), int(match[2])
    text = f"steps of {depth} along k, through a pipeline of {counted(count, 'stage')}"
    return meaning("stages", text, stages=count, depth=depth)


def cluster_of(match: re.Match[str]) -> Meaning:
    cluster = extents(match[1])
    if 0 in cluster:
        return meaning("cluster", "the size of the thread block cluster is chosen at launch")
    if cluster == (1, 1, 1):
        return meaning("cluster", "no thread block clusters", cluster=cluster)
    return meaning("cluster", f"clusters of {times(match[1])} thread blocks", cluster=cluster)


def _example_window(match: re.Match[str]) -> Meaning:
    """``window3x3s2``: window and stride in the example engines of this package."""
    text = f"for windows of {times(match[1])} with strides of {match[2]}"
    return meaning("window", text, window=extents(match[1]), stride=(int(match[2]),) * 2)


def _entry(match: re.Match[str]) -> Meaning:
    """``execute_segment_k_on_kernel_5x_cublas``: the launched function and its library."""
    text = f"the main kernel of {_LIBRARIES[match[2]]}" if match[2] else "the main kernel"
    if not match[1]:
        return meaning("entry", text)
    if match[1] == "segment_k_off":
        return meaning("entry", f"{text}, sums not split")
    return meaning("entry", f"{text}, each sum split among thread blocks", split_k=True)


def variant(words: str) -> Meaning:
    return meaning(VARIANT, words)


_TENSOR = {"matrix": True}
_IMPLICIT = meaning("algorithm", "implicit GEMM: a GEMM whose matrix is never written out", algorithm=IMPLICIT_GEMM)
_WINOGRAD = meaning("algorithm", "Winograd's algorithm: fewer multiplications for small windows", algorithm=WINOGRAD)
_SPLIT_K = meaning("split-k", "split-K: thread blocks share each sum, added up afterwards", split_k=True)
_LIBRARIES = {"trt": "TensorRT", "cublas": "cuBLAS", "cudnn": "cuDNN", "cusparselt": "cuSPARSELt"}
WORDS: Mapping[str, Meaning] = {
    **{name: _generation(name, sm) for name, sm in SMS.items()},
    **{word: meaning("type", label(word)) for word in TYPES},
    "trt": meaning("maker", "built for TensorRT"),
    "xmma": meaning("library", "xmma, TensorRT's own kernels"),
    "cutlass": meaning("library", "CUTLASS, NVIDIA's templates for GEMM"),
    "cutlass3x": meaning("library", "CUTLASS 3, NVIDIA's templates for GEMM"),
    "cudnn": meaning("library", "cuDNN"),
    "cublas": meaning("library", "cuBLAS"),
    "nvjet": meaning("library", "nvjet, cuBLAS's kernels for Hopper and later"),
    "fprop": meaning("operation", "forward convolution"),
    "dgrad": meaning("operation", "data gradient, the operation of a deconvolution"),
    "wgrad": meaning("operation", "weight gradient"),
    "deconv": meaning("operation", "deconvolution"),
    "implicit_gemm": _IMPLICIT,
    "gemm": meaning("operation", "GEMM"),
    "gemv": meaning("operation", "matrix-vector product (GEMV)"),
    "gemvx": meaning("operation", "matrix-vector product (GEMV)"),
    "conv": meaning("operation", "convolution"),
    "convolution": meaning("operation", "convolution"),
    "conv1x1": meaning("operation", "convolution with a 1×1 window", window=(1, 1)),
    "gemm_as_conv1x1": meaning("operation", "GEMM for a convolution with a 1×1 window", window=(1, 1)),
    "depthwise": meaning("operation", "each channel separately (depthwise)"),
    "act": meaning("epilogue", "applies the activation"),
    "direct": meaning("algorithm", "direct convolution, by its definition", algorithm=DIRECT),
    "grouped": meaning("purpose", "for several groups of channels"),
    "conv2d": meaning("operation", "2-D convolution"),
    "winograd": _WINOGRAD,
    "wngd": _WINOGRAD,
    "relu": meaning("epilogue", "can apply ReLU", epilogue=("relu",)),
    "gelu": meaning("epilogue", "can apply GELU", epilogue=("gelu",)),
    "silu": meaning("epilogue", "can apply SiLU", epilogue=("silu",)),
    "bias": meaning("epilogue", "can add a bias", epilogue=("bias",)),
    "residual": meaning("epilogue", "can add a second input (residual)", epilogue=("residual",)),
    "small_batch": meaning("purpose", "for small batches"),
    "simt": meaning("units", "CUDA cores, no Tensor Cores", scalar=True),
    "ffma": meaning("units", "FP32 FMA instructions on CUDA cores", scalar=True),
    "hfma2": meaning("units", "packed FP16 FMA instructions on CUDA cores", scalar=True),
    "dfma": meaning("units", "FP64 FMA instructions on CUDA cores", scalar=True),
    "dp4a": meaning("units", "INT8 dot-product instructions (DP4A) on CUDA cores", scalar=True),
    "hmma": meaning("units", "Tensor Core instructions for FP16 and BF16", **_TENSOR),
    "imma": meaning("units", "Tensor Core instructions for integers", **_TENSOR),
    "dmma": meaning("units", "Tensor Core instructions for FP64", **_TENSOR),
    "qmma": meaning("units", "Tensor Core instructions for FP8", **_TENSOR),
    "wmma": meaning("units", "Tensor Core instructions of one warp", **_TENSOR),
    "wgmma": meaning("units", "Tensor Core instructions of a warp group", **_TENSOR),
    "hgmma": meaning("units", "Tensor Core instructions of a warp group, for FP16 and BF16", **_TENSOR),
    "igmma": meaning("units", "Tensor Core instructions of a warp group, for integers", **_TENSOR),
    "qgmma": meaning("units", "Tensor Core instructions of a warp group, for FP8", **_TENSOR),
    "utcmma": meaning("units", "fifth-generation Tensor Core instructions", **_TENSOR),
    "utchmma": meaning("units", "fifth-generation Tensor Core instructions for FP16 and BF16", **_TENSOR),
    "utcimma": meaning("units", "fifth-generation Tensor Core instructions for integers", **_TENSOR),
    "utcqmma": meaning("units", "fifth-generation Tensor Core instructions for FP8", **_TENSOR),
    "tcmma": meaning("units", "Tensor Core instructions", **_TENSOR),
    "tcgen05": meaning("units", "fifth-generation Tensor Core instructions", **_TENSOR),
    "tensorop": meaning("units", "Tensor Cores", **_TENSOR),
    "bstensorop": meaning("units", "Tensor Cores, block-scaled operands", **_TENSOR),
    "sptensorop": meaning("units", "Tensor Cores, one operand 2:4 sparse", sparse=True, **_TENSOR),
    "bwtensorop": meaning("units", "Tensor Cores, operands scaled by larger blocks", **_TENSOR),
    "sptensor": meaning("units", "Tensor Cores, one operand 2:4 sparse", sparse=True, **_TENSOR),
    "sparse": meaning("sparsity", "one operand 2:4 sparse", sparse=True),
    "spgemm": meaning("operation", "GEMM, one operand 2:4 sparse", sparse=True),
    "splitk": _SPLIT_K,
    "split_k": _SPLIT_K,
    "splitkreduce": meaning("split-k", "adds up the partial sums of split-K", split_k=True),
    "persistent": meaning("schedule", "persistent thread blocks: each computes several tiles", persistent=True),
    "warpspecialized": meaning("schedule", "some warps load, others compute"),
    "cooperative": meaning("schedule", "two warp groups share one tile"),
    "pingpong": meaning("schedule", "two warp groups alternate between tiles"),
    "wo_smem": meaning("memory", "no shared memory"),
    "singlebuffer": meaning("memory", "one buffer for the operands"),
    "beta0": meaning("epilogue", "overwrites the output (β = 0)"),
    "betafalse": meaning("epilogue", "overwrites the output (β = 0)"),
    "betatrue": meaning("epilogue", "can add to the output (β)"),
    "nhwc": meaning("layouts", "channels last (NHWC)", layouts=("nhwc",)),
    "ndhwc": meaning("layouts", "channels last, 3-D (NDHWC)", layouts=("ndhwc",)),
    "nchw": meaning("layouts", "planar channels (NCHW)", layouts=("nchw",)),
    "ncdhw": meaning("layouts", "planar channels, 3-D (NCDHW)", layouts=("ncdhw",)),
    "kcrs": meaning("layouts", "weights as KCRS", layouts=("kcrs",)),
    "krsc": meaning("layouts", "weights as KRSC", layouts=("krsc",)),
    "accfloat": meaning("type", "accumulates in FP32"),
    "acchalf": meaning("type", "accumulates in FP16"),
    "kernel": meaning("entry", "the main kernel"),
}  # fmt: skip
"""{word: meaning}. ``relu`` and ``bias`` state what a kernel can do: real layers without either run such kernels."""

PATTERNS: Sequence[tuple[str, Decoder]] = (
    (r"sm(\d{2,3})[af]?", _sm),
    (r"tensor()(\d{1,4}x\d{1,4}x\d{1,4})", _mma),
    (r"(sp)tensor(\d{1,4}x\d{1,4}x\d{1,4})", _mma),
    (r"[hiq]gmma()(\d{1,4}x\d{1,4}x\d{1,4})", _mma),
    (r"[hiqd]mma\d+", lambda m: meaning("units", f"Tensor Core instructions {m[0][4:]}", matrix=True)),
    (r"warp(group)?size(\d{1,3}x\d{1,3}x\d{1,3})", _warps),
    (r"stages?(\d{1,3})", pipeline),
    (r"cgasize(\d{1,3}x\d{1,3}x\d{1,3})", cluster_of),
    (r"t(\d{1,3})r(\d{1,3})s(\d{1,3})", _window),
    (
        r"g(\d{1,6})",
        lambda m: meaning(
            "groups",
            "for one group of channels" if m[1] == "1" else f"for {m[1]} groups of channels",
            groups=int(m[1]),
        ),
    ),
    (r"align([abc])(\d{1,4})", _alignment),
    (
        r"align(\d{1,4})",
        lambda m: meaning("alignment", f"operands aligned to {m[1]} elements", alignment=(int(m[1]),) * 3),
    ),
    (r"ldg(\d{1,3})", lambda m: meaning("memory", f"loads {m[1]} elements at a time")),
    (r"window(\d{1,3}x\d{1,3})s(\d{1,2})", _example_window),
    (
        r"stride(\d{1,3}x\d{1,3}(?:x\d{1,3})?)",
        lambda m: meaning("stride", f"for strides of {times(m[1])}", stride=extents(m[1])),
    ),
    (
        r"sliced\d+x(\d{1,3})",
        lambda m: meaning(
            "sliced-k", f"each sum is split among {m[1]} groups of warps in a thread block", sliced_k=int(m[1])
        ),
    ),
    (r"[tn][tn]", transposition),
    (
        r"[tn]",
        lambda m: meaning("layouts", f"result {_OPERANDS[m[0]]}", layouts=(m[0],)),
    ),
    (r"v(\d{1,3})", lambda m: meaning("version", f"version {m[1]} of the kernel")),
    (r"0x[0-9a-f]{8,40}", lambda m: meaning("identity", "the kernel's hash")),
)

_ENTRY = r"execute(?:_(split_k|segment_k_on|segment_k_off))?_kernel(?:_(?:5x_)?(trt|cublas|cudnn|cusparselt))?"
PHRASES: Sequence[tuple[str, int, str, Decoder]] = (
    *(("execute", count, _ENTRY, _entry) for count in range(2, 8)),
    ("stages", 2, r"stages_(\d{1,4})x(\d{1,3})", depth_and_stages),
)


def vocabulary(
    words: Mapping[str, Meaning] | None = None,
    patterns: Sequence[tuple[str, Decoder]] = (),
    phrases: Sequence[tuple[str, int, str, Decoder]] = (),
) -> Vocabulary:
    """The common words, overridden by a family's own."""
    return Vocabulary({**WORDS, **(words or {})}, (*patterns, *PATTERNS), (*PHRASES, *phrases))


COMMON = vocabulary()
