// All shared-memory instructions, sortable; the chosen one with its picture.
import { accessView } from "./access.js";
import { announce, h, replace } from "./dom.js";
import { sitesOf } from "./model.js";
import { dataTable } from "./table.js";
import { counted, fixed, patternText, placeText, shortName, whole } from "./words.js";

/// What a filter looks at: all names of a site, its inlined calls among them.
const searched = (site) => [site.where.file + ":" + site.where.line, site.op, site.class, site.kernel.demangled,
  ...(site.frames || []).map((frame) => frame.file + ":" + frame.line + " " + (frame.function || ""))].join("\n").toLowerCase();

export function sitesView(model, state, choose) {
  const all = sitesOf(model, state);
  if (!all.length) return h("p", { class: "quiet" }, "No instruction accessed shared memory.");
  const scratchpad = model.reports[state.report].scratchpad, several = new Set(all.map((site) => site.kernel)).size > 1;
  const panel = h("div", { class: "side", id: "site-panel" });
  let chosen = all.find((site) => site.id === state.site) || all.reduce((a, b) => (b.conflicts > a.conflicts ? b : a));
  const number = (title, key, digits) => ({ title, key, number: true, value: (site) => site[key],
      cell: (site) => (digits ? fixed(site[key], digits) : whole(site[key])) });
  const pick = (site, focus) => {
    chosen = site;
    state.site = site.id;
    table.refresh();
    if (focus) table.focus(site);
    show();
  };
  const columns = [
    { title: "place", key: "place", name: "place", value: (site) => placeText(site.where).replace(/\d+$/, (n) => n.padStart(7, "0")),
      cell: (site) => h("button", { type: "button", class: "link", title: site.where.file || null,
          onclick: (event) => { event.stopPropagation(); pick(site, true); } }, placeText(site.where)) },
    several && { title: "kernel", key: "kernel", name: "kernel", value: (site) => site.kernel.demangled,
      cell: (site) => h("span", { class: "name", title: site.kernel.demangled }, shortName(site.kernel.demangled)) },
    { title: "instruction", key: "op", value: (site) => site.op, cell: (site) => h("code", null, site.op) },
    number("PTX line", "ptx_line"), number("accesses", "accesses"), number("wavefronts", "wavefronts"), number("conflicts", "conflicts"),
    number("mean", "degree_mean", 2), number("worst", "degree_max"),
    { title: "pattern", key: "class", value: patternText, cell: (site) => patternText(site) },
  ].filter(Boolean);
  const table = dataTable(columns, { caption: "Shared-memory instructions", rows: all, sort: "conflicts", rowHeight: 26, name: "sites",
      onrow: (site) => pick(site, false), selected: (site) => site === chosen });
  const count = h("span", { class: "quiet" }, counted(all.length, "instruction"));
  const filter = h("input", { type: "search", id: "filter", spellcheck: "false", autocomplete: "off",
      placeholder: "file, function, instruction …", value: state.filter || "", oninput: apply });
  function apply() {
    state.filter = filter.value;
    const word = filter.value.trim().toLowerCase();
    const left = word ? all.filter((site) => searched(site).includes(word)) : all;
    table.set(left);
    replace(count, counted(left.length, "instruction") + (word ? " of " + whole(all.length) : ""));
    announce(counted(left.length, "instruction"));
  }
  function show() {
    replace(panel, chosen.where.file ? h("p", null, h("button",
          { type: "button", onclick: () => choose({ tab: "source", file: chosen.where.file, line: chosen.where.line, site: chosen.id,
              ptx: chosen.ptx_line }) }, "Show in source")) : null, accessView(chosen, scratchpad));
  }
  show();
  if (state.filter) apply();
  return [h("div", { class: "tools" }, h("label", null, "Filter ", filter), count), h("div", { class: "split even" }, table.element, panel)];
}
