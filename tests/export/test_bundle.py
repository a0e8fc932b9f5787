"""A bundle has no name of its owner, and reads as the engine did."""

from __future__ import annotations

import re
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from tests.engines import READABLE
from tests.synthetic import Case
from trex.core.errors import TrexError
from trex.engine_plan import EnginePlan, load
from trex.export.bundle import write_bundle
from trex.views.hashed_words import HashedWords, known_words

KERNEL = "sm80_xmma_fprop_implicit_gemm_interleaved_i8i8_i8i32_f32_nchw_vect_c_32kcrs_vect_c_32_nchw_vect_c_32_tilesize96x64x64_stage3_warpsize2x2x1_g1_tensor16x8x32"  # fmt: skip  # noqa: E501
MYELIN = re.compile(r"__my|Move_")
WHOLE = [case for case in READABLE if not case.expect.partial]


def names(plan: EnginePlan) -> set[str]:
    """The words of the engine's names that are no words of TensorRT's, without names that Myelin generates."""
    layers = plan.whole_engine.layers
    texts = [layer.name for layer in layers] + [t.name for layer in layers for t in (*layer.inputs, *layer.outputs)]
    words = {word for text in texts if not MYELIN.match(text) for word in re.findall(r"[^\W\d_]{4,}", text)}
    return {word for word in words if word.lower() not in known_words()}


def times(plan: EnginePlan) -> list[float | None]:
    return [None if time is None else time.average_ms for time in plan.times]


@pytest.mark.parametrize("case", WHOLE[::6], ids=lambda case: case.name)
def test_every_engine_reads_as_before_and_has_no_name(case: Case, tmp_path: Path) -> None:
    address = case.write(tmp_path)
    plan = load(address)
    bundle = write_bundle([str(address)], tmp_path / "bundle.zip", HashedWords(b"a key"))
    again = load(bundle.path)
    assert [layer.type for layer in again.working_layers] == [layer.type for layer in plan.working_layers]
    assert [layer.precision for layer in again.working_layers] == [layer.precision for layer in plan.working_layers]
    assert times(again) == times(plan)
    assert not names(plan) & names(again)
    assert again.provenance is plan.provenance


def test_a_file_that_does_not_load_still_does_not(tmp_path: Path) -> None:
    broken = tmp_path / "secret.graph.json"
    broken.write_text('{"Bindings": [{"Name": "topsecret/Conv_1", "NewKey": 3, "LayerType": "Convolution",,}\n')
    with pytest.raises(TrexError) as before:
        load(broken)
    bundle = write_bundle([str(broken)], tmp_path / "bundle.zip", HashedWords(b"a key"))
    with zipfile.ZipFile(bundle.path) as archive:
        (name,) = (name for name in archive.namelist() if name != "README.md")
        text = archive.read(name).decode()
        archive.extract(name, tmp_path)
    assert re.sub("n_[0-9a-f]{8}", "topsecret", text) == broken.read_text()
    assert bundle.kept == ("NewKey",) and "secret" not in name
    with pytest.raises(TrexError) as after:
        load(tmp_path / name)
    assert after.value.message[:40] == before.value.message[:40]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("name", ["m.graph.json", "m.profile.json", "m.log"])
def test_any_encoding_is_hashed(encoding: str, name: str, tmp_path: Path) -> None:
    texts = {
        "m.graph.json": '{"Layers": [{"Name": "TopSecret", "LayerType": "NoOp", "Inputs": [], "Outputs": []}]}',
        "m.profile.json": '[{"count": 9}, {"name": "TopSecret", "timeMs": 9.0, "averageMs": 1.0, "percentage": 100.0}]',
        "m.log": "&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec --onnx=TopSecret.onnx",
    }
    other_end = "" if name == "m.log" else "\nTopSecret"  # as of PowerShell's >>
    (tmp_path / name).write_bytes(texts[name].encode(encoding) + other_end.encode("utf-16-le"))
    with zipfile.ZipFile(write_bundle([str(tmp_path / name)], tmp_path / "b.zip").path) as archive:
        for member in archive.namelist():
            assert b"secret" not in archive.read(member).replace(b"\x00", b"").lower(), member


def test_what_is_no_text_stays_out(tmp_path: Path) -> None:
    (tmp_path / "model.engine").write_bytes(bytes(range(256)) * 9)
    with pytest.raises(TrexError, match="nothing to pack"):
        write_bundle([str(tmp_path)], tmp_path / "bundle.zip")


def test_the_ending_of_a_file_left_out_may_be_a_name(tmp_path: Path) -> None:
    for name in ("net.acmesecretproject", "net.plan"):
        (tmp_path / name).write_bytes(b"\x00\x01\x02\xff\xfe")
    (tmp_path / "x.json").write_text('{"a": 1}')
    with zipfile.ZipFile(write_bundle([str(tmp_path)], tmp_path / "b.zip", HashedWords(b"a key")).path) as archive:
        readme = archive.read("README.md").decode()
    assert "acmesecret" not in readme
    assert re.search(r"Left out: \.n_[0-9a-f]{8} \(this is binary data, not JSON\), \.plan \(", readme), readme


@pytest.mark.parametrize(
    ("text", "secrets", "kept"),
    [
        ('{"Name": "\\u79d8\\u5bc6/Conv", "uuid": "GPU-4af1"}', ("\\u79d8", "4af1", "秘"), ('"Name"', "/Conv")),
        ('{"Name": "a\\u001eprivate", "x": 1.5e-05}', ("private",), ("\\u001e", "1.5e-05")),
        ('{"Time Deserialize": "Disabled", "Sleep time": "0ms", "H2D Latency": 1}', (), ("Disabled", "0ms", "H2D L")),
        ('{"topsecret": 3, "other secret": 4}', ("secret",), ()),
        ('{"Name": "x", "NewKey": {"private": 1}}', ("private",), ('"NewKey"',)),
        ('{"Name": "a\\u0022b"}', (), ("\\u0022",)),
        ("[I] Model: C:\\work\\private\\net.onnx", ("private", "net.onnx"), ("[I] Model: ", ".onnx")),
        ("[V] [TRT] host 192.168.7.9, TensorRT 10.4.0.26", ("192.168",), ("10.4.0.26",)),
        ("from 10.0.0.5 to 10.12.7.9", ("10.0.0.5", "10.12.7.9"), ()),
        ('{"tensorrt_version": "10.4.0.26", "Name": "10.4.0.27"}', ("10.4.0.27",), ("10.4.0.26",)),
        ("TensorRT-10.4.0.26/libnvinfer.so.10.4.0.27", (), ("TensorRT-10.4.0.26/", ".10.4.0.27")),
        ('{"Name": 7, "serial": 1322621101234}', ("1322621",), ('"Name": 7, "serial": "n_',)),
        (f"Tactic Name: {KERNEL}", (), (KERNEL,)),
        ("serial: 1322621101234", ("1322621101234",), ("serial: ",)),
        (
            '{"schema": "trex.monitor/1", "reasons": [["software-thermal-slowdown","gpu-idle"]], "Format/Datatype": 1}',
            (),
            ("trex.monitor/1", "software-thermal-slowdown", "gpu-idle", "Format/Datatype"),
        ),
    ],
)  # fmt: skip
def test_words(text: str, secrets: tuple[str, ...], kept: tuple[str, ...]) -> None:
    result = HashedWords(b"a key").text(text)
    assert not [secret for secret in secrets if secret in result], result
    assert not [word for word in kept if word not in result], result


@pytest.mark.parametrize("piece", ["a", "\\\\", "a\\n", "1x"])
def test_a_long_name_takes_memory_for_itself_alone(piece: str) -> None:
    text = f'{{"Layers": ["{piece * (150_000 // len(piece))}"]}}'
    words = HashedWords()
    words.text('{"Layers": []}')
    tracemalloc.start()
    try:
        words.text(text)
        assert tracemalloc.get_traced_memory()[1] < 50 * len(text)
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("blank", [" ", "\t", "\n", "\ufeff", "uuid ", '"" ', "1 ", "pci_"])
def test_a_run_of_blanks_takes_no_square_of_time(blank: str) -> None:
    HashedWords().text(blank * 300_000 + "zq\n")
