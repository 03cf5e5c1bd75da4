// Results of a sweep: points, means by settings, the best ones, the Pareto front, which settings matter.
import { h } from "./dom.js";
import { bars, scatter } from "./plots.js";
import { dataTable } from "./table.js";
import { fixed, percent, short, whole } from "./words.js";

const text = (value) => (value === null || value === undefined ? "(unset)" : String(value));
const number = (value) => (Number.isInteger(value) ? whole(value) : Math.abs(value) >= 1000 ? whole(Math.round(value)) : fixed(value, 3));
const label = (settings) => Object.entries(settings).map(([axis, value]) => axis + "=" + text(value)).join(" ");
/// Settings sort as numbers where all are.
const sorted = (value) => (typeof value === "number" ? value : text(value).toLowerCase());

function columnsOf(report, rows) {
  const columns = [], has = (key) => rows.some((row) => row[key] !== undefined);
  const plain = (title, key, show = number) => has(key) && columns.push({ title, key, number: true,
      value: (row) => (row[key] === undefined ? -Infinity : row[key]), cell: (row) => (row[key] === undefined ? "–" : show(row[key])) });
  const setting = (title, key) => has(key) && columns.push({ title, key, value: (row) => sorted(row[key]), cell: (row) => text(row[key]) });
  plain("row", "row");
  setting("axis", "axis");
  for (const axis of Object.keys((rows[0] && rows[0].settings) || {})) columns.push({ title: axis, key: "set " + axis,
      number: rows.every((row) => typeof row.settings[axis] === "number"), value: (row) => sorted(row.settings[axis]),
      cell: (row) => text(row.settings[axis]) });
  plain("alone", "share", percent);
  plain("with interactions", "total", percent);
  if (has("value")) columns.push({ title: report.measure, key: "value", number: true, value: (row) => row.value,
      cell: (row) => number(row.value) + (row.error ? " ± " + number(row.error) : "") });
  plain(report.logarithmic === false ? "largest − smallest" : "largest ÷ smallest", "range");
  setting("smallest at", "smallest_at");
  setting("largest at", "largest_at");
  plain("median", "median");
  plain("worst", "worst");
  plain("equally good", "equally_good");
  plain("NAND2 a lane", "hash_gates");
  if (has("front")) columns.push({ title: "front", key: "front", value: (row) => (row.front ? 0 : 1),
      cell: (row) => (row.front ? "★ no other is better in both" : "") });
  plain("points", "points");
  return columns;
}

/// Means by two axes as a table with heat.
function heat(report, rows) {
  const [down, across] = report.by, values = (axis) => [...new Set(rows.map((row) => text(row.settings[axis])))];
  const of = new Map(rows.map((row) => [text(row.settings[down]) + "\n" + text(row.settings[across]), row])),
    all = rows.map((row) => row.value);
  const [low, high] = [Math.min(...all), Math.max(...all)];
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "means" },
    h("table", { class: "plain wide heat-table" }, h("caption", null,
        report.measure + ", " + report.mean + " means; the stronger the colour, the larger"),
    h("thead", null, h("tr", null, h("th", { scope: "col" }, down + " \\ " + across),
        values(across).map((value) => h("th", { scope: "col", class: "number" }, value)))),
    h("tbody", null, values(down).map((one) => h("tr", null, h("th", { scope: "row" }, one), values(across).map((other) => {
      const row = of.get(one + "\n" + other);
      return h("td", { class: "number warm", style: { "--heat": row && high > low ? ((row.value - low) / (high - low)).toFixed(3) : 0 } },
        row ? number(row.value) + (row.error ? " ± " + number(row.error) : "") : "–");
    }))))));
}

const plot = (title, drawn) => h("figure", null, h("figcaption", null, title), drawn);

function picture(report) {
  const rows = report.rows.slice(0, 40), describe = (row) => label(row.settings) + ": " + number(row.value);
  const drawn = (of, unit, name) => bars(of, { label: of.map((one) => one.title).join("; "), unit, width: 760, height: 240, name });
  if (!rows.length) return null;
  if (report.kind === "table" && report.by.length === 2) return heat(report, report.rows);
  if (report.kind === "table") return plot(report.measure,
    drawn(rows.map((row) => ({ label: text(row.settings[report.by[0]]), value: row.value, title: describe(row) })), report.by[0]));
  if (report.kind === "best") return plot("The best " + report.measure,
    drawn(rows.map((row) => ({ label: text(row.settings[report.by[0]]), value: row.value, title: describe(row) })), report.by[0]));
  if (report.kind === "sensitivity" && rows.some((row) => row.share !== undefined))
    return plot("Share of the variance that each setting explains alone",
      drawn(rows.map((row) => ({ label: row.axis, value: 100 * (row.share || 0), title: row.axis + ": " + percent(row.share) })),
        "setting; values in percent"));
  if (report.kind === "pareto")
    return plot("The measure against the area of the hash's hardware; ■ no other is better in both",
      scatter(report.rows.map((row) => ({ x: row.hash_gates, y: row.value, front: row.front, name: label(row.settings),
              title: describe(row) + ", " + number(row.hash_gates) + " gates" })),
      { label: "Pareto front: " + report.rows.filter((row) => row.front).map((row) => describe(row)).join("; "), x: "NAND2 gates a lane",
        y: report.measure }));
  const in_order = [...rows].sort((a, b) => a.row - b.row), axes = Object.keys(rows[0].settings);
  const settings = rows.length <= 8 && axes.length <= 2;  // else they do not fit below the bars
  return plot((rows.length < report.rows.length ? "The first " + rows.length + " points of the list" : "All points") + ", in the order of the plan",
    drawn(in_order.map((row) => ({ label: settings ? axes.map((axis) => text(row.settings[axis])).join(", ") : String(row.row), value: row.value,
      title: describe(row) })), settings ? axes.join(", ") : "row of the plan"));
}

const TITLES = { points: "Points", table: "Means by setting", best: "The best points", pareto: "Pareto front",
  sensitivity: "Which settings matter" };

export function sweepView(model) {
  const report = model.page.report, columns = columnsOf(report, report.rows);
  return [
    h("p", { class: "verdict" }, TITLES[report.kind] + ": " + report.measure
      + (report.mean && report.kind !== "points" ? ", " + report.mean + " mean" : "")),
    report.complete === false
      ? h("p", { class: "quiet" }, "Not every combination of values is there: shares are estimates, and interactions cannot be determined.")
      : null,
    picture(report),
    report.rows.length ? [h("h2", null, "Table"), dataTable(columns,
        { caption: TITLES[report.kind], rows: report.rows, rowHeight: 26, name: "points", header: 0 }).element]
      : h("p", null, "No point has a result."),
    (report.interactions || []).length ? [h("h2", null, "Interactions"),
      h("ul", null, report.interactions.slice(0, 20).map((one) => h("li", null, one.axes.join(" with ") + ": " + percent(one.share))))]
      : null,
  ];
}
