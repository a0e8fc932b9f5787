// Charts: each is drawn when it comes near the window, and marks the selected layer.
const OPTIONS = {responsive: true, displaylogo: false, modeBarButtonsToRemove: ["select2d", "lasso2d"]};
const FADED = 0.25;

function makeCharts(app) {
  const boxes = [...document.querySelectorAll(".plot")], drawn = new Map();
  let plotly = null, figures = null;

  const loaded = async () => {
    figures ??= unpacked("data-figures").then(JSON.parse);
    plotly ??= unpacked("data-plotly").then(text => {
      // As a script of the page: the policy lets no other in.
      document.head.append(make("script", text));
      return window.Plotly;
    });
    return [await plotly, await figures];
  };

  const ink = () => ({light: {ink: "#1d2530", grid: "rgba(91,103,117,0.22)"}, dark: {ink: "#e4e9ef", grid: "rgba(152,164,179,0.25)"}})[app.theme];

  // The parts of a layout that follow the theme, each under the path that plotly's relayout takes.
  const dressing = figure => {
    const {ink: color, grid} = ink(), found = {"font.color": color};
    for (const axis of Object.keys(figure.layout).filter(key => /^[xy]axis\d*$/.test(key))) Object.assign(found, {[`${axis}.gridcolor`]: grid, [`${axis}.zerolinecolor`]: grid});
    return found;
  };

  const put = (layout, path, value) => {
    const steps = path.split("."), last = steps.pop();
    let at = layout;
    for (const step of steps) at = at[step] ??= {};
    at[last] = value;
  };

  async function draw(box) {
    if (drawn.has(box)) return drawn.get(box);
    const promise = (async () => {
      const [library, all] = await loaded(), figure = all[box.dataset.chart];
      const layout = {...figure.layout, autosize: true};
      layout.margin = {...layout.margin, t: 26};
      for (const [path, value] of Object.entries(dressing(figure))) put(layout, path, value);
      await library.newPlot(box, figure.data, layout, OPTIONS);
      box.on("plotly_click", event => {
        const layer = event.points?.[0]?.customdata;
        if (Number.isInteger(layer) && layer >= 0) app.hub.select(layer, "charts");
        mark(box);
      });
      mark(box);
    })();
    drawn.set(box, promise);
    return promise;
  }

  // Bars and points of other layers fade while one is selected.
  function mark(box) {
    const traces = box.data;
    if (!traces) return;
    const layer = app.hub.layer;
    traces.forEach((trace, at) => {
      if (!Array.isArray(trace.customdata) || !["bar", "scatter", "scattergl"].includes(trace.type)) return;
      const here = layer >= 0 && boxHas(box, layer);
      const opacity = here ? trace.customdata.map(each => each === layer ? 1 : FADED) : trace.type === "bar" ? 1 : 0.85;
      window.Plotly.restyle(box, {"marker.opacity": [opacity]}, [at]);
    });
  }

  const boxHas = (box, layer) => box.data.some(trace => Array.isArray(trace.customdata) && trace.customdata.includes(layer));

  const watcher = new IntersectionObserver(entries => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      watcher.unobserve(entry.target);
      draw(entry.target);
    }
  }, {rootMargin: "600px"});
  for (const box of boxes) watcher.observe(box);
  app.hub.listen(["charts", () => { for (const box of drawn.keys()) mark(box); }]);

  return {
    boxes, drawn, drawAll: () => Promise.all(boxes.map(draw)),
    dress: () => { for (const box of drawn.keys()) if (box.layout) window.Plotly.relayout(box, dressing({layout: box.layout})); },
  };
}
