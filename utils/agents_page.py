"""Docstrings of the tools of ``trex mcp`` → the page for agents; the docs → llms.txt, their list for agents."""

from __future__ import annotations

import re
from collections.abc import Mapping

from trex.agents.toolbox import TOOLS
from trex.core.options import option_fields

_HEAD = """\
# For agents

Three ways in, all of them read-only: a skill that explains the command line, tools over MCP, and JSON of every command.

- `trex skill -o .claude/skills/trex/SKILL.md` writes the skill: when to use which command, how to read answers, what
  never to conclude. A test runs each of its command lines.
- `trex mcp ENGINES` serves six tools to MCP clients, over standard input and output (extra `mcp`).
- `trex COMMAND --json` prints the same documents. `trex schema COMMAND` is their JSON Schema; `--fields` and `--limit`
  keep them short.

`llms.txt` lists these pages. Who changes trex itself reads [AGENTS.md](../AGENTS.md).

## Tools

```json
{"mcpServers": {"trex": {"command": "trex", "args": ["mcp", "/data/engines", "/data/models"]}}}
```
"""

_PROMISES = """\
## What holds for every answer

- **Read-only.** No tool has an argument that writes. No network is used. A folder whose run was killed in the middle of
  its last step is read as it is, not repaired.
- **Roots.** Files are read in the folders given at start, by default the working directory, and in the package's
  examples. Links count by where they lead; the check is where files are opened, so a profile that is a link to
  elsewhere is not read, either. (Who can change files in a root while trex reads can still win a race.)
- **Budget.** An answer has at most 4,000 tokens (`--tokens`), by an estimate: 2.5 ASCII letters, or one byte of any
  other letter, are a token. On 72 answers about 18 engines of others, `o200k_base` and `cl100k_base` count 2.7 to 3.9
  letters a token, at most 93 % of the estimate; names of random letters could have more tokens. Fewer rows are shown
  until the answer fits, then shorter texts, then fewer sections. `left_out` counts what is missing, `page.next_offset`
  continues, `more` is the command line that shows all.
- **Schemas.** `structuredContent.answer` follows `trex schema` of the command: `summary`, `lint`, `layers`, `compare`,
  `explain`, `whatif`. Numbers have five digits; `null` is unknown, not zero.
- **Names are data.** Text of engines is at most 300 characters, without control, format, private and invisible
  characters (each run of them is one `�`), inside JSON strings, between two marks that cannot occur in it, under a line
  that says so. Errors are treated the same. This makes injected instructions recognizable; no server can make a model
  ignore them.
- **Time.** A call ends after 120 s with an error. Queries that could take minutes by themselves (powers, `str.repeat`,
  patterns with many repetitions) are refused. An engine is read once and kept until its files change. Of 100,000 layers
  (a bundled engine repeated; `python -m tests.benchmarks --only agents`, on two busy cores): 36 s to read and
  list the slowest, 7 s for another page, 38 s for `inspect`, 1 s for `findings`, 61 s for `compare`; 1.3 GB.
- **Errors** are answers with `isError` and a next step.

`findings` runs all rules with their defaults: settings of `trex.toml` hold for `trex lint` only.
"""

_EVALUATION = """\
## Evaluation

`utils/agent_evaluation.py` asks 30 questions about the four engines of the package and three that TensorRT for RTX
builds in the tests: which layer is slowest, what is predicted, is a difference significant, what does a column mean.
Expected answers come from the raw JSON files by another path than trex's; three, which no file contains, were written
by hand.

```bash
python utils/agent_evaluation.py --list                        # the questions
python utils/agent_evaluation.py --program "my-agent --ask"    # question on standard input, answer on standard output
python utils/agent_evaluation.py --answers answers.json
```

| program | right | missed |
| --- | ---: | --- |
| plain script (`--client`) | {client} of 30 | whether quantizing keeps the accuracy: only the prose says it |

The script matches words of a question with the table of SKILL.md and runs the command of that row; it reads nothing
else. In its first run it had 26: the wording of three questions about the number of layers did not say whether folded
layers and signals count, and was made unambiguous. Questions and table have one author and share words: the figure says
that commands and paths lead to right values, not that a program understands the skill. No language model has been
scored here.
"""
CLIENT = 29
"""What ``python utils/agent_evaluation.py --client`` prints; a test compares them."""


def agents_page() -> str:
    parts = [_HEAD]
    for name, plug in TOOLS.items():
        parts.append(f"### {name}\n\n{plug.doc}\n")
        parts.append("| argument | meaning |\n| --- | --- |")
        for field in option_fields(plug.value.arguments):
            words = f", one of {', '.join(field.choices)}" if field.choices else ""
            parts.append(f"| `{field.name}` | {field.help}{words} |")
        parts.append("")
    return "\n".join([*parts, _PROMISES, _EVALUATION.replace("{client}", str(CLIENT))])


def llms_text(pages: Mapping[str, str]) -> str:
    """The list of pages in the form of llmstxt.org. pages: {file name in docs: its text}."""
    lines = [
        "# trex: TensorRT engine explorer",
        "",
        "> Reads what TensorRT and trtexec write (8.2 to 11.x) and says what is in an engine, where the time goes,",
        "> what slows it down and what to change. Command line, Python, MCP. Needs no GPU.",
        "",
        "Start with `trex skill`, which prints how agents should use the command line, or with `trex mcp FOLDER`.",
        "",
        "## Pages",
        "",
    ]
    lines += [f"- [{_title(text)}]({name}){_first_sentence(text)}" for name, text in sorted(pages.items())]
    return "\n".join(lines) + "\n"


def _title(text: str) -> str:
    heading = re.search(r"^# (.+)$", text, re.MULTILINE)
    return heading[1].strip() if heading else "Untitled"


def _first_sentence(text: str) -> str:
    """Of the first paragraph of prose under the title, without markup; with ": " before it; "" if there is none."""
    body = re.sub(r"<!--.*?-->|^```.*?^```|^ {4}.*?$", "", text, flags=re.DOTALL | re.MULTILINE)
    blocks = (" ".join(block.split()) for block in body.partition("# ")[2].partition("\n")[2].split("\n\n"))
    prose = next((block for block in blocks if block and block[0] not in "|<!#->1" and not block.startswith("* ")), "")
    plain = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", prose).replace("**", "")
    first = re.split(r"(?<=[\w`)])[.:](?= |$)", plain)[0].rstrip(".:")
    return f": {first}." if first else ""
