// What `fix` did: the kernels as they were and with each remedy, the arrays, and what to paste into the source.
import { h } from "./dom.js";
import { kernelsOf } from "./model.js";
import { bars } from "./plots.js";
import { counted, fixed, percent, placeText, shortName, whole } from "./words.js";

const FORMS = { original: "as it is", hash: "bank hash", padding: "padding" };
const arrayName = (array) => array.source_name || "dynamic shared memory";

/// Said first: what the report comes to.
export function fixSays(report) {
  const words = {
    "fixed-and-proved": "Rewritten, and proved: the rewritten program left the same in memory, wrote the same output and ended with the same status, bit for bit.",
    "nothing-to-fix": "No kernel had bank conflicts.",
    "left-alone": "Some kernels had bank conflicts, and nothing was rewritten; each says why.",
    refused: "Nothing was rewritten.",
  };
  return words[report.status] || report.status;
}

function formTable(kernel) {
  const forms = Object.entries(kernel.forms).filter(([, form]) => form),
    has = (key) => forms.some(([, form]) => form[key] !== null && form[key] !== undefined);
  const code = forms.some(([, form]) => form.machine_code);
  const columns = [["wavefronts", (form) => whole(form.shared.wavefronts)], ["conflicts", (form) => whole(form.shared.conflicts)],
    ["warp instructions", (form) => whole(form.warp_instructions)],
    has("cycles") && ["cycles", (form) => whole(form.cycles)],
    has("measured_ns") && ["measured, µs", (form) => (form.measured_ns === null ? "–" : fixed(form.measured_ns / 1000, 2))],
    code && ["machine instructions", (form) => whole(form.machine_code && form.machine_code.instructions)],
    code && ["registers", (form) => whole(form.machine_code && form.machine_code.registers)],
    ["bytes of a CTA", (form) => whole(form.shared_bytes)], ["CTAs on an SM", (form) => whole(form.ctas_on_sm)]].filter(Boolean);
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "forms of the kernel" },
    h("table", { class: "plain wide forms" },
    h("thead", null, h("tr", null, h("th", { scope: "col" }, "form"),
        columns.map(([title]) => h("th", { scope: "col", class: "number" }, title)))),
    h("tbody", null, forms.map(([key, form]) => h("tr", { class: kernel.chosen === key ? "selected" : null },
          h("th", { scope: "row" }, FORMS[key], kernel.chosen === key ? [" ", h("span", { class: "badge good" }, "✓ chosen")] : null),
      columns.map(([, cell]) => h("td", { class: "number" }, cell(form))))))));
}

const code = (text) => (text ? h("pre", { class: "code-block" }, text.trimEnd().split("\n").flatMap((line) => [line, h("br")])) : null);

function remedy(array, key, chosen) {
  const one = array[key];
  if (!one) return null;
  const what = key === "hash" ? [h("code", null, one.spec), one.cute ? [", CuTe ", h("code", null, one.cute), " of words"] : null, ", " + one.status]
    : "rows of " + whole(one.row) + " + " + counted(one.words, "word");
  const after = one.rewritten && one.rewritten.after;
  return h("div", { class: "remedy" }, h("h4", null, FORMS[key], chosen ? [" ", h("span", { class: "badge good" }, "✓ chosen")] : null),
    h("p", null, what, after ? "; conflicts " + whole(array.before.conflicts) + " → " + whole(after.conflicts) + ", "
      + counted(one.rewritten.instructions_added, "PTX instruction") + " and " + counted(one.rewritten.extra_bytes, "byte") + " more" : "",
      "."),
    one.left_alone ? h("p", { class: "warn" }, "Not kept: ", typeof one.left_alone === "string" ? one.left_alone : one.left_alone.reason)
      : null,
    one.cpp ? h("details", { open: Boolean(chosen) }, h("summary", null, "For the source"), code(one.cpp)) : null);
}

export function arrayCard(kernel, array, choose) {
  return h("section", { class: "block" }, h("h3", null, h("span", { class: "name", title: array.name }, arrayName(array)),
      array.element ? " of " + array.element.type : "", array.bytes ? ", " + counted(array.bytes, "byte") : ""),
    h("p", null, "Accessed at ", array.lines.map((line, k) =>
        [k ? ", " : "", line.file ? h("button", { type: "button", class: "link place", title: line.file,
              onclick: () => choose({ tab: "source", file: line.file, line: line.line, site: null, ptx: null }) }, placeText(line))
          : placeText(line)]),
      ": " + counted(array.before.wavefronts, "wavefront") + ", " + whole(array.before.conflicts) + " of them conflicts."
        + (array.sampled ? " The search saw a sample of its accesses." : "")),
    array.left_alone ? h("p", { class: array.before.conflicts ? "warn" : "quiet" }, "Left alone: ", array.left_alone.reason) : null,
    remedy(array, "padding", kernel.chosen === "padding"), remedy(array, "hash", kernel.chosen === "hash"),
    (array.layouts || []).length ? h("details", null, h("summary", null,
        counted(array.layouts.length, "other layout") + " for the source, counted and not run"), array.layouts.map((one) => h("div", null,
      h("p", null, one.what, ": ", counted(one.conflicts, "conflict") + " left",
        one.extra_bytes ? ", " + whole(one.extra_bytes) + " bytes more" : ""), code(one.cpp)))) : null);
}

export function fixView(model, state, choose) {
  const report = model.reports[0], kernels = kernelsOf(model, state);
  return [
    h("p", { class: "verdict" }, fixSays(report)),
    [report.not_compared && "Not compared, as it changes between two runs of the original: " + report.not_compared, report.no_cycles
      && "Cycles were not simulated: " + report.no_cycles, report.no_machine_code && "No machine code: " + report.no_machine_code]
      .filter(Boolean).map((text) => h("p", { class: "quiet" }, text)),
    report.applied && h("section", null, h("h2", null, "Applied to a copy of the source"),
      h("p", null, report.applied.sources.length ? "Changed in " + report.applied.folder + ": " + report.applied.sources.join(", ") + "."
        : "Nothing was changed."),
      report.applied.failure ? h("p", { class: "warn" }, "No program that does the same and is better: ", report.applied.failure) : null,
      report.applied.left.map((one) => h("p", { class: "warn" }, "Not written: ",
          typeof one === "string" ? one : Object.values(one).join(": ")))),
    kernels.map((kernel) => h("section", null, h("h2", null,
          h("span", { class: "name", title: kernel.demangled }, shortName(kernel.demangled))),
        kernel.verdict ? h("p", { class: "chosen" }, kernel.verdict[0].toUpperCase() + kernel.verdict.slice(1) + ".") : null,
      h("div", { class: "columns fix" }, h("div", null, formTable(kernel), formBars(kernel)),
        h("div", { class: "side" }, kernel.arrays.map((array) => arrayCard(kernel, array, choose)))))),
  ];
}

/// Cycles where they were simulated, else wavefronts and warp instructions, which is what the forms were judged by.
function formBars(kernel) {
  const forms = Object.entries(kernel.forms).filter(([, form]) => form), timed = forms.every(([, form]) => form.cycles !== null);
  if (forms.length < 2) return null;
  const value = (form) => (timed ? form.cycles : form.shared.wavefronts + form.warp_instructions),
    unit = timed ? "cycles" : "wavefronts and warp instructions", first = value(kernel.forms.original);
  return h("figure", null, h("figcaption", null, unit[0].toUpperCase() + unit.slice(1)),
    bars(forms.map(([key, form]) => ({ label: FORMS[key], value: value(form), name: value(form) < first ? "good" : value(form) > first ? "bad" : "",
            title: whole(value(form)) + " " + unit + ", " + percent(value(form) / first) + " of the original" })),
    { label: unit + ": " + forms.map(([key, form]) => FORMS[key] + " " + whole(value(form))).join(", "), unit: "form of the kernel" }));
}
