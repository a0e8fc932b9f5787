"""A Dask worker that knows its GPU: ``dask worker ADDRESS --nthreads 1 --preload trex.sweep.gpu_worker``.

It declares the resources ``gpu`` and ``gpu:NAME``, which the jobs of a sweep ask for, of the first GPU that
CUDA_VISIBLE_DEVICES leaves visible; one worker per GPU. Resources given with ``--resources`` stay as they are.
"""

from __future__ import annotations

from typing import Any

from trex.sweep.cluster import local_gpus
from trex.sweep.job import gpu_resource


def dask_setup(worker: Any) -> None:
    """Called by Dask before the worker registers."""
    gpus = local_gpus()
    if gpus and not worker.state.total_resources:
        resources = {gpu_resource(""): 1.0, gpu_resource(gpus[0].name): 1.0}
        worker.state.total_resources.update(resources)
        worker.state.available_resources.update(resources)
