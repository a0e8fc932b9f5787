// Tables with a field to search in; a row that names a layer selects it. Each is unpacked when it comes into view.
function makeLists(app) {
  const SHOWN = 100;

  async function start(box) {
    const model = readTable(JSON.parse(await unpacked(box.dataset.list))), field = box.querySelector("input"), counter = box.querySelector("output"), table = box.querySelector("table");
    const columns = model.columns.slice(0, model.shown), texts = model.columns.filter(column => !column.isNumber);
    let sorted = null, down = false;

    function fill() {
      const wanted = readFilter(model, field.value, texts), rows = [];
      field.removeAttribute("aria-invalid");
      if (typeof wanted === "string") {
        field.setAttribute("aria-invalid", "true");
        counter.value = wanted;
        return;
      }
      for (let row = 0; row < model.count; row++) if (wanted(row)) rows.push(row);
      if (sorted) {
        const known = value => value !== null && value !== "";
        rows.sort((a, b) => {
          const p = sorted.read(a), q = sorted.read(b);
          if (!known(p) || !known(q)) return known(q) - known(p) || a - b;
          return p === q ? a - b : (p < q ? -1 : 1) * (down ? -1 : 1);
        });
      }
      const shown = rows.slice(0, SHOWN), count = rows.length === model.count ? grouping(rows.length) : `${grouping(rows.length)} of ${grouping(model.count)}`;
      counter.value = `${count} ${model.noun}${rows.length > SHOWN ? `, the first ${SHOWN} shown` : ""}`;
      const head = make("tr");
      for (const column of columns) {
        const cell = make("th", undefined, {scope: "col"}), button = make("button", `${column.heading}${column === sorted ? (down ? " ↓" : " ↑") : ""}`, {type: "button", title: column.hint});
        button.onclick = () => { down = sorted === column && !down; sorted = column; fill(); };
        cell.className = column.isNumber ? "number" : "text";
        cell.setAttribute("aria-sort", column === sorted ? (down ? "descending" : "ascending") : "none");
        cell.append(button);
        head.append(cell);
      }
      table.replaceChildren(make("thead"), make("tbody"));
      table.tHead.append(head);
      table.tBodies[0].append(...shown.map(line));
    }

    function line(row) {
      const layer = model.by("layer.index")?.read(row), tr = make("tr");
      columns.forEach((column, place) => {
        const cell = make("td", undefined, {className: column.isNumber ? "number" : "text", title: column.isNumber ? "" : column.text(row)});
        if (!place && layer !== null && layer !== undefined) cell.append(make("button", column.text(row), {type: "button", onclick: () => app.hub.select(layer)}));
        else cell.textContent = column.text(row);
        tr.append(cell);
      });
      return tr;
    }

    field.addEventListener("input", fill);
    fill();
  }

  const watcher = new IntersectionObserver(entries => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      watcher.unobserve(entry.target);
      start(entry.target);
    }
  }, {rootMargin: "400px"});
  const boxes = [...document.querySelectorAll(".list")];
  for (const box of boxes) watcher.observe(box);
  return boxes;
}
