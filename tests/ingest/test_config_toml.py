"""trex.toml and pyproject.toml: settings, search order, and addresses of mistakes."""

from __future__ import annotations

import os
from datetime import date
from pathlib import Path

import pytest

from trex.core.errors import TrexError
from trex.ingest.config_toml import find_configuration, read_compare_configuration, read_configuration

WHOLE = """\
[lint]
select = ["CONV*", "REF001"]
ignore = "names-only"
fail-on = "warning"

[lint.limits.CONV001]
share_pct = 2.5

[lint.limits]
"REF001" = { share_pct = 1 }

[[lint.suppress]]
rule = "REF001"
layers = "*/head/*"
reason = "the camera delivers NCHW"
expires = 2026-12-31

[[lint.suppress]]
rule = "CONV*"
layers = ["a", "b"]
reason = "known"
expires = 2027-01-02
"""


def written(folder: Path, text: str, name: str = "trex.toml") -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def test_everything_there_is(tmp_path: Path) -> None:
    file = written(tmp_path, WHOLE)
    found = read_configuration(file)
    assert found.settings.select == ("CONV*", "REF001") and found.settings.ignore == ("names-only",)
    assert found.settings.fail_on == "warning"
    assert found.settings.limits == {"CONV001": {"share_pct": 2.5}, "REF001": {"share_pct": 1.0}}
    first, second = found.settings.suppressions
    assert (first.rule, first.layers, first.reason) == ("REF001", ("*/head/*",), "the camera delivers NCHW")
    assert first.expires == date(2026, 12, 31) and first.where == f"{file}:12"
    assert second.layers == ("a", "b") and second.expires == date(2027, 1, 2) and second.where == f"{file}:18"


def test_the_nearest_file_counts(tmp_path: Path) -> None:
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    written(below, "[tool.ruff]\n", "pyproject.toml")
    written(tmp_path, "[tool.trex.lint]\nignore = ['x']\n", "pyproject.toml")
    assert find_configuration(below) == tmp_path / "pyproject.toml"
    assert read_configuration(tmp_path / "pyproject.toml").settings.ignore == ("x",)
    written(tmp_path, "", "trex.toml")
    assert find_configuration(below) == tmp_path / "trex.toml"
    written(tmp_path / "a", "[tool.trex]\n", "pyproject.toml")
    assert find_configuration(below) == tmp_path / "a" / "pyproject.toml"


@pytest.mark.parametrize(
    ("text", "where", "message"),
    [
        ("[lint\n", ":1:6", "this is not TOML"),
        ("[lint]\nselekt = []\n", ":2", "lint.selekt is not known"),
        ("[lnt]\n", ":1", "lnt is not known"),
        ("\n[lint]\nselect = [1]\n", ":3", "lint.select is neither text nor a list of texts"),
        ("[lint]\nfail-on = 'all'\n", ":2", "lint.fail-on is 'all'"),
        ("[lint.limits.A001]\nx = 'big'\n", ":2", "lint.limits.A001.x is not a number"),
        ("[lint.limits.A001]\nx = nan\n", ":2", "lint.limits.A001.x is not a number"),
        ("[lint.limits]\nA001 = 3\n", ":2", "lint.limits.A001 is not a table"),
        ("[lint.suppress]\nrule = 'x'\n", ":1", "lint.suppress is not a list of tables"),
        ("[[lint.suppress]]\nrule = 'x'\n", ":1", "lint.suppress.0.reason is missing"),
        ("[[lint.suppress]]\nrule = 'x'\nreason = ' '\n", ":3", "lint.suppress.0.reason is missing"),
        ("[[lint.suppress]]\nreason = 'x'\n", ":1", "lint.suppress.0.rule is missing"),
        ("[[lint.suppress]]\nrule='a'\nreason='b'\n[[lint.suppress]]\nrule='a'\nreason='b'\nexpires='soon'\n", ":7",
         "lint.suppress.1.expires is not a day"),
        ("[[lint.suppress]]\nrule='a'\nreason='b'\nexpires=3\n", ":4", "lint.suppress.0.expires is not a day"),
        ("lint = 3\n", ":1", "lint is not a table"),
        ("a = " + "[" * 5000, "", "this is not TOML"),
    ],
)  # fmt: skip
def test_a_mistake_has_its_place(tmp_path: Path, text: str, where: str, message: str) -> None:
    file = written(tmp_path, text)
    with pytest.raises(TrexError) as caught:
        read_configuration(file)
    assert caught.value.message.startswith(message)
    assert caught.value.where.startswith(str(file) + where)


@pytest.mark.parametrize("text", ["[lint\n", "[lint]\n[lint]\n", "lint = 3\n[lint]\n", "a = " + "[" * 5000])
def test_what_is_not_toml_has_a_next_step(tmp_path: Path, text: str) -> None:
    with pytest.raises(TrexError, match="this is not TOML") as caught:
        read_configuration(written(tmp_path, text))
    assert "TOML 1.0" in caught.value.hint


def test_in_a_project_the_keys_are_its_own(tmp_path: Path) -> None:
    file = written(tmp_path, "[tool.trex.lint]\n\nfail-on = 3\n", "pyproject.toml")
    with pytest.raises(TrexError) as caught:
        read_configuration(file)
    assert caught.value.message == "tool.trex.lint.fail-on is not text"
    assert caught.value.where == f"{file}:3"


@pytest.mark.parametrize("text", ["", "[compare.limits]\nlatency = '+3%'\n", "tool = 3\n", "[tool.black]\n"])
def test_a_project_without_settings_is_not_looked_up_and_an_error_when_named(tmp_path: Path, text: str) -> None:
    """Else a gate would check nothing, without a word."""
    file = written(tmp_path, text, "pyproject.toml")
    assert find_configuration(tmp_path) != file
    with pytest.raises(TrexError, match=r"no \[tool\.trex\]"):
        read_compare_configuration(file)
    with pytest.raises(TrexError, match=r"tool\.trex is not a table"):
        read_configuration(written(tmp_path, "tool.trex = 3\n", "pyproject.toml"))


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(TrexError, match="no such file"):
        read_configuration(tmp_path / "none.toml")
    (tmp_path / "trex.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(TrexError, match="not UTF-8"):
        read_configuration(tmp_path / "trex.toml")


COMPARE = """\
[compare]
baselines = "perf/baselines"

[compare.limits]
latency = "+3%"
compute = "+0.2 ms"
"layer:gemm*" = "10%"

[compare.engines."*-int8".limits]
latency = "+1%"
"layer:gemm*" = false
"""


@pytest.mark.parametrize(("name", "root"), [("trex.toml", ""), ("pyproject.toml", "tool.trex.")])
def test_limits_of_comparisons_are_by_metric_and_engine(tmp_path: Path, name: str, root: str) -> None:
    file = written(tmp_path, COMPARE.replace("[compare", f"[{root}compare"), name)
    configuration = read_compare_configuration(file)
    assert {limit.metric: limit.allowed for limit in configuration.limits_for("resnet18-fp16")} == {
        "latency": "+3%",
        "compute": "+0.2 ms",
        "layer:gemm*": "10%",
    }
    assert {limit.metric: limit.allowed for limit in configuration.limits_for("ResNet18-INT8")} == {
        "latency": "+1%",
        "compute": "+0.2 ms",
    }
    assert configuration.limits["layer:gemm*"].where == f"{file}:7"
    assert configuration.baselines == str(tmp_path / "perf/baselines")
    assert read_configuration(file).where == str(file)


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("[compare.limits]\nlatency = 3", "is not a threshold", 2),
        ("[compare.limits]\n\nlatency = true", "is not a threshold", 3),
        ("[compare]\nlimit = {}", "not known", 2),
        ('[compare.engines."*"]\nlatency = "+3%"', "not known", 2),
        ("[compare]\nengines = []", "not a table", 2),
    ],
)
def test_mistakes_in_limits_have_an_address(tmp_path: Path, text: str, message: str, line: int) -> None:
    file = written(tmp_path, text)
    with pytest.raises(TrexError, match=message) as caught:
        read_compare_configuration(file)
    assert caught.value.where == f"{file}:{line}"


@pytest.mark.skipif(os.name == "nt", reason="a working folder cannot be removed there")
def test_settings_that_are_no_file_are_not_passed_over(tmp_path: Path) -> None:
    (tmp_path / "trex.toml").symlink_to(tmp_path / "gone.toml")
    with pytest.raises(TrexError, match="no file"):
        find_configuration(tmp_path)


def test_a_removed_working_folder_has_no_configuration(tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert find_configuration() is None
