"""Values of trtexec's options, read and checked before a run: shapes, memory pools, formats, numbers.

trtexec reads a value as far as it understands it and often drops the rest; what it would misread is refused here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from trex.core.errors import TrexError
from trex.core.near_names import did_you_mean
from trex.ingest.spelling.trtexec_options import OptionValue, Release, TrtexecOption

_WHOLE = re.compile(r"[-+]?\d{1,18}", re.ASCII)
_DECIMAL = re.compile(r"[-+]?\d{1,18}(?:\.\d{1,18})?(?:[eE][-+]?\d{1,3})?", re.ASCII)
_DECIMAL_OPTIONS = frozenset(("persistentCacheRatio", "atol", "rtol", "accuracyThreshold"))
_SIZE = re.compile(r"(\d{1,12}(?:\.\d{1,12})?|\.\d{1,12})\s*([A-Za-z]{0,3})", re.ASCII)
_DIMENSIONS = re.compile(r"\d{1,10}(?:x\d{1,10}){0,15}", re.ASCII)
_MIB = {"": 1.0, "b": 2**-20, "k": 2**-10, "m": 1.0, "g": 1024.0, "t": 1048576.0}
_POOLS: Mapping[str, Release] = {
    "workspace": (8, 4),
    "dlaSRAM": (8, 4),
    "dlaLocalDRAM": (8, 4),
    "dlaGlobalDRAM": (8, 4),
    "tacticSharedMem": (10, 0),
}
_SHAPES_HINT = "write NAME:1x3x224x224, several with commas; the name is the model's input"
_POOLS_HINT = "write workspace:1024 for 1024 MiB"


def checked_value(option: TrtexecOption, value: str, release: Release) -> str:
    """The value as trtexec is given it. Raises TrexError for one that it would refuse or misread."""
    where = f"{option.name}={value}"
    if option.value is OptionValue.SWITCH:
        if value:
            raise TrexError(
                f"--{option.name} takes no value: trtexec would switch it on whatever is written there",
                f"write {option.name}, or leave it out",
                where,
            )
        return ""
    if not value:
        raise TrexError(f"--{option.name} needs a value", f"write {option.name}=…", option.name)
    check = _CHECKS.get(option.value)
    return check(option, value, release) if check else value


def shapes_from_text(text: str) -> dict[str, tuple[int, ...]]:
    """``x:1x3,'y:0':2`` → {x: (1, 3), y:0: (2,)}; () for a scalar. Raises TrexError for anything else.

    As trtexec reads it: inputs end at commas, a name at the last colon.
    """
    found: dict[str, tuple[int, ...]] = {}
    for part in text.split(","):
        name, colon, dims = part.strip().replace("'", "").rpartition(":")
        if not colon or not name:
            raise TrexError("this is no shape of an input", _SHAPES_HINT, text, part)
        if dims not in ("", "scalar") and not _DIMENSIONS.fullmatch(dims):
            raise TrexError(f"the shape of {name} is not whole numbers with x between them", _SHAPES_HINT, text, dims)
        if name in found:
            raise TrexError(f"the shape of {name} is given twice", _SHAPES_HINT, text)
        found[name] = tuple(int(size) for size in dims.split("x")) if dims not in ("", "scalar") else ()
    return found


def pools_from_text(text: str, release: Release) -> dict[str, float]:
    """``workspace:1GiB,dlaSRAM:1`` → {workspace: 1024.0, dlaSRAM: 1.0}, in MiB. Raises TrexError.

    Without a unit a size is in MiB. trtexec reads units in its own way: until 10.0 it drops them, since 10.1 only their
    last letter counts, so that 1024MiB are 1024 bytes.
    """
    found: dict[str, float] = {}
    for part in text.split(","):
        name, _, size = part.strip().rpartition(":")
        if name not in _POOLS:
            raise TrexError(
                f"{name or part} is no memory pool",
                did_you_mean(name or part, _POOLS, f"there are {', '.join(_POOLS)}; {_POOLS_HINT}"),
                text,
            )
        if release[:2] < _POOLS[name]:
            raise TrexError(
                f"TensorRT {_text(release)} has no memory pool {name}",
                f"it came with TensorRT {_text(_POOLS[name])}",
                text,
            )
        match = _SIZE.fullmatch(size.strip())
        unit = match[2].lower() if match else ""
        if match is None or unit not in ("", "b", *(u + end for u in "kmgt" for end in ("", "b", "ib"))):
            raise TrexError(f"the size of {name} is no size", _POOLS_HINT, text, size)
        found[name] = float(match[1]) * _MIB[unit[:1]]
    return found


def pools_text(pools: Mapping[str, float]) -> str:
    """``workspace:1024,dlaSRAM:0.5``: MiB without a unit, which every release reads as MiB."""
    return ",".join(f"{name}:{size:.10f}".rstrip("0").rstrip(".") for name, size in pools.items())


def _number(option: TrtexecOption, value: str, _: Release) -> str:
    is_decimal = option.name in _DECIMAL_OPTIONS
    if not (_DECIMAL if is_decimal else _WHOLE).fullmatch(value):
        kind = "number" if is_decimal else "whole number"
        raise TrexError(
            f"--{option.name} needs a {kind}, and trtexec reads no further than it understands",
            f"write, for instance, {option.name}=1",
            f"{option.name}={value}",
        )
    if option.name == "duration" and float(value) < 0:
        raise TrexError(
            "a run of negative duration never ends", "give the seconds it shall last", f"{option.name}={value}"
        )
    return value


def _shapes(_: TrtexecOption, value: str, __: Release) -> str:
    shapes_from_text(value)
    return ",".join(part.strip() for part in value.split(","))


def _pools(_: TrtexecOption, value: str, release: Release) -> str:
    return pools_text(pools_from_text(value, release))


def _formats(option: TrtexecOption, value: str, release: Release) -> str:
    where = f"{option.name}={value}"
    for part in value.split(","):
        has_type = ":" in part
        if has_type and release[:2] >= (11, 0):
            raise TrexError(
                "since TensorRT 11 the types of inputs and outputs come from the model",
                f"write the format alone: {option.name}={part.partition(':')[2] or 'chw'}",
                where,
            )
        if not has_type and release[:2] < (11, 0):
            raise TrexError(
                f"TensorRT {_text(release)} needs type and format of each tensor",
                f"write, for instance, {option.name}=fp16:{part or 'chw'}",
                where,
            )
    return value


_CHECKS: Mapping[OptionValue, Callable[[TrtexecOption, str, Release], str]] = {
    OptionValue.NUMBER: _number,
    OptionValue.SHAPES: _shapes,
    OptionValue.POOLS: _pools,
    OptionValue.FORMATS: _formats,
}


def _text(release: Release) -> str:
    return ".".join(map(str, release[:2]))
