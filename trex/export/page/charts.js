// Charts: each is drawn when it comes near the window; they mark the selected layer.
const OPTIONS = {responsive: true, displaylogo: false, modeBarButtonsToRemove: ["select2d", "lasso2d"]};
const FADED = 0.25;
const NARROW = 420;
const PRINTED = 330;  // pixels: half of a sheet of paper

function makeCharts(app) {
  const boxes = [...document.querySelectorAll(".plot")], drawn = new Map();
  let plotly = null, figures = null;

  const loaded = async () => {
    figures ??= unpacked("data-figures").then(JSON.parse);
    plotly ??= unpacked("data-plotly").then(text => {
      // As a script of the page: the policy allows no other.
      document.head.append(make("script", text));
      // It warns about every bar that is colored by a number.
      window.Plotly.setPlotConfig({logging: 0});
      return window.Plotly;
    });
    return [await plotly, await figures];
  };

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

  const put = (layout, path, value) => {
    const steps = path.split("."), last = steps.pop();
    let part = layout;
    for (const step of steps) part = part[step] ??= {};
    part[last] = value;
  };

  async function draw(box) {
    if (drawn.has(box)) return drawn.get(box);
    const promise = (async () => {
      const [library, all] = await loaded(), figure = all[box.dataset.chart];
      const layout = {...figure.layout, autosize: true};
      layout.margin = {...layout.margin, t: 26, r: 12};
      layout.legend = {...layout.legend, ...legend(box.clientWidth)};
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
    traces.forEach((trace, number) => {
      if (!Array.isArray(trace.customdata) || !["bar", "scatter", "scattergl"].includes(trace.type)) return;
      const here = layer >= 0 && boxHas(box, layer);
      const opacity = here ? trace.customdata.map(mark => mark === layer ? 1 : FADED) : trace.type === "bar" ? 1 : 0.85;
      window.Plotly.restyle(box, {"marker.opacity": [opacity]}, [number]);
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

  // On paper there are two charts side by side; a drawn chart has its size from the window.
  const sized = width => Promise.all([...drawn.keys()].filter(box => box.layout).map(box => {
    const layout = width ? {width, height: 250, autosize: false} : {width: null, height: null, autosize: true};
    for (const [key, value] of Object.entries(legend(width || box.clientWidth))) layout[`legend.${key}`] = value;
    return window.Plotly.relayout(box, layout);
  }));

  return {
    toPaper: () => sized(PRINTED), toWindow: () => sized(0),
    boxes, drawn, drawAll: () => Promise.all(boxes.filter(box => box.offsetParent).map(draw)),
    dress: () => { for (const box of drawn.keys()) if (box.layout) window.Plotly.relayout(box, dressing({layout: box.layout})); },
  };
}
