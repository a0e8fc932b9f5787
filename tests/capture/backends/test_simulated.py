"""The simulated backend: from an ONNX model to files that are marked as simulated, without GPU and TensorRT."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trex.capture.backend import BACKENDS, prepare_backend
from trex.capture.options import CaptureOptions
from trex.capture.process import process
from trex.capture.simulated_request import simulated_request
from trex.core.errors import TrexError
from trex.core.provenance import Provenance
from trex.examples.network import write_network
from trex.ingest.graph_json import read_graph
from trex.perf.run_flags import run_flags
from trex.plan.engine_plan import EnginePlan
from trex.plan.loading import load_plan
from trex.simulator.what_if import what_if_results

pytest.importorskip("onnx")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_network("resnet18-qat", tmp_path_factory.mktemp("model") / "model.onnx", batch=None)


def options(model: Path, folder: Path, **more: object) -> CaptureOptions:
    given: dict[str, object] = {"trtexec_args": ("int8", "fp16"), "device": "A100", "backend": "simulated", **more}
    return CaptureOptions(str(model), str(folder), **given)


class TestProcess:
    def test_it_writes_what_a_real_run_writes(self, model: Path, tmp_path: Path) -> None:
        outcome = process(options(model, tmp_path))
        assert outcome.exit_code == 0
        assert outcome.done == ("build", "profile")
        plan = load_plan(EnginePlan, tmp_path)
        assert plan.provenance is Provenance.SIMULATED
        assert plan.is_profiled
        assert plan.device_facts.name == "NVIDIA A100-SXM4-80GB"
        assert plan.engine.tensorrt_version.startswith("10.4")
        assert all(time is not None and time.average_ms is not None for time in plan.times)

    def test_every_artifact_is_marked(self, model: Path, tmp_path: Path) -> None:
        process(options(model, tmp_path))
        unmarked = [path.name for path in tmp_path.iterdir() if "simulated" not in path.read_text().lower()]
        assert unmarked == []

    def test_an_engine_alone_names_the_command_that_writes_its_files(self, model: Path, tmp_path: Path) -> None:
        process(options(model, tmp_path / "whole"))
        alone = tmp_path / "model.onnx.engine"
        alone.write_bytes((tmp_path / "whole" / alone.name).read_bytes())
        with pytest.raises(TrexError, match="this is a simulated engine") as error:
            load_plan(EnginePlan, alone)
        assert f"trex process {alone} {tmp_path} --profile-engine --backend simulated" in error.value.hint

    def test_its_own_graph_says_that_it_is_simulated(self, model: Path, tmp_path: Path) -> None:
        process(options(model, tmp_path))
        assert EnginePlan(read_graph((tmp_path / "model.onnx.engine").read_bytes())).provenance is Provenance.SIMULATED

    def test_the_same_request_writes_the_same_bytes(self, model: Path, tmp_path: Path) -> None:
        written = []
        for name in ("one", "two"):
            process(options(model, tmp_path / name))
            files = (tmp_path / name).iterdir()
            written.append({path.name: path.read_bytes() for path in files if path.name != "manifest.json"})
        assert written[0] == written[1]

    def test_what_is_up_to_date_is_not_done_again(self, model: Path, tmp_path: Path) -> None:
        process(options(model, tmp_path))
        assert process(options(model, tmp_path)).up_to_date == ("build", "profile")
        assert process(options(model, tmp_path, device="L4")).done == ("build", "profile")

    def test_a_run_is_for_what_the_engine_was_predicted_for(self, model: Path, tmp_path: Path) -> None:
        process(options(model, tmp_path))
        words = ("int8", "fp16", "shapes=input.1:4x3x224x224")
        for asked, named in (
            ({"trtexec_args": words}, "not 4x3x224x224"),
            ({"trtexec_args": ("shapes=y:4",)}, "y:no such input"),
            ({"device": "L4"}, "not NVIDIA L4"),
            ({"as_release": "9.0"}, "not 9.0"),
            ({"no_cuda_graph": True}, "not one by one"),
        ):
            outcome = process(options(model, tmp_path, profile_engine=True, **asked))
            assert outcome.failure is not None and named in outcome.failure.message
        assert process(options(model, tmp_path, profile_engine=True)).failure is None

    def test_noise_scatters_around_the_prediction(self, model: Path, tmp_path: Path) -> None:
        process(options(model, tmp_path / "plain"))
        process(options(model, tmp_path / "noisy", noise="7"))
        plain, noisy = (
            [row["computeMs"] for row in json.loads(next((tmp_path / name).glob("*.timing.json")).read_text())]
            for name in ("plain", "noisy")
        )
        assert len(set(plain)) == 1
        assert len(set(noisy)) > 100
        assert sorted(noisy)[len(noisy) // 2] == pytest.approx(plain[0], rel=0.002)

    def test_launches_one_by_one_are_predicted_as_by_whatif(self, model: Path, tmp_path: Path) -> None:
        times = {}
        for is_off, words in ((False, ()), (True, ("noCudaGraph",))):
            process(options(model, tmp_path, no_cuda_graph=is_off))
            plan = load_plan(EnginePlan, tmp_path)
            assert run_flags(plan.metadata.inference_options).cuda_graph is not is_off
            target = simulated_request(str(model), ("int8", "fp16", *words), "A100").target
            (result,) = what_if_results(str(model), target, [target.device])
            assert result.simulation is not None
            times[is_off] = result.simulation.inference.compute_ms
            assert plan.performance_summary["GPU Compute Time"][2] == pytest.approx(times[is_off], rel=1e-5)
        assert times[True] > times[False]

    def test_open_dimensions_are_taken_as_one_with_a_note(self, model: Path, tmp_path: Path) -> None:
        outcome = process(options(model, tmp_path))
        assert [note.message for note in outcome.notes if note.code == "open-dimensions"]
        assert load_plan(EnginePlan, tmp_path).working_layers[0].inputs[0].shape == (1, 3, 224, 224)

    def test_options_that_change_nothing_are_named(self, model: Path, tmp_path: Path) -> None:
        real: dict[str, object] = {
            "target": "sm86", "trtexec": "/none", "timeout": 9.0, "workspace": 1, "timing_cache": "t.cache", "dev": 4,
            "memory_clk_freq": "1", "compute_clk_freq": "1", "power_limit": 100, "dont_lock_clocks": True,
            "monitor": True, "iterations": 5, "warm_up": 5, "duration": 5, "no_spin_wait": True,
            "include_data_transfers": True,
        }  # fmt: skip
        known = {"noise": "1", "as_release": "10.4", "no_cuda_graph": True, "force": True}
        job = prepare_backend(options(model, tmp_path, trtexec_args=("fp16", "avgTiming=2"), **real, **known))[1]
        (note,) = [note for note in job.notes if note.code == "not-simulated"]
        names = sorted(["--avgTiming", *(f"--{name.replace('_', '-')}" for name in real)])
        assert note.message == f"without effect on a predicted engine: {', '.join(names)}"
        assert "not-simulated" not in [note.code for note in prepare_backend(options(model, tmp_path))[1].notes]

    def test_shapes_are_heeded(self, model: Path, tmp_path: Path) -> None:
        process(options(model, tmp_path, trtexec_args=("int8", "shapes=input.1:8x3x224x224")))
        assert load_plan(EnginePlan, tmp_path).working_layers[0].inputs[0].shape == (8, 3, 224, 224)

    @pytest.mark.parametrize("release", ["8.4", "8.6", "10.16", "11.1"])
    def test_every_form_is_read_back(self, model: Path, tmp_path: Path, release: str) -> None:
        words = () if release.startswith("11") else ("int8", "fp16")
        process(options(model, tmp_path, trtexec_args=words, as_release=release))
        plan = load_plan(EnginePlan, tmp_path)
        assert plan.provenance is Provenance.SIMULATED
        assert plan.total_runtime > 0


class TestRefusals:
    def test_a_gpu_must_be_named(self, model: Path, tmp_path: Path) -> None:
        with pytest.raises(TrexError, match="needs a GPU"):
            prepare_backend(options(model, tmp_path, device=""))

    def test_a_gpu_must_be_known(self, model: Path, tmp_path: Path) -> None:
        with pytest.raises(TrexError, match="unknown device"):
            prepare_backend(options(model, tmp_path, device="Abacus"))

    @pytest.mark.parametrize("release", ["7.2", "12.0", "new"])
    def test_a_release_must_be_one_that_can_be_written(self, model: Path, tmp_path: Path, release: str) -> None:
        with pytest.raises(TrexError, match="cannot be simulated"):
            prepare_backend(options(model, tmp_path, as_release=release))

    @pytest.mark.parametrize("wish", [{"device": "A100"}, {"as_release": "10.4"}, {"noise": "1"}])
    def test_real_backends_take_no_wishes_of_a_prediction(
        self, model: Path, tmp_path: Path, wish: dict[str, str]
    ) -> None:
        given = {"device": "", **wish, "backend": "trtexec"}
        with pytest.raises(TrexError, match="is for predictions"):
            prepare_backend(options(model, tmp_path, **given))

    def test_a_broken_model_leaves_nothing(self, tmp_path: Path) -> None:
        broken = tmp_path / "broken.onnx"
        broken.write_bytes(b"\x08\x01 this is no model")
        outcome = process(options(broken, tmp_path / "out"))
        assert outcome.failure is not None
        assert not list((tmp_path / "out").glob("*.engine*"))

    def test_a_real_engine_is_none_of_ours(self, tmp_path: Path) -> None:
        engine = tmp_path / "real.engine"
        engine.write_bytes(b"ftrt" + bytes(60))
        outcome = process(options(engine, tmp_path / "out", trtexec_args=()))
        assert outcome.failure is not None
        assert "no simulated engine" in outcome.failure.message


def test_it_is_never_chosen_by_itself() -> None:
    assert not BACKENDS.load("simulated").value.is_available(CaptureOptions("m", "o"))
