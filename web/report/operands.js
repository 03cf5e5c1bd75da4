// Tiles that products read by matrix descriptor: how they lie, who wrote them, and what threads' accesses to them cost in each swizzle mode.
import { h } from "./dom.js";
import { kernelsOf, placeOf, sitesOf, sum } from "./model.js";
import { counted, placeText, shortName, whole } from "./words.js";

const SPANS = ["0", "32", "64", "128"];

/// Whether a tensor copy wrote a tile of the kernel with another swizzle than a matrix descriptor reads.
export const hasMisfit = (sites) => sites.some((site) => (site.operands || []).some((one) => one.written.some((part) => part.op && !part.fits)));
export const hasOperands = (report) => report.kernels.some((kernel) => (kernel.sites || []).some((site) => site.operands));

const spanText = (span) => (Number(span) === 0 ? "none" : span + " bytes");
const swizzleText = ({ swizzle, swizzle_unit }) => spanText(swizzle) + (swizzle && swizzle_unit !== 16 ? " in units of " + swizzle_unit : "");
const modeText = (span) => (Number(span) === 0 ? "no swizzle" : "a swizzle of " + span + " bytes");
const tileText = (one) => whole(one.rows) + (one.operand === "B" ? " columns" : " rows") + " of " + whole(one.row_bytes) + " bytes";

/// "wgmma.mma_async.sync.aligned…"
function opText(op) {
  const end = op.lastIndexOf(".", 36), short = op.length > 36 && end > 0 ? op.slice(0, end) + "…" : op;
  return h("code", { title: op }, short);
}

/// Groups of items of one key, in the order of their first ones.
function groups(items, key) {
  const all = new Map();
  for (const item of items) {
    const name = key(item);
    if (!all.has(name)) all.set(name, []);
    all.get(name).push(item);
  }
  return [...all.values()];
}

/// Each layout once, with all that read it and all that wrote it.
function layoutsOf(sites) {
  const reads = sites.flatMap((site) => (site.operands || []).map((one) => ({ ...one, site })));
  const key = ({ reads: _, written, site, ...layout }) => JSON.stringify(layout);
  return groups(reads, key).map((same) => ({ ...same[0], reads: sum(same.map((one) => one.reads)), sites: same.map((one) => one.site),
      written: same.flatMap((one) => one.written) })).sort((a, b) => (a.operand < b.operand ? -1 : a.operand > b.operand ? 1 : 0));
}

function writer(part, state, choose) {
  const place = placeOf(part, state);
  if (!part.op) return h("li", { class: "warn" }, "not written by any instruction that is counted");
  return h("li", null, opText(part.op), " ", placeButton(place, choose),
    part.fits ? [" ", part.tensor ? h("span", { class: "badge good" }, "the same swizzle") : h("span", { class: "quiet" }, "places not checked")] : [" ", h("span", { class: "badge" }, modeText(part.swizzle) + ": does not fit")]);
}

function placeButton(place, choose) {
  return place.file ? h("button", { type: "button", class: "link place", title: place.file,
    onclick: () => choose({ tab: "source", file: place.file, line: place.line, site: null, ptx: null }) }, placeText(place))
    : h("span", { class: "place" }, placeText(place));
}

function writersOf(layout, state, choose) {
  const once = groups(layout.written, (part) => [part.op, placeText(placeOf(part, state)), part.fits, part.swizzle].join("\n")).map((same) => same[0]);
  once.sort((a, b) => Number(a.fits) - Number(b.fits));
  return h("ul", { class: "writers" }, once.map((part) => writer(part, state, choose)));
}

const scrolled = (caption, titles, numbers, rows) => h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
  h("table", { class: "plain" }, h("caption", null, caption),
    h("thead", null, h("tr", null, titles.map((title, k) => h("th", { scope: "col", class: numbers.includes(k) ? "number" : null }, title)))),
    h("tbody", null, rows)));

function layoutsTable(layouts, state, choose) {
  return scrolled("Tiles by layout, offsets in bytes", ["operand", "tile", "major", "swizzle", "leading", "stride", "base", "reads", "read by", "written by"], [4, 5, 6, 7],
    layouts.map((one) => h("tr", null, h("td", null, one.operand === "C" ? "copied" : one.operand), h("td", null, tileText(one)),
      h("td", null, one.major === "mn" ? "MN" : "K"), h("td", null, swizzleText(one)),
      h("td", { class: "number", title: one.leading_is_absolute ? "an address" : "an offset in bytes" }, whole(one.leading_offset)),
      h("td", { class: "number" }, whole(one.stride_offset)), h("td", { class: "number" }, whole(one.base_offset)),
      h("td", { class: "number" }, whole(one.reads)),
      h("td", { class: "breaks" }, opText(one.sites[0].op), " ", placeButton(one.sites[0].where, choose),
        one.sites.length > 1 && " and " + whole(one.sites.length - 1) + " more"),
      h("td", { class: "breaks" }, writersOf(one, state, choose)))));
}

const merged = (counts) => ({ ...counts[0], accesses: sum(counts.map((one) => one.accesses)), conflicts: sum(counts.map((one) => one.conflicts)),
  conflicts_with: Object.fromEntries(SPANS.filter((span) => counts.every((one) => span in one.conflicts_with))
    .map((span) => [span, sum(counts.map((one) => one.conflicts_with[span]))])) });

/// The mode with the fewest conflicts, if that is fewer than now.
function bestOf(counts) {
  let best = null, least = counts.conflicts;
  for (const span of SPANS) {
    if (!(span in counts.conflicts_with) || counts.conflicts_with[span] >= least) continue;
    [best, least] = [span, counts.conflicts_with[span]];
  }
  return best;
}

const mode = (one) => one.swizzle + " " + one.swizzle_unit;

function accessesTable(sites, choose) {
  const counts = sites.flatMap((site) => (site.swizzles || []).map((one) => ({ ...one, site })));
  if (!counts.length) return h("p", { class: "quiet" }, "No thread's accesses to these tiles were counted.");
  const rows = groups(counts, (one) => [mode(one), one.site.where.file, one.site.where.line || one.site.ptx_line].join("\n")).map(merged)
    .sort((a, b) => b.conflicts - a.conflicts);
  const all = groups(rows, mode).map(merged);
  const advice = hasMisfit(sites) ? [h("p", { class: "advice" }, "A tensor copy wrote some of them with another swizzle: make the two fit before the modes are compared.")] : all.map((one) => [one, bestOf(one)]).filter(([, best]) => best !== null).map(([one, best]) => h("p", { class: "advice" },
    "Laid out with " + modeText(best) + " (CU_TENSOR_MAP_SWIZZLE_" + (best === "0" ? "NONE" : best + "B") + ") instead of " + modeText(one.swizzle) + ", "
    + whole(one.conflicts_with[best]) + " of " + counted(one.conflicts, "conflict") + " would remain."));
  return [scrolled("Conflicts of threads' accesses to these tiles, by the swizzle of the tiles",
      ["place", "instruction", "accesses", "swizzle", "conflicts", ...SPANS.map((span) => "with " + (span === "0" ? "none" : span + " bytes"))], [2, 4, 5, 6, 7, 8],
      rows.slice(0, 200).map((one) => {
        const best = bestOf(one);
        return h("tr", null, h("td", null, placeButton(one.site.where, choose)), h("td", null, h("code", null, one.site.op)),
          h("td", { class: "number" }, whole(one.accesses)), h("td", null, swizzleText(one)), h("td", { class: "number" }, whole(one.conflicts)),
          SPANS.map((span) => h("td", { class: "number" + (span === best ? " best" : ""), title: span in one.conflicts_with ? null
            : "the descriptors do not say" }, span in one.conflicts_with ? whole(one.conflicts_with[span]) : "?")));
      })),
    rows.length > 200 && h("p", { class: "quiet" }, "and " + whole(rows.length - 200) + " more"), advice];
}

export function operandsView(model, state, choose) {
  const sites = sitesOf(model, state), kernels = kernelsOf(model, state);
  const shown = kernels.map((kernel) => [kernel, sites.filter((site) => site.kernel === kernel)])
    .filter(([, own]) => own.some((site) => site.operands));
  if (!shown.length) return h("p", { class: "quiet" }, "No product of this kernel read a tile by matrix descriptor.");
  return shown.map(([kernel, own]) => h("section", { class: "block" },
    shown.length > 1 && h("h3", { title: kernel.demangled }, shortName(kernel.demangled)),
    layoutsTable(layoutsOf(own), state, choose), accessesTable(own, choose)));
}
