"""Profile rows of the DLA (deep learning accelerator) → their layer types.

TensorRT reports a part that runs on the DLA as several rows: the part itself, ``{ForeignNode[a...b]}`` (TensorRT 7:
``{a,b,c}``), and the copies and waits around it: ``x to nvm``, ``y from nvm``, ``x copy finish``, ``y finish``.

Sources: NVIDIA/TensorRT issue 3143 (``images to nvm``, ``head_3 from nvm``, ``images copy finish``); a profile of
GoogleNet on Xavier with TensorRT 7.1 (``data to nvm``, ``data copy finish``, ``loss3/classifier finish``);
NVIDIA/Deep-Learning-Accelerator-SW discussion 5 (``fc1000 from nvm`` contains the DLA's run time up to TensorRT 8.5).
"""

from __future__ import annotations

from collections.abc import Sequence

from trex.core.layer import DLA_PART

PART, COPY_IN, COPY_OUT, FINISH = DLA_PART, "DlaCopyIn", "DlaCopyOut", "DlaFinish"

_ENDINGS = {" to nvm": COPY_IN, " from nvm": COPY_OUT, " copy finish": FINISH}
_ANY_FINISH = " finish"  # only among rows with one of the other endings: a node may have this name
_MEANINGS = {
    " to nvm": "a copy of this input into the DLA's memory",
    " from nvm": "a copy of this output from the DLA; until about TensorRT 8.5 also the DLA's run time",
    " copy finish": "waits for the end of this copy to or from the DLA",
}


def dla_row_type(name: str) -> str:
    """The type of a row whose name only the DLA's runtime writes, "" for others."""
    return next((kind for ending, kind in _ENDINGS.items() if name.endswith(ending)), "")


def dla_row_types(names: Sequence[str]) -> list[str]:
    """The type of each row of a profile in execution order, "" for those that are no rows of the DLA.

    A part is the row after the copies of its inputs.
    """
    types = [dla_row_type(name) for name in names]
    if not any(types):
        return types
    for index, name in enumerate(names):
        if types[index]:
            continue
        if name.endswith(_ANY_FINISH):
            types[index] = FINISH
        elif name.startswith("{") and index and types[index - 1] == COPY_IN:
            types[index] = PART
    return types


def explain_dla_row(name: str) -> tuple[str, str] | None:
    """(the ending, its meaning) of a row of the DLA, None for other names."""
    return next(((ending.strip(), text) for ending, text in _MEANINGS.items() if name.endswith(ending)), None)
