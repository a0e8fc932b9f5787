"""Layer name → NameParts: TensorRT's naming grammar of fusions, reformats and Myelin regions.

``a + b`` vertical fusion · ``a || b`` horizontal fusion · ``PWN(a, b)`` pointwise network · ``{ForeignNode[a...b]}``
region from node a to node b · ``__myl_MulSum_myl7_3`` third kernel of Myelin region 7, generated from Mul and Sum ·
``<node>_myl7_2`` library kernel in the region · ``Reformatting CopyNode for Input Tensor 0 to X`` layout change for X.
"""

from __future__ import annotations

import re
from functools import lru_cache

from trex.core.layer import NameParts
from trex.ingest.spelling.dla_names import explain_dla_row

# A name without any of these is one operation or a plain `a + b`; checking them is faster than the expressions below.
_MARKS = ("(", "{", "[", "_my", "||", "Reformat", "\x1e", "\x1f", "_gemm_mha")
_PROFILE = re.compile(r" ?\[profile +(\d{1,9})\]")
_REFORMAT = re.compile(r"Reformat(?:ting CopyNode for|ted) (Input|Output) Tensor (\d{1,9}) (?:to|from) ")
_OPTIMIZER_REFORMAT = re.compile(r"Optimizer Reformat\((.*)\)", re.DOTALL)
_REGION = re.compile(r"_myl(\d{1,9})(?:_(\d{1,9}))?")
REGION_NUMBER = re.compile(r"_myl[0-9]{1,9}")
_SHAPE_CALL = re.compile(r"(?:dummy_shape_call)?__mye\d+(?:_\d+){0,9999}")
_INSERTED = re.compile(r"(?:(?:copied_)?(?:reshape|transpose|squeeze|unsqueeze)(?:_node)?_(?:before|after)_){1,9999}")
_UNNAMED = re.compile(r"\(Unnamed Layer\* (\d{1,9})\) \[([^\]]{0,200})\]")
_TORCH = re.compile(r"\[([^\]]{1,200})\]-\[([^\]]{1,500})\]-\[(.+)\]", re.DOTALL)
_STORED = re.compile(r"(.+)\.(weight|bias)", re.DOTALL)
_QUANTIZE = re.compile(r"(?:.*/)?(Quantize|Dequantize|Quant|Dequant)Linear[^/]*", re.DOTALL)
_WORD = re.compile(r"[A-Z][a-z0-9]*|[a-z][a-z0-9]*")
_HASH = re.compile(r"0x[0-9a-f]+$")
_DELIMITER = re.compile(r"[(){}\[\]]| \+ | \|\| |, |[\x1e\x1f]")
_DELIMITING = re.compile(r"[(){}\[\] \x1e\x1f]")  # every delimiter contains one of these, a faster search
_FOREIGN_DELIMITER = re.compile(r"[(){}\[\]]|\.\.\.")
_CLOSER = {"(": ")", "{": "}", "[": "]"}
_OPENER = {closer: opener for opener, closer in _CLOSER.items()}
# Kernels of repeated blocks share their tokens; longer names do not repeat, so caching them would only take memory.
_LONGEST_CACHED = 512
_GENERATED = ("_", "dummy_shape_call")  # prefixes of the names that _tokens understands
FOREIGN_OPENING = "{ForeignNode["
FOREIGN_CLOSING = "]}"


def parse_name(name: str) -> NameParts:
    """The parts of a layer's name; never fails, linear in the name's length.

    operations are in the order of the name. A reformat has none: ``wraps`` is the layer it serves. The two ends of a
    ForeignNode are verbatim (an end may be a fusion: parse it again). ``[profile N]`` is ignored.
    """
    for mark in _MARKS:
        if mark in name:
            return _parse(name)
    if " + " not in name:
        return NameParts((name,))
    operations = tuple([operand for part in name.split(" + ") if (operand := part.strip())])
    return NameParts(operations or (name,), "vertical" if len(operations) > 1 else "none")


def _parse(name: str) -> NameParts:
    if "[profile " in name:
        name = profile_suffix(name)[0]
    if "Reformat" in name:
        reformat = _REFORMAT.match(name)
        if reformat:
            return NameParts((), "reformat", wraps=name[reformat.end() :])
        optimizer = _OPTIMIZER_REFORMAT.fullmatch(name)
        if optimizer:
            return NameParts((), "reformat", wraps=optimizer[1])
    region, rest = _split_region(name)
    tokens = None
    if rest.startswith(_GENERATED):
        tokens = _tokens(rest) if len(rest) <= _LONGEST_CACHED else _tokens.__wrapped__(rest)
    if tokens is not None and (region is not None or rest.startswith("_")):
        return NameParts((), "myelin", tokens=tokens, region=region)
    operations, kinds = _split_operations(rest)
    if region is not None:
        kinds = (*kinds, "myelin")
    return NameParts(operations, "+".join(kinds) or "none", region=region)


def profile_suffix(name: str) -> tuple[str, int | None]:
    """(name without `` [profile N]``, N), wherever the suffix is; (name, None) for names of the first profile."""
    match = _PROFILE.search(name) if "[profile " in name else None
    return (name, None) if match is None else (_PROFILE.sub("", name), int(match[1]))


def myelin_region(name: str) -> int | None:
    """Number of the Myelin region in a layer or tensor name, None outside Myelin."""
    return _split_region(profile_suffix(name)[0])[0] if "_myl" in name else None


def step_in_region(name: str) -> int | None:
    """Number of a kernel within its Myelin region (``…_myl7_3`` → 3), None if the name contains none."""
    name = profile_suffix(name)[0]
    match = _REGION.fullmatch(name, max(name.rfind("_myl"), 0))
    return int(match[2]) if match and match[2] else None


def _split_region(name: str) -> tuple[int | None, str]:
    """(region, name without its ``_myl<region>_<step>`` suffix)."""
    start = name.rfind("_myl")
    if start < 0:
        return None, name
    match = _REGION.fullmatch(name, start)
    if match is None:
        return None, name
    return int(match[1]), name[:start]


@lru_cache(maxsize=4096)
def _tokens(name: str) -> tuple[str, ...] | None:
    """Operation tokens of a generated kernel, () if it only computes shapes, None for other names."""
    if name.startswith("__myl_"):
        body = _HASH.sub("", name[len("__myl_") :])
        return tuple(_WORD.findall(body))
    if name.startswith("_gemm_mha"):
        return ("gemm", "mha")
    return () if _SHAPE_CALL.fullmatch(name) else None


def _split_operations(name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(operands in order, kinds of fusion): one pass over the delimiters, respecting brackets, without recursion."""
    if _DELIMITING.search(name) is None or _DELIMITER.search(name) is None:
        return (name,), ()
    closed_by = _bracket_pairs(name)
    closers = {closer: opener for opener, closer in closed_by.items()}
    pointwise_openers: set[int] = set()
    leaves: list[str] = []
    kinds: set[str] = set()
    start = pointwise = plain = 0

    def flush(end: int) -> None:
        leaf = name[start:end].strip()
        if leaf:
            leaves.append(leaf)

    for delimiter in _DELIMITER.finditer(name):
        at, word = delimiter.start(), delimiter[0]
        if at in closed_by:
            # The limit keeps this linear: otherwise every bracket of a long name would copy all text before it.
            if word == "(" and plain == 0 and at - start < 16 and name[start:at].lstrip() == "PWN":
                pointwise_openers.add(at)
                pointwise += 1
                start = at + 1
                kinds.add("pointwise")
            else:
                plain += 1
        elif at in closers:
            if closers[at] in pointwise_openers:
                flush(at)
                pointwise -= 1
                start = at + 1
            else:
                plain -= 1
        elif plain == 0 and word not in "(){}[]" and (word != ", " or pointwise):
            flush(at)
            start = delimiter.end()
            if word == " || ":
                kinds.add("horizontal")
            elif word != ", ":
                kinds.add("vertical")
    flush(len(name))
    if len(leaves) < 2:
        kinds -= {"vertical", "horizontal"}
    operations: list[str] = []
    for leaf in leaves:
        ends = foreign_ends(leaf)
        if ends is None:
            operations.append(leaf)
        else:
            operations.extend(ends)
            kinds.add("foreign")
    return tuple(operations) or (name,), tuple(kind for kind in _FUSIONS if kind in kinds)


def _bracket_pairs(text: str) -> dict[int, int]:
    """{position of an opening bracket: position of its closing bracket}; unmatched brackets are plain text."""
    waiting: dict[str, list[int]] = {"(": [], "{": [], "[": []}
    pairs: dict[int, int] = {}
    for delimiter in _FOREIGN_DELIMITER.finditer(text):
        bracket = delimiter[0]
        if bracket in waiting:
            waiting[bracket].append(delimiter.start())
        elif bracket in _OPENER and waiting[_OPENER[bracket]]:
            pairs[waiting[_OPENER[bracket]].pop()] = delimiter.start()
    return pairs


def foreign_ends(operand: str) -> tuple[str, ...] | None:
    """``{ForeignNode[a...b]}`` → (a, b); one name if there is no interval; None for other operands."""
    if not (operand.startswith(FOREIGN_OPENING) and operand.endswith(FOREIGN_CLOSING)):
        return None
    inside = operand[len(FOREIGN_OPENING) : -len(FOREIGN_CLOSING)]
    pairs = _bracket_pairs(inside)
    closers = set(pairs.values())
    depth = 0
    for delimiter in _FOREIGN_DELIMITER.finditer(inside):
        at = delimiter.start()
        if at in pairs:
            depth += 1
        elif at in closers:
            depth -= 1
        elif depth == 0 and delimiter[0] == "...":
            return (inside[:at].strip(), inside[delimiter.end() :].strip())
    return (inside.strip(),)


def inserted_for(operand: str) -> str | None:
    """The operation for which TensorRT inserted this one (``reshape_before_X`` → X), None for the others."""
    match = _INSERTED.match(operand)
    return operand[match.end() :] if match else None


def torch_parts(operand: str) -> tuple[str, str, str] | None:
    """(layer kind, operator, path) of Torch-TensorRT's ``[CONVOLUTION]-[aten_ops…]-[/conv1/convolution]``, or None."""
    match = _TORCH.fullmatch(operand)
    return (match[1], match[2], match[3]) if match else None


GENERATED_OPERATIONS = {
    "Add": "addition",
    "Sub": "subtraction",
    "Mul": "multiplication",
    "Div": "division",
    "Min": "minimum",
    "Max": "maximum",
    "Maxr": "maximum along axes (a reduction)",
    "Minr": "minimum along axes (a reduction)",
    "Sum": "sum along axes (a reduction)",
    "Prod": "product along axes (a reduction)",
    "Mean": "mean along axes (a reduction)",
    "Exp": "exponential",
    "Log": "logarithm",
    "Erf": "error function (used in GELU)",
    "Tanh": "hyperbolic tangent",
    "Sigm": "sigmoid",
    "Relu": "rectified linear unit",
    "Sqrt": "square root",
    "Pow": "power",
    "Neg": "negation",
    "Abs": "absolute value",
    "Sin": "sine",
    "Cos": "cosine",
    "Cast": "change of element type",
    "Quan": "quantization",
    "Dequ": "dequantization",
    "Sele": "select (where)",
    "Slic": "slice",
    "Gath": "gather",
    "Scat": "scatter",
    "Conc": "concatenation",
    "Repl": "replication (broadcast or expand)",
    "Resh": "reshape",
    "Tran": "transpose",
    "Move": "copy",
    "Iota": "range",
    "Fill": "fill with a constant",
    "Topk": "top-k selection",
    "Sort": "sorting",
    "Equa": "comparison for equality",
    "Grea": "comparison greater-than",
    "Less": "comparison less-than",
    "And": "logical and",
    "Or": "logical or",
    "Not": "logical not",
    "Roun": "rounding (of a quantization)",
    "Silu": "SiLU: value times its sigmoid",
    "Gnor": "group normalization",
    "Inor": "instance normalization",
    "Resi": "resize",
    "Corr": "convolution",
    "Fc": "fully connected layer",
    "Gemm": "matrix multiplication",
    "Conv": "convolution",
    "Mha": "multi-head attention",
    "gemm": "matrix multiplication",
    "mha": "multi-head attention",
}
"""{token of a Myelin-generated kernel: meaning}. TensorRT does not document them: the meanings come from comparing
kernels with the ONNX nodes in their Metadata. Some releases shorten tokens to three letters (``Res``)."""

_BY_THREE_LETTERS = {word[:3]: meaning for word, meaning in reversed(GENERATED_OPERATIONS.items())}

_FUSIONS = {
    "vertical": ("+", "vertical fusion: consecutive operations, computed in one kernel"),
    "horizontal": (
        "||",
        "horizontal fusion: parallel operations of one kind with a shared input, computed in one kernel",
    ),
    "pointwise": ("PWN(…)", "pointwise network: elementwise operations, computed in one kernel"),
    "foreign": (
        "{ForeignNode[a...b]}",
        "a region compiled by Myelin, TensorRT's graph compiler: all nodes from a to b",
    ),
}


PLAIN_OPERAND = "an operation or constant of the model"
"""Explanation of an operand whose name has no structure."""


def token_meaning(token: str) -> str:
    """Meaning of one token in a generated kernel's name; "" if unknown."""
    return GENERATED_OPERATIONS.get(token) or (_BY_THREE_LETTERS.get(token, "") if len(token) == 3 else "")


def explain_name(name: str) -> list[tuple[str, str]]:
    """(piece of the name, its meaning), in reading order; each piece once."""
    lines: dict[str, str] = {}
    bare, profile = profile_suffix(name)
    if dla := explain_dla_row(bare):
        return [(bare, f"a row of the DLA (deep learning accelerator), {dla[0]!r}: {dla[1]}; see trex explain dla")]
    reformat = _REFORMAT.match(bare)
    if reformat:
        side, number = reformat[1].lower(), reformat[2]
        lines[bare[: reformat.end()].rstrip()] = (
            f"a reformat: converts the layout or type of {side} tensor {number} of the layer that follows, because "
            "both sides need different formats"
        )
        bare = bare[reformat.end() :]
    parts = parse_name(bare)
    if parts.fusion == "reformat":
        lines[bare] = f"a reformat: converts the layout or type of a tensor for {parts.wraps}"
    for kind in parts.fusion.split("+"):
        if kind in _FUSIONS:
            piece, meaning = _FUSIONS[kind]
            lines[piece] = meaning
    is_foreign = "foreign" in parts.fusion.split("+")
    for operand in parts.operations:
        fused = len(parse_name(operand).operations) if is_foreign else 1
        end = f"an end of the region, a fusion of {fused} operations"
        lines.setdefault(operand, end if fused > 1 else _operand_meaning(operand))
    if "__myl_" in bare:
        lines["__myl_"] = "a kernel that Myelin, TensorRT's graph compiler, generated from the operations that follow"
    elif parts.fusion == "myelin" and not (parts.tokens or parts.operations):
        lines[bare] = "host code of a Myelin region: computes shapes, launches no kernel"
    for token in parts.tokens:
        lines.setdefault(token, token_meaning(token) or "an operation of unknown meaning")
    if parts.region is not None:
        step = step_in_region(bare)
        piece = f"_myl{parts.region}" + ("" if step is None else f"_{step}")
        position = "" if step is None else f", kernel {step}"
        lines[piece] = (
            f"part of Myelin region {parts.region}{position}; the build log shows a region as one ForeignNode"
        )
    if profile is not None:
        lines[f"[profile {profile}]"] = f"the layer's copy for optimization profile {profile}"
    return list(lines.items())


def _operand_meaning(operand: str) -> str:
    served = inserted_for(operand)
    if served is not None:
        return f"inserted by TensorRT to change the shape for {served}"
    unnamed = _UNNAMED.fullmatch(operand)
    if unnamed:
        return f"layer {unnamed[1]} of the network, a {unnamed[2]} without a name (added by the importer)"
    torch = torch_parts(operand)
    if torch:
        return f"Torch-TensorRT: TensorRT's {torch[0]} for {torch[1]} at {torch[2]}"
    stored = _STORED.fullmatch(operand)
    if stored:
        return f"stored {stored[2]} of {stored[1]}, folded into the kernel"
    quantize = _QUANTIZE.fullmatch(operand)
    if quantize:
        return "quantization" if quantize[1].startswith("Q") else "dequantization"
    return PLAIN_OPERAND
