"""trex baseline, and trex compare against what it keeps."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.simulated_examples import SIMULATED
from tests.store.small_engines import write_engine
from trex.cli.main import main

INT8, RESIDUAL = str(SIMULATED / "resnet18-int8"), str(SIMULATED / "resnet18-int8-residual")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words: str) -> int:
    return main(list(words))


def test_add_never_overwrites_and_update_does(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("baseline", "update", INT8) == 2
    assert "to update" in capsys.readouterr().err
    assert run("baseline", "add", INT8) == 0
    (file,) = (here / "baselines").glob("*/*/*.json")
    assert capsys.readouterr().out == f"1 baseline added\n{file.relative_to(here)}\n"
    text = file.read_bytes()
    assert run("baseline", "add", INT8) == 2
    told = capsys.readouterr().err
    assert "exists" in told and "trex baseline update" in told
    assert run("baseline", "add", RESIDUAL, "--model", "resnet18-int8") == 2
    assert file.read_bytes() == text
    capsys.readouterr()
    assert run("baseline", "update", INT8) == 0
    assert file.read_bytes() == text and "No difference" in capsys.readouterr().out
    file.write_bytes(text[:100])
    assert run("baseline", "update", INT8) == 0 and file.read_bytes() == text  # a damaged one is replaced
    assert run("baseline", "update", RESIDUAL, "--model", "resnet18-int8") == 0
    assert file.read_bytes() != text and "faster" in capsys.readouterr().out


@pytest.mark.parametrize("action", ["add", "update"])
def test_two_engines_with_one_key_are_refused(here: Path, capsys: pytest.CaptureFixture[str], action: str) -> None:
    """The second would be written over the first."""
    for name in ("first", "second"):
        shutil.copytree(INT8, here / name / "resnet18-int8")
    if action == "update":
        assert run("baseline", "add", INT8) == 0
    before = {path: path.read_bytes() for path in here.rglob("*.json")}
    assert run("baseline", action, "first/resnet18-int8", "second/resnet18-int8") == 2
    assert "would be one baseline" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in here.rglob("*.json")} == before


def test_of_two_that_add_at_once_one_is_refused(here: Path) -> None:
    command = [sys.executable, "-m", "trex", "baseline", "add", "--model", "m"]
    started = [
        subprocess.Popen([*command, engine], cwd=here, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for engine in (INT8, RESIDUAL, INT8)
    ]
    codes = [process.wait(60) for process in started]
    for process in started:
        process.communicate()
    assert sorted(codes) == [0, 2, 2]
    assert len(list((here / "baselines").rglob("*.json"))) == 1
    assert not list((here / "baselines").rglob("*.writing"))


def test_a_file_that_another_has_just_written_stays(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("baseline", "add", INT8) == 0
    (file,) = (here / "baselines").glob("*/*/*.json")
    kept = file.read_bytes()
    exists = Path.exists
    with monkeypatch.context() as patched:  # as it was when the command looked
        patched.setattr(Path, "exists", lambda path: path.name != file.name and exists(path))
        assert run("baseline", "add", RESIDUAL, "--model", "resnet18-int8") == 2
    assert file.read_bytes() == kept


@pytest.mark.parametrize("code", [errno.EROFS, errno.ENOSPC, errno.EACCES])
def test_a_folder_that_takes_no_file(
    here: Path, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("baseline", "add", INT8) == 0
    (file,) = (here / "baselines").glob("*/*/*.json")
    kept = file.read_bytes()

    def refuse(*_: object, **__: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(tempfile, "mkstemp", refuse)
    capsys.readouterr()
    for words in (("add", RESIDUAL), ("update", RESIDUAL, "--model", "resnet18-int8")):
        assert run("baseline", *words) == 2
        said = capsys.readouterr().err
        assert os.strerror(code) in said and "check the folder" in said
    assert file.read_bytes() == kept and list((here / "baselines").rglob("*.*")) == [file]


def test_they_are_listed(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("baseline", "list") == 0
    assert "None. Add one: trex baseline add" in capsys.readouterr().out
    assert run("baseline", "add", INT8, "example:no-such-example") == 2
    assert not (here / "baselines").exists(), "all or nothing"
    capsys.readouterr()
    assert run("baseline", "add", INT8, RESIDUAL, "--json") == 0
    kept = json.loads(capsys.readouterr().out)["sections"]["kept"]["data"]["kept"]
    assert all(Path(entry["file"]).is_file() for entry in kept) and len(kept) == 2
    (here / "baselines" / "x" / "y").mkdir(parents=True)
    (here / "baselines" / "x" / "y" / "1.json").write_text("{}")
    capsys.readouterr()
    assert run("baseline", "list") == 0
    shown = capsys.readouterr()
    assert "resnet18-int8-residual" in shown.out and "not a baseline" in shown.out
    assert run("baseline", "list", "--json") == 0
    listed = json.loads(capsys.readouterr().out)
    assert listed["schema"] == "trex.baseline/1" and listed["notes"]
    rows = listed["sections"]["baselines"]["tables"]["baselines"]["rows"]
    assert [row["model"] for row in rows] == ["resnet18-int8", "resnet18-int8-residual"]


def test_damaged_ones_are_not_none(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("baseline", "add", INT8) == 0
    (file,) = (here / "baselines").rglob("*.json")
    file.write_bytes(file.read_bytes() + b"{")
    capsys.readouterr()
    assert run("baseline", "list") == 0
    shown = capsys.readouterr().out
    assert "baseline-not-read" in shown and "None" not in shown


def test_wrong_words_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    for words, message in (
        (("add",), "nothing to add"),
        (("add", INT8, RESIDUAL, "--model", "x"), "one by one"),
        (("list", "somewhere"), "takes no engine"),
        (("list", "--model", "m"), "--model means nothing to trex baseline list"),
    ):
        assert run("baseline", *words) == 2
        assert message in capsys.readouterr().err


def test_an_engine_without_times_is_no_baseline(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "m.graph.json").write_text('{"Layers": [{"Name": "a", "LayerType": "kgen"}], "Bindings": []}')
    assert run("baseline", "add", "m.graph.json") == 2
    assert "no times" in capsys.readouterr().err and not (here / "baselines").exists()


def test_compare_takes_the_baseline_of_the_new_engine(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("baseline", "add", INT8, "--folder", "kept") == 0
    assert run("compare", "baseline:", INT8, "--baselines", "kept", "--fail-on", "latency>+3%") == 0
    assert "No difference" in capsys.readouterr().out
    assert run("compare", "baseline:resnet18-int8", RESIDUAL, "--baselines", "kept") == 0
    assert "New is predicted 1.85× faster" in capsys.readouterr().out
    assert run("compare", "baseline:", RESIDUAL, "--baselines", "kept") == 2
    told = capsys.readouterr().err
    assert "there is no baseline resnet18-int8-residual/" in told
    (file,) = Path("kept").glob("*/*/*.json")
    assert run("compare", RESIDUAL, str(file), "--fail-on", "compute>+3%") == 1
    assert run("summary", str(file)) == 0


def test_limits_of_the_configuration_are_the_gate(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "trex.toml").write_text(
        """\
[compare]
baselines = "perf"

[compare.limits]
compute = "+3%"
"layer:no-such-layer*" = "+1%"

[compare.engines."*-residual".limits]
compute = "+0.01 ms"

[compare.engines."resnet18-fp16".limits]
compute = false
"""
    )
    assert run("baseline", "add", INT8) == 0
    assert (here / "perf" / "resnet18-int8").is_dir()
    assert run("compare", RESIDUAL, INT8) == 1
    assert "compute>+3%" in capsys.readouterr().out
    assert run("compare", INT8, RESIDUAL) == 0
    assert "compute>+0.01 ms" in capsys.readouterr().out
    assert run("compare", RESIDUAL, str(SIMULATED / "resnet18-fp16")) == 0
    assert "compute>" not in capsys.readouterr().out
    assert run("compare", RESIDUAL, INT8, "--fail-on", "compute>+500%") == 0  # the command line wins
    told = capsys.readouterr().out
    assert "compute>+500%" in told and "compute>+3%" not in told
    assert run("compare", INT8, RESIDUAL, "--fail-on", "layer:no-such-layer*>+1%") == 3  # asked of these engines


def test_limits_of_other_engines_alone_are_no_silent_gate(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "trex.toml").write_text('[compare.engines."renamed*".limits]\ncompute = "+3%"\n')
    assert run("compare", RESIDUAL, INT8) == 0
    assert "nothing is judged of resnet18-int8: its sections are for 'renamed*'" in capsys.readouterr().err
    (here / "trex.toml").write_text('[compare.engines."resnet18*".limits]\ncompute = false\n')
    assert run("compare", RESIDUAL, INT8) == 0 and "judged" not in capsys.readouterr().err


def test_a_run_without_gpu_and_version_asks_for_them(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "m.graph.json").write_text('{"Layers": [{"Name": "a", "LayerType": "kgen"}], "Bindings": []}')
    (here / "m.profile.json").write_text(
        '[{"count": 10}, {"name": "a", "timeMs": 10, "averageMs": 1, "percentage": 100}]'
    )
    assert run("baseline", "add", "m.graph.json") == 2
    told = " ".join(capsys.readouterr().err.split())
    assert "don't name its GPU and its TensorRT version" in told and "--device NAME --version VERSION" in told
    assert run("baseline", "add", "m.graph.json", "--device", "NVIDIA A10") == 2
    told = " ".join(capsys.readouterr().err.split())
    assert "don't name its TensorRT version" in told and "--version VERSION" in told
    assert run("baseline", "add", "m.graph.json", "--device", "NVIDIA A10", "--version", "8.6.1") == 0
    assert (here / "baselines" / "m" / "a10" / "8.6.1.json").is_file()
    capsys.readouterr()
    assert run("baseline", "list") == 0
    assert "a10" in capsys.readouterr().out
    assert run("compare", "baseline:m/a10/8.6.1", "m.graph.json") == 0


def test_a_run_that_failed_replaces_no_baseline(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, layer_ms in (("good", 0.5), ("failed", 0.4)):
        write_engine(here / name, layer_ms=(layer_ms, 0.25))
    stage = {"name": "profile", "exit_code": 1, "stopped_by": ""}
    document = {"schema": "trex.manifest/1", "engines": [{"name": "net.engine", "stages": [stage]}]}
    (here / "failed" / "manifest.json").write_text(json.dumps(document))
    named = ("--device", "A100", "--version", "10.4")
    assert run("baseline", "add", "good", *named) == 0
    before = {path: path.read_bytes() for path in (here / "baselines").rglob("*.json")}
    assert run("baseline", "update", "failed", *named) == 2
    assert "can't be trusted" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in (here / "baselines").rglob("*.json")} == before


def test_layer_times_that_cannot_be_trusted_are_kept_with_their_note(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_engine(here / "run", layer_ms=(0.5, 0.25))
    named = ("--device", "A100", "--version", "10.4")
    assert run("baseline", "add", "run", *named) == 0 and "[problem]" not in "".join(capsys.readouterr())
    (profile,) = (here / "run").glob("*.profile.json")
    records = json.loads(profile.read_text())
    wrong = next(record for record in records if "name" in record)
    wrong |= {"timeMs": 0.0, "averageMs": 0.0, "medianMs": 0.0, "percentage": 66.7}
    profile.write_text(json.dumps(records))
    assert run("baseline", "update", "run", *named) == 0
    assert "shares-contradict" in "".join(capsys.readouterr())
