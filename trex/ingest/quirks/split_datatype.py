"""Type and format of a tensor in two keys instead of ``Format/Datatype``.

What it finds: tensor records with ``Datatype`` or ``DataType``, and ``Format``.
Why it matters: TensorRT 11 splits the key, and files with either spelling exist.
What it does: reads the type and the layout from the two keys.
"""

from typing import Any

from trex.core.data_type import DataType
from trex.core.tensor_format import TensorFormat
from trex.ingest.quirk import Quirk, QuirkStage
from trex.ingest.raw_engine import RawEngine, TypeReader
from trex.ingest.spelling.tensor_formats import parse_split

_TYPE_KEYS = ("Datatype", "DataType")


def applies(raw: RawEngine) -> bool:
    return not raw.tensor_keys.isdisjoint((*_TYPE_KEYS, "Format"))


def apply(raw: RawEngine) -> None:
    raw.type_readers.append(TypeReader((*_TYPE_KEYS, "Format", "Format/Datatype", "IOMode"), read))


def read(record: dict[str, Any]) -> tuple[DataType, TensorFormat] | None:
    """Type and format of one tensor record; None for records with other keys."""
    if "Format/Datatype" in record or "IOMode" in record:  # an I/O tensor has a format per profile
        return None
    written = next((record[key] for key in _TYPE_KEYS if isinstance(record.get(key), str)), None)
    layout = record.get("Format")
    layout = layout if isinstance(layout, str) else None
    if written is None and layout is None:
        return None
    return parse_split(written or "", layout or "")


QUIRK = Quirk(QuirkStage.SCHEMA, applies, apply)
