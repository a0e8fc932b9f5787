// Charts: each is drawn when it comes near the window; they mark the selected layer.
const OPTIONS = {responsive: true, displaylogo: false, modeBarButtonsToRemove: ["select2d", "lasso2d"]};
const FADED = 0.25;
const NARROW = 420;
const PRINTED = {width: 336, height: 142}, PRINTED_WIDE = {width: 690, height: 210};  // pixels: half of a sheet of paper, and all of its width
const WIDE = ".pair-page .charts > figure:only-child, .pair-page section[id$=layers] .charts > figure:first-child";
const MOST_PRINTED = 600;  // marks of a chart: two for each pixel of its width
const PRINTED_MORE = {"font.size": 8, "margin.l": 40, "margin.b": 26, "margin.t": 18, "legend.font.size": 7};

// Paper shows no more marks than it has dots: of bars the largest of a few neighbors stays, of points one for each dot.
function thinned({data, layout}) {
  if (data.some(trace => trace.branchvalues === "total" && trace.values.length > MOST_PRINTED)) return data.map(thinnedTree);
  const count = data.reduce((sum, trace) => sum + marksOf(trace), 0);
  return count <= MOST_PRINTED ? data : data.map(trace => marksOf(trace) ? thinnedTrace(trace, layout, count) : trace);
}

const marksOf = trace => ["bar", "scatter", "scattergl"].includes(trace.type) && trace.orientation !== "h" ? trace.y?.length ?? 0 : 0;

function thinnedTrace(trace, layout, count) {
  const kept = trace.type === "bar" || trace.mode === "lines" ? largestOf(trace.y, Math.ceil(count / MOST_PRINTED)) : onePerDot(trace, layout);
  const picked = part => Object.fromEntries(Object.entries(part).map(([key, value]) => [key, Array.isArray(value) && value.length === trace.y.length ? kept.map(at => value[at]) : value]));
  const thin = {...picked(trace), hoverinfo: "skip", hovertext: null, hovertemplate: null};
  if (trace.marker) thin.marker = picked(trace.marker);
  if (trace.type === "bar" && typeof trace.x?.[0] === "number") thin.width = kept.length ? count / MOST_PRINTED : 1;
  return thin;
}

// Of a tree what is too small for paper is left out: its parent, which has it in its own value, shows it as a blank.
function thinnedTree(trace) {
  if (trace.branchvalues !== "total") return trace;
  const least = trace.values.reduce((sum, value, at) => trace.parents[at] === "" ? sum + value : sum, 0) / MOST_PRINTED, kept = [...trace.values.keys()].filter(at => trace.values[at] >= least);
  const picked = part => Object.fromEntries(Object.entries(part).map(([key, value]) => [key, Array.isArray(value) && value.length === trace.values.length ? kept.map(at => value[at]) : value]));
  return {...picked(trace), ...(trace.marker && {marker: picked(trace.marker)})};
}

function largestOf(values, step) {
  const kept = [];
  for (let start = 0; start < values.length; start += step) {
    let best = start;
    for (let at = start; at < Math.min(start + step, values.length); at++) if (Math.abs(values[at]) > Math.abs(values[best])) best = at;
    kept.push(best);
  }
  return kept;
}

function onePerDot({x, y}, layout) {
  const seen = new Set(), steps = [x, y].map((values, at) => {
    const scale = layout[at ? "yaxis" : "xaxis"]?.type === "log" ? Math.log10 : value => value;
    const known = values.map(scale).filter(Number.isFinite), low = known.reduce((a, b) => Math.min(a, b), Infinity), high = known.reduce((a, b) => Math.max(a, b), -Infinity);
    return value => Math.round((scale(value) - low) / (high - low || 1) * (at ? 60 : 150));
  });
  return x.map((_, at) => at).filter(at => {
    const dot = `${steps[0](x[at])} ${steps[1](y[at])}`;
    return !seen.has(dot) && seen.add(dot);
  });
}

function makeCharts(app) {
  const boxes = [...document.querySelectorAll(".plot")], drawn = new Set(), faded = new Set();
  let unpacking = null, script = "", figures = null;

  // Unpacked ahead, since a printer does not wait; read and run when the first chart is drawn.
  const ready = () => unpacking ??= Promise.all(["data-plotly", "data-figures"].map(unpacked)).then(texts => {
    [script, figures] = texts;
    charts.readyAfter = performance.now();
  });

  function library() {
    if (window.Plotly) return window.Plotly;
    // As a script of the page: the policy allows no other.
    document.head.append(make("script", script));
    script = "";
    figures = JSON.parse(figures);
    // It warns about every bar that is colored by a number.
    window.Plotly.setPlotConfig({logging: 0});
    return window.Plotly;
  }

  const ink = () => ({light: {ink: "#1d2530", grid: "rgba(91,103,117,0.22)", solid: "#c3cad2"}, dark: {ink: "#e4e9ef", grid: "rgba(152,164,179,0.25)", solid: "#4a5663"}})[app.theme];

  // The parts of a layout that follow the theme, each under the path that plotly's relayout takes.
  const dressing = figure => {
    const {ink: color, grid, solid} = ink(), layout = {"font.color": color};
    for (const axis of ["xaxis", "yaxis", "zaxis"]) if (figure.layout.scene) Object.assign(layout, {[`scene.${axis}.gridcolor`]: solid, [`scene.${axis}.linecolor`]: solid});
    for (const axis of Object.keys(figure.layout).filter(key => /^[xy]axis\d*$/.test(key))) Object.assign(layout, {[`${axis}.gridcolor`]: grid, [`${axis}.zerolinecolor`]: grid});
    return layout;
  };

  // A narrow chart has its legend above, where it takes no room from the bars.
  const legend = width => width < NARROW ? {orientation: "h", x: 0, xanchor: "left", y: 1.02, yanchor: "bottom"} : {orientation: "v", x: 1.02, xanchor: "left", y: 1, yanchor: "top"};

  const at = (layout, path) => path.split(".").reduce((part, step) => part?.[step], layout);

  // What is smaller on paper, each under its path.
  const small = layout => ({...PRINTED_MORE, ...Object.fromEntries(Object.keys(layout).filter(key => /^[xy]axis\d*$/.test(key)).map(key => [`${key}.title.font.size`, 7]))});

  const put = (layout, path, value) => {
    const steps = path.split("."), last = steps.pop();
    let part = layout;
    for (const step of steps) part = part[step] ??= {};
    part[last] = value;
  };

  // The panel takes room from the boxes of charts that are drawn.
  const fitting = new ResizeObserver(entries => {
    for (const {target} of entries) if (target.clientWidth > 99 && target.layout?.autosize && !matchMedia("print").matches) window.Plotly.Plots.resize(target);
  });

  // size: of the chart on paper; else it fills its box.
  function draw(box, size) {
    if (drawn.has(box)) return;
    drawn.add(box);
    const plotly = library(), figure = figures[box.dataset.chart], layout = {...structuredClone(figure.layout), autosize: !size, ...size};
    layout.margin = {...layout.margin, t: 26, r: 12};
    layout.legend = {...layout.legend, ...legend(size?.width ?? box.clientWidth)};
    for (const [path, value] of Object.entries({...dressing(figure), ...(size ? small(figure.layout) : {})})) put(layout, path, value);
    const data = size ? thinned(figure) : figure.data;
    box.closest("figure").classList.toggle("thinned", data !== figure.data);
    plotly.newPlot(box, data, layout, OPTIONS);
    fitting.observe(box);
    box.on("plotly_click", event => {
      const layer = event.points?.[0]?.customdata;
      if (Number.isInteger(layer) && layer >= 0) app.hub.select(layer, "charts");
      mark(box);
    });
    mark(box);
  }

  // Bars and points of other layers fade while one is selected, or some are marked.
  function mark(box) {
    const traces = box.data, {layer, marked} = app.hub, chosen = layer >= 0 ? new Set([layer]) : marked;
    if (!traces || !chosen.size && !faded.has(box)) return;
    const isHere = chosen.size && traces.some(trace => Array.isArray(trace.customdata) && trace.customdata.some(layer => chosen.has(layer)));
    if (isHere) faded.add(box); else faded.delete(box);
    traces.forEach((trace, number) => {
      if (!Array.isArray(trace.customdata) || !["bar", "scatter", "scattergl"].includes(trace.type)) return;
      const opacity = isHere ? trace.customdata.map(layer => chosen.has(layer) ? 1 : FADED) : trace.type === "bar" ? 1 : 0.85;
      window.Plotly.restyle(box, {"marker.opacity": [opacity]}, [number]);
    });
  }

  const watcher = new IntersectionObserver(entries => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      watcher.unobserve(entry.target);
      ready().then(() => draw(entry.target));
    }
  }, {rootMargin: "600px"});
  for (const box of boxes) watcher.observe(box);
  app.hub.listen(["charts", () => { for (const box of drawn) mark(box); }]);

  // On paper there are two charts side by side; a chart in the window has its size from there.
  let seen = [];
  const toPaper = () => {
    if (!figures) return;
    seen = [...drawn];
    for (const box of boxes) {
      // In a comparison, where pair.css gives it all of the width.
      const size = box.closest("figure").matches(WIDE) ? PRINTED_WIDE : PRINTED;
      box.style.setProperty("--printed", `${size.height}px`);
      if (seen.includes(box)) resize(box, size); else draw(box, size);
    }
  };
  const toWindow = () => {
    for (const box of [...drawn].filter(box => !seen.includes(box))) {
      window.Plotly.purge(box);
      drawn.delete(box);
      watcher.observe(box);
    }
    for (const box of seen) resize(box, {width: null, height: null});
  };
  const resize = (box, size) => {
    const isPaper = size.width !== null, own = figures[box.dataset.chart].layout, layout = {...size, autosize: !isPaper};
    for (const [path, value] of Object.entries(small(own))) layout[path] = isPaper ? value : path === "margin.t" ? 26 : at(own, path) ?? null;
    for (const [key, value] of Object.entries(legend(size.width ?? box.clientWidth))) layout[`legend.${key}`] = value;
    window.Plotly.relayout(box, layout);
  };

  const charts = {
    readyAfter: Infinity, ready, boxes, drawn, draw, toPaper, toWindow,
    dress: () => { for (const box of drawn) window.Plotly.relayout(box, dressing({layout: box.layout})); },
  };
  return charts;
}
