"""The linters of TREx, led by the rules of ``trex.check``: a table of hazards per kind of layer.

Differs from NVIDIA's TREx: one row per finding, so that a layer with two hazards has two rows; the tensor-core test
reads the kernel's name by its grammar; nothing is missed because a type is spelled in another way. A layer may be named
by several findings. ``trex.check(plan)`` says the same with evidence, milliseconds, and for every kind of layer.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from trex.core.layer import Layer
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan
from trex.rules.lint import Choice, Priced, review
from trex.rules.rule import RULES
from trex.rules.type_flow import QUANTIZED

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ConvLinter", "QDQLinter", "ReformatLinter", "SliceLinter"]

# Rules by what they find, the file's name; codes say the family, names the pattern.
_TENSOR_CORES = ("idle-tensor-cores",)
_MIXED_PRECISION = ("mixed-precision-convolution", "quantized-layer-writes-float")
_ALIGNMENT = ("unaligned-channels",)
_COLUMNS = ("name", "tactic", "subtype", "hazard", "mitigation", "help")
_CONVERSIONS = ("origin", "type conversion", "shape conversion")
_CONVOLUTIONS = frozenset(("Convolution", "ConvActPool"))

Hazard = dict[str, Any]


class _Linter:
    """Findings of some rules at layers of some types, as rows."""

    def __init__(self, plan: EnginePlan) -> None:
        self.plan = plan

    @cached_property
    def _findings(self) -> tuple[Priced, ...]:
        """Everything that the rules of this linter find; without those that do not exist."""
        names = tuple(name for name in self._rules() if name in RULES)
        return review(Performance(self.plan), Choice(select=names)).findings if names else ()

    def _rules(self) -> Sequence[str]:
        raise NotImplementedError

    def _is_of_interest(self, layer: Layer) -> bool:
        raise NotImplementedError

    def _rows(self, rules: Iterable[str] = ()) -> list[tuple[Layer, Hazard]]:
        """(layer, row) for each finding and layer of interest, in execution order."""
        wanted = frozenset(rules)
        layers = {layer.index: layer for layer in self.plan.layers}
        found = [
            (layers[index], _hazard(layers[index], priced))
            for priced in self._findings
            if not wanted or priced.rule in wanted
            for index in priced.finding.layers
            if index in layers and self._is_of_interest(layers[index]) and not self._is_told(priced.rule, index)
        ]
        return sorted(found, key=lambda each: each[0].index)

    def _is_told(self, rule: str, index: int) -> bool:
        """Whether another rule tells the same of the layer."""
        return False

    def _indexes(self, rule: str) -> set[int]:
        """Indexes of the layers that a rule's findings name."""
        return {index for priced in self._findings if priced.rule == rule for index in priced.finding.layers}


class ConvLinter(_Linter):
    """Convolutions that leave the tensor cores idle, mix types, or have channels of unfavorable numbers."""

    def _rules(self) -> Sequence[str]:
        return (*_TENSOR_CORES, *_MIXED_PRECISION, *_ALIGNMENT)

    def _is_of_interest(self, layer: Layer) -> bool:
        return layer.type in _CONVOLUTIONS

    def _is_told(self, rule: str, index: int) -> bool:
        second = _MIXED_PRECISION[1]
        return rule == second and index in self._mixed

    @cached_property
    def _mixed(self) -> set[int]:
        return self._indexes(_MIXED_PRECISION[0])

    def tc_lint(self) -> OrderedDict[str, Hazard]:
        """Convolutions that do not use the tensor cores, by layer name."""
        return self._by_name(_TENSOR_CORES)

    def mixed_precision_lint(self) -> OrderedDict[str, Hazard]:
        """Quantized convolutions that write floats, by layer name."""
        return self._by_name(_MIXED_PRECISION)

    def alignment_lint(self) -> OrderedDict[str, Hazard]:
        """Convolutions whose channels are no multiple of what kernels take, by layer name."""
        return self._by_name(_ALIGNMENT)

    def lint(self) -> pd.DataFrame:
        """name, tactic, subtype, hazard, mitigation, help: one row per finding and layer, in execution order."""
        return _frame([row for _, row in self._rows()], _COLUMNS)

    def _by_name(self, rules: Iterable[str]) -> OrderedDict[str, Hazard]:
        """The rows by name: of several findings at a layer, all in one."""
        found: OrderedDict[str, Hazard] = OrderedDict()
        for layer, row in self._rows(rules):
            held = found.get(layer.name)
            if held is None:
                found[layer.name] = row
            else:
                for key in ("hazard", "mitigation", "help"):
                    held[key] = "\n".join(dict.fromkeys(part for part in (held[key], row[key]) if part))
        return found


class _Conversions(_Linter):
    """What rules find at layers that convert, with what is converted; layers that only convert need no rule."""

    def lint(self) -> pd.DataFrame:
        """The columns of ConvLinter with origin, type conversion and shape conversion; one row per finding."""
        rows = self._rows()
        told = {layer.index for layer, _ in rows}
        for layer in self.plan.layers:
            if layer.index not in told and self._is_of_interest(layer) and _types(layer)[0] != _types(layer)[1]:
                rows.append((layer, _conversion_hazard(layer)))
        rows.sort(key=lambda each: each[0].index)
        return _frame([{**row, **_conversion(layer)} for layer, row in rows], (*_COLUMNS, *_CONVERSIONS))

    def _rules(self) -> Sequence[str]:
        """All of the families that look at conversions: QDQ, REF and MOVE."""
        return [name for name, plug in RULES.items() if plug.value.code.startswith(("QDQ", "REF", "MOVE"))]


class ReformatLinter(_Conversions):
    """Reformats that convert types or that rules name: why they are there and what to do about it."""

    def _is_of_interest(self, layer: Layer) -> bool:
        return layer.type == "Reformat"


class SliceLinter(_Conversions):
    """Slices that convert types or that rules name."""

    def _is_of_interest(self, layer: Layer) -> bool:
        return layer.type == "Slice"


class QDQLinter(_Linter):
    """Quantize and dequantize operations that became layers of their own."""

    def _rules(self) -> Sequence[str]:
        return [name for name, plug in RULES.items() if plug.value.code.startswith("QDQ")]

    def _is_of_interest(self, layer: Layer) -> bool:
        return _is_quantization(layer)

    def lint(self) -> pd.DataFrame:
        """name, tactic, subtype, hazard, mitigation, help: one row per layer that only quantizes or dequantizes."""
        rows = self._rows()
        told = {layer.index for layer, _ in rows}
        rows += [
            (layer, _row(layer, "Unfused quantize or dequantize.", _PLACE_QDQ, _QDQ_HELP))
            for layer in self.plan.layers
            if layer.index not in told and _is_quantization(layer)
        ]
        rows.sort(key=lambda each: each[0].index)
        return _frame([row for _, row in rows], _COLUMNS)


_PLACE_QDQ = "Place the Q/DQ pair where the layer before or after it can take it in, or remove it."
_QDQ_HELP = "TensorRT Developer Guide: Working with Quantized Types, Q/DQ Placement Recommendations"
_QDQ_TYPES = frozenset(("Scale", "Quantize", "Dequantize", "Reformat", "kgen"))
_QDQ_OPERATORS = ("QuantizeLinear", "DequantizeLinear")


def _is_quantization(layer: Layer) -> bool:
    """A layer all of whose operations quantize or dequantize, by its type, its operations' names or, of a Scale whose
    names tell nothing, by the types that it reads and writes."""
    if layer.type in ("Quantize", "Dequantize") or (layer.type == "Scale" and _is_between_float_and_quantized(layer)):
        return True
    operations = layer.origins or (layer.name,)
    return layer.type in _QDQ_TYPES and all(
        any(operator in operation for operator in _QDQ_OPERATORS) for operation in operations
    )


def _is_between_float_and_quantized(layer: Layer) -> bool:
    if not layer.inputs or not layer.outputs:
        return False
    read, written = layer.inputs[0].data_type, layer.outputs[0].data_type
    return read.is_known and written.is_known and (read in QUANTIZED) != (written in QUANTIZED)


def _hazard(layer: Layer, priced: Priced) -> Hazard:
    finding = priced.finding
    return _row(layer, finding.message, "; ".join(finding.advice), "; ".join(finding.documentation))


def _conversion_hazard(layer: Layer) -> Hazard:
    """What the linter of TREx says of any conversion of types."""
    read, written = _types(layer)
    mitigation = ""
    if "INT8" in (read, written) or "FP8" in (read, written):
        mitigation = "Consider adding quantization around the float operations, so that no conversion is needed."
    help_text = "Conversions between types cost a pass over memory and add nothing."
    return _row(layer, f"{layer.type} layer that converts types: {read} -> {written}.", mitigation, help_text)


def _row(layer: Layer, hazard: str, mitigation: str, help_text: str) -> Hazard:
    return {
        "name": layer.name,
        "tactic": layer.tactic,
        "subtype": layer.subtype,
        "hazard": hazard,
        "mitigation": mitigation,
        "help": help_text,
    }


def _conversion(layer: Layer) -> Hazard:
    """origin: why TensorRT put the layer in, "" where the engine does not say it."""
    types, shapes = _types(layer), _shapes(layer)
    origin = layer.raw.get("Origin", "")
    return {
        "origin": origin if isinstance(origin, str) else "",
        "type conversion": f"{types[0]} -> {types[1]}" if types[0] != types[1] else "",
        "shape conversion": f"{list(shapes[0])} -> {list(shapes[1])}" if shapes[0] != shapes[1] else "",
    }


def _types(layer: Layer) -> tuple[str, str]:
    """Types read and written first; the same word twice where one is unknown, as no conversion is known of."""
    if not layer.inputs or not layer.outputs:
        return "", ""
    read, written = layer.inputs[0].data_type, layer.outputs[0].data_type
    return (read.label, written.label) if read.is_known and written.is_known else ("", "")


def _shapes(layer: Layer) -> tuple[Sequence[Any], Sequence[Any]]:
    if not layer.inputs or not layer.outputs:
        return (), ()
    read, written = layer.inputs[0].shape, layer.outputs[0].shape
    return ((), ()) if read is None or written is None else (read, written)


def _frame(rows: list[Hazard], columns: Sequence[str]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(rows, columns=list(columns), dtype=object)
