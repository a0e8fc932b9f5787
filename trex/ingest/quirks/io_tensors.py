"""TensorRT 11's ``I/O Tensors`` in place of ``Bindings``.

What it finds: a list of objects with ``Name``, ``IOMode``, ``DataType``, ``Dimensions`` and ``ProfileInfo``.
Why it matters: 11.0 replaced the list of binding names; the new one also tells directions and each profile's shapes.
What it does: reads names, directions, types and the min, opt and max shapes of every optimization profile.
"""

from typing import Any

from trex.core.data_type import DataType
from trex.core.tensor import ShapeRange
from trex.core.tensor_format import TensorFormat
from trex.ingest.quirk import Quirk, Stage
from trex.ingest.raw_engine import RawBinding, RawEngine
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

    raw.type_readers.append(read)


def read(record: dict[str, Any]) -> tuple[DataType, TensorFormat] | None:
    """Type and format of one border tensor's own record, for one that no layer mentions; None for other records."""
    if "IOMode" not in record or "Format/Datatype" in record:
        return None
    profiles = record.get("ProfileInfo")
    first = profiles[0] if isinstance(profiles, list) and profiles else None
    return parse_split(record.get("DataType"), first.get("Format") if isinstance(first, dict) else None)


def _direction(mode: Any) -> bool | None:
    text = mode.lower() if isinstance(mode, str) else ""
    return True if "input" in text else False if "output" in text else None


def _ranges(written: Any) -> tuple[ShapeRange, ...]:
    entries = written if isinstance(written, list) else ()
    return tuple(_range(entry) for entry in entries if isinstance(entry, dict))


def _range(entry: dict[str, Any]) -> ShapeRange:
    return ShapeRange(
        read_shape(entry.get("MinShape")), read_shape(entry.get("OptShape")), read_shape(entry.get("MaxShape"))
    )


QUIRK = Quirk(Stage.SCHEMA, applies, apply)
