// A table with every row; only those in view are elements; sorted, filtered, selected with charts and graph.
const ROW = 26;
const COMPARISON = /^\s*([\w.# ]+?)\s*(<=|>=|<|>|!=|=)\s*(\S.*?)\s*$/;
const NARROW_TABLE = 800;

function readTable(data) {
  const columns = data.columns.map(column => ({
    ...column, isNumber: Boolean(column.numbers),
    read: column.numbers ? row => column.numbers[row] : row => column.texts[column.indexes[row]],
    heading: column.unit && column.unit !== "bytes" ? `${column.title} (${column.unit})` : column.title,
    hint: column.title === column.name ? column.meaning : `${column.name}: ${column.meaning}`,
  }));
  for (const column of columns) column.text = row => column.isNumber ? written(column.read(row), column.unit) : printable(column.read(row));
  const index = columns.find(column => column.name === "layer.index");
  const count = columns.length ? (columns[0].numbers ?? columns[0].indexes).length : 0;
  const layerOf = row => index ? index.read(row) : row;
  const rowOf = new Map(Array.from({length: count}, (_, row) => [layerOf(row), row]));
  return {columns, count, rowOf, shown: data.shown, noun: data.noun, sort: data.sort, layerOf, by: name => columns.find(column => column.name === name)};
}

function written(value, unit) {
  if (value === null || value === undefined) return "–";
  if (unit === "ms") return value.toFixed(4);
  if (unit === "bytes") {
    for (const [step, name] of [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"]]) if (Math.abs(value) >= step) return `${(value / step).toFixed(1)} ${name}`;
    return `${value} B`;
  }
  if (unit === "%") return value.toFixed(2);
  return Number.isInteger(value) ? grouping(value) : Number(value.toPrecision(4)).toString();
}

// Words of a filter → a test of rows, or why there is none. ``column>number`` and ``column=text`` compare; of other
// words, each must be in one of the columns' cells.
function readFilter(model, words, columns) {
  const comparison = COMPARISON.exec(words);
  if (!comparison) {
    const each = words.toLowerCase().split(/\s+/).filter(Boolean);
    return row => each.every(word => columns.some(column => column.text(row).toLowerCase().includes(word)));
  }
  const [, name, sign, value] = comparison, column = model.columns.find(each => [each.name, each.title].some(known => known.toLowerCase() === name.toLowerCase()));
  if (!column) return `no column is called ${name}`;
  if (!column.isNumber) {
    if (!/^!?=$/.test(sign)) return `${column.name} is text: ${column.name}=${value}`;
    const same = sameTexts(column.texts, value);
    return row => same.has(column.indexes[row]) === (sign === "=");
  }
  const limit = Number(value);
  if (Number.isNaN(limit)) return `${column.name} is a number, ${value} is not`;
  const tests = {"<": v => v < limit, ">": v => v > limit, "<=": v => v <= limit, ">=": v => v >= limit, "=": v => v === limit, "!=": v => v !== limit};
  return row => column.read(row) !== null && tests[sign](column.read(row));
}

// Places of the texts that are the value as it is shown, else of those that differ from it only in case.
function sameTexts(texts, value) {
  const forms = texts.map(text => [printable(text).trim(), escaped(text).trim()]);
  const places = same => new Set(forms.flatMap((shown, place) => shown.some(same) ? [place] : []));
  const exact = places(shown => shown === value);
  return exact.size ? exact : places(shown => shown.toLowerCase() === value.toLowerCase());
}

function makeBrowser(app, model) {
  const root = byId("table"), filter = byId("filter"), counter = byId("rows");
  const body = root.querySelector(".body"), head = root.querySelector(".head"), pane = root.querySelector(".pane");
  let visible = new Set(model.columns.slice(0, model.shown));
  let rows = [], sorted = model.by(model.sort) ?? null, down = Boolean(sorted), shown = "", buttons = [], filterText = "", openings = 0;

  // Numbers are as wide as their headings; the widest text takes the room that is left.
  const isNarrow = () => root.clientWidth < NARROW_TABLE;
  const width = column => column.isNumber ? Math.max(60, 42 + 7 * column.heading.length) : Math.min(column.width || 130, isNarrow() ? 170 : 1e4);
  function template() {
    const columns = [...visible], widths = columns.map(width), widest = widths.indexOf(Math.max(...widths));
    const room = root.clientWidth - 18 - widths.reduce((sum, each) => sum + each, 0);
    if (room > 0 && columns[widest] && !columns[widest].isNumber) widths[widest] += room;
    return widths.map(each => `${each}px`).join(" ");
  }

  function headings() {
    buttons = [...visible].map(column => {
      const cell = make("div"), button = make("button", column.heading, {type: "button", title: column.hint});
      cell.setAttribute("role", "columnheader");
      button.onclick = () => {
        down = sorted === column ? !down : column.isNumber && column.name !== "layer.index";
        sorted = column;
        fill();
      };
      if (column.isNumber) button.className = "number";
      cell.append(button);
      return [column, cell, button];
    });
    head.replaceChildren(...buttons.map(([, cell]) => cell));
    head.style.gridTemplateColumns = template();
  }

  function fill() {
    filterText = filter.value.trim();
    app.shares?.show();
    const wanted = readFilter(model, filter.value, model.columns);
    filter.removeAttribute("aria-invalid");
    if (typeof wanted === "string") {
      filter.setAttribute("aria-invalid", "true");
      counter.value = wanted;
      return;
    }
    rows = [];
    for (let row = 0; row < model.count; row++) if (wanted(row)) rows.push(row);
    if (sorted) {
      const sign = down ? -1 : 1, known = value => value !== null && value !== "";
      rows.sort((a, b) => {
        const p = sorted.read(a), q = sorted.read(b);
        // Unknown values come last either way.
        if (!known(p) || !known(q)) return known(q) - known(p) || a - b;
        return p === q ? a - b : (p < q ? -1 : 1) * sign;
      });
    }
    counter.value = rows.length === model.count ? `${grouping(model.count)} ${model.noun}` : `${grouping(rows.length)} of ${grouping(model.count)} ${model.noun}`;
    for (const [column, cell, button] of buttons) {
      cell.setAttribute("aria-sort", column === sorted ? (down ? "descending" : "ascending") : "none");
      button.textContent = column.heading + (column === sorted ? (down ? " ↓" : " ↑") : "");
    }
    root.setAttribute("aria-rowcount", rows.length + 1);
    pane.style.height = `${rows.length * ROW}px`;
    shown = "";
    draw();
  }

  function draw() {
    const first = Math.max(0, Math.floor(body.scrollTop / ROW) - 6), last = Math.min(rows.length, Math.ceil((body.scrollTop + body.clientHeight) / ROW) + 6);
    const layout = template(), state = `${first} ${last} ${app.hub.layer} ${layout}`;
    if (state === shown) return;
    shown = state;
    head.style.gridTemplateColumns = layout;
    const lines = [];
    for (let position = first; position < last; position++) {
      const row = rows[position], line = make("div", undefined, {className: "line", onclick: () => choose(position)});
      line.setAttribute("role", "row");
      line.setAttribute("aria-rowindex", position + 2);
      line.setAttribute("aria-selected", model.layerOf(row) === app.hub.layer);
      line.dataset.layer = model.layerOf(row);
      line.style.top = `${position * ROW}px`;
      line.style.gridTemplateColumns = layout;
      for (const column of visible) {
        const cell = make("span", column.text(row), {title: column.isNumber ? "" : column.text(row)});
        cell.setAttribute("role", "gridcell");
        if (column.isNumber) cell.className = "number";
        line.append(cell);
      }
      lines.push(line);
    }
    pane.replaceChildren(...lines);
  }

  const choose = position => {
    app.hub.select(model.layerOf(rows[position]), "browse");
    draw();
  };
  const marked = () => rows.findIndex(row => model.layerOf(row) === app.hub.layer);

  function reveal() {
    const position = marked();
    if (position >= 0) {
      const top = position * ROW;
      if (top < body.scrollTop || top + 2 * ROW > body.scrollTop + body.clientHeight) body.scrollTop = top - body.clientHeight / 2;
    }
    draw();
  }

  const quoted = words => /[",\n]/.test(words) ? `"${words.replaceAll('"', '""')}"` : words;
  // A spreadsheet evaluates what begins like a formula; in much of Europe a semicolon begins a cell.
  const harmless = words => words.replace(/(^|;)(?=[\s"]*[=+\-@\uff1d\uff0b\uff0d\uff20])(?![-+]?[\d.]+(e[-+]?\d+)?(;|$))/gi, "$1'");

  function csv() {
    const cell = (column, row) => column.read(row) === null ? "" : column.isNumber ? String(column.read(row)) : printable(column.read(row));
    // A file travels without the page's title, which says where times are not measured.
    const badge = document.querySelector("header .badge"), origin = badge ? [quoted(badge.textContent.split(":")[0])] : [];
    const lines = [[...model.columns.map(column => quoted(column.name)), ...origin.map(() => "provenance")].join(",")];
    for (const row of rows) lines.push([...model.columns.map(column => quoted(harmless(cell(column, row)))), ...origin].join(","));
    const link = make("a", "", {download: `${model.noun.replaceAll(" ", "-")}.csv`, href: URL.createObjectURL(new Blob([lines.join("\n")], {type: "text/csv"}))});
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  function offerColumns() {
    byId("choices").replaceChildren(...model.columns.map(column => {
      const box = make("input", undefined, {type: "checkbox", checked: visible.has(column)}), line = make("label", undefined, {title: column.hint});
      box.onchange = () => {
        visible = new Set(model.columns.filter(other => other === column ? box.checked : visible.has(other)));
        headings();
        fill();
      };
      line.append(box, ` ${column.heading}`);
      return line;
    }));
  }

  // Another of the document's tables, for every part that holds the model; columns of the same name stay visible.
  async function open(table) {
    const opening = ++openings, text = await unpacked(`data-table-${table}`);
    if (opening !== openings) return;  // the menu chose another since
    const names = new Set([...visible].map(column => column.name)), order = sorted?.name;
    Object.assign(model, readTable(JSON.parse(text)));
    const same = model.columns.filter(column => names.has(column.name));
    visible = new Set(same.length ? same : model.columns.slice(0, model.shown));
    sorted = model.by(order) ?? null;
    offerColumns();
    headings();
    fill();
  }

  byId("columns").onclick = event => {
    byId("choices").hidden = !byId("choices").hidden;
    event.target.setAttribute("aria-expanded", !byId("choices").hidden);
  };
  byId("csv").onclick = csv;
  body.addEventListener("scroll", draw);
  new ResizeObserver(draw).observe(body);
  let waiting = 0;
  filter.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      app.address.write({filter: filterText}, true);
      markRows();
    }, 300);
    fill();
  });
  root.addEventListener("keydown", event => {
    const step = {ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15, Home: -1e9, End: 1e9}[event.key];
    if (!step || !rows.length) return;
    event.preventDefault();
    choose(Math.max(0, Math.min(rows.length - 1, marked() + step)));
    reveal();
  });
  app.hub.listen(["browse", reveal]);
  offerColumns();
  headings();
  fill();
  const markRows = () => app.hub.mark(filterText && rows.length < model.count ? rows.map(model.layerOf) : []);
  // words: as people type them.
  const setFilter = words => {
    if (words !== filterText) {
      filter.value = words;
      fill();
    }
    markRows();
  };
  return {fill, open, rows: () => rows, csv, filter: setFilter, filtered: () => filterText};
}
