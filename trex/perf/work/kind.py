"""WorkKind: a kind of layers and the formula of their work; the registry of the modules with all kinds."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from trex.core.layer import Layer, Role
from trex.core.registry import Registry
from trex.perf.work.work import Work

KERNELS = frozenset({Role.KERNEL})


@dataclass(frozen=True, slots=True)
class WorkKind:
    """One kind of layers. Its module's docstring has the formula, the source and the limits.

    types: names of the layers' type or subtype as spelled by ``type_key``; empty for any. work: a layer's work. takes:
    further condition on a layer, None for none. roles: what the layers are to the execution. order: if two kinds take a
    layer, the one with the smaller number gets it.
    """

    types: frozenset[str]
    work: Callable[[Layer], Work]
    takes: Callable[[Layer], bool] | None = None
    roles: frozenset[Role] = KERNELS
    order: int = 50


KINDS = Registry("trex.perf.work.kinds", "KINDS", kind=WorkKind, is_tuple=True)


_LIBRARY = re.compile(r"cask(?:gemm)?|cuda(?:depthwise)?|cudnn|cublas|tiled|fusedconvact")
_VERSION = re.compile(r"(?:v\d+)?(?:dynamicext|ext|ioext)?$")


def type_key(name: str) -> str:
    """A type's name in lower case, without its library and version: ``CudaSoftMax``, ``SoftMaxV2`` → softmax.

    >>> type_key("CaskDeconvolutionV2"), type_key("batch_gemm"), type_key("PluginV2DynamicExt")
    ('deconvolution', 'batchgemm', 'plugin')
    """
    word = name.replace("_", "").replace(" ", "").lower()
    library = _LIBRARY.match(word)
    bare = word[library.end() :] if library else word
    return _VERSION.sub("", bare, count=1) or word
