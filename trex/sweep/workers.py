"""Workers of a Dask cluster → whether they can run a sweep's jobs, and what they answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from trex.core.errors import TrexError
from trex.core.printable import printable
from trex.sweep.backend_facts import BackendFacts, Question, facts_here
from trex.sweep.cluster import resources_of


def asking(client: Any, waits: bool = True) -> Callable[[Question], BackendFacts]:
    """Answers of a worker that may run such jobs. waits: for one that is still to come."""

    def ask(question: Question) -> BackendFacts:
        if not waits and (missing := missing_resources(resources_of(client), question.resources)):
            raise TrexError(
                f"no worker has {', '.join(missing)}", "trex devices lists names; nvidia-smi -L the GPUs here"
            )
        future = client.submit(facts_here, question, resources=dict(question.resources), pure=False)
        try:
            answer: BackendFacts = future.result(timeout=120)
            return answer
        except TimeoutError:
            wanted = ", ".join(question.resources)
            hint = f"dask worker ADDRESS --nthreads 1 --resources '{wanted}=1'"
            raise TrexError(f"no worker with {wanted} has answered for 2 minutes", hint) from None

    return ask


def check_workers(client: Any) -> None:
    """Raises TrexError for a worker whose trex is missing or of another release: it would run other jobs."""
    from trex import __version__

    try:
        versions = client.run(_version)
    except ImportError as error:
        hint = f"on every worker: pip install 'tensorrt-engine-explorer[sweep]=={__version__}'"
        raise TrexError(f"a Dask worker has no trex: {printable(str(error))[:200]}", hint) from None
    for worker, version in versions.items():
        if version != __version__:
            hint = f"install {__version__} there"
            raise TrexError(f"a Dask worker has trex {printable(version)}, this is {__version__}", hint, worker)


def missing_resources(workers: Sequence[Mapping[str, float]], wanted: Mapping[str, float]) -> list[str]:
    """Resources that no worker has all together; [] if one has."""
    is_there = any(all(worker.get(name, 0) >= amount for name, amount in wanted.items()) for worker in workers)
    return [] if is_there else list(wanted)


def _version() -> str:
    """On a worker."""
    from trex import __version__

    return __version__


def sees(paths: list[str]) -> dict[str, bool]:
    """On a worker."""
    return {path: Path(path).is_file() for path in paths}


def runs_jobs(dask_worker: Any) -> bool:
    """On a worker: whether a thread still ends a job."""
    return bool(dask_worker.active_threads)
