// Layers → a table; only its rows in sight are elements; sorted by any column, filtered, selected with the graph.
const ROW = 24;

function makeTable(app, root, filter, counter) {
  const model = app.base, L = model.layers;
  const text = (title, read) => ({title, read, text: i => printable(read(i))});
  const number = (title, read, write) => ({title, read, number: true, text: i => read(i) === null ? "–" : write(read(i))});
  const columns = [
    number("#", i => L.index[i], grouping), text("Layer", i => L.name[i]), text("Type", i => model.types[L.type[i]][0]),
    text("Precision", i => model.precisions[L.precision[i]][0]), number("ms", i => L.shown[i], milliseconds),
    number("time %", i => L.shown[i] === null || !model.total ? null : 100 * L.shown[i] / model.total, v => v.toFixed(2)),
    text("Module", i => L.module[i]), number("Stream", i => L.stream[i], String),
  ];
  const head = root.querySelector(".head"), body = root.querySelector(".body"), pane = root.querySelector(".pane");
  let rows = [], sorted = 0, down = false, shown = "";
  const buttons = columns.map((column, k) => {
    const cell = make("div");
    cell.setAttribute("role", "columnheader");
    const button = make("button", column.title, {type: "button", onclick: () => {
      down = sorted === k ? !down : Boolean(column.number && k);
      sorted = k;
      fill();
    }});
    button.style.width = "100%";
    if (column.number) button.className = "number";
    cell.append(button);
    head.append(cell);
    return [cell, button];
  });

  // Filtering: the rows in which the expression is found, or all.
  const find = makeFinder(() => model.rows.map(i => columns.map(column => column.text(i))));
  let wanted = null, note = "";

  function choosePattern() {
    const text = filter.value, complaint = text && complaintOf(text);
    filter.removeAttribute("aria-invalid");
    if (complaint) {
      filter.setAttribute("aria-invalid", "true");
      counter.value = complaint;
    } else if (!text) {
      wanted = null;
      note = "";
      fill();
    } else {
      find(text, (found, stopped) => {
        if (filter.value !== text) return;
        wanted = new Set(found.map(k => model.rows[k]));
        note = stopped ? " (stopped: takes too long)" : "";
        fill();
      });
    }
  }

  function fill() {
    rows = [];
    for (const i of model.rows) {
      if (app.focus.size && !app.focus.has(app.coloring.of[model.nodeOf(i)])) continue;
      if (wanted && !wanted.has(i)) continue;
      rows.push(i);
    }
    const {read} = columns[sorted], sign = down ? -1 : 1;
    const keys = rows.map(read), order = keys.map((_, k) => k);
    // What is not known comes last either way.
    order.sort((a, b) => {
      const p = keys[a], q = keys[b];
      if (p === q) return a - b;
      if (p === null) return 1;
      if (q === null) return -1;
      return (p < q ? -1 : 1) * sign;
    });
    rows = order.map(k => rows[k]);
    counter.value = rows.length === model.rows.length ? `${grouping(rows.length)} layers` : `${grouping(rows.length)} of ${grouping(model.rows.length)} layers${note}`;
    columns.forEach((column, k) => {
      buttons[k][0].setAttribute("aria-sort", k === sorted ? (down ? "descending" : "ascending") : "none");
      buttons[k][1].textContent = column.title + (k === sorted ? (down ? " ↓" : " ↑") : "");
    });
    root.setAttribute("aria-rowcount", rows.length + 1);
    pane.style.height = `${rows.length * ROW}px`;
    shown = "";
    draw();
  }

  function draw() {
    if (app.drawer.hidden) return;
    const first = Math.max(0, Math.floor(body.scrollTop / ROW) - 4);
    const last = Math.min(rows.length, Math.ceil((body.scrollTop + body.clientHeight) / ROW) + 4);
    const selected = app.selectedLayer(), state = `${first} ${last} ${selected}`;
    if (state === shown) return;
    shown = state;
    const lines = [];
    for (let place = first; place < last; place++) {
      const i = rows[place], line = make("div", undefined, {className: "line", onclick: () => choose(place)});
      line.setAttribute("role", "row");
      line.setAttribute("aria-rowindex", place + 2);
      line.setAttribute("aria-selected", i === selected || app.row < 0 && model.nodeOf(i) === selected);
      line.dataset.layer = i;
      line.style.top = `${place * ROW}px`;
      for (const column of columns) {
        const cell = make("span", column.text(i));
        cell.setAttribute("role", "gridcell");
        if (column.number) cell.className = "number";
        line.append(cell);
      }
      lines.push(line);
    }
    pane.replaceChildren(...lines);
  }

  const choose = place => app.selectRow(rows[place]);

  // The selected layer, or the first of those that share the selected box.
  const marked = () => {
    const selected = app.selectedLayer();
    return selected < 0 ? -1 : rows.indexOf(model.members.has(selected) ? model.rowsOf(selected)[0] : selected);
  };

  function reveal() {
    const place = marked();
    if (place >= 0 && !app.drawer.hidden) {
      const top = place * ROW;
      if (top < body.scrollTop || top + ROW > body.scrollTop + body.clientHeight) body.scrollTop = top - body.clientHeight / 2;
    }
    draw();
  }

  body.addEventListener("scroll", draw);
  filter.addEventListener("input", choosePattern);
  root.addEventListener("keydown", event => {
    const step = {ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8}[event.key];
    if (!step || !rows.length) return;
    event.preventDefault();
    event.stopPropagation();
    const place = marked();
    choose(Math.max(0, Math.min(rows.length - 1, place + step)));
  });
  return {fill, draw, reveal, rows: () => rows};
}
