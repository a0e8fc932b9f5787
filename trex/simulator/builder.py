"""The simulated builder: Model and Target → NetworkDraft, by build passes: one file of ``trex.simulator.passes`` each.

A pass's docstring has the same headings everywhere: What it does · The rule · What it leaves out. The rule names its
source: a page of NVIDIA's documentation, or the engines or logs it was inferred from.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from trex.core.collector import collector_paused
from trex.core.model import Model
from trex.core.registry import Plug, Registry
from trex.core.release import Release
from trex.core.steps import in_steps
from trex.simulator.draft import NetworkDraft
from trex.simulator.draft_editor import DraftEditor
from trex.simulator.initial_draft import initial_draft
from trex.simulator.target import Target


@dataclass(frozen=True, slots=True)
class BuildPass:
    """order: position among the passes, in steps of 10. edit: applies the pass to a draft. since, until: the first
    release (major, minor) that it applies to, and the first after them.
    """

    title: str
    order: int
    edit: Callable[[DraftEditor], None]
    since: tuple[int, int] = (0, 0)
    until: tuple[int, int] | None = None

    def applies_to(self, release: Release) -> bool:
        return self.since <= release.pair and (self.until is None or release.pair < self.until)


PASSES = Registry("trex.simulator.passes", "PASS", plural="passes", kind=BuildPass)


def build(model: Model, target: Target) -> NetworkDraft:
    """The engine that TensorRT is predicted to build from the model, as steps, tensor types and formats, decisions."""
    with collector_paused():
        return run_passes(initial_draft(model, target))


def passes_in_order() -> list[Plug]:
    return sorted(PASSES.values(), key=lambda plug: (plug.value.order, plug.name))


def run_passes(draft: NetworkDraft) -> NetworkDraft:
    for plug in in_steps("pass", passes_in_order()):
        if plug.value.applies_to(draft.target.release):
            editor = DraftEditor(draft, plug.name)
            plug.value.edit(editor)
            draft = editor.done()
    return draft
