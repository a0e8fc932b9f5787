"""A run that fails, is interrupted or is killed, at whatever moment: the folder holds the old set or the new one.

Only the picture, which is drawn from the set, may be missing after a kill.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.core.test_whole_set import killed_at
from tests.mocks import write_model
from tests.waiting import wait_until
from trex.capture.capture_run import CaptureResult
from trex.capture.folder_lock import LOCK_NAME, locked
from trex.capture.manifest import is_unchanged, read_manifest
from trex.capture.options import CaptureOptions
from trex.capture.outputs import Outputs, outputs_of
from trex.capture.phases import Watcher
from trex.capture.process import process
from trex.core.errors import TrexError
from trex.core.whole_set import RUN_FOLDER
from trex.engine_plan import load
from trex.examples.network import write_network

pytestmark = [
    pytest.mark.slow,
    pytest.mark.usefixtures("terminal_signals"),
    pytest.mark.skipif(not hasattr(os, "fork"), reason="kills need POSIX"),
]

REPOSITORY = Path(__file__).resolve().parents[2]
Make = Callable[..., Path]
VIEWS = (".svg", ".html", ".tea")
Files = dict[str, bytes]


def files_of(folder: Path) -> Files:
    """What a user sees in the folder, apart from the folder of a failed run; of the manifest its fingerprints."""
    files = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file() and path.name[0] != "."}
    if "manifest.json" in files:
        engines = json.loads(files["manifest.json"])["engines"]
        facts = [(stage["name"], stage["fingerprint"]) for engine in engines for stage in engine["stages"]]
        files["manifest.json"] = repr(facts).encode()
    return files


def without_views(files: Files) -> Files:
    return {name: content for name, content in files.items() if not name.endswith(VIEWS)}


def check_records(outputs: Outputs) -> None:
    """The manifest describes the very files that are there."""
    for stage in read_manifest(outputs.manifest).engines[outputs.name].stages.values():
        for record in stage.outputs.values():
            assert is_unchanged(record, outputs.folder / Path(record.path).name), record.path


def no_leftovers(folder: Path) -> bool:
    hidden = [path.name for path in folder.iterdir() if path.name.startswith(".")]
    return not hidden and not list(folder.glob("*.failed"))


# ------------------------------------------------------------- every step of a run in this process (simulated backend)


@pytest.fixture
def network(tmp_path: Path) -> Path:
    return write_network("alexnet", tmp_path / "alexnet.onnx")


def simulated(model: Path, *words: str, **more: Any) -> CaptureOptions:
    return CaptureOptions(str(model), str(model.parent / "out"), words, backend="simulated", device="A100", **more)


def test_a_kill_at_any_step_of_a_run(network: Path) -> None:
    old, new = simulated(network), simulated(network, "fp16")
    folder, kept = network.parent / "out", network.parent / "kept"
    process(new)
    new_files = files_of(folder)
    shutil.rmtree(folder)
    outputs = process(old).outputs
    for name in ("notes.txt", f"{outputs.name}.mine.json", "other.engine"):
        (folder / name).write_text("the user's")
        new_files[name] = b"the user's"
    old_files = files_of(folder)
    shutil.copytree(folder, kept)
    states = []
    for step in range(400):
        was_killed = killed_at(step, lambda: process(new))
        load(outputs.graph)  # the next command, which reads
        files = files_of(folder)
        assert files in (old_files, new_files), step
        check_records(outputs)
        states.append(files == new_files)
        assert process(new).failure is None  # the next start
        assert no_leftovers(folder) and files_of(folder) == new_files
        if not was_killed:
            break
        shutil.rmtree(folder)
        shutil.copytree(kept, folder)
    assert len(states) > 30 and states == sorted(states) and states[0] is False and states[-1] is True


def test_a_kill_at_any_step_of_the_first_run(network: Path) -> None:
    """Before there is anything: nothing, the build, or all."""
    folder = network.parent / "out"
    states = set()
    for step in range(400):
        was_killed = killed_at(step, lambda: process(simulated(network)))
        names = {name.removeprefix("alexnet.onnx.engine") for name in files_of(folder)} if folder.exists() else set()
        if (folder / RUN_FOLDER / "swap.json").exists():
            load(folder)
            names = {name.removeprefix("alexnet.onnx.engine") for name in files_of(folder)}
        states.add(len(names))
        build = {"", ".build.log", ".build.metadata.json", ".graph.json", "manifest.json"}
        run = {".profile.json", ".timing.json", ".profile.log", ".profile.metadata.json"}
        assert names in (set(), build, build | run), step
        outcome = process(simulated(network))
        assert outcome.failure is None and no_leftovers(folder) and len(files_of(folder)) == 9
        shutil.rmtree(folder)
        if not was_killed:
            break
    assert states == {0, 5, 9}


# -------------------------------------------------------------------------------- trtexec (the mock), real processes


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return write_model(tmp_path / "a mödel.onnx")


def command(model: Path, trtexec: Path, *words: str) -> list[str]:
    return [sys.executable, "-m", "trex", "process", str(model), str(model.parent / "öut put"), "--trtexec",
            str(trtexec), "--dont-lock-clocks", *words]  # fmt: skip


def options(model: Path, trtexec: Path, *words: str, **more: Any) -> CaptureOptions:
    return CaptureOptions(
        str(model), str(model.parent / "öut put"), words, trtexec=str(trtexec), dont_lock_clocks=True, **more
    )


def trex(*words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "trex", *map(str, words)]
    return subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=120)


def first_run(model: Path, make_trtexec: Make) -> tuple[CaptureResult, Files]:
    outcome = process(options(model, make_trtexec("10.4")))
    assert outcome.failure is None
    (outcome.outputs.folder / "notes.txt").write_text("the user's")
    return outcome, files_of(outcome.outputs.folder)


@pytest.mark.parametrize(
    ("fault", "at"),
    [
        *(("exit:3", at) for at in ("start", "parse", "build", "serialize", "load", "inference", "export", "end")),
        *(("partial", at) for at in ("serialize", "export")),
        *(("signal:11", at) for at in ("build", "inference")),
    ],
)
def test_a_run_that_fails_changes_nothing(fault: str, at: str, model: Path, make_trtexec: Make) -> None:
    first, before = first_run(model, make_trtexec)
    o = first.outputs
    bad = make_trtexec("10.4", folder=model.parent / "bad", fault=fault, at=at)
    if at == "start":
        bad = make_trtexec("10.4", folder=model.parent / "bad", fault=fault, at="options")
    outcome = process(options(model, bad, force=True))
    assert outcome.exit_code not in (0, None) and outcome.failure is not None
    assert files_of(o.folder) == before
    aside = outcome.set_aside
    assert aside is not None and aside.folder.name == f"{o.name}.failed"
    assert outcome.failure.where == str(aside.profile_log if aside.profile_log.is_file() else aside.build_log)
    assert Path(outcome.failure.where).stat().st_size and ".trex.run" not in str(outcome.failure)
    check_records(o)
    again = process(options(model, make_trtexec("10.4")))
    assert again.done == () and no_leftovers(o.folder) and files_of(o.folder) == before


def test_exports_that_are_cut_short_do_not_replace_whole_ones(model: Path, make_trtexec: Make) -> None:
    first, before = first_run(model, make_trtexec)
    bad = make_trtexec("10.4", folder=model.parent / "bad", fault="no-space", at="export")
    outcome = process(options(model, bad, force=True))
    assert (outcome.exit_code, outcome.failure) == (1, None) and files_of(first.outputs.folder) == before
    note = next(note for note in outcome.notes if note.code == "set-aside")
    assert note.severity == "problem" and Path(note.where).is_dir()
    assert all(Path(note.where).exists() for note in outcome.notes if note.code == "export-incomplete")


def test_a_build_is_taken_over_from_a_run_whose_profile_failed(model: Path, make_trtexec: Make) -> None:
    """Minutes of building are not lost, though the earlier set stays in its place."""
    first, before = first_run(model, make_trtexec)
    bad = make_trtexec("10.4", folder=model.parent / "bad", fault="fail", at="inference")
    failed = process(options(model, bad, "fp16"))
    assert failed.done == ("build",) and files_of(first.outputs.folder) == before
    assert failed.set_aside is not None
    engine = failed.set_aside.engine.read_bytes()
    again = process(options(model, make_trtexec("10.4"), "fp16"))
    assert (again.up_to_date, again.done) == (("build",), ("profile",))
    assert again.outputs.engine.read_bytes() == engine and no_leftovers(again.outputs.folder)
    check_records(again.outputs)
    assert process(options(model, make_trtexec("10.4"), "fp16")).done == ()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_an_end_at_random_moments(number: int, model: Path, make_trtexec: Make) -> None:
    """Of real processes: after each, the old set or the new one, byte by byte, and no trtexec lives on."""
    new = make_trtexec("10.4", folder=model.parent / "new", pace=0.01)
    subprocess.run(command(model, new, "fp16"), cwd=REPOSITORY, check=True, capture_output=True)
    folder, kept = model.parent / "öut put", model.parent / "kept"
    names = set(without_views(files_of(folder)))
    shutil.rmtree(folder)
    clock = time.monotonic()
    subprocess.run(command(model, new), cwd=REPOSITORY, check=True, capture_output=True)
    longest = time.monotonic() - clock
    (folder / "notes.txt").write_text("the user's")
    old_files = files_of(folder)
    shutil.copytree(folder, kept)
    seed = random.Random(number)
    for _ in range(int(os.environ.get("TREX_KILLS", "1"))):
        running = subprocess.Popen(
            command(model, new, "fp16"), cwd=REPOSITORY, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(seed.uniform(0.1, longest))
        running.send_signal(number)
        running.wait(60)
        assert not _left_of(new)
        assert trex("summary", folder).returncode == 0
        files = files_of(folder)
        if files != old_files:
            assert set(without_views(files)) == names | {"notes.txt"} and files["notes.txt"] == b"the user's"
        check_records(outputs_of(str(model), str(folder)))
        done = subprocess.run(command(model, new, "fp16"), cwd=REPOSITORY, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert no_leftovers(folder) and set(files_of(folder)) == {*old_files}
        shutil.rmtree(folder)
        shutil.copytree(kept, folder)


def _left_of(program: Path) -> list[str]:
    """Processes of a program that still run, after a little time."""
    left: list[str] = []
    for _ in range(100):
        left = []
        for entry in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = entry.read_bytes().split(b"\0")
            except OSError:
                continue
            if os.fsencode(program) in words[:4]:
                left.append(entry.parent.name)
        if not left:
            break
        time.sleep(0.05)
    return left


def test_after_a_kill_no_trtexec_lives_on_and_the_lock_names_it(model: Path, make_trtexec: Make) -> None:
    trtexec = make_trtexec("10.4", fault="hang", at="build", child=str(model.parent / "pid"))
    running = subprocess.Popen(command(model, trtexec), cwd=REPOSITORY, stderr=subprocess.PIPE, text=True)
    assert running.stderr is not None
    assert any("importing" in line or "optimizing" in line for line in running.stderr)
    lock = model.parent / "öut put" / LOCK_NAME
    assert f"process {running.pid} on " in lock.read_text() and "; it runs process " in lock.read_text()
    child = int(lock.read_text().partition("it runs process ")[2].split()[0])
    assert b"trtexec" in Path(f"/proc/{child}/cmdline").read_bytes()
    refused = trex(*command(model, trtexec)[3:])
    assert refused.returncode == 2 and f"it runs process {child} " in refused.stderr
    running.kill()
    running.wait()
    running.stderr.close()
    again = process(options(model, make_trtexec("10.4", folder=model.parent / "good")))
    assert again.failure is None and not _left_of(trtexec) and no_leftovers(again.outputs.folder)


def test_a_child_that_outlived_its_run_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trex.capture.folder_lock._LONGEST_END_S", 0.2)
    with subprocess.Popen(["sleep", "60"]) as sleeping:
        with locked(tmp_path) as lock:
            lock.names_child(sleeping.pid)
            text = (tmp_path / LOCK_NAME).read_text()
        (tmp_path / LOCK_NAME).write_text(text)
        with pytest.raises(TrexError, match=f"process {sleeping.pid}, which a killed run") as caught, locked(tmp_path):
            pass
        assert caught.value.hint == f"kill -9 {sleeping.pid}"
        sleeping.kill()
        sleeping.wait()
        with locked(tmp_path):
            pass
    (tmp_path / LOCK_NAME).write_text(text.replace(str(sleeping.pid), str(os.getpid())))  # another with its number
    with locked(tmp_path):
        pass


def test_of_many_runs_at_once_one_gets_the_folder(model: Path, make_trtexec: Make) -> None:
    trtexec = make_trtexec("10.4", pace=0.02)
    words = [("fp16",), ("int8",), (), ("best",)]
    running = [
        subprocess.Popen(
            command(model, trtexec, *more, "--force"), cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True,
        )
        for more in words
    ]  # fmt: skip
    answers = [child.communicate(timeout=120) for child in running]
    codes = [child.returncode for child in running]
    assert sorted(codes)[0] == 0 and set(codes) <= {0, 2}
    for code, (_, errors) in zip(codes, answers, strict=True):
        assert (code == 2) == ("another run writes into this folder: process " in errors), errors
    outputs = outputs_of(str(model), str(model.parent / "öut put"))
    check_records(outputs)
    assert no_leftovers(outputs.folder) and load(outputs.graph).total_runtime > 0


class Raising(Watcher):
    def phase(self, name: str, *_: Any) -> None:
        if "warm-up" in name:
            raise RuntimeError("the terminal is gone")


def test_a_mistake_of_ours_changes_nothing_either(model: Path, make_trtexec: Make) -> None:
    first, before = first_run(model, make_trtexec)
    with pytest.raises(RuntimeError):
        process(options(model, make_trtexec("10.4"), force=True), Raising())
    assert files_of(first.outputs.folder) == before
    assert not list(first.outputs.folder.glob(".*"))


def test_what_the_user_put_there_stays(model: Path, make_trtexec: Make) -> None:
    """Also in the folder of a failed run, and files of other engines."""
    first, _ = first_run(model, make_trtexec)
    o = first.outputs
    bad = make_trtexec("10.4", folder=model.parent / "bad", fault="fail", at="build")
    outcome = process(options(model, bad, force=True))
    assert outcome.set_aside is not None
    (outcome.set_aside.folder / "mine.txt").write_text("mine")
    assert process(options(model, make_trtexec("10.4"), force=True)).failure is None
    assert [path.name for path in outcome.set_aside.folder.iterdir()] == ["mine.txt"]
    assert (o.folder / "notes.txt").read_text() == "the user's"
    assert process(options(model, bad, force=True)).set_aside is not None
    assert (outcome.set_aside.folder / "mine.txt").read_text() == "mine"


@pytest.mark.parametrize("name", [RUN_FOLDER, "{run}/replaced", "{run}/{name}.new", "{name}.failed", "manifest.json"])
def test_links_in_the_place_of_what_a_run_removes_or_replaces(name: str, network: Path) -> None:
    """What they lead to is not ours to clean up."""
    outputs = outputs_of(str(network), str(network.parent / "out"))
    mine, link = network.parent / "mine", outputs.folder / name.format(run=RUN_FOLDER, name=outputs.name)
    mine.mkdir()
    (mine / "a").write_text("mine")
    link.parent.mkdir(parents=True)
    link.symlink_to(mine / "a" if link.suffix == ".json" else mine)
    with pytest.raises(TrexError, match="a link is in the place"):
        process(simulated(network))
    assert (mine / "a").read_text() == "mine" and [path.name for path in mine.iterdir()] == ["a"]


def test_leftovers_of_an_older_trex_are_cleaned(model: Path, make_trtexec: Make) -> None:
    first, before = first_run(model, make_trtexec)
    o = first.outputs
    profile = o.profile.read_bytes()
    o.profile.rename(o.folder / f".{o.profile.name}.previous")
    (o.folder / f".{o.graph.name}.previous").write_text("outdated")
    (o.folder / ".mine.previous").write_text("mine")
    process(options(model, make_trtexec("10.4")))
    assert o.profile.read_bytes() == profile and (o.folder / ".mine.previous").is_file()
    (o.folder / ".mine.previous").unlink()
    assert no_leftovers(o.folder) and files_of(o.folder) == before


def test_an_engine_that_is_profiled_where_it_lies_is_not_touched(model: Path, make_trtexec: Make) -> None:
    first, _ = first_run(model, make_trtexec)
    engine = first.outputs.engine
    identity = engine.stat()
    for trtexec in (make_trtexec("10.4"), make_trtexec("10.4", folder=model.parent / "b", fault="exit:3", at="export")):
        process(
            CaptureOptions(str(engine), str(engine.parent), trtexec=str(trtexec), force=True, dont_lock_clocks=True)
        )
        assert (engine.stat().st_ino, engine.stat().st_mtime_ns) == (identity.st_ino, identity.st_mtime_ns)


def test_a_full_disk(model: Path, make_trtexec: Make, tmp_path: Path) -> None:
    """A small file system, where one may be mounted, that fills up during the second run."""
    good = make_trtexec("10.4")
    folder = model.parent / "öut put"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "none", folder], capture_output=True)
    if mounted.returncode:
        pytest.skip("nothing can be mounted here")
    try:
        first, _ = first_run(model, make_trtexec)
        free = os.statvfs(folder).f_bavail * os.statvfs(folder).f_frsize
        (folder / "filler").write_bytes(b"x" * max(free - 16384, 0))
        before = files_of(folder)
        outcome = process(options(model, good, force=True))
        assert outcome.exit_code and files_of(folder) == before
        assert outcome.failure is not None or any(note.code == "set-aside" for note in outcome.notes)
        said = trex(*command(model, good, "--force")[3:])
        assert said.returncode and "Traceback" not in said.stderr and files_of(folder) == before
        (folder / "filler").unlink()
        assert process(options(model, good)).failure is None and no_leftovers(folder)
        check_records(first.outputs)
    finally:
        subprocess.run(["umount", folder], check=True)


def test_a_read_only_file_system(model: Path, make_trtexec: Make) -> None:
    folder = model.parent / "öut put"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "ro", "none", folder], capture_output=True).returncode:
        pytest.skip("nothing can be mounted here")
    try:
        said = trex(*command(model, make_trtexec("10.4"))[3:])
        assert said.returncode == 2 and "cannot be written to: Read-only file system" in said.stderr
    finally:
        subprocess.run(["umount", folder], check=True)


def test_threads_do_not_keep_a_run_alive(model: Path, make_trtexec: Make) -> None:
    before = {*threading.enumerate()}  # of other tests in this process
    process(options(model, make_trtexec("10.4")))
    wait_until(lambda: not {*threading.enumerate()} - before)
