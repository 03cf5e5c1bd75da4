// What `check` found: what, how often, and each side of a race with its source.
import { chain } from "./access.js";
import { h, visibleLine } from "./dom.js";
import { findingsOf } from "./model.js";
import { baseName, counted, extent, placeText, shortName, whole } from "./words.js";

const SHOWN = 200;
const AROUND = 2;  // lines of source above and below

/// Lines around a place, or nothing.
function excerpt(sources, place) {
  const lines = sources.get(place.file);
  if (!lines || !place.line || place.line > lines.length) return null;
  const first = Math.max(1, place.line - AROUND), last = Math.min(lines.length, place.line + AROUND);
  return h("pre", { class: "excerpt" }, Array.from({ length: last - first + 1 }, (_, k) => first + k).map((number) =>
    h("span", { class: number === place.line ? "here" : null }, h("span", { class: "gutter" }, String(number).padStart(5) + "  "),
      visibleLine(lines[number - 1]) || " ", h("br"))));
}

function side(model, title, access, choose) {
  return h("div", { class: "access-side" }, h("h4", null, title),
    h("p", null, access.file ? h("button", { type: "button", class: "link place", title: access.file,
          onclick: () => choose({ tab: "source", file: access.file, line: access.line, ptx: access.ptx_line, site: null }) },
        placeText(access))
      : h("span", null, placeText(access)), access.op ? [" ", h("code", null, access.op)] : null,
      " by thread (" + access.thread.join(", ") + ")"),
    chain(access.frames), excerpt(model.sources, access));
}

const words = (kind) => kind.replace(/-/g, " ");

export function findingCard(model, state, finding, choose) {
  const is_race = finding.check === "race", is_later = is_race || ["wrong-swizzle", "missing-wait"].includes(finding.kind);
  const error = finding.severity === "error";
  const where = finding.bytes ? counted(finding.bytes, "byte")
    + (finding.kind === "leak" ? " not freed" : " at byte " + whole(finding.offset) + " of ") : "";
  const variable = finding.bytes && finding.kind !== "leak"
    ? (finding.variable ? h("span", { class: "name", title: finding.variable }, finding.variable.replace(/^.*::/, "")) : "memory") : null;
  return h("article", { class: "finding " + finding.severity },
    h("h3", null, h("span", { class: "badge " + finding.severity }, error ? "✕ error" : "! warning"), " ",
      (is_race ? "Race: " : "") + words(finding.kind)),
    h("p", null, finding.demangled ? ["in ", h("span", { class: "name", title: finding.demangled }, shortName(finding.demangled)), ", "]
      : null,
      finding.kind === "leak" ? counted(finding.count, "allocation") : "seen " + counted(finding.count, "time")
        + (finding.cta ? ", here in CTA (" + finding.cta.join(", ") + ")" : ""), where ? "; " + where : "", variable, "."),
    finding.detail ? h("p", null, finding.detail) : null,
    h("div", { class: "sides" }, finding.access ? side(model, is_later ? "This access" : "Where", finding.access, choose) : null,
      finding.earlier ? side(model, is_later ? "The earlier access" : "The other threads", finding.earlier, choose) : null),
    finding.callers && finding.callers.length ? h("details", null, h("summary", null, "Calls that led to the allocation"),
      h("ol", null, finding.callers.map((one) => h("li", null, h("code", null, one.file + "+0x" + one.offset.toString(16)))))) : null);
}

/// What the project's bankshot.toml suppresses: it is told wherever a report could look clean without it.
export function suppressedList(report) {
  const list = report.suppressed || [];
  if (!list.length) return null;
  return h("details", { class: "suppressed" }, h("summary", null, counted(list.length, "place") + " suppressed by ",
      h("span", { class: "place" }, report.project || "the project")),
    h("ul", null, list.map((one) => h("li", null, words(one.kind) + ", " + whole(one.count) + " at ",
          h("span", { class: "place", title: one.file }, placeText(one)),
          one.demangled ? [" in ", h("span", { class: "name", title: one.demangled }, shortName(one.demangled))] : null, ": ",
          one.reason))));
}

export function findingsView(model, state, choose) {
  const findings = findingsOf(model, state), report = model.reports[state.report];
  const errors = findings.filter((one) => one.severity === "error").length, warnings = findings.length - errors;
  const shown = findings.filter((one) => !state.severity || one.severity === state.severity);
  const list = h("div", { class: "findings" }, shown.slice(0, SHOWN).map((one) => findingCard(model, state, one, choose)));
  const more = shown.length > SHOWN && h("button", { type: "button", onclick: (event) => {
    event.target.remove();
    shown.slice(SHOWN).forEach((one) => list.append(findingCard(model, state, one, choose)));
  } }, "Show " + whole(shown.length - SHOWN) + " more");
  const filter = (severity, text) => h("button", { type: "button", "aria-pressed": String((state.severity || "") === severity),
      onclick: () => choose({ severity }) }, text);
  return [
    h("div", { class: "tools", role: "group", "aria-label": "which findings" }, filter("", "All " + whole(findings.length)),
      filter("error", counted(errors, "error")), filter("warning", counted(warnings, "warning"))),
    h("p", { class: "quiet" }, "Checks made: " + report.checks.join(", ") + ", in " + counted(report.kernels.length, "kernel") + "."),
    !findings.length && h("p", null, report.partial || !report.kernels.length ? "Nothing was found in what ran; not everything ran."
      : (report.suppressed || []).length ? "Nothing else was found." : "Nothing was found."),
    suppressedList(report), list, more,
  ];
}
