"""Lint: what slows an engine down, what fixing it saves, and how to fix it; and the linters of TREx.

``lint_engine(plan)`` runs the rules of ``trex lint``; NVIDIA's TREx has no such function. The linters differ from
TREx's in this: they run the same rules and have one row per finding, so a layer with two hazards has two rows, the
second called ``name (2)``; the tensor-core test reads the kernel's name by its grammar; types count whatever their
spelling; columns of their own have the rule, what it found, and its fix.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import cached_property
from typing import TYPE_CHECKING

from trex import _reexported
from trex.classic.linters import ConvLinter, QDQLinter, ReformatLinter, SliceLinter
from trex.core.configuration import LintSettings, Suppression
from trex.engine_plan import EnginePlan
from trex.export.document_view import DocumentView
from trex.ingest.config_toml import read_configuration
from trex.perf.device import Device
from trex.perf.performance import Performance
from trex.perf.recognize import find_device
from trex.rules.finding import Evidence, Finding, Severity, Unchecked
from trex.rules.lint import lint as _lint
from trex.rules.lint_result import LintResult, RankedFinding
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

    device: a Device, the name of a known one, or a file of ``trex devices``; by default the one that an engine's own
    files describe. baseline: another plan of the same model; findings that it has too are in ``.suppressed``. select,
    ignore: codes, names or globs of rules. limits: ``{"CONV003": {"padding": 10}}``. config: a ``trex.toml`` or
    ``pyproject.toml``; none is searched for. Times are in milliseconds. A rule that fails is in ``.failed``. Raises
    TrexError for an unknown device, rule or limit, and for a config that cannot be read.
    """
    device = find_device(device) if isinstance(device, str) else device
    settings = LintSettings(_words(select), _words(ignore), limits or {}, suppressions=tuple(suppressions))
    configuration = None if config is None else read_configuration(config)
    known = None if baseline is None else Performance(baseline, device)
    result = _lint(Performance(plan, device), settings, configuration, known)
    return EngineLintResult(**{field.name: getattr(result, field.name) for field in fields(result)})


def _words(given: Sequence[str]) -> tuple[str, ...]:
    """A single code counts as a list of one."""
    return (given,) if isinstance(given, str) else tuple(given)


__getattr__ = _reexported(__name__)
