"""Name of a kernel (a tactic) → its parts, each with what it says; what nobody published is said to be unknown.

Sources: CUTLASS's documented kernel naming, the names of PTX instructions, and names compared with their layers in real
engines.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from trex.core.counted import counted
from trex.core.data_type import DataType
from trex.core.tactic import NO_TACTIC, Tactic
from trex.ingest.spelling.tactic_names import decode_tactic

UNKNOWN = "not known"

_KERNEL_NAME = re.compile(r"[A-Za-z0-9_.]{3,1000}")

_LIBRARIES = {
    "xmma": "xmma, the kernels that come with TensorRT",
    "cutlass": "CUTLASS",
    "cudnn": "cuDNN",
    "cublas": "cuBLAS",
}
_ARCHITECTURES = {
    "maxwell": "Maxwell (compute capability 5.0)",
    "pascal": "Pascal (compute capability 6.0)",
    "volta": "Volta (compute capability 7.0)",
    "turing": "Turing (compute capability 7.5)",
    "ampere": "Ampere (compute capability 8.0)",
    "ada": "Ada (compute capability 8.9)",
    "hopper": "Hopper (compute capability 9.0)",
    "blackwell": "Blackwell (compute capability 10.0)",
}
_INSTRUCTIONS = {"884": "8×8×4", "1688": "16×8×8", "16816": "16×8×16", "8816": "8×8×16", "16832": "16×8×32"}
_ACCUMULATORS = {"s": "FP32", "h": "FP16", "i": "INT32", "d": "FP64"}
_OPERANDS = {"t": "transposed", "n": "not transposed"}
_WORDS = {
    "trt": "made for TensorRT",
    "xmma": "of xmma, the kernels that come with TensorRT",
    "cutlass": "built with CUTLASS, NVIDIA's templates for matrix products",
    "cutlass3x": "built with CUTLASS 3, NVIDIA's templates for matrix products",
    "cublas": "of cuBLAS",
    "nvjet": "of nvjet, cuBLAS's kernels for Hopper and later",
    "fprop": "a convolution forwards",
    "dgrad": "the gradient by the data, which is what a deconvolution computes",
    "implicit_gemm": "computed as a matrix product whose matrix is never written out",
    "gemm": "a matrix product",
    "gemv": "a matrix times a vector",
    "gemvx": "a matrix times a vector",
    "conv": "a convolution",
    "conv1x1": "a convolution with a 1×1 window",
    "fused_conv_act": "the activation is applied as well",
    "pooling": "a pooling",
    "fw": "forwards",
    "kMAX": "takes the maximum",
    "Average": "takes the mean",
    "relu": "applies ReLU to its result",
    "bias": "adds a bias",
    "winograd": "by Winograd's algorithm: fewer multiplications for small windows",
    "simt": "on the CUDA cores, not on Tensor Cores",
    "ffma": "FP32 multiply-adds on the CUDA cores",
    "hmma": "Tensor Core instructions for 16-bit numbers",
    "imma": "Tensor Core instructions for integers",
    "tensorop": "on Tensor Cores",
    "vect_c": "channels in vectors",
    "wo_smem": "without shared memory",
    "nhwckrsc": "input channels last (NHWC), weights as KRSC",
    "nchwkcrs": "input with planes of channels (NCHW), weights as KCRS",
    "nchwkrsc": "input with planes of channels (NCHW), weights as KRSC",
    "nhwc": "a tensor with channels last (NHWC)",
    "nchw": "a tensor with planes of channels (NCHW)",
    "Accfloat": "accumulates in FP32",
    "Acchalf": "accumulates in FP16",
    "singleBuffer": "with one buffer for its operands",
}
_MULTIPLES = tuple(sorted((word for word in _WORDS if "_" in word), key=len, reverse=True))
_TYPES = {
    "FP16": "FP16", "FP32": "FP32", "INT8": "INT8", "fp16": "FP16", "fp32": "FP32", "fp8": "FP8", "int8": "INT8",
    "f16": "FP16", "bf16": "BF16", "f32": "FP32", "e4m3": "FP8 (E4M3)", "e5m2": "FP8 (E5M2)", "i8": "INT8",
    "s8": "INT8", "s32": "INT32", "e2m1": "FP4 (E2M1)",
}  # fmt: skip
_PATTERNS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    (
        re.compile(r"nchw_vect_c_(\d+)kcrs_vect_c_(\d+)"),
        lambda m: f"input in vectors of {m[1]} channels (NC/{m[1]}HW{m[1]}), weights in vectors of {m[2]}",
    ),
    (re.compile(r"nchw_vect_c_(\d+)"), lambda m: f"a tensor in vectors of {m[1]} channels (NC/{m[1]}HW{m[1]})"),
    (re.compile(r"sm(\d{1,2})(\d)a?"), lambda m: f"written for compute capability {m[1]}.{m[2]}"),
    (re.compile(r"tilesize([\dx]+)"), lambda m: f"a block of threads computes a tile of {_times(m[1])} (m × n × k)"),
    (
        re.compile(r"stages?(\d{1,3})"),
        lambda m: f"operands are loaded through a pipeline of {counted(int(m[1]), 'stage')}",
    ),
    (
        re.compile(r"stages_(\d{1,4})x(\d{1,3})"),
        lambda m: f"steps of {m[1]} along k, through a pipeline of {counted(int(m[2]), 'stage')}",
    ),
    (re.compile(r"warpsize(\d+x\d+x\d+)"), lambda m: f"{_times(m[1])} warps share the tile"),
    (re.compile(r"tensor(\d+x\d+x\d+)"), lambda m: f"Tensor Core instructions of {_times(m[1])}"),
    (re.compile(r"t(\d+)r(\d+)s(\d+)"), lambda m: f"for windows of {m[2]}×{m[3]}" + _deep(m[1])),
    (re.compile(r"g(\d+)"), lambda m: "for one group of channels" if m[1] == "1" else f"for {m[1]} groups of channels"),
    (re.compile(r"align([ac])(\d+)"), lambda m: f"operand {m[1].upper()} aligned to {m[2]} elements"),
    (re.compile(r"ldg(\d+)"), lambda m: f"loads {m[1]} elements at a time"),
    (re.compile(r"stride(\d+)x(\d+)"), lambda m: f"for strides of {m[1]}×{m[2]}"),
    (
        re.compile(r"k(\d+)r(\d+)s(\d+)c(\d+)"),
        lambda m: f"for {m[1]} output and {m[4]} input channels, windows of {m[2]}×{m[3]}",
    ),
    (re.compile(r"([shid])(\d*)(?:cudnn|gemm|gemmex)"), lambda m: _style(m[1], m[2], m[0])),
    (re.compile(r"([tn])([tn])"), lambda m: f"first operand {_OPERANDS[m[1]]}, second {_OPERANDS[m[2]]}"),
    (
        re.compile(r"(FP16|FP32|BF16|INT8|FP8)(FP32|FP16|INT32)?(NCHW|NHWC)"),
        lambda m: f"{m[1]} as {m[3]}" + (f", accumulates in {m[2]}" if m[2] else ""),
    ),
    (re.compile(r"v(\d+)"), lambda m: f"version {m[1]} of the kernel"),
    (re.compile(r"int8x(\d+)"), lambda m: f"INT8 in vectors of {m[1]}"),
    (re.compile(r"(\d{2,4}x\d{1,4}(?:x\d{1,4})?)"), lambda m: f"a tile of {_times(m[1])}"),
    (re.compile(r"0x[0-9a-fA-F]{8,40}"), lambda m: "the number that tells this kernel apart"),
)


def explain_tactic(name: str) -> tuple[str, list[tuple[str, str]]] | None:
    """(what the kernel is, its parts with what they say) for the name of a kernel; None for any other word.

    The names of Myelin's generated kernels list operations; they follow the grammar of layer names.
    """
    tactic = decode_tactic(name)
    if tactic is NO_TACTIC or tactic.library == "Myelin" or not (tactic.library or tactic.sm):
        return None
    if "_" not in name or not _KERNEL_NAME.fullmatch(name):
        return None
    return _summary(tactic), list(_parts(name, tactic))


def explain_part(word: str) -> str | None:
    """What one part of a kernel's name says (``tensor16x8x16``); None for what is no part that is known."""
    part, meaning = _first_part(word, NO_TACTIC)
    return meaning if part == word and meaning not in ("", UNKNOWN) else None


def _summary(tactic: Tactic) -> str:
    kind = f"{tactic.kind} kernel" if tactic.kind else "kernel"
    said = [f"a {kind}" + (f" of {_LIBRARIES.get(tactic.library, tactic.library)}" if tactic.library else "")]
    types = (
        ("data in", tactic.input_type),
        ("weights", tactic.weights_type),
        ("accumulates in", tactic.accumulate_type),
        ("data out", tactic.output_type),
    )
    said += [f"{what} {each.label}" for what, each in types if each is not DataType.UNKNOWN]
    if tactic.tf32:
        said.append("multiplies as TF32")
    if tactic.tensor_core is not None:
        said.append("on Tensor Cores" if tactic.tensor_core else "on the CUDA cores")
    return ", ".join(said)


def _parts(name: str, tactic: Tactic) -> Iterator[tuple[str, str]]:
    rest = name
    while rest:
        part, meaning = _first_part(rest, tactic)
        if part:
            yield part, meaning
        rest = rest[len(part) :].removeprefix("_")


def _first_part(rest: str, tactic: Tactic) -> tuple[str, str]:
    """The longest known beginning of the name, up to an underscore or the end; else its first word, unknown."""
    if tactic.evidence and _begins(rest, tactic.evidence) and _is_of_types(tactic.evidence):
        return tactic.evidence, _types_said(tactic)
    for words in _MULTIPLES:
        if _begins(rest, words):
            return words, _WORDS[words]
    for pattern, meaning in _PATTERNS:
        found = pattern.match(rest)
        if found and _begins(rest, found[0]):
            return found[0], meaning(found)
    word = rest.partition("_")[0]
    lowered = word.lower()
    if lowered in _ARCHITECTURES:
        return word, f"written for {_ARCHITECTURES[lowered]}"
    if word in _TYPES:
        return word, _TYPES[word]
    return word, _WORDS.get(word) or _WORDS.get(lowered, UNKNOWN if word else "")


def _begins(text: str, start: str) -> bool:
    return text.startswith(start) and (len(text) == len(start) or text[len(start)] == "_")


def _is_of_types(evidence: str) -> bool:
    """True for xmma's three groups of types, which no single word explains."""
    return re.fullmatch(r"(?:[a-z]+\d+(?:m\d)?){2}_(?:[a-z]+\d+(?:m\d)?){1,2}_[a-z]+\d+(?:m\d)?", evidence) is not None


def _types_said(tactic: Tactic) -> str:
    how = "TF32" if tactic.tf32 else tactic.weights_type.label if tactic.weights_type.is_known else ""
    multiplies = f", multiplies as {how}" if how else ""
    accumulates = f", accumulates in {tactic.accumulate_type.label}" if tactic.accumulate_type.is_known else ""
    return f"{tactic.input_type.label} in, {tactic.output_type.label} out{multiplies}{accumulates}"


def _style(letter: str, instruction: str, word: str) -> str:
    library = "cuDNN" if word.endswith("cudnn") else "cuBLAS"
    cores = f", Tensor Core instructions of {_INSTRUCTIONS.get(instruction, instruction)}" if instruction else ""
    return f"of {library}, accumulates in {_ACCUMULATORS[letter]}{cores}"


def _times(text: str) -> str:
    return text.replace("x", "×")


def _deep(depth: str) -> str:
    return "" if depth == "1" else f", {depth} deep"
