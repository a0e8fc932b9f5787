"""Redacted plans hold no name of the model, and every number of the plan they were made from."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from tests.engines import READABLE
from tests.factories import engine
from tests.simulated_examples import SIMULATED
from tests.synthetic import Case
from trex.core.configuration import LintConfiguration, LintSettings, Suppression
from trex.core.errors import TrexError
from trex.core.metadata import Metadata
from trex.core.timings import MARKS, LayerTimes
from trex.engine_plan import load
from trex.export.diagram import Drawing, render_diagram
from trex.export.document import render_document
from trex.export.documents.json import document_dict
from trex.ingest.graph_json import engine_from_documents
from trex.lint import lint_engine
from trex.perf.expected import expected_ms, unjudged_shares, unknown_work, validated_engines
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan
from trex.views import redaction
from trex.views.diagram.style import DiagramStyle
from trex.views.hashed_words import HashedWords
from trex.views.kept_words import kept_tactic
from trex.views.layers import layers_document
from trex.views.lint import lint_document
from trex.views.perf.document import performance_document
from trex.views.redaction import redacted, redacted_settings
from trex.views.report.document import report_document
from trex.views.summary import summary_document

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
    numbers = [column for column in plan.df.select_dtypes("number").columns if column not in _ANYONES_ATTRIBUTES]
    assert bare.df[numbers].equals(plan.df[numbers].assign(**{"layer.occurrence": 0}))
    assert [note.code for note in bare.notes] == [*(note.code for note in plan.notes), "names-redacted"]


# Keys that no layer of TensorRT's has, in engines made to be odd.
_ANYONES_ATTRIBUTES = ("deep", "x", "attr.deep", "attr.x")

MARK = "zqsecret"


def marked(value: Any) -> Any:
    """The same with a word that no one else writes in every text and every key that may be anyone's."""
    if isinstance(value, str):
        return f"{value}{MARK}" if value[-1:].isalnum() else f"{value} {MARK}"
    if isinstance(value, dict):
        return {key: marked(item) for key, item in value.items()} | {f"{MARK}{len(value)}": 3}
    return list(map(marked, value)) if isinstance(value, list) else value


def marked_layers(plan: EnginePlan) -> EnginePlan:
    """The plan with the mark in all that a layer, its times or a run's facts say."""
    records = [{**layer.raw, **marked(layer.raw)} for layer in plan.whole_engine.layers]
    engine = replace(
        engine_from_documents([{"Layers": records, "Bindings": [f"x{MARK}"], "Plugins": [MARK]}], f"/{MARK}/x.json"),
        name=MARK,
    )
    times = None
    if plan.layer_times is not None:
        rows = [replace(time, name=marked(time.name), extra={MARK: MARK}) for time in plan.layer_times.records]
        times = LayerTimes(tuple(rows), plan.layer_times.count, f"/{MARK}", plan.layer_times.notes)
    metadata = Metadata(
        model_options={"Model": f"/{MARK}/{MARK}.onnx"},
        build_options={"Precision": "FP16", "plugins": f"lib{MARK}.so", MARK: MARK},
        inference_options={"Inputs": MARK, "Duration": "3s"},
        device={"Selected Device": "A100", "path": f"/{MARK}"},
        command_line=f"trtexec --onnx={MARK}.onnx",
        extra={MARK: MARK},
    )
    return EnginePlan(engine, times, metadata=metadata, build_metadata=metadata)


def check_marks(plan: EnginePlan) -> None:
    try:
        secret = marked_layers(plan)
    except TrexError:  # the changed names are no layers of this profile
        return
    bare = redacted(secret)
    document = report_document(bare)
    texts = {name: render_document(document, name).decode() for name in ("json", "text", "markdown", "html")}
    layers = layers_document(bare.df, bare)
    texts |= {f"layers {name}": render_document(layers, name).decode() for name in ("json", "csv")}
    texts["lint"] = render_document(lint_document(lint_engine(bare)), "sarif").decode()
    texts["graph"] = render_diagram(Drawing(bare, DiagramStyle(expand_layer_details=True)), "svg").decode()
    texts["records"] = json.dumps([layer.raw for layer in bare.whole_engine.layers])
    for name, text in texts.items():
        at = text.lower().find(MARK)
        assert at < 0, f"{plan.name} as {name}: …{text[max(0, at - 100) : at + 60]}…"


@pytest.mark.parametrize("case", READABLE, ids=lambda case: case.name)
def test_no_word_in_any_text_of_a_layer_is_left(case: Case, tmp_path: Path) -> None:
    check_marks(load(case.write(tmp_path)))


def test_no_word_in_any_text_of_real_engines_is_left(shared_engines: Path) -> None:
    for folder in sorted(path for path in shared_engines.iterdir() if path.is_dir()):
        check_marks(load(folder))


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("sm80_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize64x64x64", None),
        ("sm80_xmma_fprop_secret_f16", "sm80_xmma_fprop_x_f16"),
        ("__myl_MulSecretAdd_0x12ab34", "__myl_MulxAdd_0x12ab34"),
        ("secret_net_v2", ""),
        ("", ""),
    ],
)
def test_what_is_kept_of_a_kernel(name: str, kept: str | None) -> None:
    assert kept_tactic(name) == (name if kept is None else kept)


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


def numbers_in(value: Any, path: str = "") -> Iterator[tuple[str, float]]:
    """Every number of a document's JSON, without those of findings, which may go by names, and of charts."""
    if isinstance(value, dict):
        for key, item in value.items():
            if key not in ("findings", "todo", "notes", "plots"):
                yield from numbers_in(item, f"{path}.{key}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from numbers_in(item, f"{path}.{index}")
    elif isinstance(value, float | int):
        yield path, value


@pytest.mark.parametrize("name", ["resnet18-int8", "transformer-fp16"])
def test_a_redacted_example_has_the_numbers_of_the_example(name: str) -> None:
    plan = load(str(SIMULATED / name))
    bare = redacted(plan)
    for document_of in (summary_document, lambda plan: performance_document(Performance(plan))):
        numbers = dict(numbers_in(document_dict(document_of(plan))))
        left = dict(numbers_in(document_dict(document_of(bare))))
        assert numbers and {path: left.get(path) for path in numbers} == numbers


def test_a_redacted_prediction_has_its_error_bar() -> None:
    plan = load(str(SIMULATED / "resnet18-int8"))
    section = next(plan.metadata.extra[mark] for mark in MARKS if mark in plan.metadata.extra)
    unjudged = {f"{MARK} GEMM": 0.25, "INT8 GEMM": 0.5, f"{MARK} copies": 0.125}
    section |= {"unjudged": unjudged, "model": MARK, MARK: 1, "unknown_work": {"layers": 3, "share": 0.125}}
    bare = redacted(plan)
    assert expected_ms(bare) == expected_ms(plan) and validated_engines(bare) == validated_engines(plan)
    assert unjudged_shares(bare) == {"INT8 GEMM": 0.5, "other work": 0.375}
    assert unknown_work(bare) == unknown_work(plan) is not None
    assert MARK not in str(bare.metadata) + str(bare.build_metadata)


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


def test_a_deep_module_takes_no_more_than_its_steps() -> None:
    """A whole path for every step is the square of it: half a megabyte of names took two gigabytes."""
    names = redaction._Names(engine())
    deep, other = names.module("/a" * 5000), names.module("/a/b")
    assert deep.count("/") == 5000 and len(set(deep.split("/"))) == 5001
    assert deep.startswith(other.rpartition("/")[0] + "/") and not deep.startswith(other)
    assert sum(map(len, chain.from_iterable(names.modules))) < 40 * 5000


def test_an_option_with_an_unknown_word_is_left_out() -> None:
    written = {"Precision": "FP32+FP16 projectname", "Iterations": "10", "Memory Pools": "workspace: default"}
    assert redaction._options(written) == {"Iterations": "10", "Memory Pools": "workspace: default"}


def test_long_numbers_take_one_look() -> None:
    text = f"{'1' * 50_000}.{'1' * 50_000}e"
    assert HashedWords().text(text).startswith("1" * 50_000)
