// Opening and closing → a new arrangement, in which what is looked at stays where it is.

// After groups were opened or closed: everything in its new place, and what is looked at, still there.
function rearrange(app, change, anchor = inTheMiddle(app), isInPlace = false) {
  const wasFit = !isInPlace && (app.isFit() || isView(app, app.homeView)), before = {model: app.model, sheet: app.sheet};
  change(app.groups);
  app.model = arrange(app.base, app.groups);
  app.grid = makeGrid(app.model);
  byId("said").textContent = app.groups.closed.size ? `${grouping(app.model.frames.closed.length)} groups closed` : "all groups open";
  if (wasFit) app.fit();
  else {
    app.sheet = app.newSheet();
    if (anchor >= 0) stayAt(app, before, anchor);
    paintMap(app);
  }
  showLegend(app);
  if (app.selected >= app.base.boxes.n) showPanel(app);
  writeLink(app);
  app.redraw();
}

function stayAt(app, before, anchor) {
  const {view, width, height} = app;
  const [oldX, oldY] = spotOf(before.model, anchor), [newX, newY] = spotOf(app.model, anchor);
  const old = before.sheet.columnAt(oldY), now = app.sheet.columnAt(newY);
  const y = Math.max(40, Math.min(height - 140, view.y + (oldY + old.dy) * view.zoom));
  view.y = y - (newY + now.dy) * view.zoom;
  view.x += (oldX + old.dx - newX - now.dx) * view.zoom;
  const middle = view.x + (newX + now.dx) * view.zoom;
  view.x += Math.max(60, Math.min(width - 60, middle)) - middle;
  app.pan(0, 0);
}

// The middle of the upper edge of a box, of what stands for it, or of an open group.
function spotOf(model, any) {
  const box = model.standIn[any], f = box - model.boxes.n, [x, y] = placeIn(model, box);
  return [x + (f >= 0 && !model.frames.closed.includes(f) ? model.frames.w[f] : model.boxes.w[box]) / 2, y];
}

function placeIn(model, box) {
  const {boxes, frames} = model, f = box - boxes.n;
  return f >= 0 && !frames.closed.includes(f) ? [frames.x[f], frames.y[f]] : [boxes.x[box], boxes.y[box]];
}

// The box that stands nearest to the middle of the view.
function inTheMiddle(app) {
  let best = -1, least = Infinity;
  for (const part of visibleParts(app)) for (const box of app.grid.boxes(part.left, part.top, part.right, part.bottom)) {
    const [x, y, w, h] = placeOf(app, box), far = Math.hypot(x + w / 2 - app.width / 2, y + h / 2 - app.height / 2);
    if (far < least) { least = far; best = box; }
  }
  return best < app.base.boxes.n ? best : app.groups.boxesIn(best - app.base.boxes.n)[0] ?? -1;
}

function toggleGroup(app, frame) {
  rearrange(app, groups => groups.toggle(frame), app.base.boxes.n + frame, true);
}

// What is around a box is opened, so that it is seen.
function reveal(app, box) {
  if (box >= 0 && app.groups.around(box).some(f => app.groups.closed.has(f))) rearrange(app, groups => groups.open(box), -1);
}

function groupControls(app) {
  const controls = {closeAll: "closeAll", openLevel: "openLevel", openAll: "openAll"};
  for (const [id, way] of Object.entries(controls)) {
    app[way] = () => rearrange(app, groups => groups[way]());
    byId(id).addEventListener("click", app[way]);
  }
  app.toggle = frame => toggleGroup(app, frame);
  byId("groups").hidden = app.groups.n === 0;
}
