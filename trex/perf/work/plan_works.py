"""EnginePlan → the Work of each of its layers, from the layers' own records."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING

from trex.core.collector import collector_paused
from trex.core.layer import Layer, Role
from trex.perf.work.kind import KINDS, WorkKind, type_key
from trex.perf.work.layer_work import layer_work
from trex.perf.work.work import Work

if TYPE_CHECKING:
    from trex.plan.engine_plan import EnginePlan


def own_works_of(plan: EnginePlan) -> tuple[Work, ...]:
    """One Work per layer of ``plan.layers``, from the layers' own records; unknown figures are None, with a reason."""
    with collector_paused():
        return plan.works or tuple(map(work_of, plan.working_layers))


def work_of(layer: Layer) -> Work:
    """The work of one layer by the first kind that takes it; bytes only if none does."""
    if layer.role is Role.KERNEL and not layer.lists_tensors:
        return layer_work("", layer, None, None, "bytes of all tensors")
    for kind in _kinds_for(layer.role, layer.type, layer.subtype):
        if kind.takes is None or kind.takes(layer):
            return kind.work(layer)
    reason = f"no formula for layers of type {layer.type or layer.subtype or 'unknown'}"
    return layer_work("", layer, None, None, "bytes of all tensors", reason=reason)


@lru_cache(maxsize=4096)
def _kinds_for(role: Role, type_name: str, subtype: str) -> tuple[WorkKind, ...]:
    """The kinds that may take such a layer, the type's before the subtype's, each in the order of their numbers."""
    result: dict[int, WorkKind] = {}
    for name in (type_key(type_name), type_key(subtype)):
        fitting = [kind for kind in _kinds() if role in kind.roles and (not kind.types or name in kind.types)]
        result |= {id(kind): kind for kind in sorted(fitting, key=lambda kind: kind.order) if id(kind) not in result}
    return tuple(result.values())


@cache
def _kinds() -> tuple[WorkKind, ...]:
    return tuple(kind for plug in KINDS.values() for kind in plug.value)
