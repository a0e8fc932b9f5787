"""What is known only where the distribution is built: where its repository is. All else is in pyproject.toml.

``TREX_REPOSITORY``, the address of the repository, gives the package index links to it, and the README's pictures and
links an address there; the release workflow sets it. Without it there are no links, and the README has its text alone.
"""

import os
import re
from pathlib import Path

from setuptools import setup

REPOSITORY = os.environ.get("TREX_REPOSITORY", "").rstrip("/")
REVISION = os.environ.get("TREX_REVISION", "main")
_LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?:|#)([^)]+)\)")


def readme() -> str:
    """README.md with absolute addresses: a package index has nothing of the repository beside it."""
    text = (Path(__file__).resolve().parent / "README.md").read_text(encoding="utf-8")
    if REPOSITORY:
        return _LINK.sub(
            lambda link: f"{link[1]}[{link[2]}]({REPOSITORY}/{'raw' if link[1] else 'blob'}/{REVISION}/{link[3]})",
            text,
        )
    return _LINK.sub(lambda link: "" if link[1] else link[2], text)


PATHS = {
    "Homepage": "",
    "Documentation": f"/tree/{REVISION}/docs",
    "Changelog": f"/blob/{REVISION}/CHANGELOG.md",
    "Issues": "/issues",
    "Source": "",
}

setup(
    long_description=readme(),
    long_description_content_type="text/markdown",
    project_urls={label: REPOSITORY + path for label, path in PATHS.items()} if REPOSITORY else {},
)
