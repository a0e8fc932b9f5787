"""What all objects of the mock share: the session they belong to, and that they take no other attributes."""

from __future__ import annotations

import enum
from typing import Any

from tests.mocks.tensorrt.releases import Release


class Severity(enum.IntEnum):
    INTERNAL_ERROR = 0
    ERROR = 1
    WARNING = 2
    INFO = 3
    VERBOSE = 4


class Session:
    """One process's mock: its release, how it behaves, and the enumerations that it offers."""

    def __init__(self, version: tuple[int, int, int], behavior: dict[str, Any], enums: dict[str, Any]) -> None:
        self.version = version
        self.release: Release = version[:2]
        self.behavior = behavior
        self.enums = enums

    def fails(self, stage: str) -> bool:
        return self.behavior.get("fails") == stage

    def complain(self, logger: Any, otherwise: str) -> None:
        logger.log(Severity.ERROR, self.behavior.get("complaint", otherwise))


class Bound:
    """As pybind11's objects: attributes that the class does not have cannot be set."""

    _session: Session

    def __setattr__(self, name: str, value: Any) -> None:
        if not name.startswith("_") and not hasattr(type(self), name):
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        object.__setattr__(self, name, value)


class HostMemory(Bound):
    """Bytes of TensorRT's; memoryview() sees them."""

    def __new__(cls, data: bytes) -> Any:
        return memoryview(data)
