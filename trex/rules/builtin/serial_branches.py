"""Independent branches that run one after another.

What it finds: forks of the data into branches of short kernels that do not depend on each other, all on the same
stream.
Why it matters: a short kernel fills only a part of the GPU; two independent ones could run at the same time. Until
TensorRT 8.6 there is one stream; later releases use more only if allowed.
What to try: ``trtexec --maxAuxStreams=N`` (builder config ``max_aux_streams``); equal convolutions or matrix products
on the same data as one with more outputs (horizontal fusion), equal ones on different data as a grouped convolution or
a batched product.
Does not apply: branches of kernels that fill the GPU alone; CPU-bound runs, which more streams slow down; engines with
jumps (If, Loop), whose branches may exclude each other; TensorRT for RTX, which uses more streams where it sees a gain.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from trex.core.counted import counted
from trex.core.layer import Role
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Evidence, Finding, Severity, Unchecked
from trex.rules.rule import Rule, RuleLimit
from trex.rules.wording import PROFILE_HINT, cost, ms, names_of

Branches: TypeAlias = list[list[int]]


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding | Unchecked]:
    streams = {layer.stream for layer in engine.layers if layer.role is Role.KERNEL}
    if len(streams - {None}) > 1 or not engine.layers or engine.is_for_rtx or engine.has_jumps:
        return
    forks = _forks(engine)
    if not forks:
        return
    if not engine.is_timed:
        number = counted(len(forks), "fork has", "forks have")
        yield Unchecked(f"{number} independent branches; without layer times their length is unknown", PROFILE_HINT)
        return
    short = [fork for fork in forks if all(_is_short(engine, branch, limits["longest"]) for branch in fork)]
    gain = sum(_gain(engine, branches) for branches in short)
    if not short or 100 * gain < limits["share"] * engine.total_ms:
        return
    if streams == {None}:
        number = counted(len(short), "fork has", "forks have")
        yield Unchecked(
            f"{number} short independent branches, {cost(gain, engine)} apart from the longest; but the streams of "
            "the layers are unknown",
            "TensorRT 10 reports the stream of every layer; auxiliary streams exist from 8.6 on",
        )
        return
    yield _finding(engine, short, gain)


def _forks(engine: AnalyzedEngine) -> list[Branches]:
    """Per fork, its branches that are chains of kernels, two or more."""
    forks = []
    for position in range(len(engine.layers)):
        readers = engine.after(position)
        if len(readers) < 2:
            continue
        branches = [branch for reader in readers if (branch := _chain(engine, reader))]
        if len(branches) > 1:
            forks.append(branches)
    return forks


def _chain(engine: AnalyzedEngine, start: int) -> list[int]:
    """Layers from here on, each with one layer before it, up to where branches meet or fork."""
    chain: list[int] = []
    position = start
    while len(engine.before(position)) == 1 and position not in chain[-1:]:
        chain.append(position)
        after = engine.after(position)
        if len(after) != 1 or after[0] <= position:
            break
        position = after[0]
    return [position for position in chain if engine.layers[position].role is Role.KERNEL]


def _is_short(engine: AnalyzedEngine, branch: list[int], longest: float) -> bool:
    return all(engine.times[position] <= longest for position in branch)


def _gain(engine: AnalyzedEngine, branches: Branches) -> float:
    sums = [sum(engine.savings(branch).values()) for branch in branches]
    return sum(sums) - max(sums)


def _finding(engine: AnalyzedEngine, forks: list[Branches], gain: float) -> Finding:
    savings: dict[int, float] = {}
    for branches in forks:
        of_branches = [engine.savings(branch) for branch in branches]
        longest = max(range(len(branches)), key=lambda number: sum(of_branches[number].values()))
        for number, of_branch in enumerate(of_branches):
            if number != longest:
                savings |= of_branch
    top = max(forks, key=lambda branches: _gain(engine, branches))
    count = sum(len(branches) for branches in forks)
    return Finding(
        f"{count:,} short independent branches after {counted(len(forks), 'fork')} run on one stream, "
        f"{cost(gain, engine)} apart from the longest of each; the longest fork starts with "
        f"{names_of((branch[0] for branch in top), engine, 6)}",
        layers=engine.indexes(position for branches in forks for branch in branches for position in branch),
        savings=savings,
        formula="sum of the branches' times − that of the longest, as if all ran at the same time as the longest",
        evidence=(
            Evidence("forks", len(forks)),
            Evidence("branches", count),
            Evidence("streams", 1),
            Evidence("longest fork", ms(_gain(engine, top))),
        ),
        fix=(
            "trtexec --maxAuxStreams=2 (config.max_aux_streams in Python), with --useCudaGraph",
            "join equal branches: one matrix product with concatenated weights, or one grouped convolution",
        ),
        documentation=(
            "TensorRT Developer Guide: Within-Inference Multi-Streaming",
            "NVIDIA/TensorRT issues 2828, 4094",
        ),
        how_to_check="StreamId differs between the branches in the new engine, and GPU compute (not the layers) is "
        "faster",
        confidence=0.4,
    )


RULE = Rule(
    "LAUN003",
    "independent branches on one stream",
    Severity.NOTE,
    check,
    {
        "longest": RuleLimit(0.02, "ms", "longest time of a kernel that counts as short"),
        "share": RuleLimit(2.0, "%", "least share of the engine's time that could be saved"),
    },
    needs_measurement=True,
    is_experimental=True,
)
