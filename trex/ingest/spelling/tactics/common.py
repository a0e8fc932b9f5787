"""Words that mean the same in every family of kernel names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from trex.core.counted import counted
from trex.core.tactic import DIRECT, IMPLICIT_GEMM, WINOGRAD
from trex.ingest.spelling.tactics.types import TYPES, label
from trex.ingest.spelling.tactics.vocabulary import (
    VARIANT,
    Meaning,
    Said,
    Vocabulary,
    extents,
    fact,
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


def _generation(name: str, sm: int) -> Said:
    return fact("architecture", f"written for {name.capitalize()} ({capability(sm)})", sm=sm)


def said_sm(match: re.Match[str]) -> Said | None:
    sm = int(match[1])
    return fact("architecture", f"written for {capability(sm)}", sm=sm)


def said_operands(match: re.Match[str]) -> Said:
    words = match[0]
    told = f"first operand {_OPERANDS[words[0]]}, second {_OPERANDS[words[1]]}"
    if len(words) > 2:
        told += f", result {_OPERANDS[words[2]]}"
    return fact("layouts", told, layouts=tuple(words))


def said_window(match: re.Match[str]) -> Said:
    deep, r, s = int(match[1]), int(match[2]), int(match[3])
    window = (r, s) if deep == 1 else (deep, r, s)
    return fact("window", f"for windows of {r}×{s}" + ("" if deep == 1 else f", {deep} deep"), window=window)


def said_alignment(match: re.Match[str]) -> Said:
    place = "abc".index(match[1])
    values = [None, None, None]
    values[place] = int(match[2])  # type: ignore[call-overload]
    return fact("alignment", f"operand {match[1].upper()} aligned to {match[2]} elements", alignment=tuple(values))


def said_warps(match: re.Match[str]) -> Said:
    warps = extents(match[2])
    group = bool(match[1])
    told = f"{times(match[2])} {'groups of four warps' if group else 'warps'} share the tile"
    sliced = {"sliced_k": warps[2]} if warps[2] > 1 else {}
    if sliced:
        told += f", each sum split among {warps[2]}"
    if not group:
        return fact("warps", told, warps=warps, **sliced)
    # Groups of warps exist for the matrix instructions (wgmma) that four warps issue together.
    return fact("warps", told, warps=warps, warp_groups=True, matrix=True, **sliced)


def said_mma(match: re.Match[str]) -> Said:
    told = f"Tensor Core instructions of {times(match[2])}"
    facts = {"mma": extents(match[2]), "matrix": True}
    if match[1]:
        return fact("mma", f"{told} with one operand 2:4 sparse", sparse=True, **facts)
    return fact("mma", told, **facts)


def said_stages(match: re.Match[str]) -> Said:
    count = int(match[1])
    if not count:
        return fact("stages", "as many stages of the pipeline as fit")
    return fact("stages", f"operands are loaded through a pipeline of {counted(count, 'stage')}", stages=count)


def said_depth_and_stages(match: re.Match[str]) -> Said:
    told = f"steps of {match[1]} along k, through a pipeline of {counted(int(match[2]), 'stage')}"
    return fact("stages", told, stages=int(match[2]), depth=int(match[1]))


def said_cluster(match: re.Match[str]) -> Said:
    cluster = extents(match[1])
    if 0 in cluster:
        return fact("cluster", "the size of the cluster of thread blocks is chosen when it is launched")
    if cluster == (1, 1, 1):
        return fact("cluster", "thread blocks work alone", cluster=cluster)
    return fact("cluster", f"clusters of {times(match[1])} thread blocks work together", cluster=cluster)


def said_example_window(match: re.Match[str]) -> Said:
    """``window3x3s2``: how the example engines of this package tell window and stride."""
    told = f"for windows of {times(match[1])} with strides of {match[2]}"
    return fact("window", told, window=extents(match[1]), stride=(int(match[2]),) * 2)


def said_entry(match: re.Match[str]) -> Said:
    """``execute_segment_k_on_kernel_5x_cublas``: the function of the kernel that is launched, and whose it is."""
    told = "the kernel that does the work"
    if match[2]:
        told += f", of {_LIBRARIES[match[2]]}'s library"
    if not match[1]:
        return fact("entry", told)
    if match[1] == "segment_k_off":
        return fact("entry", f"{told}, sums not split")
    return fact("entry", f"{told}, each sum split among thread blocks", split_k=True)


def variant(words: str) -> Said:
    return fact(VARIANT, words)


_TENSOR = {"matrix": True}
_IMPLICIT = fact("algorithm", "computed as a matrix product whose matrix is never written out", algorithm=IMPLICIT_GEMM)
_WINOGRAD = fact("algorithm", "by Winograd's algorithm: fewer multiplications for small windows", algorithm=WINOGRAD)
_LIBRARIES = {"trt": "TensorRT", "cublas": "cuBLAS", "cudnn": "cuDNN", "cusparselt": "cuSPARSELt"}
WORDS: Mapping[str, Said] = {
    **{name: _generation(name, sm) for name, sm in SMS.items()},
    **{word: fact("type", label(word)) for word in TYPES},
    "trt": fact("maker", "made for TensorRT"),
    "xmma": fact("library", "of xmma, the kernels that come with TensorRT"),
    "cutlass": fact("library", "built with CUTLASS, NVIDIA's templates for matrix products"),
    "cutlass3x": fact("library", "built with CUTLASS 3, NVIDIA's templates for matrix products"),
    "cudnn": fact("library", "of cuDNN"),
    "cublas": fact("library", "of cuBLAS"),
    "nvjet": fact("library", "of nvjet, cuBLAS's kernels for Hopper and later"),
    "fprop": fact("operation", "a convolution forwards"),
    "dgrad": fact("operation", "the gradient by the data, which is what a deconvolution computes"),
    "wgrad": fact("operation", "the gradient by the weights"),
    "deconv": fact("operation", "a deconvolution"),
    "implicit_gemm": _IMPLICIT,
    "gemm": fact("operation", "a matrix product"),
    "gemv": fact("operation", "a matrix times a vector"),
    "gemvx": fact("operation", "a matrix times a vector"),
    "conv": fact("operation", "a convolution"),
    "convolution": fact("operation", "a convolution"),
    "conv1x1": fact("operation", "a convolution with a 1×1 window", window=(1, 1)),
    "gemm_as_conv1x1": fact("operation", "a matrix product for a convolution with a 1×1 window", window=(1, 1)),
    "depthwise": fact("operation", "each channel by itself (depthwise)"),
    "act": fact("epilogue", "the activation is applied as well"),
    "direct": fact("algorithm", "product by product, as a convolution is defined", algorithm=DIRECT),
    "grouped": fact("purpose", "for several groups of channels"),
    "conv2d": fact("operation", "a convolution in two dimensions"),
    "winograd": _WINOGRAD,
    "wngd": _WINOGRAD,
    "relu": fact("epilogue", "able to apply ReLU to its result", epilogue=("relu",)),
    "gelu": fact("epilogue", "able to apply GELU to its result", epilogue=("gelu",)),
    "silu": fact("epilogue", "able to apply SiLU to its result", epilogue=("silu",)),
    "bias": fact("epilogue", "able to add a bias", epilogue=("bias",)),
    "residual": fact("epilogue", "able to add a second input to its result", epilogue=("residual",)),
    "small_batch": fact("purpose", "for small batches"),
    "simt": fact("units", "on the CUDA cores, not on Tensor Cores", scalar=True),
    "ffma": fact("units", "FP32 multiply-adds on the CUDA cores", scalar=True),
    "hfma2": fact("units", "pairs of FP16 multiply-adds on the CUDA cores", scalar=True),
    "dfma": fact("units", "FP64 multiply-adds on the CUDA cores", scalar=True),
    "dp4a": fact("units", "sums of four INT8 products on the CUDA cores", scalar=True),
    "hmma": fact("units", "Tensor Core instructions for 16-bit numbers", **_TENSOR),
    "imma": fact("units", "Tensor Core instructions for integers", **_TENSOR),
    "dmma": fact("units", "Tensor Core instructions for FP64", **_TENSOR),
    "qmma": fact("units", "Tensor Core instructions for FP8", **_TENSOR),
    "wmma": fact("units", "Tensor Core instructions of one warp", **_TENSOR),
    "wgmma": fact("units", "Tensor Core instructions of a group of four warps", **_TENSOR),
    "hgmma": fact("units", "Tensor Core instructions of a group of four warps, for 16-bit numbers", **_TENSOR),
    "igmma": fact("units", "Tensor Core instructions of a group of four warps, for integers", **_TENSOR),
    "qgmma": fact("units", "Tensor Core instructions of a group of four warps, for FP8", **_TENSOR),
    "utcmma": fact("units", "fifth-generation Tensor Core instructions", **_TENSOR),
    "utchmma": fact("units", "fifth-generation Tensor Core instructions for 16-bit numbers", **_TENSOR),
    "utcimma": fact("units", "fifth-generation Tensor Core instructions for integers", **_TENSOR),
    "utcqmma": fact("units", "fifth-generation Tensor Core instructions for FP8", **_TENSOR),
    "tcmma": fact("units", "Tensor Core instructions", **_TENSOR),
    "tcgen05": fact("units", "fifth-generation Tensor Core instructions", **_TENSOR),
    "tensorop": fact("units", "on Tensor Cores", **_TENSOR),
    "bstensorop": fact("units", "on Tensor Cores, operands with a scale for each block of values", **_TENSOR),
    "sptensorop": fact("units", "on Tensor Cores, one operand 2:4 sparse", sparse=True, **_TENSOR),
    "bwtensorop": fact("units", "on Tensor Cores, operands with a scale for each larger block", **_TENSOR),
    "sptensor": fact("units", "on Tensor Cores, one operand 2:4 sparse", sparse=True, **_TENSOR),
    "sparse": fact("sparsity", "one operand 2:4 sparse", sparse=True),
    "spgemm": fact("operation", "a matrix product, one operand 2:4 sparse", sparse=True),
    "splitk": fact("split-k", "each sum is split among thread blocks and added up afterwards", split_k=True),
    "split_k": fact("split-k", "each sum is split among thread blocks and added up afterwards", split_k=True),
    "splitkreduce": fact("split-k", "adds up sums that were split among thread blocks", split_k=True),
    "persistent": fact("schedule", "thread blocks stay and fetch further tiles", persistent=True),
    "warpspecialized": fact("schedule", "some warps load, others compute"),
    "cooperative": fact("schedule", "two groups of warps share one tile"),
    "pingpong": fact("schedule", "two groups of warps work on tiles in turns"),
    "wo_smem": fact("memory", "without shared memory"),
    "singlebuffer": fact("memory", "with one buffer for its operands"),
    "beta0": fact("epilogue", "does not add to what is there already (β = 0)"),
    "betafalse": fact("epilogue", "does not add to what is there already (β = 0)"),
    "betatrue": fact("epilogue", "can add to what is there already (β)"),
    "nhwc": fact("layouts", "a tensor with channels last (NHWC)", layouts=("nhwc",)),
    "ndhwc": fact("layouts", "a tensor of volumes with channels last (NDHWC)", layouts=("ndhwc",)),
    "nchw": fact("layouts", "a tensor with planes of channels (NCHW)", layouts=("nchw",)),
    "ncdhw": fact("layouts", "a tensor of volumes with planes of channels (NCDHW)", layouts=("ncdhw",)),
    "kcrs": fact("layouts", "weights as KCRS", layouts=("kcrs",)),
    "krsc": fact("layouts", "weights as KRSC", layouts=("krsc",)),
    "accfloat": fact("type", "accumulates in FP32"),
    "acchalf": fact("type", "accumulates in FP16"),
    "kernel": fact("entry", "the kernel that does the work"),
}  # fmt: skip
"""Meanings by word. ``relu`` and ``bias`` tell what a kernel can do: real layers without either run such kernels."""

PATTERNS: Sequence[tuple[str, Meaning]] = (
    (r"sm(\d{2,3})[af]?", said_sm),
    (r"tensor()(\d{1,4}x\d{1,4}x\d{1,4})", said_mma),
    (r"(sp)tensor(\d{1,4}x\d{1,4}x\d{1,4})", said_mma),
    (r"[hiq]gmma()(\d{1,4}x\d{1,4}x\d{1,4})", said_mma),
    (r"[hiqd]mma\d+", lambda m: fact("units", f"Tensor Core instructions {m[0][4:]}", matrix=True)),
    (r"warp(group)?size(\d{1,3}x\d{1,3}x\d{1,3})", said_warps),
    (r"stages?(\d{1,3})", said_stages),
    (r"cgasize(\d{1,3}x\d{1,3}x\d{1,3})", said_cluster),
    (r"t(\d{1,3})r(\d{1,3})s(\d{1,3})", said_window),
    (
        r"g(\d{1,6})",
        lambda m: fact(
            "groups",
            "for one group of channels" if m[1] == "1" else f"for {m[1]} groups of channels",
            groups=int(m[1]),
        ),
    ),
    (r"align([abc])(\d{1,4})", said_alignment),
    (
        r"align(\d{1,4})",
        lambda m: fact("alignment", f"operands aligned to {m[1]} elements", alignment=(int(m[1]),) * 3),
    ),
    (r"ldg(\d{1,3})", lambda m: fact("memory", f"loads {m[1]} elements at a time")),
    (r"window(\d{1,3}x\d{1,3})s(\d{1,2})", said_example_window),
    (
        r"stride(\d{1,3}x\d{1,3}(?:x\d{1,3})?)",
        lambda m: fact("stride", f"for strides of {times(m[1])}", stride=extents(m[1])),
    ),
    (
        r"sliced\d+x(\d{1,3})",
        lambda m: fact("sliced-k", f"each sum is split among {m[1]} groups of warps of one block", sliced_k=int(m[1])),
    ),
    (r"[tn][tn]", said_operands),
    (
        r"[tn]",
        lambda m: fact("layouts", f"result {_OPERANDS[m[0]]}", layouts=(m[0],)),
    ),
    (r"v(\d{1,3})", lambda m: fact("version", f"version {m[1]} of the kernel")),
    (r"0x[0-9a-f]{8,40}", lambda m: fact("identity", "the number that tells this kernel apart")),
)

_ENTRY = r"execute(?:_(split_k|segment_k_on|segment_k_off))?_kernel(?:_(?:5x_)?(trt|cublas|cudnn|cusparselt))?"
PHRASES: Sequence[tuple[str, int, str, Meaning]] = (
    *(("execute", count, _ENTRY, said_entry) for count in range(2, 8)),
    ("stages", 2, r"stages_(\d{1,4})x(\d{1,3})", said_depth_and_stages),
)


def vocabulary(
    words: Mapping[str, Said] | None = None,
    patterns: Sequence[tuple[str, Meaning]] = (),
    phrases: Sequence[tuple[str, int, str, Meaning]] = (),
) -> Vocabulary:
    """The common words and a family's own, which go before them."""
    return Vocabulary({**WORDS, **(words or {})}, (*patterns, *PATTERNS), (*PHRASES, *phrases))


COMMON = vocabulary()
