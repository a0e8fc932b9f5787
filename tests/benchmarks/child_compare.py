"""What is measured of comparisons, in a process of its own: see ``child``. Imports are inside for the same reason."""

from __future__ import annotations

from time import perf_counter, process_time
from typing import Any


def measure_compare(layers: str, spelling: str, repeats: str) -> dict[str, Any]:
    """Aligning two engines, after two small ones, and reading both, for comparison; the least of all repetitions."""
    from tests.compare.truth import changes as made
    from tests.compare.truth.pair import pair_of, score_of
    from tests.compare.truth.scenarios import TOLD, base_of
    from trex.compare.matching.align import align
    from trex.ingest.graph_json import engine_from_documents

    changes = (made.dropped(0.14), made.tactics(0.2), made.merge(0.05))

    def pair(blocks: int) -> Any:
        return pair_of(base_of("residual", blocks, 0), changes, *TOLD[spelling])

    warm = pair(4)
    align(warm.left, warm.right)
    measured = pair(max(1, round((int(layers) - 6) / 2.335)))
    spent = []
    for _ in range(int(repeats)):
        start, start_cpu = perf_counter(), process_time()
        alignment = align(measured.left, measured.right)
        spent.append((process_time() - start_cpu, perf_counter() - start))
    score = score_of([(match.left, match.right) for match in alignment.matches], measured.groups)
    records = [[layer.raw for layer in side.working_layers] for side in (measured.left, measured.right)]
    start_cpu = process_time()
    for side in records:
        engine_from_documents([{"Layers": side}])
    read_cpu = process_time() - start_cpu
    return {
        "cpu_s": min(spent)[0],
        "seconds": min(seconds for _, seconds in spent),
        "left": len(measured.left.working_layers),
        "right": len(measured.right.working_layers),
        "precision": score.precision,
        "recall": score.recall,
        "read_s": read_cpu,
    }


def measure_significance(count: str) -> dict[str, Any]:
    """Two runs of so many times each: statistics and all tests; and what sorting both takes."""
    import numpy as np

    from tests.compare.truth.runs import correlated, two_runs
    from trex.compare.plan_diff import PlanDiff

    noise = correlated(0.01, 0.5)
    PlanDiff(*two_runs(noise, 1_000, 0)).significances  # noqa: B018
    plans = two_runs(noise, int(count), 1, slower=0.001)
    start, start_cpu = perf_counter(), process_time()
    PlanDiff(*plans).significances  # noqa: B018
    spent = {"seconds": perf_counter() - start, "cpu_s": process_time() - start_cpu}
    start_cpu = process_time()
    for plan in plans:
        np.sort(np.asarray(plan.query_times.columns["computeMs"]))  # type: ignore[union-attr]
    return {**spent, "sort_s": process_time() - start_cpu}
