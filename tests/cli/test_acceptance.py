"""``trex doctor --acceptance``: every promise is tried, broken ones are named, the bundle becomes a test engine."""

from __future__ import annotations

import contextlib
import io
import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.mocks import write_model
from tests.reported import add_bundle, case_of
from trex.capture.environment import WORKS, Check, Environment
from trex.cli import acceptance
from trex.cli.acceptance import Trial, accept
from trex.cli.main import main
from trex.core.errors import TrexError
from trex.engine_plan import load
from trex.examples import folder


def run_here(trial: Trial, *words: object) -> tuple[int, str]:
    """As ``Trial.run``, without a process: a start of the interpreter for each command takes half of the time."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        code = main(list(map(str, words)))
    trial.log.append(f"$ trex {' '.join(map(str, words))}\n{output.getvalue()}\nexit code {code}\n")
    return code, output.getvalue()


def test_a_trial_is_repeated_in_its_folder_and_in_none_of_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(acceptance, "write_network", lambda *_, **__: None)
    monkeypatch.setattr(acceptance, "write_bundle", lambda *_: None)
    monkeypatch.setattr(acceptance, "_document", lambda *_: None)
    monkeypatch.setattr(acceptance, "HashedWords", lambda: SimpleNamespace(printed=str))
    monkeypatch.setattr(Trial, "promises", stopped)
    (tmp_path / "others").mkdir()
    (tmp_path / "others/bundle.zip").touch()
    with pytest.raises(TrexError, match="files of others"):
        accept(tmp_path / "others", None, (), "", Environment(()), print)
    with pytest.raises(KeyboardInterrupt):
        accept(tmp_path / "out", None, (), "", Environment(()), print)
    monkeypatch.setattr(Trial, "promises", lambda *_: [])
    for _ in range(2):
        _document, is_kept = accept(tmp_path / "out", None, (), "", Environment(()), print)
        assert is_kept and json.loads((tmp_path / "out/acceptance.json").read_text())["promises"] == []


@pytest.mark.slow
def test_with_a_mock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make_trtexec: Callable[..., Path]) -> None:
    pytest.importorskip("onnx")
    program = make_trtexec("10.4")
    monkeypatch.setattr(Trial, "run", run_here)
    monkeypatch.setattr(acceptance, "NETWORK", "secretnet")
    said: list[str] = []
    monkeypatch.setattr(acceptance, "write_network", lambda name, file, batch, weights: write_model(file))
    out = tmp_path / "alices-home"
    machine = Environment((Check("trtexec", WORKS, f"{program} on alices-box"),))
    document, is_kept = accept(out, None, (), str(program), machine, said.append)
    results = {p["promise"]: p["result"] for p in json.loads((out / "acceptance.json").read_text())["promises"]}
    broken = {promise for promise, result in results.items() if result == acceptance.BROKEN}
    assert broken == {"locks the clocks", "records the GPU while it runs"} and not is_kept  # there is no GPU
    assert len(results) > 12 and results["locked clocks stay"] == acceptance.UNTRIED
    assert said[0] == "bundled model: building and profiling"
    with zipfile.ZipFile(out / "bundle.zip") as bundle:
        packed = "".join(f"{name}\n{bundle.read(name).decode()}" for name in bundle.namelist())
    assert "$ trex process" in packed and "locking the GPU's clocks is not possible" in packed
    assert not re.search(f"secretnet|alice|{re.escape(tmp_path.name)}", packed, re.IGNORECASE)
    folders = add_bundle(out / "bundle.zip", "mock", tmp_path / "reported")
    case = case_of(folders[0])
    (tmp_path / "again").mkdir()
    assert len(load(case.write(tmp_path / "again")).whole_engine.layers) == case.expect.layer_count > 5
    assert document.sections[0].data["promises"]
    own = out / "bundled" / "secretnet.onnx"
    own.write_text("mine")
    with pytest.raises(TrexError, match="would replace it"):
        accept(out, own, (), str(program), machine, said.append)
    assert own.read_text() == "mine"


def test_clocks_that_need_root_are_not_tried(tmp_path: Path) -> None:
    trial = Trial("your", tmp_path / "model.onnx", tmp_path, ())
    for reason, result in (("no permission to set the SM clock", acceptance.UNTRIED), ("x", acceptance.BROKEN)):
        promise = trial._clocks(f"GPU compute\n  [warning] {reason}; times may vary (clocks-not-locked)\n  try: x\n")
        assert promise.result == result and reason in promise.evidence


def test_a_row_of_the_profile_without_a_layer_breaks_a_promise(tmp_path: Path) -> None:
    files = sorted(folder("resnet18-int8").iterdir())
    for file in files:
        (tmp_path / file.name).write_bytes(file.read_bytes())
    profile = tmp_path / "resnet18-int8.profile.json"
    trial = Trial("your", tmp_path / "model.onnx", tmp_path, ())
    assert trial._times(load(profile)).result == acceptance.KEPT
    records = json.loads(profile.read_bytes())
    profile.write_text(json.dumps([*records, {**records[-1], "name": "stray"}]))
    assert trial._times(load(profile)).evidence == "42 of 42, rows of the profile without a layer: 1"


def test_a_build_that_fails_is_a_broken_promise_and_ends_the_trial(tmp_path: Path) -> None:
    trial = Trial("your", tmp_path / "model.onnx", tmp_path, ("--trtexec", str(tmp_path / "none")))
    (promise,) = trial.promises(lambda text: None)
    assert promise.result == acceptance.BROKEN and promise.evidence
    assert "exit code 2" in trial.log[0]
