"""Targets of the fuzzer: doors that are fuzzed together, and seeds for each.

Seeds are made at run time: from the synthetic cases, the package's examples and, where they are, the real engines next
to the repository.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from datetime import datetime
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import trex
from tests.build_log_text import EARLY, MODERN
from tests.conftest import SHARED
from tests.fuzz import doors, user_doors
from tests.synthetic import CASES
from tests.timing_caches import LAYOUTS, cache_bytes, made_entries
from tests.tuning_text import TUNING
from trex.capture.manifest import EngineRecord, FileRecord, Manifest, StageRecord, write_manifest
from trex.compare.baseline import baseline_document
from trex.core.note import Note
from trex.ingest.finding.engine_files import EngineFiles
from trex.ingest.timing_cache import read_timing_cache
from trex.ingest.timing_cache_record import record_text
from trex.perf.known_devices import BUNDLED
from trex.simulator.engine_file import SCHEMA, SimulatedEngine
from trex.store.manifest import run_text
from trex.store.run import Artifact, StoredRun

TARGETS: dict[str, tuple[doors.Door, ...]] = {
    "graphs": (doors.graph, doors.graph_or_text, doors.string, user_doors.polygraphy),
    "times": (doors.profile, doors.timing, user_doors.telemetry, user_doors.polygraphy_results),
    "documents": (
        doors.metadata,
        user_doors.baseline,
        user_doors.device,
        user_doors.manifest,
        user_doors.stored_run,
        user_doors.engine_file,
    ),
    "logs": (doors.log, doors.build_log, doors.inspector, doors.rows, user_doors.output),
    "words": (doors.words, doors.texts, user_doors.command_line, user_doors.options, user_doors.conditions),
    "files": (doors.files, doors.archive, doors.compressed, doors.slots),
    "settings": (user_doors.settings, user_doors.queries, user_doors.selections),
    "models": (user_doors.model,),
    "caches": (user_doors.timing_cache, user_doors.tuning),
}
DOORS: tuple[doors.Door, ...] = (*doors.DOORS, *user_doors.DOORS)
LONGEST_SEED = 20_000

# What no synthetic case has. The listing is of Polygraphy 0.53's grammar (trex/ingest/polygraphy_text.py).
LISTING = b"""\
[I] ==== TensorRT Engine ====
    Name: net | Explicit Batch Engine
    ---- 1 Engine Input(s) ----
    {x [dtype=float16, shape=(1, -1)]}
    ---- 1 Engine Output(s) ----
    {y [dtype=float16, shape=(1, -1)]}
    ---- Memory ----
    Device Memory: 512 bytes
    ---- 1 Profile(s) (2 Tensor(s) Each) ----
    - Profile: 0
        Tensor: x          (Input), Index: 0 | Shapes: min=(1, 2), opt=(1, 3), max=(1, 5)
    ---- 1 Layer(s) ----
    Layer 0    | conv [Op: CaskConvolution]
        {x [dtype=float16, shape=(1, 8), Format: Row major linear FP16 format]}
         -> {y [dtype=float16, shape=(1, 8), Format: Row major linear FP16 format]}
        ---- Attributes ----
        Origin = CONVOLUTION
        Tactic = 0x0000000000000001
"""
TELEMETRY = (
    b'{"schema": "trex.monitor/1", "gpu": {"index": 0, "name": "GPU"}, "started": "2026-01-02T03:04:05+00:00", '
    b'"monotonic_s": 1.5, "interval_s": 1.0, "stages": [{"name": "build", "start_s": 0, "end_s": null}], "samples": '
    b'{"time_s": [0, 1], "power_w": [5, null], "sm_clock_mhz": [1, 2], "throttle_reasons": [["gpu-idle"], null]}, '
    b'"notes": [{"code": "a-b", "severity": "info", "message": "m", "hint": ""}]}'
)
OUTPUT = b"""\
&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec --onnx=x.onnx --exportProfile=x.json
[01/02/2026-03:04:05] [I] Start parsing network model.
[01/02/2026-03:04:05] [V] [TRT] Original: 12 layers
[01/02/2026-03:04:05] [V] [TRT] =============== Computing costs for {ForeignNode[a...b]}
[I] [progress] timing: 1 of 9, 11.1 %
[01/02/2026-03:04:05] [E] Error[2]: [x.cpp::f::1] Error Code 2: No space left (reason:)
[01/02/2026-03:04:05] [I] Engine built in 1.5 sec.
[01/02/2026-03:04:05] [I] Timing trace has 2 queries over 3 s
"""
SETTINGS = b"""\
[lint]
select = ["CONV*", "REF001"]
ignore = ["names-only"]
fail-on = "warning"
[lint.limits.CONV003]
padding = 10
[[lint.suppress]]
rule = "REF001"
layers = ["*/head/*", "a"]
reason = "the camera delivers NCHW"
expires = 2026-12-31
[lint.rules."*"]
[compare]
baselines = "perf"
[compare.limits]
latency = "+3%"
"layer:gemm*" = false
[compare.engines."*-int8".limits]
latency = "+0.05ms"
"""
PROJECT_SETTINGS = b"[tool.trex.lint]\nselect = ['REF001']\n[tool.trex.compare.limits]\np99 = '+3%'\n"
DLA_PROFILE = b'[{"count": 1}, {"name": "{ForeignNode[a]} to nvm", "averageMs": 1}, {"name": "a", "timeMs": 1}]'
KERNELS = b"""\
ampere_h1688cudnn_128x128_ldg8_relu_exp_small_nhwc_tn_v1
volta_s884gemm_fp16_64x64_ldg8_nn
cutlass_80_tensorop_s16816gemm_f16_64x64_32x6_nn_align8
sm80_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize64x64x64_stage4
"""
CONDITIONS = b"latency>+3%\nlayer:gemm*>+10%\nthroughput<-5%\nmemory>+1MiB\np99>+0.2ms"
OPTIONS = b"fp16\nint8\nshapes=x:1x3x8x8,'y:0':2\nminShapes=x:1x3\nprofile=1\nmemPoolSize=workspace:1GiB\nduration=1e1"
COMMAND_LINES = (
    b"trtexec --onnx=a.onnx --saveEngine=b.engine --fp16 --memPoolSize=workspace:1024MiB --minShapes=x:1\nFP32+FP16",
    b"trtexec --loadEngine=a b.engine --shapes=x:1x3 --useSpinWait\nworkspace: 16 MiB",
)
QUERIES = (
    b"type == 'Convolution' and latency.pct_time > 5\nlatency.avg_time\nName,type",
    b"attr.kernel == (7, 7)\nattr.kernel",
    b"attr.kernel in [(1, 1), [3, 3]] or not (Name in ['a'])\n`layer.index`",
    b"layer.module.str.startswith('/layer1')\nname\nlayer.index,NAME",
    b"index < 3 and sqrt(latency.avg_time) > 0.1",
)
SELECTIONS = (b"^/layer1", b"0,2", b"conv1,fc", b"/layer1/0", b"(?i)relu|[a-c]")

RUN_RESULTS = b"""{"lst": [["trt-runner-N0", [{"outputs": {"y": {"values": {"array": "AAAA"}}}, "runtime": 0.0021,
 "runner_name": "trt-runner-N0", "polygraphy_class": "IterationResult"}]]], "polygraphy_class": "RunResults"}"""

_TEXTS: dict[doors.Door, tuple[bytes, ...]] = {
    user_doors.polygraphy: (LISTING,),
    user_doors.polygraphy_results: (RUN_RESULTS,),
    user_doors.telemetry: (TELEMETRY,),
    user_doors.output: (OUTPUT,),
    doors.build_log: (MODERN.encode(), EARLY.encode()),
    user_doors.settings: (
        SETTINGS,
        b"[tool.trex.lint]\nselect = ['REF001']\n[tool.trex.compare.limits]\np99 = '+3%'\n",
    ),
    user_doors.conditions: (CONDITIONS,),
    user_doors.options: (OPTIONS,),
    user_doors.command_line: COMMAND_LINES,
    user_doors.queries: QUERIES,
    user_doors.selections: SELECTIONS,
    doors.words: (KERNELS,),
    doors.graph_or_text: (LISTING,),
    doors.files: (LISTING, TELEMETRY),
    doors.slots: (TELEMETRY,),
    doors.profile: (
        b'[{"count": 1}, {"name": "{ForeignNode[a]} to nvm", "averageMs": 1}, {"name": "a", "timeMs": 1}]',
    ),
}


def seeds(chosen: tuple[doors.Door, ...] = DOORS) -> Iterator[tuple[doors.Door, bytes]]:
    """(door, what comes in by it) for these doors."""
    for door, data in _every_seed():
        if door in chosen:
            yield door, data


def _every_seed() -> Iterator[tuple[doors.Door, bytes]]:
    for door, texts in _TEXTS.items():
        yield from ((door, data) for data in texts)
    for name, data in _known_files():
        for door in _doors_for(name):
            yield door, data
    for case in list(CASES.values())[:3]:
        yield doors.archive, _packed(dict(case.files))
    for word in _words():
        yield doors.words, word.encode("utf-8", "surrogatepass")
    for file in sorted(BUNDLED.glob("*.json"))[::8]:
        yield user_doors.device, file.read_bytes()
    plan = trex.load_example("resnet18-fp16")
    yield user_doors.baseline, json.dumps(baseline_document(plan)).encode()
    yield user_doors.manifest, _manifest()
    yield user_doors.stored_run, _stored_run()
    yield user_doors.engine_file, _simulated_engine()
    yield user_doors.engine_file, b"ftrt" + bytes(20) + bytes((10, 4, 0, 1))
    yield user_doors.model, model_bytes()
    for layout in LAYOUTS:
        yield user_doors.timing_cache, cache_bytes(made_entries(), layout)
    yield user_doors.tuning, TUNING.encode()
    yield user_doors.timing_cache, record_text(read_timing_cache(cache_bytes(made_entries()))).encode()


def _stored_run() -> bytes:
    artifacts = (Artifact("x.graph.json", "ab" * 32, 12), Artifact("x.engine", "cd" * 32, 1 << 40, False))
    run = StoredRun(
        id="0123456789abcdef", name="x", model="x", made_at=datetime(2026, 11, 25, 23), labels={"a": "b"}, layers=3,
        layer_sum_ms=0.5, throttled=False, artifacts=artifacts,
    )  # fmt: skip
    return run_text(run, EngineFiles("x", graph="x.graph.json", more_logs=("y.log",))).encode()


def _known_files() -> Iterator[tuple[str, bytes]]:
    """Every small file of the synthetic cases and of real engines, with its name."""
    for case in CASES.values():
        yield from ((name, data) for name, data in case.files.items() if len(data) <= LONGEST_SEED)
    for file in sorted((*SHARED.glob("engines/*/*"), *SHARED.glob("logs/*.log"))):
        if file.is_file() and file.suffix in (".json", ".log", ".txt"):
            data = file.read_bytes()
            if len(data) <= LONGEST_SEED or file.suffix == ".log":
                yield file.name, data[:LONGEST_SEED]


def _doors_for(name: str) -> tuple[doors.Door, ...]:
    if name.endswith((".gz", ".zst")):
        return (doors.compressed, doors.files)
    if "metadata" in name:
        return (doors.metadata, doors.slots)
    for kind, door in (("profile", doors.profile), ("timing", doors.timing)):
        if kind in name and name.endswith(".json"):
            return (door, doors.slots)
    if name.endswith(".json"):
        return (doors.graph, doors.string, doors.files, doors.texts)
    return (doors.log, doors.build_log, doors.inspector, doors.rows, doors.graph_or_text, user_doors.output)


def _words() -> Iterator[str]:
    for case in CASES.values():
        for data in case.files.values():
            try:
                document = json.loads(data)
            except ValueError:
                continue
            layers = document.get("Layers") if isinstance(document, dict) else None
            for layer in layers[:4] if isinstance(layers, list) else ():
                if isinstance(layer, dict):
                    yield from (str(layer.get(key, ""))[:400] for key in ("Name", "TacticName", "Metadata"))


def _packed(files: dict[str, bytes]) -> bytes:
    packed = BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return packed.getvalue()


def _manifest() -> bytes:
    stage = StageRecord("build", ("trtexec",), 0, "", "s", "e", 1.5, "f", True, "x.log", "", {})
    file = FileRecord("m", 1, 2, "b")
    engine = EngineRecord(
        "m.engine", "0.1.0", "10.4.0", "trtexec", "/x", file, None, {}, {"build": stage}, (Note("a-b", "m"),)
    )
    with tempfile.TemporaryDirectory() as folder:
        return write_manifest(Manifest().with_engine(engine), Path(folder, "x")).read_bytes()


def _simulated_engine() -> bytes:
    engine = SimulatedEngine(
        "simulated", "x.onnx", "0", {"Selected Device": "A100"}, "10.4", ("FP16",), False, {"x": (1, 3)},
        json.loads(doors.GOOD_GRAPH), (0.1,), 0.1, 0.05, 0.2, 0.01,
    )  # fmt: skip
    return json.dumps({"schema": SCHEMA, **asdict(engine)}).encode()


def model_bytes() -> bytes:
    from onnx import TensorProto, helper

    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", 3]) for name in "xy"]
    weight = helper.make_tensor("w", TensorProto.FLOAT, (3,), [1.0, 2.0, 3.0])
    graph = helper.make_graph([helper.make_node("Add", ["x", "w"], ["y"], "add")], "g", ends[:1], ends[1:], [weight])
    model: bytes = helper.make_model(graph).SerializeToString()
    return model
