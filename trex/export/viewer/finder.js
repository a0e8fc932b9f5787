// A regular expression over the texts of rows, in a worker: an expression can backtrack for years, a worker can be ended.
const FIND_MS = 1500;

const FINDER = `let texts;
onmessage = ({data}) => {
  if (data.texts) {
    texts = data.texts;
    return;
  }
  postMessage({hits: []});
  const pattern = new RegExp(data.pattern, "i");
  let hits = [], last = performance.now();
  texts.forEach((row, k) => {
    if (row.some(text => pattern.test(text))) hits.push(k);
    if (performance.now() < last + 50) return;
    postMessage({hits});
    hits = [];
    last = performance.now();
  });
  postMessage({hits, done: true});
};`;

// read: () → one array of texts for each row. The result takes a pattern and passes on the rows in which it is found, and
// whether it was stopped; a search ends the one before. What repeats nothing needs no worker; without workers, a pattern
// is words.
function makeFinder(read) {
  let worker = null, timer = 0, busy = false, texts = null;

  function end() {
    clearTimeout(timer);
    worker?.terminate();
    worker = null;
    busy = false;
  }

  function begin() {
    const address = URL.createObjectURL(new Blob([FINDER], {type: "text/javascript"}));
    worker = new Worker(address);
    URL.revokeObjectURL(address);
    worker.postMessage({texts});
  }

  return function find(pattern, pass) {
    if (busy) end();
    texts ??= read();
    const findHere = matches => pass(texts.flatMap((row, k) => row.some(matches) ? [k] : []), false);
    const findWords = () => {
      end();
      const words = pattern.toLowerCase();
      findHere(text => text.toLowerCase().includes(words));
    };
    if (!/[*+{]/.test(pattern)) {
      const simple = new RegExp(pattern, "i");
      findHere(text => simple.test(text));
      return;
    }
    try {
      if (!worker) begin();
    } catch {
      findWords();
      return;
    }
    const found = [];
    const finish = stopped => {
      clearTimeout(timer);
      busy = false;
      if (stopped) end();
      pass(found, stopped);
    };
    let hasBegun = false;
    busy = true;
    worker.onerror = event => { event.preventDefault(); findWords(); };
    worker.onmessage = ({data}) => {
      if (!hasBegun) timer = setTimeout(finish, FIND_MS, true);
      hasBegun = true;
      for (const hit of data.hits) found.push(hit);
      if (data.done) finish(false);
    };
    worker.postMessage({pattern});
  };
}

// What is wrong with the expression, if anything.
function complaintOf(pattern) {
  try {
    new RegExp(pattern, "i");
    return "";
  } catch (error) {
    return String(error.message);
  }
}
