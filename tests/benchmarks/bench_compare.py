"""How right and how fast: which layers correspond, what made the difference, whether it is real.

Run ``python -m tests.benchmarks --only compare`` (some ten minutes: most of it simulates runs).

How it measures
    ``tests/compare/truth`` builds engines from made-up networks (residual, inverted bottlenecks, transformer blocks,
    a U-Net; the latter two as Myelin runs them) and a second engine from each: kernels split and merged, executed in
    another order, in another precision, with other kernels, layers dropped or added, attention fused or not, and all of
    it at once. Both are written as TensorRT's files tell them, with more or fewer witnesses: ONNX origins on both sides
    or on one, names alone, node numbers given anew, another exporter's names, no names, names and nothing else.
    Correspondence is judged by pairs of one layer on each side: right is a pair that holds the same operations, or that
    converts the same result for the same reader. The table shows the lower of precision and recall.
    Causes: Σ |told − true| ms over all causes, in parts of Σ |true| ms, the mean of the pairs of engines. True is what
    the generator's formula gave for each change, noise counted with the change of its layer; a layer touched by several
    changes has several causes ("on the same layers": those cannot be told apart from two profiles, and no more than one
    is told). The truth is what the files can tell: where they hold names only, what changed in kernels, types and
    shapes is unexplained, and so is a small kernel that is missing beside one that hides its work. Myelin calls a
    product by its first node: without ONNX origins nobody can say whether it took the small one in, or that is gone,
    unless the tensor or the shape that it writes says so (``tests/compare/truth/untold.py`` works that out from how the
    files are written, and asks nothing of the code that is judged). To say "fusion" there counts as wrong, as does
    "unexplained" where the files do tell.
    The gate is judged by runs of simulated times through the same code as ``trex compare --fail-on``. False alarms: how
    often two runs of one engine are told to differ, either way. Power: how often a slowdown by 3 % fails the condition
    ``compute>+1%``; a limit of 3 % itself would let one half of them pass, since one half is measured below it.
    Speed: engines are made and aligned in a process of its own; beside it stands what reading both takes. Samples: two
    runs of a million times each, statistics and tests; beside it, sorting both. Of both the processor's time is judged,
    which is the clock's on an idle machine.

Targets
    Precision and recall 0.97; causes 2 %; false alarms 5 %, power 95 % of 1 000 samples; 1 000 with 900 layers 0.2 s,
    5 000 with 4 500 1.5 s, 50 000 with 45 000 25 s, exponent 1.2; two million samples 3 s.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from statistics import fmean

from tests.benchmarks.table import Line, Part, child, counted, exponent

LEAST, CAUSES_PCT, ALARMS_PCT, POWER_PCT = 0.97, 2.0, 5.0, 95.0
BLOCKS, SEEDS, RUNS, SAMPLES = 8, 2, 400, 1_000
_OF_POWER = 4
SIZES = (1_000, 5_000, 50_000)
TARGETS_S = {1_000: 0.2, 5_000: 1.5, 50_000: 25.0}
EXPONENT, STATISTICS_S = 1.2, 3.0
SPEED_OF = {"both tell ONNX origins": "with origins", "no names": "without names"}
WORST = 8


def parts(quick: bool, sizes: tuple[int, ...], samples: int, repeats: int) -> list[Part]:
    """What is measured, in order."""
    runs = 8 if quick else RUNS
    return [
        ("alignment and causes", partial(truth, 3 if quick else BLOCKS, 1 if quick else SEEDS)),
        ("the gate", partial(gate, runs)),
        *((f"alignment {words}", partial(speed, told, sizes, repeats)) for told, words in SPEED_OF.items()),
        ("significance", partial(statistics, samples, repeats)),
    ]


def truth(blocks: int, seeds: int) -> Iterator[Line]:
    """By what was changed, where at least one side tells origins; by what is told, over all changes; the worst."""
    from tests.compare.truth.judged import judged
    from tests.compare.truth.pair import Score
    from tests.compare.truth.scenarios import CHANGES, OVERLAID, SWAPPED, TOLD

    every = [*CHANGES, *SWAPPED, *OVERLAID]
    found = {(change, told): judged(change, told, blocks, seeds) for told in TOLD for change in every}
    with_origins = list(TOLD)[:2]
    nothing = Score(0, 0, 0)
    for title, rows in (
        ("origins", [(change, [found[change, told] for told in with_origins], change) for change in every]),
        (
            "every change",
            [(told, [found[change, told] for change in every if change not in OVERLAID], "") for told in TOLD],
        ),
    ):
        for name, several, change in rows:
            score = sum((each.score for each in several), nothing)
            words = f"precision {score.precision:.3f}, recall {score.recall:.3f} of {score.true} pairs"
            least = min(score.precision, score.recall)
            yield Line(f"{title}: {name}", least, "", LEAST, words, is_least=True)
            distances = [distance for each in several for distance in each.distances]
            target = None if change in OVERLAID else CAUSES_PCT
            left_open = fmean(share for each in several for share in each.left_open)
            words = (
                f"largest {100 * max(distances):.1f} %; the files leave open {100 * left_open:.0f} % of what changed"
            )
            yield Line("  causes", 100 * fmean(distances), "%", target, words)
    ranked = sorted(found, key=lambda key: min(found[key].score.precision, found[key].score.recall))
    for change, told in ranked[:WORST]:
        score = found[change, told].score
        words = f"precision {score.precision:.3f}, recall {score.recall:.3f}; {told}"
        yield Line(f"  worst: {change}", min(score.precision, score.recall), "", None, words)


def gate(runs: int) -> Iterator[Line]:
    """False alarms and power for each kind of noise."""
    from tests.compare.truth.runs import NOISES, two_runs
    from trex.compare.gate import GateStatus, judge, read_condition
    from trex.compare.plan_diff import PlanDiff

    any_growth, one_percent = read_condition("compute>+0%"), read_condition("compute>+1%")
    for name, noise in NOISES.items():
        differs, fails, seen = 0, 0, 0
        for seed in range(runs):
            alike = PlanDiff(*two_runs(noise, SAMPLES, seed))
            differs += alike.significances["computeMs"].is_significant is True
            fails += judge(alike, [any_growth])[0].status is GateStatus.FAILED
        for seed in range(0, runs, _OF_POWER):
            slower = PlanDiff(*two_runs(noise, SAMPLES, runs + seed, slower=0.03))
            seen += judge(slower, [one_percent])[0].status is GateStatus.FAILED
        words = f"{runs} times two runs of {SAMPLES} samples; as a gate (slower alone) {100 * fails / runs:.1f} %"
        yield Line(f"false alarms, {name}", 100 * differs / runs, "%", ALARMS_PCT, words)
        count = len(range(0, runs, _OF_POWER))
        yield Line("  power at +3 %", 100 * seen / count, "%", POWER_PCT, f"{count} times", is_least=True)


def speed(told: str, sizes: tuple[int, ...], repeats: int) -> Iterator[Line]:
    """Aligning engines of growing size, and the growth."""
    best = []
    for layers in sizes:
        turn = child("compare", str(layers), told, str(repeats))
        best.append(turn["cpu_s"])
        aside = f"{turn['left']} with {turn['right']} layers; by the clock {turn['seconds']:.3f} s"
        aside += f"; precision {turn['precision']:.3f}, recall {turn['recall']:.3f}"
        aside += f"; reading both {turn['read_s']:.3f} s, {turn['cpu_s'] / turn['read_s']:.2f} times that"
        name = f"align {counted(layers)} {SPEED_OF[told]}"
        yield Line(name, turn["cpu_s"], "s", TARGETS_S.get(layers), aside)
    grown = exponent(sizes, best)
    yield Line(f"growth {SPEED_OF[told]}, exponent", grown, "", EXPONENT if len(sizes) > 2 else None)


def statistics(samples: int, repeats: int) -> Iterator[Line]:
    """Two runs of so many samples each."""
    turns = [child("significance", str(samples)) for _ in range(repeats)]
    best = min(turns, key=lambda turn: turn["cpu_s"])
    target = STATISTICS_S if samples == 1_000_000 else None
    aside = f"by the clock {best['seconds']:.3f} s; sorting both {best['sort_s']:.3f} s, "
    aside += f"{best['cpu_s'] / best['sort_s']:.1f} times"
    yield Line(f"is it real, 2 × {samples} samples", best["cpu_s"], "s", target, aside)
