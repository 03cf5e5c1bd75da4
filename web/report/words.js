// Numbers and names as people read them.
import { format } from "d3-format";

const grouped = format(",d");
export const whole = (n) => (n === undefined || n === null ? "–" : grouped(n));
export const fixed = (n, digits) => (Number.isFinite(n) ? format(",." + digits + "f")(n) : "–");
/// 12.3 % of a share, with no "0.0 %" for what is there.
export function percent(share) {
  if (!Number.isFinite(share)) return "–";
  if (share > 0 && share < 0.0005) return "< 0.1 %";
  return fixed(100 * share, 1) + " %";
}
/// 1.02 M: at most 6 characters.
export function short(n) {
  if (n < 10000) return Number.isInteger(n) ? whole(n) : fixed(n, 1);
  return format(".3~s")(n).replace(/([a-zA-Z])$/, " $1");
}
export function duration(seconds) {
  if (seconds < 1e-3) return fixed(seconds * 1e6, 2) + " µs";
  return seconds < 1 ? fixed(seconds * 1e3, 3) + " ms" : fixed(seconds, 3) + " s";
}
export const counted = (n, one, more) => whole(n) + " " + (n === 1 ? one : more || one + "s");
export const extent = (three) => (three[2] !== 1 ? three : three[1] !== 1 ? three.slice(0, 2) : three.slice(0, 1)).join(" × ");

/// The name of a function without its return type and parameters: "gemm_device<…>" of "void cutlass::gemm_device<A<int>>(P)". Template
/// arguments stay where they are few: "transpose_tile<32>"; those with names, which tell specializations apart, stay all.
export function shortName(name) {
  if (!shortened.has(name)) shortened.set(name, shorten(name));
  return shortened.get(name);
}
const shortened = new Map();

function shorten(name) {
  const anonymous = "(anonymous namespace)";
  const is_operator = (at) => /(^|\W)operator$/.test(name.slice(Math.max(0, at - 9), at));
  let text = "", depth = 0, begin = 0, start = 0;
  for (let at = 0; at < name.length; ++at) {
    const c = name[at];
    if (depth === 0 && name.startsWith(anonymous, at)) {
      text += anonymous;
      at += anonymous.length - 1;
    } else if (depth === 0 && c === "(") {
      if (!is_operator(at)) break;  // parameters
      text += "()";
      ++at;
    } else if (c === "<" && !is_operator(at)) {
      if (depth++ === 0) begin = at + 1;
    } else if (c === ">" && depth > 0 && name[at - 1] !== "-") {
      if (--depth > 0) continue;
      const inside = name.slice(begin, at);
      text += "<" + ((inside.length <= 16 || /^\w+[=:]/.test(inside)) && !inside.includes("<") ? inside : "…") + ">";
    } else if (depth === 0) {
      text += c;
      if (c === " " && !/\boperator.{0,3} $/.test(text)) start = text.length;  // behind a return type
    }
  }
  return text.slice(start) || name;
}

/// "stride 32" of a site or another thing with a class of pattern.
export const patternText = (site) => site.class + (site.class === "stride" && site.stride !== undefined ? " " + site.stride : "");

/// "transpose.cu" of a path.
export const baseName = (path) => path.slice(path.lastIndexOf("/") + 1);
/// Paths without the folders that all of them begin with: ["src/a.cu", "lib/b.h"]. One path is its file name.
export function withoutCommonFolder(paths) {
  const parts = paths.map((path) => path.split("/")), least = Math.min(...parts.map((one) => one.length - 1));
  let common = 0;
  while (common < least && parts.every((one) => one[common] === parts[0][common])) ++common;
  return parts.map((one) => one.slice(common).join("/"));
}
export const placeText = (place) => (place.file ? baseName(place.file) + ":" + place.line : place.ptx_line ? "PTX line " + place.ptx_line
  : "–");

/// Words as a shell would read them back.
export const commandLine = (words) => words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : "'" + word.replaceAll("'", "'\\''") + "'"))
  .join(" ");
