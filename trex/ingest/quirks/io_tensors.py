"""``I/O Tensors`` of TensorRT 11 instead of ``Bindings``.

What it finds: a list of objects with ``Name``, ``IOMode``, ``DataType``, ``Dimensions`` and ``ProfileInfo``.
Why it matters: 11.0 replaced the list of binding names; the new list also contains directions and shapes per profile.
What it does: reads names, directions, types and the min, opt and max shapes of every optimization profile.
"""

from typing import Any

from trex.core.data_type import DataType
from trex.core.tensor import ShapeRange
from trex.core.tensor_format import TensorFormat
from trex.ingest.quirk import Quirk, QuirkStage
from trex.ingest.raw_engine import RawBinding, RawEngine, TypeReader
from trex.ingest.spelling.shapes import read_shape
from trex.ingest.spelling.tensor_formats import parse_split

KEY = "I/O Tensors"


def applies(raw: RawEngine) -> bool:
    return isinstance(raw.extra.get(KEY), list)


def apply(raw: RawEngine) -> None:
    raw.bindings = [
        RawBinding(
            name=record["Name"],
            is_input=_direction(record.get("IOMode")),
            profiles=_ranges(record.get("ProfileInfo")),
            record=record,
        )
        for record in raw.extra[KEY]
        if isinstance(record, dict) and isinstance(record.get("Name"), str)
    ]
    raw.type_readers.append(TypeReader(("IOMode", "Format/Datatype", "ProfileInfo", "DataType"), read))


def read(record: dict[str, Any]) -> tuple[DataType, TensorFormat] | None:
    """Type and format in the record of an I/O tensor, for tensors that no layer mentions; None for other records."""
    if "IOMode" not in record or "Format/Datatype" in record:
        return None
    profiles = record.get("ProfileInfo")
    first = profiles[0] if isinstance(profiles, list) and profiles else None
    return parse_split(record.get("DataType"), first.get("Format") if isinstance(first, dict) else None)


def _direction(mode: Any) -> bool | None:
    text = mode.lower() if isinstance(mode, str) else ""
    return True if "input" in text else False if "output" in text else None


def _ranges(profiles: Any) -> tuple[ShapeRange, ...]:
    return tuple(
        ShapeRange(*(read_shape(profile.get(key)) for key in ("MinShape", "OptShape", "MaxShape")))
        for profile in (profiles if isinstance(profiles, list) else ())
        if isinstance(profile, dict)
    )


QUIRK = Quirk(QuirkStage.SCHEMA, applies, apply)
