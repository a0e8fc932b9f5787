"""Words with the same meaning in every family of kernel names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from trex.core.counted import counted
from trex.core.tactic import DIRECT, IMPLICIT_GEMM, WINOGRAD
from trex.ingest.spelling.tactics.types import TYPES, label
from trex.ingest.spelling.tactics.vocabulary import Decoder, Meaning, Vocabulary, meaning, times

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
TILED_OUTPUTS = r"tp(\d{1,3})_tq(\d{1,3})"
VECTORS = r"vectors of \1 channels (NC/\1HW\1)"
"""Meaning of ``nchw_vect_c_32``."""


def capability(sm: int) -> str:
    return f"compute capability {sm // 10}.{sm % 10}"


def _sm(match: re.Match[str]) -> Meaning:
    sm = int(match[1])
    return meaning(f"written for {capability(sm)}", sm=sm)


def _transposition(match: re.Match[str]) -> str:
    """``tn``, ``tnn``: whether the operands and the result are transposed."""
    matrices = zip(("first operand", "second", "result"), match[0])
    return ", ".join(f"{matrix} {_OPERANDS[letter]}" for matrix, letter in matrices)


def _mma(match: re.Match[str]) -> Meaning:
    text = f"Tensor Core instructions of {match[2]}"
    return (
        meaning(f"{text}, one operand 2:4 sparse", matrix=True, sparse=True) if match[1] else meaning(text, matrix=True)
    )


def pipeline(match: re.Match[str]) -> Meaning:
    count = int(match[1])
    if not count:
        return meaning("as many pipeline stages as fit")
    return meaning(f"loads operands through a pipeline of {counted(count, 'stage')}", stages=count)


def depth_and_stages(match: re.Match[str]) -> Meaning:
    """``64x3``: elements along k per step, and stages of the pipeline."""
    depth, count = int(match[1]), int(match[2])
    text = f"steps of {depth} along k, through a pipeline of {counted(count, 'stage')}"
    return meaning(text, stages=count, depth=depth)


def cluster_words(match: re.Match[str]) -> str:
    extents = match[1].split("x")
    if "0" in extents:
        return "the size of the thread block cluster is chosen at launch"
    return f"clusters of {times(match[1])} thread blocks" if set(extents) != {"1"} else "no thread block clusters"


def _entry(match: re.Match[str]) -> str | Meaning:
    """``execute_segment_k_on_kernel_5x_cublas``: the launched function and its library."""
    text = f"the main kernel of {_LIBRARIES[match[2]]}" if match[2] else "the main kernel"
    if not match[1]:
        return text
    if match[1] == "segment_k_off":
        return f"{text}, sums not split"
    return meaning(f"{text}, each sum split among thread blocks", split_k=True)


_TENSOR = {"matrix": True}
_IMPLICIT = meaning("implicit GEMM: a GEMM whose matrix is never written out", algorithm=IMPLICIT_GEMM)
_WINOGRAD = meaning("Winograd's algorithm: fewer multiplications for small windows", algorithm=WINOGRAD)
_SPLIT_K = meaning("split-K: thread blocks share each sum, added up afterwards", split_k=True)
_LIBRARIES = {"trt": "TensorRT", "cublas": "cuBLAS", "cudnn": "cuDNN", "cusparselt": "cuSPARSELt"}
WORDS: Mapping[str, str | Meaning] = {
    **{name: meaning(f"written for {name.capitalize()} ({capability(sm)})", sm=sm) for name, sm in SMS.items()},
    **{word: label(word) for word in TYPES},
    "trt": "built for TensorRT",
    "xmma": "xmma, TensorRT's own kernels",
    "cutlass": "CUTLASS, NVIDIA's templates for GEMM",
    "cutlass3x": "CUTLASS 3, NVIDIA's templates for GEMM",
    "cudnn": "cuDNN",
    "cublas": "cuBLAS",
    "nvjet": "nvjet, cuBLAS's kernels for Hopper and later",
    "fprop": "forward convolution",
    "dgrad": "data gradient, the operation of a deconvolution",
    "wgrad": "weight gradient",
    "deconv": "deconvolution",
    "implicit_gemm": _IMPLICIT,
    "gemm": "GEMM",
    "gemv": "matrix-vector product (GEMV)",
    "gemvx": "matrix-vector product (GEMV)",
    "conv": "convolution",
    "convolution": "convolution",
    "conv1x1": "convolution with a 1×1 window",
    "gemm_as_conv1x1": "GEMM for a convolution with a 1×1 window",
    "depthwise": "each channel separately (depthwise)",
    "act": "applies the activation",
    "direct": meaning("direct convolution, by its definition", algorithm=DIRECT),
    "grouped": "for several groups of channels",
    "conv2d": "2-D convolution",
    "winograd": _WINOGRAD,
    "wngd": _WINOGRAD,
    "relu": "can apply ReLU",
    "gelu": "can apply GELU",
    "silu": "can apply SiLU",
    "bias": "can add a bias",
    "residual": "can add a second input (residual)",
    "small_batch": "for small batches",
    "simt": meaning("CUDA cores, no Tensor Cores", scalar=True),
    "ffma": meaning("FP32 FMA instructions on CUDA cores", scalar=True),
    "hfma2": meaning("packed FP16 FMA instructions on CUDA cores", scalar=True),
    "dfma": meaning("FP64 FMA instructions on CUDA cores", scalar=True),
    "dp4a": meaning("INT8 dot-product instructions (DP4A) on CUDA cores", scalar=True),
    "hmma": meaning("Tensor Core instructions for FP16 and BF16", **_TENSOR),
    "imma": meaning("Tensor Core instructions for integers", **_TENSOR),
    "dmma": meaning("Tensor Core instructions for FP64", **_TENSOR),
    "qmma": meaning("Tensor Core instructions for FP8", **_TENSOR),
    "wmma": meaning("Tensor Core instructions of one warp", **_TENSOR),
    "wgmma": meaning("Tensor Core instructions of a warp group", **_TENSOR),
    "hgmma": meaning("Tensor Core instructions of a warp group, for FP16 and BF16", **_TENSOR),
    "igmma": meaning("Tensor Core instructions of a warp group, for integers", **_TENSOR),
    "qgmma": meaning("Tensor Core instructions of a warp group, for FP8", **_TENSOR),
    "utcmma": meaning("fifth-generation Tensor Core instructions", **_TENSOR),
    "utchmma": meaning("fifth-generation Tensor Core instructions for FP16 and BF16", **_TENSOR),
    "utcimma": meaning("fifth-generation Tensor Core instructions for integers", **_TENSOR),
    "utcqmma": meaning("fifth-generation Tensor Core instructions for FP8", **_TENSOR),
    "tcmma": meaning("Tensor Core instructions", **_TENSOR),
    "tcgen05": meaning("fifth-generation Tensor Core instructions", **_TENSOR),
    "tensorop": meaning("Tensor Cores", **_TENSOR),
    "bstensorop": meaning("Tensor Cores, block-scaled operands", **_TENSOR),
    "sptensorop": meaning("Tensor Cores, one operand 2:4 sparse", sparse=True, **_TENSOR),
    "bwtensorop": meaning("Tensor Cores, operands scaled by larger blocks", **_TENSOR),
    "sptensor": meaning("Tensor Cores, one operand 2:4 sparse", sparse=True, **_TENSOR),
    "sparse": meaning("one operand 2:4 sparse", sparse=True),
    "spgemm": meaning("GEMM, one operand 2:4 sparse", sparse=True),
    "splitk": _SPLIT_K,
    "split_k": _SPLIT_K,
    "splitkreduce": meaning("adds up the partial sums of split-K", split_k=True),
    "persistent": "persistent thread blocks: each computes several tiles",
    "warpspecialized": "some warps load, others compute",
    "cooperative": "two warp groups share one tile",
    "pingpong": "two warp groups alternate between tiles",
    "wo_smem": "no shared memory",
    "singlebuffer": "one buffer for the operands",
    "beta0": "overwrites the output (β = 0)",
    "betafalse": "overwrites the output (β = 0)",
    "betatrue": "can add to the output (β)",
    "nhwc": "channels last (NHWC)",
    "ndhwc": "channels last, 3-D (NDHWC)",
    "nchw": "planar channels (NCHW)",
    "ncdhw": "planar channels, 3-D (NCDHW)",
    "kcrs": "weights as KCRS",
    "krsc": "weights as KRSC",
    "accfloat": "accumulates in FP32",
    "acchalf": "accumulates in FP16",
    "kernel": "the main kernel",
}  # fmt: skip
"""{word: meaning}. ``relu`` and ``bias`` state what a kernel can do: real layers without either run such kernels."""

PATTERNS: Sequence[tuple[str, Decoder]] = (
    (r"sm(\d{2,3})[af]?", _sm),
    (r"(sp)?tensor(\d{1,4}x\d{1,4}x\d{1,4})", _mma),
    (r"[hiq]gmma()(\d{1,4}x\d{1,4}x\d{1,4})", _mma),
    (r"[hiqd]mma()(\d+)", _mma),
    (r"warpsize(\d{1,3}x\d{1,3}x\d{1,3})", r"\1 warps (m × n × k) share the tile"),
    # Warp groups exist for the matrix instructions (wgmma) that four warps issue together.
    (
        r"warpgroupsize(\d{1,3}x\d{1,3}x\d{1,3})",
        lambda m: meaning(f"{m[1]} groups of four warps (m × n × k) share the tile", matrix=True),
    ),
    (r"stages?(\d{1,3})", pipeline),
    (r"cgasize(\d{1,3}x\d{1,3}x\d{1,3})", cluster_words),
    (r"t1r(\d{1,3})s(\d{1,3})", r"for windows of \1x\2"),
    (r"t(\d{1,3})r(\d{1,3})s(\d{1,3})", r"for windows of \2x\3, \1 deep"),
    (r"g1", "for one group of channels"),
    (r"g(\d{1,6})", r"for \1 groups of channels"),
    (r"align([abc])(\d{1,4})", lambda m: f"operand {m[1].upper()} aligned to {m[2]} elements"),
    (r"align(\d{1,4})", r"operands aligned to \1 elements"),
    (r"ldg(\d{1,3})", r"loads \1 elements at a time"),
    (r"window(\d{1,3}x\d{1,3})s(\d{1,2})", r"for windows of \1 with strides of \2"),  # of this package's examples
    (r"stride(\d{1,3}x\d{1,3}(?:x\d{1,3})?)", r"for strides of \1"),
    (r"sliced\d+x(\d{1,3})", r"each sum is split among \1 groups of warps in a thread block"),
    (r"[tn]{2,3}", _transposition),
    (r"[tn]", lambda m: f"result {_OPERANDS[m[0]]}"),
    (r"v(\d{1,3})", r"version \1 of the kernel"),
    (r"0x[0-9a-f]{8,40}", "the kernel's hash"),
)

_ENTRY = r"execute(?:_(split_k|segment_k_on|segment_k_off))?_kernel(?:_(?:5x_)?(trt|cublas|cudnn|cusparselt))?"
PHRASES: Sequence[tuple[str, int, str, Decoder]] = (
    *(("execute", count, _ENTRY, _entry) for count in range(2, 8)),
    ("stages", 2, r"stages_(\d{1,4})x(\d{1,3})", depth_and_stages),
)


def vocabulary(
    words: Mapping[str, str | Meaning] | None = None,
    patterns: Sequence[tuple[str, Decoder]] = (),
    phrases: Sequence[tuple[str, int, str, Decoder]] = (),
) -> Vocabulary:
    """The common words, overridden by a family's own."""
    return Vocabulary({**WORDS, **(words or {})}, (*patterns, *PATTERNS), (*PHRASES, *phrases))


COMMON = vocabulary()
