"""README.md: a newcomer's page whose first lines, two commands and links hold."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from trex.capture.backend import BACKENDS
from trex.capture.options import CaptureOptions
from trex.cli.command import COMMANDS
from trex.core.provenance import Provenance
from trex.engine_plan import load

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


@pytest.fixture(scope="module")
def text() -> str:
    return (ROOT / "README.md").read_text(encoding="utf-8")


def commands(text: str) -> list[str]:
    return re.findall(r"^```bash\n(.*?)\n```$", text, re.MULTILINE | re.DOTALL)


def test_the_first_lines_say_what_to_install_and_what_not(text: str) -> None:
    head = " ".join(text[:1200].split())
    assert "`tensorrt-engine-explorer`" in head and "`trex` on the package index is another project" in head


def test_there_are_exactly_two_commands(text: str) -> None:
    assert len(commands(text)) == 2
    assert all("\n" not in command for command in commands(text))


def test_what_a_real_build_needs_in_addition(text: str) -> None:
    before = text.partition("```bash")[0]
    assert "`--weights random`" in before and "`--backend` and `--device`" in before  # TensorRT reads no model without


def test_the_first_command_does_the_main_job_without_a_gpu(text: str, tmp_path: Path) -> None:
    install, *steps = [
        shlex.split(step) for step in commands(text)[0].removeprefix("python3 -m venv .venv && ").split(" && ")
    ]
    assert install[:2] == [".venv/bin/pip", "install"]
    extras = set(re.findall(r"\w+", install[-1]))
    for extra, needed in (("onnx", "onnx"), ("report", "plotly")):
        assert extra in extras
        pytest.importorskip(needed)
    assert [step[:2] for step in steps] == [[".venv/bin/trex", word] for word in ("examples", "process", "report")]
    assert "simulated" in steps[1]
    for _, *words in steps:
        subprocess.run([sys.executable, "-m", "trex", *words], cwd=tmp_path, env=ENVIRONMENT, check=True)
    assert load(tmp_path / "out").provenance is Provenance.SIMULATED
    assert Provenance.SIMULATED.statement in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_the_real_build_right_after_it_writes_engine_graph_and_report(text: str, tmp_path: Path) -> None:
    after = text.partition(commands(text)[0])[2]
    install, *steps = after.partition("```text\n")[2].partition("\n```")[0].splitlines()
    assert install == "pip install '.[rtx,onnx,report]'"
    pytest.importorskip("plotly")
    if not BACKENDS["tensorrt-rtx"].value.is_available(CaptureOptions("m", "o")):
        pytest.skip("TensorRT for RTX is not installed: pip install -e '.[rtx]' (Linux x86-64)")
    for step in steps:
        words = shlex.split(step)[1:]
        subprocess.run([sys.executable, "-m", "trex", *words], cwd=tmp_path, env=ENVIRONMENT, check=True)
    plan = load(tmp_path / "out-rtx")
    assert plan.provenance is Provenance.BUILT_ON_CPU and plan.is_profiled
    files = {path.name.removeprefix("resnet18-qat.onnx.engine") for path in (tmp_path / "out-rtx").iterdir()}
    assert {"", ".graph.json", ".graph.json.svg", ".report.html"} <= files
    assert plan.statement in (tmp_path / "out-rtx" / "resnet18-qat.onnx.engine.report.html").read_text("utf-8")


def test_it_is_short(text: str) -> None:
    assert len(text.split()) < 1200


def test_what_the_first_command_writes_is_not_taken_for_the_repository(text: str) -> None:
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert {"/resnet18-qat.onnx", "/out/", "/report.html"} <= set(ignored)


def test_ci_runs_the_second_command_to_the_letter(text: str) -> None:
    assert commands(text)[1] in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()


def test_there_is_one_picture_before_the_commands(text: str) -> None:
    before = text.partition("```bash")[0]
    assert len(re.findall(r"^!\[[^\]]+\]\(images/[\w.-]+\)$", before, re.MULTILINE)) == 1


def test_links_into_the_repository_lead_somewhere(text: str) -> None:
    targets = re.findall(r"\]\((?!https?:|#)([^)#]+)", text)
    assert targets
    for target in targets:
        assert (ROOT / target).exists(), target


def test_every_command_is_in_the_table(text: str) -> None:
    rows = "".join(re.findall(r"^\| `trex.*$", text, re.MULTILINE))
    missing = {name for name in COMMANDS.names if not re.search(rf"`(?:trex )?{name}`", rows)}
    assert missing <= {"devices", "examples", "rules", "schema"}  # named elsewhere on the page
    assert all(f"docs/{name}.md" in text or f"trex {name}" in text for name in missing)
