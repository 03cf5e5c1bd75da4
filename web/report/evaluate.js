// What an access costs, and what it would cost if its width, its padding or the bank hash were different, by the rules of
// bankshot/scratchpad, compiled to WebAssembly. A page that was built without them shows the pictures in its document; access.js knows
// which bank a word is in, to fill those with words and lanes, and no other rule.
import { loadScratchpad } from "scratchpad-rules";

let rules = null;

/// Loads the rules that are in the page. @param ready  called once they can be asked
export async function loadRules(ready) {
  const element = document.getElementById("rules");
  if (!loadScratchpad || !element || !element.textContent.trim()) return;
  try {
    rules = await loadScratchpad(Uint8Array.from(atob(element.textContent.trim()), (c) => c.charCodeAt(0)));
    ready();
  } catch (problem) {
    console.warn("without WebAssembly, pictures cannot be changed:", problem);
  }
}
export const canEvaluate = () => rules !== null;

/// @param site  of the report @param scratchpad  its rules
/// @param change  { hash: SPEC, width: bytes, padding: { row_bytes, bytes } }, each may be missing
/// @return { wavefronts, ideal, passes: [{ phase: [lane], banks: [{ bank, word, lanes: [lane] }] }] } or { error: sentence }
export function evaluate(site, scratchpad, change = {}) {
  return rules.access({ rules: scratchpad, offsets: site.pattern.addresses.map((word) => (word === null ? null : 4 * word)),
      kind: site.kind,
    width: change.width || site.width, padding: change.padding || null,
    ...(change.hash || site.hash ? { hash: change.hash || site.hash } : {}) });
}
