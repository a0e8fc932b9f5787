"""utils/agent_evaluation.py: answers are checked as they should be, and the plain script answers what the skill has."""

from __future__ import annotations

import json
import sys

import pytest

from utils import agent_evaluation
from utils.agent_evaluation import Question, bundled_questions, plain_answer
from utils.agents_page import CLIENT


@pytest.mark.parametrize(
    ("expected", "right", "wrong"),
    [
        (1.43, ("1.43", "about 1.429 ms"), ("1.5", "", "1.43 or 2", "unknown")),
        ((32.0, 3.0), ("32, 3", "[32, 3]", "32x3"), ("3, 32", "32")),
        (-0.4476, ("−0.448 ms", "-0.4476"), ("0.4476",)),
        (frozenset({"QDQ001"}), ("QDQ001", "it is qdq001."), ("QDQ002", "", "QDQ001" + "x" * 600)),
    ],
)
def test_answers_are_checked(expected, right, wrong):
    question = Question("q", "?", expected)
    assert all(map(question.is_answered_by, right)) and not any(map(question.is_answered_by, wrong))


def test_thirty_questions_with_names_of_their_own(tmp_path):
    ids = [question.id for question in bundled_questions()]
    assert len(ids) == len(set(ids)) == 25
    if agent_evaluation.write_built(tmp_path):
        ids += [question.id for question in agent_evaluation.built_questions(tmp_path)]
        assert len(ids) == len(set(ids)) == 30


def test_the_plain_script_uses_the_table_of_the_skill():
    asked = []

    def run(words):
        asked.append(words)
        return json.dumps({"sections": {"layers": {"tables": {"layers": {"rows": [{"Name": "conv"}]}}}}})

    assert plain_answer("What is the name of the slowest layer of example:resnet18-int8?", run) == "conv"
    assert asked == [["layers", "example:resnet18-int8", "--top", "1", "--json"]]
    assert plain_answer("Who is it?", run).startswith("no answer")


def test_programs_and_files_are_scored(tmp_path, capsys, monkeypatch):
    questions = [Question("a", "one?", 1.0), Question("b", "two?", frozenset({"two"}))]
    monkeypatch.setattr(agent_evaluation, "write_built", lambda folder: False)
    monkeypatch.setattr(agent_evaluation, "bundled_questions", lambda: iter(questions))
    (tmp_path / "answers.json").write_text('{"a": "1", "b": "three"}', encoding="utf-8")
    assert agent_evaluation.main(["--answers", str(tmp_path / "answers.json"), "--least", "2"]) == 1
    assert "1 of 2 (questions about real builds left out" in capsys.readouterr().out
    program = f"{sys.executable} -c \"print({{'one?': 1}}.get(input(), 'two'))\""
    assert agent_evaluation.main(["--program", program, "--least", "2"]) == 0


@pytest.mark.slow
def test_the_docs_have_the_figure_of_the_plain_script(tmp_path, capsys):
    """A lower figure means that SKILL.md or an answer became worse."""
    if not agent_evaluation.write_built(tmp_path):
        pytest.skip("TensorRT for RTX is not installed: pip install -e '.[rtx]' (Linux x86-64)")
    assert agent_evaluation.main(["--client", "--least", str(CLIENT)]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == f"{CLIENT} of 30"
