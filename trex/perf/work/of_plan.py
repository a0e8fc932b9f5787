"""EnginePlan → the Work of each of its layers."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING

from trex.core.collector import collector_paused
from trex.core.layer import Layer, Role
from trex.perf.work.kind import KINDS, WorkKind, type_key
from trex.perf.work.made import made
from trex.perf.work.work import Work

if TYPE_CHECKING:
    from trex.plan.engine_plan import EnginePlan


def works_of(plan: EnginePlan) -> tuple[Work, ...]:
    """One Work per layer of ``plan.layers``, in their order. Never fails: what is not known is None, with a reason.

    With the ONNX model at hand, macs and other operations come from the operators that a layer fuses.
    """
    works = own_works_of(plan)
    if plan.model is None:
        return works
    from trex.perf.work.from_model import works_from_model

    return works_from_model(plan, works)


def own_works_of(plan: EnginePlan) -> tuple[Work, ...]:
    """As ``works_of``, from the layers' own records alone."""
    with collector_paused():
        return tuple(map(work_of, plan.layers))


def work_of(layer: Layer) -> Work:
    """The work of one layer by the first kind that takes it; bytes only where none does."""
    if layer.role is Role.KERNEL and not layer.lists_tensors:
        return made("", layer, None, None, "bytes of all tensors")
    for kind in _kinds_for(layer.role, layer.type, layer.subtype):
        if kind.takes is None or kind.takes(layer):
            return kind.work(layer)
    reason = f"no formula for layers of type {layer.type or layer.subtype or 'unknown'}"
    return made("", layer, None, None, "bytes of all tensors", reason=reason)


@lru_cache(maxsize=4096)
def _kinds_for(role: Role, type_name: str, subtype: str) -> tuple[WorkKind, ...]:
    """The kinds that may take such a layer, the type's before the subtype's, each in the order of their numbers."""
    found: dict[int, WorkKind] = {}
    for name in (type_key(type_name), type_key(subtype)):
        fitting = [kind for kind in _kinds() if role in kind.roles and (not kind.types or name in kind.types)]
        found |= {id(kind): kind for kind in sorted(fitting, key=lambda kind: kind.order) if id(kind) not in found}
    return tuple(found.values())


@cache
def _kinds() -> tuple[WorkKind, ...]:
    return tuple(plug.value for plug in KINDS.values())
