// @ts-check
/** How many different words each bank has to deliver, as bars. Where an access has several phases, those of the fullest. */
import { axisBottom, axisLeft } from "d3-axis";
import { scaleBand, scaleLinear } from "d3-scale";
import { select } from "d3-selection";

/** @typedef {import("../scratchpad.js").AccessAnswer} AccessAnswer */

/** By bank the most passes that it is busy in any phase. @param {AccessAnswer} access @return {number[]} */
export function bankLoads(access) {
  const most = new Array(access.banks).fill(0);
  /** @type {Map<string, number[]>} */
  const byPhase = new Map();
  for (const pass of access.passes) {
    const phase = pass.phase.join();
    const loads = byPhase.get(phase) ?? new Array(access.banks).fill(0);
    byPhase.set(phase, loads);
    for (const bank of new Set(pass.banks.map((service) => service.bank))) most[bank] = Math.max(most[bank], ++loads[bank]);
  }
  return most;
}

/** @param {Element} element @param {AccessAnswer} access */
export function drawHistogram(element, access) {
  const loads = bankLoads(access), top = Math.max(2, ...loads);
  const width = 480, height = 150, left = 28, bottom = 22;
  const x = scaleBand().domain(loads.map((_, bank) => String(bank))).range([left, width]).paddingInner(0.18);
  const y = scaleLinear().domain([0, top]).nice().range([height - bottom, 6]);
  const busy = loads.filter((load) => load > 0).length, fullest = Math.max(...loads);
  element.replaceChildren();
  const svg = select(element).append("svg").attr("class", "histogram").attr("viewBox", `0 0 ${width} ${height}`)
    .attr("role", "img")
    .attr("aria-label", `Passes by bank: ${busy} of ${access.banks} banks are busy, the fullest in ${fullest} ${fullest === 1 ? "pass" : "passes"} of a phase.`);
  svg.append("g").attr("transform", `translate(${left},0)`).call(axisLeft(y).ticks(Math.min(5, top)).tickFormat((value) => String(value)).tickSizeOuter(0).tickSizeInner(-(width - left)));
  svg.append("g").attr("transform", `translate(0,${height - bottom})`)
    .call(axisBottom(x).tickValues(x.domain().filter((_, bank) => bank % Math.ceil(access.banks / 8) === 0)).tickSizeOuter(0));
  svg.append("g").selectAll("rect").data(loads).enter().append("rect")
    .attr("class", (load) => (load > 1 ? "over" : "once"))
    .attr("x", (_, bank) => x(String(bank)) ?? 0).attr("width", x.bandwidth()).attr("rx", 2)
    .attr("y", (load) => y(load)).attr("height", (load) => y(0) - y(load))
    .append("title").text((load, bank) => `bank ${bank}: ${load}`);
}
