// What the words of the page mean.
import { h } from "./dom.js";

const ACCESSES = [
  ["bank", "Shared memory is divided into banks. Each delivers one word (or one for each port) in a pass."],
  ["wavefront", "One pass of shared memory over its banks. An access whose lanes want different words of one bank needs several."],
  ["ideal", "The wavefronts that an access would need if no two of its words were in one bank."],
  ["conflict", "A wavefront above the ideal. An access of 32 wavefronts whose ideal is 1 has 31 conflicts; wasted is their share of all wavefronts."],
  ["mean, worst", "Wavefronts of one access of an instruction, on average and at most."],
  ["linear", "A pattern: neighbouring lanes are one access width apart."],
  ["stride S", "A pattern: neighbouring lanes are a constant distance of S words apart."],
  ["block", "A pattern: the lanes cover rows of a two-dimensional tile."],
  ["broadcast", "A pattern: all lanes access one word."],
  ["random", "Any other pattern."],
];
const CYCLES = [
  ["IPC", "Warp instructions that an SM issues in a cycle, over the cycles in which it has a CTA."],
  ["occupancy", "Warps that an active SM holds on average, and the most that it can hold."],
  ["issue slot", "What a scheduler can issue in a cycle. Every slot of every cycle issued an instruction or waited for one cause."],
  ["active SM", "An SM with a CTA. Small launches leave most SMs without one."],
  ["exposed", "Cycles of conflicts in which an SM issued nothing and a warp waited for shared memory. The others are hidden behind other work."],
];

/// Closed until somebody asks. @param report  says which words its views use
export function glossary(report) {
  const words = [...(report.findings ? [] : ACCESSES), ...(report.config ? CYCLES : [])];
  return words.length > 0 && h("details", { class: "words" }, h("summary", null, "What the words mean"),
    h("dl", { class: "facts" }, words.map(([word, meaning]) => [h("dt", null, word), h("dd", null, meaning)])));
}
