"""utils/new.py: one command writes a plug that works; no other file needs a change."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests import reported
from tests.checkout import copy_checkout, run_pytest
from tests.reported import case_of
from tests.simulated_examples import SIMULATED
from trex.engine_plan import load
from trex.export.bundle import write_bundle
from utils.scaffold import Scaffold, scaffolds

ROOT = Path(__file__).resolve().parents[2]
SCAFFOLDS: dict[str, Scaffold] = {kind: scaffold for kind, (_, scaffold) in scaffolds().items()}
QUIRK = SCAFFOLDS["quirk"]
REGISTRY = re.compile(r'(?:Registry|chart_registry)\(\s*"trex\.([\w.]+)"')


def run(folder: Path, *command: str) -> None:
    """Runs a module or script of this interpreter in a folder; its output is the message of a failure."""
    ended = subprocess.run((sys.executable, *command), cwd=folder, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the repository with a new plug of every kind, and the docs that are printed from them."""
    copy = copy_checkout(tmp_path_factory.mktemp("new"))
    for kind, scaffold in SCAFFOLDS.items():
        scaffold.write(f"new-{kind}", copy)
    run(copy, "utils/write_docs.py")
    return copy


@pytest.mark.slow
def test_a_new_plug_of_every_kind_passes_its_test_and_those_of_every_plug(checkout: Path) -> None:
    own = [f"tests/{scaffold.folder}/test_new_{kind.replace('-', '_')}.py" for kind, scaffold in SCAFFOLDS.items()]
    related = {path for scaffold in SCAFFOLDS.values() for path in scaffold.related}
    ended = run_pytest(checkout, "--fast", *own, *sorted(related))
    assert ended.returncode == 0, ended.stdout
    floors = run_pytest(checkout, "tests/test_floors.py::test_floors_look_downstairs_only")
    assert floors.returncode == 0, floors.stdout


@pytest.mark.slow
def test_new_plugs_are_formatted_and_typed(checkout: Path) -> None:
    pytest.importorskip("ruff")
    run(checkout, "-m", "ruff", "format", "--check", ".")
    run(checkout, "-m", "ruff", "check", ".")


@pytest.mark.parametrize("kind", SCAFFOLDS)
def test_two_files_are_written(tmp_path: Path, kind: str) -> None:
    plug, test = SCAFFOLDS[kind].write("brand-new", tmp_path)
    assert {file for file in tmp_path.rglob("*") if file.is_file()} == {plug, test}
    assert plug.relative_to(tmp_path / "trex").parent == test.relative_to(tmp_path / "tests").parent
    assert (ROOT / "trex" / SCAFFOLDS[kind].folder).is_dir()
    assert all((ROOT / path).exists() for path in SCAFFOLDS[kind].related)


def test_every_registry_has_a_scaffold_and_every_scaffold_a_registry() -> None:
    texts = (file.read_text(encoding="utf-8") for file in (ROOT / "trex").rglob("*.py"))
    registered = {package.replace(".", "/") for text in texts for package in REGISTRY.findall(text)}
    folders = {scaffold.folder for scaffold in SCAFFOLDS.values()}
    data = {"perf/devices"}  # JSON files without a registry
    assert registered | data == folders, "write a file of utils/scaffolds"


def test_an_existing_file_is_not_overwritten(tmp_path: Path) -> None:
    plug, _ = QUIRK.write("brand-new", tmp_path)
    plug.write_text("mine", encoding="utf-8")
    with pytest.raises(FileExistsError, match=r"brand_new\.py already exists"):
        QUIRK.write("brand-new", tmp_path)
    assert plug.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("name", ["", "Upper", "1st", "a b", "../outside", "import", "a--b", "é"])
def test_a_name_that_is_no_module_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="can't be a plug's name"):
        QUIRK.write(name, tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.fixture
def main() -> Any:
    return runpy.run_path(str(ROOT / "utils" / "new.py"), run_name="utils_new")["main"]


def test_the_command_line_prints_the_files_and_what_comes_next(
    main: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["quirk", "brand-new"], tmp_path) == 0
    plug, test, then = capsys.readouterr().out.splitlines()
    assert (tmp_path / plug).is_file() and (tmp_path / test).is_file()
    assert then.startswith("then: python utils/write_docs.py && python -m pytest tests/ingest/quirks/test_brand_new.py")


def test_the_command_line_refuses_a_bad_name(main: Any, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["quirk", "Not A Name"])
    assert caught.value.code == 2
    assert "lower-case" in capsys.readouterr().err


def test_a_bundle_becomes_a_test_engine(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bundle = write_bundle([str(SIMULATED / "resnet18-fp16")], tmp_path / "bundle.zip").path
    new = runpy.run_path(str(ROOT / "utils" / "new.py"), run_name="utils_new")["main"]
    assert new(["engine", str(bundle), "--as", "one-more"], tmp_path) == 0
    assert "tests/reported/one-more\n" in capsys.readouterr().out
    case = case_of(tmp_path / "tests" / "reported" / "one-more")
    assert case.expect.layer_count == len(load(SIMULATED / "resnet18-fp16").whole_engine.layers)
    with pytest.raises(SystemExit):
        new(["engine", str(bundle), "--as", "one-more"], tmp_path)
    with pytest.raises(SystemExit):
        new(["engine", str(ROOT / "README.md")], tmp_path)


@pytest.mark.parametrize(
    ("name", "text"),
    [("conftest.py", "1 / 0"), ("a/b.log", "x"), ("huge.log", "0" * 20)],
    ids=["code", "folder", "bomb"],
)
def test_a_strangers_zip_brings_no_code_and_no_bomb(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str
) -> None:
    monkeypatch.setattr(reported, "_MOST_BYTES", 10)
    with zipfile.ZipFile(tmp_path / "bundle.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr(name, text)
    with pytest.raises(ValueError, match=r"bundle\.zip (is no bundle|has more than)"):
        reported.add_bundle(tmp_path / "bundle.zip", "", tmp_path / "reported")
    assert not (tmp_path / "reported").exists()
