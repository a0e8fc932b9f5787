"""Workers: what they declare of their GPUs, and what is said when there is none."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from trex.core.errors import TrexError
from trex.sweep import cluster, gpu_worker
from trex.sweep.cluster import LocalGpu, _workers, client_of, local_gpus

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("sweep")]  # one cluster, which takes seconds to start

T4, A100 = LocalGpu("Tesla T4", "GPU-a"), LocalGpu("NVIDIA A100-SXM4-80GB", "GPU-b")


@pytest.fixture
def two_gpus(monkeypatch):
    nvml = SimpleNamespace(
        NVMLError=RuntimeError,
        nvmlInit=lambda: None,
        nvmlShutdown=lambda: None,
        nvmlDeviceGetCount=lambda: 2,
        nvmlDeviceGetHandleByIndex=lambda index: (T4, A100)[index],
        nvmlDeviceGetName=lambda gpu: gpu.name.encode(),
        nvmlDeviceGetUUID=lambda gpu: gpu.uuid,
    )
    monkeypatch.setitem(sys.modules, "pynvml", nvml)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)


def test_visible_gpus_are_listed_in_their_order(two_gpus, monkeypatch):
    assert local_gpus() == (T4, A100)
    for text, gpus in (("1", (A100,)), ("GPU-b, 0", (A100, T4)), ("", ())):
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", text)
        assert local_gpus() == gpus


def test_a_worker_declares_its_gpu(two_gpus, monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1")
    state = SimpleNamespace(total_resources={}, available_resources={})
    gpu_worker.dask_setup(SimpleNamespace(state=state))
    assert state.total_resources == state.available_resources == {"gpu": 1.0, "gpu:nvidia-a100-sxm4-80gb": 1.0}
    state.total_resources = {"gpu": 2.0}
    gpu_worker.dask_setup(SimpleNamespace(state=state))
    assert state.total_resources == {"gpu": 2.0}


def test_a_local_cluster_has_a_worker_per_gpu():
    workers = dict(cluster._workers(8, (T4, A100)))
    assert list(workers) == ["gpu-0", "gpu-1"]
    assert workers["gpu-1"]["options"]["env"] == {"CUDA_VISIBLE_DEVICES": "GPU-b"}
    assert workers["gpu-1"]["options"]["resources"] == {"gpu": 1.0, "gpu:nvidia-a100-sxm4-80gb": 1.0}
    assert list(dict(cluster._workers(2, ()))) == ["cpu-0", "cpu-1"]


def test_no_scheduler_is_an_error_with_a_next_step(monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr(cluster, "_CONNECT_S", 0.2)
    with pytest.raises(TrexError, match="no Dask scheduler answers") as caught, client_of("tcp://127.0.0.1:9"):
        pass
    assert "dask scheduler" in caught.value.hint and caught.value.where == "tcp://127.0.0.1:9"


def test_without_dask_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(TrexError, match="distributed") as caught, client_of(workers=1):
        pass
    assert "[sweep]" in caught.value.hint


def test_too_few_open_files_are_an_error_and_no_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    resource = pytest.importorskip("resource")
    wanted: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda which: (20, 4096))
    monkeypatch.setattr(resource, "setrlimit", lambda which, limits: wanted.append(limits))
    cluster._make_room(96)
    assert wanted == [(96, 4096)]

    def refused(which: int, limits: tuple[int, int]) -> None:
        raise ValueError("current limit exceeds maximum limit")

    monkeypatch.setattr(resource, "setrlimit", refused)
    with pytest.raises(TrexError, match="96 files must be open at a time, and 20 may be"):
        cluster._make_room(96)
    cluster._make_room(20)


def test_workers_listen_to_this_machine_alone() -> None:
    """Whoever reaches a worker's port runs code in it."""
    planned = dict(_workers(2, ()))
    assert [worker["options"]["host"] for worker in planned.values()] == ["127.0.0.1"] * 2


def test_workers_have_the_environment_of_the_sweep_and_outlive_a_suspension() -> None:
    dask = pytest.importorskip("dask")
    pytest.importorskip("distributed")
    with dask.config.set(cluster._SETTINGS):
        assert set(dask.config.get("distributed.nanny.pre-spawn-environ")) == {"PYTHONSAFEPATH"}
        assert dask.config.get("distributed.scheduler.worker-ttl") is None
