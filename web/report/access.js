// Lanes and banks of one warp access: a row is a pass, a column a bank, a number the lane that is served.
import { announce, h, replace } from "./dom.js";
import { canEvaluate, evaluate } from "./evaluate.js";
import { counted, fixed, patternText, placeText, shortName, whole } from "./words.js";

const LETTERS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ#@";
const parity = (word) => {
  let bits = 0;
  for (; word; word &= word - 1) bits ^= 1;
  return bits;
};

/// The bank of a word, or null where the report does not say enough.
function bankOf(scratchpad, site) {
  const hash = site.hash ? null : scratchpad.hash;
  if (site.hash || (hash && !hash.rows)) return () => null;
  if (hash) return (word) => hash.rows.reduce((bank, row, bit) => bank | (parity(row & word) << bit), 0);
  return (word) => word % scratchpad.banks;
}

/// The words of a lane.
function wordsOf(site, lane, bank_bytes) {
  const first = site.pattern.addresses[lane];
  if (first === null || first === undefined) return [];
  const start = (first * 4) / bank_bytes, count = Math.max(1, site.width / bank_bytes);
  return Array.from({ length: count }, (_, k) => Math.floor(start) + k);
}

/// For each pass and bank the lanes that are served, as far as the letters and the addresses say it.
function cellsOf(picture, site, scratchpad) {
  const bank_of = bankOf(scratchpad, site);
  const active = site.pattern.addresses.map((_, lane) => lane).filter((lane) => site.pattern.addresses[lane] !== null);
  const rows = [];
  for (const phase of picture.phases) {
    const lanes = new Set(lanesOf(phase.lanes));
    const wanted = new Map();  // bank → words in the order of lanes, with those lanes
    for (const lane of active.filter((one) => lanes.has(one))) {
      for (const word of wordsOf(site, lane, scratchpad.bank_bytes)) {
        const bank = bank_of(word);
        if (bank === null) continue;
        if (!wanted.has(bank)) wanted.set(bank, new Map());
        const words = wanted.get(bank);
        words.set(word, [...(words.get(word) || []), lane]);
      }
    }
    const served = new Map();  // bank → how many words so far
    phase.passes.forEach((pass, p) => {
      rows.push({ phase: phase.lanes, first: p === 0, cells: [...pass].slice(0, scratchpad.banks).map((letter, at) => {
        const bank = at % scratchpad.banks;
        if (letter === ".") return { bank, lanes: [] };
        const word = [...(wanted.get(bank) || [])][served.get(bank) || 0];
        served.set(bank, (served.get(bank) || 0) + 1);
        if (letter !== "*") return { bank, lanes: [LETTERS.indexOf(letter)],
          word: word && word[1][0] === LETTERS.indexOf(letter) ? word[0] : null };
        return { bank, lanes: word ? word[1] : [], several: true, word: word ? word[0] : null };
      }) });
    });
  }
  return rows;
}

/// [0, 1, 2, 3, 20] of "0-3 20".
export function lanesOf(text) {
  return text.split(/[ ,]+/).flatMap((part) => {
    const [first, last = first] = part.split("-").map(Number);
    return Array.from({ length: last - first + 1 }, (_, k) => first + k);
  });
}

/// The chain of inlined calls of a place, innermost first.
export function chain(frames) {
  if (!frames || frames.length < 2) return null;
  return h("ol", { class: "chain", "aria-label": "inlined calls, innermost first" },
    frames.map((frame) => h("li", null, h("span", { class: "place", title: frame.file }, placeText(frame)), frame.function ? " in " : null,
      frame.function ? h("span", { class: "name", title: frame.function }, shortName(frame.function)) : null)));
}

const rangesOf = (lanes) => lanes.reduce((ranges, lane) => {
  const last = ranges[ranges.length - 1];
  if (last && last[1] === lane - 1) last[1] = lane;
  else ranges.push([lane, lane]);
  return ranges;
}, []).map(([first, last]) => (first === last ? first : first + "-" + last)).join(" ");

/// Rows as of cellsOf, of an answer of evaluate.
function rowsOf(answer, banks) {
  let before = "";
  return answer.passes.map((pass) => {
    const cells = Array.from({ length: banks }, (_, bank) => ({ bank, lanes: [] }));
    for (const served of pass.banks) {
      const cell = cells[served.bank];
      cell.word = served.word;
      cell.lanes = cell.lanes.concat(served.lanes);
      cell.several = cell.lanes.length > 1;
    }
    const phase = rangesOf(pass.phase), first = phase !== before;
    before = phase;
    return { phase, first, cells };
  });
}

function bankTable(rows, banks, light) {
  const by_lane = new Map();
  const table = h("table", { class: "banks" }, h("caption", { class: "unseen" },
      "Passes and banks of the access; a number is the lane that the bank serves in that pass"),
    h("thead", null, h("tr", null, h("th", { scope: "col" }, "pass"),
        Array.from({ length: banks }, (_, bank) => h("th", { scope: "col" }, bank)))),
    h("tbody", null, rows.map((row, p) => h("tr", { class: row.first && p > 0 ? "phase" : null },
      h("th", { scope: "row", title: "lanes " + row.phase }, p + 1), row.cells.map((cell) => {
        const served = cell.lanes.length > 0 || cell.several;
        const td = h("td", { class: served ? (cell.several ? "served several" : "served") : "idle" },
          cell.several ? (cell.lanes.length ? cell.lanes.length + "×" : "*") : served ? cell.lanes[0] : null);
        if (served) td.setAttribute("title", (cell.lanes.length > 1 ? "lanes " : "lane ") + cell.lanes.join(", ")
          + (typeof cell.word === "number" ? ", word " + cell.word : ""));
        for (const lane of cell.lanes) by_lane.set(lane, [...(by_lane.get(lane) || []), td]);
        td.addEventListener("mouseenter", () => light(cell.lanes.length ? cell.lanes[0] : null));
        return td;
      })))));
  table.addEventListener("mouseleave", () => light(null));
  return { table, by_lane };
}

/// Words of the field for a hash; docs/json.md lists all.
const HASHES = "none, xor, add, perm:K, bvxor:K1,K2,MASK, bits:0,3,4,5,6, bitxor:0,0^4,1^5,2^6,3^7, swizzle:B,M,S, tma:BYTES, rows:33,66,132,8,16";

/// What could be different: width, padding, hash. Calls `changed` with the change, as evaluate takes it.
function whatIf(site, changed) {
  const unit = Math.max(4, site.width);  // a wide access must stay aligned, so its rows are padded by its width
  const number = (label, value, step) => h("input", { type: "text", "aria-label": label, value, class: "small", autocomplete: "off",
      spellcheck: "false", "data-step": step, onchange: tell });
  const hash = h("input", { type: "text", "aria-label": "bank hash", placeholder: "xor, bvxor:0,5,31 …", title: HASHES, class: "medium", autocomplete: "off",
      spellcheck: "false", onchange: tell });
  const width = h("select", { "aria-label": "bytes per lane", onchange: tell },
    [1, 2, 4, 8, 16].map((bytes) => h("option", { value: bytes, selected: bytes === site.width }, bytes)));
  const row = number("bytes of a row", "128"), pad = number("bytes of padding", "0");
  function tell() {
    for (const [input, least] of [[row, 1], [pad, 0]])
      if (!/^\d+$/.test(input.value.trim()) || Number(input.value) < least)
        return changed({ problem: input.getAttribute("aria-label") + ": '" + input.value + "' is not a whole number from " + least });
    const padding = Number(pad.value) > 0 ? { row_bytes: Number(row.value), bytes: Number(pad.value) } : null;
    changed({ ...(hash.value.trim() ? { hash: hash.value.trim() } : {}),
        ...(Number(width.value) !== site.width ? { width: Number(width.value) } : {}), ...(padding ? { padding } : {}) });
  }
  const set = (text, change) => h("button", { type: "button", onclick: () => {
    change();
    tell();
  } }, text);
  return h("fieldset", { class: "what-if" }, h("legend", null, "What if"),
    h("label", null, "bank hash ", hash), h("label", null, "rows of ", row, " bytes"), h("label", null, "padded by ", pad, " bytes"),
    h("label", null, "bytes a lane ", width),
    h("span", { class: "buttons" }, set("XOR hash", () => (hash.value = "xor")), set(unit > 4 ? "Pad " + unit + " bytes" : "Pad one word", () => (pad.value = String(unit))),
      set("As it ran", () => {
      hash.value = "";
      [row.value, pad.value] = ["128", "0"];
      width.value = String(site.width);
    })));
}

/// @param site  of sitesOf @param scratchpad  the rules of the report
export function accessView(site, scratchpad) {
  const banks = scratchpad.banks;
  const head = h("div", { class: "access-head" },
    h("h3", null, h("code", null, site.op), " at ", h("span", { class: "place", title: site.where.file }, placeText(site.where))),
    h("p", null, "The worst access, in CTA " + whole(site.worst_cta) + ": ", h("strong", null, counted(site.degree_max, "wavefront")),
      ". Mean over " + counted(site.accesses, "access", "accesses") + ": " + fixed(site.degree_mean, 2) + ", ideal " +
      fixed(site.ideal_wavefronts / site.accesses, 2) + ". Pattern: " + patternText(site) + (site.class === "stride" ? " words" : "")
        + "."),
    chain(site.frames));
  const answer = canEvaluate() ? evaluate(site, scratchpad) : null;
  // Accesses in transactions cost more than their kind says, and the report has no word for it: the picture is then the program's.
  const known = answer && !answer.error && answer.wavefronts === site.degree_max;
  const measured = known ? rowsOf(answer, banks) : site.picture ? cellsOf(site.picture, site, scratchpad) : null;
  if (!measured) return h("div", { class: "access" }, head,
    h("p", { class: "quiet" }, "Its picture is not in this file: it has those of the sites with the most conflicts."));
  const status = h("p", { class: "status" }), says = h("p", { class: "says" });
  const scroll = h("div", { class: "scroll banks-scroll", tabindex: "0", role: "region", "aria-label": "lanes and banks" });
  const lanes = h("div", { class: "lanes", role: "toolbar", "aria-label": "lanes" });
  let rows = [], by_lane = new Map();
  const describe = (lane) => {
    const where = rows.flatMap((row, p) => row.cells.filter((cell) => cell.lanes.includes(lane))
      .map((cell) => "pass " + (p + 1) + ", bank " + cell.bank));
    return "Lane " + lane + ": word " + whole(site.pattern.addresses[lane]) + (where.length ? ", served in " + where.join("; ") : "") + ".";
  };
  function light(lane) {
    for (const one of [...scroll.querySelectorAll(".lit"), ...lanes.querySelectorAll(".lit")]) one.classList.remove("lit");
    if (lane === null) return replace(status, "Point at a lane, or move through the lanes with the arrow keys, to see where it is served.");
    for (const one of by_lane.get(lane) || []) one.classList.add("lit");
    const button = lanes.querySelector('[data-lane="' + lane + '"]');
    if (button) button.classList.add("lit");
    replace(status, describe(lane));
  }
  function show(more, sentence) {
    rows = more;
    const drawn = bankTable(rows, banks, light);
    by_lane = drawn.by_lane;
    replace(scroll, drawn.table);
    replace(says, sentence);
    const busy = drawn.table.querySelector("tbody .served");
    if (busy) requestAnimationFrame(() => (scroll.scrollLeft = busy.offsetLeft + busy.offsetWidth - scroll.clientWidth));
    light(null);
  }
  const ran = site.picture ? site.picture.says[0].toUpperCase() + site.picture.says.slice(1) + "." : counted(site.degree_max, "wavefront")
    + ".";
  function changed(change) {
    if (!Object.keys(change).length) return show(measured, ran);
    const answer = change.problem ? { error: change.problem } : evaluate(site, scratchpad, change);
    if (answer.error) {
      [rows, by_lane] = [[], new Map()];
      replace(scroll);
      replace(status);
      return replace(says, h("span", { class: "warn" }, answer.error));
    }
    show(rowsOf(answer, banks), "It would need " + counted(answer.wavefronts, "wavefront") + " in place of " + whole(site.degree_max)
      + "; ideal " + whole(answer.ideal) + ".");
    announce(says.textContent);
  }
  replace(lanes, site.pattern.addresses.map((address, lane) =>
      h("button", { type: "button", class: address === null ? "off" : null, "data-lane": lane, tabindex: "-1",
    disabled: address === null, "aria-label": address === null ? "lane " + lane + " is inactive" : "lane " + lane,
    onfocus: () => light(lane), onmouseenter: () => light(lane), onclick: () => announce(describe(lane)) }, lane)));
  const enabled = [...lanes.children].filter((one) => !one.disabled);
  if (enabled.length) enabled[0].tabIndex = 0;
  lanes.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1, Home: -1000, End: 1000 }[event.key];
    if (!step) return;
    event.preventDefault();
    const at = Math.min(enabled.length - 1, Math.max(0, enabled.indexOf(document.activeElement) + step));
    enabled.forEach((one) => (one.tabIndex = -1));
    enabled[at].tabIndex = 0;
    enabled[at].focus();
    announce(describe(Number(enabled[at].dataset.lane)));
  });
  lanes.addEventListener("mouseleave", () => light(null));
  show(measured, ran);
  return h("div", { class: "access" }, head, known ? whatIf(site, changed) : null, says, scroll,
    h("div", { class: "lanes-row" }, h("span", { class: "label" }, "lanes"), lanes), status,
    h("p", { class: "quiet legend" }, h("span", { class: "key served" }, "7"), " lane 7 is served  ",
      h("span", { class: "key served several" }, "3×"),
      " three lanes share one word  ", h("span", { class: "key idle" }), " the bank is idle"));
}
