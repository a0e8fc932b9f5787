"""The commands ``trex lint`` and ``trex rules``."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import pytest

from tests import sarif_structure
from tests.simulated_examples import SIMULATED
from tests.synthetic.artifacts import artifacts
from tests.synthetic.cnn import resnet18_int8
from trex.core.registry import Plug
from trex.rules.finding import Evidence, Finding, Severity, Unchecked
from trex.rules.rule import RULES, Rule, RuleLimit

ENGINE = "resnet18-int8"
"""A synthetic engine in the working directory."""


def finds(engine: Any, limits: Any) -> Any:
    """A finding on the slowest layer, and on the device if there is one."""
    slowest = int(engine.times_ms.argmax())
    yield Finding(f"slowest layer, {limits['part']:g}", (engine.layers[slowest].index,), engine.savings([slowest], 0.5),
                  "half of its time", (Evidence("part", limits["part"], "%"),), ("do this", "or that"), ("a guide",),
                  "the check")  # fmt: skip
    if engine.performance.device is not None:
        yield Finding(f"on {engine.performance.device.name}", severity=Severity.NOTE)


@pytest.fixture(autouse=True)
def rules(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    module = ModuleType("a")
    module.__doc__ = (
        "A rule.\n\nWhat it finds: it.\nWhy it matters: so.\nWhat to try: that.\nDoes not apply: elsewhere."
    )

    def plug(name: str, *arguments: Any, **more: Any) -> Plug:
        return Plug(name, module, Rule(*arguments, **more))

    plugs = [
        plug("slow-layer", "AA001", "a slow layer", Severity.WARNING, finds, {"part": RuleLimit(7.0, "%", "of it")}),
        plug("first", "MM001", "unsteady", Severity.NOTE, lambda engine, limits: [Finding("unsteady")], is_first=True),
        plug("unsure", "UU001", "unsure", Severity.NOTE, lambda engine, limits: [Unchecked("no log", "give one")]),
        plug("broken", "ZZ001", "broken", Severity.NOTE, lambda engine, limits: 1 / 0),
    ]
    monkeypatch.setitem(RULES.__dict__, "_loaded", ({each.name: each for each in plugs}, ()))
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / ENGINE
    folder.mkdir()
    for name, data in _files().items():
        (folder / name).write_bytes(data)


@cache
def _files() -> dict[str, bytes]:
    return artifacts(resnet18_int8(), "8.6")


def test_what_limits_comes_first_then_the_largest(trex):
    said = trex("lint", ENGINE, "--all")
    assert said.code == 0
    words = ["resnet18-int8", "1 finding, likely savings 0.056 of 0.74 ms GPU compute", "synthetic", "MM001",
             "slowest layer, 7  save ≤ 0.056 ms  AA001", "Fix ", "do this", "Or ", "or that", "Check ", "the check",
             "Can't check: 1 point", "the rule broken (ZZ001) failed: ZeroDivisionError"]  # fmt: skip
    positions = [said.out.find(word) for word in words]
    assert -1 not in positions and positions == sorted(positions)
    details = ("give one", "half of its time", "a guide", "Layers ")
    assert not any(word in said.out for word in details)
    verbose = trex("lint", ENGINE, "-v").out
    assert all(word in verbose for word in details)


@pytest.mark.parametrize(
    ("words", "code"),
    [((), 0), (("--fail-on", "warning"), 1), (("--fail-on", "note"), 1), (("--fail-on", "error"), 0),
     (("--fail-on", "warning", "--ignore", "AA001"), 0), (("--select", "unsure", "--fail-on", "note"), 0)],
)  # fmt: skip
def test_the_exit_code(trex, words, code):
    assert trex("lint", ENGINE, *words).code == code


def test_rules_are_chosen(trex):
    assert "MM001" not in trex("lint", ENGINE, "--select", "AA001", "slow*").out
    assert "AA001" not in trex("lint", ENGINE, "--ignore", "AA*,ZZ001").out
    said = trex("lint", ENGINE, "--select", "AA002")
    assert said.code == 2 and "did you mean AA001" in said.err


def test_limits_are_set(trex):
    assert "slowest layer, 3" in trex("lint", ENGINE, "--rule-limit", "AA001.part=3").out
    assert "slowest layer, 4" in trex("lint", ENGINE, "--rule-limit", "slow-layer.part=4").out
    for wrong in ("AA001.part=x", "AA001=3", "part=3", "AA001.part=nan", "AA001.prt=3", "AA009.part=3"):
        said = trex("lint", ENGINE, "--rule-limit", wrong)
        assert said.code == 2 and "try: " in said.err, wrong


def test_a_device(trex):
    assert "on NVIDIA L4" in trex("lint", ENGINE, "--device", "L4", "--select", "AA001", "--all").out


def test_findings_of_the_baseline_are_suppressed(trex):
    """The same engine has the same findings; another engine has another slowest layer."""
    said = trex("lint", ENGINE, "--baseline", ENGINE, "--show-suppressed", "--fail-on", "note")
    assert said.code == 0 and said.out.count("also in the baseline") == 3
    said = trex("lint", ENGINE, "--baseline", str(SIMULATED / "transformer-fp16"), "--fail-on", "warning")
    assert said.code == 1 and "slowest layer" in said.out


def test_few_in_full_and_the_others_in_a_table(trex):
    out = trex("lint", ENGINE, "--top", "0").out
    assert "1 more finding, 2 minor: --all" in out and "do this" not in out
    out = trex("lint", ENGINE).out
    assert "do this" in out and "MM001" not in out and "\n2 minor: --all" in out  # notes without savings
    assert "half of its time" not in trex("lint", ENGINE).out
    explained = trex("lint", ENGINE, "--explain").out
    assert "half of its time" in explained and "Unless" in explained


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_lines_fit_the_terminal(trex, terminal, columns):
    stream = terminal(columns)
    assert trex("lint", ENGINE, "--explain").code == 0
    import re

    lines = re.sub("\x1b\\[[0-9;]*m", "", stream.written).splitlines()
    assert lines and max(map(len, lines)) <= max(columns, 80)


def test_settings_of_the_folder(trex, tmp_path):
    (tmp_path / "trex.toml").write_text(
        '[lint]\nignore = ["MM001"]\nfail-on = "warning"\n[lint.limits.AA001]\npart = 9\n', encoding="utf-8"
    )
    said = trex("lint", ENGINE)
    assert said.code == 1 and "MM001" not in said.out and "slowest layer, 9" in said.out
    assert trex("lint", ENGINE, "--fail-on", "error").code == 0
    assert "slowest layer, 2" in trex("lint", ENGINE, "--rule-limit", "AA001.part=2").out
    (tmp_path / "other.toml").write_text("", encoding="utf-8")
    assert "MM001" in trex("lint", ENGINE, "--config", "other.toml", "--all").out


def test_a_mistake_in_the_settings_has_its_place(trex, tmp_path):
    (tmp_path / "trex.toml").write_text("[lint]\nselekt = []\n", encoding="utf-8")
    said = trex("lint", ENGINE)
    assert said.code == 2 and "trex.toml:2: lint.selekt is not known" in said.err and "did you mean select" in said.err


def test_suppressions(trex, tmp_path):
    (tmp_path / "trex.toml").write_text(
        '[[lint.suppress]]\nrule = "AA001"\nreason = "the pooling is ours"\nlayers = "*MaxPool*"\n'
        '[[lint.suppress]]\nrule = "MM001"\nreason = "old"\nexpires = 2020-01-31\n',
        encoding="utf-8",
    )
    said = trex("lint", ENGINE, "--fail-on", "warning")
    assert said.code == 0 and "slowest layer" not in said.out and "Suppressed: 1 finding (" in said.out
    assert "trex.toml:5" in said.out and "expired on 2020-01-31" in said.out and "MM001" in said.out
    shown = trex("lint", ENGINE, "--show-suppressed").out
    assert any("slowest layer, 7" in line and "the pooling is ours" in line for line in shown.splitlines())


def test_suppressions_on_the_command_line(trex):
    said = trex(
        "lint", ENGINE, "--suppress", "MM001", "slow-layer=*MaxPool*", "--fail-on", "warning", "--show-suppressed"
    )
    assert said.code == 0 and "\nSuppressed\n2 findings\n" in said.out and "on the command line" in said.out
    assert "slowest layer" in trex("lint", ENGINE, "--suppress", "AA001=*nothing*").out
    said = trex("lint", ENGINE, "--suppress", "AA009")
    assert "no rule is called 'AA009'" in said.out and "--suppress" in said.out


def test_formats(trex, tmp_path):
    assert json.loads(trex("lint", ENGINE, "--json").out)["schema"] == "trex.lint/1"
    sarif_structure.check(json.loads(trex("lint", ENGINE, "--format", "sarif").out))
    ElementTree.fromstring(trex("lint", ENGINE, "-f", "junit").out)
    assert "::notice title=MM001 unsteady::" in trex("lint", ENGINE, "-f", "github").out
    said = trex("lint", ENGINE, "-o", "x.sarif", "--fail-on", "warning")
    assert said.code == 1 and said.out == "x.sarif\n"
    sarif_structure.check(json.loads((tmp_path / "x.sarif").read_text("utf-8")))
    said = trex("lint", ENGINE, "-o", "x.abc")
    assert said.code == 2 and ".sarif" in said.err


def test_an_address_of_ones_own_is_relative_in_sarif(trex, tmp_path):
    import shutil

    shutil.copytree(tmp_path / ENGINE, tmp_path / "my engine")
    run = json.loads(trex("lint", "my engine", "-f", "sarif").out)["runs"][0]
    assert run["artifacts"][0]["location"]["uri"] == "my%20engine/resnet18-int8.graph.json"


def test_rules_are_listed_and_explained(trex):
    out = trex("rules").out
    assert "AA001" in out and "slow-layer" in out and "part=7" in out
    found = json.loads(trex("rules", "--json").out)
    rule = found["sections"]["rules"]["data"]["rules"][0]
    assert found["schema"] == "trex.rules/1" and rule["limits"]["part"]["default"] == 7.0
    assert list(rule["documentation"]) == [
        "What it finds",
        "Why it matters",
        "What to try",
        "Does not apply",
    ]
    out = trex("explain", "aa001").out
    assert "AA001 slow-layer (rule)" in out and "limit part = 7 %: of it" in out


def test_similar_findings_are_folded_or_listed(trex, monkeypatch):
    def many(engine: Any, limits: Any) -> Any:
        yield from (Finding(f"layer_{place} does so", (place,)) for place in range(60))

    plug = Plug("many", ModuleType("m"), Rule("AA001", "many", Severity.WARNING, many))
    monkeypatch.setitem(RULES.__dict__, "_loaded", ({"many": plug}, ()))
    folded = trex("lint", ENGINE).out
    assert "59 similar: " in folded and "1 finding" in folded and "layer_59" not in folded
    every = trex("lint", ENGINE, "--all").out
    assert all(f"layer_{place} does so" in every for place in range(60)) and "similar" not in every
