"""The command ``trex devices``."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.mocks.timed_gpu import COPY_GB_PER_S, install
from tests.simulated_examples import SIMULATED
from trex.perf.device_file import read_device


@pytest.fixture(autouse=True)
def no_files_of_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("TREX_DEVICES", raising=False)


def test_all_devices(trex):
    said = trex("devices")
    assert (said.code, said.err) == (0, "")
    assert "\nA10 " in said.out and "\nH100 80GB HBM3 " in said.out and "certainty" in said.out


def test_all_devices_as_json(trex):
    data = json.loads(trex("devices", "--json").out)
    assert data["schema"] == "trex.devices/1"
    section = data["sections"]["devices"]
    rows = section["tables"]["devices"]["rows"]
    assert len(rows) == len(section["data"]["devices"]) > 80
    a10 = next(row for row in rows if row["device"] == "A10")
    assert a10["sms"] == 72 and a10["fp16"] == 125 and a10["fp8"] is None


def test_one_device_with_its_sources(trex):
    said = trex("devices", "l4")
    assert (said.code, said.err) == (0, "")
    assert "NVIDIA L4 datasheet" in said.out and "held to 72 W" in said.out and "[1]" in said.out


def test_one_device_as_the_file_of_another(trex, tmp_path):
    file = tmp_path / "mine.json"
    assert trex("devices", "L4", "--save", file).err == f"device file: {file}\n"
    data = json.loads(trex("devices", "L4", "--json").out)["sections"]["device"]["data"]["device"]
    assert data == json.loads(file.read_text(encoding="utf-8"))
    assert read_device(file).sm_count == 58
    assert trex("devices", file).out == trex("devices", "L4").out
    assert trex("devices", file, "--save", tmp_path / "again.json").code == 0
    assert read_device(tmp_path / "again.json") == read_device(file)


def test_a_name_that_is_none(trex):
    said = trex("devices", "RTX 4091")
    assert said.code == 2 and "did you mean" in said.err and "RTX 4090" in said.err


def test_files_of_the_user_are_marked_and_bad_ones_told(trex, tmp_path):
    folder = tmp_path / "config" / "trex" / "devices"
    folder.mkdir(parents=True)
    (folder / "mine.json").write_text('{"name": "My GPU"}', encoding="utf-8")
    (folder / "bad.json").write_text("{", encoding="utf-8")
    said = trex("devices")
    assert said.code == 0
    assert any("My GPU" in line and "yours" in line for line in said.out.splitlines())
    assert "bad.json" in said.out


def test_measuring_writes_a_file_that_is_known_from_then_on(trex, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pynvml", None)
    install(monkeypatch).lacking = {"bfloat16"}
    folder = tmp_path / "config" / "trex" / "devices"
    folder.mkdir(parents=True)
    said = trex("devices", "measure", "-v", "--save", folder / "this-gpu.json")
    assert said.code == 0 and "this-gpu.json" in said.err
    assert "BF16 accumulating in FP32 could not be measured" in said.out
    told = trex("devices", "NVIDIA A100-SXM4-40GB").out
    assert "measured" in told and "cuBLAS" in told
    assert read_device(folder / "this-gpu.json").bandwidth_gb_per_s == pytest.approx(COPY_GB_PER_S, rel=1e-3)
    perf = trex("perf", str(SIMULATED / "resnet18-fp16"), "--device", "A100-SXM4-40GB", "--section", "device")
    assert perf.code == 0 and "GB/s (measured)" in perf.out


def test_measuring_without_a_gpu_says_what_to_do(trex, monkeypatch):
    for name in ("cuda", "cuda.bindings", "cuda.cudart"):
        monkeypatch.setitem(sys.modules, name, None)
    assert "--dev is for measuring" in trex("devices", "L4", "--dev", "1").err
    said = trex("devices", "measure")
    assert said.code == 2
    assert "needs cuda-python, which is not installed" in said.err and "nvidia-cublas-cu12" in said.err
