"""Plugins that make what is around them slower.

What it finds: plugin layers with reformats before or after them, and whether they take and give nothing but linear
(row-major) tensors.
Why it matters: TensorRT fuses nothing into a plugin and can choose no format that it does not support. A plugin that
knows only FP32 and linear turns the data of its fast neighbors round, twice.
What to try: ``supportsFormatCombination`` for the formats of the neighbors (FP16 with channels last, INT8 in
NC/32HW32); the ONNX operator in place of the plugin where TensorRT has one by now (InstanceNormalization,
LayerNormalization, GroupNormalization, GELU, ScatterND, NMS, attention), which is fused besides.
Does not apply: to plugins without reformats beside them whose own time is small. What fusion is lost is not in the
price.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from trex.rules.finding import CannotTell, Evidence, Finding, Severity
from trex.rules.flow import COPIES
from trex.rules.inspected import Inspected
from trex.rules.rule import Limit, Rule
from trex.rules.wording import listed, main_operation, priced, share

_FORMULA = "sum of the times of the reformats beside the plugins"
_DOCUMENTATION = (
    "TensorRT Developer Guide: Extending TensorRT with Custom Layers",
    "TensorRT Developer Guide: Optimizing for Plugins",
    "NVIDIA/TensorRT issues 1489, 3573 and 4029",
)
_NATIVE = {
    "instancenormalization": "InstanceNormalization: --nativeInstanceNorm (8.6 to 9), the default from 10 on",
    "instancenormalization_trt": "InstanceNormalization: --nativeInstanceNorm (8.6 to 9), the default from 10 on",
    "layernormalization": "LayerNormalization of opset 17 in place of the plugin (TensorRT 8.6 and later)",
    "layernorm": "LayerNormalization of opset 17 in place of the plugin (TensorRT 8.6 and later)",
    "groupnormalization": "GroupNormalization of opset 18 in place of the plugin (TensorRT 8.6 and later)",
    "gelu": "Gelu of opset 20, or its parts: both are fused without a plugin",
    "scatternd": "ScatterND is an operator of TensorRT's own",
}


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterable[Finding | CannotTell]:
    groups: dict[str, list[int]] = {}
    for place, layer in enumerate(seen.layers):
        if layer.type.startswith("Plugin") or layer.subtype.startswith("Plugin"):
            groups.setdefault(_kind(seen, place), []).append(place)
    unread: list[int] = []
    for kind, places in groups.items():
        if not any(seen.layers[place].lists_tensors and seen.layers[place].inputs for place in places):
            unread += places
            continue
        beside = _reformats(seen, places)
        own = sum(seen.stake(places).values())
        if beside or (seen.is_timed and 100 * own >= limits["share"] * seen.total_ms):
            yield _finding(seen, kind, places, beside, own)
    if unread:
        yield CannotTell(
            f"{len(unread):,} plugins tell neither inputs nor outputs: what stands beside them is not known",
            "build with --profilingVerbosity=detailed",
            tuple(seen.layers[place].index for place in unread),
        )


def _kind(seen: Inspected, place: int) -> str:
    """What plugins of one sort have in common: their type where it is told, else the operator in their name."""
    record = seen.layers[place].raw
    told = record.get("PluginType") or record.get("PluginName")
    if isinstance(told, str) and told:
        return told
    words = sorted(seen.operations.words[place])
    return words[0] if words else seen.layers[place].type


def _reformats(seen: Inspected, places: Iterable[int]) -> list[int]:
    found = {
        each
        for place in places
        for each in (*seen.before(place), *seen.after(place))
        if seen.layers[each].type in COPIES
    }
    return sorted(found)


def _is_linear(seen: Inspected, place: int) -> bool:
    tensors = (*seen.layers[place].inputs, *seen.layers[place].outputs)
    return bool(tensors) and all(tensor.format.layout == "linear" for tensor in tensors)


def _finding(seen: Inspected, kind: str, places: list[int], beside: list[int], own: float) -> Finding:
    at_stake = seen.stake(beside)
    linear = all(_is_linear(seen, place) for place in places)
    types = list(
        dict.fromkeys(tensor.precision for place in places for tensor in seen.layers[place].inputs if tensor.name)
    )
    words = f"{len(places):,} plugin layers ({kind})" if len(places) > 1 else f"the plugin {kind}"
    message = words + (f" of {priced(own, seen.total_ms)}" if own else "")
    if beside:
        cost = f" of {priced(sum(at_stake.values()), seen.total_ms)}" if at_stake else ""
        message += f" {'have' if len(places) > 1 else 'has'} {len(beside):,} reformats beside{cost}"
    else:
        message += " stand apart from all fusion" if len(places) > 1 else " stands apart from all fusion"
    if linear:
        message += f"; only linear tensors ({listed(types)}) are taken and given"
    advice = [_NATIVE[kind.lower()]] if kind.lower() in _NATIVE else []
    if linear:
        advice.append("support kHWC8 (FP16) or kCHW32 (INT8) in supportsFormatCombination, as the neighbors use")
    advice.append("replace the plugin by ONNX operators that TensorRT fuses, and compare")
    return Finding(
        f"{message}: {listed(main_operation(seen.layers[place]) for place in places[:3])}",
        tuple(seen.layers[place].index for place in (*places, *beside)),
        at_stake,
        _FORMULA if at_stake else "",
        (
            Evidence("plugin layers", len(places)),
            Evidence("reformats beside them", len(beside)),
            Evidence("time of the plugins", own or None, "ms"),
            Evidence("their share", share(own, seen.total_ms) or None),
            Evidence("only linear formats", linear),
        ),
        tuple(advice),
        _DOCUMENTATION,
        "the new engine has no reformat beside the plugin, or no plugin, and its whole time is lower",
        0.7 if linear and beside else 0.5,
        None if beside else Severity.NOTE,
        about=tuple(seen.layers[place].index for place in places),
    )


RULE = Rule(
    "PLUG001",
    "plugin that slows its neighbors",
    Severity.WARNING,
    check,
    {"share": Limit(5.0, "%", "share of the time from which a plugin without reformats is told, too")},
)
