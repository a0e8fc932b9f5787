"""WorkKind: a kind of layers and the formula of their work; the registry of all kinds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from trex.core.layer import Layer, Role
from trex.core.registry import Registry
from trex.perf.work.work import Work

KERNELS = frozenset({Role.KERNEL})


@dataclass(frozen=True, slots=True)
class WorkKind:
    """One kind of layers. Its module's docstring tells the formula, the source and what it does not hold for.

    types: names of the layers' type or subtype in lower case, without blanks and underscores; empty for any. work: a
    layer's work. takes: further condition on a layer, None for none. roles: what the layers are to the execution.
    order: of two kinds that take a layer, the one with the smaller number has it.
    """

    types: frozenset[str]
    work: Callable[[Layer], Work]
    takes: Callable[[Layer], bool] | None = None
    roles: frozenset[Role] = KERNELS
    order: int = 50


KINDS = Registry("trex.perf.work.kinds", "KIND")


def type_key(name: str) -> str:
    """A type's name as ``WorkKind.types`` spells it: ``Cuda_SoftMax`` → ``cudasoftmax``."""
    return name.replace("_", "").replace(" ", "").lower()
