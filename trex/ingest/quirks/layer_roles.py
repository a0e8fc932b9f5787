"""Layers that are no kernels of the network.

What it finds: layers of the types ``Constant``, ``NoOp``, ``shape_call`` (host code that computes the shapes of a
Myelin region), ``TrainStation`` (entry points of Myelin regions, where memory is managed), ``signal`` and ``wait``
(synchronization between streams); steps of a Myelin program on the host: jumps (``jmp``, ``cjmp``), and layers without
a kernel whose tensors are single integers or Booleans (extents, loop counters, conditions).
Why it matters: constants are weights; counted as activations, they would double memory figures. A NoOp is a view that
takes no time. The others are no operations of the network, but the profiler may report a time that is part of the
engine's total.
What it does: marks them. ``plan.all_layers`` lists them all, ``plan.constants`` the constants; the table lists the
others only if the profile contains a time.
"""

from trex.core.layer import JUMPS, Role
from trex.ingest.quirk import Quirk, QuirkStage
from trex.ingest.raw_engine import RawEngine, RawLayer

_SYNC = ("signal", "wait", "signal_and_wait", "signal_wait", "wait_and_signal", "Signal", "Wait")
_ROLES = {
    "Constant": Role.CONSTANT,
    "NoOp": Role.NOOP,
    "shape_call": Role.SHAPE,
    "TrainStation": Role.TRAIN_STATION,
    **dict.fromkeys(_SYNC, Role.SYNC),
}


_ON_HOST = frozenset((*JUMPS, "reshape", "cast", "add", "memset"))
"""In engines that TensorRT for RTX 1.7.1 built from models with If, Loop and dynamic shapes."""
_SCALARS = frozenset(("Int32", "Int64", "Bool"))


def applies(raw: RawEngine) -> bool:
    return not _ROLES.keys().isdisjoint(raw.subtypes) or not _ON_HOST.isdisjoint(raw.subtypes)


def _is_on_host(layer: RawLayer) -> bool:
    if layer.subtype in JUMPS:
        return True
    return (
        layer.subtype in _ON_HOST
        and layer.record.get("TacticName") == ""
        and all(
            tensor.get("Datatype") in _SCALARS and tensor.get("Dimensions") == [1]
            for tensor in (*layer.inputs, *layer.outputs)
            if type(tensor) is dict
        )
    )


def apply(raw: RawEngine) -> None:
    for layer in raw.layers:
        layer.role = Role.SHAPE if _is_on_host(layer) else _ROLES.get(layer.subtype, layer.role)
        if layer.role is Role.NOOP:
            layer.type = "NoOp"


QUIRK = Quirk(QuirkStage.ROLE, applies, apply)
