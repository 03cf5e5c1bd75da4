// @ts-check
/**
 * Integer expressions as people write them in kernels: `(ty * 33 + tx)`, `tid * stride`, `lane < 16 ? lane : 0`.
 *
 * Precedence and division are those of C++; numbers have 64 bits. parse() gives an Expression or throws a Mistake, which has the
 * position of what is wrong and what to do. evaluate() throws a Mistake, too: a division by zero has a place.
 */

/** What is wrong, where, and what to do. */
export class Mistake extends Error {
  /** @param {string} message @param {number} at  first character @param {number} length  characters */
  constructor(message, at, length = 1) {
    super(message);
    this.at = at;
    this.length = Math.max(1, length);
  }
}

/** @typedef {(name: string) => bigint} Lookup  the value of a name */
/** @typedef {(lookup: Lookup, calls: Record<string, Function>) => bigint} Node */

/** Names with a value of their own, and what they are. */
export const KNOWN_NAMES = {
  tid: "thread of the block, counted along x, then y, then z",
  tx: "threadIdx.x",
  ty: "threadIdx.y",
  tz: "threadIdx.z",
  lane: "lane of the warp",
  warp: "warp of the block",
  bx: "blockDim.x",
  by: "blockDim.y",
  bz: "blockDim.z",
};
const ALIASES = new Map([
  ["threadIdx.x", "tx"], ["threadIdx.y", "ty"], ["threadIdx.z", "tz"],
  ["blockDim.x", "bx"], ["blockDim.y", "by"], ["blockDim.z", "bz"],
  ["laneId", "lane"], ["lane_id", "lane"], ["warpId", "warp"], ["warp_id", "warp"],
]);
/** Functions and their numbers of arguments. */
export const FUNCTIONS = { min: 2, max: 2, swizzle: 4, layout: 1 };

const wrap = (/** @type {bigint} */ value) => BigInt.asIntN(64, value);
const truth = (/** @type {boolean} */ value) => (value ? 1n : 0n);

/** Binary operators by precedence, loosest first. @type {string[][]} */
const LEVELS = [["||"], ["&&"], ["|"], ["^"], ["&"], ["==", "!="], ["<", "<=", ">", ">="], ["<<", ">>"], ["+", "-"], ["*", "/", "%"]];

/** @type {Record<string, (a: bigint, b: bigint) => bigint>} */
const OPERATIONS = {
  "|": (a, b) => a | b, "^": (a, b) => a ^ b, "&": (a, b) => a & b,
  "==": (a, b) => truth(a === b), "!=": (a, b) => truth(a !== b),
  "<": (a, b) => truth(a < b), "<=": (a, b) => truth(a <= b), ">": (a, b) => truth(a > b), ">=": (a, b) => truth(a >= b),
  "<<": (a, b) => a << b, ">>": (a, b) => a >> b,
  "+": (a, b) => a + b, "-": (a, b) => a - b, "*": (a, b) => a * b, "/": (a, b) => a / b, "%": (a, b) => a % b,
};

/** @typedef {{kind: "number" | "name" | "sign" | "end", text: string, at: number}} Token */

const TOKEN = /\s+|(0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)([uUlL]*)|([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)?)|(<<|>>|<=|>=|==|!=|&&|\|\||[-+*\/%&|^~!<>?:(),])/y;

/** @param {string} text @return {Token[]} */
function tokens(text) {
  /** @type {Token[]} */
  const all = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const at = TOKEN.lastIndex;
    const match = TOKEN.exec(text);
    if (match === null) throw new Mistake(unexpectedCharacter(text[at]), at);
    if (match[1] !== undefined) {
      const next = text[TOKEN.lastIndex];
      if (next !== undefined && /[\w.]/.test(next))
        throw new Mistake("only whole numbers are understood: 12, 0x1f, 0b101", at, match[0].length + 1);
      all.push({ kind: "number", text: match[1], at });
    } else if (match[3] !== undefined) {
      all.push({ kind: "name", text: match[3], at });
    } else if (match[4] !== undefined) {
      all.push({ kind: "sign", text: match[4], at });
    }
  }
  all.push({ kind: "end", text: "", at: text.length });
  return all;
}

/** @param {string} character */
function unexpectedCharacter(character) {
  if (character === "[" || character === "]") return "write the index alone, without the array and its brackets";
  if (character === "=") return "an expression assigns nothing; compare with ==";
  if (character === ";") return "write one expression, without a semicolon";
  if (character === ".") return "only whole numbers are understood: 12, 0x1f, 0b101";
  return `“${character}” is no part of an expression`;
}

export class Expression {
  /** @param {Node} root @param {string[]} variables @param {boolean} usesLayout */
  constructor(root, variables, usesLayout) {
    this.root_ = root;
    /** Names that have no value of their own, in order of appearance. */
    this.variables = variables;
    this.usesLayout = usesLayout;
  }

  /**
   * @param {Map<string, bigint>} values  of the known names and the variables
   * @param {Record<string, Function>} calls  `layout`, if it is used
   */
  evaluate(values, calls = {}) {
    return this.root_((name) => values.get(name) ?? 0n, calls);
  }
}

class Parser {
  /** @param {string} text */
  constructor(text) {
    this.tokens_ = tokens(text);
    this.next_ = 0;
    this.depth_ = 0;
    /** @type {string[]} */
    this.variables = [];
    this.usesLayout = false;
  }

  get token() {
    return this.tokens_[this.next_];
  }
  /** @param {string} sign */
  takes(sign) {
    if (this.token.kind !== "sign" || this.token.text !== sign) return false;
    ++this.next_;
    return true;
  }
  /** @param {string} sign @param {string} message */
  expect(sign, message) {
    if (!this.takes(sign)) throw new Mistake(message, this.token.at, this.token.text.length);
  }

  whole() {
    const root = this.choice();
    const rest = this.token;
    if (rest.kind !== "end") {
      const message = rest.text === ")" ? "this parenthesis closes nothing: remove it, or open one before"
        : rest.text === "," ? "a comma separates arguments of a function; write one expression"
        : `an operator such as + or * is missing before “${rest.text}”`;
      throw new Mistake(message, rest.at, rest.text.length);
    }
    return root;
  }

  /** @return {Node} */
  choice() {
    if (++this.depth_ > 100) throw new Mistake("too many parentheses within each other", this.token.at);
    const condition = this.binary(0);
    let result = condition;
    if (this.takes("?")) {
      const yes = this.choice();
      this.expect(":", "“:” and the other value of ?: are missing here");
      const no = this.choice();
      result = (lookup, calls) => (condition(lookup, calls) !== 0n ? yes(lookup, calls) : no(lookup, calls));
    }
    --this.depth_;
    return result;
  }

  /** @param {number} level @return {Node} */
  binary(level) {
    if (level === LEVELS.length) return this.unary();
    let left = this.binary(level + 1);
    while (this.token.kind === "sign" && LEVELS[level].includes(this.token.text)) {
      const { text, at } = this.token;
      ++this.next_;
      left = this.operation(text, at, left, this.binary(level + 1));
    }
    return left;
  }

  /** @param {string} sign @param {number} at @param {Node} left @param {Node} right @return {Node} */
  operation(sign, at, left, right) {
    if (sign === "&&") return (l, c) => truth(left(l, c) !== 0n && right(l, c) !== 0n);
    if (sign === "||") return (l, c) => truth(left(l, c) !== 0n || right(l, c) !== 0n);
    const compute = OPERATIONS[sign];
    const divides = sign === "/" || sign === "%", shifts = sign === "<<" || sign === ">>";
    return (lookup, calls) => {
      const a = left(lookup, calls), b = right(lookup, calls);
      if (divides && b === 0n) throw new Mistake("division by zero: make sure that what follows is never 0", at);
      if (shifts && (b < 0n || b > 63n)) throw new Mistake(`a shift by ${b}: it must be from 0 to 63`, at, 2);
      return wrap(compute(a, b));
    };
  }

  /** @return {Node} */
  unary() {
    if (++this.depth_ > 100) throw new Mistake("too many operators within each other", this.token.at);
    try {
      if (this.takes("+")) return this.unary();
      if (this.takes("-")) return this.applied((value) => wrap(-value));
      if (this.takes("~")) return this.applied((value) => ~value);
      if (this.takes("!")) return this.applied((value) => truth(value === 0n));
      return this.primary();
    } finally {
      --this.depth_;
    }
  }
  /** @param {(value: bigint) => bigint} change @return {Node} */
  applied(change) {
    const operand = this.unary();
    return (lookup, calls) => change(operand(lookup, calls));
  }

  /** @return {Node} */
  primary() {
    const token = this.token;
    if (token.kind === "number") {
      ++this.next_;
      const value = BigInt(token.text);
      if (value > 0x7fffffffffffffffn) throw new Mistake("this number has more than 63 bits", token.at, token.text.length);
      return () => value;
    }
    if (token.kind === "name") {
      ++this.next_;
      if (this.token.kind === "sign" && this.token.text === "(") return this.call(token);
      return this.name(token);
    }
    if (this.takes("(")) {
      const inside = this.choice();
      if (this.token.kind === "end") throw new Mistake("this parenthesis is never closed: add “)”", token.at);
      this.expect(")", "“)” is missing here");
      return inside;
    }
    if (token.kind === "end")
      throw new Mistake(token.at === 0 ? "type an index, for example tid * stride" : "a value is missing at the end",
                        token.at);
    throw new Mistake(`a value is missing before “${token.text}”`, token.at, token.text.length);
  }

  /** @param {Token} token @return {Node} */
  name(token) {
    const name = ALIASES.get(token.text) ?? token.text;
    if (name.includes("."))
      throw new Mistake(`“${name}” has no value here; there are threadIdx.x, .y, .z and blockDim.x, .y, .z`, token.at, token.text.length);
    if (Object.hasOwn(FUNCTIONS, name))
      throw new Mistake(`${name} is a function: write ${name}(…)`, token.at, token.text.length);
    if (!Object.hasOwn(KNOWN_NAMES, name) && !this.variables.includes(name)) {
      if (this.variables.length === 12) throw new Mistake("more than 12 variables", token.at, token.text.length);
      this.variables.push(name);
    }
    return (lookup) => lookup(name);
  }

  /** @param {Token} token @return {Node} */
  call(token) {
    const name = /** @type {keyof typeof FUNCTIONS} */ (token.text);
    if (!Object.hasOwn(FUNCTIONS, name))
      throw new Mistake(`there is no function “${name}”; there are ${Object.keys(FUNCTIONS).join(", ")}. For a product write *`,
                        token.at, token.text.length);
    this.expect("(", "“(” is missing here");
    /** @type {Node[]} */
    const given = [];
    do given.push(this.choice());
    while (this.takes(","));
    if (this.token.kind === "end") throw new Mistake("the parenthesis of this function is never closed: add “)”", token.at, name.length);
    this.expect(")", "“,” or “)” is missing here");
    if (given.length !== FUNCTIONS[name])
      throw new Mistake(`${name} takes ${FUNCTIONS[name]} argument${FUNCTIONS[name] === 1 ? "" : "s"}, not ${given.length}`, token.at, name.length);
    if (name === "layout") this.usesLayout = true;
    return (lookup, calls) => called(name, given.map((argument) => argument(lookup, calls)), calls, token);
  }
}

/** @param {string} name @param {bigint[]} values @param {Record<string, Function>} calls @param {Token} token */
function called(name, values, calls, token) {
  if (name === "min") return values[0] < values[1] ? values[0] : values[1];
  if (name === "max") return values[0] > values[1] ? values[0] : values[1];
  if (name === "layout") return calls.layout(values[0]);
  const [b, m, s, index] = values;
  if (b < 0n || m < 0n || b + m > 48n || s < -48n || s > 48n)
    throw new Mistake("swizzle(B, M, S, index): B, M and S must be small numbers, B and M not negative", token.at, 7);
  return swizzled(b, m, s, index);
}

/** CuTe's Swizzle<B,M,S>: idx ^ ((idx & yyy) >> S). @param {bigint} b @param {bigint} m @param {bigint} s @param {bigint} index */
export function swizzled(b, m, s, index) {
  const ones = (1n << b) - 1n;
  if (s >= 0n) return index ^ ((index & (ones << (m + s))) >> s);
  return index ^ ((index & (ones << m)) << -s);
}

/** @param {string} text @return {Expression} */
export function parse(text) {
  const parser = new Parser(text);
  const root = parser.whole();
  return new Expression(root, parser.variables, parser.usesLayout);
}
