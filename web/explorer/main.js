// @ts-check
/** The page: what is typed becomes a question, the question is counted, and the answer is drawn. */
import wasm from "scratchpad.wasm.gz";
import gpuList from "gpus.json";
import { drawLanes } from "../lanes.js";
import { loadScratchpad } from "../scratchpad.js";
import { drawAnswer, hashAnswer, paddingAnswer } from "./answers.js";
import { byId, fill, make, showProblem } from "./dom.js";
import { Mistake } from "./expression.js";
import { drawHistogram } from "./histogram.js";
import {
  FIRST_PRESET, firstQuestion, fromFragment, KINDS, LayoutMistake, MOST_THREADS, offsetsOf, patternsFile, PRESETS, presetQuestion,
  toFragment, WIDTHS,
} from "./model.js";

/** @typedef {import("./model.js").Question} Question */
/** @typedef {import("../scratchpad.js").AccessAnswer} AccessAnswer */

/** @type {import("./model.js").Gpu[]} */
const gpus = gpuList.gpus;
const first = firstQuestion((gpus.find((gpu) => gpu.default) ?? gpus[0]).name);
const scratchpad = await loadScratchpad(wasm);

let question = fromFragment(location.hash, first, gpus);
/** What was counted last; null: the question has a mistake. @type {{warps: AccessAnswer[], offsets: (number | null)[][]} | null} */
let counted = null;
/** @type {"lanes" | "passes"} */
let view = "lanes";

const gpuNow = () => /** @type {import("./model.js").Gpu} */ (gpus.find((gpu) => gpu.name === question.gpu));
const number = (/** @type {number} */ value) => value.toLocaleString("en");

// ---- counting

/** @param {Question} asked @param {(number | null)[]} offsets */
function accessOf(asked, offsets) {
  const hash = asked.hash === "" ? {} : { hash: asked.hash };
  return scratchpad.access({ rules: gpuNow().scratchpad, ...hash, padding: asked.padding, offsets, width: asked.width, kind: asked.kind });
}

/** All warps. @param {Question} asked @throws {Mistake | Error} */
function count(asked) {
  const { warps, names, usesLayout } = offsetsOf(asked, gpuNow().warp_size);
  const answers = warps.map((offsets) => {
    const answer = accessOf(asked, offsets);
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer;
  });
  return { offsets: warps, names, usesLayout, warps: answers };
}

const sum = (/** @type {AccessAnswer[]} */ answers, /** @type {"wavefronts" | "ideal" | "conflicts"} */ what) =>
  answers.reduce((total, answer) => total + answer[what], 0);

/** The warps that the numbers are about. */
function chosenWarps() {
  if (counted === null) return [];
  return question.warp === "all" ? counted.warps.map((_, warp) => warp) : [question.warp];
}
/** The warp that is drawn: the one chosen, or the worst of all. */
function drawnWarp() {
  if (counted === null || question.warp !== "all") return /** @type {number} */ (question.warp);
  const conflicts = counted.warps.map((answer) => answer.conflicts);
  return conflicts.indexOf(Math.max(...conflicts));
}
const chosenAccesses = () => chosenWarps().map((warp) => ({ offsets: counted?.offsets[warp] ?? [], width: question.width, kind: question.kind }));

// ---- from the question to the page

function showFields() {
  const set = (/** @type {string} */ id, /** @type {string | number} */ value) => {
    const field = /** @type {HTMLInputElement} */ (byId(id));
    if (document.activeElement !== field || field.tagName === "SELECT") field.value = String(value);
  };
  set("expression", question.expression);
  set("layout", question.layout);
  ["x", "y", "z"].forEach((axis, k) => set(`block-${axis}`, question.block[k]));
  set("element", question.element);
  set("width", question.width);
  set("kind", question.kind);
  set("gpu", question.gpu);
  set("hash", question.hash === "" ? "none" : question.hash);
  set("padding", question.padding === null ? "" : `${question.padding.row_bytes}+${question.padding.bytes}`);
}

function showWarps() {
  const warps = counted?.warps.length ?? 1;
  if (question.warp !== "all" && question.warp >= warps) question.warp = 0;
  const select = /** @type {HTMLSelectElement} */ (byId("warp"));
  if (select.options.length !== warps + 1) {
    fill(select, [["all", warps === 1 ? "all (1 warp)" : `all ${warps} warps`], ...Array.from({ length: warps }, (_, k) => [String(k), String(k)])]);
  }
  select.value = String(question.warp);
}

/** Inputs for the variables of the expression; those that stay keep their places and the focus. @param {string[]} names */
function showVariables(names) {
  const box = byId("variables");
  if ([...box.children].map((child) => /** @type {HTMLElement} */ (child).dataset.name).join() !== names.join()) {
    box.replaceChildren(...names.map(variableField));
  }
  for (const name of names) {
    const value = question.variables.get(name) ?? 1;
    question.variables.set(name, value);
    for (const input of box.querySelectorAll("input")) {
      if (input.dataset.name !== name || document.activeElement === input && input.type === "number") continue;
      if (input.type === "range" && value > Number(input.max)) input.max = String(2 * value);
      input.value = String(value);
    }
  }
}

/** @param {string} name */
function variableField(name) {
  const value = question.variables.get(name) ?? 1;
  const label = make("label", { text: name });
  const exact = /** @type {HTMLInputElement} */ (make("input", { type: "number", "data-name": name, "aria-label": name }));
  const slider = /** @type {HTMLInputElement} */ (make("input", { type: "range", min: "0", max: String(Math.max(64, 2 * value)), "data-name": name, "aria-label": `${name}, slider` }));
  for (const input of [exact, slider]) {
    input.addEventListener("input", () => {
      if (!/^-?\d{1,9}$/.test(input.value)) return;
      question.variables.set(name, Number(input.value));
      (input === exact ? slider : exact).value = input.value;
      render();
    });
  }
  exact.id = `variable-${name}`;
  label.setAttribute("for", exact.id);
  return make("div", { class: "variable", "data-name": name }, label, exact, slider);
}

function showNumbers() {
  const warps = chosenWarps().map((warp) => /** @type {AccessAnswer} */ (counted?.warps[warp]));
  const wavefronts = sum(warps, "wavefronts"), ideal = sum(warps, "ideal"), conflicts = sum(warps, "conflicts");
  byId("wavefronts").textContent = number(wavefronts);
  byId("ideal").textContent = number(ideal);
  byId("conflicts").textContent = number(conflicts);
  byId("verdict").className = conflicts === 0 ? "verdict fine" : "verdict bad";
  const who = question.warp === "all" ? `All ${warps.length} warps take` : `Warp ${question.warp} takes`;
  const passes = `${number(wavefronts)} ${wavefronts === 1 ? "pass" : "passes"} over the banks`;
  const drawn = question.warp === "all" && warps.length > 1 ? ` The picture shows warp ${drawnWarp()}${conflicts === 0 ? "" : ", the worst"}.` : "";
  byId("summary").textContent = ideal === 0 ? "No lane is active."
    : conflicts === 0 ? `No conflicts. ${who} ${passes}, as many as it must.${drawn}`.replace("as it must", warps.length > 1 ? "as they must" : "as it must")
    : `${who} ${passes} where ${number(ideal)} would do: ${(wavefronts / ideal).toFixed(1).replace(/\.0$/, "")} times as long, ${shapeText(warps[0])}.${drawn}`;
}

/** @param {AccessAnswer} access */
function shapeText(access) {
  if (access.class === "stride" || access.class === "linear") return `lanes ${Math.abs(access.stride_bytes)} bytes apart`;
  return { block: "rows of a block", broadcast: "all lanes on one word" }[access.class] ?? "lanes at irregular distances";
}

function showPicture() {
  const access = counted?.warps[drawnWarp()];
  if (access === undefined) return;
  byId("picture-title").textContent = `${view === "lanes" ? "Lanes" : "Passes"} and banks${(counted?.warps.length ?? 1) > 1 ? `, warp ${drawnWarp()}` : ""}`;
  drawLanes(byId("picture"), access, {
    view,
    onChoose: (_, sentence) => { if (sentence !== "") byId("chosen").textContent = sentence; },
  });
  drawHistogram(byId("histogram"), access);
  byId("lanes").replaceChildren(...access.lanes.map((lane, k) => {
    const list = (/** @type {"word" | "bank" | "pass"} */ key, more = 0) => [...new Set(lane?.words.map((word) => word[key] + more))].join(" ");
    const cells = lane === null ? ["off", "", "", ""] : [String(lane.offset), list("word"), list("bank"), list("pass", 1)];
    return make("tr", {}, make("th", { scope: "row", text: String(k) }), ...cells.map((text) => make("td", { text })));
  }));
}

function showCommand() {
  const hash = question.hash === "" ? "" : ` --hash ${question.hash}`;
  byId("command").textContent = `bankshot conflicts --gpu ${question.gpu}${hash} patterns.json`;
}

function showGpu() {
  const { scratchpad: rules, warp_size, shared_per_block } = gpuNow();
  byId("gpu-help").textContent = `${rules.banks} banks of ${rules.bank_bytes} bytes, warps of ${warp_size} lanes, up to ${Math.floor(shared_per_block / 1024)} KB of shared memory a block.`;
}

/** The same question as the last one whose answer is shown. */
let answered = "";

function render() {
  showFields();
  showGpu();
  showProblem("expression", null);
  showProblem("layout", null);
  showProblem("hash", null);
  let failed = true;
  try {
    const result = count(question);
    counted = result;
    showVariables(result.names);
    byId("layout-field").hidden = !result.usesLayout;
    failed = false;
  } catch (problem) {
    counted = null;
    tellProblem(problem);
  }
  byId("result").classList.toggle("stale", failed);
  for (const id of ["find-hash", "find-swizzle", "find-padding", "patterns"]) /** @type {HTMLButtonElement} */ (byId(id)).disabled = failed;
  const fragment = toFragment(question);
  if (!failed) {
    showWarps();
    showNumbers();
    showPicture();
    showCommand();
    history.replaceState(null, "", `#${fragment}`);
  }
  const subject = toFragment({ ...question, hash: "", padding: null });
  if (subject !== answered) byId("answer").hidden = true;
}

/** @param {unknown} problem */
function tellProblem(problem) {
  if (problem instanceof LayoutMistake) {
    byId("layout-field").hidden = false;
    showProblem("layout", problem);
  } else if (problem instanceof Mistake) {
    showProblem("expression", problem);
  } else {
    const message = problem instanceof Error ? problem.message : String(problem);
    showProblem(/^(hash|padding)/.test(message) ? "hash" : "expression", new Mistake(message, 0, 0));
  }
  for (const id of ["wavefronts", "ideal", "conflicts"]) byId(id).textContent = "–";
  byId("summary").textContent = "Nothing is counted until the mistake is corrected.";
}

// ---- answers

/** @param {any} answer */
function show(answer) {
  answered = toFragment({ ...question, hash: "", padding: null });
  drawAnswer(byId("answer"), answer, {
    apply: (/** @type {Partial<Question>} */ change) => {
      question = { ...question, ...change };
      const at = document.activeElement;
      if (at instanceof HTMLElement) at.blur();
      render();
      byId("result").focus({ preventScroll: true });
    },
    save,
  });
}

/** @param {string} name @param {string} text */
function save(name, text) {
  const link = /** @type {HTMLAnchorElement} */ (make("a", { download: name }));
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** @param {string} hashClass */
function findHash(hashClass) {
  if (counted === null) return;
  show(hashAnswer(scratchpad, {
    rules: gpuNow().scratchpad, hash: question.hash === "" ? undefined : question.hash, accesses: chosenAccesses(), class: hashClass,
    element_bytes: question.element,
  }));
}

function findPadding() {
  if (counted === null) return;
  const bare = { ...question, hash: "none", padding: null };
  const conflicts = (/** @type {Question} */ asked) => {
    const all = count(asked).warps;
    return sum(question.warp === "all" ? all : [all[question.warp]], "conflicts");
  };
  show(paddingAnswer(scratchpad, bare, gpuNow().scratchpad, chosenAccesses(), conflicts));
}

// ---- from the page to the question

/** @param {string} id @param {(value: string) => void} take */
function onInput(id, take) {
  byId(id).addEventListener("input", (event) => {
    take(/** @type {HTMLInputElement} */ (event.target).value);
    render();
  });
}

function connect() {
  onInput("expression", (text) => { question.expression = text; });
  onInput("layout", (text) => { question.layout = text; });
  ["x", "y", "z"].forEach((axis, k) => onInput(`block-${axis}`, (text) => {
    const block = /** @type {[number, number, number]} */ ([...question.block]);
    block[k] = Number(text);
    if (/^\d{1,4}$/.test(text) && block[k] > 0 && block[0] * block[1] * block[2] <= MOST_THREADS) question.block = block;
  }));
  onInput("warp", (text) => { question.warp = text === "all" ? "all" : Number(text); });
  onInput("element", (text) => { question.element = Number(text); });
  onInput("width", (text) => { question.width = Number(text); });
  onInput("kind", (text) => { question.kind = text; });
  onInput("gpu", (text) => { question.gpu = text; });
  onInput("hash", (text) => { question.hash = text.trim() === "none" ? "" : text.trim(); });
  onInput("padding", (text) => {
    const match = /^\s*(\d{1,7})\s*\+\s*(\d{1,4})\s*$/.exec(text);
    if (match !== null || text.trim() === "") question.padding = match === null ? null : { row_bytes: Number(match[1]), bytes: Number(match[2]) };
  });
  byId("question").addEventListener("submit", (event) => event.preventDefault());
  byId("question").addEventListener("focusout", () => setTimeout(showFields));
  byId("find-hash").addEventListener("click", () => findHash("best"));
  byId("find-swizzle").addEventListener("click", () => findHash("swizzle"));
  byId("find-padding").addEventListener("click", findPadding);
  byId("plain").addEventListener("click", () => {
    question = { ...question, hash: "", padding: null };
    render();
  });
  for (const name of /** @type {const} */ (["lanes", "passes"])) {
    byId(`view-${name}`).addEventListener("click", () => {
      view = name;
      byId("view-lanes").setAttribute("aria-pressed", String(view === "lanes"));
      byId("view-passes").setAttribute("aria-pressed", String(view === "passes"));
      showPicture();
    });
  }
  byId("share").addEventListener("click", share);
  byId("patterns").addEventListener("click", () => {
    const padded = chosenWarps().map((warp) => counted?.warps[warp].lanes.map((lane) => lane?.offset ?? null) ?? []);
    const file = patternsFile(question, gpuNow().warp_size, padded);
    byId("shared").textContent = file === null ? "An offset is beyond the 256 KB that a patterns file can name." : "";
    if (file !== null) save("patterns.json", file);
  });
  window.addEventListener("hashchange", () => {
    question = fromFragment(location.hash, first, gpus);
    render();
  });
}

async function share() {
  try {
    await navigator.clipboard.writeText(location.href);
    byId("shared").textContent = "The link is on the clipboard.";
  } catch {
    byId("shared").textContent = "The browser allows no copying here: take the link from the address bar.";
  }
}

function fillChoices() {
  fill(byId("element"), WIDTHS.map((bytes) => [String(bytes), bytes === 1 ? "bytes" : `${bytes}-byte elements`]));
  fill(byId("width"), WIDTHS.map((bytes) => [String(bytes), bytes === 1 ? "1 byte" : `${bytes} bytes`]));
  fill(byId("kind"), Object.entries(KINDS));
  fill(byId("gpu"), gpus.map((gpu) => [gpu.name, gpu.gpu]));
  for (const { syntax, summary } of scratchpad.hashClasses().classes) {
    const example = { "perm:K": "perm:5", "bvxor:K1,K2,MASK": "bvxor:0,5,31", "swizzle:B,M,S": "swizzle:3,0,5", "tma:BYTES": "tma:128" }[syntax];
    if (example !== undefined || !syntax.includes(":")) byId("hashes").append(make("option", { value: example ?? syntax, text: summary }));
  }
  byId("presets").replaceChildren(...PRESETS.map((preset) => {
    const button = make("button", { type: "button", text: preset.name, title: preset.about });
    button.addEventListener("click", () => {
      question = presetQuestion(preset, question);
      render();
      byId("about").textContent = preset.about;
    });
    return button;
  }));
}

fillChoices();
connect();
if (question === first) byId("about").textContent = FIRST_PRESET.about;
render();
document.documentElement.dataset.ready = "true";
