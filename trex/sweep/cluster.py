"""Where jobs run: workers of this machine, one per GPU or N for the CPU, or those of a Dask scheduler."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from trex.core.errors import TrexError, missing_extra
from trex.core.printable import printable
from trex.core.scratch_folder import scratch_folder
from trex.core.worker_processes import SAFE_PATH, starting_children
from trex.sweep.job import gpu_resource

_CRITICAL = 50
"""The level of Python's logging: what else Dask says would go through the table."""

_IN_FLIGHT = 500
"""Tasks that Dask has at a time."""

_FILES, _FILES_PER_WORKER = 64, 16
"""What a local cluster has open: 41 files with two workers, 86 with six, and some room."""

_HERE = "127.0.0.1"
_CONNECT_S = 20
_SCHEDULER = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}
_SETTINGS = {
    "distributed.scheduler.work-stealing-interval": "200ms",
    "distributed.admin.tick.limit": "1h",
    # Of each worker, also of one that starts again; without what Dask sets itself (OMP_NUM_THREADS=1, malloc's trim
    # threshold): jobs inherit it, and their times would not be those of trex process.
    "distributed.nanny.pre-spawn-environ": dict([SAFE_PATH]),
    # By the wall clock: after a suspension, or a step of the clock, every worker would be ended with its build.
    "distributed.scheduler.worker-ttl": None,
}

_Unit = TypeVar("_Unit")
_Answer = TypeVar("_Answer")


@dataclass(frozen=True, slots=True)
class LocalGpu:
    """A GPU of this machine. uuid: for CUDA_VISIBLE_DEVICES."""

    name: str
    uuid: str


@contextmanager
def client_of(
    scheduler: str = "", workers: int = 0, gpus: tuple[LocalGpu, ...] = (), *, has_dashboard: bool = True
) -> Iterator[Any]:
    """A client of the scheduler at an address, or of a cluster that lasts as long as the ``with`` block.

    workers: of a local cluster without GPUs; with GPUs each has a worker. Raises TrexError without Dask or a scheduler.
    """
    try:
        import dask
        import distributed
    except ImportError:
        raise missing_extra("distributed", "sweep", "running a sweep") from None
    library: Any = distributed  # most of it has no types
    if scheduler:
        try:
            client = library.Client(scheduler, timeout=_CONNECT_S, set_as_default=False)
        except Exception as error:  # of any kind: each scheme has its own
            hint = "start one: dask scheduler; then dask worker ADDRESS on each machine"
            raise TrexError(f"no Dask scheduler answers: {printable(str(error))[:200]}", hint, scheduler) from None
        with client:
            yield client
        return
    with (
        scratch_folder(parent=dask.config.get("temporary-directory", None)) as folder,  # Dask leaves its own
        dask.config.set({**_SETTINGS, "temporary-directory": folder}),
        _without_dashboard_warnings(),
        _cluster(library, workers, gpus, has_dashboard) as cluster,
        library.Client(cluster, set_as_default=False) as client,
    ):
        yield client


def _cluster(library: Any, workers: int, gpus: tuple[LocalGpu, ...], has_dashboard: bool) -> Any:
    """A signal waits for its start: Dask cannot close a cluster that has half started. The sweep ends the workers."""
    planned = dict(_workers(workers, gpus))
    _make_room(_FILES + _FILES_PER_WORKER * len(planned))
    try:
        with starting_children():
            return library.SpecCluster(
                workers=planned,
                scheduler={"cls": library.Scheduler, "options": {**_SCHEDULER, "dashboard": has_dashboard}},
                silence_logs=_CRITICAL,
                name="trex",
            )
    except RuntimeError as error:  # a worker was ended while it started
        hint = "is there memory for all workers? --workers N starts fewer"
        raise TrexError(f"the workers did not start: {printable(str(error))[:200]}", hint) from None


def _make_room(count: int) -> None:
    """For so many open files. Without it Dask tries again forever, deaf to signals. Raises TrexError."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    limit, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if limit == resource.RLIM_INFINITY or limit >= count:
        return
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (count, most))
    except (OSError, ValueError):
        message = f"{count} files must be open at a time, and {limit} may be"
        raise TrexError(message, f"raise the limit (ulimit -n {count}), or start fewer workers: --workers N") from None


def _workers(count: int, gpus: tuple[LocalGpu, ...]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    from distributed import Nanny

    common = {
        "host": _HERE,  # else all interfaces: whoever reaches a worker's port runs code in it
        "nthreads": 1,
        "memory_limit": 0,  # the child has the memory, and must not be killed for a limit of the worker
        "silence_logs": _CRITICAL,
        "dashboard": False,
        "preload": ["trex.sweep.local_worker"],
    }
    for index, gpu in enumerate(gpus):
        resources = {gpu_resource(""): 1.0, gpu_resource(gpu.name): 1.0}
        own = {"resources": resources, "env": {"CUDA_VISIBLE_DEVICES": gpu.uuid}}
        yield f"gpu-{index}", {"cls": Nanny, "options": {**common, **own}}
    for index in range(0 if gpus else count):
        yield f"cpu-{index}", {"cls": Nanny, "options": common}


@contextmanager
def _without_dashboard_warnings() -> Iterator[None]:
    """Dask warns of a dashboard that it can't show without bokeh."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def dashboard_of(client: Any) -> str:
    """The link; "" where there is no dashboard."""
    from importlib.util import find_spec

    if find_spec("bokeh") is None:
        return ""
    with suppress(Exception):  # of a scheduler of another version
        return str(client.dashboard_link or "")
    return ""


def local_gpus() -> tuple[LocalGpu, ...]:
    """GPUs that NVML sees and CUDA_VISIBLE_DEVICES does not hide; none without a driver."""
    from trex.capture.nvml import import_nvml, text_of, visible_handles

    try:
        nvml = import_nvml()
        nvml.nvmlInit()
    except Exception:  # no package, no driver: NVML's own errors
        return ()
    try:
        handles = visible_handles(nvml)
        return tuple(
            LocalGpu(text_of(nvml.nvmlDeviceGetName(handle)), text_of(nvml.nvmlDeviceGetUUID(handle)))
            for handle in handles
        )
    except nvml.NVMLError:
        return ()
    finally:
        with suppress(nvml.NVMLError):
            nvml.nvmlShutdown()


def resources_of(client: Any) -> list[Mapping[str, float]]:
    """Of each worker."""
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    return [dict(worker.get("resources") or {}) for worker in workers]


def answers_in_order(
    client: Any, work: Callable[[_Unit], Any], units: Iterable[_Unit], answer: Callable[[_Unit, Any], _Answer]
) -> Iterator[_Answer]:
    """``answer(unit, future)`` for each unit, in their order, while the workers do the next ones."""
    pending: deque[tuple[_Unit, Any]] = deque()
    try:
        for unit in units:
            pending.append((unit, client.submit(work, unit, pure=False)))
            if len(pending) >= _IN_FLIGHT:
                yield answer(*pending.popleft())
        while pending:
            yield answer(*pending.popleft())
    finally:
        client.cancel([future for _, future in pending])
