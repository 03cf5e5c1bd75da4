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
    : `${who} ${passes} where ${number(ideal)} would do: ${(wavefronts / ideal).toFixed(1).replace(/\.0$/, "")} times as long. ${shapeText(warps[0])}${drawn}`;
}

/** @param {AccessAnswer} access */
function shapeText(access) {
  if (access.class === "stride" || access.class === "linear") return `Lanes are ${number(Math.abs(access.stride_bytes))} bytes apart.`;
  return { block: "Lanes access rows of a block.", broadcast: "All lanes access one word." }[access.class] ?? "Lanes are at irregular distances.";
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

let addressTimer = 0;
const writeAddress = () => history.replaceState(null, "", `#${toFragment(question)}`);

/** What an answer is about: the question without what it may change. */
const subject = () => toFragment({ ...question, hash: "", padding: null });
/** The subject of the answer that is shown. */
let answered = "";

function render() {
  showFields();
  showGpu();
  for (const id of ["expression", "layout", "hash", "padding"]) showProblem(id, null);
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
  if (!failed) {
    showWarps();
    showNumbers();
    showPicture();
    showCommand();
    clearTimeout(addressTimer);
    addressTimer = setTimeout(writeAddress, 200);  // browsers refuse more than a few changes a second
  }
  if (subject() !== answered) byId("answer").hidden = true;
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
    const field = /^(hash|padding)(?=:)/.exec(message)?.[0] ?? "expression";
    showProblem(field, new Mistake(message, 0, 0));
  }
  for (const id of ["wavefronts", "ideal", "conflicts"]) byId(id).textContent = "–";
  byId("summary").textContent = "Nothing is counted until the mistake is corrected.";
}

// ---- answers

/** Shows that a search is going on, which may take seconds, and then its answer. @param {() => any} find */
function search(find) {
  answered = subject();
  byId("answer").hidden = false;
  byId("answer").replaceChildren(make("p", { class: "help", text: "Searching…" }));
  setTimeout(() => { if (answered === subject() && counted !== null) show(find()); }, 30);
}

/** @param {any} answer */
function show(answer) {
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

/** Without the hash and the padding that are set, which the answer replaces. @param {string} hashClass */
function findHash(hashClass) {
  const set = [question.hash !== "" && "hash", question.padding !== null && "padding"].filter(Boolean);
  const without = set.length === 0 ? "" : `without the ${set.join(" and the ")} that ${set.length === 1 ? "is" : "are"} set`;
  search(() => hashAnswer(scratchpad, {
    rules: gpuNow().scratchpad, accesses: chosenAccesses(), class: hashClass, element_bytes: question.element,
  }, without));
}

function findPadding() {
  const bare = { ...question, hash: "none", padding: null };
  const conflicts = (/** @type {Question} */ asked) => {
    const all = count(asked).warps;
    return sum(question.warp === "all" ? all : [all[question.warp]], "conflicts");
  };
  search(() => paddingAnswer(scratchpad, bare, gpuNow().scratchpad, chosenAccesses(), conflicts));
}

// ---- from the page to the question

/** @param {string} id @param {(value: string) => void} take */
function onInput(id, take) {
  byId(id).addEventListener("input", (event) => {
    take(/** @type {HTMLInputElement} */ (event.target).value);
    render();
  });
}

/** A block that cannot be is told, and not counted. */
function takeBlock() {
  const block = ["x", "y", "z"].map((axis) => Number(/** @type {HTMLInputElement} */ (byId(`block-${axis}`)).value));
  const threads = block[0] * block[1] * block[2];
  const good = block.every((size) => Number.isInteger(size) && size > 0) && threads <= MOST_THREADS;
  const problem = byId("block-problem");
  problem.hidden = good;
  problem.textContent = good ? "" : threads > MOST_THREADS ? `A block has at most ${number(MOST_THREADS)} threads, and this one ${number(threads)}.`
    : "Each size of a block is a whole number from 1 up.";
  if (!good) return;
  question.block = /** @type {[number, number, number]} */ (block);
  render();
}

function takePadding() {
  const text = /** @type {HTMLInputElement} */ (byId("padding")).value;
  const match = /^\s*(\d{1,7})\s*\+\s*(\d{1,4})\s*$/.exec(text);
  if (match === null && !/^\s*(none)?\s*$/.test(text))
    return showProblem("padding", new Mistake("write bytes of a row + bytes added to it, for example 128+4", 0, 0));
  question.padding = match === null ? null : { row_bytes: Number(match[1]), bytes: Number(match[2]) };
  render();
}

function connect() {
  onInput("expression", (text) => { question.expression = text; });
  onInput("layout", (text) => { question.layout = text; });
  for (const axis of ["x", "y", "z"]) byId(`block-${axis}`).addEventListener("input", takeBlock);
  onInput("warp", (text) => { question.warp = text === "all" ? "all" : Number(text); });
  onInput("element", (text) => { question.element = Number(text); });
  onInput("width", (text) => { question.width = Number(text); });
  onInput("kind", (text) => { question.kind = text; });
  onInput("gpu", (text) => { question.gpu = text; });
  onInput("hash", (text) => { question.hash = text.trim() === "none" ? "" : text.trim(); });
  byId("padding").addEventListener("input", takePadding);
  byId("question").addEventListener("submit", (event) => event.preventDefault());
  byId("question").addEventListener("focusout", () => setTimeout(() => {
    showFields();
    byId("block-problem").hidden = true;
  }));
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
    const file = patternsFile(question, gpuNow(), padded);
    byId("shared").textContent = file === null ? "An offset is beyond the 256 KB that a patterns file can name." : "";
    if (file !== null) save("patterns.json", file);
  });
  window.addEventListener("hashchange", () => {
    question = fromFragment(location.hash, first, gpus);
    render();
  });
}

async function share() {
  if (counted !== null) writeAddress();
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
  for (const { example, summary } of scratchpad.hashClasses().classes) byId("hashes").append(make("option", { value: example, text: summary }));
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
