// Elements of the page, and packed data → text: base64, then gzip, unpacked by the browser.
const byId = id => document.getElementById(id);

async function unpacked(id) {
  const bytes = Uint8Array.from(atob(byId(id).textContent.trim()), character => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

// Makes an element; its content is text, never markup.
function make(tag, words, properties = {}) {
  const element = Object.assign(document.createElement(tag), properties);
  if (words !== undefined) element.textContent = words;
  return element;
}

// Control characters become pictures; characters that change the direction of text are removed.
const printable = words => String(words).replace(/[\u0000-\u001f]/g, character => String.fromCharCode(0x2400 + character.charCodeAt(0)))
  .replace(/[\u007f-\u009f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, "");
// Unprintable characters as the page's text writes them: Python's escapes.
const escaped = words => String(words).replace(/[\p{C}\p{Z}]/gu, character => {
  const code = character.codePointAt(0), known = {" ": " ", "\t": "\\t", "\n": "\\n", "\r": "\\r"}[character];
  const digits = code < 0x100 ? ["x", 2] : code < 0x10000 ? ["u", 4] : ["U", 8];
  return known ?? `\\${digits[0]}${code.toString(16).padStart(digits[1], "0")}`;
});
const grouping = number => number.toLocaleString("en-US");

// Buttons that lead to the selection in the table and in the graph.
function leads() {
  const targets = [["In the graph", "graphs"], ["In the table", "table"]].filter(([, id]) => byId(id));
  return targets.map(([words, id]) => make("button", words, {type: "button", onclick: () => byId(id).closest("section").scrollIntoView()}));
}
