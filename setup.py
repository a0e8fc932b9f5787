"""The distribution: what is packaged, what it needs, and what each extra brings."""

import re
from pathlib import Path

from setuptools import find_packages, setup

HERE = Path(__file__).resolve().parent

CORE = [
    "numpy>=1.26",
    "orjson>=3.9",
    "pandas>=2.2",
    "rich>=13",
    "tomli>=2.0; python_version < '3.11'",
    "zstandard>=0.22",
]

# Lower bounds only: an upper bound of ours would break somebody's environment one day.
EXTRAS = {
    # All that the notebooks of notebooks/ call: charts, menus, tables, PNG of graphs, workbooks, ONNX models.
    "notebook": [
        "dtale>=3.8",
        "ipywidgets>=8.1",
        "jupyter>=1.0",
        "onnx>=1.15",
        "openpyxl>=3.1",
        "plotly>=5.18",
        "typst>=0.14",
        "xlsxwriter>=3.1",
    ],
    "report": ["openpyxl>=3.1", "plotly>=5.18", "xlsxwriter>=3.1"],
    "onnx": ["onnx>=1.15"],
    "excel": ["openpyxl>=3.1", "xlsxwriter>=3.1"],
    "parquet": ["pyarrow>=14"],
    "picture": ["typst>=0.14"],  # a typesetter in one wheel: SVG to PNG and PDF without a system library
    "graphviz": ["graphviz>=0.20", "pygraphviz>=2.0"],  # pygraphviz 2 brings Graphviz itself in its wheels
    "gpu": ["cuda-python>=12", "nvidia-ml-py>=12"],
    "store": ["duckdb>=1.2", "fsspec>=2024.2", "pyarrow>=14"],
}
EXTRAS["sweep"] = ["bokeh>=3.1", "dask>=2024.8", "distributed>=2024.8", *EXTRAS["store"]]
EXTRAS["all"] = sorted({requirement for extra in EXTRAS.values() for requirement in extra})

# Apart from ``all``: tensorrt comes from NVIDIA's own index, pycuda is compiled against a CUDA toolkit.
EXTRAS["tensorrt"] = ["tensorrt>=8.6"]
EXTRAS["pycuda"] = ["pycuda>=2024.1"]

# Apart from ``all``: 170 MB under NVIDIA's own license, for Linux x86-64. The two versions belong together.
RTX_PLATFORM = "sys_platform == 'linux' and platform_machine == 'x86_64'"
EXTRAS["rtx"] = [
    f"onnxruntime-ep-nv-tensorrt-rtx-cu12==0.5.0; {RTX_PLATFORM}",  # libraries 1.7.1
    f"tensorrt-rtx-cu12-bindings==1.7.1.116; {RTX_PLATFORM}",
]

# With what the tests draw, read back and export: what they skip in CI would be tried by nobody.
EXTRAS["dev"] = [
    *EXTRAS["graphviz"],
    *EXTRAS["notebook"],
    *EXTRAS["onnx"],
    *EXTRAS["parquet"],
    *EXTRAS["picture"],
    *EXTRAS["report"],
    *EXTRAS["rtx"],
    *EXTRAS["sweep"],
    "axe-playwright-python>=0.1.4",
    "build>=1.2",
    "hypothesis>=6.100",
    "ipykernel>=6.29",
    "jsonschema>=4.21",
    "mypy>=1.13",
    "networkx>=3.4",
    "nbclient>=0.10",
    "nbconvert>=7.16",
    "nvidia-ml-py>=12",  # installs anywhere: the mock is compared with it
    "pandas-stubs>=2.2",
    "playwright>=1.49",
    "pypdfium2>=4.30",
    "pytest>=8.2",
    "pytest-timeout>=2.3",
    "pytest-xdist>=3.6",
    "ruff>=0.17",
    "scipy>=1.15",  # the same statistics by others: tests compare with them, the package does without
]
EXTRAS["fuzz"] = ["atheris>=3.0; sys_platform == 'linux' and python_version >= '3.11' and python_version < '3.14'"]


def version() -> str:
    text = (HERE / "trex" / "__init__.py").read_text(encoding="utf-8")
    found = re.search(r'^__version__ = "([^"]+)"$', text, re.MULTILINE)
    if found is None:
        raise SystemExit('trex/__init__.py has no line __version__ = "…"')
    return found.group(1)


setup(
    name="tensorrt-engine-explorer",
    version=version(),
    description="Explore TensorRT engines: what was built, what it costs, and why",
    long_description=(HERE / "README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    license="Apache-2.0",
    license_files=["LICENSE.txt"],
    python_requires=">=3.10",
    packages=find_packages(include=["trex", "trex.*"]),
    package_data={
        "trex": [
            "py.typed",
            "examples/**",
            "export/page/*",
            "export/viewer/*",
            "perf/devices/*.json",
            "simulator/*.json",
            "simulator/timing/*.json",
        ]
    },
    install_requires=CORE,
    extras_require=EXTRAS,
    entry_points={"console_scripts": ["trex = trex.cli.main:main"]},
    keywords=["TensorRT", "inference", "profiling", "performance", "visualization"],
    classifiers=[
        "Intended Audience :: Developers",
        "Operating System :: OS Independent",
        "Programming Language :: Python :: 3",
        "Programming Language :: Python :: 3 :: Only",
        "Topic :: Scientific/Engineering :: Artificial Intelligence",
        "Topic :: Software Development :: Debuggers",
        "Typing :: Typed",
    ],
)
