"""Lint: what slows an engine down, what fixing it saves, and how to fix it; and the linters of TREx.

``lint_engine(plan)`` runs the rules of ``trex lint``; NVIDIA's TREx has no such function. The linters differ from
TREx's in this: they run the same rules and have one row per finding, so a layer with two hazards has two rows and
several findings may name one layer; the tensor-core test reads the kernel's name by its grammar; types count whatever
their spelling.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

from trex import _reexported
from trex.core.configuration import LintSettings, Suppression
from trex.core.layer import Layer as _Layer
from trex.engine_plan import EnginePlan
from trex.export.document_view import DocumentView
from trex.ingest.config_toml import read_configuration
from trex.perf.device import Device
from trex.perf.performance import Performance
from trex.perf.recognize import find_device
from trex.plan.kernels import is_chosen_late, kernel_of
from trex.plan.listed_operands import product_type
from trex.rules.finding import Evidence, Finding, Severity, Unchecked
from trex.rules.lint import lint as _lint
from trex.rules.lint_result import LintResult, RankedFinding
from trex.rules.rule import RULES
from trex.rules.type_flow import QUANTIZED
from trex.views.document import Document
from trex.views.lint import lint_document

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "ConvLinter",
    "EngineLintResult",
    "Evidence",
    "Finding",
    "QDQLinter",
    "RankedFinding",
    "ReformatLinter",
    "Severity",
    "SliceLinter",
    "Suppression",
    "Unchecked",
    "lint_engine",
]


class EngineLintResult(DocumentView, LintResult):
    """What the rules found: ``.findings`` by savings, ``.unchecked``, ``.failed``, ``.suppressed``, ``.notes``."""

    @cached_property
    def df(self) -> pd.DataFrame:
        """One row per finding, by likely savings: code, severity, likely_savings_ms, savings_ms, message, layers, fix …

        Milliseconds and percent are NaN if unknown; layers, evidence and fix are lists.
        """
        from trex.views.findings_frame import findings_frame

        return findings_frame(self.findings)

    @property
    def document(self) -> Document:
        """What ``trex lint`` shows."""
        return lint_document(self)

    __repr__ = DocumentView.__str__


def lint_engine(
    plan: EnginePlan,
    device: Device | str | None = None,
    baseline: EnginePlan | None = None,
    *,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    limits: Mapping[str, Mapping[str, float]] | None = None,
    suppressions: Sequence[Suppression] = (),
    config: str | os.PathLike[str] | None = None,
) -> EngineLintResult:
    """Runs the rules over a plan: findings by likely savings, each with evidence and a fix.

    device: a Device, the name of a known one, or a file of ``trex devices``; by default the one that the engine's files
    describe. baseline: another plan of the same model; findings that it has too are in ``.suppressed``. select, ignore:
    codes, names or globs of rules. limits: ``{"CONV003": {"padding": 10}}``. config: a ``trex.toml`` or
    ``pyproject.toml``; none is searched for. Times are in milliseconds. A rule that fails is in ``.failed``. Raises
    TrexError for an unknown device, rule or limit, and for a config that cannot be read.
    """
    performance = Performance(plan, find_device(device) if isinstance(device, str) else device)
    settings = LintSettings(_words(select), _words(ignore), limits or {}, suppressions=tuple(suppressions))
    configuration = None if config is None else read_configuration(config)
    result = _lint(performance, settings, configuration, baseline)
    return EngineLintResult(**{field.name: getattr(result, field.name) for field in fields(result)})


def _words(given: Sequence[str]) -> tuple[str, ...]:
    """A single code counts as a list of one."""
    return (given,) if isinstance(given, str) else tuple(given)


# Rules by their names, which say the pattern.
_TENSOR_CORES = ("idle-tensor-cores",)
_MIXED_PRECISION = ("quantized-layer-writes-float",)
_ALIGNMENT = ("unaligned-channels",)
_COLUMNS = ("name", "tactic", "subtype", "hazard", "mitigation", "help")
_CONVERSIONS = ("origin", "type conversion", "shape conversion")
_CONVOLUTIONS = frozenset(("Convolution", "ConvActPool", "correlation"))

Hazard = dict[str, Any]


class _Linter:
    """Findings of some rules at layers of some types, as rows."""

    def __init__(self, plan: EnginePlan) -> None:
        self.plan = plan

    @cached_property
    def _findings(self) -> tuple[RankedFinding, ...]:
        names = tuple(name for name in self._rules() if name in RULES)
        return _lint(Performance(self.plan), LintSettings(select=names)).findings if names else ()

    def _rules(self) -> Sequence[str]:
        raise NotImplementedError

    def _is_of_interest(self, layer: _Layer) -> bool:
        raise NotImplementedError

    def _rows(self, rules: Iterable[str] = ()) -> list[tuple[_Layer, Hazard]]:
        """(layer, row) for each finding and layer of interest, in execution order."""
        wanted = frozenset(rules)
        layers = {layer.index: layer for layer in self.plan.layers}
        rows = [
            (layers[index], _hazard(layers[index], finding))
            for finding in self._findings
            if not wanted or finding.rule in wanted
            for index in finding.layers
            if self._is_of_interest(layers[index])
        ]
        return sorted(rows, key=lambda row: row[0].index)

    def _with_plain_rows(
        self, is_plain: Callable[[_Layer], bool], row: Callable[[_Layer], Hazard], rules: Iterable[str] = ()
    ) -> list[tuple[_Layer, Hazard]]:
        """The rows, and for layers without a finding that ``is_plain`` accepts a row of their own."""
        rows = self._rows(rules)
        reported = {layer.index for layer, _ in rows}
        rows += [(layer, row(layer)) for layer in self.plan.layers if layer.index not in reported and is_plain(layer)]
        return sorted(rows, key=lambda item: item[0].index)


class ConvLinter(_Linter):
    """Convolutions that leave the tensor cores idle, mix types, or have unaligned channels.

    As TREx's, it lists all of them, also where nothing can be gained (depthwise convolutions, the channels of an image)
    and no rule of ``trex lint`` finds anything.
    """

    def _rules(self) -> Sequence[str]:
        return (*_TENSOR_CORES, *_MIXED_PRECISION, *_ALIGNMENT)

    def _is_of_interest(self, layer: _Layer) -> bool:
        return product_type(layer) in _CONVOLUTIONS

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
        """name, tactic, subtype, hazard, mitigation, help: one row per finding and layer, in execution order."""
        rows = [*self._idle(), *self._mixed(), *self._unaligned()]
        return _frame([row for _, row in sorted(rows, key=lambda item: item[0].index)], _COLUMNS)

    def _idle(self) -> list[tuple[Layer, Hazard]]:
        return self._with_plain_rows(
            lambda layer: (
                self._is_of_interest(layer) and not kernel_of(layer).tensor_core and not is_chosen_late(layer)
            ),
            lambda layer: _row(layer, "Convolution is not accelerated by tensor cores.", "", _TENSOR_CORES_HELP),
            _TENSOR_CORES,
        )

    def _unaligned(self) -> list[tuple[Layer, Hazard]]:
        return self._with_plain_rows(
            lambda layer: self._is_of_interest(layer) and _is_unaligned(layer),
            lambda layer: _row(layer, "Convolution channels are not optimally aligned.", "", _TENSOR_CORES_HELP),
            _ALIGNMENT,
        )

    def _mixed(self) -> list[tuple[Layer, Hazard]]:
        return self._with_plain_rows(
            lambda layer: self._is_of_interest(layer) and len(set(_types(layer))) > 1,
            _conversion_hazard,
            _MIXED_PRECISION,
        )

    def _by_name(self, hazards: Iterable[tuple[_Layer, Hazard]]) -> OrderedDict[str, Hazard]:
        """The rows by name; several findings at a layer are joined into one."""
        rows: OrderedDict[str, Hazard] = OrderedDict()
        for layer, row in hazards:
            joined = rows.setdefault(layer.name, row)
            for key in ("hazard", "mitigation", "help") if joined is not row else ():
                joined[key] = "\n".join(dict.fromkeys(part for part in (joined[key], row[key]) if part))
        return rows


class _Conversions(_Linter):
    """Findings at layers that convert, with what is converted; conversions without a finding have a row, too."""

    def lint(self) -> pd.DataFrame:
        """The columns of ConvLinter with origin, type conversion and shape conversion; one row per finding."""
        rows = self._with_plain_rows(self._converts, _conversion_hazard)
        return _frame([{**row, **_conversion(layer)} for layer, row in rows], (*_COLUMNS, *_CONVERSIONS))

    def _converts(self, layer: _Layer) -> bool:
        read, written = _types(layer)
        return self._is_of_interest(layer) and read != written

    def _rules(self) -> Sequence[str]:
        """All rules on conversions: QDQ, REF and MOVE."""
        return [name for name, plug in RULES.items() if plug.value.code.startswith(("QDQ", "REF", "MOVE"))]


class ReformatLinter(_Conversions):
    """Reformats that convert types or that rules name: why they exist and how to remove them."""

    def _is_of_interest(self, layer: _Layer) -> bool:
        return layer.type == "Reformat"


class SliceLinter(_Conversions):
    """Slices that convert types or that rules name."""

    def _is_of_interest(self, layer: _Layer) -> bool:
        return layer.type == "Slice"


class QDQLinter(_Linter):
    """Quantize and dequantize operations that became layers of their own."""

    def _rules(self) -> Sequence[str]:
        return [name for name, plug in RULES.items() if plug.value.code.startswith("QDQ")]

    def _is_of_interest(self, layer: _Layer) -> bool:
        return _is_quantization(layer)

    def lint(self) -> pd.DataFrame:
        """name, tactic, subtype, hazard, mitigation, help: one row per layer that only quantizes or dequantizes."""
        rows = self._with_plain_rows(
            _is_quantization, lambda layer: _row(layer, "Unfused quantize or dequantize.", _QDQ_FIX, _QDQ_HELP)
        )
        return _frame([row for _, row in rows], _COLUMNS)


_QDQ_FIX = "Place the Q/DQ pair where the layer before or after it can fuse it, or remove it."
_QDQ_HELP = "TensorRT Developer Guide: Working with Quantized Types, Q/DQ Placement Recommendations"
_TENSOR_CORES_HELP = "Tensor cores accelerate large convolutions and GEMMs of aligned channels."
_ALIGNED_BYTES = 16
_QDQ_TYPES = frozenset(("Scale", "Quantize", "Dequantize", "Reformat", "kgen"))
_QDQ_OPERATORS = ("QuantizeLinear", "DequantizeLinear")


def _is_unaligned(layer: _Layer) -> bool:
    """Input or output channels that are no multiple of 16 bytes of the input's type."""
    if not layer.inputs or not layer.outputs or not layer.inputs[0].data_type.bits:
        return False
    multiple = max(1, 8 * _ALIGNED_BYTES // layer.inputs[0].data_type.bits)
    shapes = (layer.inputs[0].shape, layer.outputs[0].shape)
    return any(shape is not None and len(shape) > 1 and (shape[1] or 0) % multiple > 0 for shape in shapes)


def _is_quantization(layer: _Layer) -> bool:
    """A layer that only quantizes or dequantizes, by its type, its operations' names or, for a Scale without
    informative names, by the types that it reads and writes.
    """
    if layer.type in ("Quantize", "Dequantize") or (layer.type == "Scale" and _is_between_float_and_quantized(layer)):
        return True
    operations = layer.origins or (layer.name,)
    return layer.type in _QDQ_TYPES and all(
        any(operator in operation for operator in _QDQ_OPERATORS) for operation in operations
    )


def _is_between_float_and_quantized(layer: _Layer) -> bool:
    if not layer.inputs or not layer.outputs:
        return False
    read, written = layer.inputs[0].data_type, layer.outputs[0].data_type
    return read.is_known and written.is_known and (read in QUANTIZED) != (written in QUANTIZED)


def _hazard(layer: _Layer, finding: RankedFinding) -> Hazard:
    return _row(layer, finding.message, "; ".join(finding.fix), "; ".join(finding.documentation))


def _conversion_hazard(layer: _Layer) -> Hazard:
    """What TREx's linter reports for any conversion of types."""
    read, written = _types(layer)
    mitigation = ""
    if "INT8" in (read, written) or "FP8" in (read, written):
        mitigation = "Consider adding quantization around the float operations, so that no conversion is needed."
    help_text = "Conversions between types cost a pass over memory and add nothing."
    return _row(layer, f"{layer.type} layer that converts types: {read} -> {written}.", mitigation, help_text)


def _row(layer: _Layer, hazard: str, mitigation: str, help_text: str) -> Hazard:
    values = (layer.name, layer.tactic, layer.subtype, hazard, mitigation, help_text)
    return dict(zip(_COLUMNS, values))


def _conversion(layer: _Layer) -> Hazard:
    """origin: why TensorRT inserted the layer, "" if the engine does not contain it."""
    types, shapes = _types(layer), _shapes(layer)
    origin = layer.raw.get("Origin", "")
    return {
        "origin": origin if isinstance(origin, str) else "",
        "type conversion": f"{types[0]} -> {types[1]}" if types[0] != types[1] else "",
        "shape conversion": f"{list(shapes[0])} -> {list(shapes[1])}" if shapes[0] != shapes[1] else "",
    }


def _types(layer: _Layer) -> tuple[str, str]:
    """Types of the first input and output; twice "" if one is unknown, so that no conversion is known."""
    if not layer.inputs or not layer.outputs:
        return "", ""
    read, written = layer.inputs[0].data_type, layer.outputs[0].data_type
    return (read.label, written.label) if read.is_known and written.is_known else ("", "")


def _shapes(layer: _Layer) -> tuple[Sequence[Any], Sequence[Any]]:
    if not layer.inputs or not layer.outputs:
        return (), ()
    read, written = layer.inputs[0].shape, layer.outputs[0].shape
    return ((), ()) if read is None or written is None else (read, written)


def _frame(rows: list[Hazard], columns: Sequence[str]) -> pd.DataFrame:
    import pandas as pd

    result: pd.DataFrame = pd.DataFrame(rows, columns=list(columns), dtype=object)
    return result


__getattr__ = _reexported(__name__)
