"""docs/, the pages of the root, the Python reference and live examples → the site, without a network.

python utils/build_site.py            builds and checks build/site
python utils/build_site.py --stage    writes only build/docs, from which mkdocs and mike build
python utils/build_site.py --quick    without the sweep in the gallery, which takes most of the time

A page that loads something from elsewhere, and a link or an anchor that leads nowhere, is an error. TREX_REPOSITORY,
the repository's address, makes links to source files links; without it they are text.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import trex  # noqa: E402

STAGED = ROOT / "build" / "docs"
SITE = ROOT / "build" / "site"

# Pages of the root → their names on the site.
ROOT_PAGES = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CODE_OF_CONDUCT.md": "code-of-conduct.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
}

# Live pages: file → (what it shows, the words after trex).
GALLERY = {
    "report.html": (
        "A report: what to do, where the time goes, every layer, graph, roofline and memory",
        ("report", "example:resnet18-int8"),
    ),
    "graph.html": (
        "A graph: BERT-base, its repeated blocks closed; click one to open it",
        ("draw", "example:transformer-fp16", "--group-by", "structure"),
    ),
    "comparison.html": (
        "A comparison: the same network with and without quantized shortcuts, and why one is faster",
        ("compare", "example:resnet18-int8", "example:resnet18-int8-residual"),
    ),
    "findings.html": ("Findings of lint on one page", ("lint", "example:resnet18-int8")),
}

# The only page that needs runs first: eight predicted engines in a store.
SWEEP = "sweep.html"
SWEEP_RUN = (
    *("sweep", "--model", "example:resnet18", "--batch", "1", "32", "--precision", "fp32", "fp16"),
    *("--backend", "simulated", "--gpu", "A100", "L4", "--name", "gallery"),
)
SWEEP_REPORT = ("sweep", "report", "gallery")

# A picture of a live page opens it.
PICTURES = {"images/report.png": "gallery/report.html", "images/comparison.png": "gallery/comparison.html"}

# The public files that people start with; all others follow in the order of the alphabet.
FIRST = ("engine_plan", "lint", "comparison", "graphing", "roofline", "quantization", "report_card", "simulation")

_TITLE = re.compile(r"^ +- (.+): (\S+\.md)$", re.MULTILINE)
_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^)#\s]+)(#[^)\s]*)?\)")
_LOADED = re.compile(
    r"<(?:script|img|iframe|source|embed)\b[^>]*?\bsrc=[\"']?(?:https?:)?//[^\"'\s>]+"
    r"|<link\b(?![^>]*rel=[\"']?(?:canonical|alternate|prev|next))[^>]*?\bhref=[\"']?(?:https?:)?//[^\"'\s>]+"
    r"|@import\s+[\"']?(?:url\()?[\"']?(?:https?:)?//[^\"'\s)]+"
    r"|\burl\([\"']?(?:https?:)?//[^\"'\s)]+"
)


def stage(folder: Path = STAGED, is_quick: bool = False) -> None:
    """Writes all that mkdocs reads. is_quick: without the sweep."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "docs", folder)
    shutil.copytree(ROOT / "images", folder / "images")
    for source in sorted((ROOT / "docs").rglob("*.md")):
        path = source.relative_to(ROOT)
        write(folder / path.relative_to("docs"), relinked(source.read_text("utf-8"), path.as_posix()))
    for name, page in ROOT_PAGES.items():
        if name != "README.md":
            write(folder / page, relinked((ROOT / name).read_text("utf-8"), name))
    write(folder / "llms.txt", (ROOT / "docs" / "llms.txt").read_text("utf-8").replace(".md)", ".html)"))
    write(folder / "api.md", api_page())
    write(folder / "gallery.md", gallery_page(is_quick))
    (folder / "gallery").mkdir()
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        list(pool.map(lambda item: draw(folder / "gallery" / item[0], item[1][1]), GALLERY.items()))
    if not is_quick:
        with TemporaryDirectory() as store:
            run([sys.executable, "-m", "trex", *SWEEP_RUN, "--store", store, "--workers", "2"])
            draw(folder / "gallery" / SWEEP, (*SWEEP_REPORT, "--store", store))


def write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


def relinked(text: str, source: str) -> str:
    """The page with links that hold on the site; ``source`` is its path in the repository."""
    page = PurePosixPath(on_site(source) or "")
    titles = page_titles()

    def to(there: str) -> str:
        return os.path.relpath(there, page.parent).replace(os.sep, "/")

    def link(match: re.Match[str]) -> str:
        mark, words, target, anchor = match[1], match[2], match[3], match[4] or ""
        inside = os.path.normpath(PurePosixPath(source).parent / target).replace(os.sep, "/")
        if "://" in target or not (ROOT / inside).exists():
            return match[0]
        there = on_site(inside)
        if there is not None:
            is_name = words == target.rpartition("/")[2] and there in titles
            words = f"*{titles[there]}*" if is_name else words
            result = f"{mark}[{words}]({to(there)}{anchor})"
            return f"[{result}]({to(PICTURES[there])})" if there in PICTURES else result
        repository = os.environ.get("TREX_REPOSITORY", "").rstrip("/")
        revision = os.environ.get("TREX_REVISION", "main")
        return f"[{words}]({repository}/blob/{revision}/{inside}{anchor})" if repository else words

    return _LINK.sub(link, text)


@cache
def page_titles() -> dict[str, str]:
    """{page: its title in the navigation}: what a link is called on the site whose words are the name of a file."""
    return {page: title for title, page in _TITLE.findall((ROOT / "mkdocs.yml").read_text("utf-8"))}


def on_site(path: str) -> str | None:
    """Where a file of the repository is on the site; None if it is not there."""
    if path in ROOT_PAGES:
        return ROOT_PAGES[path]
    return path.removeprefix("docs/") if path.startswith("docs/") else path if path.startswith("images/") else None


def api_page() -> str:
    """A heading and mkdocstrings' mark for every public file, those that people start with first."""
    others = sorted({*trex._NAMES, *trex._OTHER_FILES} - set(FIRST))
    parts = [
        "# Python\n",
        "`import trex` is fast and brings no library; `trex.NAME` is every name below. [In Python and",
        "notebooks](python.md) has them at work. Names of NVIDIA's TREx: [migrating](migrating-from-trex.md).\n",
    ]
    for name in (*FIRST, *others):
        parts.append(f"## trex.{name}\n\n::: trex.{name}\n")
    return "\n".join(parts)


def gallery_page(is_quick: bool = False) -> str:
    parts = [
        "# Gallery\n",
        "[![The first screen of a report](images/report.png)](gallery/report.html)\n",
        "Live pages, written by the release that this site documents. Each is one file that works offline. The engines",
        "are real builds by TensorRT for RTX on a CPU; their times are predicted, and every page says so.\n",
    ]
    for file, (what, words) in GALLERY.items():
        parts.append(f"- [{what}](gallery/{file})  \n  `trex {' '.join(words)} -o {file}`")
    if not is_quick:
        parts.append(
            f"- [A sweep: the best of eight predicted engines, and which option mattered](gallery/{SWEEP})  \n"
            f"  `trex {' '.join(SWEEP_REPORT)} -o {SWEEP}`"
        )
    parts.append("\nPictures of them, also in the dark, on a phone and on paper: [the report](report.md).\n")
    return "\n".join(parts)


def draw(file: Path, words: Sequence[str]) -> None:
    run([sys.executable, "-m", "trex", *words, "-o", str(file)])
    if not file.is_file():
        raise SystemExit(f"trex {' '.join(words)} wrote no {file.name}")


def run(command: Sequence[str]) -> None:
    paths = os.pathsep.join((str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])))
    environment = {**os.environ, "PYTHONPATH": paths, "NO_COLOR": "1", "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    if done.returncode > 1 or (done.returncode and "mkdocs" in command):  # 1 of trex: it has findings
        raise SystemExit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")


def loaded_from_elsewhere(site: Path) -> Iterator[str]:
    """``file: tag`` for each page or style sheet that would load something from another server."""
    for file in sorted((*site.rglob("*.html"), *site.rglob("*.css"))):
        for match in _LOADED.finditer(file.read_text("utf-8")):
            yield f"{file.relative_to(site).as_posix()}: {match[0][:200]}"


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, default=SITE, help="where the site is written: build/site")
    parser.add_argument("--stage", action="store_true", help="write only what mkdocs reads")
    parser.add_argument("--quick", action="store_true", help="leave the sweep out of the gallery")
    options = parser.parse_args(argv)
    stage(is_quick=options.quick)
    if options.stage:
        return 0
    run([sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(options.folder.resolve())])
    problems = list(loaded_from_elsewhere(options.folder))
    print("\n".join(problems) or f"{options.folder}: {len(list(options.folder.rglob('*.html')))} pages")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
