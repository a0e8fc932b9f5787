"""``trex sweep gate``: the runs of a sweep at one commit against earlier ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from trex.cli import console
from trex.cli.command import DONE, FINDINGS, INCONCLUSIVE
from trex.cli.settings import compare_settings
from trex.cli.stores import open_store
from trex.core.errors import TrexError

if TYPE_CHECKING:
    from trex.views.document import Document


def gate(
    name: str, store: str, commit: str, base: str, fail_on: Sequence[str], *, is_short: bool
) -> tuple[Document, int]:
    """name: of the sweep, or its file. The exit code is 1 if a condition failed, 3 if one is inconclusive, or
    if the jobs that failed are not known.
    """
    from trex.compare.condition import check_limits, conditions_of
    from trex.compare.gate import GateStatus
    from trex.store.sweep_gate import gate_of_sweep
    from trex.views.sweep_gate import gate_document

    if not name:
        raise TrexError("which sweep?", "trex sweep gate NAME --commit REV")
    if name.endswith(".toml"):
        from pathlib import Path

        from trex.sweep.spec_toml import read_spec

        spec = read_spec(name)
        name, store = spec.name, store or (str(Path(spec.folder) / spec.store) if spec.store else "")
    settings = compare_settings("")
    check_limits(settings)
    conditions_of(fail_on)  # what can't be read is an error, even where nothing is compared
    stored = open_store(store)
    with console.patience("comparing"):
        judged = gate_of_sweep(
            stored, name, commit, base, lambda engine: conditions_of(fail_on, settings.limits_for(engine))
        )
        document = gate_document(name, judged, is_short=is_short, store=store)
    statuses = {run.status for run in judged.gated}
    if GateStatus.FAILED in statuses:
        return document, FINDINGS
    is_unknown = judged.lacks_record or GateStatus.INCONCLUSIVE in statuses
    return document, INCONCLUSIVE if is_unknown else DONE
