"""Movement: shuffle, transpose, reshape, copy, cast, expand, fill: values change their place or type only.

Formula: no operations (a change of type is none). Bytes: input and output once; nothing is read to fill a tensor with
one value.

Source: TensorRT operators reference, Shuffle, Identity, Cast, Fill.

Does not hold for: transposes whose reads or writes use a part of each sector of memory, which move more.
"""

from __future__ import annotations

from trex.core.layer import Layer
from trex.perf.work.kind import WorkKind
from trex.perf.work.made import made
from trex.perf.work.work import Work


def work(layer: Layer) -> Work:
    return made("movement", layer, 0, 0, "bytes of input and output")


_TYPES = {"shuffle", "transpose", "permute", "reshape", "identity", "cast", "copy", "move", "squeeze", "unsqueeze"}
_TYPES |= {"expand", "tile", "flatten", "fill", "onehot", "reversesequence", "split", "memcpy", "memset"}
KIND = WorkKind(frozenset(_TYPES), work)
