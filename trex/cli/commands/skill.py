"""Print the skill for agents: when to use which command, how to read answers, what never to conclude.

It is a SKILL.md, which coding agents load from their folder of skills; -o makes that folder.

examples:
  trex skill
  trex skill -o .claude/skills/trex/SKILL.md
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from trex.cli.command import DONE, Command
from trex.cli.output import DocumentOptions, say_written, write_output
from trex.views.document import Document, Section, Text

FILE = Path(__file__).resolve().parents[2] / "skills" / "trex" / "SKILL.md"


@dataclass(frozen=True, kw_only=True)
class SkillOptions(DocumentOptions):
    pass


def run(options: SkillOptions) -> Document | int:
    text = FILE.read_text(encoding="utf-8")
    is_markdown = options.format in ("", "markdown") and not options.json
    if is_markdown and (not options.file or options.file.endswith(".md")):
        if options.file:
            with suppress(OSError):  # writing says what is wrong
                Path(options.file).parent.mkdir(parents=True, exist_ok=True)
        say_written(write_output(options.output, text))
        return DONE
    return Document("skill", "trex", sections=(Section("skill", "", (Text(tuple(text.splitlines())),)),))


COMMAND = Command(SkillOptions, run)
