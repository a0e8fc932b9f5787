"""utils/config_gpu.py and utils/device_info.py: classic names, thin command lines; how scripts end."""

from __future__ import annotations

import inspect
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.launchers import UTILS, script, unread
from tests.mocks.nvml import NO_PERMISSION, Nvml


@pytest.fixture
def nvml(monkeypatch: pytest.MonkeyPatch) -> Nvml:
    fake = Nvml()
    monkeypatch.setitem(sys.modules, "pynvml", fake)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    for name in ("cuda", "cuda.cuda", "cuda.bindings", "cuda.bindings.driver", "pycuda", "pycuda.driver"):
        monkeypatch.setitem(sys.modules, name, None)
    return fake


def test_the_classic_names_are_there() -> None:
    for name in ("nvmlContext", "GPUMonitor", "GPUConfigurator", "get_max_clocks"):
        assert callable(getattr(script("config_gpu"), name))
    assert callable(script("device_info").device_info)


@pytest.mark.parametrize(
    ("name", "documented"),
    [
        ("GPUMonitor", {"enabled": inspect.Parameter.empty, "gpu_id": 0, "sampling_interval": 1.0}),
        ("GPUConfigurator", {"power_limit": None, "compute_clk": None, "memory_clk": None, "gpu_id": 0,
                             "dont_lock_clocks": False}),
    ],
)  # fmt: skip
def test_arguments_are_the_documented_ones(name: str, documented: dict[str, object]) -> None:
    parameters = inspect.signature(getattr(script("config_gpu"), name)).parameters.values()
    assert [(one.name, one.default) for one in parameters][: len(documented)] == list(documented.items())


def test_the_documented_use(nvml: Nvml) -> None:
    config_gpu = script("config_gpu")
    with config_gpu.nvmlContext(0) as device:
        assert config_gpu.get_max_clocks(device) == (1512, 1410)
    with config_gpu.GPUConfigurator(None, 1200, None, 0, False), config_gpu.GPUMonitor(True, 0, 0.01) as monitor:
        assert ("nvmlDeviceSetGpuLockedClocks", 1000, 1200, 1200) in nvml.calls
    assert len(monitor.telemetry.time_s) >= 2
    before = len(nvml.calls)
    with config_gpu.GPUConfigurator(dont_lock_clocks=True), config_gpu.GPUMonitor(False):
        assert len(nvml.calls) == before


def test_a_command_runs_at_locked_clocks(nvml: Nvml, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "m.json"
    command = [sys.executable, "-c", "print('ran'); raise SystemExit(3)"]
    assert script("config_gpu").main(["--compute-clk", "1200", "--monitor", str(file), "--", *command]) == 3
    assert ("nvmlDeviceSetGpuLockedClocks", 1000, 1200, 1200) in nvml.calls
    assert nvml.calls[-1][0] == "nvmlDeviceResetMemoryLockedClocks"
    assert json.loads(file.read_text())["samples"]["power_w"]
    assert capfd.readouterr() == ("ran\n", "")


def test_a_command_has_its_own_streams(tmp_path: Path) -> None:
    words = [sys.executable, str(UTILS / "config_gpu.py"), "--", "sh", "-c", "cat; echo problem >&2; printf '1\\r2'"]
    ended = subprocess.run(words, input=b"given\xff", capture_output=True, timeout=60)
    assert (ended.returncode, ended.stdout) == (0, b"given\xff1\r2") and b"problem\n" in ended.stderr


@pytest.mark.skipif(os.name == "nt", reason="other signals")
def test_a_signal_ends_the_command_first() -> None:
    """Then its clocks are restored."""
    wait = "trap 'echo ended; exit 3' TERM; echo began; for _ in $(seq 600); do sleep 0.1; done"
    words = [sys.executable, str(UTILS / "config_gpu.py"), "--", "sh", "-c", wait]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as running:
        assert running.stdout is not None and running.stdout.readline() == b"began\n"
        running.send_signal(signal.SIGTERM)
        assert running.stdout.read() == b"ended\n"
    assert running.returncode == -signal.SIGTERM


def test_it_says_what_it_could_not_do(nvml: Nvml, capfd: pytest.CaptureFixture[str]) -> None:
    nvml.failing["nvmlDeviceSetGpuLockedClocks"] = NO_PERMISSION
    config_gpu = script("config_gpu")
    assert config_gpu.main(["--", sys.executable, "-c", ""]) == 0
    assert capfd.readouterr().err.count("sudo nvidia-smi -i 0 -lgc 1410,1410") == 1
    assert config_gpu.main([]) == 0
    assert capfd.readouterr().out == "GPU 0: memory clock up to 1512 MHz, compute clock up to 1410 MHz\n"
    assert config_gpu.main(["no-such-program"]) == 2
    assert config_gpu.main(["--compute-clk", "fast", "x"]) == 2
    assert "not a number of MHz" in capfd.readouterr().err


def test_device_properties_are_written(nvml: Nvml, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "device.json"
    device_info = script("device_info")
    assert device_info.main([str(file)]) == 0
    assert json.loads(file.read_text())[0]["GLOBAL_MEMORY_BUS_WIDTH"] == 5120
    assert capsys.readouterr().out == f"Created {file}\n"
    assert device_info.main([str(tmp_path / "no" / "device.json")]) == 2


@pytest.mark.parametrize("words", [("config_gpu", "--help"), ("device_info", "--help"), ("parse_trtexec_log", "a.log")])
def test_a_reader_that_goes_early_is_no_error(words: tuple[str, ...], tmp_path: Path) -> None:
    run = "&&&& {} TensorRT.trtexec [TensorRT v8601] # trtexec --onnx=m.onnx\n"
    (tmp_path / "a.log").write_text(run.format("RUNNING") + run.format("PASSED"))
    assert unread([sys.executable, str(UTILS / f"{words[0]}.py"), *words[1:]], tmp_path) == (0, "")
