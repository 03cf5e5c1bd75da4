// The kernels of a report beside each other, and what they lose.
import { accessView } from "./access.js";
import { h } from "./dom.js";
import { suppressedList } from "./findings.js";
import { glossary } from "./glossary.js";
import { countsAccesses, findingsOf, kernelsOf, sitesOf, sum } from "./model.js";
import { bars } from "./plots.js";
import { dataTable } from "./table.js";
import { counted, duration, extent, fixed, percent, placeText, short, shortName, whole } from "./words.js";

export const secondsOf = (report, cycles) => cycles / (report.config.core_khz * 1000);
export const nameOf = (kernel) => h("span", { class: "name", title: kernel.demangled }, shortName(kernel.demangled));
export const cyclesOf = (kernel) => (kernel.sampled ? kernel.sampled.cycles : kernel.cycles);
const bar = (share, text) => h("span", { class: "meter", style: { "--share": share } }, h("span", { class: "bar" }), h("span", null, text));

/// Issue slots by cause without those of SMs that had no CTA.
export function activeSlots(kernel) {
  const all = sum(Object.values(kernel.stalls)), c = kernel.counters,
    idle = c.sm_cycles ? ((c.sm_cycles - c.active_cycles) * all) / c.sm_cycles : 0;
  return { ...kernel.stalls, no_warp: Math.max(0, kernel.stalls.no_warp - idle) };
}

/// The cause of most slots of active SMs that issue nothing.
export function mainCause(kernel, causes) {
  const slots = activeSlots(kernel), [cause, most] = Object.entries(slots).filter(([cause]) => cause !== "issued")
    .sort((a, b) => b[1] - a[1])[0];
  return most ? (causes[cause] || cause) + " (" + percent(most / sum(Object.values(slots))) + ")" : "–";
}

function tile(value, label, note) {
  return h("div", { class: "tile" }, h("dt", null, label), h("dd", { class: "value" }, value),
    note ? h("dd", { class: "note" }, note) : null);
}

function tiles(model, state, kernels) {
  const report = model.reports[state.report], list = [], so_far = report.partial ? " so far" : "";
  const shared = ["accesses", "wavefronts", "conflicts"].map((key) => sum(kernels.map((kernel) => kernel.shared[key])));
  if (report.findings) {
    const findings = findingsOf(model, state), errors = findings.filter((one) => one.severity === "error").length;
    list.push(tile(whole(errors), errors === 1 ? "error" : "errors"),
      tile(whole(findings.length - errors), findings.length - errors === 1 ? "warning" : "warnings"));
  }
  if (report.config) {
    const cycles = sum(kernels.map(cyclesOf));
    list.push(tile(kernels.length ? short(Math.round(cycles)) : "–", "cycles" + so_far + (report.sampled ? ", estimated" : ""), duration(secondsOf(report, cycles))));
    const active = sum(kernels.map((kernel) => kernel.counters.active_cycles)),
      instructions = sum(kernels.map((kernel) => kernel.counters.machine_instructions));
    list.push(tile(fixed(instructions / active, 2), "IPC of an active SM"));
    const exposed = sum(kernels.map((kernel) => kernel.counters.conflict_cycles_exposed));
    list.push(tile(percent(exposed / active), "of active cycles wait for conflicts"));
  }
  if (countsAccesses(report)) {
    const counted_any = kernels.length > 0, count = (n) => (counted_any ? short(n) : "–");
    list.push(tile(count(shared[0]), "shared accesses" + so_far),
      tile(count(shared[2]), "conflicts" + so_far, shared[1] ? percent(shared[2] / shared[1]) + " of " + short(shared[1]) + " wavefronts wasted"
        : null));
  }
  return h("dl", { class: "tiles" }, list);
}

/// The lines that lose most, as a way into the source.
function worstLines(model, state, kernels, choose) {
  const lines = kernels.flatMap((kernel) => (kernel.lines || []).map((line) => ({ ...line, kernel }))).filter((line) => line.conflicts > 0)
    .sort((a, b) => b.conflicts - a.conflicts).slice(0, 8);
  const all = sum(kernels.map((kernel) => kernel.shared.conflicts));
  if (!lines.length) return h("p", null, kernels.length && !model.reports[state.report].partial
    ? "No access to shared memory had a conflict." : "No conflict was counted in what ran.");
  return h("ol", { class: "worst" }, lines.map((line) => h("li", null,
    line.file ? h("button", { type: "button", class: "link place", title: line.file,
        onclick: () => choose({ tab: "source", file: line.file, line: line.line, site: null, ptx: null }) }, placeText(line))
      : h("span", { class: "quiet" }, "no source line"), " in ", nameOf(line.kernel),
      bar(line.conflicts / all, percent(line.conflicts / all) + ", " + short(line.conflicts)))));
}

/// Of site.degrees: stands for as many wavefronts or more.
const MAX_DEGREE = 129;

/// Warp accesses by the wavefronts that they need; the bad part needs more than is ideal for its instruction on average.
function degrees(model, state) {
  const counts = new Map();
  for (const site of sitesOf(model, state)) {
    const ideal = Math.ceil(site.ideal_wavefronts / site.accesses);
    for (const [key, accesses] of Object.entries(site.degrees || {})) {
      const degree = Number(key), count = counts.get(degree) || { value: 0, bad: 0 };
      count.value += accesses;
      if (degree > ideal) count.bad += accesses;
      counts.set(degree, count);
    }
  }
  if (!counts.size) return null;
  const data = [...counts].sort((a, b) => a[0] - b[0]), all = sum(data.map(([, count]) => count.value));
  const name = (degree) => (degree === MAX_DEGREE ? degree + " or more" : String(degree));
  const told = ([degree, { value, bad }]) => name(degree) + ": " + counted(value, "access", "accesses") + " (" + percent(value / all) + ")"
    + (bad ? ", " + (bad === value ? "all" : whole(bad)) + " above the ideal of their instruction" : "");
  return h("figure", null, h("figcaption", null, "Accesses by the wavefronts that they need"),
    bars(data.map((one) => ({ label: name(one[0]), ...one[1], title: told(one) })),
      { label: "Accesses by the wavefronts that they need. " + data.map(told).join("; "), unit: "wavefronts of an access" }));
}

/// The picture of the site with the most conflicts.
function worstAccess(model, state) {
  const sites = sitesOf(model, state).filter((site) => site.conflicts > 0);
  if (!sites.length) return null;
  const worst = sites.reduce((a, b) => (b.conflicts > a.conflicts ? b : a));
  return h("section", null, h("h2", null, "The access that loses most"), accessView(worst, model.reports[state.report].scratchpad));
}

export function kernelTable(model, state, choose) {
  const report = model.reports[state.report], causes = model.page.causes;
  const rows = report.kernels.map((kernel, at) => ({ kernel, at })), all = report.config ? sum(report.kernels.map(cyclesOf)) : 0;
  const number = (title, key, value, cell) => ({ title, key, number: true, value, cell: cell || ((row) => whole(value(row))) });
  const columns = [
    { title: "kernel", key: "kernel", value: (row) => row.kernel.demangled, name: "kernel",
      cell: (row) => h("button", { type: "button", class: "link name", title: row.kernel.demangled,
          "aria-pressed": String(state.kernel === row.at), onclick: () =>
          choose({ kernel: state.kernel === row.at ? null : row.at, site: null, ptx: null }) }, shortName(row.kernel.demangled)) },
    number("launches", "launches", (row) => row.kernel.launches),
  ];
  if (report.findings) {
    const of = (row, severity) => report.findings.filter((one) => one.kernel === row.kernel.name && one.severity === severity).length;
    columns.push(number("errors", "errors", (row) => of(row, "error")), number("warnings", "warnings", (row) => of(row, "warning")));
  }
  if (report.config) columns.push(number("cycles", "cycles", (row) => cyclesOf(row.kernel),
      (row) => [whole(Math.round(cyclesOf(row.kernel))), row.kernel.partial_launches ? " (stopped)" : ""]),
    number("time", "time", (row) => cyclesOf(row.kernel), (row) =>
      bar(cyclesOf(row.kernel) / all, duration(secondsOf(report, cyclesOf(row.kernel))))),
    number("IPC", "ipc", (row) => row.kernel.counters.machine_instructions / row.kernel.counters.active_cycles,
      (row) => fixed(row.kernel.counters.machine_instructions / row.kernel.counters.active_cycles, 2)),
    number("occupancy", "occupancy", (row) => row.kernel.counters.warp_cycles / row.kernel.counters.active_cycles,
      (row) => fixed(row.kernel.counters.warp_cycles / row.kernel.counters.active_cycles, 1) + " of " + report.config.max_warps),
    { title: "mostly held back by", key: "cause", name: "cause", value: (row) => mainCause(row.kernel, causes),
      cell: (row) => h("span", { title: mainCause(row.kernel, causes) }, mainCause(row.kernel, causes)) });
  if (countsAccesses(report)) columns.push(number("accesses", "accesses", (row) => row.kernel.shared.accesses),
    number("wavefronts", "wavefronts", (row) => row.kernel.shared.wavefronts),
    number("ideal", "ideal", (row) => row.kernel.shared.ideal_wavefronts),
    number("conflicts", "conflicts", (row) => row.kernel.shared.conflicts),
    number("wasted", "wasted", (row) => (row.kernel.shared.wavefronts ? row.kernel.shared.conflicts / row.kernel.shared.wavefronts : 0),
      (row) => (!row.kernel.shared.wavefronts ? "–" : report.config ? percent(row.kernel.shared.conflicts / row.kernel.shared.wavefronts)
        : bar(row.kernel.shared.conflicts / row.kernel.shared.wavefronts,
          percent(row.kernel.shared.conflicts / row.kernel.shared.wavefronts)))));
  return dataTable(columns, { caption: "Kernels", rows, sort: report.findings ? "errors" : report.config ? "cycles" : "conflicts",
      selected: (row) => row.at === state.kernel, rowHeight: 30, name: "kernels" }).element;
}

function facts(kernel) {
  const list = [["Whole name", kernel.demangled], ["In the PTX", kernel.name], ["Source", kernel.file || "–"],
    ["Launches", whole(kernel.launches)],
    ["Grid × block", extent(kernel.grid) + " CTAs of " + extent(kernel.block) + " threads"
      + (kernel.launch_shapes_vary ? " at first; others differ" : "")],
    ["Registers", whole(kernel.registers) + " a thread (" + (kernel.registers_from === "estimate" ? "estimated" : kernel.registers_from)
      + ")"],
    ["Instructions", whole(kernel.warp_instructions) + " warp, " + whole(kernel.thread_instructions) + " thread"],
    ["CTAs ran", kernel.parallel ? "in parallel" : "in a fixed order: " + kernel.why_serial]];
  return h("details", null, h("summary", null, nameOf(kernel)),
    h("dl", { class: "facts" }, list.map(([key, value]) => [h("dt", null, key), h("dd", null, value)])));
}

export function overview(model, state, choose) {
  const kernels = kernelsOf(model, state), report = model.reports[state.report];
  return [
    tiles(model, state, kernels),
    h("h2", null, "Kernels"), kernelTable(model, state, choose),
    countsAccesses(report) && h("div", { class: "columns" },
      h("section", null, h("h2", null, "Lines that lose most to conflicts"), worstLines(model, state, kernels, choose),
        degrees(model, state)),
      worstAccess(model, state)),
    suppressedList(report),
    glossary(report), h("h2", null, "Launches and names"), kernels.slice(0, 100).map(facts),
  ];
}
