"""Plugins: which layers are some, what sort they are of, and which operators of TensorRT's own replace them."""

from __future__ import annotations

from collections.abc import Iterable

from trex.core.layer import Layer
from trex.rules.analyzed_engine import AnalyzedEngine

_NATIVE = {
    "instancenormalization": "InstanceNormalization: --nativeInstanceNorm (8.6 to 9), the default from 10 on",
    "instancenormalization_trt": "InstanceNormalization: --nativeInstanceNorm (8.6 to 9), the default from 10 on",
    "layernormalization": "LayerNormalization of opset 17 instead of the plugin (TensorRT 8.6 and later)",
    "layernorm": "LayerNormalization of opset 17 instead of the plugin (TensorRT 8.6 and later)",
    "groupnormalization": "GroupNormalization of opset 18 instead of the plugin (TensorRT 8.6 and later)",
    "gelu": "Gelu of opset 20, or its parts: both fuse without a plugin",
    "scatternd": "ScatterND is one of TensorRT's own operators",
}


def is_plugin(layer: Layer) -> bool:
    """By its type: ``PluginV2``, ``PluginV3`` …"""
    return "plugin" in layer.type.lower() or "plugin" in layer.subtype.lower()


def plugin_kind(engine: AnalyzedEngine, position: int) -> str:
    """What plugins of one sort have in common: their type if the file contains it, else the operator in their name."""
    record = engine.layers[position].raw
    kind = record.get("PluginType") or record.get("PluginName")
    if isinstance(kind, str) and kind:
        return kind
    words = sorted(engine.operations.words[position])
    return words[0] if words else engine.layers[position].type


def native_operators(kinds: Iterable[str]) -> tuple[str, ...]:
    """What to use instead of plugins of these sorts, as steps of a fix; () if TensorRT has no operator of its own."""
    known = (_NATIVE.get(kind.lower()) for kind in kinds)
    return tuple(dict.fromkeys(step for step in known if step is not None))
