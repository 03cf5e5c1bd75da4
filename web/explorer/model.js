// @ts-check
/**
 * What the user asks: an index expression and what it is counted for. From it the offsets of every warp, and the text of the URL
 * that shares it.
 */
import { Mistake, parse } from "./expression.js";
import { parseLayout } from "./layout.js";

/**
 * @typedef {object} Question
 * @property {string} expression
 * @property {string} layout    CuTe layout of layout(…)
 * @property {number} element   bytes that the index counts
 * @property {number} width     bytes that a lane accesses
 * @property {string} kind
 * @property {string} gpu       name in gpus.json
 * @property {string} hash      a spec; empty: the GPU's own
 * @property {{row_bytes: number, bytes: number} | null} padding
 * @property {[number, number, number]} block
 * @property {number | "all"} warp
 * @property {Map<string, number>} variables
 */

/** @typedef {{name: string, gpu: string, warp_size: number, default: boolean, shared_per_block: number, scratchpad: any}} Gpu */

export const WIDTHS = [1, 2, 4, 8, 16];
export const KINDS = {
  load: "load", store: "store", atomic: "atomic", increment: "atomic, adds 1, result unused", cas: "compare-and-swap",
  copy: "cp.async", ldmatrix: "ldmatrix",
};
export const MOST_THREADS = 1024;

/** What can be picked to start from. @type {{name: string, about: string, set: Partial<Question>, values?: Record<string, number>}[]} */
export const PRESETS = [
  { name: "Stride", about: "Each thread reads an element `stride` further.",
    set: { expression: "tid * stride", element: 4, width: 4, block: [32, 1, 1] }, values: { stride: 32 } },
  { name: "Tile by row", about: "A row of a 2-D tile per warp: neighbours read neighbours.",
    set: { expression: "ty * (columns + pad) + tx", element: 4, width: 4, block: [32, 8, 1] }, values: { columns: 32, pad: 0 } },
  { name: "Tile by column", about: "The same tile read by columns, as in a matrix transpose.",
    set: { expression: "tx * (columns + pad) + ty", element: 4, width: 4, block: [32, 8, 1] }, values: { columns: 32, pad: 0 } },
  { name: "Struct", about: "One member of an array of structs of `size` bytes.",
    set: { expression: "tid * size + member", element: 1, width: 4, block: [32, 1, 1] }, values: { size: 16, member: 0 } },
  { name: "ldmatrix", about: "Rows of 16 bytes of a half-precision tile, for tensor cores (ldmatrix.x4).",
    set: { expression: "lane % 16 * pitch + lane / 16 * 16", element: 1, width: 16, kind: "ldmatrix", block: [32, 1, 1] }, values: { pitch: 128 } },
  { name: "CuTe layout", about: "8 halves a lane through a layout; try the swizzle away.",
    set: { expression: "layout(lane % 8 + 64 * (lane / 8))", layout: "Swizzle<3,3,3> o (8,64):(64,1)", element: 2, width: 16, block: [32, 1, 1] } },
  { name: "Histogram", about: "Atomics: lanes on one word wait for each other.",
    set: { expression: "tid * 7 % bins", element: 4, width: 4, kind: "atomic", block: [32, 1, 1] }, values: { bins: 16 } },
];

export const FIRST_PRESET = PRESETS[2];

/** @param {string} gpu @return {Question} */
export function firstQuestion(gpu) {
  return presetQuestion(FIRST_PRESET, {
    expression: "", layout: "", element: 4, width: 4, kind: "load", gpu, hash: "", padding: null, block: [32, 1, 1], warp: 0, variables: new Map(),
  });
}

/** A preset keeps the GPU; the rest is as it says. @param {typeof PRESETS[0]} preset @param {Question} from @return {Question} */
export function presetQuestion(preset, from) {
  return {
    ...from, layout: "", kind: "load", hash: "", padding: null, warp: 0, ...structuredClone(preset.set),
    variables: new Map(Object.entries(preset.values ?? {})),
  };
}

// ---- the URL

/** @param {Question} question */
export function toFragment(question) {
  const text = new URLSearchParams();
  text.set("e", question.expression);
  if (question.layout !== "") text.set("layout", question.layout);
  text.set("gpu", question.gpu);
  text.set("block", question.block.join("x"));
  text.set("element", String(question.element));
  text.set("width", String(question.width));
  if (question.kind !== "load") text.set("kind", question.kind);
  if (question.hash !== "") text.set("hash", question.hash);
  if (question.padding !== null) text.set("padding", `${question.padding.row_bytes}+${question.padding.bytes}`);
  if (question.warp !== 0) text.set("warp", String(question.warp));
  for (const [name, value] of question.variables) text.set(`v.${name}`, String(value));
  return text.toString().replaceAll("+", "%20");
}

/** A whole number of a text within limits, or what else. @template T @param {string | null} text @param {number} least
 *  @param {number} most @param {T} otherwise @return {number | T} */
function whole(text, least, most, otherwise) {
  if (text === null || !/^-?\d{1,9}$/.test(text)) return otherwise;
  const value = Number(text);
  return value >= least && value <= most ? value : otherwise;
}

/** @param {string | null} text @param {[number, number, number]} otherwise @return {[number, number, number]} */
function blockOf(text, otherwise) {
  const sizes = (text ?? "").split("x").map((part) => whole(part, 1, MOST_THREADS, 0));
  if (sizes.length !== 3 || sizes.includes(0) || sizes[0] * sizes[1] * sizes[2] > MOST_THREADS) return otherwise;
  return /** @type {[number, number, number]} */ (sizes);
}

/** What a URL says; what it does not say, or says wrongly, is as in `first`. @param {string} fragment @param {Question} first
 *  @param {Gpu[]} gpus @return {Question} */
export function fromFragment(fragment, first, gpus) {
  const text = new URLSearchParams(fragment.replace(/^#/, "").replaceAll("+", "%2B"));  // people write tid*2+1
  if (!text.has("e")) return first;
  const choice = (/** @type {string} */ key, /** @type {string[]} */ known, /** @type {string} */ otherwise) =>
    known.includes(text.get(key) ?? "") ? /** @type {string} */ (text.get(key)) : otherwise;
  const size = (/** @type {string} */ key) => Number(choice(key, WIDTHS.map(String), "4"));
  const padding = /^(\d{1,7})\+(\d{1,4})$/.exec(text.get("padding") ?? "");
  /** @type {Map<string, number>} */
  const variables = new Map();
  for (const [key, value] of text) {
    if (/^v\.[A-Za-z_]\w{0,40}$/.test(key)) variables.set(key.slice(2), whole(value, -1e9, 1e9, 0));
  }
  return {
    expression: (text.get("e") ?? "").slice(0, 1000),
    layout: (text.get("layout") ?? "").slice(0, 1000),
    element: size("element"),
    width: size("width"),
    kind: choice("kind", Object.keys(KINDS), "load"),
    gpu: choice("gpu", gpus.map((gpu) => gpu.name), first.gpu),
    hash: (text.get("hash") ?? "").slice(0, 200),
    padding: padding === null ? null : { row_bytes: Number(padding[1]), bytes: Number(padding[2]) },
    block: blockOf(text.get("block"), [32, 1, 1]),
    warp: text.get("warp") === "all" ? "all" : whole(text.get("warp"), 0, MOST_THREADS, 0),
    variables,
  };
}

// ---- offsets

/** The values of the known names, by thread. @param {number} thread @param {Question} question @param {number} warpSize */
function namesOf(thread, question, warpSize) {
  const [bx, by, bz] = question.block;
  /** @type {Record<string, number>} */
  const names = {
    tid: thread, tx: thread % bx, ty: Math.floor(thread / bx) % by, tz: Math.floor(thread / bx / by),
    lane: thread % warpSize, warp: Math.floor(thread / warpSize), bx, by, bz,
  };
  return names;
}

/** A mistake that belongs to another field than the expression. */
export class LayoutMistake extends Mistake {}

/** @param {string} text */
function layoutOf(text) {
  if (text.trim() === "") throw new LayoutMistake("type the layout that layout(…) uses, for example (32,32):(32,1)", 0);
  try {
    return parseLayout(text);
  } catch (problem) {
    if (problem instanceof Mistake) throw new LayoutMistake(problem.message, problem.at, problem.length);
    throw problem;
  }
}

/**
 * The byte offsets of each warp's lanes, null for lanes behind the end of the block.
 * @param {Question} question @param {number} warpSize
 * @return {{warps: (number | null)[][], names: string[], usesLayout: boolean}}  names: the variables of the expression
 * @throws {Mistake}
 */
export function offsetsOf(question, warpSize) {
  const expression = parse(question.expression);
  const calls = expression.usesLayout ? { layout: layoutOf(question.layout).offset } : {};
  const threads = question.block[0] * question.block[1] * question.block[2];
  /** @type {(number | null)[][]} */
  const warps = [];
  const values = new Map(expression.variables.map((name) => [name, BigInt(question.variables.get(name) ?? 1)]));
  for (let thread = 0; thread < Math.ceil(threads / warpSize) * warpSize; ++thread) {
    if (thread % warpSize === 0) warps.push([]);
    if (thread >= threads) {
      warps[warps.length - 1].push(null);
      continue;
    }
    const names = namesOf(thread, question, warpSize);
    for (const name in names) values.set(name, BigInt(names[name]));
    const index = expression.evaluate(values, calls);
    const offset = index * BigInt(question.element);
    if (offset < 0n || offset > 0xffffff00n) {
      throw new Mistake(`thread ${thread} (tx ${names.tx}, ty ${names.ty}): the index is ${index}, ${offset < 0n ? "but offsets start at 0" : "which is beyond 4 GB"}`,
                        0, question.expression.length);
    }
    warps[warps.length - 1].push(Number(offset));
  }
  return { warps, names: expression.variables, usesLayout: expression.usesLayout };
}

/** The accesses, with the banks of the GPU, as a file for `bankshot conflicts` and `bankshot search`. Like every such file it has no
 *  hash. @param {Question} question @param {Gpu} gpu
 *  @param {(number | null)[][]} warps  offsets with the padding @return {string | null}  null: an offset is beyond what such a file can name */
export function patternsFile(question, gpu, warps) {
  const words = warps.map((lanes) => lanes.map((offset) => (offset === null ? null : Math.floor(offset / 4))));
  const highest = Math.max(0, ...words.flat().map((word) => (word ?? 0) + Math.max(1, question.width / 4) - 1));
  const bits = Math.max(14, Math.ceil(Math.log2(highest + 1)));
  if (bits > 16) return null;
  const { hash, ...banks } = gpu.scratchpad;
  const patterns = words.map((addresses) => ({ width: question.width, kind: question.kind, addresses }));
  return JSON.stringify({ schema: "bankshot/patterns/1", ...banks, warp_size: gpu.warp_size, address_bits: bits, patterns });
}
