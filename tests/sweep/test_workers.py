"""Workers: what is asked of them before a sweep begins."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from trex.capture.options import CaptureOptions
from trex.core.errors import TrexError
from trex.sweep.backend_facts import Question
from trex.sweep.workers import asking, check_workers, missing_resources

pytestmark = pytest.mark.xdist_group("sweep")  # one cluster, which takes seconds to start


def test_resources_that_no_worker_has_together():
    workers = [{"gpu": 1, "cpu": 4}, {"fpga": 1}]
    assert missing_resources(workers, {"gpu": 1, "cpu": 4}) == []
    assert missing_resources(workers, {"gpu": 1, "fpga": 1}) == ["gpu", "fpga"]


def test_a_worker_of_another_release_is_an_error():
    client = SimpleNamespace(run=lambda function: {"tcp://a": function(), "tcp://b": "0.1"})
    with pytest.raises(TrexError, match=r"a Dask worker has trex 0\.1") as caught:
        check_workers(client)
    assert caught.value.where == "tcp://b" and caught.value.hint.startswith("install ")


@pytest.mark.slow
def test_a_gpu_that_no_local_worker_has_is_an_error(client):
    question = Question(CaptureOptions("m.onnx", "out", backend="trtexec"), {"gpu:nvidia-a100-sxm4-80gb": 1.0})
    with pytest.raises(TrexError, match="no worker has gpu:nvidia-a100"):
        asking(client, waits=False)(question)
    answer = asking(client, waits=False)(Question(CaptureOptions("m.onnx", "out", backend="simulated", device="A100")))
    assert answer.tensorrt == "10.4.0" and not answer.problem and not answer.gpu
