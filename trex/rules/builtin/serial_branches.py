"""Independent branches that run one after another.

What it finds: places where the data fork into branches of short kernels that do not need one another, all on the same
stream.
Why it matters: a short kernel fills a part of the GPU only; two independent ones could run side by side. Until TensorRT
8.6 there is one stream; later releases use more only where they are allowed to.
What to try: ``trtexec --maxAuxStreams=N`` (builder config ``max_aux_streams``); branches of equal convolutions or
products on the same data as one of them with more outputs (horizontal fusion), equal ones on different data as a
grouped convolution or a batched product.
Does not apply: to branches of kernels that fill the GPU by themselves; to CPU-bound runs, which more streams slow down.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from trex.core.counted import counted
from trex.core.layer import Role
from trex.rules.analyzed_engine import Inspected
from trex.rules.finding import CannotTell, Evidence, Finding, Severity
from trex.rules.rule import Limit, Rule
from trex.rules.wording import listed, main_operation, ms, priced

_FORMULA = "sum of the branches' times − the longest branch's, as if all ran beside the longest"
_DOCUMENTATION = (
    "TensorRT Developer Guide: Within-Inference Multi-Streaming",
    "NVIDIA/TensorRT issues 2828 and 4094",
)
_MOST_NAMED = 6


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterable[Finding | CannotTell]:
    streams = {layer.stream for layer in seen.layers if layer.role is Role.KERNEL}
    if len(streams - {None}) > 1 or not seen.layers:
        return
    forks = _forks(seen)
    if not forks:
        return
    if not seen.is_timed:
        yield CannotTell(
            f"{len(forks):,} forks have independent branches; without layer times nobody knows whether they are short",
            "profile the engine",
        )
        return
    found, gain = [], 0.0
    for fork, branches in forks:
        sums = [sum(seen.stake(branch).values()) for branch in branches]
        if not all(_is_short(seen, branch, limits["longest"]) for branch in branches):
            continue
        found.append((fork, branches))
        gain += sum(sums) - max(sums)
    if not found or 100 * gain < limits["share"] * seen.total_ms:
        return
    if streams == {None}:
        yield CannotTell(
            f"{len(found):,} forks have short independent branches ({priced(gain, seen.total_ms)} beside the longest "
            "ones), but the engine does not tell on which streams its layers run",
            "TensorRT 10 tells the stream of every layer; auxiliary streams exist from 8.6 on",
        )
        return
    yield _finding(seen, found, gain)


def _forks(seen: Inspected) -> list[tuple[int, list[list[int]]]]:
    """(place where the data fork, its branches) of forks with two branches or more that are chains of kernels."""
    forks = []
    for place in range(len(seen.layers)):
        readers = seen.after(place)
        if len(readers) < 2:
            continue
        branches = [branch for reader in readers if (branch := _chain(seen, reader))]
        if len(branches) > 1:
            forks.append((place, branches))
    return forks


def _chain(seen: Inspected, start: int) -> list[int]:
    """Layers from here on, each with one layer before it, up to where branches meet or fork."""
    chain: list[int] = []
    place = start
    while len(seen.before(place)) == 1 and place not in chain[-1:]:
        chain.append(place)
        after = seen.after(place)
        if len(after) != 1 or after[0] <= place:
            break
        place = after[0]
    return [each for each in chain if seen.layers[each].role is Role.KERNEL]


def _is_short(seen: Inspected, branch: list[int], longest: float) -> bool:
    times = [float(seen.times_ms[place]) for place in branch]
    return all(time <= longest for time in times)


def _finding(seen: Inspected, forks: list[tuple[int, list[list[int]]]], gain: float) -> Finding:
    at_stake: dict[int, float] = {}
    layers: dict[int, None] = {}
    for _, branches in forks:
        stakes = [seen.stake(branch) for branch in branches]
        longest = max(range(len(stakes)), key=lambda each: sum(stakes[each].values()))
        for number, (branch, stake) in enumerate(zip(branches, stakes)):
            layers.update(dict.fromkeys(seen.layers[place].index for place in branch))
            if number != longest:
                at_stake |= stake
    dearest = max(forks, key=lambda each: _gain(seen, each[1]))
    names = listed((main_operation(seen.layers[branch[0]]) for branch in dearest[1]), _MOST_NAMED)
    count = sum(len(branches) for _, branches in forks)
    return Finding(
        f"{count:,} short independent branches behind {counted(len(forks), 'fork')} run on one stream, "
        f"{priced(gain, seen.total_ms)} beside the longest of each; the dearest fork begins {names}",
        tuple(layers),
        at_stake,
        _FORMULA,
        (
            Evidence("forks", len(forks)),
            Evidence("branches", count),
            Evidence("streams", 1),
            Evidence("dearest fork", ms(_gain(seen, dearest[1]))),
        ),
        (
            "trtexec --maxAuxStreams=2 (config.max_aux_streams in Python), with --useCudaGraph",
            "join equal branches: one product with concatenated weights, or one grouped convolution",
        ),
        _DOCUMENTATION,
        "StreamId of the new engine's layers differs between the branches, and the whole (not its layers) is faster",
        0.4,
    )


def _gain(seen: Inspected, branches: list[list[int]]) -> float:
    sums = [sum(seen.stake(branch).values()) for branch in branches]
    return sum(sums) - max(sums)


RULE = Rule(
    "LAUN003",
    "independent branches on one stream",
    Severity.NOTE,
    check,
    {
        "longest": Limit(0.02, "ms", "time up to which a kernel of a branch is short"),
        "share": Limit(2.0, "%", "least share of the engine's time that could be saved"),
    },
)
