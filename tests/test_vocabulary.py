"""One concept, one name, American spelling, the field's words: what text and names here may not contain."""

from __future__ import annotations

import ast
import io
import json
import re
import sys
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "trex"

# Word → what to write instead. Patterns match whole words, whatever their case.
WORDS = {
    r"t(?:old|ells?|elling)": "say, show, report, contain, print, distinguish",
    r"besides?": "adjacent, next to, apart from",
    r"alike": "similar, equal, matching",
    r"dear(?:er|est)?": "costly, most expensive",
    r"mend(?:ed|s|ing)?": "fix",
    r"at stake": "estimated savings",
    r"witness(?:es)?|landmarks?": "matched layers, evidence",
    r"surroundings?": "neighbors, adjacent layers",
    r"stand-ins?": "mock",
    r"so far": "(say what was measured)",
    r"of which": "(two sentences)",
    r"multiply-adds?": "MACs",
    r"whom|nobody|somebody|anybody": "(name the reader, or use the passive)",
    r"supposed(?:ly)?": "simulated, predicted",
    r"advis(?:or|er)s?": "lint",
    r"\w*(?:colour|neighbour|behaviour|favour)\w*": "American spelling",
    r"\w*(?:quant|normal|summar|recogn|initial|synchron|serial|util|vector)is\w*": "American spelling",
    r"optimis(?:e|ed|es|ing|er|ers|ation|ations)": "American spelling",
    r"artefacts?|judgement\w*|licence\w*|catalogues?|centre\w*|grey": "American spelling",
}
FORBIDDEN = re.compile("|".join(rf"(?P<w{at}>\b(?:{word})\b)" for at, word in enumerate(WORDS)), re.IGNORECASE)

# Names of variables, parameters and functions: a real noun says what it is.
NAMES = {
    "each",
    "place",
    "places",
    "found",
    "told",
    "made",
    "said",
    "tell",
    "tells",
    "alike",
    "beside",
    "mine",
    "theirs",
}

# Words of others that we repeat: keys of files, names of releases' flags, HTML and CSS. And one phrase of our own.
QUOTED = re.compile(r"lightgrey|replace\(\"grey\"|can't tell", re.IGNORECASE)

# Classic names that TREx users import: a public class over one of the inside with the same name.
CLASSIC_CLASSES = {"Activation", "EnginePlan", "Layer"}

CLASS = re.compile(r"\s*class (\w+)[(:]")

LONGEST_HELP = 80


def files(*patterns: str) -> list[Path]:
    return sorted(path for pattern in patterns for path in ROOT.glob(pattern))


def texts_of(path: Path) -> Iterator[tuple[int, str]]:
    """(line, text) of what people read in a file: comments and strings of Python, cells of a notebook, other lines."""
    source = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type in (tokenize.COMMENT, tokenize.STRING) or tokenize.tok_name[token.type] == "FSTRING_MIDDLE":
                yield from enumerate(token.string.split("\n"), token.start[0])
    elif path.suffix == ".ipynb":
        cells = json.loads(source)["cells"]
        yield from ((0, line) for cell in cells for line in "".join(cell["source"]).split("\n"))
    else:
        yield from enumerate(source.split("\n"), 1)


def bad_words(path: Path) -> Iterator[str]:
    address = path.relative_to(ROOT).as_posix()
    for line, text in texts_of(path):
        for match in FORBIDDEN.finditer(QUOTED.sub("", text)):
            instead = list(WORDS.values())[int(str(match.lastgroup)[1:])]
            yield f"{address}:{line}: {match[0]!r}: write {instead}"


def bad_names(path: Path) -> Iterator[str]:
    address = path.relative_to(ROOT).as_posix()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            name, line = node.id, node.lineno
        elif isinstance(node, ast.arg):
            name, line = node.arg, node.lineno
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            name, line = node.name, node.lineno
        elif isinstance(node, ast.alias) and node.asname:
            name, line = node.asname, node.lineno
        else:
            continue
        if name.strip("_").lower() in NAMES:
            yield f"{address}:{line}: {name!r} says nothing: name the thing"


@pytest.mark.parametrize(
    "pattern", ["trex/**/*.py", "trex/export/**/*.js", "utils/*", "docs/**/*.md", "*.md", "notebooks/*.ipynb"]
)
def test_text_uses_the_words_of_the_field(pattern: str) -> None:
    bad = [problem for path in files(pattern) if path.is_file() for problem in bad_words(path)]
    assert not bad, f"{len(bad)} words\n" + "\n".join(bad[:50])


@pytest.mark.parametrize("pattern", ["trex/**/*.py", "utils/*.py"])
def test_names_are_nouns(pattern: str) -> None:
    bad = [problem for path in files(pattern) for problem in bad_names(path)]
    assert not bad, f"{len(bad)} names\n" + "\n".join(bad[:50])


def test_class_names_are_unique() -> None:
    where: dict[str, list[str]] = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        address = path.relative_to(ROOT).as_posix()
        for line, text in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
            if match := CLASS.match(text):
                where[match[1]].append(f"{address}:{line}")
    repeated = [
        f"{name}: {', '.join(addresses)}"
        for name, addresses in where.items()
        if len(addresses) > 1 and name not in CLASSIC_CLASSES
    ]
    assert not repeated, "\n".join(repeated)


def test_no_public_name_is_a_folder() -> None:
    import trex

    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}  # deeper ones hide no name of the package
    assert not folders & set(trex.__all__)


def test_help_is_short() -> None:
    from trex.cli.command import COMMANDS
    from trex.core.options import option_fields

    lengths = [
        f"trex {name} {field.flag}: {len(field.help)} characters"
        for name, plug in COMMANDS.items()
        for field in option_fields(plug.value.options)
        if len(field.help) > LONGEST_HELP
    ]
    assert not lengths, "\n".join(lengths)


# ---- The test of the test: bad text is caught.


@pytest.mark.parametrize(
    ("text", "caught"),
    [("# The log tells", "tells"), ('"""Colour of it."""', "Colour"), ('x = f"at stake: {y}"', "at stake"),
     ("# neighboring layers match", ""), ("each = 1", ""), ("# telemetry, intelligent", "")],
)  # fmt: skip
def test_words_are_caught(text: str, caught: str) -> None:
    match = FORBIDDEN.search(text)
    assert (match[0] if match else "") == caught


if __name__ == "__main__":  # python tests/test_vocabulary.py trex/ingest README.md: what is left to rewrite there
    for argument in sys.argv[1:]:
        chosen = sorted(Path(argument).rglob("*")) if Path(argument).is_dir() else [Path(argument)]
        for path in (path.resolve() for path in chosen if path.suffix in (".py", ".md", ".js", ".ipynb")):
            for problem in (*bad_words(path), *(bad_names(path) if path.suffix == ".py" else ())):
                print(problem)
