// Sheet → overview: everything, small, and the part of it that is in view.

// Drawn anew when colors, columns or groups change.
function paintMap(app) {
  const {map, sheet, model} = app, ratio = app.ratio;
  const width = map.clientWidth, height = map.clientHeight;
  const picture = app.mapPicture = document.createElement("canvas");
  picture.width = map.width = Math.max(1, Math.round(width * ratio));
  picture.height = map.height = Math.max(1, Math.round(height * ratio));
  const g = picture.getContext("2d");
  const zoom = app.mapZoom = Math.min((width - 8) / sheet.width, (height - 8) / Math.max(1, sheet.height));
  app.mapX = (width - sheet.width * zoom) / 2;
  app.mapY = (height - sheet.height * zoom) / 2;
  g.scale(ratio, ratio);
  const {x, y, w, h} = model.boxes;
  for (const box of model.boxes.shown) {
    const c = sheet.columnAt(y[box]);
    g.fillStyle = boxColor(app, box);
    g.globalAlpha = isFaint(app, box) ? 0.12 : 1;
    g.fillRect(app.mapX + (x[box] + c.dx) * zoom, app.mapY + (y[box] + c.dy) * zoom, Math.max(0.7, w[box] * zoom), Math.max(0.7, h[box] * zoom));
  }
}

function paintMapFrame(app) {
  const {map, view, theme} = app, g = map.getContext("2d");
  if (!app.mapPicture) return;
  g.setTransform(1, 0, 0, 1, 0, 0);
  g.clearRect(0, 0, map.width, map.height);
  g.drawImage(app.mapPicture, 0, 0);
  g.scale(app.ratio, app.ratio);
  const scale = app.mapZoom / view.zoom, width = map.clientWidth, height = map.clientHeight;
  const left = Math.max(1, app.mapX - view.x * scale), top = Math.max(1, app.mapY - view.y * scale);
  const right = Math.min(width - 1, app.mapX + (app.width - view.x) * scale), bottom = Math.min(height - 1, app.mapY + (app.height - view.y) * scale);
  g.strokeStyle = theme.accent;
  g.lineWidth = 2;
  g.strokeRect(left, top, Math.max(3, right - left), Math.max(3, bottom - top));
}
