// What the numbers refer to: the run, the GPU, the rules of its banks, the simulated machine.
import { h } from "./dom.js";
import { commandLine, counted, fixed, placeText, whole } from "./words.js";

const bytes = (n) => (n >= 1024 && n % 1024 === 0 ? whole(n / 1024) + " KiB" : counted(n, "byte"));
const khz = (n) => (n >= 1e6 ? fixed(n / 1e6, 2) + " GHz" : fixed(n / 1e3, 0) + " MHz");
const lanes = (n) => counted(n, "lane") + " at once";
const yes = (value) => (value ? "yes" : "no");

/// Members of the report with a name and a unit for people; others show their own name.
const LABELS = {
  as: ["counted", (value) => (value === "joined" ? "as ptxas joins accesses" : "as the PTX has them")],
  machine_code: ["architecture of the machine code"],
  checked: ["compared with machine code", yes],
  banks: ["banks", whole], bank_bytes: ["width of a bank", bytes], ports: ["words that a bank delivers in a pass", whole],
  lanes_b32: ["accesses of up to 4 bytes a lane", lanes], lanes_b64: ["accesses of 8 bytes a lane", lanes],
  lanes_b128: ["accesses of 16 bytes a lane", lanes], cas_passes: ["passes of a compare-and-swap", whole],
  merge_pairs: ["phases that want the same words are merged in pairs", yes],
  combines_increments: ["lanes that add 1 to one word count as one", yes], hash: ["bank hash"],
  line_bytes: ["line", bytes], sector_bytes: ["sector", bytes], tags: ["lines of one access looked up in a cycle", whole],
  bank_hash: ["bank hash"], lock_hash: ["hash of the locks of atomics"], hash_cycles: ["cycles that the hash adds to an access", whole],
  aware: ["foresight of bank conflicts"], commit: ["order of the results of a warp"], transactions: ["conflicts of transactions found by"],
  atomics: ["atomics on shared memory"], simd_lanes: ["lanes of the datapath", whole], stages: ["stages of the pipeline", whole],
  memory_stages: ["stages of its memory part", whole], premem: ["entries of the queue in front of memory", whole],
  nonmem: ["entries of the queue beside memory", whole], reorder_entries: ["entries of a warp's reorder buffer", whole],
  aware_yields: ["issues into foreseen conflicts if nothing else can issue", yes],
  l1_bytes: ["first-level cache", bytes], l1_banks: ["banks of the first-level cache", whole], core_khz: ["core clock", khz], sms: ["SMs", whole],
  max_warps: ["warps that an SM holds", whole], schedulers: ["schedulers of an SM", whole],
  issue_width: ["instructions that a scheduler issues in a cycle", whole], dram_khz: ["DRAM command clock", khz],
  dram_channels: ["DRAM channels", whole], dram_burst_bytes: ["DRAM burst", bytes],
  dram_burst_cycles: ["command cycles of a DRAM burst", whole],
};
/// Where 0 says that the machine has no such part.
const ABSENT_AT_0 = new Set(["hash_cycles", "aware_yields", "stages", "memory_stages", "premem", "nonmem", "reorder_entries", "l1_bytes", "l1_banks"]);

const text = (value) => (Array.isArray(value) ? value.map(text).join(" | ") : typeof value === "object" && value !== null
  ? Object.entries(value).map(([key, one]) => key + " " + text(one)).join(", ") : typeof value === "number" && value >= 1000 ? whole(value)
    : typeof value === "boolean" ? yes(value) : String(value));

const says = (key, value) => value !== null && value !== undefined && text(value) !== "" && !(value === 0 && ABSENT_AT_0.has(key));
const facts = (object) => h("dl", { class: "facts" }, Object.entries(object).filter(([key, value]) => says(key, value))
  .flatMap(([key, value]) => {
    if (key === "parameters") return Object.entries(value).map(([name, one]) => [h("dt", null, h("code", null, name)), h("dd", null, text(one))]);
    const [label, show = text] = (Object.hasOwn(LABELS, key) && LABELS[key]) || [key.replace(/_/g, " ")];
    return [[h("dt", null, label), h("dd", null, show(value))]];
  }));

export function machineView(model, state) {
  const report = model.reports[state.report], page = model.page;
  return [
    h("h2", null, "Run"), facts({ "command line": commandLine(page.arguments), program: report.program, GPU: report.gpu,
        "warp size": report.warp_size, ...(report.accesses || {}), written: page.date, by: page.version }),
    h("h2", null, "Banks of shared memory"), facts(report.scratchpad),
    report.l1 && [h("h2", null, "First-level cache"), facts(report.l1)],
    report.config && [h("h2", null, "Simulated machine"), facts(report.config)],
    report.kernels.some((kernel) => (kernel.left_open || []).length) && [h("h2", null, "Cases that PTX leaves undefined"),
      h("ul", null, report.kernels.flatMap((kernel) => (kernel.left_open || [])
          .map((one) => h("li", null, placeText(one), ": ", one.what.replace(/_/g, " ")))))],
  ];
}
