// Tables about the selected layer, below its facts: what the builder timed, how fast it was, why it was not chosen.
function makeDetails(app) {
  const panel = byId("panel"), SHOWN = 12;
  let loading = null, groupsOf = null, rowsOf = null, groups = null, rows = null, title = "";

  const index = (count, keyOf) => {
    const found = new Map();
    for (let row = 0; row < count; row++) {
      const key = keyOf(row);
      if (found.has(key)) found.get(key).push(row); else found.set(key, [row]);
    }
    return found;
  };

  const load = () => loading ??= unpacked("data-details").then(JSON.parse).then(data => {
    [title, groups, rows] = [data.title, readTable(data.groups), readTable(data.rows)];
    groupsOf = index(groups.count, row => groups.columns[0].read(row));
    rowsOf = index(rows.count, row => rows.columns[0].read(row));
  });

  const value = (row, name) => rows.by(name).read(row);

  // Compared with the chosen tactic; a runner-up within 2 % may be chosen by the next build.
  function why(row, chosenMs) {
    if (value(row, "skipped")) return [`not used: ${value(row, "skipped")}`, "skipped"];
    if (value(row, "chosen")) return ["chosen", "chosen"];
    const percent = 100 * (value(row, "time_ms") / chosenMs - 1);
    return Number.isFinite(percent) ? [`${percent < 0 ? "−" : "+"}${written(Math.abs(percent), "")} %`, Math.abs(percent) <= 2 ? "tie" : ""] : ["", ""];
  }

  function line(row, chosenMs) {
    const [words, kind] = why(row, chosenMs), kernel = value(row, "kernel"), tactic = value(row, "tactic"), tr = make("tr", undefined, {className: kind});
    const name = kernel || [value(row, "runner"), tactic.replace(/^0x0{1,15}/, "0x")].filter(Boolean).join(" ");
    tr.append(make("td", printable(name), {title: printable([kernel, value(row, "runner"), tactic].filter(Boolean).join("\n"))}));
    tr.append(make("td", value(row, "time_ms") === null ? "–" : value(row, "time_ms").toFixed(4), {className: "number"}), make("td", words));
    return tr;
  }

  function group(number, isOpen) {
    const lines = rowsOf.get(number) ?? [], box = make("details", undefined, {open: isOpen}), table = make("table"), head = make("tr");
    const chosenMs = lines.filter(row => value(row, "chosen")).map(row => value(row, "time_ms"))[0] ?? NaN;
    const left = groups.by("left_out").read(number), timed = lines.filter(row => value(row, "time_ms") !== null).length + left;
    const summary = make("summary", printable(groups.by("title").read(number)), {title: printable(groups.by("title").read(number))});
    const used = groups.by("in_engine").read(number) ? "in the engine, " : "";
    summary.append(make("small", ` ${used}${grouping(timed)} timed${Number.isFinite(chosenMs) ? `, ${chosenMs.toFixed(4)} ms` : ""}`));
    for (const words of ["tactic", "ms", "against the chosen"]) head.append(make("th", words, {scope: "col"}));
    table.append(head, ...lines.slice(0, SHOWN).map(row => line(row, chosenMs)));
    box.append(summary, table);
    if (lines.length > SHOWN) {
      const more = make("button", `${grouping(lines.length - SHOWN)} more`, {type: "button"});
      more.onclick = () => { table.append(...lines.slice(SHOWN).map(row => line(row, chosenMs))); more.remove(); };
      box.append(more);
    }
    if (left) box.append(make("p", `${grouping(left)} slower ones are left out: trex tactics LOG --layer NAME`, {className: "hint"}));
    return box;
  }

  app.hub.listen(["details", async layer => {
    if (layer < 0) return;
    await load();
    const numbers = groupsOf.get(layer);
    if (app.hub.layer !== layer || !numbers || panel.hidden) return;
    const part = make("div", undefined, {className: "candidates"});
    part.append(make("h3", title), ...numbers.slice(0, 40).map((number, place) => group(number, place === 0)));
    panel.querySelector(".candidates")?.remove();
    panel.append(part);
  }]);
}
