"""A model and this machine → which promises hold here, and a bundle to attach: ``trex doctor --acceptance OUT``.

Each promise is tried as a user would: a command runs in a process of its own, and what it wrote is looked at. A promise
that cannot be tried (no TensorRT for Python, no plotly) says why; it never counts as kept.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median

from trex.capture.environment import Environment
from trex.capture.manifest import read_manifest
from trex.capture.probe import run_program
from trex.cli.output import write_output
from trex.core.errors import TrexError
from trex.core.read_files import replaced_input
from trex.core.regular_file import parse_record
from trex.examples.network import write_network
from trex.export.bundle import Bundle, write_bundle
from trex.plan.engine_plan import EnginePlan
from trex.plan.loading import load_plan
from trex.views.document import Block, Document, Section, Text
from trex.views.hashed_words import HashedWords
from trex.views.table import Table, TableColumn

NETWORK = "resnet18"
BUNDLED, YOURS = "bundled", "your"
KEPT, BROKEN, UNTRIED = "yes", "NO", "not tried"
TIMEOUT_S = 3600
GRACE_S = 15.0
"""For a command that a signal ends: three times what it gives trtexec, so that it can set its files aside."""
MOST_SPREAD = 0.02
"""Of the SM clock during the profile, as a share of its median: one step of the clock is about 1 %."""
LEAST_SUM, MOST_SUM = 0.8, 3.0
"""Sum of layer times over GPU compute. The profiler's overhead makes it larger for short layers."""


@dataclass(frozen=True)
class Promise:
    """One promise, on one of the models: whether it held, and by which evidence."""

    model: str
    promise: str
    result: str
    evidence: str


@dataclass
class Trial:
    """One model's trial. folder: where its engine goes. log: the commands and what they printed."""

    model: str
    file: Path
    folder: Path
    words: tuple[str, ...]
    log: list[str] = field(default_factory=list)

    def promises(self, say: Callable[[str], None]) -> Iterator[Promise]:
        say(f"{self.model} model: building and profiling")
        code, output = self.run("process", self.file, self.engine, "--monitor", *self.words)
        built = self.kept("builds, profiles and exports", code == 0, _last(output) if code else "")
        yield built
        if built.result != KEPT:
            return
        try:
            plan = load_plan(EnginePlan, str(self.engine))
        except TrexError as error:
            yield self.kept("reads what was captured", False, error.message)
            return
        yield self._files(plan)
        problems = [note.message for note in plan.notes if note.severity == "problem"]
        evidence = "; ".join(problems)[:200] or f"{len(plan.working_layers)} layers"
        yield self.kept("reads what was captured", not problems, evidence)
        yield self._times(plan)
        yield self._sum(plan)
        yield self._clocks(output)
        yield self._monitor(plan)
        yield self._steady(plan)
        say(f"{self.model} model: a second run")
        yield self._up_to_date()
        say(f"{self.model} model: answers and pictures")
        for words in (("summary",), ("lint",), ("perf",), ("layers", "--top", "3")):
            code, output = self.run(words[0], self.engine, *words[1:])
            yield self.kept(f"trex {words[0]}", code in (0, 1), _last(output) if code not in (0, 1) else "")
        for name in ("graph.svg", "graph.html"):
            yield self._page("trex draw", name, "draw")
        yield self._page("trex report", "report.html", "report")
        say(f"{self.model} model: building once more")
        yield self._repeated()

    @property
    def engine(self) -> Path:
        return self.folder / "engine"

    def kept(self, promise: str, is_kept: bool, evidence: str) -> Promise:
        return Promise(self.model, promise, KEPT if is_kept else BROKEN, evidence)

    def run(self, *words: object) -> tuple[int, str]:
        """Exit code and output of ``trex`` in a process of its own, kept in the log."""
        command = [sys.executable, "-m", "trex", *map(str, words)]
        package = str(Path(__file__).resolve().parents[2])
        paths = os.pathsep.join((package, *filter(None, [os.environ.get("PYTHONPATH")])))
        environment = {**os.environ, "PYTHONPATH": paths, "NO_COLOR": "1", "COLUMNS": "110"}
        done = run_program(command, TIMEOUT_S, GRACE_S, environment)
        output = f"not finished after {TIMEOUT_S} s" if done.is_late else "\n".join(done.lines)
        code = -1 if done.is_late else done.exit_code
        self.log.append(f"$ trex {' '.join(map(str, words))}\n{output}\nexit code {code}\n")
        return code, output

    def _files(self, plan: EnginePlan) -> Promise:
        files = plan.files
        slots = ("graph", "profile", "timing", "profile_metadata", "build_log", "profile_log")
        missing = [slot for slot in slots if files is None or getattr(files, slot) is None]
        return self.kept("all files are there", not missing, f"without {', '.join(missing)}" if missing else "")

    def _times(self, plan: EnginePlan) -> Promise:
        timed = sum(time is not None for time in plan.times)
        left = len(plan.join.unmatched) if plan.join is not None else 0
        evidence = f"{timed} of {len(plan.times)}" + (f", rows of the profile without a layer: {left}" if left else "")
        return self.kept("every layer has its time", timed == len(plan.times) and not left, evidence)

    def _sum(self, plan: EnginePlan) -> Promise:
        promise = "layer times fit GPU compute"
        latency = plan.metadata.latency.get("GPU Compute Time")
        compute = latency.median_ms if latency is not None else None
        times = [time.average_ms for time in plan.times if time is not None and time.average_ms is not None]
        if not compute or not times:
            return Promise(self.model, promise, UNTRIED, "no GPU compute time in the files")
        ratio = sum(times) / compute
        return self.kept(promise, LEAST_SUM <= ratio <= MOST_SUM, f"{ratio:.2f} × {compute:.4g} ms")

    def _clocks(self, output: str) -> Promise:
        promise = "locks the clocks"
        records = read_manifest(self.engine / "manifest.json").engines.values()
        clocks: Mapping[str, float] = next((record.clocks for record in records if record.clocks), {})
        if clocks:
            return self.kept(promise, True, ", ".join(f"{name} {value:g}" for name, value in clocks.items()))
        reason = next((line.strip() for line in output.splitlines() if "(clocks-not-locked)" in line), "not locked")
        return Promise(self.model, promise, UNTRIED if "no permission" in reason else BROKEN, reason[:200])

    def _monitor(self, plan: EnginePlan) -> Promise:
        count = 0 if plan.telemetry is None else len(plan.telemetry)
        return self.kept("records the GPU while it runs", count > 1, f"{count} samples")

    def _steady(self, plan: EnginePlan) -> Promise:
        promise = "locked clocks stay"
        clocks = [] if plan.telemetry is None else [c for c in plan.telemetry.columns.get("sm_clock_mhz", ()) if c == c]
        busy = [clock for clock in clocks if clock > 0.5 * max(clocks)]
        if len(busy) < 2:
            return Promise(self.model, promise, UNTRIED, "no clocks were recorded")
        spread = (max(busy) - min(busy)) / median(busy)
        return self.kept(promise, spread <= MOST_SPREAD, f"{min(busy):.0f} to {max(busy):.0f} MHz")

    def _up_to_date(self) -> Promise:
        def built() -> list[int]:
            return [file.stat().st_mtime_ns for file in sorted(self.engine.glob("*.engine"))]

        before = built()
        code, output = self.run("process", self.file, self.engine, "--monitor", *self.words)
        return self.kept("a second run builds nothing", code == 0 and built() == before, _last(output) if code else "")

    def _page(self, promise: str, name: str, command: str) -> Promise:
        file = self.folder / name
        code, output = self.run(command, self.engine, "-o", file)
        if code == 2 and "pip install" in output:
            return Promise(self.model, f"{promise} {name}", UNTRIED, _last(output))
        is_written = code in (0, 1) and file.is_file() and file.stat().st_size > 1000
        return self.kept(f"{promise} {name}", is_written, "" if is_written else _last(output))

    def _repeated(self) -> Promise:
        promise = "the same model again is no regression"
        again = self.folder / "again"
        code, output = self.run("process", self.file, again, *self.words)
        if code:
            return Promise(self.model, promise, UNTRIED, _last(output))
        code, output = self.run("compare", self.engine, again, "--fail-on", "latency>+5%")
        if code == 3:
            return Promise(self.model, promise, UNTRIED, f"inconclusive: {_last(output)}")
        return self.kept(promise, code == 0, _last(output))


def _is_ours(file: Path) -> bool:
    """Whether an earlier trial has written the folder; the file is not remembered as read: it is written again."""
    try:
        return file.is_file() and "promises" in parse_record(file.read_bytes())
    except (OSError, ValueError, TypeError):
        return False


def accept(
    folder: Path,
    model: Path | None,
    words: Sequence[str],
    trtexec: str,
    environment: Environment,
    say: Callable[[str], None],
) -> tuple[Document, bool]:
    """Tries everything below ``folder`` and writes ``acceptance.json`` and ``bundle.zip`` there.

    model: one of the user's, None for the bundled network alone. words: its options for ``trex process``. trtexec:
    where it is, if not in the usual places. Returns the document, and whether no promise was broken.
    """
    network = folder / BUNDLED / f"{NETWORK}.onnx"
    if folder.is_dir() and any(folder.iterdir()) and not _is_ours(folder / "acceptance.json"):
        message = "the folder has files of others, which could be replaced"
        raise TrexError(message, "name a new or an empty folder", str(folder))
    if model is not None and network.exists() and network.samefile(model):
        raise replaced_input(str(network))
    network.parent.mkdir(parents=True, exist_ok=True)
    if not (folder / "acceptance.json").exists():  # a trial that is killed may be repeated here, too
        write_output(str(folder / "acceptance.json"), _facts((), environment, str))
    write_network(NETWORK, network, 1, weights="random")
    program = ("--trtexec", trtexec) if trtexec else ()
    trials = [Trial(BUNDLED, network, folder / BUNDLED, program)]
    if model is not None:
        trials.append(Trial(YOURS, model, folder / YOURS, (*program, *words)))
    promises: list[Promise] = []
    for trial in trials:
        trial.folder.mkdir(exist_ok=True)
        promises += trial.promises(say)
        write_output(str(trial.folder / "commands.log"), "\n".join(trial.log))
    write_output(str(folder / "acceptance.json"), _facts(promises, environment, str))
    say("packing")
    hashed = HashedWords()
    more = {
        "acceptance.json": _facts(promises, environment, hashed.printed),
        **{f"{trial.model}.commands.log": hashed.printed("\n".join(trial.log)) for trial in trials},
    }
    engines = [str(trial.engine) for trial in trials if trial.engine.is_dir()]
    bundle = write_bundle(engines, folder / "bundle.zip", hashed, more)
    return _document(promises, folder, bundle), all(promise.result != BROKEN for promise in promises)


def _facts(promises: Sequence[Promise], environment: Environment, evidence: Callable[[str], str]) -> str:
    """The promises and this machine as JSON, with the words that may hold names as ``evidence`` gives them."""
    facts = {
        "promises": [{**asdict(promise), "evidence": evidence(promise.evidence)} for promise in promises],
        "machine": [
            {"subject": check.subject, "status": check.status, "detail": evidence(check.detail)}
            for check in environment.checks
        ],
    }
    return json.dumps(facts, indent=1, ensure_ascii=False) + "\n"


def _document(promises: Sequence[Promise], folder: Path, bundle: Bundle) -> Document:
    broken = [promise for promise in promises if promise.result == BROKEN]
    untried = [promise for promise in promises if promise.result == UNTRIED]
    kept = len(promises) - len(broken) - len(untried)
    verdict = f"{kept} promises hold, {len(broken)} broken, {len(untried)} not tried"
    columns = (TableColumn("model"), TableColumn("promise"), TableColumn("holds"), TableColumn("evidence"))
    rows = tuple((p.model, p.promise, p.result, p.evidence) for p in promises)
    blocks: list[Block] = [
        Text((f"{verdict}.",)),
        Table("Promises", columns, rows, "promises"),
        Text((
            f"{bundle.path} has the engines' files and this table, with names hashed. Look into it, then attach it.",
            f"What the commands printed: {folder / BUNDLED}/commands.log",
        )),
    ]  # fmt: skip
    data = {"promises": [asdict(promise) for promise in promises], "bundle": str(bundle.path)}
    section = Section("acceptance", "", tuple(blocks), data=data)
    return Document("doctor", "Acceptance on this machine", sections=(section,))


def _last(output: str) -> str:
    """What failed: the line with the error, else the last one."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("trex ")]
    return (errors or lines or [""])[-1][:200]
