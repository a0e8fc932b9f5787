"""Every command's document on every engine, on terminals of four widths: no line is wider, and no number is cut."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engines import READABLE
from tests.simulated_examples import SIMULATED
from tests.synthetic import Case
from trex.cli.command import COMMANDS
from trex.core.errors import TrexError
from trex.core.options import option_fields
from trex.export.document import RenderStyle, prepared
from trex.export.documents.text import document_lines
from trex.export.lettering import cell_width
from trex.plan.loading import example_addresses
from trex.views.document import Document, TableBlock
from trex.views.table import Table

WIDTHS = (60, 80, 120, 200)
ON_ENGINES = ("summary", "layers", "lint", "perf", "qdq", "doctor")
OTHERS = ("rules", "devices", "examples", "explain", "validate")


def document(name: str, **values: object) -> Document:
    """What the command would show, with all details."""
    command = COMMANDS.load(name).value
    defaults = {field.name: field.default for field in option_fields(command.options)} | {"verbose": True}
    answer = command.run(command.options(**{**defaults, **values}))
    return answer[0] if isinstance(answer, tuple) else answer


def numbers(shown: Document) -> Iterator[str]:
    """The words of every number in its tables, as people read them."""
    for section in shown.sections:
        for block in section.blocks:
            table = block.first_columns() if isinstance(block, TableBlock) and block.is_main else block
            if isinstance(table, Table):
                table = table.for_people()
                for index, column in enumerate(table.columns):
                    if column.is_number:
                        yield from (word for row in table.rows for word in column.cell(row[index]).split())


def check(shown: Document) -> None:
    wanted = set(numbers(shown))
    for width in WIDTHS:
        style = RenderStyle(width=width)
        lines = list(document_lines(prepared(shown, style), style))
        to_read = [
            "".join(text for text, _ in line) for line in lines if not any(role == "command" for _, role in line)
        ]
        assert max(map(cell_width, to_read)) <= width, max(to_read, key=cell_width)
        missing = wanted - {"–"} - set(" ".join(to_read).split())
        assert not missing, (shown.command, width, sorted(missing)[:5])


def of_engine(path: str) -> Iterator[Document]:
    for name in ON_ENGINES:
        try:
            yield document(name, path=(path,) if name == "doctor" else path)
        except TrexError as error:  # an engine that the command can't be about
            assert error.hint


@pytest.mark.parametrize("case", READABLE, ids=lambda case: case.name)
def test_every_engine_fits_every_width(case: Case, tmp_path: Path) -> None:
    for shown in of_engine(str(case.write(tmp_path))):
        check(shown)


def test_real_engines_fit_every_width(shared_engines: Path) -> None:
    for folder in sorted(path for path in shared_engines.iterdir() if path.is_dir()):
        for shown in of_engine(str(folder)):
            check(shown)


def test_builds_fit_every_width(shared_logs: Path) -> None:
    for log in sorted(shared_logs.glob("trt*build-verbose.log")):
        check(document("tactics", path=str(log)))


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_about_no_engine_fits_every_width(name: str) -> None:
    check(document(name))


def test_comparisons_fit_every_width() -> None:
    base, *news = (str(SIMULATED / name) for name in ("resnet18-int8", "resnet18-int8-residual", "resnet18-fp16"))
    for new in (news[:1], news):
        check(document("compare", base=base, new=tuple(new)))
    for address in example_addresses()[:1]:
        check(document("report", path=address))
