"""Explore TensorRT engines: what was built, what it costs, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# The lobby is lazy (PEP 562): a name is imported from its public file when it is first asked for, so that importing
# the package costs milliseconds and brings neither pandas nor numpy.
_NAMES = {
    "trex.engine_plan": ("EnginePlan", "load", "load_all", "load_example"),
}
_MODULE_OF = {name: module for module, names in _NAMES.items() for name in names}
_MODULES = ("engine_plan",)

__all__ = ["__version__", *sorted(_MODULE_OF)]

if TYPE_CHECKING:
    from trex.engine_plan import EnginePlan as EnginePlan
    from trex.engine_plan import load as load
    from trex.engine_plan import load_all as load_all
    from trex.engine_plan import load_example as load_example


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _MODULE_OF:
        value = getattr(import_module(_MODULE_OF[name]), name)
        globals()[name] = value
        return value
    if name in _MODULES:
        return import_module(f"trex.{name}")
    # name and obj let the interpreter suggest the name that was meant
    import sys

    raise AttributeError(f"module 'trex' has no attribute {name!r}", name=name, obj=sys.modules[__name__])


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_MODULES})
