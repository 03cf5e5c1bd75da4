// What the numbers refer to: the GPU, the rules of its banks, the simulated machine; and what the page is.
import { h } from "./dom.js";
import { placeText } from "./words.js";

const text = (value) => (value === null ? "–" : Array.isArray(value) ? value.map(text).join(" | ") : typeof value === "object"
  ? Object.entries(value).map(([key, one]) => key + " " + text(one)).join(", ") || "–" : String(value));
const facts = (object) => h("dl", { class: "facts" }, Object.entries(object)
  .map(([key, value]) => [h("dt", null, key.replace(/_/g, " ")), h("dd", null, text(value))]));

export function machineView(model, state) {
  const report = model.reports[state.report], page = model.page;
  return [
    h("h2", null, "Run"), facts({ program: report.program, command: "bankshot " + page.command, GPU: report.gpu,
        "warp size": report.warp_size, accesses: report.accesses, written: page.date, by: page.version }),
    h("h2", null, "Banks of shared memory"), facts(report.scratchpad),
    report.l1 && [h("h2", null, "First-level cache"), facts(report.l1)],
    report.config && [h("h2", null, "Simulated machine"), facts(report.config)],
    report.kernels.some((kernel) => (kernel.left_open || []).length) && [h("h2", null, "Cases that PTX leaves undefined"),
      h("ul", null, report.kernels.flatMap((kernel) => (kernel.left_open || [])
          .map((one) => h("li", null, placeText(one), ": ", one.what.replace(/_/g, " ")))))],
    h("h2", null, "Words"), h("p", null,
      "A wavefront is one pass of shared memory over its banks. An access that needs w wavefronts where u would do has w − u conflicts. Its conflict degree is w."),
  ];
}
