"""How much a sweep adds to its jobs, and whether it loses any: no-op jobs, and real builds whose workers are killed.

Run ``python -m tests.benchmarks --only sweep`` (half an hour; ``--quick`` half a minute). The builds need the wheels of
the extra ``rtx``, no GPU.

How it measures
    Two local workers. Of jobs that do nothing, all that Dask, the sweep's loop and the events take. Of jobs whose child
    is a mock of ``trex process`` that writes an engine of one layer, the time of a worker per job beyond that of
    the child: looking into the store, the claim, folders, reading the engine, linting it, its five tables. Then real
    builds of TensorRT for RTX: small networks × batch × target, each worker killed once (SIGKILL) while it builds; jobs
    in the store are compared with the matrix.

Targets
    At most 50 ms a job beyond the child at 10,000 jobs. 200 builds: none lost, none twice.
"""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

from tests.benchmarks.table import Line, Part

WORKERS = 2
OVERHEAD_MS = 50.0
JOBS, BUILDS = 10_000, 200


def parts(folder: Path, is_quick: bool) -> list[Part]:
    """What is measured, in order."""
    jobs, builds = (60, 8) if is_quick else (JOBS, BUILDS)
    return [("sweep", partial(scheduling, folder, jobs)), ("sweep builds", partial(building, folder, builds))]


def scheduling(folder: Path, count: int) -> Iterator[Line]:
    from tests.sweep.jobs import PROGRAM, make_jobs
    from trex.store.run_store import RunStore
    from trex.store.sweep_record import DONE
    from trex.sweep.cluster import client_of
    from trex.sweep.spec import SweepSpec
    from trex.sweep.sweep import Sweep

    folder.mkdir(exist_ok=True)
    jobs = make_jobs(folder, [f"name={index}" for index in range(count)])
    spec = SweepSpec("bench", {"model": ("m.onnx",)})
    with client_of(workers=WORKERS) as client:
        for name, options in (("nothing", {"work": _nothing}), ("a mock", {"program": PROGRAM})):
            store = RunStore.open(folder / f"store of {name}", create=True)
            sweep = Sweep(spec, jobs, store, folder / f"store of {name}", client, **options)
            start, used_before = perf_counter(), _processor_seconds(client)
            progress = sweep.run()
            wall, processor = perf_counter() - start, _processor_seconds(client) - used_before
            assert progress.counts[DONE] == count, progress.counts
            child = sum(state.seconds or 0.0 for state in progress.states)
            used = wall * (1 if name == "nothing" else WORKERS)
            overhead = (used - child) / count * 1000
            aside = f"{wall:.1f} s in all; children {child / count * 1000:.0f} ms each"
            yield Line(f"sweep of {count:,} jobs: {name}, each", overhead, "ms", OVERHEAD_MS, aside)
            yield Line("  processor time of trex and Dask, each", processor / count * 1000, "ms", OVERHEAD_MS)


def _processor_seconds(client: Any) -> float:
    """Of this process with the scheduler, and of the workers, without their children."""
    return sum(client.run(time.process_time).values()) + time.process_time()


def _nothing(job: Any, destination: Any, model: Any) -> Any:
    from trex.sweep.running import ADDED, JobResult

    return JobResult(ADDED)


def building(folder: Path, count: int) -> Iterator[Line]:
    """Small convolutional networks made by us, each for two batch sizes and two targets."""
    from trex.store.run_store import RunStore
    from trex.store.sweep_record import DONE
    from trex.sweep.cluster import client_of
    from trex.sweep.matrix import Matrix
    from trex.sweep.progress import SweepProgress
    from trex.sweep.spec import SweepSpec
    from trex.sweep.sweep import Sweep

    models = folder / "networks"
    models.mkdir(parents=True)
    for index in range(count // 4):
        _write_network(models / f"net{index:02}.onnx", 2 + index % 4, 8 + 4 * (index // 4))
    axes = {"model": ("*.onnx",), "batch": ("1", "8"), "backend": ("tensorrt-rtx",), "gpu": ("A100", "RTX 4090")}
    spec = SweepSpec("builds", axes, folder=str(models))
    killed: list[int] = []
    with client_of(workers=WORKERS) as client:
        pids = list(client.run(os.getpid).values())

        def kill(progress: SweepProgress, _: Any) -> None:
            wanted = len(pids) * progress.counts[DONE] // (count // 2)
            if len(killed) < min(wanted, len(pids)) and len(progress.running) == WORKERS:
                killed.append(pids[len(killed)])
                os.kill(killed[-1], signal.SIGKILL)

        store = RunStore.open(folder / "store", create=True)
        jobs = Matrix(spec, folder).jobs
        start = perf_counter()
        progress = Sweep(spec, jobs, store, folder / "store", client, kill).run()
        wall = perf_counter() - start
    runs = Counter((run.job_key, run.repetition) for run in store.manifests())
    lost = sum(job.identity not in runs for job in jobs)
    twice = sum(number - 1 for number in runs.values())
    seconds = sum(state.seconds or 0.0 for state in progress.states) / len(jobs)
    starts = sum(state.starts for state in progress.states)
    aside = f"{wall:.0f} s, {seconds:.1f} s a build; {len(killed)} workers killed, {starts} starts"
    aside += f", {len(progress.failed)} failed" if progress.failed else ""
    yield Line(f"sweep of {len(jobs)} builds: lost", float(lost), "jobs", 0.0, aside)
    yield Line("  in the store twice", float(twice), "jobs", 0.0, f"{len(runs)} jobs in the store")


def _write_network(path: Path, depth: int, channels: int) -> None:
    from trex.examples.net import Net

    net = Net(path.stem, weights="random")
    x, width = net.input("x", (None, 3, 32, 32)), 3
    for index in range(depth):
        x = net.node("Relu", net.conv(x, f"conv{index}", (width, channels), 3), at=f"/relu{index}")
        width = channels
    net.output("y", net.node("GlobalAveragePool", x, at="/pool"), (None, width, 1, 1))
    path.write_bytes(net.model(opset=17, ir_version=8).SerializeToString())
