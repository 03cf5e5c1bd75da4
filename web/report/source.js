// The source with a margin of heat and numbers; beside it what the chosen line does, and its PTX.
import { accessView } from "./access.js";
import { h, replace, visibleLine } from "./dom.js";
import { byFile, metricsOf, ptxAround, sitesOf, kernelsOf, findingsOf, placeOf, sum } from "./model.js";
import { dataTable } from "./table.js";
import { baseName, counted, fixed, patternText, percent, placeText, short, shortName, whole, withoutCommonFolder } from "./words.js";
import { findingCard } from "./findings.js";
import { arrayCard } from "./fix.js";

const sameLine = (a, b) => a && b && a.file === b.file && a.line === b.line;

/// Instructions of the chosen line: shared accesses first, then what was timed.
function lineDetails(model, state, line, choose) {
  const here = sitesOf(model, state).filter((site) => sameLine(site.where, line)).sort((a, b) => b.conflicts - a.conflicts || b.wavefronts - a.wavefronts);
  const timed = kernelsOf(model, state).flatMap((kernel) => (kernel.timed_lines || []).filter((one) => sameLine(one, line)).map((one) => ({ ...one, kernel })));
  const l1 = kernelsOf(model, state).flatMap((kernel) => (kernel.l1 || []).filter((one) => sameLine(placeOf(one, state), line)));
  const findings = findingsOf(model, state).filter((one) => [one.access, one.earlier].some((access) => access && sameLine(placeOf(access, state), line)));
  const scratchpad = model.reports[state.report].scratchpad, causes = model.page.causes;
  const chosen = here.find((site) => site.id === state.site) || here[0];
  const arrays = kernelsOf(model, state).flatMap((kernel) => (kernel.arrays || []).filter((array) => array.lines.some((one) => sameLine(one, line))).map((array) => arrayCard(kernel, array, choose)));
  return [
    arrays,
    findings.map((finding) => findingCard(model, state, finding, choose)),
    timed.map((one) => h("section", { class: "block" }, h("h3", null, "Issue slots waited here"),
      h("p", { class: "quiet" }, counted(one.issued, "warp instruction") + " issued" + (one.conflict_cycles ? "; " + counted(one.conflict_cycles, "cycle") + " of conflicts, " + whole(one.conflict_cycles_exposed) + " exposed" : "")),
      stallList(one.stalls, causes))),
    here.length > 0 && h("section", { class: "block" }, h("h3", null, "Shared-memory instructions"), h("table", { class: "plain" },
      h("thead", null, h("tr", null, ["PTX line", "instruction", "accesses", "mean", "worst", "conflicts", "pattern"].map((title, k) => h("th", { scope: "col", class: k !== 1 && k !== 6 ? "number" : null }, title)))),
      h("tbody", null, here.slice(0, 60).map((site) => h("tr", { class: site === chosen ? "selected" : null },
        h("td", { class: "number" }, h("button", { type: "button", class: "link", "aria-pressed": String(site === chosen), onclick: () => choose({ ...line, site: site.id, ptx: site.ptx_line }) }, whole(site.ptx_line))),
        h("td", null, h("code", null, site.op), site.joined > 1 ? " × " + site.joined : null), h("td", { class: "number" }, whole(site.accesses)),
        h("td", { class: "number" }, fixed(site.degree_mean, 2)), h("td", { class: "number" }, whole(site.degree_max)),
        h("td", { class: "number" }, whole(site.conflicts)), h("td", null, patternText(site)))))),
      here.length > 60 && h("p", { class: "quiet" }, "… and " + (here.length - 60) + " more: see Sites.")),
    l1.length > 0 && h("section", { class: "block" }, h("h3", null, "Global memory, if it hits the first-level cache"), h("table", { class: "plain" },
      h("thead", null, h("tr", null, ["instruction", "accesses", "cycles", "ideal", "sectors", "ideal"].map((title, k) => h("th", { scope: "col", class: k ? "number" : null }, title)))),
      h("tbody", null, l1.map((one) => h("tr", null, h("td", null, h("code", null, one.op)),
        [one.accesses, one.cycles, one.ideal_cycles, one.sectors, one.ideal_sectors].map((n) => h("td", { class: "number" }, whole(n)))))))),
    chosen && accessView(chosen, scratchpad),
    !here.length && !timed.length && !l1.length && !findings.length && !arrays.length && h("p", { class: "quiet" }, "Nothing was measured on this line."),
  ];
}

export function stallList(stalls, causes) {
  const entries = Object.entries(stalls).filter(([, slots]) => slots > 0).sort((a, b) => b[1] - a[1]), all = sum(entries.map((one) => one[1]));
  return h("ul", { class: "bars" }, entries.map(([cause, slots]) => h("li", { style: { "--share": slots / all } },
    h("span", { class: "bar" }), h("span", { class: "number" }, percent(slots / all)), " ", causes[cause] || cause, h("span", { class: "quiet" }, " " + short(slots)))));
}

/// The PTX of the kernel around a line; instructions of `line` are marked, and lead back to their source.
function ptxView(model, state, line, choose) {
  const instructions = kernelsOf(model, state).flatMap((kernel) => [...(kernel.sites || []), ...(kernel.timed_instructions || []), ...(kernel.l1 || [])]
    .map((one) => ({ kernel, ptx: one.ptx_line, where: placeOf(one, state), op: one.op })));
  for (const finding of findingsOf(model, state)) {
    const kernel = kernelsOf(model, state).find((one) => one.name === finding.kernel);
    for (const access of [finding.access, finding.earlier]) if (kernel && access) instructions.push({ kernel, ptx: access.ptx_line, where: placeOf(access, state), op: access.op });
  }
  const here = instructions.filter((one) => sameLine(one.where, line));
  const target = here.find((one) => one.ptx === state.ptx) || here[0];
  if (!target) return h("p", { class: "quiet" }, "Choose a line with numbers in its margin to see its PTX.");
  const part = ptxAround(model, target.kernel, target.ptx);
  if (!part) return h("p", { class: "quiet" }, "The PTX of this kernel is not in this file.");
  const of_kernel = new Map(instructions.filter((one) => one.kernel === target.kernel).map((one) => [one.ptx, one]));
  const marked = new Set(here.map((one) => one.ptx));
  const rows = part.lines.map((text, k) => ({ number: part.first_line + k, text }));
  const table = dataTable([
    { title: "line", number: true, name: "gutter", cell: (row) => of_kernel.has(row.number) && of_kernel.get(row.number).where.file
      ? h("button", { type: "button", class: "link", "aria-label": "PTX line " + row.number + ", source " + placeText(of_kernel.get(row.number).where),
        onclick: () => choose({ ...of_kernel.get(row.number).where, ptx: row.number }) }, row.number)
      : row.number },
    { title: "PTX", name: "code", cell: (row) => visibleLine(row.text) },
  ], { caption: "PTX of " + shortName(target.kernel.demangled), rows, rowHeight: 20, name: "listing ptx", rowClass: (row) => (marked.has(row.number) ? "marked" : ""), printed: 0 });
  requestAnimationFrame(() => table.show(rows[target.ptx - part.first_line]));
  return h("div", null, h("p", { class: "quiet" }, counted(marked.size, "instruction") + " of this line in ", h("span", { class: "name", title: target.kernel.demangled }, shortName(target.kernel.demangled))), table.element);
}

const page_has_ptx = (model) => model.ptx.size > 0 || Object.keys(model.page.causes).length > 0 || model.page.pictures.length > 0;

export function sourceView(model, state, choose) {
  const metrics = metricsOf(model, state), metric = metrics.find((one) => one.key === state.metric) || metrics[0];
  const sources = model.sources;
  const files = byFile(metric ? metric.items : [], [...sources.keys()]);
  if (!files.length) return h("p", { class: "quiet" }, "No instruction of this report has a place in a source file. Build the program with nvcc -lineinfo.");
  const file = files.find((one) => one.file === state.file) || files[0];
  const names = withoutCommonFolder(files.map((one) => one.file));
  const lines = sources.get(file.file), all = metric && metric.plain ? 0 : sum(files.map((one) => one.total));
  const values = file.lines, most = Math.max(0, ...values.values());
  const hot = [...values].filter(([, value]) => value > 0).sort((a, b) => b[1] - a[1]).map(([line]) => line);
  const chosen = state.file === file.file && state.line ? state.line : hot[0] || 1;
  const texts = new Map(kernelsOf(model, state).flatMap((kernel) => kernel.lines || []).filter((one) => one.file === file.file && one.text).map((one) => [one.line, one.text]));
  const rows = lines ? lines.map((text, k) => ({ number: k + 1, text })) : [...values.keys()].sort((a, b) => a - b).map((number) => ({ number, text: texts.get(number) || "" }));
  const side = h("div", { class: "side" });
  const go = (place) => choose({ tab: "source", ...place });
  const pick = (number) => {
    if (number === undefined) return;
    go({ file: file.file, line: number, site: null, ptx: null });
  };
  const table = dataTable([
    { title: metric ? metric.label : "", number: true, name: "heat", cell: (row) => (values.get(row.number) ? [h("span", { class: "value" }, short(values.get(row.number))), " ", h("span", { class: "share" }, all ? percent(values.get(row.number) / all) : "")] : "") },
    { title: "line", number: true, name: "gutter", cell: (row) => h("button", { type: "button", class: "link", "aria-label": "line " + row.number + (values.get(row.number) ? ", " + counted(values.get(row.number), metric.unit, metric.unit.endsWith("s") ? metric.unit + "es" : undefined) : ""),
      onclick: (event) => { event.stopPropagation(); pick(row.number); } }, row.number) },
    { title: baseName(file.file), name: "code", cell: (row) => visibleLine(row.text) },
  ], { caption: "Source of " + baseName(file.file), rows, rowHeight: 20, name: "listing source", header: 1, onrow: (row) => pick(row.number), selected: (row) => row.number === chosen,
    printed: 3000, rowClass: (row) => (values.get(row.number) ? "hot" : [...hot].some((line) => Math.abs(line - row.number) <= 3) ? "near" : "far"),
    style: (row, element) => values.get(row.number) && element.style.setProperty("--heat", metric.plain ? "0.2" : (values.get(row.number) / most).toFixed(3)) });
  const nearest = (step) => {
    const at = hot.indexOf(chosen);
    return at < 0 ? hot[0] : hot[(at + step + hot.length) % hot.length];
  };
  const line = { file: file.file, line: chosen };
  replace(side, lineDetails(model, state, line, go),
    page_has_ptx(model) && h("section", { class: "block" }, h("h3", null, "PTX of this line"), ptxView(model, state, line, go)));
  requestAnimationFrame(() => {
    table.show(rows.find((row) => row.number === chosen));
    if (state.keep === "source") table.focus(rows.find((row) => row.number === chosen));
  });
  return [
    h("div", { class: "tools" },
      h("label", null, "File ", h("select", { id: "file", onchange: (event) => choose({ file: files[Number(event.target.value)].file, line: null, site: null, ptx: null }) },
        files.map((one, k) => h("option", { value: k, selected: one === file, title: one.file }, names[k] + (one.total ? "  " + short(one.total) + (all ? " (" + percent(one.total / all) + ")" : "") : ""))))),
      metrics.length > 1 && h("label", null, "Margin ", h("select", { id: "metric", onchange: (event) => choose({ metric: event.target.value }) },
        metrics.map((one) => h("option", { value: one.key, selected: one === metric }, one.label)))),
      h("span", { class: "buttons" }, h("button", { type: "button", id: "hotter", disabled: !hot.length, onclick: () => pick(nearest(-1)) }, "Hotter line"),
        h("button", { type: "button", id: "cooler", disabled: !hot.length, onclick: () => pick(nearest(1)) }, "Next hot line")),
      h("span", { class: "quiet" }, hot.length ? "line " + chosen + (hot.includes(chosen) ? " is " + (hot.indexOf(chosen) + 1) + " of " + hot.length + " by " + metric.label : "") : "")),
    h("p", { class: "path quiet" }, file.file),
    !lines && h("p", { class: "warn" }, "The text of this file is not in this report: it could not be read where the report was made. Lines with numbers are shown without it."),
    h("div", { class: "split" }, table.element, side),
  ];
}
