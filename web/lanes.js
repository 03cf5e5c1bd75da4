// @ts-check
/**
 * The picture of one access: lanes × banks, or passes × banks.
 *
 * drawLanes(element, access, options) fills an element with an SVG of what Scratchpad.access() gave (scratchpad.js). It may be
 * called again with other data; the lane that was chosen stays chosen. Colours come from CSS variables of the page, with
 * defaults: --lanes-first (what a pass without conflicts serves), --lanes-again (what has to wait: the later, the stronger),
 * --lanes-soon, --lanes-ink, --lanes-grid, --lanes-text (on the cells), --lanes-mark. lanes.css has the rules; a page adds it to
 * its own.
 *
 * The picture is a list for the keyboard and for screen readers: arrow keys, Home and End choose a lane (or a pass), each with a
 * sentence about it. A pointer chooses by hovering.
 */

/** @typedef {import("./scratchpad.js").AccessAnswer} AccessAnswer */
/**
 * @typedef {object} LanesOptions
 * @property {"lanes" | "passes"} [view]  rows of the picture; default: lanes
 * @property {string} [label]             what the picture is called; default: from the access
 * @property {(row: number | null, sentence: string) => void} [onChoose]  a lane (or pass) was chosen; null: none is
 */

const SVG = "http://www.w3.org/2000/svg";
const CELL = 14, LEFT = 34, TOP = 30, LABEL_EVERY = 4;

/** @param {string} name @param {Record<string, string | number>} attributes @param {string} [text] */
function svg(name, attributes, text) {
  const node = document.createElementNS(SVG, name);
  for (const key in attributes) node.setAttribute(key, String(attributes[key]));
  if (text !== undefined) node.textContent = text;
  return node;
}

/** @param {number} count @param {string} one @param {string} [many] */
export function counted(count, one, many = `${one}s`) {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

/** "3", "3 and 7", "3, 7 and 9 more" @param {number[]} numbers */
function listed(numbers) {
  if (numbers.length <= 4) return numbers.join(", ").replace(/, (\d+)$/, " and $1");
  return `${numbers.slice(0, 3).join(", ")} and ${numbers.length - 3} more`;
}

/** The places of passes within their phases: 0 is served at once, others wait. @param {AccessAnswer} access */
function ranks(access) {
  /** @type {Map<string, number>} */
  const seen = new Map();
  return access.passes.map((pass) => {
    const phase = pass.phase.join();
    const rank = seen.get(phase) ?? 0;
    seen.set(phase, rank + 1);
    return rank;
  });
}

/** Lanes that want other words of the banks of a lane, in its phase. @param {AccessAnswer} access @param {number} lane */
function rivals(access, lane) {
  const own = access.lanes[lane];
  /** @type {Set<number>} */
  const others = new Set();
  if (!own) return others;
  for (const pass of access.passes) {
    if (!pass.phase.includes(lane)) continue;
    for (const service of pass.banks) {
      if (service.lanes.includes(lane) || !own.words.some((word) => word.bank === service.bank)) continue;
      for (const other of service.lanes) others.add(other);
    }
  }
  return others;
}

/** What there is to say of a lane. @param {AccessAnswer} access @param {number} lane */
export function laneSentence(access, lane) {
  const own = access.lanes[lane];
  if (!own) return `Lane ${lane} is off.`;
  const words = own.words, first = words[0], last = words[words.length - 1];
  const passes = [...new Set(words.map((word) => word.pass + 1))];
  const where = words.length === 1 ? `word ${first.word}, bank ${first.bank}`
    : `words ${first.word}–${Math.max(...words.map((w) => w.word))}, banks ${[...new Set(words.map((w) => w.bank))].length > 4 ? `${first.bank}–${last.bank}` : listed(words.map((w) => w.bank))}`;
  const others = [...rivals(access, lane)].sort((a, b) => a - b);
  const shared = others.length === 0 ? "It shares its bank with no other word." : `It shares a bank with ${others.length === 1 ? "lane" : "lanes"} ${listed(others)}.`;
  return `Lane ${lane}: byte ${own.offset}, ${where}, served in pass ${listed(passes)} of ${access.wavefronts}. ${shared}`;
}

/** @param {AccessAnswer} access @param {number} pass */
function passSentence(access, pass) {
  const { banks, phase } = access.passes[pass];
  const lanes = new Set(banks.flatMap((service) => service.lanes));
  const whole = phase.filter((lane) => access.lanes[lane]).length;
  return `Pass ${pass + 1} of ${access.wavefronts}: ${counted(banks.length, "bank")} of ${access.banks} busy, ${counted(lanes.size, "lane")} of ${whole} served.`;
}

/**
 * @typedef {{bank: number, text: string, late: number, lanes: number[]}} Cell
 * @typedef {{name: string, sentence: string, cells: Cell[]}} Row
 */

/** @param {AccessAnswer} access @return {Row[]} */
function laneRows(access) {
  const rank = ranks(access), most = Math.max(1, ...rank);
  return access.lanes.map((lane, number) => ({
    name: String(number),
    sentence: laneSentence(access, number),
    cells: (lane?.words ?? []).map((word) => ({ bank: word.bank, text: String(word.pass + 1), late: rank[word.pass] / most, lanes: [number] })),
  }));
}

/** @param {AccessAnswer} access @return {Row[]} */
function passRows(access) {
  const rank = ranks(access), most = Math.max(1, ...rank);
  return access.passes.map((pass, number) => ({
    name: String(number + 1),
    sentence: passSentence(access, number),
    cells: pass.banks.map((service) => ({
      bank: service.bank,
      text: service.lanes.length === 1 ? String(service.lanes[0]) : `×${service.lanes.length}`,
      late: rank[number] / most,
      lanes: service.lanes,
    })),
  }));
}

/** @param {Row} row @param {number} index @param {string} id @param {number} banks */
function drawRow(row, index, id, banks) {
  const y = TOP + index * CELL;
  const group = svg("g", { id, role: "option", "aria-label": row.sentence, "aria-selected": "false" });
  group.append(svg("rect", { class: "back", x: 0, y, width: LEFT + banks * CELL + 2, height: CELL }));
  group.append(svg("text", { x: LEFT - 12, y: y + CELL / 2 }, row.name));
  for (const cell of row.cells) {
    const service = svg("g", { class: cell.late > 0 ? "service late" : "service" });
    /** @type {any} */ (service).style.setProperty("--late", `${Math.round(100 * cell.late)}%`);
    service.append(svg("rect", { class: "cell", x: LEFT + cell.bank * CELL + 0.75, y: y + 0.75, width: CELL - 1.5, height: CELL - 1.5, rx: 3 }));
    service.append(svg("text", { x: LEFT + (cell.bank + 0.5) * CELL, y: y + CELL / 2 + 0.3 }, cell.text));
    service.append(svg("title", {}, row.sentence));
    group.append(service);
  }
  return group;
}

/** @param {Element} picture @param {number} banks @param {number} rows @param {string} name */
function drawFrame(picture, banks, rows, name) {
  picture.append(svg("text", { class: "axis", x: LEFT + (banks * CELL) / 2, y: 7 }, "bank"));
  picture.append(svg("text", { class: "axis", x: 7, y: TOP + (rows * CELL) / 2, transform: `rotate(-90 7 ${TOP + (rows * CELL) / 2})` }, name));
  for (let bank = 0; bank < banks; ++bank) {
    if (bank % LABEL_EVERY === 0 || bank + 1 === banks)
      picture.append(svg("text", { x: LEFT + (bank + 0.5) * CELL, y: TOP - 8 }, String(bank)));
    picture.append(svg("rect", { class: "grid", x: LEFT + bank * CELL + 0.75, y: TOP, width: CELL - 1.5, height: rows * CELL, rx: 2 }));
  }
}

/** What keeps its place when a picture is drawn again. @type {WeakMap<Element, {chosen: number | null, id: number}>} */
const states = new WeakMap();
let pictures = 0;

/** @param {Element} element @param {AccessAnswer} access @param {LanesOptions} [options] */
export function drawLanes(element, access, options = {}) {
  const byPass = options.view === "passes";
  const rows = byPass ? passRows(access) : laneRows(access);
  const state = states.get(element) ?? { chosen: null, id: ++pictures };
  states.set(element, state);
  const width = LEFT + access.banks * CELL + 2, height = TOP + rows.length * CELL + 4;
  const name = byPass ? "pass" : "lane";
  const picture = svg("svg", {
    class: "lanes", viewBox: `0 0 ${width} ${height}`, role: "listbox", tabindex: 0,
    "aria-label": options.label ?? `${byPass ? "Passes" : "Lanes"} and banks: ${counted(access.wavefronts, "wavefront")}, ${access.ideal} without conflicts. Arrow keys choose a ${name}.`,
  });
  drawFrame(picture, access.banks, rows.length, name);
  const groups = rows.map((row, index) => drawRow(row, index, `lanes-${state.id}-${name}-${index}`, access.banks));
  picture.append(...groups);

  const choose = (/** @type {number | null} */ index, tell = true) => {
    state.chosen = index;
    const others = index === null || byPass ? new Set() : rivals(access, index);
    groups.forEach((group, k) => {
      group.setAttribute("class", k === index ? "chosen" : others.has(k) ? "rival" : "");
      group.setAttribute("aria-selected", String(k === index));
    });
    if (index === null) picture.removeAttribute("aria-activedescendant");
    else picture.setAttribute("aria-activedescendant", groups[index].id);
    if (tell) options.onChoose?.(index, index === null ? "" : rows[index].sentence);
  };

  const rowAt = (/** @type {PointerEvent} */ event) => {
    const box = picture.getBoundingClientRect();
    const row = Math.floor((((event.clientY - box.top) / box.height) * height - TOP) / CELL);
    return row >= 0 && row < rows.length ? row : null;
  };
  picture.addEventListener("pointermove", (event) => {
    const row = rowAt(/** @type {PointerEvent} */ (event));
    if (row !== null && row !== state.chosen) choose(row);
  });
  picture.addEventListener("pointerdown", (event) => choose(rowAt(/** @type {PointerEvent} */ (event))));
  picture.addEventListener("keydown", (event) => {
    const key = /** @type {KeyboardEvent} */ (event).key;
    const last = rows.length - 1, from = state.chosen ?? -1;
    const to = { ArrowDown: Math.min(last, from + 1), ArrowUp: Math.max(0, from - 1), Home: 0, End: last,
                 PageDown: Math.min(last, from + 8), PageUp: Math.max(0, from - 8), Escape: null }[key];
    if (to === undefined || last < 0) return;
    event.preventDefault();
    choose(to);
  });
  if (state.chosen !== null && state.chosen >= rows.length) state.chosen = null;
  const focused = element.contains(document.activeElement);
  element.replaceChildren(picture);
  choose(state.chosen);
  if (focused) /** @type {any} */ (picture).focus({ preventScroll: true });
}
