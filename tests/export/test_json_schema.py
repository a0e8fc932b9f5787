"""``trex schema COMMAND``: a valid JSON Schema that every document follows, however large the engine is."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.export.documents.makers import MAKERS
from tests.simulated_examples import load_simulated
from trex.cli.command import COMMANDS
from trex.engine_plan import load
from trex.export.document import RenderStyle, render_document
from trex.export.json_schema import schema_of
from trex.perf.known_devices import find_device
from trex.plan.engine_plan import EnginePlan
from trex.plan.loading import find_plans
from trex.views.completeness import completeness_document, completeness_of
from trex.views.devices import one_device_document
from trex.views.document import Document, Fact, Facts, Section
from trex.views.explanation import index_document
from trex.views.rule_page import rules_document

KILOBYTE = 1024
OTHERS: dict[str, Callable[[], Document]] = {
    "devices": lambda: one_device_document(find_device("T4")),
    "explain": index_document,
    "rules": rules_document,
}


@cache
def validator(command: str) -> Any:
    schema = schema_of(command)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def checked(document: Document, style: RenderStyle | None = None) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(render_document(document, "json", style))
    validator(document.command).validate(data)
    return data


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> EnginePlan:
    """ResNet18 in INT8 29 times: 1,015 layers, whose whole JSON is far beyond the limits."""
    folder = tmp_path_factory.mktemp("large")
    source = Path(load_simulated("resnet18-int8").engine.source)
    graph = json.loads(source.read_text("utf-8"))
    profile = json.loads(source.with_name("resnet18-int8.profile.json").read_text("utf-8"))
    layers, times = [], [record for record in profile if "name" not in record]
    for block in range(29):
        prefix = f"/backbone/stages.{block}/"
        for layer in json.loads(json.dumps(graph["Layers"])):
            for tensor in (layer, *layer["Inputs"], *layer["Outputs"]):
                tensor["Name"] = prefix + tensor["Name"]
            layers.append(layer)
        times += [{**record, "name": prefix + record["name"]} for record in profile if "name" in record]
    (folder / "large.graph.json").write_text(json.dumps({"Layers": layers, "Bindings": []}), "utf-8")
    (folder / "large.profile.json").write_text(json.dumps(times), "utf-8")
    metadata = source.with_name("resnet18-int8.profile.metadata.json").read_bytes()
    (folder / "large.profile.metadata.json").write_bytes(metadata)
    plan = load(folder)
    assert len(plan.working_layers) == 1015 and plan.total_runtime > 20.0
    return plan


@pytest.mark.parametrize("command", [name for name in COMMANDS.names if name != "schema"])
def test_every_command_has_a_valid_schema_that_names_it(command: str) -> None:
    schema = validator(command).schema
    assert schema["properties"]["schema"] == {"const": f"trex.{command}/1"}
    assert schema["$schema"].endswith("2020-12/schema") and schema["additionalProperties"] is False


@pytest.mark.parametrize("name", OTHERS)
def test_documents_of_no_engine_follow_it(name: str) -> None:
    checked(OTHERS[name]())


def test_a_document_that_does_not_follow_it_is_refused() -> None:
    data = checked(Document("summary", "t", sections=(Section("s", "", (Facts((Fact("Layers", "3", 3),)),)),)))
    assert data["sections"]["s"]["facts"] == {"layers": 3}
    for change in ({"schema": "trex.lint/1"}, {"more": 1}, {"sections": {"s": {"text": "a"}}}, {"title": None}):
        with pytest.raises(jsonschema.ValidationError):
            validator("summary").validate({**data, **change})


@pytest.mark.slow
@pytest.mark.parametrize("name", [*MAKERS, "doctor"])
def test_limits_and_fields_keep_the_answer_about_a_large_engine_short(name: str, large: EnginePlan) -> None:
    if name == "doctor":
        document = completeness_document(
            [completeness_of(files) for files in find_plans(Path(large.engine.source).parent)]
        )
    else:
        document = MAKERS[name](large, load_simulated("resnet18-int8"))
    whole, limited = json.loads(render_document(document, "json")), checked(document, RenderStyle(limit=3))
    assert size(limited) < 120 * KILOBYTE, "whatever the engine's size"
    most = 40 if name == "compare series" else 20  # a series has a pair of engines per section
    assert max(map(size, limited["sections"].values())) < most * KILOBYTE
    assert whole["left_out"].keys() <= limited["left_out"].keys()
    assert all(isinstance(count, int) and count > 0 for count in limited["left_out"].values())
    assert bool(limited["left_out"]) == (size(limited) < size(whole))
    fields = ("title", "statement", "sections.*.text", "sections.*.facts")
    answer = json.loads(render_document(document, "json", RenderStyle(limit=3, fields=fields)))
    assert size(answer) < 20 * KILOBYTE


def size(data: Any) -> int:
    return len(json.dumps(data))


def test_chosen_parts_say_what_is_left_out(large: EnginePlan) -> None:
    document = MAKERS["summary"](large, large)
    data = json.loads(render_document(document, "json", RenderStyle(limit=2, fields=("title", "sections.*.tables"))))
    assert set(data) == {"schema", "title", "sections", "left_out"}
    assert all(set(section) <= {"tables"} for section in data["sections"].values())
    for path, count in data["left_out"].items():
        _, section, kind, key = path.split(".")
        assert kind == "tables" and data["sections"][section][kind][key]["left_out"] == count
