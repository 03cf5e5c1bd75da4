// @ts-check
/**
 * The rules of the banks in a browser: what accesses of a warp to shared memory cost, and what removes their conflicts.
 *
 * loadScratchpad(bytes) takes `scratchpad.wasm` or `scratchpad.wasm.gz` (build/release/web, target browser_wasm) as bytes and
 * gives a Scratchpad. The module needs no network, no files and no threads; a page's Content-Security-Policy must have
 * 'wasm-unsafe-eval' in script-src. From Node it works the same.
 *
 *     const scratchpad = await loadScratchpad(bytes);
 *     scratchpad.access({rules, offsets: [0, 128, 256], width: 4, kind: "load"}).wavefronts   // 3
 *
 * Every function takes one plain object and gives one. A question that cannot be answered gives {error: sentence}; nothing
 * throws. What the members have in common:
 *
 *   rules    the object `scratchpad` of bankshot/explain/1 (docs/json.md), which a GPU of `bankshot gpus --json` has as well;
 *            left out: 32 banks of 4 bytes
 *   hash     a spec as --hash takes it: "none", "xor", "bvxor:0,5,31", "swizzle:3,0,5", "rows:33,66,…"; it replaces the hash of
 *            the rules; left out: theirs
 *   offsets  a list with the byte offset of each lane, null for a lane that is off; at most 64. Multiples of `width`
 *   width    bytes that a lane accesses: 1, 2, 4 (default), 8 or 16
 *   kind     "load" (default), "store", "atomic", "increment", "cas", "copy", "ldmatrix"
 *   element_bytes  of the elements that CuTe's Swizzle counts: 1, 2, 4 (default), 8 or 16
 *   weight   how often the access happens; default 1
 *
 * Words are units of rules.bank_bytes, as banks count them; offsets are bytes.
 */

/**
 * @typedef {{word: number, bank: number, pass: number}} LaneWord  a word that a lane gets, from which bank, in which pass
 * @typedef {{offset: number, words: LaneWord[]}} Lane
 * @typedef {{bank: number, word: number, lanes: number[]}} BankService  several lanes: a broadcast
 * @typedef {{phase: number[], banks: BankService[]}} Pass  phase: the lanes that the banks serve together
 * @typedef {object} AccessAnswer
 * @property {string} [error]
 * @property {number} wavefronts  passes over the banks
 * @property {number} ideal       passes without conflicts
 * @property {number} conflicts   wavefronts - ideal
 * @property {number} position    of the wavefronts those due to lanes of atomics on one word
 * @property {string} class       "linear", "stride", "block", "broadcast" or "random"
 * @property {number} stride_bytes  of linear and stride, else 0
 * @property {number} banks
 * @property {number} bank_bytes
 * @property {(Lane | null)[]} lanes  as many as offsets; offset: with the padding
 * @property {Pass[]} passes  as many as wavefronts
 *
 * @typedef {object} HashAnswer
 * @property {string} [error]
 * @property {string} spec        as the command line takes it
 * @property {string} class       "bitvector-xor"
 * @property {string} form        as the XOR-hash paper writes it
 * @property {string} expression  C++ of the bank of word address `a`
 * @property {string[]} rows      bank bit i as text: "a0 ^ a5"; empty if the hash is not linear
 * @property {boolean} in_place   software can apply it without extra memory
 * @property {string | null} swizzle  "Swizzle<3,0,5>" of elements of element_bytes, if it is one of CuTe's
 * @property {string} cpp         C++ source of bank() and place()
 *
 * @typedef {object} SearchAnswer
 * @property {string} [error]
 * @property {HashAnswer} hash
 * @property {number} conflicts_before  of all accesses, weighted, with the hash of the question
 * @property {number} conflicts         with the hash that was found
 * @property {string} status       "optimal", "exhaustive", "best-found" (time ran out)
 * @property {boolean} best        nothing of the class has fewer conflicts
 * @property {number} lower_bound  no hash of the class has fewer conflicts than this
 * @property {number} evaluated    hashes whose conflicts were counted
 * @property {{proved: boolean, text: string, nodes: number} | null} check  of the certificate, by the checker that shares nothing
 *                                 with the search; null: the class is searched by trying all hashes, or time ran out
 * @property {string | null} certificate  the file for `bankshot verify`
 *
 * @typedef {object} PaddingAnswer
 * @property {string} [error]
 * @property {number} conflicts_before  without padding and without a hash
 * @property {{row_bytes: number, bytes: number, conflicts: number, extra_bytes: number} | null} padding  null: none can be
 */

/** Bytes of a gzip file, unpacked; other bytes as they are. @param {Uint8Array} bytes @return {Promise<Uint8Array>} */
async function unpacked(bytes) {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** An instance of the module. What it imports of WASI does nothing, but for the clock. @param {WebAssembly.Module} module */
function start(module) {
  /** @type {any} */
  let exports = null;
  /** @type {Record<string, Function>} */
  const wasi = {
    clock_time_get(/** @type {number} */ _clock, /** @type {bigint} */ _precision, /** @type {number} */ at) {
      new DataView(exports.memory.buffer).setBigUint64(at, BigInt(Math.round(performance.now() * 1e6)), true);
      return 0;
    },
    proc_exit() {
      throw new WebAssembly.RuntimeError("exit");
    },
  };
  const badFile = () => 8;  // EBADF: there are no files
  for (const { name } of WebAssembly.Module.imports(module)) wasi[name] ??= badFile;
  exports = new WebAssembly.Instance(module, { wasi_snapshot_preview1: /** @type {any} */ (wasi) }).exports;
  exports._initialize();
  return exports;
}

export class Scratchpad {
  /** @param {WebAssembly.Module} module */
  constructor(module) {
    this.module_ = module;
    this.exports_ = start(module);
  }

  /** @param {string} operation @param {object} question @return {any} */
  ask_(operation, question) {
    const bytes = new TextEncoder().encode(JSON.stringify({ ...question, operation }));
    try {
      const at = this.exports_.question(bytes.length);
      new Uint8Array(this.exports_.memory.buffer, at, bytes.length).set(bytes);
      const from = this.exports_.answer();
      const answer = new Uint8Array(this.exports_.memory.buffer, from, this.exports_.answer_size());
      return JSON.parse(new TextDecoder().decode(answer));
    } catch (problem) {
      this.exports_ = start(this.module_);  // what was in its memory is of no use
      return { error: `the question was not answered, as its computation stopped (${problem}): ask for fewer or simpler accesses` };
    }
  }

  /**
   * What one access costs.
   * @param {{rules?: object, hash?: string, offsets: (number | null)[], width?: number, kind?: string,
   *          padding?: {row_bytes: number, bytes: number} | null}} question  padding: the array's rows of row_bytes are made
   *        longer by bytes; both are multiples of 4
   * @return {AccessAnswer}
   */
  access(question) {
    return this.ask_("access", question);
  }

  /** The forms of a hash. @param {{rules?: object, hash?: string, element_bytes?: number}} question @return {HashAnswer} */
  hash(question) {
    return this.ask_("hash", question);
  }

  /**
   * The classes of hashes: how a spec is written, one for 32 banks, and by which name a search takes the class (null: it cannot be
   * searched).
   * @return {{classes: {word: string, syntax: string, example: string, summary: string, search: string | null}[]}}
   */
  hashClasses() {
    return this.ask_("hash_classes", {});
  }

  /**
   * The hash with the fewest conflicts. It blocks for time_limit_ms (2000) at most, and longer only to check the proof.
   * @param {{rules?: object, hash?: string, accesses: {offsets: (number | null)[], width?: number, kind?: string,
   *          weight?: number}[], element_bytes?: number, class?: string, in_place?: boolean, time_limit_ms?: number}} question  class: "best" (any XOR
   *        hash, a simple one of equals; default) or a name of hashClasses(); in_place (default true): only hashes that
   *        software can apply without extra memory
   * @return {SearchAnswer}
   */
  search(question) {
    return this.ask_("search", question);
  }

  /**
   * The padding of rows with the fewest conflicts, of equals the one that takes the least memory. Rows are powers of two.
   * @param {{rules?: object, accesses: object[], bytes: number, element_bytes?: number, row_bytes?: number}} question
   *        accesses: as in search; bytes: of the array; row_bytes: of the rows that the source has, chosen of equals
   * @return {PaddingAnswer}
   */
  padding(question) {
    return this.ask_("padding", question);
  }
}

/** @param {Uint8Array} bytes  scratchpad.wasm, or scratchpad.wasm.gz @return {Promise<Scratchpad>} */
export async function loadScratchpad(bytes) {
  return new Scratchpad(await WebAssembly.compile(/** @type {BufferSource} */ (await unpacked(bytes))));
}
