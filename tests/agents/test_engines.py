"""Tools that take an engine, over every fourth engine of the tests: the schema and the budget hold, whatever it has."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engines import READABLE
from tests.synthetic.case import Case
from trex.agents.answer import output_schema, text_of
from trex.agents.inert import tokens_of
from trex.agents.server import answered
from trex.agents.session import Session
from trex.agents.toolbox import TOOLS

BUDGET = 1000
EVERY = 4  # tests of the documents themselves run over all
NAMES = ("inspect", "findings", "layers")


@pytest.mark.parametrize("case", READABLE[::EVERY], ids=lambda case: case.name)
def test_answers_of_any_engine_follow_the_schema_and_fit(case: Case, tmp_path: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    case.write(tmp_path)
    session = Session([tmp_path])
    for name in NAMES:
        plug = TOOLS[name]
        answer = answered(session, name, {"path": case.main}, BUDGET)
        jsonschema.validate(answer, output_schema(plug.value.schema))
        assert tokens_of(text_of(answer)) <= BUDGET
        assert answer["answer"]["title"] and len(answer["answer"]["statement"]) <= 300
