/** The properties at the start of a note, YAML between `---` lines, line by line. What is not plain stays as it is written. Pure. */

import { bodyStart } from "./markdown.js";

const NAME = /^([\p{L}_][\p{L}\p{N}_ .-]{0,60}):(?:[ \t]+(.*))?$/u;
const ITEM = /^[ \t]*-[ \t]+(.*)$/;
const COMMENTED = /^("(?:[^"\\]|\\.)*"|'[^']*'|[^"'#]*?)\s+#/;
const MUST_BE_QUOTED = /^[\s?:,[\]{}#&*!|>'"%@`-]|:\s|\s#|[:\s]$/;

/**
 * @typedef {object} Property
 * @property {string} name
 * @property {string} value as people read it; items of a list with commas
 * @property {boolean} listed whether it is a list
 * @property {boolean} plain whether it can be edited as one line; else its YAML says more
 * @property {number} from its first line among those between the `---`
 * @property {number} to the line behind its last one
 */

/** @param {string} source of a note @returns {Property[]} */
export function propertiesOf(source) {
  const lines = linesOf(source);
  const found = /** @type {Property[]} */ ([]);
  for (const [at, line] of lines.entries()) {
    const [, name, value = ""] = NAME.exec(line) ?? [];
    if (!name) continue;
    let to = at + 1;
    while (to < lines.length && !NAME.test(lines[to]) && (/^[\s-]/.test(lines[to]) || !lines[to])) to += 1;
    found.push({ name, ...read(value.trim(), lines.slice(at + 1, to)), from: at, to });
  }
  return found;
}

/** @param {string} value behind the name @param {string[]} below it @returns {{value: string, listed: boolean, plain: boolean}} */
function read(value, below) {
  const more = below.filter((line) => line.trim() && !line.trim().startsWith("#"));
  const items = more.map((line) => ITEM.exec(line)?.[1] ?? null);
  if (!value && items.length) return { value: items.map((item) => unquoted(item ?? "")).join(", "), listed: true, plain: items.every((item) => item !== null && !NAME.test(item)) };
  const inline = /^\[([^[\]{}]*)\]$/.exec(value);
  if (inline && !more.length) return { value: inline[1].split(",").map((item) => unquoted(item.trim())).filter(Boolean).join(", "), listed: true, plain: !/["'][^"']*,/.test(inline[1]) };
  return { value: more.length ? [value, ...more].join("\n") : unquoted(COMMENTED.exec(value)?.[1] ?? value), listed: false, plain: !more.length && !/^[|>[{&*!]|\s#/.test(value) };
}

/** @param {string} text of YAML */
function unquoted(text) {
  const [, double, single] = /^(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)')$/.exec(text) ?? [];
  if (double !== undefined) return double.replace(/\\(["\\])/g, "$1");
  return single === undefined ? text : single.replaceAll("''", "'");
}

/**
 * The note with one property changed, all other lines as they were.
 * @param {string} source @param {Property | null} property null: a new one @param {{name: string, value: string} | null} wanted null: it goes
 */
export function withProperty(source, property, wanted) {
  const lines = linesOf(source);
  const listed = property?.listed ?? false;
  const written = wanted ? [`${wanted.name.trim()}: ${listed ? `[${itemsOf(wanted.value).map(quoted).join(", ")}]` : quoted(wanted.value.trim())}`.trimEnd()] : [];
  lines.splice(property?.from ?? lines.length, property ? property.to - property.from : 0, ...written);
  const end = lineEnd(source);
  const body = source.slice(bodyStart(source));
  return lines.length ? `---${end}${lines.map((line) => line + end).join("")}---${end}${body}` : body;
}

/** @param {string} value */
function itemsOf(value) {
  return value.split(",").map((item) => item.trim()).filter(Boolean);
}

/** @param {string} text as YAML reads it back @returns {string} */
function quoted(text) {
  return text && (MUST_BE_QUOTED.test(text) || text.includes(",")) ? `"${text.replace(/["\\]/g, "\\$&")}"` : text;
}

/** The lines between the `---`; none where a note has no properties. @param {string} source @returns {string[]} */
function linesOf(source) {
  const lines = source.slice(0, bodyStart(source)).split(/\r\n|\n|\r/);
  const last = lines.lastIndexOf("---");
  return last > 0 ? lines.slice(1, last) : lines.slice(1, lines.findLastIndex((line) => line.startsWith("---")));
}

/** @param {string} source */
function lineEnd(source) {
  return /\r\n|\n|\r/.exec(source)?.[0] ?? "\n";
}
