"""A line below ``I/O Tensors:`` in the inspector's text → the record of its JSON."""

from __future__ import annotations

import re
from typing import Any

_LINE = re.compile(
    r"Name: (.*), IOMode: (\w+), DataType: (\w+), Dimensions: \[([-0-9, ]*)\]"
    r"(?:, Location: (\w+))?(?:, IsShapeInferenceIO: (true|false))?",
    re.ASCII,
)
_PROFILES = ", ProfileInfo: ["
_DIMENSION = re.compile(r"-?[0-9]{1,18}", re.ASCII)
_BETWEEN = re.compile(r"\}, ?\{")
_SHAPE = re.compile(r"(MinShape|OptShape|MaxShape): \[([-0-9, ]*)\](?:, )?", re.ASCII)
_FORMAT = "Format: "


def io_tensor(text: str) -> dict[str, Any] | None:
    """``Name: x, IOMode: Input, DataType: Float, Dimensions: [1,3], …, ProfileInfo: [ { MinShape: [1,3], … } ]``.

    None for other lines.
    """
    # Apart from the pattern, which would look for the end from each beginning.
    text, has_profiles, profiles = text.strip(" \t").partition(_PROFILES)
    match = _LINE.fullmatch(text)
    if match is None or (has_profiles and not profiles.endswith("]")):
        return None
    name, mode, data_type, dimensions, location, is_shape = match.groups()
    record = {"Name": name, "IOMode": mode, "DataType": data_type, "Dimensions": _numbers(dimensions)}
    if location is not None:
        record["Location"] = location
    if is_shape is not None:
        record["IsShapeInferenceIO"] = is_shape == "true"
    if has_profiles:
        inner = profiles[:-1].strip(" ").removeprefix("{").removesuffix("}")
        record["ProfileInfo"] = [_profile(part.strip(" ")) for part in _BETWEEN.split(inner) if inner]
    return record


def _profile(text: str) -> dict[str, Any]:
    profile: dict[str, Any] = {}
    position = 0
    while match := _SHAPE.match(text, position):
        profile[match[1]] = _numbers(match[2])
        position = match.end()
    if text.startswith(_FORMAT, position):
        profile["Format"] = text[position + len(_FORMAT) :]
    return profile


def _numbers(text: str) -> list[int | None]:
    """None for what is no dimension."""
    parts = [part.strip(" ") for part in text.split(",")]
    return [int(part) if _DIMENSION.fullmatch(part) else None for part in parts if part.strip("-")]
