"""The advisor: what slows an engine down, what it costs, and what to try.

NVIDIA's TREx has no such module; its linters are in ``trex.lint`` and lead to the same rules.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from functools import cached_property
from typing import TYPE_CHECKING

from trex.core.configuration import Suppression
from trex.ingest.config_toml import read_configuration
from trex.perf.device import Device
from trex.perf.performance import Performance
from trex.perf.recognize import find_device
from trex.plan.engine_plan import EnginePlan
from trex.rules.finding import CannotTell, Evidence, Finding, Severity
from trex.rules.lint import Choice, configured
from trex.rules.lint import Review as _Review
from trex.rules.lint import review as _review

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["CannotTell", "Evidence", "Finding", "Review", "Severity", "Suppression", "check"]


class Review(_Review):
    """What the rules found: ``.findings`` by cost, ``.unanswered``, ``.failed``, ``.suppressed``, ``.notes``."""

    @cached_property
    def df(self) -> pd.DataFrame:
        """One row per finding, by cost: code, severity, counted_ms, by_itself_ms, time_pct, message, layers …

        Milliseconds and percent are NaN where they are not known; layers, evidence and advice are lists.
        """
        from trex.views.review.frame import review_frame

        return review_frame(self)

    def __str__(self) -> str:
        """As ``trex lint`` shows it."""
        from trex.export.review import ReviewStyle
        from trex.export.reviews.text import render
        from trex.views.review.reading import read_review

        return render(read_review(self), ReviewStyle())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """As a notebook shows it: sentences and tables."""
        from trex.export.page_content import content_html
        from trex.views.review.reading import read_review
        from trex.views.review.tables import review_content

        reading = read_review(self)
        content = review_content(reading)
        said = (reading.statement,) if reading.statement else ()
        return "".join(content_html(replace(content, statements=(*said, *content.statements))))


def check(
    plan: EnginePlan,
    device: Device | str | None = None,
    baseline: EnginePlan | None = None,
    *,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    limits: Mapping[str, Mapping[str, float]] | None = None,
    suppressions: Sequence[Suppression] = (),
    config: str | os.PathLike[str] | None = None,
) -> Review:
    """Runs the rules over a plan: what they find, by cost, each with evidence, a price and a next step.

    device: a Device, the name of a known one, or a file of ``trex devices``; without it the one that the engine's own
    files describe. baseline: another plan of the same model to compare with. select, ignore: codes, names or globs of
    rules. limits: ``{"CONV003": {"padding": 10}}``. config: a ``trex.toml`` or ``pyproject.toml``; none is looked for.
    Raises TrexError for a device, rule or limit that is not known, and for a config that cannot be read. No rule
    raises: one that fails is in ``.failed``. Times are in milliseconds.
    """
    performance = Performance(plan, find_device(device) if isinstance(device, str) else device)
    choice = Choice(_words(select), _words(ignore), limits or {}, tuple(suppressions))
    if config is not None:
        choice = configured(read_configuration(config), choice, performance)
    found = _review(performance, choice, baseline)
    return Review(**{field.name: getattr(found, field.name) for field in fields(found)})


def _words(given: Sequence[str]) -> tuple[str, ...]:
    """One code is as good as a list of one."""
    return (given,) if isinstance(given, str) else tuple(given)
