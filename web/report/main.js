// The page of a report: reads the document, offers its views, and shows those that the user asks for.
import { canEvaluate, loadRules } from "./evaluate.js";
import { compareView, cyclesView } from "./cycles.js";
import { h, replace, visible } from "./dom.js";
import { fixView } from "./fix.js";
import { findingsView } from "./findings.js";
import { machineView } from "./machine.js";
import { countsAccesses, modelOf } from "./model.js";
import { hasMisfit, hasOperands, operandsView } from "./operands.js";
import { overview } from "./overview.js";
import { sitesView } from "./sites.js";
import { sourceView } from "./source.js";
import { sweepView } from "./sweep.js";
import { verdictSection } from "./verdict.js";
import { baseName, commandLine, counted, shortName, whole } from "./words.js";

const page = JSON.parse(document.getElementById("document").textContent);
const model = modelOf(page);
const state = { tab: null, report: 0, kernel: null, file: null, line: null, site: null, ptx: null, metric: null, innermost: false,
  severity: "", filter: "" };

/// Views in the order of their tabs; the first is shown first.
const is_fix = page.command === "fix", is_sweep = page.command === "sweep results";
const views = is_sweep ? [{ key: "results", title: "Results", draw: sweepView }] : is_fix ? [
  { key: "fix", title: "Remedies", draw: fixView },
  { key: "source", title: "Source", draw: sourceView },
] : [
  model.compared && { key: "compare", title: "GPUs", draw: compareView },
  model.reports[0].findings && { key: "findings", title: "Findings", draw: findingsView },
  { key: "overview", title: "Overview", draw: overview },
  model.reports[0].config && { key: "cycles", title: "Cycles", draw: cyclesView },
  { key: "source", title: "Source", draw: sourceView },
  countsAccesses(model.reports[0]) && { key: "sites", title: "Sites", draw: sitesView },
  model.reports.some(hasOperands) && { key: "operands", title: "Operands", draw: operandsView },
  { key: "machine", title: "Machine", draw: machineView },
];
const offered = views.filter(Boolean);

const banner = (name, title, sentences, role) => h("section", { class: name, role }, h("h2", null, title),
  h("ul", null, [...new Set(sentences)].map((one) => h("li", null, one))));

/// That the counts of a kernel are estimates, and how good they are.
function sampledSentence(kernel) {
  const sampled = kernel.sampled_ctas;
  const error = (what, key, count) => (count ? ", " + what + " ± " + (100 * sampled.errors[key] / count).toFixed(1) + " %" : "");
  return "Counts of " + shortName(kernel.demangled) + " are estimates from " + whole(sampled.ctas_ran) + " of " + whole(sampled.ctas)
    + " CTAs; the others did not run (--sample-ctas)" + error("instructions", "warp_instructions", kernel.warp_instructions)
    + error("wavefronts", "wavefronts", kernel.shared.wavefronts) + error("conflicts", "conflicts", kernel.shared.conflicts) + ".";
}

/// What keeps a report from being the whole truth, a sentence each, and below it what else is to be known.
function warnings() {
  const is_note = (text) => text.startsWith("note: "), notes = page.notes.filter(is_note).map((text) => text.slice(6));
  const said = page.notes.filter((text) => !is_note(text));
  model.reports.forEach((report, r) => {
    const on = model.compared ? model.gpus[r] + ": " : "";
    for (const failed of report.failed_launches || [])
      said.push(on + counted(failed.launches, "launch", "launches") + " of " + (failed.demangled ? shortName(failed.demangled) : "a kernel")
        + " failed: " + failed.reason);
    for (const name of report.running || []) said.push(on + name + " was running when its process ended.");
    for (const kernel of report.kernels) {
      if (kernel.stopped) said.push(on + shortName(kernel.demangled) + " was stopped: " + whole(kernel.stopped.ctas_ended) + " of "
        + whole(kernel.stopped.ctas) + " CTAs ended.");
      if (hasMisfit(kernel.sites || [])) said.push(on + "A matrix descriptor of " + shortName(kernel.demangled)
        + " reads with another swizzle than the tensor copy wrote with: see Operands.");
      if (kernel.sampled_ctas) said.push(on + sampledSentence(kernel));
      if (kernel.partial_launches) said.push(on + counted(kernel.partial_launches, "launch", "launches") + " of "
        + shortName(kernel.demangled) + " stopped before the end.");
    }
    if (is_sweep) return;
    if (is_fix) return report.reason && said.push(report.reason);
    if (!report.kernels.length && !(report.findings || []).length) said.push(on + ((report.failed_launches || []).length
        ? "No launch came to its end, so nothing was measured." : "No kernel was launched, so nothing was measured."));
    if (report.kernels.some((kernel) => kernel.sampled_ctas)) said.push(on
      + "The results of the CTAs that did not run are missing, so the program may fail, and later launches may do something else.");
    if (report.partial && report.ended === false) said.push(on + "The program, or one of its processes, did not finish.");
    for (const name of report.without_hashes || []) said.push(on + shortName(name)
      + " is not in the file of hashes, so it was counted without one.");
  });
  const partial = model.reports.some((report) => (is_sweep ? report.missing + report.left_out + report.without_number > 0 : is_fix
      ? report.status === "refused" : report.partial || !report.kernels.length));
  return [(said.length > 0 || partial) && banner("incomplete", partial ? "This report is incomplete" : "Warnings", said, "alert"),
    notes.length > 0 && banner("notes", "Notes", notes, null)];
}

const panels = new Map(), tabs = new Map(), drawn = new Set();

function draw(key) {
  if (drawn.has(key)) return;
  drawn.add(key);
  const view = offered.find((one) => one.key === key);
  replace(panels.get(key), h("h2", { class: "panel-title" }, view.title), view === offered[0] && verdictSection(model, choose),
    view.draw(model, state, choose));
}

/// Changes what is shown. @param change  members of state
function choose(change) {
  const before = document.activeElement && document.activeElement.id;
  const other_tab = change.tab && change.tab !== state.tab;
  const in_source = document.activeElement && document.activeElement.closest(".listing.source");
  Object.assign(state, change);
  state.keep = in_source ? "source" : null;
  drawn.clear();
  show(state.tab);
  if (change.report !== undefined || change.kernel !== undefined) drawChoices();
  if (before && document.getElementById(before)) document.getElementById(before).focus();
  else if (other_tab) panels.get(state.tab).focus({ preventScroll: true });
  if (other_tab) window.scrollTo({ top: 0 });
}

function show(key) {
  state.tab = key;
  for (const [name, panel] of panels) {
    panel.hidden = name !== key;
    tabs.get(name).setAttribute("aria-selected", String(name === key));
    tabs.get(name).tabIndex = name === key ? 0 : -1;
  }
  draw(key);
  if (location.hash !== "#" + key) history.replaceState(null, "", "#" + key);
}

const choices = h("div", { class: "choices" });
function drawChoices() {
  const kernels = model.reports[state.report].kernels, frames = kernels.some((kernel) => (kernel.sites || []).some((site) => site.frames));
  replace(choices,
    model.compared && h("label", null, "GPU ", h("select", { id: "gpu",
          onchange: (event) => choose({ report: Number(event.target.value), kernel: null, site: null, ptx: null }) },
      model.gpus.map((gpu, r) => h("option", { value: r, selected: r === state.report }, gpu)))),
    kernels.length > 1 && h("label", null, "Kernel ", h("select",
        { id: "kernel", onchange: (event) => choose({ kernel: event.target.value === "" ? null : Number(event.target.value), site: null,
              ptx: null, line: null }) },
      h("option", { value: "", selected: state.kernel === null }, "all " + kernels.length),
      kernels.map((kernel, k) => h("option", { value: k, selected: k === state.kernel, title: kernel.demangled },
          shortName(kernel.demangled))))),
    frames && h("label", null, "Inlined code ", h("select",
        { id: "frames", onchange: (event) => choose({ innermost: event.target.value === "inner", site: null, file: null, line: null }) },
      h("option", { value: "own", selected: !state.innermost }, "at the program's own line"),
      h("option", { value: "inner", selected: state.innermost }, "at the innermost line"))));
}

function themeButton() {
  const dark = () => (document.documentElement.dataset.theme
    || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const button = h("button", { type: "button", id: "theme", onclick: () => {
    document.documentElement.dataset.theme = dark() ? "light" : "dark";
    tell();
  } });
  const tell = () => replace(button, dark() ? "Light" : "Dark");
  tell();
  return button;
}

function start() {
  const report = model.reports[0], program = baseName(report.program || report.sweep || "");
  document.title = visible("Bankshot " + page.command + ": " + program);
  const bar = h("div", { class: "tabs", role: "tablist", "aria-label": "views" });
  for (const view of offered) {
    const tab = h("button", { type: "button", role: "tab", id: "tab-" + view.key, "aria-controls": "view-" + view.key,
        onclick: () => show(view.key) }, view.title,
      view.key === "findings" ? h("span", { class: "count" }, whole(report.findings.length)) : null);
    tabs.set(view.key, tab);
    bar.append(tab);
    panels.set(view.key, h("section", { id: "view-" + view.key, role: "tabpanel", "aria-labelledby": "tab-" + view.key, tabindex: "-1",
          class: "panel" }));
  }
  bar.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key], names = offered.map((one) => one.key);
    if (!step) return;
    const next = names[(names.indexOf(state.tab) + step + names.length) % names.length];
    show(next);
    tabs.get(next).focus();
  });
  replace(document.getElementById("head"),
    h("div", { class: "title" }, h("p", { class: "brand" }, "Bankshot"),
      h("h1", null, page.command, " ", h("span", { class: "program", title: report.program || report.sweep }, program)),
      h("p", { class: "quiet" }, model.compared ? counted(model.gpus.length, "GPU") : report.gpu || "",
        report.config ? ", simulated" : ""),
      h("p", { class: "quiet command-line" }, h("code", null, commandLine(page.arguments)))),
    h("div", { class: "controls" }, choices, themeButton()), h("nav", { "aria-label": "views" }, bar));
  replace(document.getElementById("main"), warnings(), [...panels.values()],
    h("p", { id: "said", class: "unseen", role: "status", "aria-live": "polite" }));
  replace(document.getElementById("made"), "Made by " + page.version + " on " + page.date.replace("T", " at ").replace("Z", " UTC")
    + ". This file loads nothing.");
  drawChoices();
  const asked = location.hash.slice(1);
  show(panels.has(asked) ? asked : offered[0].key);
  loadRules(() => choose({})).then(() => (document.documentElement.dataset.rules = canEvaluate() ? "loaded" : "none"));
  window.addEventListener("beforeprint", () => {
    offered.forEach((view) => draw(view.key));
    document.querySelectorAll("main details").forEach((one) => (one.open = true));
  });
}

start();
