"""Name of a kernel (a tactic) → its parts in words; what is not published is unknown.

The facts and the words of each part are the grammar's (``ingest/spelling/tactics``); here they become sentences.
"""

from __future__ import annotations

import re

from trex.core.data_type import DataType
from trex.core.tactic import NO_TACTIC, WINOGRAD, Tactic
from trex.ingest.spelling.tactic_names import decode_tactic
from trex.plan.kernels import CHOSEN_LATE

UNKNOWN = "not known"

_KERNEL_NAME = re.compile(r"[A-Za-z0-9_.]{3,1000}")
LIBRARIES = {
    "xmma": "xmma, the kernels that come with TensorRT",
    "cutlass": "CUTLASS",
    "cudnn": "cuDNN",
    "cublas": "cuBLAS",
}


def explain_tactic(name: str) -> tuple[str, list[tuple[str, str]]] | None:
    """(what the kernel is, its parts with what they say) for the name of a kernel; None for any other word.

    The names of Myelin's generated kernels list operations; they follow the grammar of layer names.
    """
    tactic = decode_tactic(name)
    if name == CHOSEN_LATE:
        return "no kernel yet", tactic_parts(tactic)
    if tactic is NO_TACTIC or tactic.library == "Myelin" or not _KERNEL_NAME.fullmatch(name):
        return None
    if tactic.kind != "pointwise" and ("_" not in name or not (tactic.library or tactic.sm)):
        return None
    return tactic_summary(tactic), tactic_parts(tactic)


def tactic_parts(tactic: Tactic) -> list[tuple[str, str]]:
    """Each part of the name with what it says, UNKNOWN if not published."""
    return [(part.text, part.words or UNKNOWN) for part in tactic.parts]


def tactic_summary(tactic: Tactic) -> str:
    """What the kernel is, in one line."""
    kind = f"{tactic.kind} kernel" if tactic.kind else "kernel"
    texts = [
        f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"
        + (f" of {LIBRARIES.get(tactic.library, tactic.library)}" if tactic.library else "")
    ]
    types = (
        ("data in", tactic.input_type),
        ("weights", tactic.weights_type),
        ("accumulates in", tactic.accumulate_type),
        ("data out", tactic.output_type),
    )
    texts += [f"{what} {item.label}" for what, item in types if item is not DataType.UNKNOWN]
    if tactic.tf32:
        texts.append("multiplies as TF32")
    if tactic.sparse:
        texts.append("one operand 2:4 sparse")
    if tactic.algorithm == WINOGRAD:
        texts.append("by Winograd's algorithm")
    if tactic.split_k:
        texts.append("each sum split among thread blocks")
    if tactic.tensor_core is not None:
        texts.append("on Tensor Cores" if tactic.tensor_core else "on the CUDA cores")
    return ", ".join(texts)
