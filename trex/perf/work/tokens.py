"""Tokens of a generated kernel's name → their operations: ``MeanSubMul`` → one reduction, two elementwise operations.

TensorRT does not document the tokens: they were inferred by comparing kernels of real engines with the ONNX nodes in
their metadata. Some releases abbreviate them to three letters (``Res``), so ``Con`` may be a concatenation or a
convolution.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

_ONE = "Add Sub Mul Div Min Max Exp Log Erf Tanh Relu Sqrt Pow Neg Abs Sin Cos Dequ Sele Equa Grea Less And Or Not"
_MORE = "Roun Floo Ceil Sign Atan Log1 Isin Isna Eql Gtr Lt Cums"
ELEMENTWISE = {**dict.fromkeys(_ONE.split(), 1), "Sigm": 4, "Quan": 2, **dict.fromkeys(_MORE.split(), 1)}
ELEMENTWISE |= {"Silu": 5, "Elu": 4}
"""Operations per value. ``Sigm``: negation, exponential, addition, division, ``Silu`` a multiplication more; ``Quan``:
multiplication, rounding; ``Elu``: as the activation.
"""

REDUCTIONS = {"Maxr": 1, "Minr": 1, "Sum": 1, "Prod": 1, "Mean": 1, "Gnor": 7, "Inor": 7}
"""Operations per value. ``Gnor``, ``Inor``: group and instance normalization, as the layer of that name."""
MOVES = frozenset({"Cast", "Slic", "Gath", "Scat", "Conc", "Repl", "Resh", "Tran", "Move", "Iota", "Fill"})
PARTIAL = frozenset({"Slic", "Gath"})
"""Moves that may read only a part of an input."""
GEMMS = frozenset({"Fc", "Gemm", "Conv", "Corr", "Mha", "gemm", "mha"})
UNCOUNTED = {
    "Topk": "the number of comparisons depends on the data",
    "Sort": "the number of comparisons depends on the data",
    "Resi": "unknown interpolation",
}
"""Operations whose number does not follow from the shapes: why."""

_KNOWN = (*ELEMENTWISE, *REDUCTIONS, *MOVES, *GEMMS, *UNCOUNTED)
_BY_THREE_LETTERS: dict[str, str] = {word[:3]: word for word in reversed(_KNOWN)}
_AMBIGUOUS = frozenset({"Con"})


@dataclass(frozen=True, slots=True)
class TokenOperations:
    """elementwise, reductions: operations per value. gemms: the tokens of GEMMs, convolutions and attention.

    unknown: unknown or ambiguous tokens. partial: may read only a part of an input. uncounted: why the number of some
    operations does not follow from the shapes, "" if it does. is_gemv: multiplies and later sums, as a GEMV does.
    """

    elementwise: int
    reductions: int
    gemms: tuple[str, ...]
    unknown: tuple[str, ...]
    partial: bool
    uncounted: str
    is_gemv: bool


@lru_cache(maxsize=4096)
def token_operations(tokens: tuple[str, ...], concatenates: bool = False) -> TokenOperations:
    """The operations of the tokens. concatenates: the kernel contains a concatenation, so ``Con`` is no convolution."""
    words = [_word(token, concatenates) for token in tokens]
    return TokenOperations(
        elementwise=sum(ELEMENTWISE.get(word, 0) for word in words),
        reductions=sum(REDUCTIONS.get(word, 0) for word in words),
        gemms=tuple(word for word in words if word in GEMMS),
        unknown=tuple(token for token, word in zip(tokens, words) if not word),
        partial=not PARTIAL.isdisjoint(words),
        uncounted=next((UNCOUNTED[word] for word in words if word in UNCOUNTED), ""),
        is_gemv="Mul" in words and "Sum" in words[words.index("Mul") :],
    )


def _word(token: str, concatenates: bool) -> str:
    """The token in its long spelling, "" if unknown."""
    if token in _AMBIGUOUS:
        return "Conc" if concatenates else ""
    if token in _KNOWN:
        return token
    return _BY_THREE_LETTERS.get(token, "") if len(token) == 3 else ""
