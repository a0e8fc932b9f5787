"""Sections of a trtexec log with the types that TREx's parser gives them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_NUMBERS = frozenset(
    ("Compute Capability", "SMs", "Compute Clock Rate", "Memory Bus Width", "Memory Clock Rate")
    + ("Application Compute Clock Rate", "Application Memory Clock Rate")
)
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?")


def with_numbers(device: Mapping[str, Any]) -> dict[str, Any]:
    """Capability, SMs, clock rates (GHz) and bus width (bits) as floats, as in TREx's metadata files: 7.5, 72.0, 1.77.

    Other values stay as printed: ``24217 MiB``.
    """
    return {key: _number(value) if key in _NUMBERS else value for key, value in device.items()}


def _number(value: Any) -> Any:
    match = _NUMBER.match(value) if isinstance(value, str) else None
    return float(match.group()) if match else value
