// @ts-check
/**
 * CuTe layouts as CuTe prints them: `(32,(4,8)):(1,(32,128))`, also behind a swizzle: `Swizzle<3,3,3> o (8,64):(64,1)`.
 *
 * A layout maps an index to an offset: the index is split into coordinates, the first mode fastest, and each is multiplied by
 * its stride. The last mode takes what is left, as in CuTe.
 */
import { Mistake, swizzled } from "./expression.js";

/** @typedef {number | Tree[]} Tree */

class Reader {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
    this.at = 0;
  }
  space() {
    while (/\s/.test(this.text[this.at] ?? "")) ++this.at;
  }
  /** @param {string} sign */
  takes(sign) {
    this.space();
    if (!this.text.startsWith(sign, this.at)) return false;
    this.at += sign.length;
    return true;
  }
  /** @param {RegExp} pattern  sticky */
  matches(pattern) {
    this.space();
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.text);
    if (match !== null) this.at = pattern.lastIndex;
    return match;
  }

  /** A number or a tuple. @param {string} what @param {number} depth @return {Tree} */
  tree(what, depth = 0) {
    const number = this.matches(/_?(\d{1,9})(?!\d)/y);  // static integers are printed as _8
    if (number !== null) return Number(number[1]);
    if (!this.takes("(")) throw new Mistake(`a number or “(” of the ${what} is missing here`, this.at);
    if (depth > 8) throw new Mistake("too many parentheses within each other", this.at);
    /** @type {Tree[]} */
    const members = [];
    do members.push(this.tree(what, depth + 1));
    while (this.takes(","));
    if (!this.takes(")")) throw new Mistake("“,” or “)” is missing here", this.at);
    return members;
  }
}

/** Shape and stride side by side, flat. @param {Tree} shape @param {Tree} stride @param {number} at
 *  @return {{size: bigint, stride: bigint}[]} */
function modes(shape, stride, at) {
  if (typeof shape === "number") {
    if (typeof stride !== "number") throw new Mistake("the stride has a tuple where the shape has a number", at);
    if (shape < 1) throw new Mistake("a shape has no mode of size 0", at);
    return [{ size: BigInt(shape), stride: BigInt(stride) }];
  }
  if (typeof stride === "number" || stride.length !== shape.length)
    throw new Mistake(`the stride must have as many members as the shape, ${shape.length}, wherever that has a tuple`, at);
  return shape.flatMap((member, k) => modes(member, stride[k], at));
}

/** Strides of a layout that is given by its shape alone: the first mode is contiguous. @param {Tree} shape
 *  @param {{next: number}} from @return {Tree} */
function compact(shape, from = { next: 1 }) {
  if (typeof shape !== "number") return shape.map((member) => compact(member, from));
  const stride = from.next;
  from.next *= shape;
  if (!Number.isSafeInteger(from.next)) throw new Mistake("the layout has more elements than any memory", 0);
  return stride;
}

/**
 * @param {string} text
 * @return {{offset: (index: bigint) => bigint, size: number}}  offset of an index; how many indices there are
 */
export function parseLayout(text) {
  const reader = new Reader(text);
  const swizzle = reader.matches(/S(?:wizzle|w)?\s*<\s*(\d{1,2})\s*,\s*(\d{1,2})\s*,\s*(-?\d{1,2})\s*>/y);
  if (swizzle !== null && reader.matches(/(?:o|∘)\s+(?:(?:smem_ptr\S*|_0|0)\s*(?:o|∘)\s+)?/y) === null)
    throw new Mistake("“o” and a layout must follow the swizzle: Swizzle<3,3,3> o (8,64):(64,1)", reader.at);
  const shape = reader.tree("shape");
  const strideAt = reader.at;
  const stride = reader.takes(":") ? reader.tree("stride") : compact(shape);
  reader.space();
  if (reader.at < text.length) throw new Mistake("a layout is shape:stride, for example (32,32):(32,1); unexpected text after the layout", reader.at, text.length - reader.at);
  const all = modes(shape, stride, strideAt);
  const size = all.reduce((product, mode) => product * Number(mode.size), 1);
  const [b, m, s] = swizzle === null ? [0n, 0n, 0n] : swizzle.slice(1).map(BigInt);
  return {
    size,
    offset(index) {
      let rest = index, sum = 0n;
      all.forEach((mode, k) => {
        const coordinate = k + 1 === all.length ? rest : rest % mode.size;
        sum += coordinate * mode.stride;
        rest /= mode.size;
      });
      return swizzle === null ? sum : swizzled(b, m, s, sum);
    },
  };
}
