"""One local cluster for all tests of sweeps: it takes seconds to start."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.sweep.jobs import PROGRAM, make_jobs
from trex.store.run_store import RunStore
from trex.sweep.cluster import client_of
from trex.sweep.spec import SweepSpec
from trex.sweep.sweep import Sweep


@pytest.fixture(scope="session")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    pytest.importorskip("distributed", reason="the extra sweep is not installed")
    folder = tmp_path_factory.mktemp("temporary")
    with ExitStack() as stack:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(tempfile, "tempdir", str(folder))
            client = stack.enter_context(client_of(workers=2, has_dashboard=False))
        yield client
    assert not list(folder.iterdir()), "a cluster leaves nothing where temporary files go"


@pytest.fixture
def make_sweep(client: Any, tmp_path: Path) -> Callable[..., Sweep]:
    """A sweep whose jobs run the mock of ``trex process``; each word is a job."""

    def make(*words: str, repetitions: int = 1, **options: Any) -> Sweep:
        folder = tmp_path / "store"
        store = RunStore.open(folder, create=True)
        limits = {key: options.pop(key) for key in ("retries", "quarantine") if key in options}
        jobs = make_jobs(tmp_path, words, repetitions, time_limit_s=options.pop("time_limit_s", None))
        spec = SweepSpec("test", {"model": ("m.onnx",), "options": words}, repetitions=repetitions, **limits)
        return Sweep(spec, jobs, store, folder, options.pop("client", client), program=PROGRAM, **options)

    return make
