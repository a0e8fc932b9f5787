"""Redacted plans hold no name of the model, and every number of the plan they were made from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.engines import READABLE
from tests.simulated_examples import SIMULATED
from tests.synthetic import Case
from trex.core.configuration import LintConfiguration, LintSettings, Suppression
from trex.engine_plan import load
from trex.export.documents.json import document_dict
from trex.plan.engine_plan import EnginePlan
from trex.views.redaction import redacted, redacted_settings
from trex.views.report.document import report_document

SECRET = "a very secret model"


def names_of(plan: EnginePlan) -> set[str]:
    """Every word of the engine's that someone chose: long enough not to occur by chance."""
    result: set[str] = {plan.name}
    for layer in plan.whole_engine.layers:
        result |= {layer.name, layer.module, *layer.origins, *layer.name_parts.operations}
        result |= {tensor.name for tensor in (*layer.inputs, *layer.outputs)}
    result |= {binding.name for binding in plan.whole_engine.bindings}
    kernels = {layer.tactic for layer in plan.whole_engine.layers}
    return {name for name in result if len(name) > 5 and not any(name in kernel for kernel in kernels)}


@pytest.mark.parametrize("case", READABLE, ids=lambda case: case.name)
def test_no_name_is_left_and_no_number_is_lost(case: Case, tmp_path: Path) -> None:
    check(load(case.write(tmp_path), name=SECRET))


def check(plan: EnginePlan) -> None:
    bare = redacted(plan)
    text = json.dumps(document_dict(report_document(bare)))
    words = {"redacted engine", "Reformat"}
    left = [name for name in names_of(plan) if json.dumps(name)[1:-1] in text and name not in words]
    assert not [name for name in left if not _is_common(name)], left[:5]
    assert "/home" not in text and "GPU-" not in text
    numbers = plan.df.select_dtypes("number").columns
    assert bare.df[numbers].equals(plan.df[numbers].assign(**{"layer.occurrence": 0}))
    assert [note.code for note in bare.notes] == [note.code for note in plan.notes]


def _is_common(name: str) -> bool:
    """Words that the report says by itself: kinds of layers, and what we call things."""
    return name.lower() in (
        "inputs",
        "output",
        "outputs",
        "weights",
        "pooling",
        "softmax",
        "convolution",
        "reformat",
        "shuffle",
        "constant",
    )


def test_real_engines(shared_engines: Path) -> None:
    for folder in sorted(path for path in shared_engines.iterdir() if path.is_dir()):
        check(load(folder, name=SECRET))


def test_the_plan_given_is_not_changed() -> None:
    plan = load(str(SIMULATED / "resnet18-int8"))
    before = plan.df.copy()
    redacted(plan)
    assert plan.df.equals(before) and plan.working_layers[0].name == before["Name"].iloc[0]


def test_modules_keep_their_tree() -> None:
    plan = load(str(SIMULATED / "transformer-fp16"))
    bare = redacted(plan)
    depths = [layer.module.count("/") for layer in plan.working_layers]
    assert [layer.module.count("/") for layer in bare.layers] == depths
    assert len({layer.module for layer in bare.layers}) == len({layer.module for layer in plan.working_layers})


def test_suppressions_mean_the_same_layers() -> None:
    plan = load(str(SIMULATED / "resnet18-int8"))
    secret = Suppression("QDQ002", "the customer's head", ("layer1.0*",), where="/home/me/trex.toml:7")
    suppressions = (secret, Suppression("X*", "all"))
    settings = LintConfiguration(LintSettings(suppressions=suppressions), where="/home/me/secret.toml")
    bare = redacted_settings(settings, plan)
    meant = {f"layer {layer.index}" for layer in plan.working_layers if layer.name.startswith("layer1.0")}
    assert (
        meant and set(bare.settings.suppressions[0].layers) == meant and bare.settings.suppressions[1].layers == ("*",)
    )
    text = str(bare)
    assert not any(word in text for word in ("customer", "layer1.0", "/home", "secret"))
    assert (
        redacted_settings(LintConfiguration(LintSettings(suppressions=(secret,)), where="/x/trex.toml"), plan).file_name
        == "trex.toml"
    )
