"""Layers that are no kernels of the network.

What it finds: layers of the types ``Constant``, ``NoOp``, ``shape_call`` (host code that computes the shapes of a
Myelin region), ``TrainStation`` (entry points of Myelin regions, where memory is managed), ``signal`` and ``wait``
(synchronization between streams).
Why it matters: constants are weights; counted as activations, they would double memory figures. A NoOp is a view that
takes no time. The others are no operations of the network, but the profiler may report a time that is part of the
engine's total.
What it does: marks them. ``plan.all_layers`` lists them all, ``plan.constants`` the constants; the table lists the
others only if the profile contains a time.
"""

from trex.core.layer import Role
from trex.ingest.quirk import Quirk, QuirkStage
from trex.ingest.raw_engine import RawEngine

_SYNC = ("signal", "wait", "signal_and_wait", "signal_wait", "wait_and_signal", "Signal", "Wait")
_ROLES = {
    "Constant": Role.CONSTANT,
    "NoOp": Role.NOOP,
    "shape_call": Role.SHAPE,
    "TrainStation": Role.TRAIN_STATION,
    **dict.fromkeys(_SYNC, Role.SYNC),
}


def applies(raw: RawEngine) -> bool:
    return not _ROLES.keys().isdisjoint(raw.subtypes)


def apply(raw: RawEngine) -> None:
    for layer in raw.layers:
        layer.role = _ROLES.get(layer.subtype, layer.role)
        if layer.role is Role.NOOP:
            layer.type = "NoOp"


QUIRK = Quirk(QuirkStage.ROLE, applies, apply)
