"""trex process --print-only, pasted into bash: names reach trtexec as they are, and nothing in them runs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.mocks import write_model
from trex.capture.probe import is_installed
from trex.core.log_commands import without_log_commands

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name == "nt" or shutil.which("bash") is None, reason="needs bash"),
]

REPOSITORY = Path(__file__).resolve().parents[3]
NAMES = (
    "a b.onnx", "it's.onnx", 'say "x".onnx', "two\nlines.onnx", "$(touch pwned).onnx", "`touch pwned`.onnx",
    "-rf.onnx", "--help.onnx", "a;touch pwned;.onnx", "a&b|c>d<e.onnx", "$HOME ${x} !1.onnx", "back\\slash\\.onnx",
    "*?[a].onnx", "#no comment.onnx", "tab\there.onnx", "ü→.onnx", "a\rb.onnx", "~.onnx", "\x1b[31m.onnx",
    "a\n::error::x.onnx", "##[error]x.onnx", "section_start:1:a.onnx", "\udcff.onnx", "é'\u202e\x01.onnx",
)  # fmt: skip

ARGUMENTS = """#!{python}
import os, sys
with open({log!r}, "ab") as file:
    file.write(b"\\0".join(map(os.fsencode, sys.argv[1:])) + b"\\0\\0")
"""


@pytest.mark.parametrize(("name", "is_folder"), [(name, bool(number % 2)) for number, name in enumerate(NAMES)])
def test_names_of_any_kind(trex, name, is_folder, tmp_path, make_trtexec, monkeypatch):
    """In the name of the model, or of the output folder, as relative paths."""
    monkeypatch.chdir(tmp_path)
    trtexec = make_trtexec("10.4", folder=tmp_path / "bin 'x' $(touch pwned)")
    model, folder = ("m.onnx", name) if is_folder else (name, "out")
    write_model(tmp_path / model)
    said = trex("process", "--trtexec", trtexec, "--print-only", f"./{model}", f"./{folder}")
    assert said.code == 0, said.err
    assert said.out.replace("\n", "").isprintable() and without_log_commands(said.out) == said.out
    printed = tmp_path / "argv"
    trtexec.write_text(ARGUMENTS.format(python=sys.executable, log=str(printed)))
    done = subprocess.run(["bash"], input=said.out.encode(), cwd=tmp_path, capture_output=True)
    assert done.returncode == 0 and not done.stderr, done.stderr
    build, profile = (
        [os.fsdecode(word) for word in run.split(b"\0")] for run in printed.read_bytes().split(b"\0\0")[:2]
    )
    engine = f"{folder}/{model}.engine"
    assert f"--onnx={model}" in build and f"--saveEngine={engine}" in build
    assert f"--loadEngine={engine}" in profile and f"--exportProfile={engine}.profile.json" in profile
    assert (tmp_path / folder).is_dir() and not list(tmp_path.rglob("pwned"))


@pytest.mark.parametrize("backend", ["simulated", "tensorrt-rtx"])
def test_a_leading_hyphen_is_no_option_of_ours(trex, backend, tmp_path, monkeypatch):
    """Predictions are printed as commands of trex itself."""
    monkeypatch.chdir(tmp_path)
    write_model(tmp_path / "-m.onnx")
    if backend == "tensorrt-rtx" and not is_installed("tensorrt_rtx_bindings"):
        pytest.skip("TensorRT for RTX is absent: pip install '.[rtx]'")
    said = trex("process", "--backend", backend, "--device", "L4", "--print-only", "./-m.onnx", "./-out")
    assert said.code == 0, said.err
    ours = [line for line in said.out.splitlines() if line.startswith("trex process")]
    assert ours and all(" ./-m.onnx ./-out " in line for line in ours)
