"""EnginePlan → why none of its layers tells its place in the model, and what would make them tell it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from trex.plan.engine_plan import EnginePlan
from trex.plan.operations import operation_names

TELLS_NODES = (8, 6)
"""The first TensorRT whose layers tell the ONNX nodes they came from, where built with detailed verbosity."""
_VERBOSITY = "--profilingVerbosity=detailed"
_VERSION = re.compile(r"v?(\d{1,4})\.(\d{1,4})")


def untold_modules(plans: Sequence[EnginePlan]) -> tuple[str, str]:
    """(why no layer of these plans tells its module, what to do), each thing said once."""
    told = [_untold(plan) for plan in plans]
    whys, hints = (list(dict.fromkeys(each[at] for each in told)) for at in range(2))
    return "; ".join(whys), "; ".join(hints)


def nodes_hint(plan: EnginePlan) -> str:
    """What would make the layers tell the ONNX nodes that they came from, where none does."""
    version = _version_of(plan)
    if version is not None and version < TELLS_NODES:
        return f"build with TensorRT 8.6 or later and {_VERBOSITY}: before, engines do not tell the nodes"
    if _keeps_names_only(plan):
        return f"build with {_VERBOSITY}" + ("" if version else " and TensorRT 8.6 or later")
    if version is None:
        return f"TensorRT 8.6 and later tell the nodes, where built from ONNX with {_VERBOSITY}"
    return "engines that are built from an ONNX model tell its nodes; others what their builder named"


def _untold(plan: EnginePlan) -> tuple[str, str]:
    named = next(islice((name for layer in plan.layers for name in operation_names(layer)), 1), "")
    if named:
        return (
            f"the nodes' names hold no path (as {named[:40]!r})",
            "export the model anew with names like /layer1/0/conv1/Conv, as torch.onnx.export(…, dynamo=False) of "
            "PyTorch 1.13 and later writes them",
        )
    if _keeps_names_only(plan):
        return "the layers tell nothing but names of their own", nodes_hint(plan)
    return "the layers name no ONNX node", nodes_hint(plan)


def _keeps_names_only(plan: EnginePlan) -> bool:
    return not any(layer.inputs or layer.outputs or layer.tactic for layer in plan.layers)


def _version_of(plan: EnginePlan) -> tuple[int, int] | None:
    """(major, minor) of the TensorRT that built it, as far as its files tell."""
    told = (plan.engine.tensorrt_version, plan.build_metadata.tensorrt_version, plan.metadata.tensorrt_version)
    found = next((match for each in told if each and (match := _VERSION.match(each))), None)
    return None if found is None else (int(found[1]), int(found[2]))
