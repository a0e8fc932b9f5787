"""GatedRun → Document: which configurations of a sweep became worse than before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from trex.compare.gate import GateStatus
from trex.core.counted import counted
from trex.core.note import Note
from trex.core.printable import printable
from trex.core.signed import signed
from trex.store.commits import short_commit
from trex.store.run import MEASURED
from trex.store.sweep_gate import GatedRun, SweepGate, worst
from trex.views.document import Document, Section, Text
from trex.views.store import compare_command
from trex.views.table import Table, TableColumn

COMMAND = "sweep"
_MOST_CAUSES = 3
_COLUMNS = (
    TableColumn("configuration", "name", readable=20),
    TableColumn("result"),
    TableColumn("base", "ms", "ms", identifier="base_ms"),
    TableColumn("new", "ms", "ms", identifier="new_ms"),
    TableColumn("change", "rate", "%", identifier="change_pct"),
    TableColumn("why", readable=24),
    TableColumn("base run", if_known=True, identifier="base_run"),
    TableColumn("new run", if_known=True, identifier="new_run"),
    TableColumn("base commit", if_known=True, identifier="base_commit"),
)
_SHORT = 6


def gate_document(sweep: str, gate: SweepGate, *, is_short: bool = False, store: str = "") -> Document:
    """store: where runs are, unless in the usual one."""
    gated = gate.gated
    counts = Counter(run.status for run in gated)
    failed, unknown = counts[GateStatus.FAILED], counts[GateStatus.INCONCLUSIVE]
    parts = [f"{failed} failed", f"{unknown} inconclusive", f"{counts[GateStatus.PASSED]} passed"]
    without_base = sum(_is_without_base(run) for run in gated)
    not_judged = counts[None] - without_base
    parts += [f"{without_base} without a base"] if without_base else []
    parts += [f"{not_judged} not judged"] if not_judged else []
    parts += [f"{gate.unchanged} unchanged"] if gate.unchanged else []
    lines = [f"{', '.join(parts)}.", *_largest(gated)]
    rows = tuple(map(_row, worst(gated)))
    table = Table("", _COLUMNS, rows, "configurations")
    table = table.with_columns([*range(_SHORT)]) if is_short else table
    data = {
        "failed": failed,
        "inconclusive": unknown,
        "passed": counts[GateStatus.PASSED],
        "without_base": without_base,
        "not_judged": not_judged,
        "unchanged": gate.unchanged,
    }
    sections = (
        Section("gate", "", (Text(tuple(lines)), table), data=data),
        *(_why(number, run, store) for number, run in enumerate(_explained(gated), 1)),
    )
    origins = sorted({run.new.provenance or "unknown" for run in gated if run.new is not None} - {MEASURED})
    statement = f"{', '.join(origins)}: times are not measured" if origins else ""
    notes = (*_unjudged(gate), *_other_base(gated, gate.base), *_without_run(gate))
    return Document(
        COMMAND, f"{sweep}: gate", statement, sections, notes, subtitle=f"commit {short_commit(gate.commit)}"
    )


def _unjudged(gate: SweepGate) -> Iterator[Note]:
    if not gate.has_conditions:
        message = "nothing is judged: there is neither --fail-on nor a limit in trex.toml for these engines"
        yield Note("no-condition", message, 'trex sweep gate NAME --fail-on "compute>+3%"')


def _without_run(gate: SweepGate) -> Iterator[Note]:
    commit = printable(short_commit(gate.commit))
    if gate.lacks_record:
        message = f"inconclusive: the sweep's record of {commit} is not in this store, so failed jobs are not known"
        yield Note("no-record", message, "copy the sweeps folder of the store, too, or run the sweep again")
    if gate.unknown:
        words = counted(gate.unknown, "configuration has", "configurations have")
        message = f"{words} no run at {commit}, and the store does not say why: not judged"
        yield Note("no-run", message, "trex sweep FILE.toml --commit REV records which runs it kept and what failed")
    if gate.gone:
        words = counted(gate.gone, "configuration of the base is", "configurations of the base are")
        yield Note("gone", f"{words} not in the sweep at {commit}: not judged", "the axes of its file have changed")


def _other_base(gated: Sequence[GatedRun], base: str) -> Iterator[Note]:
    """Where the commit asked for has no such run: the job was the same before, or the commit is misspelled."""
    used = [run.base.commit or "none" for run in gated if run.base is not None and not run.is_recorded]
    others = [commit for commit in used if commit != base]
    if base and others:
        listed = ", ".join(sorted({short_commit(commit) for commit in others})[:3])
        message = (
            f"{counted(len(others), 'configuration has', 'configurations have')} no run at {printable(base)[:40]}: "
            f"compared with the latest runs like them ({listed})"
        )
        yield Note("other-base", message, "trex store list shows the commits of all runs")


def _largest(gated: Sequence[GatedRun]) -> Iterator[str]:
    slowest = max(gated, key=lambda run: run.change_pct or 0.0, default=None)
    if slowest is not None and slowest.change_pct and slowest.change_pct > 0.0:
        yield f"Largest slowdown: {slowest.name} {signed(slowest.change_pct)} %."


def _is_without_base(run: GatedRun) -> bool:
    return run.status is None and run.new is not None and run.base is None


def _row(run: GatedRun) -> tuple[object, ...]:
    diff = run.diff
    change = None if diff is None or diff.contradicted else diff.main
    nothing = "no base" if _is_without_base(run) else "not judged"
    status = nothing if run.status is None else run.status.value
    shown = [*(result.words for result in run.results if result.status is run.status), run.reason]
    doubts = () if diff is None else (*diff.contradicted, *diff.lost, *diff.doubted, *diff.too_fast)[:1]
    shown += [f"{note.message} ({note.code})" for note in doubts if not any(note.code in words for words in shown)]
    return (
        run.name,
        status,
        None if change is None else change.left_ms,
        None if change is None else change.right_ms,
        run.change_pct,
        "; ".join(filter(None, shown)),
        None if run.base is None else run.base.short_id,
        None if run.new is None else run.new.short_id,
        None if run.base is None or not run.base.commit else short_commit(run.base.commit),
    )


def _explained(gated: Sequence[GatedRun]) -> list[GatedRun]:
    return [run for run in worst(gated) if run.status is GateStatus.FAILED and run.diff is not None][:_MOST_CAUSES]


def _why(number: int, run: GatedRun, store: str) -> Section:
    from trex.views.compare.sections.layers import largest_changes, name_of

    diff, base = run.diff, run.base
    if diff is None or base is None or run.new is None:
        return Section(f"why_{number}")
    rows = tuple(
        (name_of(*diff.layers_of(change)), change.left_ms, change.right_ms, change.difference_ms, change.cause.value)
        for change in largest_changes(diff)
        if change.is_known
    )[:5]
    columns = (
        TableColumn("layers", "name", readable=18),
        TableColumn("base", "ms", "ms"),
        TableColumn("new", "ms", "ms"),
        TableColumn("difference", "ms", "ms"),
        TableColumn("cause", readable=20),
    )
    table = (Table("", columns, rows, f"layers_{number}"),) if rows and not (diff.withheld or diff.layer_doubts) else ()
    command = Text((compare_command(base.short_id, run.new.short_id, store),), "command")
    return Section(f"why_{number}", f"Why: {run.name}", (Text((diff.verdict,)), *table, command))
