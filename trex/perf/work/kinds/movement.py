"""Movement: shuffle, transpose, reshape, copy, cast, expand, fill: values change their position or type only.

Formula: no operations (a type conversion counts as none). Bytes: input and output once; a fill reads nothing.

Source: TensorRT operators reference, Shuffle, Identity, Cast, Fill.

Does not hold for: transposes that read or write only a part of each sector of memory, which move more.
"""

from __future__ import annotations

from trex.core.layer import Layer
from trex.perf.work.kind import WorkKind
from trex.perf.work.layer_work import layer_work
from trex.perf.work.work import Work


def work(layer: Layer) -> Work:
    return layer_work("movement", layer, 0, 0, "bytes of input and output")


_TYPES = {"shuffle", "transpose", "permute", "reshape", "identity", "cast", "copy", "move", "squeeze", "unsqueeze"}
_TYPES |= {"expand", "tile", "flatten", "fill", "onehot", "reversesequence", "split", "memcpy", "memset"}
KIND = WorkKind(frozenset(_TYPES), work)
