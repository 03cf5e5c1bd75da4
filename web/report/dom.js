// Elements made of plain data. Text from reports reaches the page only through here, as text.

/// Characters that a reader does not see or that change how their neighbours are shown: controls, marks of direction, zero width.
const HIDDEN = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/// Text in which hidden characters are shown by their numbers: U+202E is ‹202E›.
export function visible(text) {
  return String(text).replace(HIDDEN, (c) => "‹" + c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0") + "›");
}

/// The same for a line of code, its tabs as blanks.
export function visibleLine(line) {
  let text = "";
  for (const part of line.replace(/\r$/, "").split("\t")) {
    text += part;
    text += " ".repeat(8 - (text.length % 8));
  }
  return visible(text.trimEnd());
}

const NAMES = new Set(["class", "id", "type", "role", "for", "title", "href", "scope", "colspan", "tabindex", "value", "placeholder",
    "hidden",
  "disabled", "selected", "checked", "open", "min", "max", "step", "spellcheck", "autocomplete"]);

function add(element, child) {
  if (child === null || child === undefined || child === false) return;
  if (Array.isArray(child)) child.forEach((one) => add(element, one));
  else element.append(child instanceof Node ? child : document.createTextNode(visible(child)));
}

/// An element. A member of `properties` is an attribute of NAMES, aria-… or data-…, a handler "onclick", or "style", an object of CSS
/// properties. Children are elements, texts, lists of both, or nothing.
export function h(tag, properties, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") Object.entries(value).forEach(([key, one]) => element.style.setProperty(key, one));
    else if (NAMES.has(name) || /^(aria|data)-/.test(name)) element.setAttribute(name, value === true ? "" : visible(value));
    else throw new Error("no attribute " + name);
  }
  add(element, children);
  return element;
}

export function replace(element, ...children) {
  element.replaceChildren();
  add(element, children);
}

/// Says something to a screen reader.
export function announce(text) {
  document.getElementById("said").textContent = visible(text);
}
