// All layers as a table of which only the rows in sight exist; sorted, filtered, selected with charts and graph.
const ROW = 26;
const COMPARISON = /^\s*([\w.]+)\s*(<=|>=|<|>|!=|=)\s*(-?[\d.]+(?:e-?\d+)?)\s*$/i;

function readLayers(data) {
  const columns = data.columns.map(each => ({
    ...each, isNumber: Boolean(each.numbers),
    read: each.numbers ? row => each.numbers[row] : row => each.words[each.places[row]],
    title: each.unit && each.unit !== "bytes" ? `${each.name} (${each.unit})` : each.name,
  }));
  for (const column of columns) column.text = row => column.isNumber ? written(column.read(row), column.unit) : printable(column.read(row));
  const index = columns.find(each => each.name === "layer.index");
  const count = columns.length ? (columns[0].numbers ?? columns[0].places).length : 0;
  const rowOf = new Map(Array.from({length: count}, (_, row) => [index ? index.read(row) : row, row]));
  return {columns, count, rowOf, shown: data.shown, noun: data.noun ?? "layers", layerOf: row => index ? index.read(row) : row, by: name => columns.find(each => each.name === name)};
}

// Other rows of the same columns, for all who hold the model.
function replaceLayers(model, data) {
  const fresh = readLayers(data);
  model.columns.forEach((column, place) => Object.assign(column, fresh.columns[place]));
  Object.assign(model, fresh, {columns: model.columns});
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

function makeLayers(app, model) {
  const root = byId("table"), filter = byId("filter"), counter = byId("rows");
  if (!root) return null;
  const body = root.querySelector(".body"), head = root.querySelector(".head"), pane = root.querySelector(".pane");
  const visible = new Set(model.columns.slice(0, model.shown));
  let rows = [], sorted = null, down = false, shown = "", buttons = [];

  const width = column => column.width ? `${column.width}px` : column.name === "Name" || column.name === "tactic" ? "300px" : column.isNumber ? "128px" : "150px";
  const template = () => [...visible].map(width).join(" ");

  function headings() {
    visible.forEach(column => { if (!model.columns.includes(column)) visible.delete(column); });
    buttons = [...visible].map(column => {
      const cell = make("div"), button = make("button", column.title, {type: "button", title: column.meaning});
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
    head.replaceChildren(...buttons.map(each => each[1]));
    head.style.gridTemplateColumns = template();
  }

  // ``column>number``, else words of which each must be in one of the row's cells.
  function chosen() {
    const comparison = COMPARISON.exec(filter.value);
    filter.removeAttribute("aria-invalid");
    if (comparison) {
      const [, name, sign, number] = comparison, column = model.columns.find(each => each.name.toLowerCase() === name.toLowerCase());
      if (!column?.isNumber) {
        filter.setAttribute("aria-invalid", "true");
        counter.value = `no column of numbers is called ${name}`;
        return null;
      }
      const limit = Number(number), tests = {"<": v => v < limit, ">": v => v > limit, "<=": v => v <= limit, ">=": v => v >= limit, "=": v => v === limit, "!=": v => v !== limit};
      return row => column.read(row) !== null && tests[sign](column.read(row));
    }
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    return row => words.every(word => model.columns.some(column => column.text(row).toLowerCase().includes(word)));
  }

  function fill() {
    const wanted = chosen();
    if (!wanted) return;
    rows = [];
    for (let row = 0; row < model.count; row++) if (wanted(row)) rows.push(row);
    if (sorted) {
      const sign = down ? -1 : 1, known = value => value !== null && value !== "";
      rows.sort((a, b) => {
        const p = sorted.read(a), q = sorted.read(b);
        // What is not known comes last either way.
        if (!known(p) || !known(q)) return known(q) - known(p) || a - b;
        return p === q ? a - b : (p < q ? -1 : 1) * sign;
      });
    }
    counter.value = rows.length === model.count ? `${grouping(model.count)} ${model.noun}` : `${grouping(rows.length)} of ${grouping(model.count)} ${model.noun}`;
    for (const [column, cell, button] of buttons) {
      cell.setAttribute("aria-sort", column === sorted ? (down ? "descending" : "ascending") : "none");
      button.textContent = column.title + (column === sorted ? (down ? " ↓" : " ↑") : "");
    }
    root.setAttribute("aria-rowcount", rows.length + 1);
    pane.style.height = `${rows.length * ROW}px`;
    shown = "";
    draw();
  }

  function draw() {
    const first = Math.max(0, Math.floor(body.scrollTop / ROW) - 6), last = Math.min(rows.length, Math.ceil((body.scrollTop + body.clientHeight) / ROW) + 6);
    const state = `${first} ${last} ${app.hub.layer} ${visible.size}`;
    if (state === shown) return;
    shown = state;
    const lines = [];
    for (let place = first; place < last; place++) {
      const row = rows[place], line = make("div", undefined, {className: "line", onclick: () => choose(place)});
      line.setAttribute("role", "row");
      line.setAttribute("aria-rowindex", place + 2);
      line.setAttribute("aria-selected", model.layerOf(row) === app.hub.layer);
      line.dataset.layer = model.layerOf(row);
      line.style.top = `${place * ROW}px`;
      line.style.gridTemplateColumns = template();
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

  const choose = place => {
    app.hub.select(model.layerOf(rows[place]), "layers");
    draw();
  };
  const marked = () => rows.findIndex(row => model.layerOf(row) === app.hub.layer);

  function reveal() {
    const place = marked();
    if (place >= 0) {
      const top = place * ROW;
      if (top < body.scrollTop || top + 2 * ROW > body.scrollTop + body.clientHeight) body.scrollTop = top - body.clientHeight / 2;
    }
    draw();
  }

  const quoted = words => /[",\n]/.test(words) ? `"${words.replaceAll('"', '""')}"` : words;
  // A spreadsheet runs what begins like a formula.
  const harmless = words => /^\s*[=+\-@]/.test(words) && !/^[-+]?[\d.]+(e[-+]?\d+)?$/i.test(words) ? `'${words}` : words;

  function csv() {
    const lines = [model.columns.map(each => quoted(each.name)).join(",")];
    for (const row of rows) lines.push(model.columns.map(each => quoted(harmless(each.read(row) === null ? "" : each.isNumber ? String(each.read(row)) : printable(each.read(row))))).join(","));
    const link = make("a", "", {download: `${model.noun.replaceAll(" ", "-")}.csv`, href: URL.createObjectURL(new Blob([lines.join("\n")], {type: "text/csv"}))});
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  for (const column of model.columns) {
    const box = make("input", undefined, {type: "checkbox", checked: visible.has(column)}), line = make("label", undefined, {title: column.meaning});
    box.onchange = () => {
      const now = model.columns.filter(each => each === column ? box.checked : visible.has(each));
      visible.clear();
      now.forEach(each => visible.add(each));
      headings();
      fill();
    };
    line.append(box, ` ${column.title}`);
    byId("choices").append(line);
  }
  byId("columns").onclick = event => {
    byId("choices").hidden = !byId("choices").hidden;
    event.target.setAttribute("aria-expanded", !byId("choices").hidden);
  };
  byId("csv").onclick = csv;
  body.addEventListener("scroll", draw);
  new ResizeObserver(draw).observe(body);
  filter.addEventListener("input", fill);
  root.addEventListener("keydown", event => {
    const step = {ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15, Home: -1e9, End: 1e9}[event.key];
    if (!step || !rows.length) return;
    event.preventDefault();
    choose(Math.max(0, Math.min(rows.length - 1, marked() + step)));
    reveal();
  });
  app.hub.listen(["layers", reveal]);
  headings();
  fill();
  return {fill, refresh: () => { headings(); fill(); }, rows: () => rows, csv};
}
