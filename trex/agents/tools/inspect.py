"""What an engine is, where its time goes, its slowest layers and the top findings. Start here.

A folder with several engines answers with an error that lists them. The statement says that times were predicted:
repeat it. It is empty where they were measured, or there are none. Null is unknown, not zero.
"""

from __future__ import annotations

from dataclasses import dataclass

from trex.agents.session import Session
from trex.agents.tool import Answer, Tool
from trex.core.options import option
from trex.core.printable import shell_word

PATH_HELP = "folder or file of the engine, relative to the root, or example:NAME (resnet18-int8, transformer-fp16 …)"


@dataclass(frozen=True, kw_only=True)
class InspectArguments:
    path: str = option(".", PATH_HELP)


def run(arguments: InspectArguments, session: Session) -> Answer:
    from trex.views.summary import summary_document

    plan = session.plan(arguments.path)
    lint = session.lint(arguments.path)
    return Answer(
        lambda rows: summary_document(plan, min(rows, 10), lint),
        f"trex summary {shell_word(arguments.path)} --json",
        rows=20,
    )


TOOL = Tool(InspectArguments, "summary", run)
