// @ts-check
/** The best hash, Swizzle or padding for a question, and how it is shown. */
import { make } from "./dom.js";

/** @typedef {import("./model.js").Question} Question */
/** @typedef {import("../scratchpad.js").Scratchpad} Scratchpad */
/**
 * @typedef {object} Answer
 * @property {string} [error]
 * @property {string} title        "bank(a) = (a & 31) ^ ((a >> 5) & 31)"
 * @property {string} facts        what it removes
 * @property {string} [proof]      why nothing is better
 * @property {boolean} [proved]
 * @property {string[][]} [forms]  names and texts of how it is written
 * @property {string} [cpp]
 * @property {string | null} [certificate]
 * @property {Partial<Question>} [change]  what applying it changes
 */

const number = (/** @type {number} */ value) => value.toLocaleString("en");
const conflictsText = (/** @type {number} */ count) => (count === 0 ? "no conflicts" : count === 1 ? "1 conflict" : `${number(count)} conflicts`);

/** Least padding first: elements that a variable `pad` may have. */
const MOST_PAD = 32;

/** Whether nothing of the class is better: the checker's word wherever there is a proof to check, never the search's alone.
 *  @param {import("../scratchpad.js").SearchAnswer} found */
function isProved(found) {
  return found.conflicts === 0 || (found.check === null ? found.status === "exhaustive" : found.check.proved);
}

/** @param {import("../scratchpad.js").SearchAnswer} found @param {string} hashClass */
function proofText(found, hashClass) {
  const kind = hashClass === "swizzle" ? "Swizzle" : "XOR hash that permutes words inside their rows";
  if (found.conflicts === 0) return "Nothing is better than no conflicts.";
  const nodes = found.check !== null && found.check.nodes > 0 ? ` (${number(found.check.nodes)} nodes)` : "";
  if (found.check?.proved)
    return `Proved: no ${kind} has fewer. The proof was checked here by code that shares nothing with the search${nodes}.`;
  if (found.check !== null) return `Not proved: the checker did not accept the proof of the search: ${found.check.text}`;
  if (found.status === "exhaustive") return `All ${number(found.evaluated)} were tried: no ${kind} has fewer.`;
  return `Not proved: time ran out. By the search alone, no ${kind} has fewer than ${number(found.lower_bound)}.`;
}

/** @param {import("../scratchpad.js").SearchAnswer} found @param {string} hashClass */
function hashTitle(found, hashClass) {
  if (found.conflicts_before === 0) return "There are no conflicts to remove";
  if (found.conflicts < found.conflicts_before)
    return hashClass === "swizzle" && found.hash.swizzle !== null ? found.hash.swizzle : `bank(a) = ${found.hash.expression}`;
  if (isProved(found)) return "No hash removes any of these conflicts";
  return found.best ? "No better hash was found" : "No better hash was found in 2 seconds";
}

/** @param {Scratchpad} scratchpad @param {any} asked @param {string} without  what of the question is not asked for: "without the hash that is set",
 *  or empty @return {Answer} */
export function hashAnswer(scratchpad, asked, without) {
  const found = scratchpad.search(asked);
  if (found.error !== undefined) return { error: found.error, title: "", facts: "" };
  const gain = found.conflicts < found.conflicts_before;
  const { hash } = found;
  const forms = [["--hash", hash.spec], ["XOR-hash paper", hash.form], ["bank bits of word a", hash.rows.join(", ")]];
  if (hash.swizzle !== null) forms.unshift([`CuTe, elements of ${asked.element_bytes} ${asked.element_bytes === 1 ? "byte" : "bytes"}`, hash.swizzle]);
  return {
    title: hashTitle(found, asked.class),
    facts: gain ? `${conflictsText(found.conflicts)} instead of ${number(found.conflicts_before)}${without === "" ? "" : ` ${without}`}`
      : `${conflictsText(found.conflicts_before)} ${without || "as it is"}`,
    proof: proofText(found, asked.class),
    proved: isProved(found),
    ...(gain ? { forms, cpp: hash.cpp, change: { hash: hash.spec, padding: null } } : {}),
    certificate: found.check?.proved ? found.certificate : null,
  };
}

/**
 * A variable `pad` of the expression is tried from 0 up; else rows of any power of two are made longer.
 * @param {Scratchpad} scratchpad @param {Question} bare  without hash and padding @param {object} rules @param {any[]} accesses
 * @param {(asked: Question) => number} conflicts @return {Answer}
 */
export function paddingAnswer(scratchpad, bare, rules, accesses, conflicts) {
  return bare.variables.has("pad") && /\bpad\b/.test(bare.expression) ? padOf(bare, conflicts) : rowsOf(scratchpad, bare, rules, accesses);
}

/** @param {Question} bare @param {(asked: Question) => number} conflicts @return {Answer} */
function padOf(bare, conflicts) {
  const with_ = (/** @type {number} */ pad) => ({ ...bare, variables: new Map(bare.variables).set("pad", pad) });
  let best = -1, least = Infinity;
  for (let pad = 0; pad <= MOST_PAD && least > 0; ++pad) {
    let own = Infinity;
    try {
      own = conflicts(with_(pad));
    } catch {
      continue;  // a lane that is not aligned with this padding
    }
    if (own < least) [best, least] = [pad, own];
  }
  if (best < 0) return { error: `no pad from 0 to ${MOST_PAD} keeps every lane aligned`, title: "", facts: "" };
  const without = best === 0 ? least : conflicts(with_(0));
  return {
    title: `pad = ${best}`,
    facts: `${conflictsText(least)}${best === 0 ? "" : ` instead of ${number(without)}`}`,
    proof: least === 0 ? "It is the least padding without conflicts." : `All from 0 to ${MOST_PAD} were tried.`,
    proved: true,
    change: { hash: "", padding: null, variables: with_(best).variables },
  };
}

/** @param {Scratchpad} scratchpad @param {Question} bare @param {object} rules @param {any[]} accesses @return {Answer} */
function rowsOf(scratchpad, bare, rules, accesses) {
  const highest = Math.max(...accesses.flatMap((access) => access.offsets.map((/** @type {number | null} */ offset) => offset ?? 0)));
  const bytes = 4 * Math.ceil((highest + Math.max(4, bare.width)) / 4);
  const answer = scratchpad.padding({ rules, accesses, bytes, element_bytes: bare.element });
  if (answer.error !== undefined) return { error: answer.error, title: "", facts: "" };
  const best = answer.padding;
  if (answer.conflicts_before === 0) return { title: "There are no conflicts to remove", facts: "no conflicts without padding" };
  if (best === null || best.conflicts >= answer.conflicts_before) {
    return {
      title: "No padding of rows removes conflicts here",
      facts: `${conflictsText(answer.conflicts_before)} without padding`,
      proof: "Rows of powers of two were tried, up to 1,024 words, and a few words more each.",
    };
  }
  return {
    title: `${best.bytes} bytes after every ${number(best.row_bytes)}`,
    facts: `${conflictsText(best.conflicts)} instead of ${number(answer.conflicts_before)}, for ${number(best.extra_bytes)} bytes more`,
    proof: best.conflicts === 0 ? "" : "The best of rows of powers of two.",
    change: { hash: "", padding: { row_bytes: best.row_bytes, bytes: best.bytes } },
  };
}

/** @param {HTMLElement} box @param {Answer} answer
 *  @param {{apply: (change: Partial<Question>) => void, save: (name: string, text: string) => void}} actions */
export function drawAnswer(box, answer, actions) {
  box.hidden = false;
  if (answer.error !== undefined) {
    box.replaceChildren(make("p", { class: "problem", text: `No answer: ${answer.error}.` }));
    return;
  }
  const words = make("div", {}, make("strong", { text: answer.title }), make("p", { text: answer.facts }));
  const head = make("div", { class: "answer-head" }, words);
  const change = answer.change;
  if (change !== undefined) {
    const button = make("button", { type: "button", class: "main", id: "apply", text: "Apply" });
    button.addEventListener("click", () => actions.apply(change));
    head.append(button);
  }
  const proof = make("p", { class: answer.proved ? "proof proved" : "proof", text: answer.proof ?? "" });
  const forms = make("dl", {}, ...(answer.forms ?? []).filter(([, text]) => text !== "").flatMap(
    ([name, text]) => [make("dt", { text: name }), make("dd", {}, make("code", { text }))]));
  const more = make("div", { class: "answer-more" });
  if (answer.cpp !== undefined) more.append(make("details", {}, make("summary", { text: "C++ source" }), make("pre", { text: answer.cpp })));
  const certificate = answer.certificate;
  if (certificate) {
    const button = make("button", { type: "button", class: "quiet", id: "certificate", text: "Proof for bankshot verify" });
    button.addEventListener("click", () => actions.save("certificate.json", certificate));
    more.append(button);
  }
  box.replaceChildren(head, ...(answer.proof ? [proof] : []), ...(answer.forms ? [forms] : []), more);
}
