"""TREx's linters over the rules: a table of hazards by layer name.

``hazard``, ``mitigation`` and ``help`` are in the words of TREx, by which scripts select rows; ``rule``, ``finding``,
``fix`` and ``sources`` are what ``trex lint`` says.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from trex.classic.spelling import classic_type
from trex.core.configuration import LintSettings
from trex.core.layer import Layer
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan
from trex.plan.kernels import is_chosen_late, kernel_of
from trex.plan.listed_operands import product_type
from trex.rules.lint import lint
from trex.rules.lint_result import RankedFinding
from trex.rules.rule import RULES
from trex.rules.type_flow import QUANTIZED

if TYPE_CHECKING:
    import pandas as pd

# Rules by their names, which say the pattern.
_TENSOR_CORES = ("idle-tensor-cores",)
_MIXED_PRECISION = ("quantized-layer-writes-float",)
_ALIGNMENT = ("unaligned-channels",)
_COLUMNS = ("name", "tactic", "subtype", "hazard", "mitigation", "help")
_CONVERSIONS = ("origin", "type conversion", "shape conversion")
_OWN_COLUMNS = ("rule", "finding", "fix", "sources")
_CONVOLUTIONS = frozenset(("Convolution", "ConvActPool", "correlation"))
_ALIGNED_BYTES = 16
_QUANTIZED = frozenset(data_type.label for data_type in QUANTIZED)

Hazard = dict[str, Any]
Words = tuple[str, str, str]
"""Hazard, mitigation and help."""

_NOT_ACCELERATED: Words = (
    "Convolution is not accelerated.",
    "Consider a data type and channels that tensor cores support.",
    "Its kernel does not use tensor cores.",
)
_NOT_ALIGNED: Words = (
    "Convolution channels are not optimally aligned.",
    "Consider changing the alignment of the convolution's channels.",
    "Tensor cores compute on padded channels.",
)
_FLOAT_OUTPUTS: Words = (
    "Quantized Convolution has float outputs.",
    "Consider adding quantization after the convolution.",
    "A float output has two to four times the bytes, and a quantized layer after it needs a conversion.",
)
_OTHER_OUTPUTS: Words = (
    "Convolution has outputs of another data type.",
    "Consider one data type for the convolution and the layers around it.",
    "Conversions between types cost a pass over memory and add nothing.",
)
_UNFUSED: Words = (
    "Unfused quantize or dequantize.",
    "Place the Q/DQ pair where the layer before or after it can fuse it, or remove it.",
    "TensorRT Developer Guide: Working with Quantized Types, Q/DQ Placement Recommendations",
)


class _Linter(ABC):
    """Findings of some rules at layers of some types, as rows."""

    def __init__(self, plan: EnginePlan) -> None:
        self.plan = plan

    @cached_property
    def _findings(self) -> tuple[RankedFinding, ...]:
        names = tuple(name for name in self._rules() if name in RULES)
        return lint(Performance(self.plan), LintSettings(select=names)).findings if names else ()

    @abstractmethod
    def _rules(self) -> Sequence[str]: ...

    @abstractmethod
    def _is_of_interest(self, layer: Layer) -> bool: ...

    @abstractmethod
    def _words(self, layer: Layer, finding: RankedFinding) -> Words: ...

    def _rows(self, rules: Iterable[str] = ()) -> list[tuple[Layer, Hazard]]:
        """(layer, row) for each finding and layer of interest, in execution order."""
        wanted = frozenset(rules)
        layers = {layer.index: layer for layer in self.plan.working_layers}
        rows = [
            (layers[index], _row(layers[index], self._words(layers[index], finding), finding))
            for finding in self._findings
            if not wanted or finding.rule in wanted
            for index in finding.layers
            if self._is_of_interest(layers[index])
        ]
        return sorted(rows, key=lambda row: row[0].index)

    def _with_plain_rows(
        self, is_plain: Callable[[Layer], bool], words: Callable[[Layer], Words], rules: Iterable[str] = ()
    ) -> list[tuple[Layer, Hazard]]:
        """The rows, and for layers without a finding that ``is_plain`` accepts a row of their own."""
        rows = self._rows(rules)
        reported = {layer.index for layer, _ in rows}
        rows += [
            (layer, _row(layer, words(layer)))
            for layer in self.plan.working_layers
            if layer.index not in reported and is_plain(layer)
        ]
        return sorted(rows, key=lambda item: item[0].index)


class ConvLinter(_Linter):
    """Convolutions that leave the tensor cores idle, mix types, or have unaligned channels.

    As TREx's, it lists all of them, also where nothing can be gained (depthwise convolutions, the channels of an image)
    and no rule of ``trex lint`` finds anything.
    """

    def _rules(self) -> Sequence[str]:
        return (*_TENSOR_CORES, *_MIXED_PRECISION, *_ALIGNMENT)

    def _is_of_interest(self, layer: Layer) -> bool:
        return product_type(layer) in _CONVOLUTIONS

    def _words(self, layer: Layer, finding: RankedFinding) -> Words:
        if finding.rule in _MIXED_PRECISION:
            return _output_words(layer)
        return _NOT_ACCELERATED if finding.rule in _TENSOR_CORES else _NOT_ALIGNED

    def tc_lint(self) -> OrderedDict[str, Hazard]:
        """Convolutions that do not use the tensor cores, by layer name."""
        return self._by_name(self._idle())

    def mixed_precision_lint(self) -> OrderedDict[str, Hazard]:
        """Convolutions whose input and output differ in type, by layer name."""
        return self._by_name(self._mixed())

    def alignment_lint(self) -> OrderedDict[str, Hazard]:
        """Convolutions with unaligned channels, by layer name."""
        return self._by_name(self._unaligned())

    def lint(self) -> pd.DataFrame:
        """name, tactic, subtype, hazard, mitigation, help, rule, finding, fix, sources: one row per finding and layer.

        Rows are in execution order; of one layer, mixed precision comes before alignment, tensor cores last.
        """
        rows = [*self._mixed(), *self._unaligned(), *self._idle()]
        return _frame([row for _, row in sorted(rows, key=lambda item: item[0].index)], (*_COLUMNS, *_OWN_COLUMNS))

    def _idle(self) -> list[tuple[Layer, Hazard]]:
        return self._with_plain_rows(
            lambda layer: (
                self._is_of_interest(layer) and not kernel_of(layer).tensor_core and not is_chosen_late(layer)
            ),
            lambda layer: _NOT_ACCELERATED,
            _TENSOR_CORES,
        )

    def _unaligned(self) -> list[tuple[Layer, Hazard]]:
        return self._with_plain_rows(
            lambda layer: self._is_of_interest(layer) and _is_unaligned(layer),
            lambda layer: _NOT_ALIGNED,
            _ALIGNMENT,
        )

    def _mixed(self) -> list[tuple[Layer, Hazard]]:
        return self._with_plain_rows(
            lambda layer: self._is_of_interest(layer) and len(set(_types(layer))) > 1, _output_words, _MIXED_PRECISION
        )

    def _by_name(self, hazards: Iterable[tuple[Layer, Hazard]]) -> OrderedDict[str, Hazard]:
        """The rows by name; several findings at a layer are joined into one."""
        rows: OrderedDict[str, Hazard] = OrderedDict()
        for layer, row in hazards:
            joined = rows.setdefault(layer.name, row)
            for key in ("hazard", "mitigation", "help", *_OWN_COLUMNS) if joined is not row else ():
                joined[key] = "\n".join(dict.fromkeys(part for part in (joined[key], row[key]) if part))
        return rows


class _Conversions(_Linter):
    """Findings at layers that convert, with what is converted; conversions without a finding have a row, too."""

    def lint(self) -> pd.DataFrame:
        """The columns of ConvLinter, and origin, type conversion and shape conversion; one row per finding and layer.

        type conversion: "" if the types are the same.
        """
        rows = self._with_plain_rows(self._converts, _conversion_words)
        columns = (*_COLUMNS, *_CONVERSIONS, *_OWN_COLUMNS)
        return _frame([{**row, **_conversion(layer)} for layer, row in rows], columns)

    def _words(self, layer: Layer, finding: RankedFinding) -> Words:
        return _conversion_words(layer)

    def _converts(self, layer: Layer) -> bool:
        read, written = _types(layer)
        return self._is_of_interest(layer) and read != written

    def _rules(self) -> Sequence[str]:
        """All rules on conversions: QDQ, REF and MOVE."""
        return [name for name, plug in RULES.items() if plug.value.code.startswith(("QDQ", "REF", "MOVE"))]


class ReformatLinter(_Conversions):
    """Reformats that convert types or that rules name: why they exist and how to remove them."""

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

    def _words(self, layer: Layer, finding: RankedFinding) -> Words:
        return _UNFUSED

    def lint(self) -> pd.DataFrame:
        """The columns of ConvLinter: a row for each layer that only quantizes or dequantizes, and each finding."""
        rows = self._with_plain_rows(_is_quantization, lambda layer: _UNFUSED)
        return _frame([row for _, row in rows], (*_COLUMNS, *_OWN_COLUMNS))


_QDQ_TYPES = frozenset(("Scale", "Quantize", "Dequantize", "Reformat", "kgen"))
_QDQ_OPERATORS = ("QuantizeLinear", "DequantizeLinear")


def _is_unaligned(layer: Layer) -> bool:
    """Input or output channels that are no multiple of 16 bytes of the input's type."""
    if not layer.inputs or not layer.outputs or not layer.inputs[0].data_type.bits:
        return False
    multiple = max(1, 8 * _ALIGNED_BYTES // layer.inputs[0].data_type.bits)
    shapes = (layer.inputs[0].shape, layer.outputs[0].shape)
    return any(shape is not None and len(shape) > 1 and (shape[1] or 0) % multiple > 0 for shape in shapes)


def _is_quantization(layer: Layer) -> bool:
    """A layer that only quantizes or dequantizes, by its type, its operations' names or, for a Scale without
    informative names, by the types that it reads and writes.
    """
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


def _output_words(layer: Layer) -> Words:
    read, written = _types(layer)
    return _FLOAT_OUTPUTS if read in _QUANTIZED and written not in _QUANTIZED else _OTHER_OUTPUTS


def _conversion_words(layer: Layer) -> Words:
    read, written = _types(layer)
    if read == written:
        return (
            f"{layer.type} layer is moving data.",
            "Consider layers that share one format.",
            "A copy costs a pass over memory and computes nothing.",
        )
    is_quantized = read in _QUANTIZED or written in _QUANTIZED
    return (
        f"{layer.type} layer is converting operand data type.",
        "Consider adding quantization around float operations." if is_quantized else "",
        "Conversions between types cost a pass over memory and add nothing.",
    )


def _row(layer: Layer, words: Words, finding: RankedFinding | None = None) -> Hazard:
    own = ("", "", "", "")
    if finding is not None:
        own = (finding.rule, finding.message, "; ".join(finding.fix), "; ".join(finding.documentation))
    return dict(zip((*_COLUMNS, *_OWN_COLUMNS), (layer.name, layer.tactic, layer.subtype, *words, *own), strict=True))


def _conversion(layer: Layer) -> Hazard:
    """origin: why TensorRT inserted the layer; "" for what the engine does not contain."""
    types, shapes = _types(layer), _shapes(layer)
    origin = layer.raw.get("Origin", "")
    return {
        "origin": origin if isinstance(origin, str) else "",
        "type conversion": " -> ".join(map(classic_type, types)) if types[0] != types[1] else "",
        "shape conversion": " -> ".join(str(list(shape)) for shape in shapes) if any(shapes) else "",
    }


def _types(layer: Layer) -> tuple[str, str]:
    """Types of the first input and output; twice "" if one is unknown, so that no conversion is known."""
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

    index = pd.Index(_unique([row["name"] for row in rows]), dtype=object)
    result: pd.DataFrame = pd.DataFrame(rows, index=index, columns=list(columns), dtype=object)
    return result


def _unique(names: Sequence[str]) -> list[str]:
    """The names; of a repeated one, the second is ``name (2)``."""
    taken, counts = set(names), Counter[str]()
    unique = []
    for name in names:
        counts[name] += 1
        label = name if counts[name] == 1 else f"{name} ({counts[name]})"
        while counts[name] > 1 and label in taken:
            counts[name] += 1
            label = f"{name} ({counts[name]})"
        taken.add(label)
        unique.append(label)
    return unique
