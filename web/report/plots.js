// Plots, drawn by d3. Each has a table or a sentence beside it that says the same.
import { axisBottom, axisLeft } from "d3-axis";
import { scaleBand, scaleLinear, scaleLog } from "d3-scale";
import { create } from "d3-selection";
import { line as lineOf, stack } from "d3-shape";
import { visible } from "./dom.js";
import { short, whole } from "./words.js";

function frame(width, height, label) {
  const svg = create("svg").attr("viewBox", `0 0 ${width} ${height}`).attr("role", "img").attr("aria-label", visible(label))
    .attr("class", "plot");
  return svg;
}
const ticks = (axis) => (g) => g.call(axis).call((one) => one.selectAll("text").attr("class", "tick"));

/// Bars. @param bars  [{ label, value, bad, title }]; bad: the part of the value that is painted as lost
export function bars(bars, { label, unit, width = 560, height = 190 }) {
  const left = 56, bottom = 40, top = 10, right = 8;
  const svg = frame(width, height, label);
  const x = scaleBand().domain(bars.map((one) => one.label)).range([left, width - right]).padding(0.18);
  const wide = Math.min(44, x.bandwidth());
  const y = scaleLinear().domain([0, Math.max(...bars.map((one) => one.value), 1e-9)]).nice().range([height - bottom, top]);
  svg.append("g").attr("transform", `translate(0,${height - bottom})`)
    .call(ticks(axisBottom(x).tickSizeOuter(0).tickValues(x.domain().filter((_, k) => k % Math.ceil(bars.length / 20) === 0))
      .tickFormat((one) => visible(one.length > 14 ? one.slice(0, 13) + "…" : one))));
  svg.append("g").attr("transform", `translate(${left},0)`).call(ticks(axisLeft(y).ticks(5).tickFormat(short)));
  svg.append("text").attr("x", (left + width - right) / 2).attr("y", height - 6).attr("text-anchor", "middle").text(visible(unit));
  svg.append("g").selectAll("rect").data(bars).join("rect").attr("class", (one) => "mark" + (one.name ? " " + one.name : ""))
    .attr("x", (one) => x(one.label) + (x.bandwidth() - wide) / 2).attr("width", wide)
    .attr("y", (one) => y(one.value)).attr("height", (one) => y(0) - y(one.value)).append("title").text((one) => visible(one.title));
  svg.append("g").selectAll("rect").data(bars.filter((one) => one.bad)).join("rect").attr("class", "mark bad")
    .attr("x", (one) => x(one.label) + (x.bandwidth() - wide) / 2).attr("width", wide)
    .attr("y", (one) => y(one.bad)).attr("height", (one) => y(0) - y(one.bad)).append("title").text((one) => visible(one.title));
  return svg.node();
}

/// Stacked columns in order. @param columns  [{ key: value }] @param keys  the largest first @param axis  what the columns are
/// @param scale  each column counts for so many on the axis; none: they are counted from 1 @param empty  columns at the beginning that
///               a launch takes before it has a warp
export function stacked(columns, keys, { label, axis, meanings, scale, empty = 0, width = 620, height = 220 }) {
  const left = 56, bottom = 40, top = 10, right = 8;
  const svg = frame(width, height, label);
  const x = scaleBand().domain(columns.map((_, k) => k)).range([left, width - right]).padding(columns.length > 80 ? 0 : 0.1);
  const totals = columns.map((one) => keys.reduce((all, key) => all + (one[key] || 0), 0));
  const y = scaleLinear().domain([0, Math.max(...totals, 1)]).nice().range([height - bottom, top]);
  const every = Math.max(1, Math.ceil(columns.length / 12));
  svg.append("g").attr("transform", `translate(0,${height - bottom})`)
    .call(ticks(axisBottom(x).tickValues(x.domain().filter((k) => k % every === 0)).tickFormat((k) => (scale ? short(k * scale) : k + 1)).tickSizeOuter(0)));
  svg.append("g").attr("transform", `translate(${left},0)`).call(ticks(axisLeft(y).ticks(5).tickFormat(short)));
  svg.append("text").attr("x", (left + width - right) / 2).attr("y", height - 6).attr("text-anchor", "middle").text(axis);
  if (empty > 2) svg.append("text").attr("class", "empty").attr("x", (left + x(empty)) / 2).attr("y", height - bottom - 8)
    .attr("text-anchor", "middle").text("launch");
  stack().keys(keys).value((one, key) => one[key] || 0)(columns).forEach((series, k) => {
    svg.append("g").attr("class", "cause-" + series.key).attr("data-order", k).selectAll("rect").data(series).join("rect")
      .attr("x", (_, at) => x(at)).attr("width", Math.max(0.5, x.bandwidth()))
      .attr("y", (one) => y(one[1])).attr("height", (one) => Math.max(0, y(one[0]) - y(one[1]))).append("title")
        .text((one, at) => visible((scale ? "from " + axis + " " + whole(at * scale) : axis + " " + (at + 1)) + ": " + short(one[1] - one[0]) + " slots, "
          + (meanings[series.key] || series.key)));
  });
  return svg.node();
}

/// Points. @param points  [{ x, y, front, name, title }]
export function scatter(points, { label, x: x_title, y: y_title, width = 760, height = 320 }) {
  const left = 66, bottom = 44, top = 14, right = 20;
  const svg = frame(width, height, label);
  const x = scaleLinear().domain([0, Math.max(...points.map((one) => one.x), 1)]).nice().range([left, width - right]);
  const y = scaleLinear().domain([0, Math.max(...points.map((one) => one.y), 1e-9)]).nice().range([height - bottom, top]);
  svg.append("g").attr("transform", `translate(0,${height - bottom})`).call(ticks(axisBottom(x).ticks(8).tickFormat(short)));
  svg.append("g").attr("transform", `translate(${left},0)`).call(ticks(axisLeft(y).ticks(6).tickFormat(short)));
  svg.append("text").attr("x", (left + width - right) / 2).attr("y", height - 8).attr("text-anchor", "middle").text(visible(x_title));
  svg.append("text").attr("transform", `translate(14,${(top + height - bottom) / 2}) rotate(-90)`).attr("text-anchor", "middle")
    .text(visible(y_title));
  const marks = svg.append("g").selectAll("g").data(points).join("g").attr("transform", (one) => `translate(${x(one.x)},${y(one.y)})`);
  marks.append("path").attr("class", (one) => "point" + (one.front ? " point-1" : ""))
    .attr("d", (one) => (one.front ? "M-5-5H5V5H-5Z" : "M0-4L4 0L0 4L-4 0Z"));
  marks.filter((one) => one.front || points.length <= 12).append("text").attr("x", (one) => (x(one.x) > width - 180 ? -9 : 9))
    .attr("text-anchor", (one) => (x(one.x) > width - 180 ? "end" : "start")).attr("y", 4).text((one) => visible(one.name));
  marks.append("title").text((one) => visible(one.title));
  return svg.node();
}

/// A roofline: instructions per second over instructions per byte. @param roofs  [{ name, peak: bytes per second }]
/// @param points  [{ name, roof, intensity, speed }]
export function roofline(points, roofs, peak, { label, width = 620, height = 340 }) {
  const left = 66, bottom = 44, top = 14, right = 14;
  const svg = frame(width, height, label);
  const xs = points.map((one) => one.intensity).concat(roofs.map((one) => peak / one.peak));
  const x = scaleLog().domain([Math.min(...xs) / 4, Math.max(...xs) * 4]).range([left, width - right]);
  const low = Math.min(...points.map((one) => one.speed), peak / 100) / 2;
  const y = scaleLog().domain([low, peak * 2]).range([height - bottom, top]);
  svg.append("g").attr("transform", `translate(0,${height - bottom})`).call(ticks(axisBottom(x).ticks(5, "~g")));
  svg.append("g").attr("transform", `translate(${left},0)`).call(ticks(axisLeft(y).ticks(4, "~s")));
  svg.append("text").attr("x", (left + width - right) / 2).attr("y", height - 8).attr("text-anchor", "middle")
    .text("warp instructions per byte");
  svg.append("text").attr("transform", `translate(14,${(top + height - bottom) / 2}) rotate(-90)`).attr("text-anchor", "middle")
    .text("warp instructions per second");
  const path = lineOf().x((one) => x(one[0])).y((one) => y(one[1]));
  const [first, last] = x.domain();
  for (const [k, roof] of roofs.entries()) {
    const ridge = Math.min(last, Math.max(first, peak / roof.peak));
    const start = Math.max(first, low / roof.peak);
    svg.append("path").attr("class", "roof roof-" + k).attr("d",
      path([[start, start * roof.peak], [ridge, Math.min(peak, ridge * roof.peak)], [last, peak]]));
    const middle = Math.sqrt(start * ridge);
    const below = k === 0 || x(middle) < left + 130;
    svg.append("text").attr("class", "roof-name").attr("text-anchor", below ? "start" : "end").attr("x", x(middle) + (below ? 8 : -8))
      .attr("y", y(middle * roof.peak) + (below ? 10 : -2)).text(roof.name);
  }
  const marks = svg.append("g").selectAll("g").data(points).join("g")
    .attr("transform", (one) => `translate(${x(one.intensity)},${y(Math.max(low, one.speed))})`);
  marks.append("path").attr("class", (one) => "point point-" + one.roof)
    .attr("d", (one) => (one.roof === 0 ? "M0-6L6 0L0 6L-6 0Z" : "M-5-5H5V5H-5Z"));
  marks.append("text").attr("x", 9).attr("y", 4).text((one) => visible(one.name));
  marks.append("title").text((one) => visible(one.title));
  return svg.node();
}
