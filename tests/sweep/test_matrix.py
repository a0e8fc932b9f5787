"""sweep.toml → jobs: what is in the matrix, what distinguishes jobs, and what people get wrong."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

import trex
from trex.core.errors import TrexError
from trex.examples.net import Net
from trex.sweep.backend_facts import BackendFacts, Question
from trex.sweep.job import Job, gpu_resource
from trex.sweep.matrix import Matrix, _files_of
from trex.sweep.spec import AXES, combinations_of
from trex.sweep.spec_toml import read_spec, time_limit

SIMULATED = 'backend = "simulated"\ngpu = "A100"\n'


@pytest.fixture
def models(tmp_path: Path) -> Path:
    """A folder with open.onnx (dynamic batch), written.onnx (batch 4) and text.onnx (dynamic length, too)."""
    for name, shape in (("open", (None, 8)), ("written", (4, 8)), ("text", (None, None))):
        net = Net(name, weights="random")
        net.output("y", net.node("Relu", net.input("x", shape)), shape)
        (tmp_path / f"{name}.onnx").write_bytes(net.model(opset=17, ir_version=8).SerializeToString())
    return tmp_path


def installed(question: Question) -> BackendFacts:
    return BackendFacts("10.8.0", "NVIDIA A100-SXM4-80GB")


def jobs_of(folder: Path, text: str) -> tuple[Job, ...]:
    (folder / "sweep.toml").write_text(text, encoding="utf-8")
    return Matrix(read_spec(str(folder / "sweep.toml")), folder / "models", installed).jobs


def test_every_combination_is_a_job_and_repetitions_follow(models):
    text = (
        f'repetitions = 2\n[axes]\nmodel = "open.onnx"\nbatch = [1, 8]\nprecision = ["fp32", "int8+fp16"]\n{SIMULATED}'
    )
    jobs = jobs_of(models, text)
    assert [(job.labels["batch"], job.labels["precision"], job.repetition) for job in jobs] == [
        (batch, precision, index) for index in (0, 1) for batch in "18" for precision in ("fp32", "int8+fp16")
    ]
    assert jobs[0].options.trtexec_args == ("shapes=x:1x8",)
    assert jobs[3].options.trtexec_args == ("int8", "fp16", "shapes=x:8x8")
    words = "trex process M O int8 fp16 shapes=x:8x8 --build-engine --profile-engine --backend simulated --device A100"
    assert " ".join(jobs[3].command(("trex",), "M", "O")) == words
    assert jobs[0].key == jobs[4].key and len({job.identity for job in jobs}) == 8
    assert jobs[3].title == "open.onnx · batch 8 · int8+fp16 · simulated · A100" and jobs[7].title.endswith(" · #2")


def test_the_key_is_of_the_name_and_what_is_built(models, tmp_path_factory):
    text = f'[axes]\nmodel = "open.onnx"\nbatch = 1\n{SIMULATED}'
    (first,) = jobs_of(models, text)
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    for name in ("open", "renamed"):
        (elsewhere / f"{name}.onnx").write_bytes((models / "open.onnx").read_bytes())
    (second,) = jobs_of(elsewhere, f'name = "other"\n{text}')
    assert first.key == second.key and first.labels != second.labels
    two = jobs_of(elsewhere, text.replace('"open.onnx"', '"*.onnx"'))
    assert [job.labels["model"] for job in two] == ["open.onnx", "renamed.onnx"] and two[0].key == first.key
    (elsewhere / "open.onnx.data").write_bytes(b"weights")
    changed = [
        two[1],
        *jobs_of(elsewhere, text),
        *jobs_of(models, text.replace("A100", "T4")),
        *jobs_of(models, text + 'tensorrt = "10.0"\n'),
        *jobs_of(models, text + 'options = "stronglyTyped"\n'),
        *jobs_of(models, text.replace("open", "text") + 'shapes = "x:{batch}x8"\n'),
    ]
    assert len({first.key, *(job.key for job in changed)}) == 7


def test_combinations_that_are_one_job_are_named(models):
    text = f'[axes]\nmodel = "open.onnx"\nbatch = 1\nprecision = ["model", "fp32"]\n{SIMULATED}'
    with pytest.raises(TrexError, match=r"model · .* and .* fp32 · .* are the same job"):
        jobs_of(models, text)


def test_exclusions_and_settings_select_by_axis_values(models):
    text = f"""
        [axes]
        model = "*.onnx"
        batch = [1, 8]
        backend = ["trtexec", "simulated"]
        gpu = ["A100", "T4"]
        [[exclude]]
        model = ["text*", "written.onnx"]
        [[exclude]]
        backend = "trtexec"
        gpu = "T4"
        [[set]]
        when = {{ batch = 8, backend = "trtexec" }}
        args = ["builderOptimizationLevel=5"]
        iterations = 100
        no-cuda-graph = true
        [resources]
        exclusive = {"true"}
    """
    jobs = jobs_of(models, text)
    assert [(job.labels["batch"], job.options.backend, job.labels["gpu"]) for job in jobs] == [
        ("1", "trtexec", "A100"), ("1", "simulated", "A100"), ("1", "simulated", "T4"),
        ("8", "trtexec", "A100"), ("8", "simulated", "A100"), ("8", "simulated", "T4"),
    ]  # fmt: skip
    assert [job.options.iterations for job in jobs] == [0, 0, 0, 100, 0, 0]
    assert jobs[3].options.trtexec_args[0] == "builderOptimizationLevel=5" and jobs[3].options.no_cuda_graph
    assert jobs[0].resources == {"gpu:nvidia-a100-sxm4-80gb": 1.0} and not jobs[1].resources
    assert jobs[0].tensorrt == "10.8.0" and jobs[0].gpu == "NVIDIA A100-SXM4-80GB"


def test_examples_are_written_with_their_batch(tmp_path):
    jobs = jobs_of(tmp_path, f'[axes]\nmodel = "example:mobilenet-v2"\nbatch = [1, 2]\n{SIMULATED}')
    names = [Path(job.model.path).name.removesuffix(f"-{trex.__version__}.onnx") for job in jobs]
    assert names == ["mobilenet-v2-b1", "mobilenet-v2-b2"]
    assert jobs[0].options.trtexec_args == () and jobs[0].model.sha256 != jobs[1].model.sha256


def test_rtx_builds_for_the_gpu_and_predicts_its_times(models):
    text = '[axes]\nmodel = "written.onnx"\nbackend = "tensorrt-rtx"\n'
    (job,) = jobs_of(models, text + 'gpu = "RTX 4090"\n')
    assert (job.options.target, job.options.device, job.options.profile_engine) == ("RTX 4090", "RTX 4090", True)
    (job,) = jobs_of(models, text)
    assert not job.options.profile_engine and not job.resources and job.gpu == ""


@pytest.mark.parametrize(
    ("text", "problem", "hint"),
    [
        ("", "axes has no model", "model ="),
        ('[axes]\nmodel = "missing.onnx"', "no model missing.onnx", "folder"),
        ('[axes]\nmodel = "none*.onnx"', "no model none*.onnx", "folder"),
        ('[axes]\nmodel = "example:resnet19"', "no example network 'resnet19'", "resnet18"),
        ('[axes]\nmodel = "open.onnx"\nbach = 1', "no axis 'bach'", "did you mean batch"),
        ('[axes]\nmodel = "open.onnx"\nbatch = []', "axes.batch has no values", "leave the axis out"),
        ('[axes]\nmodel = "open.onnx"\nbatch = [1, 1]', "axes.batch has '1' twice", "repetitions"),
        ('[axes]\nmodel = "open.onnx"\nbatch = 0', "batch size '0'", "[1, 8, 32]"),
        ('[axes]\nmodel = "open.onnx"\nbatch = { a = 1 }', "neither a value nor a list", "batch"),
        ('[axes]\nmodel = "open.onnx"\nbackend = "trtexe"', "no backend 'trtexe'", "did you mean trtexec"),
        ('[axes]\nmodel = "open.onnx"\nprecision = "fp61"', "no precision 'fp61'", "fp16"),
        ('[axes]\nmodel = "open.onnx"\n[[exclude]]\ngup = "T4"', "no axis 'gup'", "did you mean gpu"),
        ('[axes]\nmodel = "open.onnx"\ngpu = "T4"\n[[exclude]]\ngpu = "T5"', "no gpu of this sweep is 'T5'", "T4"),
        ('[axes]\nmodel = "open.onnx"\n[[exclude]]\nmodel = "*"', "the matrix is empty", "model *"),
        ('[axes]\nmodel = "open.onnx"\ngpu = ["A100", "T4"]\n[[exclude]]\ngpu = "T4"\n[[set]]\nwhen = { gpu = "T4" }',
         "this setting applies to nothing", "drop"),
        ('[axes]\nmodel = "open.onnx"\n[[set]]\niteration = 3', "set.0.iteration is not known", "iterations"),
        ('[axes]\nmodel = "open.onnx"\n[[set]]\niterations = "many"', "can't be 'many'", "inferences"),
        ('[axes]\nmodel = "open.onnx"\n[[set]]\nmonitor = 1', "is a switch", "monitor = true"),
        ('[axes]\nmodel = "open.onnx"\n[[exclude]]', "exclude.0 names no axis", "such as"),
        ('exclude = "T4"\n[axes]\nmodel = "open.onnx"', "is not a list of tables", "[[exclude]]"),
        ('time-limit = "soon"\n[axes]\nmodel = "open.onnx"', "time-limit is not a time", "30 min"),
        ('repetitions = 0\n[axes]\nmodel = "open.onnx"', "not a whole number of 1 or more", ""),
        ('retrys = 1\n[axes]\nmodel = "open.onnx"', "retrys is not known", "did you mean retries"),
        ('[axes]\nmodel = "open.onnx"\n[resources]\nexclusive = "no"', "neither true nor false", ""),
        (f'[axes]\nmodel = "written.onnx"\nbatch = 2\n{SIMULATED}', "batch size written in it: 4", "dynamic batch"),
        (f'[axes]\nmodel = "text.onnx"\nbatch = 2\n{SIMULATED}', "more open than the batch size of x", "{batch}"),
        ('[axes]\nmodel = "open.onnx"\nbackend = "simulated"', "a prediction needs a GPU", "A100"),
        ('[axes]\nmodel = "open.onnx"\nbackend = "tensorrt-rtx"\nprecision = "fp16"', "from the model", "exclude"),
        ('[axes]\nmodel = "open.onnx"\ntensorrt = "10.4"', "10.4 is asked for, 10.8.0 is installed", "trtexec"),
        ('[axes\nmodel = "open.onnx"', "not TOML", "correct"),
        ('name = "../x"\n[axes]\nmodel = "open.onnx"', "no folder can have", "nightly"),
        ('name = "a\\u0000b"\n[axes]\nmodel = "open.onnx"', "a NUL character", "remove"),
    ],
)  # fmt: skip
def test_mistakes_have_an_address_and_a_next_step(models, text, problem, hint):
    with pytest.raises(TrexError) as caught:
        jobs_of(models, text)
    assert problem in caught.value.message and hint in caught.value.hint, caught.value
    assert "sweep.toml" in caught.value.where


def test_without_the_backend_a_dry_run_has_jobs_without_keys(models):
    (models / "sweep.toml").write_text('[axes]\nmodel = "open.onnx"\nbatch = [1, 2]\n')
    matrix = Matrix(
        read_spec(str(models / "sweep.toml")), models, lambda _: BackendFacts(problem="none"), is_strict=False
    )
    assert [job.key for job in matrix.jobs] == ["", ""]
    with pytest.raises(TrexError, match="none"):
        Matrix(replace(matrix.spec, name="x"), models, matrix.ask).jobs  # noqa: B018


@pytest.mark.parametrize(
    ("gpu", "has", "is_other"),
    [
        ("T4", "NVIDIA A100-SXM4-80GB", True),
        ("T4", "Tesla T4", False),
        ("A100", "NVIDIA A100-SXM4-80GB MIG 1g.10gb", False),
        ("Some Board", "NVIDIA A100-SXM4-80GB", False),
        ("T4", "", False),
    ],
)
def test_a_worker_with_another_gpu_than_its_jobs_is_an_error(models, gpu, has, is_other):
    (models / "sweep.toml").write_text(f'[axes]\nmodel = "written.onnx"\ngpu = "{gpu}"\n')
    matrix = Matrix(read_spec(str(models / "sweep.toml")), models, lambda _: BackendFacts("10.8.0", has))
    if is_other:
        with pytest.raises(TrexError, match="the worker for the GPU T4 has NVIDIA A100"):
            matrix.jobs  # noqa: B018
    else:
        assert len(matrix.jobs) == 1


def test_times_and_resources():
    assert [time_limit(text) for text in ("90 s", "90", "1.5min", "2 h")] == [90, 90, 90, 7200]
    assert gpu_resource("A100") == gpu_resource("NVIDIA A100-SXM4-80GB") == "gpu:nvidia-a100-sxm4-80gb"
    assert gpu_resource("") == "gpu" and gpu_resource("Some Board") == "gpu:some-board"


def test_the_sweeps_of_the_docs_can_be_read(tmp_path):
    text = (Path(__file__).parents[2] / "docs" / "sweeps.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    assert len(blocks) >= 2
    for block in blocks:
        (tmp_path / "docs.toml").write_text(block, encoding="utf-8")
        spec = read_spec(str(tmp_path / "docs.toml"))
        combinations = combinations_of(spec, {axis: spec.values(axis) for axis in AXES})
        assert len(combinations) > 30 and spec.axes["gpu"][0] == "A100"


@pytest.mark.parametrize(
    "text",
    [
        "repetitions = 1000000000\n[axes]\nmodel = 'x.onnx'",
        "[axes]\nmodel = 'x.onnx'\n"
        + "".join(f"{axis} = {list(range(1, 1001))}\n" for axis in ("batch", "shapes", "gpu")),
    ],
)
def test_a_matrix_without_end_is_refused_before_it_is_made(tmp_path, text):
    (tmp_path / "x.onnx").write_bytes(b"")
    with pytest.raises(TrexError, match="1,000,000,000 combinations"):
        jobs_of(tmp_path, text)


def test_long_files_are_read_in_linear_time(tmp_path):
    """Each value and each exclusion once looked for its line in the whole file: hours."""
    file = tmp_path / "long.toml"
    values = f"batch = {list(range(1, 20_001))}\n"
    exclusions = "[[exclude]]\nbatch = 7\n" * 5_000
    file.write_text(f"[axes]\nmodel = 'x'\n{values}{exclusions}")
    spec = read_spec(str(file))
    assert len(spec.values("batch")) == 20_000
    assert spec.exclude[-1].where == f"{file}:{4 + 2 * 4_999}"
    file.write_text(f'x = 1\ny = """\n[{" " * 100_000}a{" " * 100_000}b\n"""\n')
    with pytest.raises(TrexError, match="x is not known"):
        read_spec(str(file))


def test_too_many_exclusions_are_refused_at_once(models):
    """A sweep of 60 KB took minutes before its first word."""
    text = '[axes]\nmodel = "open.onnx"\nbatch = [1, 2]\n' + SIMULATED + "[[exclude]]\nbatch = 2\n" * 20
    assert len(jobs_of(models, text)) == 1
    with pytest.MonkeyPatch.context() as patch, pytest.raises(TrexError, match="too many together"):
        patch.setattr("trex.sweep.spec._MOST_CHECKS", 30)
        jobs_of(models, text)


def test_a_glob_follows_no_links(tmp_path: Path) -> None:
    """Two links to the folder itself are 2^40 folders."""
    for name in ("a.onnx", "inner/b.onnx", ".hidden/c.onnx"):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(b"")
    for name in ("x", "y"):
        (tmp_path / name).symlink_to(".")
    found = [Path(path).relative_to(tmp_path) for path in _files_of(tmp_path / "**/*.onnx")]
    assert found == [Path("a.onnx"), Path("inner/b.onnx")]
    assert _files_of(tmp_path / "in**/**.onnx") == [str(tmp_path / "inner/b.onnx")]
    assert _files_of(tmp_path / "inn*/../a.onnx") == [str(tmp_path / "inner/../a.onnx")]
