// Paper: all tabs and sections are open, light, with every chart drawn, whoever prints: the page, the browser's menu, a headless browser.
function makePaper(app) {
  let opened = [], hidden = [], theme = "";
  app.print = () => Promise.resolve(app.charts?.ready()).then(() => print());
  if (byId("print")) byId("print").onclick = app.print;
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("main > section.folded > details:not([open])")];
    hidden = [...document.querySelectorAll("[role=tabpanel][hidden]")];
    for (const folded of opened) folded.open = true;
    for (const panel of hidden) panel.removeAttribute("hidden");
    theme = app.theme;
    app.setTheme("light");
    app.charts?.toPaper();
  });
  addEventListener("afterprint", () => {
    app.charts?.toWindow();
    app.setTheme(theme);
    for (const folded of opened) folded.open = false;
    for (const panel of hidden) panel.setAttribute("hidden", "until-found");
  });
  if (app.charts) holdLoad(app.charts.ready());
}

// A page that is printed as soon as it is loaded is not loaded before this: an open document in a frame delays it.
function holdLoad(promise) {
  const frame = make("iframe", undefined, {hidden: true, title: "loading"});
  document.body.append(frame);
  frame.contentDocument?.open();
  promise.finally(() => {
    frame.contentDocument?.close();
    frame.remove();
  });
}
