"""Subject → Section: how sure the numbers of a report are, what its files lack, and the commands that get it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from trex.core.counted import counted
from trex.core.printable import shell_word
from trex.core.timings import LayerTime
from trex.ingest.finding.engine_files import EngineFiles
from trex.ingest.trtexec_command import recipe_of
from trex.perf.expected import expected_ms, unjudged_shares, unjudged_words, validated_engines
from trex.perf.performance import Performance
from trex.perf.verdict import LEVELS
from trex.plan.engine_plan import EnginePlan
from trex.rules.lint_result import LintResult
from trex.views.completeness import Missing, missing_of
from trex.views.document import Block, Fact, Facts, Section, Text
from trex.views.table import milliseconds

MEASURED = "measured times"
_SHOWN = 1
"""How many of the reasons why something was not checked are shown."""


def certainty_section(performance: Performance, lint: LintResult | None, tab: str) -> Section:
    """What the times support, what was not checked, and what is missing with the commands that produce it."""
    plan = performance.plan
    missing, remarks = _missing(plan)
    facts = (*_of_times(performance), *_of_lint(lint), *_of_files(performance), _missing_fact(missing))
    commands = tuple(dict.fromkeys(command for part in missing for command in part.commands))
    blocks: list[Block] = [Facts(facts)]
    if commands:
        blocks += [Text(commands, "command"), *([Text(remarks, "hint")] if remarks else [])]
    return Section("certainty", "How sure, and what is missing", tuple(blocks), tab=tab)


def _of_times(performance: Performance) -> Iterator[Fact]:
    plan = performance.plan
    ends = expected_ms(plan)
    if ends is not None:
        engines = validated_engines(plan)
        source = f" ({counted(engines, 'measured engine')} validated the model)" if engines else ""
        yield Fact("Times", "predicted, not measured: a real run is expected between {} and {} ms".format(
            *map(milliseconds, ends)) + source, list(ends))  # fmt: skip
    elif plan.provenance.has_predicted_times:
        yield Fact("Times", plan.statement)
    elif performance.reconciliation.verdict.level == LEVELS[0]:
        yield Fact("Times", "not measured")
    else:
        yield Fact("Times", performance.reconciliation.verdict.sentence)
    if unjudged := unjudged_shares(plan):
        yield Fact("Not judged", unjudged_words(unjudged), unjudged)
    if plan.join is not None and not plan.provenance.has_predicted_times:
        known = sum(isinstance(time, LayerTime) for time in plan.times)
        yield Fact("Layers", f"{known:,} of {counted(len(plan.working_layers), 'layer')} profiled", known)


def _of_lint(lint: LintResult | None) -> Iterator[Fact]:
    if lint is not None and lint.unchecked:
        reasons = dict.fromkeys(unchecked.reason for unchecked in lint.unchecked)
        more = f" and {len(reasons) - _SHOWN:,} more" if len(reasons) > _SHOWN else ""
        yield Fact("Not checked", "; ".join([*reasons][:_SHOWN]) + more, list(reasons))


def _of_files(performance: Performance) -> Iterator[Fact]:
    counts = Counter(note.severity for note in performance.notes)
    words = [counted(counts[severity], severity) for severity in ("problem", "warning") if counts[severity]]
    if words:
        yield Fact("Files", f"{' and '.join(words)} (see Notes)", sum(counts.values()) - counts["info"])


def _missing(plan: EnginePlan) -> tuple[tuple[Missing, ...], tuple[str, ...]]:
    missing, remarks = missing_of(plan)
    if missing or not plan.provenance.has_predicted_times:
        return missing, remarks
    recipe = recipe_of(plan.files or EngineFiles(plan.name), plan.engine, plan.metadata, plan.build_metadata)
    command = f"trex process {shell_word(recipe.onnx)} OUT"
    return (Missing(MEASURED, "how fast a real run is", (command,)),), ("On a machine with the GPU and TensorRT",)


def _missing_fact(missing: tuple[Missing, ...]) -> Fact:
    if not missing:
        return Fact("Missing", "nothing: layers, times and metadata are in the files", [])
    return Fact("Missing", "\n".join(f"{part.part}: {part.without_it}" for part in missing), [
        part.part for part in missing
    ])  # fmt: skip
