"""Parts of the collector by themselves: options, shapes, buffers, layer times, inspection, statistics."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import struct
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.cli.test_log_commands import HOSTILE, check
from trex.capture.tensorrt_api.arguments import read_arguments
from trex.capture.tensorrt_api.buffers import buffer_bytes, input_bytes, loaded_inputs
from trex.capture.tensorrt_api.building import PhaseTree, error_sentence, set_timing_cache
from trex.capture.tensorrt_api.collection import OutputFiles
from trex.capture.tensorrt_api.context import inspector_bytes
from trex.capture.tensorrt_api.earlier import EarlierFiles
from trex.capture.tensorrt_api.errors import CollectorError
from trex.capture.tensorrt_api.files import json_value, write_file, write_records
from trex.capture.tensorrt_api.layer_times import LayerSamples
from trex.capture.tensorrt_api.log import Log
from trex.capture.tensorrt_api.queries import percentile, statistics
from trex.capture.tensorrt_api.shape_spec import parse_shapes, shape_text
from trex.capture.tensorrt_api.tactics import cache_path
from trex.ingest.profile_json import read_profile


@pytest.fixture
def model(tmp_path: Path) -> str:
    (tmp_path / "m.onnx").touch()
    return str(tmp_path / "m.onnx")


def test_words_in_trtexecs_spelling_and_with_dashes(model: str) -> None:
    options = read_arguments([model, "out", "--warm-up", "5", "--warmUp=5", "--noTF32", "--no-cuda-graph"])
    assert options.values == {"warmUp": "5", "noTF32": "", "noCudaGraph": ""}
    assert (options.model, options.folder, options.engine) == (model, "out", None)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["out", "--fp16=1"], "--fp16 takes no value"),
        (["out", "--iterations"], "--iterations needs a value"),
        (["out", "--iterations", "many"], "needs a whole number, not 'many'"),
        (["out", "--iterations=1", "--iterations=2"], "--iterations is given twice"),
        (["out", "--profile=1"], "profiles are numbered from 0"),
        (["out", "--min-shapes=x:1", "--min-shapes=x:2"], "--minShapes is given twice for one profile"),
        (["out", "more"], "got also 'more'"),
        ([], "no folder is given"),
    ],
)
def test_wrong_options(words: list[str], message: str, model: str) -> None:
    with pytest.raises(CollectorError, match=message):
        read_arguments([model, *words])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--saveEngine=m.onnx"], r"writing m\.onnx would overwrite"),
        (["--timingCacheFile=m.onnx"], r"not a timing cache: m\.onnx"),
        (["--exportTimes=link"], "writing link would overwrite"),
        (["--loadInputs=x:x.bin", "--exportProfile=x.bin"], r"writing x\.bin would overwrite"),
        (["--staticPlugins=x.bin", "--exportLayerInfo=x.bin"], r"writing x\.bin would overwrite"),
        (["--saveEngine=new", "--timingCacheFile=new"], "writing new would overwrite"),
        (["--recordTactics=out/m.onnx.engine"], r"writing out/m\.onnx\.engine would overwrite"),
        (["--replayTactics=t.json", "--saveEngine=t.cache"], r"writing t\.cache would overwrite"),
        (["--exportTimes=/dev/null", "--exportProfile=/dev/null", "--recordTactics=out/timing.json"], ""),
        (["--loadEngine=t.cache"], r"writing t\.cache would overwrite"),
    ],
)
def test_no_output_is_another_file_of_the_run(
    words: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, data in (("m.onnx", b"model"), ("x.bin", b"x"), ("t.json", b"{}"), ("t.cache", b"ptrt")):
        Path(name).write_bytes(data)
    Path("link").symlink_to("m.onnx")
    options = read_arguments(["m.onnx", "out", *words])
    with pytest.raises(CollectorError, match=message) if message else contextlib.nullcontext():
        OutputFiles(options).check(options)


@pytest.mark.parametrize(
    ("fits", "is_own", "written"), [(True, False, True), (False, False, False), (False, True, True)]
)
def test_a_timing_cache_that_does_not_fit_is_kept(fits: bool, is_own: bool, written: bool, tmp_path: Path) -> None:
    path, warnings = tmp_path / "farm", list[str]()
    path.write_bytes(b"ptrt hours")
    library = SimpleNamespace(log=SimpleNamespace(warning=warnings.append))
    config = SimpleNamespace(
        create_timing_cache=lambda data: data, set_timing_cache=lambda cache, ignore: fits or not cache
    )
    assert set_timing_cache(library, config, str(path), is_own) == (str(path) if written else "")
    assert [("it is kept" in text, "replaces it" in text) for text in warnings] == (
        [] if fits else [(not is_own, is_own)]
    )


def test_shapes() -> None:
    shapes = parse_shapes("x:1x3, 'y:0':2,z:scalar")
    assert shapes == {"x": (1, 3), "y:0": (2,), "z": ()}
    assert [shape_text(dims) for dims in shapes.values()] == ["1x3", "2", "scalar"]
    with pytest.raises(CollectorError, match="given twice"):
        parse_shapes("x:1,x:2")
    with pytest.raises(CollectorError, match="not whole numbers"):
        parse_shapes("x:-1x3")


@pytest.mark.parametrize(
    ("kind", "dims", "vector", "size"),
    [
        ("FLOAT", (2, 3, 4), (1, -1), 96),
        ("HALF", (1, 3, 2, 2), (8, 1), 64),
        ("INT4", (3,), (1, -1), 2),
        ("INT64", (), (1, -1), 8),
        ("BF16", (0, 5), (1, -1), 1),
    ],
)
def test_sizes_of_buffers(kind: str, dims: tuple[int, ...], vector: tuple[int, int], size: int) -> None:
    engine = SimpleNamespace(
        get_tensor_dtype=lambda name: SimpleNamespace(name=kind),
        get_tensor_components_per_element=lambda name: vector[0],
        get_tensor_vectorized_dim=lambda name: vector[1],
    )
    assert buffer_bytes(engine, "x", dims) == size


def test_an_element_type_that_is_not_known_has_no_size() -> None:
    with pytest.raises(CollectorError, match="element type FP6, whose size"):
        buffer_bytes(SimpleNamespace(get_tensor_dtype=lambda name: SimpleNamespace(name="FP6")), "x", (1,))


def test_inputs_are_the_same_every_time_and_floats_within_one() -> None:
    data = input_bytes("FLOAT", 40000, "x")
    assert data == input_bytes("FLOAT", 40000, "x") != input_bytes("FLOAT", 40000, "y")
    values = struct.unpack("<10000f", data)
    assert all(-1 <= value <= 1 for value in values) and len(set(values)) > 4000
    halves = struct.unpack("<100e", input_bytes("HALF", 200, "x"))
    assert halves[0] == pytest.approx(values[0], abs=1e-3)
    upper = input_bytes("BF16", 4, "x")[:2]
    assert struct.unpack("<f", b"\0\0" + upper)[0] == pytest.approx(values[0], rel=0.01)
    assert input_bytes("INT64", 16, "x") == struct.pack("<qq", 1, 1)


def test_layer_times_tell_iterations_apart() -> None:
    times = LayerSamples()
    times.add([("a", 1.0), ("b", 2.0), ("a", 3.0)])
    times.add([("a", 2.0), ("b", 4.0), ("a", 5.0)])
    assert not times.varies
    count, first, middle, last = times.records()
    assert count == {"count": 2}
    assert [record["averageMs"] for record in (first, middle, last)] == [1.5, 3.0, 4.0]
    times.add([("a", 1.5), ("a", 4.0)])
    assert times.varies
    read = read_profile(json.dumps(times.records()).encode())
    assert [(layer.name, layer.occurrence) for layer in read.records] == [("a", 0), ("b", 0), ("a", 1)]
    assert [layer.average_ms for layer in read.records] == [1.5, 3.0, 4.0]


def test_names_that_are_no_text_keep_their_bytes() -> None:
    data = b'{"Layers": ["\xff"]}'

    def fails(format: object) -> str:
        return data.decode()

    trt = SimpleNamespace(LayerInformationFormat=SimpleNamespace(JSON=1))
    assert inspector_bytes(SimpleNamespace(get_engine_information=fails), trt) == data
    escaped = SimpleNamespace(get_engine_information=lambda format: data.decode("utf-8", "surrogateescape"))
    assert inspector_bytes(escaped, trt) == data


def test_errors_of_the_parser_of_old_and_new_releases() -> None:
    old = SimpleNamespace(desc=lambda: "No importer\n registered.", node=lambda: 3)
    assert error_sentence(old) == "in node 3: No importer registered"
    new = SimpleNamespace(desc=lambda: "", node=lambda: -1, node_name=lambda: "n", node_operator=lambda: "Foo")
    assert error_sentence(new) == 'in the model (Foo "n"): no description'


def test_statistics_of_few_numbers() -> None:
    assert percentile([1.0, 2.0, 3.0, 4.0], 50) == 2.5
    assert percentile([1.0, 2.0, 3.0, 4.0], 99) == 4.0
    assert statistics([2.0]) == [2.0] * 7
    assert [json_value(value) for value in (float("nan"), float("inf"), 1.0)] == [None, None, 1.0]


def test_files_are_whole_or_as_they_were(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    write_records(str(path), [{"name": 'a "b"\\'}, {"count": 1}])
    assert json.loads(path.read_text()) == [{"name": 'a "b"\\'}, {"count": 1}]
    with pytest.raises(TypeError):
        write_file(str(path), 3)
    assert json.loads(path.read_text())
    with pytest.raises(CollectorError, match="cannot be written"):
        write_file(str(tmp_path / "no" / "x"), b"")
    write_file(str(tmp_path / f"{'字' * 83}.json"), b"as long as a name may be")


@pytest.mark.skipif(os.name == "nt", reason="FIFOs and links of POSIX")
def test_pipes_are_written_through_and_links_stay(tmp_path: Path) -> None:
    fifo, link = tmp_path / "fifo", tmp_path / "link"
    os.mkfifo(fifo)
    reading = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    write_file(str(fifo), b"through")
    assert os.read(reading, 99) == b"through" and fifo.is_fifo()
    os.close(reading)
    link.symlink_to("target")
    write_file(str(link), b"new")
    assert link.is_symlink() and (tmp_path / "target").read_bytes() == b"new"


def test_the_share_of_a_build_is_that_of_nested_steps_and_never_shrinks() -> None:
    """Phases as TensorRT for RTX 1.7.1 tells them: two follow one another inside one step of their parent."""
    tree = PhaseTree()
    tree.start("Building engine", "", 6)
    assert tree.share() == 0.0
    tree.step("Building engine", 4)
    assert tree.share() == pytest.approx(4 / 6)
    tree.start("Building engine from subgraph", "Building engine", 1)
    tree.start("Optimizing graph", "Building engine from subgraph", 30)
    tree.step("Optimizing graph", 15)
    assert tree.share() == pytest.approx(4.5 / 6)
    tree.step("Optimizing graph", 30)
    tree.finish("Optimizing graph")
    tree.start("Computing profile costs", "Building engine from subgraph", 5)
    assert tree.share() == pytest.approx(4.5 / 6)  # not 4 / 6
    tree.step("Building engine", 7)  # more than announced
    assert tree.share() == 1.0


def test_phases_that_were_not_announced_or_contain_themselves_have_a_share() -> None:
    tree = PhaseTree()
    tree.step("late", 2)
    assert tree.share() == 1.0
    loop = PhaseTree()
    loop.start("a", "a", 2)
    loop.start("", "", 2)
    assert 0.0 <= loop.share() <= 1.0


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no FIFOs on this system")
def test_a_pipe_is_not_waited_for(tmp_path):
    pipe = str(tmp_path / "pipe")
    os.mkfifo(pipe)
    with pytest.raises(CollectorError, match="a device or a pipe"):
        loaded_inputs(f"x:{pipe}")
    assert cache_path(pipe) == f"{pipe}.cache"
    with pytest.raises(CollectorError, match="no such file"):
        read_arguments([pipe, "out"])


_SET = ("", ".graph.json", ".profile.json", ".timing.json", ".build.log", ".profile.log")


_OLD = dict.fromkeys(_SET[1:], "old")


def _texts(folder: str) -> dict[str, str]:
    return {path.name[len("m.engine") :]: path.read_text() for path in Path(folder).glob("m.engine*")}


def _run_of(stem: str, text: str, endings: Sequence[str] = _SET) -> EarlierFiles:
    earlier = EarlierFiles(stem)
    earlier.begin()
    for ending in endings:
        Path(earlier.path(ending)).write_text(text)
    return earlier


def _kill(run: EarlierFiles, after: int, monkeypatch: pytest.MonkeyPatch, *, is_measured: bool) -> None:
    """While it settles, after so many renames."""
    replace = os.replace

    def killed(source: str, target: str) -> None:
        nonlocal after
        if not after:
            raise SystemExit
        after -= 1
        replace(source, target)

    with monkeypatch.context() as patch, contextlib.suppress(SystemExit):
        patch.setattr(EarlierFiles, "_restore", lambda self: None)  # a kill undoes nothing
        patch.setattr(os, "replace", killed)
        run.settle(is_measured)


@pytest.mark.parametrize("is_measured", [True, False])
def test_a_run_that_is_killed_anywhere_leaves_one_run(
    is_measured: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before each renaming; then another run begins, and ends without an engine."""
    for kill in range(14):
        stem = str(tmp_path / str(kill) / "m.engine")
        Path(stem).parent.mkdir()
        assert _run_of(stem, "old").settle(True) == ""
        written = _SET if is_measured else ("", ".graph.json", ".build.log")
        _kill(_run_of(stem, "new", written), kill, monkeypatch, is_measured=is_measured)
        assert is_measured or Path(stem + ".timing.json").exists() or _texts(stem + ".earlier") in ({}, _OLD), kill
        _run_of(stem, "failed", (".build.log",)).settle(False)
        assert is_measured or Path(stem + ".timing.json").exists() or _texts(stem + ".earlier") == _OLD, kill
        files = {
            path.name[len("m.engine") :]: path.read_text()
            for path in Path(stem).parent.glob("m.engine*")
            if path.is_file()
        }
        assert len(set(files.values())) == 1, (kill, files)
        assert set(files) == set(_SET) or set(files.values()) == {"new"}


@pytest.mark.parametrize("kill", range(14))
def test_a_run_that_another_program_wrote_after_a_kill_stays(
    kill: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stem = str(tmp_path / "m.engine")
    _run_of(stem, "old").settle(True)
    _kill(_run_of(stem, "new"), kill, monkeypatch, is_measured=True)
    for ending in _SET:
        Path(stem + ending).write_text("other")
    _run_of(stem, "failed", (".build.log",)).settle(False)
    assert {Path(stem + ending).read_text() for ending in _SET} == {"other"}


def test_links_of_an_engine_stay(tmp_path: Path) -> None:
    stem, real = tmp_path / "m.engine", tmp_path / "real"
    real.write_text("old")
    stem.symlink_to(real)
    _run_of(str(stem), "new").settle(True)
    assert stem.is_symlink() and real.read_text() == "new"


def test_files_of_an_earlier_run_that_cannot_be_moved_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stem = str(tmp_path / "m.engine")
    Path(stem + ".failed").touch()  # no folder can have this name
    earlier = EarlierFiles(stem)
    with pytest.raises(CollectorError, match="cannot be moved"):
        earlier.begin()
    assert earlier.settle(False) == ""
    Path(stem + ".failed").unlink()
    _run_of(stem, "old").settle(True)
    before = sorted(tmp_path.iterdir())
    earlier, replace = _run_of(stem, "new"), os.replace

    def full(source: str, target: str) -> None:
        if source == stem + ".profile.json":
            raise OSError(errno.EIO, "input/output error")
        replace(source, target)

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="input/output"):
        earlier.settle(True)
    assert sorted(tmp_path.iterdir()) == sorted([*before, Path(stem + ".failed")])
    assert all(path.read_text() == "old" for path in before)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full device on this system")
def test_a_log_that_cannot_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = Log()
    with pytest.raises(CollectorError, match="cannot be written: Is a directory"):
        log.open(str(tmp_path))
    (tmp_path / "log").symlink_to("/dev/full")
    log.open(str(tmp_path / "log"))
    log.info("a line")
    log.info("another")
    log.close()
    shown = capsys.readouterr()
    assert shown.out == "a line\nanother\n"
    assert shown.err == f"the log {tmp_path}/log ends here, it cannot be written: No space left on device\n"


def test_a_name_that_no_file_can_have(tmp_path: Path) -> None:
    with pytest.raises(CollectorError, match="no such file"):
        read_arguments(["a\0b", "out"])


def test_a_link_in_the_place_of_a_part_or_a_log_is_not_followed(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    for name in ("timing.cache.partial", "x.log"):
        (tmp_path / name).symlink_to(victim)
    write_file(str(tmp_path / "timing.cache"), b"new")
    log = Log()
    log.open(str(tmp_path / "x.log"))
    log.close()
    assert victim.read_text() == "precious" and (tmp_path / "timing.cache").read_bytes() == b"new"


@pytest.mark.parametrize("is_whole", [False, True])
def test_names_of_a_model_are_no_commands(is_whole: bool, capsys: pytest.CaptureFixture[str]) -> None:
    for text in HOSTILE:
        Log(is_whole).error(f"layer \x1b]0;x\x07 {text}")
        Log(is_whole).library(SimpleNamespace(name="ERROR"), f"layer\n{text}")
    shown = capsys.readouterr().err
    check(shown, "collector")
    assert "\x1b" not in shown
    Log(is_whole=True, is_raw=True).error("a\n::error::y")
    assert capsys.readouterr().err.endswith("[E] a\n::error::y\n"), "trex reads what is written"
