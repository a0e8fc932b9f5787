// Packed data → text: base64, then gzip, by the browser itself.
const byId = id => document.getElementById(id);

async function unpacked(id) {
  const packed = byId(id).textContent.trim();
  if (!packed) return "";
  const bytes = Uint8Array.from(atob(packed), each => each.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

// Makes an element; what it says is text, never markup.
function make(tag, words, properties = {}) {
  const element = Object.assign(document.createElement(tag), properties);
  if (words !== undefined) element.textContent = words;
  return element;
}

// Control characters and those that turn the direction of text are shown as pictures or left out.
const printable = words => String(words).replace(/[\u0000-\u001f]/g, each => String.fromCharCode(0x2400 + each.charCodeAt(0)))
  .replace(/[\u007f-\u009f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, "");
const grouping = number => number.toLocaleString("en-US");
