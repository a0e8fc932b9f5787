"""What quantization tools read of the best of each."""

from __future__ import annotations

import json

from tests.compare.profiled import made
from tests.simulated_examples import load_simulated
from trex.compare.best_of_each import best_of_each
from trex.compare.series import EngineSeries
from trex.export.frame import json_text, plain_value
from trex.export.text_table import table_lines
from trex.plan.engine_plan import EnginePlan
from trex.plan.loading import load_plan
from trex.views.compare.best_of_each import best_of_each_data
from trex.views.compare.document import SERIES_SECTIONS as SECTIONS
from trex.views.document import Detail


def test_what_a_tool_finds():
    plans = [made(name) for name in ("resnet18-fp16", "resnet18-int8", "resnet18-int8-residual")]
    series = EngineSeries(plans[0], plans[1:])
    data = json.loads(json_text(plain_value(best_of_each_data(best_of_each(series)))))
    assert data["schema"] == "trex.best-of-each/1"
    assert data["base"] == "resnet18-fp16" and len(data["engines"]) == 3 and data["rule"]
    decided = [*data["include"], *data["exclude"], *data["undecided"]]
    assert len(set(decided)) == len(decided)
    assert set(decided) == {item["operation"] for item in data["operations"] if item["names"]["resnet18-fp16"]}
    assert "/conv1/Conv" in data["include"]
    assert data["estimate"]["mixed_ms"] <= data["estimate"]["best_alone_ms"] + 1e-9
    taken = [name for item in data["engines"] for name in item["take"]]
    assert sorted(taken) == sorted(
        item["operation"] for item in data["operations"] if item["decision"] in ("include", "exclude")
    )
    for item in data["operations"]:
        assert item["decision"] == ("exclude" if item["take_from"] == "resnet18-fp16" else "include")
        assert set(item["ms"]) == {"resnet18-fp16", "resnet18-int8", "resnet18-int8-residual"}


def test_names_are_those_of_each_model(shared_engines):
    plans = [load_plan(EnginePlan, str(shared_engines / f"trt8.4-resnet18-a100-{name}")) for name in ("fp16", "qat")]
    data = best_of_each_data(best_of_each(EngineSeries(plans[0], plans[1:])))
    base, new = data["names"].values()
    assert "Conv_0" in base["exclude"] and "Conv_9" in new["exclude"]
    assert data["exclude"] == base["exclude"] and data["include"] == base["include"]
    assert "Conv_230" in new["include"]


def test_predictions_are_told_as_such():
    plans = [load_simulated(f"resnet18-{name}") for name in ("fp16", "int8")]
    series = EngineSeries(plans[0], plans[1:])
    data = best_of_each_data(best_of_each(series))
    assert data["origin"] == "predicted, not measured" and "are estimates" in data["remark"]
    content = SECTIONS["best-of-each"].value.make(series, Detail())
    assert content is not None
    assert "are predicted to take about" in content.statements[0]
    assert content.statements[1].startswith("Predicted, not measured. Predictions have error bars for whole inferences")
    assert "resnet18-fp16 alone may take " in content.statements[1] and " % less to " in content.statements[1]
    assert "the profiler's step" not in str(content.statements)


def test_what_was_measured_is_not_called_predicted():
    plans = [made("resnet18-fp16"), made("resnet18-int8")]
    data = best_of_each_data(best_of_each(EngineSeries(plans[0], plans[1:])))
    assert data["origin"] == "measured" and data["remark"] == ""


def test_the_table_fits_a_narrow_terminal(shared_engines):
    plans = [load_plan(EnginePlan, str(shared_engines / f"trt8.4-resnet18-a100-{name}")) for name in ("fp32", "qat")]
    content = SECTIONS["best-of-each"].value.make(EngineSeries(plans[0], plans[1:]), Detail())
    assert content is not None
    lines = ["".join(text for text, *_ in line) for line in table_lines(content.tables[0].for_people(), 80)]
    assert max(map(len, lines)) <= 80
    (pool,) = (line for line in lines if line.startswith("MaxPool_2"))
    (product,) = (line for line in lines if line.startswith("Gemm_48"))
    assert "resnet " in pool and " 0.0020 " in f"{pool} " and " 0.0036 " in f"{product} "
