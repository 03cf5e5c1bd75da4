// @ts-check
/** Small helpers of the page. Text is always text: nothing here makes markup of it. */

/** @param {string} id @return {HTMLElement} */
export function byId(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/** An element with attributes, of which `text` is its text, and children.
 *  @param {string} name @param {Record<string, string>} attributes @param {...(Node | string)} children @return {HTMLElement} */
export function make(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const key in attributes) {
    if (key === "text") element.textContent = attributes[key];
    else element.setAttribute(key, attributes[key]);
  }
  element.append(...children);
  return element;
}

/** The options of a select. @param {HTMLElement} select @param {string[][]} choices  value and text */
export function fill(select, choices) {
  select.replaceChildren(...choices.map(([value, text]) => make("option", { value, text })));
}

/** Shows what is wrong with a field, with a caret below the place, or that nothing is.
 *  @param {string} id @param {{message: string, at: number, length: number} | null} mistake */
export function showProblem(id, mistake) {
  const field = /** @type {HTMLInputElement} */ (byId(id)), problem = byId(`${id}-problem`);
  field.setAttribute("aria-invalid", String(mistake !== null));
  problem.hidden = mistake === null;
  if (mistake === null) return problem.replaceChildren();
  const text = field.value, end = Math.min(text.length, mistake.at + mistake.length);
  const place = make("code", { class: "place", "aria-hidden": "true" }, text.slice(0, mistake.at),
                     make("mark", { text: text.slice(mistake.at, end) || "␣" }), text.slice(end));
  const where = mistake.length < text.length && mistake.length > 0 ? `At character ${mistake.at + 1}: ` : "";
  const whole = mistake.length === 0 || mistake.length >= text.length && text.length > 1;
  problem.replaceChildren(...(whole ? [] : [place]), `${where}${mistake.message}.`);
}
