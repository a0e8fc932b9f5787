// Strings → what may be shown of them, and elements that hold them as text.
function make(tag, text, options) {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  return Object.assign(element, options);
}

// Control characters as their pictures; what turns text around is shown as what it is.
function printable(text) {
  return String(text).replace(/[\u0000-\u001f]/g, c => String.fromCharCode(0x2400 + c.charCodeAt(0))).replace(/[\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
}

async function copyText(text, button) {
  let done = false;
  try {
    await navigator.clipboard.writeText(text);
    done = true;
  } catch (refused) {
    const area = make("textarea", undefined, {value: text});
    document.body.append(area);
    area.select();
    done = document.execCommand("copy");
    area.remove();
  }
  button.textContent = done ? "Copied" : "Not allowed";
  setTimeout(() => { button.textContent = "Copy name"; }, 1200);
}
