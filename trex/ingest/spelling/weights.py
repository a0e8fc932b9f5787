"""Layer record → Weights: the stored parameters of a layer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from trex.core.data_type import DataType
from trex.core.layer import Weights
from trex.core.shape import volume
from trex.core.tensor import Tensor
from trex.ingest.spelling.data_types import data_type_of
from trex.ingest.spelling.shapes import MAX_RANK, read_dim, read_shape
from trex.ingest.spelling.tensor_formats import parse_split

UNKNOWN_WEIGHTS = Weights("weights", DataType.UNKNOWN, None, None)
"""Parameters that a layer may have, but that the file does not list."""

# Kernels without parameters.
_WITHOUT_WEIGHTS = ("Reformat", "Pooling", "Shuffle", "Slice", "Padding")
# Keys of a layer without attributes, as most Myelin layers are: such records need no search.
_OTHER_WORDS = "Name LayerType ParameterType TacticName TacticValue StreamId Metadata Inputs Outputs"
_OTHER_KEYS = frozenset(_OTHER_WORDS.split())
_GEMM_TYPES = frozenset({"gemm", "conv"})
_CONVOLUTIONS = ("Convolution", "Deconvolution")
_REGION = "Myelin"
CONSTANTS = "Constants"
# Names that Myelin and TensorRT's parser give to constants. Models have no tensors with such names.
_STORED_NAME = re.compile(r"__mye[0-9]|.*_(?:dconst|constant[A-Z][A-Za-z0-9]*)$", re.DOTALL)


def weight_keys(records: Iterable[dict[str, Any]]) -> tuple[str, ...]:
    """The keys of stored parameters in the records, in file order."""
    keys: dict[str, None] = {}
    known = set(_OTHER_KEYS)
    for record in records:
        if not known.issuperset(record):
            for key, value in record.items():
                if (type(value) is dict and "Count" in value) or (key == CONSTANTS and type(value) is list):
                    keys.setdefault(key)
                    known.add(key)
    return tuple(keys)


def read_weights(record: dict[str, Any], keys: tuple[str, ...]) -> tuple[Weights, ...]:
    """Weights, bias and constants of one layer; the size is None if the type or count is unknown."""
    weights = []
    # The shorter of both: in a damaged file every layer may have its own keys.
    for key in keys if len(keys) <= len(record) else tuple(record):
        value = record.get(key)
        if type(value) is dict and "Count" in value:
            count = read_dim(value["Count"])
            if count == 0:
                if not _is_stripped(key, record):
                    continue
                count = None
            written = value.get("Type")
            data_type = data_type_of(written if type(written) is str else None)
            weights.append(Weights(_kind(key), data_type, count, data_type.size_bytes(count)))
        elif key == CONSTANTS and type(value) is list:
            weights.extend(_constants(value))
    return tuple(weights)


def _is_stripped(key: str, record: dict[str, Any]) -> bool:
    """Whether a kernel must have weights, because no input brings them: then 0 is no number of weights."""
    inputs = record.get("Inputs")
    return key == "Weights" and "Kernel" in record and type(inputs) is list and len(inputs) == 1


def _constants(records: list[Any]) -> Iterator[Weights]:
    """The ``Constants`` of TensorRT 11, tensors without a producer; scalars such as a GEMM's alpha are no weights."""
    for record in records:
        if type(record) is dict:
            dims, written, layout = record.get("Dimensions"), record.get("Datatype"), record.get("Format")
            try:
                known = _stored(written, layout, *dims) if type(dims) is list and len(dims) <= MAX_RANK else None
            except TypeError:  # a list among the dimensions cannot be a key
                known = None
            count, data_type, size = known or _stored_as(written, layout, dims)
            if count != 1:
                name = record.get("Name")
                yield Weights("weights", data_type, count, size, name if type(name) is str else "")


@lru_cache(maxsize=4096, typed=True)
def _stored(written: Any, layout: Any, *dims: Any) -> tuple[int | None, DataType, int | None]:
    return _stored_as(written, layout, list(dims))


def _stored_as(written: Any, layout: Any, dims: Any) -> tuple[int | None, DataType, int | None]:
    """(number of values, their type, bytes) of a constant."""
    count = volume(read_shape(dims))
    data_type = parse_split(written, layout)[0]
    return count, data_type, data_type.size_bytes(count)


def is_unread(weights: Weights) -> bool:
    """Whether the file lists these weights with an invalid count or an unknown type."""
    is_listed = weights is not UNKNOWN_WEIGHTS and weights.kind != "input"
    return is_listed and (weights.count is None or not weights.data_type.is_known)


def hides_weights(subtype: str, record: dict[str, Any], verbosity: str, inputs: Sequence[Tensor]) -> bool:
    """Whether a kernel may have weights although its record lists none.

    True for layers with nothing but a name, rows of a build log, Myelin regions given as one layer, convolutions whose
    filter is not computed, and Myelin's GEMMs and convolutions with a single operand, whose other operand is stored,
    unless the record lists ``Constants``.
    inputs: the tensors that the layer reads.
    """
    if "LayerType" not in record and "Inputs" not in record:
        return True
    if verbosity == "log":
        return not any(word in subtype for word in _WITHOUT_WEIGHTS)
    if subtype == _REGION or (record.get("ParameterType") in _CONVOLUTIONS and not record.get("HasDynamicFilter")):
        return True
    return subtype in _GEMM_TYPES and CONSTANTS not in record and len({tensor.name for tensor in inputs}) < 2


def is_constant_name(name: str) -> bool:
    """Whether a tensor's name says that it is a constant: ``__mye583_dconst``, ``…_constantHalf``."""
    return _STORED_NAME.match(name) is not None


def is_cache_handle(name: str) -> bool:
    """Whether it is a handle of the L2 cache policy (``l2_cache_policy_inputs_…``), which is no data."""
    return name.startswith("l2_cache")


def _kind(key: str) -> str:
    return "bias" if "bias" in key.lower() else "weights"
