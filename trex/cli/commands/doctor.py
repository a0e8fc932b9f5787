"""What was recognised at a path, what is missing, and the exact command that would produce it.

Exits with 1 when something is missing or was lost, with 0 when the engine is complete.

examples:
  trex doctor out/
  trex doctor resnet.graph.json resnet.log --json
"""

from __future__ import annotations

from dataclasses import dataclass

from trex.cli.command import Command
from trex.core.options import option


@dataclass(frozen=True)
class Options:
    paths: tuple[str, ...] = option(help="files, stems, folders, .tea archives or example:NAME", many=True)
    json: bool = option(False, "print JSON (schema trex.doctor/1)")


def run(options: Options) -> int:
    from trex.cli import console
    from trex.plan.loading import find_plans
    from trex.views.diagnosis import diagnose

    diagnoses = [diagnose(files) for path in options.paths for files in find_plans(path)]
    if options.json:
        console.show_json([diagnosis.as_dict() for diagnosis in diagnoses])
    else:
        for diagnosis in diagnoses:
            console.show_diagnosis(diagnosis)
    return 0 if all(diagnosis.is_healthy for diagnosis in diagnoses) else 1


COMMAND = Command(Options, run)
