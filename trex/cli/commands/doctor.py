"""What was recognised at a path, what is missing, and the exact commands that would produce it.

Exits with 1 when something is missing or was lost, with 0 when every engine is complete. The commands are trtexec's, in
the spelling of the engine's own TensorRT release; words in capitals stand for what no file tells.

examples:
  trex doctor out/
  trex doctor resnet.graph.json build.log --json
"""

from __future__ import annotations

from dataclasses import dataclass

from trex.cli.command import Command
from trex.core.options import option


@dataclass(frozen=True)
class Options:
    path: tuple[str, ...] = option(help="files, stems, folders, .tea archives or example:NAME", many=True)
    json: bool = option(False, "print JSON (schema trex.doctor/1)")


def run(options: Options) -> int:
    from trex.cli import console
    from trex.export.text import diagnosis_lines
    from trex.plan.loading import find_plans
    from trex.views.diagnosis import diagnose, report

    found = list(dict.fromkeys(files for path in options.path for files in find_plans(path)))
    diagnoses = []
    for files in found:
        with console.patience(f"reading {files.name}"):
            diagnoses.append(diagnose(files))
    if options.json:
        console.show_json(report(diagnoses))
    else:
        for number, diagnosis in enumerate(diagnoses):
            if number:
                console.say()
            console.show(diagnosis_lines(diagnosis, console.width()))
    return 0 if all(diagnosis.is_healthy for diagnosis in diagnoses) else 1


COMMAND = Command(Options, run)
