// Where simulated cycles went: issue slots by cause, over launches and by line; occupancy, memory and the roofline.
import { h } from "./dom.js";
import { kernelsOf, sum } from "./model.js";
import { roofline, stacked } from "./plots.js";
import { dataTable } from "./table.js";
import { duration, fixed, percent, placeText, short, shortName, whole, counted } from "./words.js";
import { activeSlots, cyclesOf, mainCause, nameOf, secondsOf } from "./overview.js";

/// Causes of the kernels that are shown, the largest first, with the colour that each keeps in all pictures of the page.
function causesOf(kernels) {
  const totals = {};
  const active = {};
  for (const kernel of kernels) {
    for (const [sums, slots_of] of [[totals, kernel.stalls], [active, activeSlots(kernel)]])
      for (const [cause, slots] of Object.entries(slots_of)) sums[cause] = (sums[cause] || 0) + slots;
  }
  const rest = Object.entries(totals).filter(([cause, slots]) => slots > 0 && cause !== "issued" && cause !== "no_warp")
    .sort((a, b) => b[1] - a[1]).map((one) => one[0]);
  return { totals, active, keys: ["issued", ...rest, "no_warp"].filter((cause) => totals[cause] > 0) };
}

/// A legend that is also the table of the numbers.
function slotTable(totals, active, keys, meanings) {
  const all = sum(keys.map((key) => totals[key])), of_active = sum(keys.map((key) => active[key]));
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "issue slots" },
    h("table", { class: "plain slots" }, h("caption", null, "Every issue slot of every cycle has one use."),
    h("thead", null, h("tr", null, ["use", "slots", "of active SMs", "of the chip"].map((title, k) =>
          h("th", { scope: "col", class: k ? "number" : null }, title)))),
    h("tbody", null, keys.map((key) => h("tr", null, h("th", { scope: "row" }, h("span", { class: "swatch cause-" + key }),
            meanings[key] || key), h("td", { class: "number" }, whole(totals[key])),
      h("td", { class: "number" }, h("span", { class: "meter", style: { "--share": active[key] / of_active } },
          h("span", { class: "bar cause-" + key }), h("span", null, percent(active[key] / of_active)))),
      h("td", { class: "number" }, percent(totals[key] / all)))))));
}

function overTime(model, state, kernels, keys) {
  const launches = kernels.flatMap((kernel) => kernel.timed_launches || []);
  const left_out = sum(kernels.map((kernel) => kernel.launches_left_out || 0));
  if (launches.length < 2) return null;
  const step = Math.ceil(launches.length / 250), columns = [];
  for (let at = 0; at < launches.length; at += step) {
    const column = {};
    for (const launch of launches.slice(at, at + step))
      for (const [cause, slots] of Object.entries(launch.stalls)) column[cause] = (column[cause] || 0) + slots;
    columns.push(column);
  }
  return h("figure", null, h("figcaption", null, "Issue slots with a warp to issue from, by launch"
      + (kernels.length > 1 ? ", kernel after kernel" : "") + (left_out ? "; " + whole(left_out) + " later launches are not kept one by one"
        : "")),
    stacked(columns, keys.filter((key) => key !== "no_warp"),
      { label: "Issue slots by launch and cause; the table beside it has their sums",
        axis: step > 1 ? "group of " + step + " launches" : "launch", meanings: model.page.causes }));
}

/// What limits the truth of a launch's slots over time.
const partOf = (launch) => (launch.partial ? ", until it was stopped" : launch.sampled ? ", the simulated part" : "");

/// The longest launch whose slots over time were kept, from its beginning to its end. The last bin, which is shorter, counts as if it were
/// as long as the others.
function withinLaunch(model, kernels, keys) {
  const kept = kernels.flatMap((kernel) => (kernel.timed_launches || []).map((launch, at) => ({ kernel, launch, at })))
    .filter((one) => one.launch.over_time && one.launch.over_time.bins > 1);
  if (!kept.length) return null;
  const { kernel, launch, at } = kept.reduce((a, b) => (b.launch.cycles > a.launch.cycles ? b : a));
  const { bins, bin_cycles, stalls } = launch.over_time, last = bin_cycles / (launch.cycles - (bins - 1) * bin_cycles);
  const shown = keys.filter((key) => key !== "no_warp" && stalls[key]);
  const columns = Array.from({ length: bins }, (_, k) =>
    Object.fromEntries(shown.map((key) => [key, stalls[key][k] * (k + 1 === bins ? last : 1)])));
  const first = columns.findIndex((one) => sum(Object.values(one)) > 0), empty = Math.max(0, first), third = Math.ceil(bins / 3);
  const most = (begin, end) => {
    const [key, slots] = shown.map((key) => [key, sum(stalls[key].slice(begin, end))]).reduce((a, b) => (b[1] > a[1] ? b : a), ["", 0]);
    return slots ? model.page.causes[key] || key : "none";
  };
  return h("figure", null, h("figcaption", null, "Issue slots with a warp to issue from, over time, in launch " + whole(at + 1) + " of "
      + shortName(kernel.demangled) + (kept.length > 1 ? ", the longest of the " + kept.length + " that were kept" : "") + partOf(launch)),
    empty > 0 && h("p", { class: "quiet" }, "No SM has a warp in the first " + whole(empty * bin_cycles) + " cycles: the launch is under way."),
    stacked(columns, shown, { empty, label: "Issue slots of a launch over time. Most of those with a warp are: at first " + most(0, third)
        + "; then " + most(third, 2 * third) + "; at last " + most(2 * third), axis: "cycle", scale: bin_cycles,
        meanings: model.page.causes }));
}

function lineTable(model, state, kernels, choose) {
  // Of a small launch most slots are those of SMs without a warp: shares of all slots would say nothing.
  const all = sum(kernels.map((kernel) => sum(Object.values(kernel.stalls)) - kernel.stalls.no_warp));
  const rows = kernels.flatMap((kernel) => (kernel.timed_lines || [])
    .map((line) => ({ ...line, kernel, slots: sum(Object.values(line.stalls)) })));
  if (!rows.length) return null;
  const cause = (row) => { const top = Object.entries(row.stalls).sort((a, b) => b[1] - a[1])[0];
    return top && top[1] ? (model.page.causes[top[0]] || top[0]) + " (" + percent(top[1] / row.slots) + ")" : "–"; };
  const number = (title, key, value, cell) => ({ title, key, number: true, value, cell: cell || ((row) => whole(value(row))) });
  return dataTable([
    { title: "line", key: "line", name: "place", value: (row) => placeText(row),
      cell: (row) => (row.file ? h("button", { type: "button", class: "link", title: row.file,
            onclick: () => choose({ tab: "source", metric: "stalls", file: row.file, line: row.line, site: null, ptx: null }) },
          placeText(row)) : placeText(row)) },
    kernels.length > 1 && { title: "kernel", key: "kernel", name: "kernel", value: (row) => row.kernel.demangled,
      cell: (row) => nameOf(row.kernel) },
    number("slots waited", "slots", (row) => row.slots), number("of slots with a warp", "share", (row) => row.slots,
      (row) => h("span", { class: "meter", style: { "--share": row.slots / all } }, h("span", { class: "bar" }),
        h("span", null, percent(row.slots / all)))),
    { title: "mostly for", key: "cause", name: "cause", value: cause, cell: (row) => h("span", { title: cause(row) }, cause(row)) }, number("issued", "issued", (row) => row.issued),
    number("conflict cycles", "conflicts", (row) => row.conflict_cycles),
    number("exposed", "exposed", (row) => row.conflict_cycles_exposed),
  ].filter(Boolean), { caption: "Lines that waited", rows, sort: "slots", name: "lines" }).element;
}

function occupancy(report, kernel) {
  const launch = (kernel.timed_launches || [])[0], mean = kernel.counters.warp_cycles / kernel.counters.active_cycles,
    most = report.config.max_warps;
  if (!launch) return null;
  const fits = launch.ctas_per_sm * launch.warps_per_cta;
  return h("tr", null, h("th", { scope: "row" }, nameOf(kernel)),
    h("td", { class: "number" }, h("span", { class: "meter", style: { "--share": mean / most } }, h("span", { class: "bar" }),
        h("span", null, fixed(mean, 1) + " of " + most))),
    h("td", { class: "number" }, whole(fits) + " (" + counted(launch.ctas_per_sm, "CTA") + " of " + counted(launch.warps_per_cta, "warp")
      + ")"), h("td", null, launch.limited_by), h("td", { class: "number" }, whole(kernel.registers)),
    h("td", { class: "number" }, percent(kernel.counters.active_cycles / kernel.counters.sm_cycles)));
}

function memory(report, kernel) {
  const c = kernel.counters, seconds = secondsOf(report, c.cycles), config = report.config;
  const bytes = (c.dram_reads + c.dram_writes) * config.dram_burst_bytes, peak = dramPeak(config);
  const hits = (hit, all) => (all ? percent(hit / all) : "–");
  return h("tr", null, h("th", { scope: "row" }, nameOf(kernel)),
    h("td", { class: "number" }, percent(c.shared_busy_cycles / c.active_cycles)),
    h("td", { class: "number" }, whole(c.conflict_cycles_exposed)), h("td", { class: "number" }, whole(c.conflict_cycles_hidden)),
    h("td", { class: "number" }, hits(c.l1_load_hits, c.l1_loads)), h("td", { class: "number" }, hits(c.l2_read_hits, c.l2_reads)),
    h("td", { class: "number" }, fixed(bytes / seconds / 1e9, 1)), h("td", { class: "number" }, percent(bytes / seconds / peak)));
}

const dramPeak = (config) => (config.dram_channels * config.dram_burst_bytes * config.dram_khz * 1000) / config.dram_burst_cycles;
const table = (caption, titles, rows) => h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
  h("table", { class: "plain wide" }, h("caption", null, caption),
    h("thead", null, h("tr", null, titles.map((title, k) => h("th", { scope: "col", class: k ? "number" : null }, title)))),
    h("tbody", null, rows)));

function roof(report, kernels) {
  const config = report.config, hertz = config.core_khz * 1000, peak = config.sms * config.schedulers * config.issue_width * hertz;
  const wide = report.scratchpad.banks * report.scratchpad.bank_bytes;
  const roofs = [{ name: "DRAM " + short(dramPeak(config) / 1e9) + " GB/s", peak: dramPeak(config) },
    { name: "shared memory " + short((config.sms * wide * report.scratchpad.ports * hertz) / 1e9) + " GB/s",
      peak: config.sms * wide * report.scratchpad.ports * hertz }];
  const points = kernels.slice(0, 24).flatMap((kernel) => {
    const c = kernel.counters, speed = c.machine_instructions / secondsOf(report, c.cycles), name = shortName(kernel.demangled);
    const bytes = [(c.dram_reads + c.dram_writes) * config.dram_burst_bytes, c.shared_wavefronts * wide];
    return bytes.map((of, roof) => ({ name: kernels.length > 8 ? "" : name, roof, intensity: c.machine_instructions / of, speed,
          title: name + ": " + short(speed) + " warp instructions/s, " + fixed(c.machine_instructions / of, 3) + " per byte of "
          + (roof ? "shared memory" : "DRAM") })).filter((one) => Number.isFinite(one.intensity) && one.speed > 0);
  });
  if (!points.length) return null;
  const without = kernels.slice(0, 24).filter((kernel) => !(kernel.counters.dram_reads + kernel.counters.dram_writes))
    .map((kernel) => shortName(kernel.demangled));
  return h("figure", null, h("figcaption", null, "Roofline of instructions"),
    h("p", { class: "quiet" },
      "◆ by bytes of DRAM, ■ by bytes that the passes over the banks could have moved. A kernel at its roof uses all of that memory's "
      + "bandwidth: it gets faster only if it moves fewer bytes." + (without.length ? " No DRAM traffic, so no ◆: " + without.join(", ") + "." : "")),
    roofline(points, roofs, peak, { label: "Roofline: " + points.map((one) => one.title).join("; ") }));
}

export function cyclesView(model, state, choose) {
  const report = model.reports[state.report], kernels = kernelsOf(model, state).filter((kernel) => kernel.counters);
  if (!kernels.length) return h("p", { class: "quiet" }, "No launch was simulated.");
  const { totals, active, keys } = causesOf(kernels);
  return [
    h("div", { class: "columns" }, h("section", null, h("h2", null, "Where issue slots go"),
        slotTable(totals, active, keys, model.page.causes)), h("section", null, withinLaunch(model, kernels, keys), overTime(model, state, kernels, keys),
        roof(report, kernels))),
    h("h2", null, "Lines that waited"), lineTable(model, state, kernels, choose) || h("p", { class: "quiet" }, "No line was timed."),
    h("h2", null, "Occupancy and memory"),
    table("Occupancy", ["kernel", "warps on an SM, mean", "that fit", "limited by", "registers", "SM cycles active"],
      kernels.map((kernel) => occupancy(report, kernel))),
    table("Memory", ["kernel", "shared memory busy", "conflict cycles exposed", "hidden", "L1 loads hit", "L2 reads hit", "DRAM GB/s",
        "of its peak"], kernels.map((kernel) => memory(report, kernel))),
  ];
}

/// Kernels of any of the reports, each with what it is on each GPU; nothing where it did not run. Kernels of one name are matched in order.
function kernelsOfAll(reports) {
  const all = new Map();
  reports.forEach((report, r) => {
    const seen = new Map();
    for (const kernel of report.kernels) {
      const which = seen.get(kernel.name) || 0, key = which + " " + kernel.name;
      seen.set(kernel.name, which + 1);
      if (!all.has(key)) all.set(key, new Array(reports.length).fill(null));
      all.get(key)[r] = kernel;
    }
  });
  return [...all.values()];
}

function comparedKernel(model, here, choose) {
  const timed = here.map((one) => one && one.counters), first = here.find(Boolean);
  const seconds = here.map((one, r) => (timed[r] ? secondsOf(model.reports[r], cyclesOf(one)) : NaN));
  const slowest = Math.max(...seconds.filter(Number.isFinite));
  // A launch that was stopped, or that another GPU did not make, has done less work: its time compares with nothing.
  const ended = here.map((one, r) => timed[r] && !one.partial_launches), base = ended.indexOf(true);
  const speedup = (one, r) => (ended[r] && one.launches === here[base].launches ? fixed(seconds[base] / seconds[r], 2) + " ×" : "–");
  const name = (r) => h("button", { type: "button", class: "link", title: model.reports[r].gpu,
    onclick: () => choose({ report: r, kernel: null, tab: "cycles", site: null, ptx: null }) }, model.gpus[r]);
  const cells = (one, r) => [
    h("td", { class: "number" }, h("span", { class: "meter", style: { "--share": seconds[r] / slowest } }, h("span", { class: "bar" }),
      h("span", null, duration(seconds[r])))),
    h("td", { class: "number" }, whole(Math.round(cyclesOf(one)))), h("td", { class: "number" }, speedup(one, r)),
    h("td", { class: "number" }, fixed(one.counters.machine_instructions / one.counters.active_cycles, 2)),
    h("td", { class: "number" }, whole(one.shared.conflicts)),
    h("td", null, mainCause(one, model.page.causes) + (one.partial_launches ? "; stopped before its end" : "")),
  ];
  const titles = ["GPU", "time", "cycles", "speedup", "IPC", "conflicts", "mostly held back by"];
  return h("section", null, h("h2", null, nameOf(first)), h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "GPUs" },
    h("table", { class: "plain wide" },
      h("thead", null, h("tr", null, titles.map((title, at) =>
            h("th", { scope: "col", class: at > 0 && at < 6 ? "number" : null }, title)))),
      h("tbody", null, here.map((one, r) => h("tr", null, h("th", { scope: "row" }, name(r)),
        timed[r] ? cells(one, r) : h("td", { colspan: "6", class: "quiet" }, "did not run")))))));
}

/// The same kernels on several GPUs.
export const compareView = (model, state, choose) => kernelsOfAll(model.reports).map((here) => comparedKernel(model, here, choose));
