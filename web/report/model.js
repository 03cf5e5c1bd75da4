// The document of the page, and what views look up in it. Sums are for display; every other number is the report's.

export function modelOf(page) {
  const compared = Array.isArray(page.report.reports);
  const reports = compared ? page.report.reports : [page.report];
  const gpus = compared ? page.report.gpus : [page.report.gpu];
  const pictures = new Map(page.pictures.map((one) => [one.report + " " + one.kernel + " " + one.site, one]));
  for (const report of reports) {
    report.kernels = report.kernels || [];
    report.kernels.forEach(name_frames);
  }
  return { page, compared, reports, gpus, sources: entries(page.sources), ptx: entries(page.ptx), picture: (r, k, s) => pictures.get(r + " " + k + " " + s) };
}

/// What names of a program are keys of: any name may be one, "constructor" too.
const entries = (object) => new Map(Object.entries(object));

/// A kernel lists its frames once; here each instruction gets its own.
function name_frames(kernel) {
  const writers = (kernel.sites || []).flatMap((site) => site.operands || []).flatMap((operand) => operand.written || []);
  for (const item of [kernel.sites, kernel.l1, kernel.timed_instructions, writers].flatMap((items) => items || [])) {
    if (item.frames) item.frames = item.frames.map((number) => kernel.frames[number]);
  }
}

/// Whether the run counted accesses to shared memory. `check` looks for mistakes and counts none.
export const countsAccesses = (report) => !report.findings;

/// The sites of the kernels that are shown, each with its kernel and its picture.
export function sitesOf(model, state) {
  const sites = [];
  model.reports[state.report].kernels.forEach((kernel, k) => {
    if (state.kernel !== null && state.kernel !== k) return;
    (kernel.sites || []).forEach((site, s) =>
      sites.push({ ...site, id: k + "." + s, kernel, where: placeOf(site, state), picture: model.picture(state.report, k, s) }));
  });
  return sites;
}

/// Where an instruction counts: at the user's own line, or at the innermost line of its chain of inlined calls.
export function placeOf(item, state) {
  const innermost = state.innermost && item.frames && item.frames.length ? item.frames[0] : item;
  return { file: innermost.file, line: innermost.line, ptx_line: item.ptx_line };
}

export const kernelsOf = (model, state) =>
  model.reports[state.report].kernels.filter((_, k) => state.kernel === null || state.kernel === k);

/// The findings of the kernels that are shown, and those that belong to none.
export function findingsOf(model, state) {
  const report = model.reports[state.report];
  const kernel = state.kernel === null ? null : report.kernels[state.kernel].name;
  return (report.findings || []).filter((one) => kernel === null || one.kernel === "" || one.kernel === kernel);
}

/// What the margin of the source can show: a word, what it counts, and each item with its value. A plain one only says where: it has no
/// shares, and no line is hotter than another.
export function metricsOf(model, state) {
  const metrics = [], kernels = kernelsOf(model, state), sites = sitesOf(model, state);
  const add = (key, label, unit, items, plain = false) => items.some((one) => one.value > 0) && metrics.push({ key, label, unit, items, plain });
  const of_sites = (value) => sites.map((site) => ({ where: site.where, value: value(site) }));
  const timed = kernels.flatMap((kernel) => kernel.timed_instructions || []);
  const of_timed = (value) => timed.map((one) => ({ where: placeOf(one, state), value: value(one) }));
  const l1 = kernels.flatMap((kernel) => kernel.l1 || []);
  const findings = findingsOf(model, state);
  const arrays = kernels.flatMap((kernel) => (kernel.arrays || []).flatMap((array) => array.lines));
  add("arrays", "accesses to arrays", "instruction", arrays.map((line) => ({ where: placeOf(line, state), value: 1 })), true);
  add("findings", "findings", "finding", findings.flatMap((one) =>
    [one.access, one.earlier].filter(Boolean).map((access) => ({ where: placeOf(access, state), value: 1 }))), true);
  add("stalls", "issue slots waited", "slot", of_timed((one) => sum(Object.values(one.stalls))));
  add("exposed", "exposed conflict cycles", "cycle", of_timed((one) => one.conflict_cycles_exposed));
  add("conflicts", "conflicts", "wavefront", of_sites((site) => site.conflicts));
  add("wavefronts", "wavefronts", "wavefront", of_sites((site) => site.wavefronts));
  add("accesses", "shared accesses", "access", of_sites((site) => site.accesses));
  add("l1", "excess L1 cycles", "cycle", l1.map((one) => ({ where: placeOf(one, state), value: one.cycles - one.ideal_cycles })));
  add("issued", "instructions issued", "instruction", of_timed((one) => one.issued));
  return metrics;
}

/// Files with the sum of a metric by line, the largest first; files without a value stay.
export function byFile(items, files) {
  const sums = new Map(files.map((file) => [file, { file, total: 0, lines: new Map() }]));
  for (const { where, value } of items) {
    if (!where.file) continue;
    if (!sums.has(where.file)) sums.set(where.file, { file: where.file, total: 0, lines: new Map() });
    const file = sums.get(where.file);
    file.total += value;
    file.lines.set(where.line, (file.lines.get(where.line) || 0) + value);
  }
  return [...sums.values()].sort((a, b) => b.total - a.total);
}

/// The PTX around a line of a kernel: { first_line, lines }, or nothing.
export function ptxAround(model, kernel, line) {
  const functions = model.ptx.get(kernel.module) || [];
  return functions.find((one) => line >= one.first_line && line < one.first_line + one.lines.length);
}

export const sum = (values) => values.reduce((a, b) => a + b, 0);
