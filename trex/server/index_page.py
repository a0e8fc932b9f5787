"""Entries → HTML: the list of engines with links, and a form that compares two of them; without a script."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

from trex.export.block_html import text
from trex.server.entry import MEASURED, Entry, Headline
from trex.server.listing import changed, count_of
from trex.views.table import UNKNOWN_TEXT

_STYLE = """\
:root { --ground: #f3f5f7; --paper: #fff; --ink: #1d2530; --soft: #5b6775; --line: #d5dbe2; --accent: #0a66c2;
  --warn: #7a4b00; color-scheme: light; }
@media (prefers-color-scheme: dark) { :root { --ground: #12161b; --paper: #1d232b; --ink: #e4e9ef; --soft: #98a4b3;
  --line: #2e3742; --accent: #62b0ff; --warn: #ffd591; color-scheme: dark; } }
* { box-sizing: border-box; }
body { margin: 0; font: 14px/1.5 Helvetica, Arial, "Liberation Sans", sans-serif; color: var(--ink);
  background: var(--ground); }
main { max-width: 1200px; margin: 0 auto; padding: 20px 24px 60px; }
h1 { margin: 0; font-size: 20px; overflow-wrap: anywhere; unicode-bidi: isolate; }
p { margin: 4px 0 14px; color: var(--soft); }
a { color: var(--accent); }
.wide { overflow-x: auto; padding: 6px 16px; background: var(--paper); border: 1px solid var(--line);
  border-radius: 10px; }
table { border-collapse: collapse; width: 100%; }
th, td { padding: 7px 14px 7px 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
tr:last-child td { border-bottom: 0; }
th { color: var(--soft); font-weight: 400; white-space: nowrap; }
td { unicode-bidi: isolate; } td.name { font-weight: 600; overflow-wrap: anywhere; min-width: 150px; }
td small { display: block; color: var(--soft); font-weight: 400; overflow-wrap: anywhere; }
.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.links, .date { white-space: nowrap; } .pick { text-align: center; }
.predicted { color: var(--warn); }
.bar { position: sticky; bottom: 0; display: flex; gap: 12px; align-items: center; padding: 12px 0;
  background: var(--ground); }
button { font: inherit; color: inherit; height: 34px; padding: 0 16px; background: var(--paper); cursor: pointer;
  border: 1px solid var(--line); border-radius: 6px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
.role { display: none; }
@media (max-width: 700px) { main { padding: 14px 12px 40px; } .optional, thead { display: none; }
  table, tbody { display: block; } td { border: 0; padding: 0; } .role { display: inline; }
  tr { display: grid; grid-template-columns: 1fr auto auto; gap: 4px 16px; padding: 10px 0; }
  tr + tr { border-top: 1px solid var(--line); } td.name { grid-column: 1 / 2; min-width: 0; }
  td.number { grid-column: 2 / 4; } }
@media print { .pick, .bar, .links { display: none; } body { background: none; } }
"""


def index_page(root: str, entries: Mapping[str, Entry], headlines: Mapping[str, Headline]) -> str:
    rows = "".join(_row(entry, headlines.get(entry.key, Headline())) for entry in entries.values())
    compare = '<div class="bar"><button>Compare</button> <span>Choose a base and a new engine.</span></div>'
    heads = (
        '<th>engine</th><th class="number">GPU compute</th><th class="optional">files</th>'
        '<th class="optional">changed (UTC)</th><th>open</th><th class="pick">base</th><th class="pick">new</th>'
    )
    table = f'<div class="wide"><table><thead><tr>{heads}</tr></thead><tbody>\n{rows}</tbody></table></div>'
    content = f'<form action="compare" method="get">{table}{compare if len(entries) > 1 else ""}</form>'
    none = "<p>There is no engine in this folder. trex doctor FOLDER says what is missing.</p>"
    count = f"<p>{count_of(entries, headlines)}. Read-only; reload to see new files.</p>"
    return page(f"trex: {root}", f"<h1>{text(root)}</h1>\n{count}\n{content if entries else none}")


def error_page(message: str, hint: str = "") -> str:
    more = f"<p>{text(hint)}</p>" if hint else ""
    return page("trex", f'<h1>{text(message)}</h1>\n{more}<p><a href="./">All engines</a></p>')


def page(title: str, content: str) -> str:
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{text(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n{content}\n</main>\n"
        "</body>\n</html>\n"
    )


def _row(entry: Entry, headline: Headline) -> str:
    time = headline.text or UNKNOWN_TEXT
    kind = "" if headline.origin in ("", MEASURED) else ' class="predicted"'
    links = " · ".join(
        f'<a href="{view}?{text(urlencode({"engine": entry.key}))}">{view}</a>' for view in ("report", "graph")
    )
    key, name = text(entry.key), text(entry.name)
    picks = "".join(
        f'<td class="pick"><label><span class="role">{role} </span>'
        f'<input type="radio" name="{role}" value="{key}" aria-label="{role}: {name}" required></label></td>'
        for role in ("base", "new")
    )
    return (
        f'<tr><td class="name">{name}<small>{text(entry.folder)}</small></td>'
        f'<td class="number">{time}<small{kind}>{text(headline.origin)}</small></td>'
        f'<td class="optional">{text(", ".join(entry.parts))}</td>'
        f'<td class="optional date">{changed(entry)}</td><td class="links">{links}</td>{picks}</tr>\n'
    )
