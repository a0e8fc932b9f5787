"""One measurement in a process of its own, so that nothing is warm that a user would find cold.

``python -m tests.benchmarks.child WHAT FILE…`` prints one JSON object. Only the standard library is imported at the
top: what an import costs is one of the things that are measured.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from tests.benchmarks.child_compare import measure_compare, measure_significance
from tests.benchmarks.child_loads import measure_leak, measure_loads
from tests.benchmarks.child_simulated import measure_passes, measure_simulated


def peak_bytes() -> int | None:
    """The most memory this process has held; None if the system does not report it.

    Linux reports it per address space in /proc. ``getrusage`` alone would start at the size of the parent process.
    """
    status = Path("/proc/self/status")
    if status.is_file():
        line = next((row for row in status.read_text().splitlines() if row.startswith("VmHWM:")), "")
        return int(line.split()[1]) * 1024 if line else None
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def warm_imports() -> None:
    """Load a two-layer engine: brings in every module and none of the measured file's strings.

    The process is trex's own, as that of the command line.
    """
    import orjson  # noqa: F401
    import pandas  # noqa: F401

    import trex
    from trex.core.collector import use_own_process

    use_own_process()
    from tests.synthetic.artifacts import make_cnn

    with tempfile.TemporaryDirectory() as folder:
        for name, data in make_cnn(2).items():
            (Path(folder) / name).write_bytes(data)
        plan = trex.EnginePlan(f"{folder}/cnn-2.graph.json", f"{folder}/cnn-2.profile.json")
        plan.df  # noqa: B018
        plan.get_layers_by_type("Convolution")


def load(graph: str, profile: str) -> dict[str, float]:
    """Seconds from two files to the DataFrame, by the clock and of the processor."""
    import trex

    start, start_cpu = perf_counter(), process_time()
    plan = trex.EnginePlan(graph, profile)
    plan.df  # noqa: B018
    return {"load_s": perf_counter() - start, "load_cpu_s": process_time() - start_cpu}


def reference(graph: str, profile: str) -> dict[str, float]:
    """The same for the least that anyone could do with the same files: parse the JSON, hand the records to pandas."""
    import orjson
    import pandas as pd

    start = perf_counter()
    pd.DataFrame(orjson.loads(Path(graph).read_bytes())["Layers"])
    pd.DataFrame(orjson.loads(Path(profile).read_bytes()))
    return {"reference_s": perf_counter() - start}


def measure_load(graph: str, profile: str, first: str) -> dict[str, Any]:
    """Both, in one process; ``first`` (``load`` or ``reference``) says which goes first."""
    warm_imports()
    if first == "reference":
        return {**reference(graph, profile), **load(graph, profile)}
    return {**load(graph, profile), **reference(graph, profile)}


def measure_memory(graph: str, profile: str) -> dict[str, Any]:
    warm_imports()
    before = peak_bytes()
    import trex

    plan = trex.EnginePlan(graph, profile)
    plan.df  # noqa: B018
    after = peak_bytes()
    size = Path(graph).stat().st_size + Path(profile).stat().st_size
    return {"peak_bytes": None if before is None or after is None else after - before, "file_bytes": size}


def measure_by_type(graph: str, profile: str) -> dict[str, Any]:
    warm_imports()
    import trex

    plan = trex.EnginePlan(graph, profile)
    plan.df  # noqa: B018
    start = perf_counter()
    frame = plan.get_layers_by_type("Convolution")
    return {"seconds": perf_counter() - start, "rows": len(frame)}


def measure_timing(path: str) -> dict[str, Any]:
    warm_imports()
    from trex.parser import read_timing_file

    start = perf_counter()
    latencies = read_timing_file(path)
    seconds = perf_counter() - start
    import orjson

    start = perf_counter()
    orjson.loads(Path(path).read_bytes())
    return {"seconds": seconds, "rows": len(latencies), "reference_s": perf_counter() - start}


def measure_log(path: str) -> dict[str, Any]:
    """Finding and reading a log, after a small one of its kind was read."""
    from tests.benchmarks.bench_logs import write_log
    from trex.ingest.artifacts import read_artifacts
    from trex.ingest.files import find_engines
    from trex.ingest.source import read_blocks

    with tempfile.TemporaryDirectory() as folder:
        small = write_log(Path(folder) / "small.log", 10_000)
        for files in find_engines(small):
            read_artifacts(files)
    before = peak_bytes()
    start = perf_counter()
    (files_of_path,) = [files for files in find_engines(path) if path in files.paths]
    engine = read_artifacts(files_of_path).engine
    seconds = perf_counter() - start
    after = peak_bytes()
    size = sum(map(len, read_blocks(path, [])))
    peak = None if before is None or after is None else after - before
    return {"seconds": seconds, "peak_bytes": peak, "bytes": size, "layers": len(engine.layers)}


def measure_build_log(path: str) -> dict[str, Any]:
    """Reading all tactics of a log and what ``trex tactics`` prints of them; libraries are imported before."""
    from tests.build_log_text import MODERN
    from trex.builder.loading import load_tactics
    from trex.export.document import RenderStyle, render_document
    from trex.views.tactics import tactics_document

    def analyzed(log: str) -> int:
        tactics = load_tactics(log)
        render_document(tactics_document(tactics, is_short=True), "text", RenderStyle(verbose=False))
        return len(tactics.log.times)

    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder) / "small.log"
        small.write_text(MODERN, encoding="utf-8")
        analyzed(str(small))
    before = peak_bytes()
    start = perf_counter()
    timings = analyzed(path)
    seconds = perf_counter() - start
    after = peak_bytes()
    peak = None if before is None or after is None else after - before
    return {"seconds": seconds, "peak_bytes": peak, "timings": timings}


def measure_import() -> dict[str, Any]:
    start = perf_counter()
    import trex

    seconds = perf_counter() - start
    brought = {name: name in sys.modules for name in ("pandas", "numpy")}
    trex.EnginePlan  # noqa: B018
    return {"seconds": seconds, **brought, "first_use_s": perf_counter() - start - seconds}


def measure_draw(graph: str, profile: str, how: str, stem: str) -> dict[str, Any]:
    """From a loaded plan to its files. how: ``flat``; ``folded``, from the plan on; ``framed``, each module in a
    frame; or ``default``, as a user gets it without a choice. The files go to STEM.dot, .svg and .html.
    """
    warm_imports()
    import trex
    from trex.engine_plan import load_example
    from trex.export.html import render_html
    from trex.export.svg import render_svg
    from trex.graph.build import build_graph
    from trex.graph.fold import fold_blocks
    from trex.graphing import layer_type_formatter, to_dot
    from trex.views.diagram.drawn_graph import drawn_graph
    from trex.views.diagram.scene import build_scene
    from trex.views.diagram.style import DiagramStyle

    styles = {
        "flat": DiagramStyle(fold_from=0),
        "folded": DiagramStyle(fold=True, fold_from=0),
        "framed": DiagramStyle(fold_from=0, group_by="module"),
        "default": DiagramStyle(),
    }
    small = load_example("resnet18-fp16")
    whole = fold_blocks(build_graph(small))
    scene = build_scene(whole, small)
    warm = (to_dot(small, layer_type_formatter).source, render_svg(scene), render_html(scene, whole, small))
    plan = trex.EnginePlan(graph, profile)
    figures: dict[str, Any] = {"layers": len(plan.working_layers), "warm": len(warm)}
    if how == "flat":
        start, busy = perf_counter(), process_time()
        source = to_dot(plan, layer_type_formatter).source
        figures["to_dot_s"], figures["to_dot_cpu_s"] = perf_counter() - start, process_time() - busy
        Path(f"{stem}.dot").write_text(source, encoding="utf-8")
    drawn = drawn_graph(plan, styles["flat"])
    start, busy = perf_counter(), process_time()
    style = styles[how]
    if how != "flat":
        drawn = drawn_graph(plan, style)
    scene = build_scene(drawn, plan, style)
    figures["layout_s"], figures["layout_cpu_s"] = perf_counter() - start, process_time() - busy
    figures |= {"boxes": len(scene.boxes), "frames": len(scene.frames), "facts": list(scene.facts)}
    start = perf_counter()
    picture = render_svg(scene)
    figures["svg_s"], figures["svg_bytes"] = perf_counter() - start, len(picture.encode())
    start = perf_counter()
    page = render_html(scene, drawn, plan)
    figures["html_s"], figures["html_bytes"] = perf_counter() - start, len(page.encode())
    Path(f"{stem}.svg").write_text(picture, encoding="utf-8")
    Path(f"{stem}.html").write_text(page, encoding="utf-8")
    return figures


def measure_page(path: str) -> dict[str, Any]:
    from tests.benchmarks.page import page_speed

    return page_speed(Path(path))


def measure_report_page(path: str) -> dict[str, Any]:
    from tests.benchmarks.page import report_speed

    return report_speed(Path(path))


def measure_charts(graph: str, profile: str) -> dict[str, Any]:
    """Seconds for each chart of a loaded plan, from its making to its description; nothing of it was made before."""
    warm_imports()
    import trex
    from trex.core.collector import collector_paused
    from trex.engine_plan import load_example
    from trex.export.figures.figure import described
    from trex.perf.recognize import find_device
    from trex.views.chart import CHARTS, Subject

    device = find_device("A100 80GB PCIe")
    small = Subject.of_plan(load_example("resnet18-int8"), device)
    warm = [described(chart.plot(small)) for chart in CHARTS.values()]
    subject = Subject.of_plan(trex.EnginePlan(graph, profile), device)
    figures = {}
    with collector_paused():  # as it is while a report is written
        for name, chart in CHARTS.items():
            start = perf_counter()
            described(chart.plot(subject))
            figures[name] = perf_counter() - start
    return {"charts": figures, "warm": len(warm)}


def measure_perf(graph: str, profile: str) -> dict[str, Any]:
    """Work and roofline, then memory, of a loaded plan."""
    warm_imports()
    import trex
    from trex.engine_plan import load_example

    small = trex.performance(load_example("transformer-fp16"), "A100 80GB PCIe")
    warm = (len(small.works), small.roofline.device is not None, small.memory is not None)
    plan = trex.EnginePlan(graph, profile)
    performance = trex.performance(plan, "A100 80GB PCIe")
    start, start_cpu = perf_counter(), process_time()
    layers = len(performance.works)
    worked = perf_counter()
    bounds = len(performance.roofline.bound)
    spent = {"work_s": worked - start, "roofline_s": perf_counter() - worked, "cpu_s": process_time() - start_cpu}
    start = perf_counter()
    performance.memory  # noqa: B018
    return {**spent, "memory_s": perf_counter() - start, "layers": layers, "bounds": bounds, "warm": len(warm)}


def measure_rules(graph: str, profile: str) -> dict[str, Any]:
    """Lint of a loaded plan; then each rule alone, with shared readings and indexes already built."""
    warm_imports()
    import trex
    from trex.engine_plan import load_example
    from trex.rules.analyzed_engine import AnalyzedEngine
    from trex.rules.lint import lint
    from trex.rules.rule import RULES

    warm = len(trex.lint_engine(load_example("transformer-fp16"), "A100 80GB PCIe").findings)
    plan = trex.EnginePlan(graph, profile)
    start, start_cpu = perf_counter(), process_time()
    result = lint(trex.performance(plan, "A100 80GB PCIe"))
    spent = {"lint_s": perf_counter() - start, "cpu_s": process_time() - start_cpu}
    performance = trex.performance(plan, "A100 80GB PCIe")
    start = perf_counter()
    _ = performance.works, performance.roofline, performance.tilings, performance.samples, performance.memory
    _ = performance.reconciliation
    engine = AnalyzedEngine(performance)
    readings_s = perf_counter() - start
    seconds: dict[str, float] = {}
    for again in (False, True):  # the second time, the indexes of ``AnalyzedEngine`` exist, too
        for name, plug in RULES.items():
            limits = {name: limit.default for name, limit in plug.value.limits.items()}
            start = process_time()  # a share is not to depend on what else the machine does
            try:
                list(plug.value.check(engine, limits))
            except Exception:  # listed below
                continue
            if again:
                seconds[name] = process_time() - start
    return {
        **spent,
        "readings_s": readings_s,
        "seconds": seconds,
        "rules": len(result.rules),
        "findings": len(result.findings),
        "failed": [failed.rule for failed in result.failed],
        "layers": len(plan.working_layers),
        "warm": warm,
    }


def measure_samples(count: str) -> dict[str, Any]:
    """Statistics of so many times in milliseconds: drifting, skewed, with outliers, in steps of a clock."""
    import numpy as np

    from trex.perf.samples.statistics import statistics_of

    source = np.random.default_rng(7)

    def values(number: int) -> Any:
        times = 0.8 + 0.01 * source.standard_gamma(2.0, number) + np.linspace(0, 0.004, number)
        times[source.random(number) < 0.001] += 0.3
        return np.round(times / 0.001024) * 0.001024

    statistics_of(values(2_000))
    times = values(int(count))
    start, start_cpu = perf_counter(), process_time()
    statistics = statistics_of(times)
    return {
        "seconds": perf_counter() - start,
        "cpu_s": process_time() - start_cpu,
        "median_ms": statistics.median_ms,
    }


def measure_tactics(shared: str) -> dict[str, Any]:
    """How much of the kernels' names under a folder of real engines and logs is understood, each name counted once."""
    from trex.core.errors import TrexError
    from trex.core.tactic import NamePart
    from trex.engine_plan import load_all
    from trex.ingest.spelling.tactic_names import decode_tactic

    names: dict[str, None] = {}
    files = 0
    for path in sorted([*Path(shared, "engines").glob("*/"), *Path(shared, "logs").glob("*")]):
        try:
            plans = load_all(path)
        except TrexError:  # not every log has an engine
            continue
        files += 1
        names |= dict.fromkeys(layer.tactic for plan in plans for layer in plan.engine.layers if layer.tactic)
    parts = {name: decode_tactic(name).parts or (NamePart(name),) for name in names}
    whole = sum(all(part.words for part in of_name) for of_name in parts.values())
    characters = sum(len(part.text) for of_name in parts.values() for part in of_name)
    decoded = sum(len(part.text) for of_name in parts.values() for part in of_name if part.words)
    return {"names": len(names), "whole": whole, "files": files, "decoded_pct": 100 * decoded / max(characters, 1)}


MEASURES: dict[str, Callable[..., dict[str, Any]]] = {
    "load": measure_load,
    "memory": measure_memory,
    "by-type": measure_by_type,
    "timing": measure_timing,
    "log": measure_log,
    "build-log": measure_build_log,
    "import": measure_import,
    "draw": measure_draw,
    "perf": measure_perf,
    "rules": measure_rules,
    "samples": measure_samples,
    "tactics": measure_tactics,
    "compare": measure_compare,
    "significance": measure_significance,
    "simulated": measure_simulated,
    "simulated-passes": measure_passes,
    "page": measure_page,
    "report-page": measure_report_page,
    "charts": measure_charts,
    "loads": measure_loads,
    "leak": measure_leak,
}


if __name__ == "__main__":
    print(json.dumps(MEASURES[sys.argv[1]](*sys.argv[2:])))
