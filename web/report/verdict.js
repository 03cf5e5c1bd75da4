// What limits, baseline and the project's file come to: each limit with its kernel, exceeded, kept or not judged.
import { h } from "./dom.js";
import { dataTable } from "./table.js";
import { counted, placeText, shortName, whole } from "./words.js";

const RESULTS = { exceeded: ["✕ exceeded", ""], "no-verdict": ["– no verdict", "warning"], kept: ["✓ kept", "good"] };
const KEYS = Object.keys(RESULTS);

/// The verdict in one sentence. It is clean only if everything was judged.
export function verdictSays({ gaps, limits }) {
  const exceeded = limits.filter((one) => one.result === "exceeded").length;
  if (gaps.length && !exceeded) return "No verdict";
  if (!exceeded) return "All limits are kept";
  const says = whole(exceeded) + " of " + counted(limits.length, "limit") + (exceeded === 1 ? " is exceeded" : " are exceeded");
  return gaps.length ? says + "; no verdict on the rest" : says;
}

function linesOf(limit, choose) {
  return h("ul", { class: "worse-lines" }, limit.lines.map((one) => h("li", null,
    one.file ? h("button", { type: "button", class: "link place", title: one.file,
        onclick: () => choose({ tab: "source", file: one.file, line: one.line, site: null, ptx: null }) }, placeText(one))
      : h("span", { class: "quiet" }, "no source line"), ": ", one.says)));
}

export function verdictSection(model, choose) {
  const verdict = model.page.verdict, kernels = model.reports[0].kernels;
  if (!verdict || !(verdict.limits.length || verdict.gaps.length)) return null;
  const nameOf = (limit) => (limit.kernel === undefined ? "the program" : kernels[limit.kernel].demangled);
  const exceeded = verdict.limits.filter((one) => one.result === "exceeded");
  const columns = [
    { title: "verdict", key: "verdict", value: (limit) => KEYS.indexOf(limit.result),
      cell: (limit) => h("span", { class: ("badge " + RESULTS[limit.result][1]).trim() }, RESULTS[limit.result][0]) },
    { title: "limit", key: "limit", value: (limit) => limit.limit, cell: (limit) => h("span", { class: "name" }, limit.limit) },
    { title: "kernel", key: "kernel", value: nameOf, name: "kernel",
      cell: (limit) => (limit.kernel === undefined ? nameOf(limit) : h("span", { class: "name", title: nameOf(limit) }, shortName(nameOf(limit)))) },
  ];
  return h("section", { class: "judged", "aria-labelledby": "verdict" },
    h("h2", { id: "verdict" }, "Verdict: ", h("span", { class: exceeded.length ? "bad" : verdict.gaps.length ? "warn" : "good" },
        verdictSays(verdict))),
    verdict.gaps.length > 0 && h("ul", { class: "gaps" }, verdict.gaps.map((one) => h("li", null, one))),
    exceeded.length > 0 && h("ul", { class: "exceeded" }, exceeded.map((one) => h("li", null, one.says + " ",
      h("span", { class: "quiet" }, "(", one.limit, ")"), one.lines && linesOf(one, choose)))),
    verdict.limits.length > 0 && h("details", null, h("summary", null, "Limits: " + whole(verdict.limits.length)),
      dataTable(columns, { caption: "Limits", rows: verdict.limits, sort: "verdict", order: "ascending", header: 1, height: "18rem",
        name: "limits" }).element));
}
