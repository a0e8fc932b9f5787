"""A sweep → Documents: the matrix before it runs, and the answer when it has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import median
from typing import Any

from trex.core.counted import counted
from trex.core.duration import seconds_words
from trex.core.note import Note
from trex.core.printable import printable, shell_line
from trex.store.sweep_record import DONE, FAILED, QUARANTINED, STORED
from trex.sweep.job import EXAMPLE, SWEEP_LABEL, Job
from trex.sweep.pairs import PairResult
from trex.sweep.progress import WAITING, JobState, Kind, SweepProgress
from trex.sweep.spec import AXES, SweepSpec
from trex.views.document import Document, Section, Text, section
from trex.views.table import Table, TableColumn

COMMAND = "sweep"
_PLURALS = {"batch": "batch sizes", "shapes": "shapes", "options": "option sets", "gpu": "GPUs", "tensorrt": "releases"}
_SHOWN_JOBS = 40
_SHOWN_FAILURES = 10
_FASTEST = 12
_IN_STORE = {STORED: "in the store", QUARANTINED: "in quarantine", WAITING: "to run"}
_STATUS = TableColumn("status", meaning="whether the store has it", identifier="status")
_SECONDS = TableColumn(
    "time", "rate", "s", if_known=True, meaning="of like jobs in earlier sweeps", identifier="seconds"
)
_MS = TableColumn(
    "time", "ms", "ms", meaning="median GPU compute time, else latency, else sum of layer times", identifier="main_ms"
)
_TIMES = TableColumn("times", meaning="measured, predicted or simulated", identifier="provenance")
_RATE = TableColumn(
    "items/s", "rate", meaning="throughput times batch size; batch size divided by that time, where it is not reported",
    identifier="items_per_s",
)  # fmt: skip


def matrix_document(
    spec: SweepSpec,
    axes: Mapping[str, Sequence[str]],
    states: Sequence[JobState],
    known: Mapping[Kind, float],
    workers: int,
    is_short: bool = False,
) -> Document:
    """What a sweep would run. known: seconds of jobs of a kind. workers: how many jobs run at once.

    is_short: the first jobs only.
    """
    counts = Counter(state.status for state in states)
    waiting = [state.job for state in states if state.status == WAITING]
    varied = _varied(state.job for state in states)
    rows = tuple(
        (
            *_values(state.job, varied),
            _IN_STORE[state.status] if state.job.key else "unknown",
            known.get(state.job.kind),
        )
        for state in states
    )
    columns = (*map(_axis_column, varied), _STATUS, _SECONDS)
    estimate, without = _estimate(waiting, known)
    statements = [_matrix_words(axes, spec, len(states)), _counts_words(counts)]
    if not waiting:
        statements.append("Nothing to run.")
    elif estimate is None:
        statements.append("Estimated time: unknown, the store has no times of such jobs.")
    else:
        missing = f", without {counted(without, 'job')} of unknown time" if without else ""
        words = f"Estimated time: {seconds_words(estimate / max(workers, 1))} on {counted(workers, 'worker')}{missing}."
        statements.append(words)
    table = Table("", columns, rows, "jobs").first(_SHOWN_JOBS if is_short else len(rows))
    own = section(
        name="matrix",
        statements=statements,
        tables=[table],
        notes=[*_quarantine_notes(states)],
        data={"counts": dict(counts), "estimated_s": estimate, "workers": workers},
    )
    return Document(COMMAND, spec.name, sections=(own,))


def answer_document(progress: SweepProgress, seconds: float, store: str, again: Sequence[str] = ()) -> Document:
    """What a sweep has done. again: the command that goes on with it, where that is short."""
    sections = [
        section(
            name="sweep",
            statements=[*_answer_words(progress, seconds)],
            tables=[table for table in (_fastest_table(progress), _failure_table(progress)) if table.rows],
            data={
                "counts": {name: count for name, count in progress.counts.items() if count},
                "seconds": round(seconds, 3),
                "stopped_by": progress.stopped_by,
                "jobs": [*_records(progress.states)],
            },
        ),
        Section("next", "Next", (Text(tuple(_next_commands(progress, store, again)), "command"),)),
    ]
    return Document(COMMAND, progress.name, sections=tuple(sections), notes=tuple(_problems(progress)))


def pairs_document(sweep: str, axis: str, results: Sequence[PairResult], top: int = _SHOWN_JOBS) -> Document:
    """What changed between runs that differ in one axis, the largest change first."""
    from trex.perf.roofline import FASTER_THAN_POSSIBLE

    values = {result.pair.new_value for result in results}
    columns = (
        TableColumn("configuration", "name", readable=46, meaning="what both runs have in common", identifier="name"),
        TableColumn(axis, "name", readable=8, identifier="new_value"),
        TableColumn("base", "ms", "ms", meaning="time of the base", identifier="base_ms"),
        TableColumn("new", "ms", "ms", identifier="new_ms"),
        TableColumn("change", "pct", "%", meaning="negative is faster", identifier="change_pct"),
        TableColumn("outcome", meaning="whether it is significant", identifier="outcome"),
        TableColumn("main cause", meaning="the largest part of the difference", if_known=True, identifier="cause"),
        TableColumn("of it", "ms", "ms", meaning="the main cause's part", if_known=True, identifier="cause_ms"),
    )
    ranked = sorted(results, key=lambda result: -abs(result.change_pct or 0.0))
    rows = tuple(
        (
            result.pair.name, result.pair.new_value, result.base_ms, result.new_ms, result.change_pct,
            result.outcome.replace("no significant difference", "not significant"), result.cause or None,
            result.cause_ms,
        )
        for result in ranked
    )  # fmt: skip
    table = Table("", columns, rows, "pairs")
    shown = [index for index, column in enumerate(columns) if column.name != axis or len(values) > 1]
    outcomes = Counter(result.outcome for result in results)
    counts = ", ".join(f"{count:,} {outcome}" for outcome, count in outcomes.most_common())
    new, base = values.pop() if len(values) == 1 else "each", results[0].pair.old_value or "none"
    statements = [f"{counted(len(results), 'pair')} by {axis}, {new} against {base}: {counts}."]
    reasons: dict[str, list[str]] = {}
    for result in results:
        if result.reason and not result.cause:
            reasons.setdefault(result.reason.partition(":")[0], []).append(result.reason)
    notes = [
        Note("no-cause", f"{counted(len(texts), 'pair')}: {texts[0]}", severity="warning")
        for texts in sorted(reasons.values(), key=len, reverse=True)[:_SHOWN_FAILURES]
    ]
    too_fast = [result.too_fast for result in results if result.too_fast]
    if too_fast:
        notes.append(Note(FASTER_THAN_POSSIBLE, f"{counted(len(too_fast), 'pair')}: {too_fast[0]}"))
    tables = [table.with_columns(shown).first(top)]
    own = section(name="pairs", statements=statements, tables=tables, notes=notes, data={"outcomes": dict(outcomes)})
    return Document(COMMAND, sweep, sections=(own,))


def short_title(job: Job, varied: Sequence[str]) -> str:
    """What distinguishes the job from the others of its sweep."""
    words = [_word(axis, value) for axis in varied if (value := job.labels.get(axis, ""))]
    return printable(" · ".join([*words, *([f"#{job.repetition + 1}"] if job.repetition else [])]) or job.title)


def _word(axis: str, value: str) -> str:
    return f"batch {value}" if axis == "batch" else value.removeprefix(EXAMPLE) if axis == "model" else value


def varied_axes(jobs: Iterable[Job]) -> tuple[str, ...]:
    """Axes with more than one value."""
    values: dict[str, set[str]] = {axis: set() for axis in AXES}
    for job in jobs:
        for axis in AXES:
            values[axis].add(job.labels.get(axis, ""))
    return tuple(axis for axis, known in values.items() if len(known) > 1)


def _varied(jobs: Iterable[Job]) -> tuple[str, ...]:
    listed = list(jobs)
    repeated = ("repetition",) if any(job.repetition for job in listed) else ()
    return (*(varied_axes(listed) or ("model",)), *repeated)


def _axis_column(axis: str) -> TableColumn:
    kind = "count" if axis in ("batch", "repetition") else "text"
    return TableColumn(
        "#" if axis == "repetition" else axis, kind, meaning=AXES.get(axis, "repetition, from 1"), identifier=axis
    )


def _values(job: Job, varied: Sequence[str]) -> tuple[Any, ...]:
    return tuple(_value(job, axis) for axis in varied)


def _value(job: Job, axis: str) -> Any:
    if axis == "repetition":
        return job.repetition + 1
    value = job.labels.get(axis)
    return int(value) if axis == "batch" and value else value


def _matrix_words(axes: Mapping[str, Sequence[str]], spec: SweepSpec, count: int) -> str:
    factors = [
        f"{len(values)} {axis if len(values) == 1 else _PLURALS.get(axis, f'{axis}s')}"
        for axis, values in axes.items()
        if len(values) > 1 or axis == "model"
    ]
    factors += [f"{spec.repetitions} repetitions"] if spec.repetitions > 1 else []
    return f"{counted(count, 'job')}: {' × '.join(factors)}{', without exclusions' if spec.exclude else ''}."


def _counts_words(counts: Mapping[str, int]) -> str:
    words = [f"{counts[status]:,} {text}" for status, text in _IN_STORE.items() if counts.get(status)]
    return f"{', '.join(words)}."


def _estimate(jobs: Sequence[Job], known: Mapping[Kind, float]) -> tuple[float | None, int]:
    """(seconds of those whose kind is known, None if none is; number of the others)."""
    times = [known[job.kind] for job in jobs if job.kind in known]
    return (sum(times) if times else None), len(jobs) - len(times)


def _quarantine_notes(states: Iterable[JobState]) -> Iterator[Note]:
    held = [state for state in states if state.status == QUARANTINED]
    for state in held[:_SHOWN_FAILURES]:
        message = f"{state.job.title}: {state.reason}"
        yield Note("quarantined", message, "--again tries it again", severity="problem")


def _answer_words(progress: SweepProgress, seconds: float) -> Iterator[str]:
    counts = progress.counts
    words = [f"{counts[DONE]:,} done", f"{counts[STORED]:,} from the store"]
    failed = counts[FAILED] + counts[QUARANTINED]
    words += [f"{failed:,} failed"] if failed else []
    left = len(progress.states) - counts[DONE] - counts[STORED] - failed
    words += [f"{left:,} left"] if left else []
    yield f"{counted(len(progress.states), 'job')}: {', '.join(words)}, in {seconds_words(seconds)}."
    if progress.stopped_by:
        yield f"Stopped by {progress.stopped_by}; run it again to go on."


def _fastest_table(progress: SweepProgress) -> Table:
    """Per model and origin of times, the configuration with the most items per second; the shortest time, where a batch
    size is unknown. A configuration has the median of its repetitions.
    """
    varied = [axis for axis in varied_axes(state.job for state in progress.states) if axis != "model"]
    repetitions: dict[tuple[object, ...], list[JobState]] = {}
    for state in progress.states:
        if state.run.main_ms is not None and state.run.main_ms > 0:
            key = state.job.key, *sorted(state.job.labels.items()), state.run.provenance, state.run.batch
            repetitions.setdefault(key, []).append(state)
    groups: dict[tuple[str, str], list[tuple[float | None, float, Job]]] = {}
    runs = [state.run for states in repetitions.values() for state in states]
    unrated = {run.provenance for run in runs if not run.throughput_qps}
    for states in repetitions.values():
        job, run = states[0].job, states[0].run
        ms = median(state.run.main_ms or 0.0 for state in states)
        rated = () if run.provenance in unrated else [state.run.throughput_qps or 0.0 for state in states]
        queries_per_s = median(rated) if rated else 1000.0 / ms
        group = job.labels.get("model", ""), run.provenance or ""
        groups.setdefault(group, []).append((run.batch * queries_per_s if run.batch else None, ms, job))
    columns = (_axis_column("model"), *map(_axis_column, varied), _MS, _RATE, _TIMES)
    rows = []
    for (model, provenance), results in sorted(groups.items()):
        has_rates = all(rate is not None for rate, _, _ in results)
        rate, ms, job = min(results, key=lambda result: -(result[0] or 0.0) if has_rates else result[1])
        rows.append((model, *_values(job, varied), ms, rate, provenance))
    return Table("Fastest configuration", columns, tuple(rows), "fastest").first(_FASTEST)


def _failure_table(progress: SweepProgress) -> Table:
    varied = varied_axes(state.job for state in progress.states)
    columns = (
        TableColumn("failed job", "name", readable=24, identifier="job"),
        TableColumn("reason", readable=30, identifier="reason"),
    )
    rows = tuple((short_title(state.job, varied), printable(state.reason)) for state in progress.failed)
    return Table("", columns, rows, "failed").first(_SHOWN_FAILURES)


def _problems(progress: SweepProgress) -> Iterator[Note]:
    if progress.problem:
        message = f"the sweep ended early: {progress.problem}"
        yield Note("sweep-ended", message, "what is done is in the store; run it again to go on", severity="problem")


def _records(states: Iterable[JobState]) -> Iterator[dict[str, Any]]:
    for state in states:
        yield {
            "key": state.job.key,
            "repetition": state.job.repetition,
            **{axis: value for axis, value in state.job.labels.items() if axis != SWEEP_LABEL},
            "status": state.status,
            "seconds": state.seconds,
            "run": state.run.id,
            "reason": state.reason,
        }


def _next_commands(progress: SweepProgress, store: str, again: Sequence[str]) -> Iterator[str]:
    if again and (progress.stopped_by or progress.problem or progress.failed):
        yield shell_line((*again, *(["--again"] if progress.counts[QUARANTINED] else ())))
    if progress.failed:
        yield shell_line(("ls", f"{store}/sweeps/{progress.name}/logs"))
    if progress.counts[DONE] or progress.counts[STORED]:
        yield shell_line(("trex", "sweep", "report", progress.name, "--store", store))
        model = next(iter(state.job.labels.get("model", "") for state in progress.states), "")
        word = model.removeprefix(EXAMPLE).removesuffix(".onnx").rpartition("/")[2]
        yield shell_line(("trex", "history", word, "--store", store))
