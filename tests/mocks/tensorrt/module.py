"""The names of the module ``tensorrt`` of one release."""

from __future__ import annotations

import enum
from typing import Any

from tests.mocks.tensorrt import building_calls, running_calls
from tests.mocks.tensorrt.gpu import GPU
from tests.mocks.tensorrt.objects import Bound, Session, Severity
from tests.mocks.tensorrt.releases import ENUMERATIONS, RANGES, Release, is_offered

_DERIVED = (building_calls.ILogger, building_calls.IProgressMonitor, running_calls.IProfiler)
CLASSES: tuple[type, ...] = (
    *_DERIVED,
    building_calls.Builder,
    building_calls.IBuilderConfig,
    building_calls.ILayer,
    building_calls.INetworkDefinition,
    building_calls.IOptimizationProfile,
    building_calls.ITensor,
    building_calls.ITimingCache,
    building_calls.TimingCacheKey,
    building_calls.TimingCacheValue,
    building_calls.OnnxParser,
    building_calls.ParserError,
    running_calls.EngineInspector,
    running_calls.ICudaEngine,
    running_calls.IExecutionContext,
    running_calls.Runtime,
)


def offer(version: str, behavior: dict[str, Any]) -> dict[str, Any]:
    """{name: value} of the module. behavior: see ``write_tensorrt``; api: the release whose API it has, if another."""
    numbers = [int(number) for number in version.split(".")]
    major, minor = behavior.get("api", numbers[:2])
    release: Release = (major, minor)
    names: dict[str, Any] = {}
    session = Session((numbers[0], numbers[1], numbers[2]), behavior, names)
    session.release = release
    GPU.is_absent = bool(behavior.get("no_gpu"))
    for name, members in ENUMERATIONS.items():
        if is_offered(name, release):
            there = [member for member in members if is_offered(f"{name}.{member}", release)]
            # The numbers of members differ between releases: code must not rely on them.
            first = 1 if release >= (10, 0) and name == "BuilderFlag" else 0
            names[name] = enum.IntEnum(name, there, start=first)
    for module in CLASSES:
        if is_offered(module.__name__, release):
            names[module.__name__] = _of_release(module, release, session)
    names["__version__"] = f"{version}.7"
    names["init_libnvinfer_plugins"] = _init_libnvinfer_plugins
    return names


def _init_libnvinfer_plugins(logger: Any, namespace: str) -> bool:
    logger.log(Severity.VERBOSE, "Registered plugin creator - ::Stand_in version 1")
    return True


def _of_release(module: type, release: Release, session: Session) -> type:
    """The class without what this release lacks."""
    if not issubclass(module, Bound):
        return module
    lacking = [name.partition(".")[2] for name in RANGES if name.startswith(f"{module.__name__}.")]
    kept = {
        key: value
        for key, value in vars(module).items()
        if key not in ("__dict__", "__weakref__")
        and not (key in lacking and not is_offered(f"{module.__name__}.{key}", release))
    }
    return type(module.__name__, (Bound,), {**kept, "_session": session})
