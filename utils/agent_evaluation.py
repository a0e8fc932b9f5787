"""30 questions about engines with checkable answers, for programs and agents that use trex.

    python utils/agent_evaluation.py --list > questions.json      # [{"id", "question"}]
    python utils/agent_evaluation.py --answers answers.json       # {"id": "answer"}
    python utils/agent_evaluation.py --program "my-agent --ask"   # one run each: question on stdin, answer on stdout
    python utils/agent_evaluation.py --client                     # a plain script that follows SKILL.md alone

Expected answers come from the engines' raw JSON files, without trex; three, which no file contains, were written by
hand. Engines of the tests that TensorRT for RTX builds here (extra rtx) are written to --folder, by default a temporary
one; where it is not installed, their questions are left out, and the score says so.
Exit code 0 if at least --least questions are answered, 1 otherwise.
"""

from __future__ import annotations

import argparse
import io
import json
import math
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT)] if str(ROOT) not in sys.path else []
EXAMPLES = ROOT / "trex" / "examples"
SKILL = ROOT / "trex" / "skills" / "trex" / "SKILL.md"
INT8, FP16, RESIDUAL, TRANSFORMER = "resnet18-int8", "resnet18-fp16", "resnet18-int8-residual", "transformer-fp16"
BUILT = ("rtx-cnn-with-qdq", "rtx-transformer", "rtx-unet")
TOLERANCE = 0.01
LIMIT_S = 300
LONGEST = 600


@dataclass(frozen=True)
class Question:
    """expected: a number (1 % tolerance), a list of numbers, or words: one of several texts that the answer contains.

    by_hand: a judgment that no file contains.
    """

    id: str
    question: str
    expected: float | tuple[float, ...] | frozenset[str]
    by_hand: bool = False

    def is_answered_by(self, answer: str) -> bool:
        if isinstance(self.expected, frozenset):
            return len(answer) <= LONGEST and any(word.lower() in answer.lower() for word in self.expected)
        wanted = self.expected if isinstance(self.expected, tuple) else (self.expected,)
        numbers = [
            float(text)
            for text in re.findall(r"(?<![\d.A-Wa-wYZyz_])-?\d+(?:\.\d+)?(?:e-?\d+)?", answer.replace("−", "-"))
        ]
        return len(numbers) == len(wanted) and all(
            math.isclose(number, value, rel_tol=TOLERANCE) for number, value in zip(numbers, wanted)
        )


# ------------------------------------------------------------------------ answers from the raw files, without trex


class RawEngine:
    """The JSON files of one engine."""

    def __init__(self, folder: Path, address: str) -> None:
        self.address = address
        self.graph = json.loads(next(folder.glob("*.graph.json")).read_bytes())
        records = json.loads(next(folder.glob("*.profile.json")).read_bytes())
        self.times = {record["name"]: record for record in records if "name" in record}
        self.facts = json.loads(next(folder.glob("*.profile.metadata.json")).read_bytes())["built_on_cpu"]

    @property
    def slowest(self) -> dict[str, Any]:
        return max(self.times.values(), key=lambda record: float(record["medianMs"]))

    @property
    def slowest_layer(self) -> dict[str, Any]:
        name = self.slowest["name"]
        return next(layer for layer in self.graph["Layers"] if layer["Name"] == name)

    @property
    def longest_type(self) -> str:
        totals: dict[str, float] = {}
        for layer in self.graph["Layers"]:
            time = self.times.get(layer["Name"], {}).get("medianMs", 0.0)
            totals[layer["LayerType"]] = totals.get(layer["LayerType"], 0.0) + time
        return max(totals, key=lambda kind: totals[kind])

    def count(self, kind: str) -> int:
        return sum(layer["LayerType"] == kind for layer in self.graph["Layers"])

    def shape(self, mode: str) -> tuple[float, ...]:
        tensor = next(tensor for tensor in self.graph["I/O Tensors"] if tensor["IOMode"] == mode)
        return tuple(map(float, tensor["Dimensions"]))

    @property
    def sum_ms(self) -> float:
        return sum(float(record["medianMs"]) for record in self.times.values())

    @property
    def compute_ms(self) -> float:
        return float(self.facts["compute_ms"])

    @property
    def bounds_ms(self) -> tuple[float, float]:
        return self.facts["expected_from_ms"], self.facts["expected_to_ms"]


def bundled_questions() -> Iterator[Question]:
    int8, fp16, residual, transformer = (
        RawEngine(EXAMPLES / name, f"example:{name}") for name in (INT8, FP16, RESIDUAL, TRANSFORMER)
    )

    def ask(id: str, engine: RawEngine, text: str, expected: Any, by_hand: bool = False) -> Question:
        known = frozenset({expected}) if isinstance(expected, str) else expected
        return Question(id, text.format(engine.address), known, by_hand)

    yield ask("int8-layers", int8, "How many layers of {} do work?", float(len(int8.times)))
    yield ask("int8-slowest", int8, "What is the name of the slowest layer of {}?", int8.slowest["name"])
    yield ask("int8-share", int8, "Which share in percent has the slowest layer of {}?", int8.slowest["percentage"])
    yield ask("int8-kernel", int8, "Which kernel does the slowest layer of {} run?", int8.slowest_layer["TacticName"])
    yield ask("int8-sum", int8, "What is the sum of all layer times of {}, in ms?", int8.sum_ms)
    yield ask("int8-measured", int8, "Were the times of {} measured or predicted?", "predicted")
    yield ask("int8-type", int8, "On which layer type does {} spend most time?", int8.longest_type)
    yield ask("int8-kgen", int8, "How many layers of the type 'kgen' has {}?", float(int8.count("kgen")))
    yield ask("int8-input", int8, "What is the shape of the input of {}?", int8.shape("Input"))
    yield ask("int8-error-bar", int8, "Between which times, in ms, does the prediction of {} lie?", int8.bounds_ms)
    yield ask("int8-finding", int8, "Which rule has the finding with the largest likely savings in {}?", "QDQ001", True)
    yield ask("fp16-slowest", fp16, "Which layer of {} takes longest? Its name.", fp16.slowest["name"])
    yield ask("fp16-layers", fp16, "What is the number of layers of {} that do work?", float(len(fp16.times)))
    yield ask("fp16-compute", fp16, "What is the GPU compute time of {}, in ms?", fp16.compute_ms)
    yield ask("fp16-device", fp16, "For which GPU was {} built?", fp16.facts["device"].removeprefix("NVIDIA GeForce "))
    yield ask("residual-release", residual, "Which TensorRT release built {}?", "1.7.1")
    yield ask("residual-output", residual, "What is the shape of the output of {}?", residual.shape("Output"))
    yield ask("residual-compute", residual, "How long is GPU compute of {}, in ms?", residual.compute_ms)
    yield ask("bert-type", transformer, "Which layer type takes most of the time of {}?", transformer.longest_type)
    yield ask("bert-gemm", transformer, "Number of layers of the type 'gemm' in {}?", float(transformer.count("gemm")))
    pair = f"{{}} over example:{INT8}"
    yield ask("speed-up", residual, f"What is the speed-up of {pair}?", int8.compute_ms / residual.compute_ms)
    yield ask("difference", residual, f"What is the difference of example:{INT8} and {{}}, new minus base, in ms?",
              residual.compute_ms - int8.compute_ms)  # fmt: skip
    (low, high), (new_low, new_high) = int8.bounds_ms, residual.bounds_ms
    assert low < new_high and new_low < high, "the ranges overlap: not known"
    undecided = frozenset({"no significant", "not significant", "either may", "cannot", "can't"})
    yield ask("significant", residual, f"Is the difference of {{}} from example:{INT8} significant?", undecided)
    yield Question("column", "What does 'latency.pct_time' mean?", frozenset({"percent", "share"}), True)
    yield ask("accuracy", int8, "Does {} keep the accuracy of the FP32 model?",
              frozenset({"unknown", "not known", "cannot", "can't"}), True)  # fmt: skip


def built_questions(folder: Path) -> Iterator[Question]:
    cnn, transformer, unet = (RawEngine(folder / name, str(folder / name)) for name in BUILT)
    yield Question("cnn-slowest", f"What is the name of the slowest layer of {cnn.address}?",
                   frozenset({cnn.slowest["name"]}))  # fmt: skip
    yield Question("cnn-layers", f"How many layers of {cnn.address} do work?", float(len(cnn.times)))
    yield Question("encoder-sum", f"What is the sum of all layer times of {transformer.address}, in ms?",
                   transformer.sum_ms)  # fmt: skip
    yield Question("unet-input", f"What is the shape of the input of {unet.address}?", unet.shape("Input"))
    yield Question("unet-measured", f"Were the times of {unet.address} measured?", frozenset({"predicted"}))


def write_built(folder: Path) -> bool:
    """Writes the engines of the tests that TensorRT for RTX builds; False where it is not installed."""
    from tests.real_builds import REAL_BUILDS

    for case in REAL_BUILDS:
        if case.name in BUILT:
            if not case.files:
                return False
            out = folder / case.name
            out.mkdir(parents=True, exist_ok=True)
            for name, data in case.files.items():
                (out / name).write_bytes(data)
    return True


# ------------------------------------------------------------------------------ a client that follows SKILL.md alone


@dataclass(frozen=True)
class Row:
    """One row of the skill's table."""

    topic: str
    command: str
    path: str


def skill_rows() -> list[Row]:
    rows = re.findall(r"^\| (.+?) \| `(trex .+?)` \| `(.+?)` \|$", SKILL.read_text(encoding="utf-8"), re.MULTILINE)
    return [Row(*cells) for cells in rows]


def value_at(document: Any, path: str) -> Any:
    """The value at a path of the table: keys, which may contain dots, indexes, and # for the number of items.

    Raises KeyError if there is none.
    """
    if not path:
        return document
    if path == "#":
        return len(document)
    if isinstance(document, list):
        index, _, rest = path.partition(".")
        return value_at(document[int(index)], rest)
    keys = [key for key in document if path == key or path.startswith(f"{key}.")]
    if not keys:
        raise KeyError(path)
    key = max(keys, key=len)
    return value_at(document[key], path[len(key) + 1 :])


_WORD = re.compile(r"[a-z]{3,}")
_COMMON = "the has its does what which for are was were and with all how many that"
_STOP = frozenset(_COMMON.split())


def plain_answer(question: str, run: Callable[[Sequence[str]], str]) -> str:
    """Of a script: the row of the table that shares most words with the question, its command, the value at its path.

    run: arguments of trex → its standard output.
    """
    addresses = re.findall(r"example:[\w-]+|/[\w./-]+\w", question)
    quoted = re.findall(r"'([^']+)'", question)
    asked = _words(re.sub(r"example:[\w-]+|/[\w./-]+|'[^']+'", " ", question))

    def likeness(row: Row) -> tuple[float, float]:
        words = _words(row.topic)
        fits = ("BASE" in row.command) == (len(addresses) > 1) and ("WORD" in row.command) == bool(quoted)
        return (len(words & asked) if fits else -1, -len(words))

    row = max(skill_rows(), key=likeness)
    if likeness(row)[0] < 1:
        return "no answer: the skill has no command for this"
    names = {"WORD": quoted[0] if quoted else "", "ENGINE": addresses[0] if addresses else ""}
    if len(addresses) > 1:
        new, base = addresses if " over " in question or " from " in question else reversed(addresses)
        names |= {"BASE": base, "ENGINE": new}
    words = shlex.split(row.command)[1:]
    words = [re.sub("BASE|ENGINE|WORD", lambda match: names[match[0]], word) for word in words]
    try:
        value = value_at(json.loads(run(words)), row.path)
    except (ValueError, KeyError, IndexError) as error:
        return f"no answer: {error}"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _words(text: str) -> set[str]:
    return {word.removesuffix("s") for word in _WORD.findall(text.lower())} - _STOP


@cache
def _printed(words: tuple[str, ...]) -> str:
    from trex.cli.main import main as trex

    printed = io.BytesIO()
    with redirect_stdout(io.TextIOWrapper(printed, "utf-8", write_through=True)), redirect_stderr(io.StringIO()):
        trex(list(words))
        sys.stdout.flush()
        return printed.getvalue().decode("utf-8")


# ----------------------------------------------------------------------------------------------------------- scores


def scored(questions: Sequence[Question], answers: dict[str, str]) -> list[tuple[Question, str, bool]]:
    return [
        (question, answer := str(answers.get(question.id, "")), question.is_answered_by(answer))
        for question in questions
    ]


def asked(command: str, question: str) -> str:
    done = subprocess.run(
        shlex.split(command), input=question, capture_output=True, text=True, timeout=LIMIT_S, check=False
    )
    return done.stdout.strip()


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").partition("\n")[0], formatter_class=argparse.RawDescriptionHelpFormatter
    )
    how = parser.add_mutually_exclusive_group(required=True)
    how.add_argument("--list", action="store_true", help="print the questions as JSON")
    how.add_argument("--answers", metavar="FILE", help="score these answers")
    how.add_argument("--program", metavar="COMMAND", help="run a program once per question")
    how.add_argument("--client", action="store_true", help="ask the plain script that follows SKILL.md")
    parser.add_argument("--folder", help="where the real builds are written (default: a temporary folder)")
    parser.add_argument("--least", type=int, default=0, metavar="N", help="exit with 1 below so many right answers")
    options = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(options.folder or temporary).resolve()
        has_builds = write_built(folder)
        questions = [*bundled_questions(), *(built_questions(folder) if has_builds else ())]
        if options.list:
            print(json.dumps([{"id": one.id, "question": one.question} for one in questions], indent=1))
            return 0
        if options.answers:
            answers = json.loads(Path(options.answers).read_text(encoding="utf-8"))
        elif options.program:
            answers = {one.id: asked(options.program, one.question) for one in questions}
        else:
            answers = {one.id: plain_answer(one.question, lambda words: _printed(tuple(words))) for one in questions}
    results = scored(questions, answers)
    for question, answer, is_right in results:
        wrong = "" if is_right else f"   {answer[:100]!r}, expected {question.expected}"
        print(f"{'yes' if is_right else 'NO':<4}{question.id:<18}{question.question}{wrong}")
    right = sum(is_right for *_, is_right in results)
    left_out = "" if has_builds else " (questions about real builds left out: TensorRT for RTX is not installed)"
    print(f"{right} of {len(results)}{left_out}")
    return 0 if right >= options.least else 1


if __name__ == "__main__":
    sys.exit(main())
