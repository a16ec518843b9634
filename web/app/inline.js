/**
 * Inline Markdown: text with the place of each character -> a tree. Pure; knows no DOM. Of HTML it reads the tags that form
 * text, without their attributes; what it does not know stays text. A line break in the source is one in the tree.
 */

import { characterOf } from "./entities.js";

/**
 * @typedef {{text: string, at: number[]}} Run text, and for each of its UTF-16 units the offset into the source
 * @typedef {{type: "text" | "code" | "math", text: string, at: number[]}
 *   | {type: "strong" | "em" | "del" | "mark" | "sub" | "sup" | "small" | "kbd" | "u", children: Inline[]}
 *   | {type: "link", href: string, children: Inline[]}
 *   | {type: "note" | "image", target: string, children: Inline[]}
 *   | {type: "footnote", label: string, children: Inline[]}
 *   | {type: "cite", labels: string[]}
 *   | {type: "break"}} Inline
 */

const FARTHEST = 1500;
/** Characters within which an opened mark must be closed: keeps hostile text from costing its length squared. */
const PATIENCE = 100_000;
/** Looks at possible ends of marks in one text; then what is left is plain. */
const DEEPEST = 8;

const CITE = /\[(N\d{1,3}(?:\s*,\s*N\d{1,3})*)\]/y;
const LINK = /!?\[((?:\\.|[^\\[\]]){0,500})\]\(\s*(?:<([^<>\n]{0,2000})>|(\{%[^{}\n]{0,500}%\}[^\s()]{0,200}|(?:[^\s()<>]|\([^\s()<>]{0,500}\)){0,2000}))(?:\s+"[^"\n]{0,300}")?\s*\)/y;
const WIKI = /!?\[\[([^[\]|\n]{1,300})(?:\|([^[\]\n]{1,300}))?\]\]/y;
const ANGLE = /<((?:https?:\/\/|mailto:)[^\s<>]{1,2000})>/y;
const BARE = /https?:\/\/[^\s\x00-\x1f\x7f-\x9f<>"'`]{1,2000}/y; // no control character either: \s has few of them
const IMAGE = /\.(?:png|jpe?g|gif|webp|avif|svg)$/i;
const TICKS = /`+/y;
const MATH = /\$\$([^$]{1,1500})\$\$|\$(?![\s$])((?:\\.|[^\\$\n]){0,500}(?:\\.|[^\\$\s]))\$(?!\d)/y;
/** `$x$` and `$$x$$`: an amount like $5 is followed by a blank before the next dollar, or a digit after it. */
const ENTITY = /&(#?\w{1,32});/y;
const TAG = /<(\/?)([a-z][a-z0-9]{0,9})((?:\s[^<>]{0,500}?)?)\/?>/iy;
const HREF = /\shref\s*=\s*(?:"([^"]*)"|'([^']*)')/i;
const FORMS = /** @type {Readonly<Record<string, any>>} */ ({ b: "strong", strong: "strong", i: "em", em: "em", s: "del", del: "del", strike: "del", mark: "mark", sub: "sub", sup: "sup", small: "small", kbd: "kbd", u: "u", ins: "u" });
const LINES = new Set(["p", "div", "center", "details", "summary", "section", "figure", "figcaption", "table", "thead", "tbody", "tr", "ul", "ol", "li", "dl", "dt", "dd"]);
/** Tags that hold lines of their own: after them a new one begins. */
const WITHIN = new Set(["span", "font", "abbr", "td", "th", "nobr"]);
const FOOTNOTE = /\[\^([^\]\s]{1,50})\]/y;
const COMMENTS = /** @type {const} */ ([["%%", "%%"], ["<!--", "-->"]]);
const PUNCTUATION = /[!-/:-@[-`{-~]/;
const WORD = /[\p{L}\p{N}]/u;

/** @type {ReadonlyArray<[string, "strong" | "em" | "del" | "mark"]>} */
const MARKS = [["**", "strong"], ["__", "strong"], ["~~", "del"], ["==", "mark"], ["*", "em"], ["_", "em"]];

/**
 * @param {Run} run @param {{cite?: boolean, cell?: boolean}} [options] `cite`: whether `[N1]` is a citation; `cell`: of a
 * table, where a backslash stands before each bar
 * @returns {Inline[]}
 */
export function inlines(run, options = {}) {
  return new Scanner(run, options, 0).all();
}

class Scanner {
  /** @param {Run} run @param {{cite?: boolean, cell?: boolean}} options @param {number} depth */
  constructor(run, options, depth) {
    this.run = run;
    this.text = run.text;
    this.options = options;
    this.depth = depth;
    this.place = 0;
    /** @type {Inline[]} */
    this.found = [];
    this.from = 0; // of the plain text not yet put out
    /** @type {Set<string>} */
    this.unclosed = new Set(); // marks that nothing further on closes
    /** @type {Map<string, number>} */
    this.closingTags = new Map(); // by tag, where its next closing one is: looked for once
    this.patience = PATIENCE;
  }

  /** @returns {Inline[]} */
  all() {
    while (this.place < this.text.length) if (!this.step()) this.place += 1;
    this.flush(this.place);
    return this.found;
  }

  /** Whether something other than plain text begins here; then it has been read. */
  step() {
    switch (this.text[this.place]) {
      case "\\":
        return this.escape();
      case "`":
        return this.code();
      case "$":
        return this.math();
      case "[":
      case "!":
        return this.citation() || this.footnote() || this.wiki() || this.link();
      case "<":
        return this.comment() || this.address(ANGLE, 1) || this.tag();
      case "&":
        return this.entity();
      case "%":
        return this.comment();
      case "h":
        return this.address(BARE, 0);
      case "\n":
        return this.newline();
      case "*":
      case "_":
      case "~":
      case "=":
        return this.mark();
      default:
        return false;
    }
  }

  /** @param {RegExp} sticky */
  match(sticky) {
    sticky.lastIndex = this.place;
    return sticky.exec(this.text);
  }

  /** @param {number} start @param {number} end @returns {Run} */
  slice(start, end) {
    return { text: this.text.slice(start, end), at: this.run.at.slice(start, end) };
  }

  /** @param {number} end */
  flush(end) {
    if (end > this.from) this.found.push({ type: "text", ...this.slice(this.from, end) });
  }

  /** @param {Inline | null} node @param {number} length of what it was read from */
  put(node, length) {
    this.flush(this.place);
    if (node) this.found.push(node);
    this.place += length;
    this.from = this.place;
    return true;
  }

  /** @param {number} start @param {number} end @returns {Inline[]} */
  inside(start, end) {
    const run = this.slice(start, end);
    return this.depth < DEEPEST ? new Scanner(run, this.options, this.depth + 1).all() : [{ type: "text", ...run }];
  }

  escape() {
    const next = this.text[this.place + 1];
    if (next === "\n") return this.put({ type: "break" }, 2);
    if (next === undefined || !PUNCTUATION.test(next)) return false;
    this.put(null, 1);
    this.place += 1;
    return true;
  }

  code() {
    const ticks = this.match(TICKS)?.[0].length ?? 0;
    const start = this.place + ticks;
    for (let end = this.text.indexOf("`", start); end !== -1 && end - start < FARTHEST; ) {
      TICKS.lastIndex = end;
      const closing = TICKS.exec(this.text)?.[0].length ?? 1;
      if (closing === ticks) return this.put({ type: "code", ...this.literal(start, end) }, end + ticks - this.place);
      end = this.text.indexOf("`", end + closing);
    }
    this.place += ticks;
    return true;
  }

  /** A formula, left as its author wrote it: stars and underscores in it are no marks. */
  math() {
    const found = this.match(MATH);
    if (!found) return false;
    const frame = found[1] === undefined ? 1 : 2;
    const run = this.slice(this.place + frame, this.place + found[0].length - frame);
    return this.put({ type: "math", ...run }, found[0].length);
  }

  /** Code, which in a table has bars of its own. @param {number} start @param {number} end @returns {Run} */
  literal(start, end) {
    const { text, at } = this.slice(start, end);
    const kept = [...at.keys()].filter((unit) => !(this.options.cell && text[unit] === "\\" && text[unit + 1] === "|"));
    return kept.length === text.length ? { text, at } : { text: kept.map((unit) => text[unit]).join(""), at: kept.map((unit) => at[unit]) };
  }

  /** What its author hid, `%%so%%` or `<!-- so -->`. */
  comment() {
    for (const [sign, close] of COMMENTS) {
      if (!this.text.startsWith(sign, this.place) || this.unclosed.has(sign)) continue;
      const end = this.text.indexOf(close, this.place + sign.length);
      if (end !== -1) return this.put(null, end + close.length - this.place);
      this.unclosed.add(sign);
    }
    return false;
  }

  /** `&mdash;`, `&#8212;`: the character that it stands for. */
  entity() {
    const found = this.match(ENTITY);
    const text = found && characterOf(found[1]);
    if (!text) return false;
    const at = Array.from(text.split(""), () => this.run.at[this.place]);
    return this.put({ type: "text", text, at }, found[0].length);
  }

  /** A tag that forms text is read, one that only holds it is passed by; any other stays text. */
  tag() {
    const found = this.match(TAG);
    if (!found) return false;
    const [whole, closes, written, attributes] = found;
    const name = written.toLowerCase();
    if (name === "br") return this.put({ type: "break" }, whole.length + Number(this.text[this.place + whole.length] === "\n"));
    if (LINES.has(name)) return this.put(closes && this.goesOn(whole.length) ? { type: "break" } : null, whole.length);
    if (WITHIN.has(name)) return this.put(null, whole.length);
    if (name !== "a" && !Object.hasOwn(FORMS, name)) return false;
    if (closes) return this.put(null, whole.length); // it was begun in another block, or leads nowhere
    const target = HREF.exec(attributes)?.slice(1).find(Boolean) ?? "";
    if (name === "a" && !target) return this.put(null, whole.length);
    const start = this.place + whole.length;
    const end = this.closingTag(name, start);
    if (end === -1) return false;
    const children = this.inside(start, end);
    const length = end + written.length + 3 - this.place;
    if (name !== "a") return this.put({ type: FORMS[name], children }, length);
    const href = safe(target);
    return this.put(href ? { type: "link", href, children } : { type: "note", target, children }, length);
  }

  /** Whether text follows on the same line. @param {number} length of the tag before it */
  goesOn(length) {
    return /^[^\S\n]*[^\s<]/.test(this.text.slice(this.place + length, this.place + length + 200));
  }

  /** @param {string} name @param {number} start @returns {number} -1: nowhere near */
  closingTag(name, start) {
    let end = this.closingTags.get(name) ?? -1;
    if (end < start) {
      const closing = new RegExp(`</${name}>`, "gi");
      closing.lastIndex = start;
      end = closing.exec(this.text)?.index ?? Infinity;
      this.closingTags.set(name, end);
    }
    return end - start < FARTHEST ? end : -1;
  }

  footnote() {
    const found = this.match(FOOTNOTE);
    if (!found) return false;
    const children = /** @type {Inline[]} */ ([{ type: "text", ...this.slice(this.place, this.place + found[0].length) }]);
    return this.put({ type: "footnote", label: found[1], children }, found[0].length);
  }

  /** Without the gap before it: a citation belongs to the word that it follows. */
  citation() {
    const found = this.options.cite && this.match(CITE);
    if (!found) return false;
    this.flush(this.from + this.text.slice(this.from, this.place).trimEnd().length);
    this.from = this.place;
    return this.put({ type: "cite", labels: found[1].split(/\s*,\s*/) }, found[0].length);
  }

  /** `[[Note]]`, `[[Note|shown]]`: shown without its brackets. In a table a backslash stands before the bar. */
  wiki() {
    const found = this.match(WIKI);
    if (!found) return false;
    const target = found[1].replace(/\\$/, "");
    const shown = found[2] ?? target;
    const start = this.place + found[0].lastIndexOf(shown);
    const children = /** @type {Inline[]} */ ([{ type: "text", ...this.slice(start, start + shown.length) }]);
    const type = found[0][0] === "!" && IMAGE.test(target) ? "image" : "note";
    return this.put({ type, target: target.trim(), children }, found[0].length);
  }

  /** `[text](address)`, `[text](note.md)`, `![text](image.png)`; an image elsewhere is a link to it. */
  link() {
    const found = this.match(LINK);
    if (!found) return false;
    const start = this.place + found[0].indexOf("[") + 1;
    const children = this.inside(start, start + found[1].length);
    const target = (found[2] ?? found[3]).trim();
    const href = safe(target);
    const type = found[0][0] === "!" ? "image" : "note";
    return this.put(href ? { type: "link", href, children } : { type, target, children }, found[0].length);
  }

  /** @param {RegExp} form @param {number} frame characters around the address itself */
  address(form, frame) {
    const found = this.match(form);
    if (!found || (!frame && WORD.test(this.text[this.place - 1] ?? ""))) return false;
    const shown = frame ? found[1] : found[0].replace(/[.,;:!?)\]*_~]+$/, "");
    const href = safe(shown);
    if (!href) return false;
    const start = this.place + frame;
    const children = /** @type {Inline[]} */ ([{ type: "text", ...this.slice(start, start + shown.length) }]);
    return this.put({ type: "link", href, children }, frame ? found[0].length : shown.length);
  }

  newline() {
    return this.put({ type: "break" }, 1);
  }

  mark() {
    for (const [sign, type] of MARKS) {
      if (!this.text.startsWith(sign, this.place) || this.unclosed.has(sign)) continue;
      const start = this.place + sign.length;
      if (!this.opens(sign, start)) continue;
      const end = this.closing(sign, start);
      if (end === -1) continue;
      return this.put({ type, children: this.inside(start, end) }, end + sign.length - this.place);
    }
    return false;
  }

  /** @param {string} sign @param {number} start */
  opens(sign, start) {
    if (/\s|^$/.test(this.text[start] ?? "")) return false;
    return sign[0] !== "_" || !WORD.test(this.text[this.place - 1] ?? "");
  }

  /** Where the mark opened before `start` closes; -1: nowhere. @param {string} sign @param {number} start */
  closing(sign, start) {
    const last = Math.min(this.text.length, start + FARTHEST);
    for (let end = this.text.indexOf(sign, start + 1); end !== -1 && end < last; end = this.text.indexOf(sign, end + 1)) {
      if (--this.patience < 0) return -1;
      const single = sign.length === 1;
      if (single && (this.text[end + 1] === sign || this.text[end - 1] === sign)) {
        end += this.text[end + 1] === sign ? 1 : 0;
        continue;
      }
      if (/[\s\\]/.test(this.text[end - 1])) continue;
      if (sign[0] === "_" && WORD.test(this.text[end + sign.length] ?? "")) continue;
      return end;
    }
    if (last === this.text.length) this.unclosed.add(sign);
    return -1;
  }
}

/** The address itself if a link may lead there, else null: http, https and mailto alone. @param {string} address */
function safe(address) {
  try {
    const url = new URL(address);
    return ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}
