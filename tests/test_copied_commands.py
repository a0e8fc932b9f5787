"""Commands to copy: a text of the user or of a file stands in them as one word of bash, whatever it contains."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import trex
from tests.syntax import parsed

PACKAGE = Path(trex.__file__).parent
# Words that begin a command, up to the end of what stands before a value of an f-string; an option with its value.
COMMAND = re.compile(
    r"(?:^|[\s:;,(`'\"])(?:trex [a-z][\w-]*|chmod|cp|curl|docker|git|kill|mkdir|mv|pip install|polygraphy|python\S* -m|"
    r"rm|sbatch|scp|ssh|tail|tar|trtexec)\s[^.;]*$|(?:^|\s)--[a-z][\w-]* $|\s--[a-z][\w-]*=$"
)
QUOTED = {"shell_word", "shell_line"}
# Not of a user or a file: words and numbers of our own, words of ids. Or no command: "trtexec ended with 1".
OURS = {
    "__version__", "extra", "example", "process", "signature.begin + 1", "action", "takes",
    "takes or 'nothing more'", "options.action", "' '.join(words)", "' '.join(missing.values())", "onnx",
    "rule.code", "note.code", "name", "device.name", "release", "quoted", "end_words(child.exit_code)",
    "code", "reason", "problem", "output.problem", "warning.message", "document.title", "newer", "tail",
    "good[:12]", "bad[:12]",
    "able[0]", "options.backend", "value", "text", "options.tokens", "profile_id", "other", "style.group_by",
    "len(events)", "' or '.join(others)", "run[:8]", "one",
}  # fmt: skip


def unquoted(file: Path) -> Iterator[str]:
    for node in ast.walk(parsed(file)):
        before = ""
        for part in node.values if isinstance(node, ast.JoinedStr) else ():
            if isinstance(part, ast.Constant):
                before += str(part.value)
                continue
            assert isinstance(part, ast.FormattedValue)
            is_quoted = isinstance(part.value, ast.Call) and ast.unparse(part.value.func) in QUOTED
            is_constant = isinstance(part.value, ast.Name) and part.value.id.isupper()
            if COMMAND.search(before) and not is_quoted and not is_constant and part.format_spec is None:
                yield ast.unparse(part.value)
            before += "X"


def test_values_in_commands_are_quoted() -> None:
    found = [f"{file.name}: {words}" for file in sorted(PACKAGE.rglob("*.py")) for words in unquoted(file)]
    wrong = [words for words in found if words.partition(": ")[2] not in OURS]
    assert not wrong, f"{wrong}: shell_word(...) around it, or name it in OURS"
    unused = OURS - {words.partition(": ")[2] for words in found}
    assert not unused, f"{unused} stand in no command any more"
