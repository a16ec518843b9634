/** Markdown -> blocks, every piece of text with its place in the source. Pure; knows no DOM. */

import { inlines } from "./inline.js";

/**
 * @typedef {import("./inline.js").Inline} Inline
 * @typedef {import("./inline.js").Run} Run
 * @typedef {{text: string, at: number}} Line one line without its end, and where it begins in the source
 * @typedef {{done: boolean | null, blocks: Block[]}} Item `done` null: no task
 * @typedef {{type: "heading", level: number, children: Inline[]}
 *   | {type: "paragraph", children: Inline[]}
 *   | {type: "code" | "math", run: Run}
 *   | {type: "quote", blocks: Block[]}
 *   | {type: "callout", kind: string, fold: string, title: Inline[], blocks: Block[]}
 *   | {type: "footnote", label: string, blocks: Block[]}
 *   | {type: "list", ordered: boolean, start: number, items: Item[]}
 *   | {type: "table", rows: Inline[][][]}
 *   | {type: "rule"}} Block
 * @typedef {Block & {at: number}} Placed a block and where its first line begins in the source
 */

const DEEPEST = 12;
const NARROWEST = 50;
/** Characters of the longest line of a text that was wrapped. */
const SENTENCE_END = /[.!?:;…]$/;
const LINK = /^\[[^[\]]+\]\([^()]*\)$/;
const LINK_WORDS = /^\[?[^[\]]*\]\(/;

const BLANK = /^\s*$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const FORMULA = /^ {0,3}\$\$/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+|$)(.*?)(?:[ \t]+#+)?[ \t]*$/;
const RULE = /^ {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$/;
const UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/;
const QUOTE = /^ {0,3}> ?/;
const CALLOUT = /^\[!([\w-]{1,30})\]([+-]?)[ \t]*/;
const FOOTNOTE = /^ {0,3}\[\^([^\]\s]{1,50})\]:[ \t]*/;
const COMMENT = /^ {0,3}(?:(%%)|<!--)/;
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])( {1,4}(?=\S)|\t| *$| )/;
const TASK = /^\[([ xX])\][ \t]+/;
const INDENTED = /^(?: {4}|\t)/;
const HARD_BREAK = /(?: {2}|\\)$/;
const BLOCK_ID = /(?:^|[ \t])\^[A-Za-z0-9-]{2,}[ \t]*$/;
/** Name of a block for links to it. */
const DELIMITERS = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
const FRONTMATTER = /^\ufeff?---[ \t]*(?:\r\n|\n|\r)(?:[\s\S]*?(?:\r\n|\n|\r))?---[ \t]*(?:\r\n|\n|\r|$)/;

/**
 * @param {string} source
 * @param {{cite?: boolean, from?: number, flows?: boolean}} [options] `from`: where the text begins; `flows`: the lines of a
 *   paragraph are one, as every renderer has them; else those that nothing but their author ended stay apart
 * @returns {Placed[]}
 */
export function blocks(source, options = {}) {
  return new Blocks(linesOf(source, options.from ?? 0), options.cite ?? false, options.flows ?? false, 0).all();
}

/** Where the text begins after YAML between `---` lines. @param {string} source */
export function bodyStart(source) {
  return FRONTMATTER.exec(source)?.[0].length ?? 0;
}

/** @param {string} source @param {number} from @returns {Line[]} */
function linesOf(source, from) {
  const lines = [];
  for (const match of source.slice(from).matchAll(/([^\r\n]*)(\r\n|\n|\r|$)/g)) {
    lines.push({ text: match[1], at: from + match.index });
  }
  return lines;
}

class Blocks {
  /** @param {Line[]} lines @param {boolean} cite @param {boolean} flows @param {number} depth */
  constructor(lines, cite, flows, depth) {
    this.lines = lines;
    this.cite = cite;
    this.flows = flows;
    this.depth = depth;
    this.next = 0;
    this.open = false; // a comment has begun that nothing ends
  }

  /** @returns {Placed[]} */
  all() {
    const found = [];
    while (this.next < this.lines.length) {
      if (BLANK.test(this.line)) this.next += 1;
      else if (!this.comment()) {
        const { at } = this.lines[this.next];
        found.push({ ...this.block(), at });
      }
    }
    return found;
  }

  get line() {
    return this.lines[this.next].text;
  }

  /** @returns {Block} */
  block() {
    if (FENCE.test(this.line)) return this.fenced();
    if (FORMULA.test(this.line)) return this.formula() ?? this.paragraph();
    if (INDENTED.test(this.line)) return this.indented();
    if (HEADING.test(this.line)) return this.heading();
    if (RULE.test(this.line)) return this.rule();
    if (this.depth < DEEPEST && QUOTE.test(this.line)) return this.quote();
    if (this.depth < DEEPEST && ITEM.test(this.line)) return this.list();
    if (this.depth < DEEPEST && FOOTNOTE.test(this.line)) return this.footnote();
    if (this.startsTable()) return this.table();
    return this.paragraph();
  }

  /** @param {Line[]} lines @returns {Block[]} */
  within(lines) {
    return new Blocks(lines, this.cite, this.flows, this.depth + 1).all();
  }

  /** @param {Line[]} lines @param {boolean} [cell] of a table @returns {Inline[]} */
  inline(lines, cell = false) {
    const flows = this.flows ? lines.map(() => true) : flowing(lines.map(({ text }) => text));
    const shown = lines.map((line) => (cell ? trimmed(line) : withoutBlockId(trimmed(line))));
    return inlines(joined(shown, flows), { cite: this.cite, cell });
  }

  /** A comment that begins with this line, over several lines too: passed by. What follows its end stays. */
  comment() {
    const found = COMMENT.exec(this.line);
    if (!found || this.open) return false;
    const close = found[1] ?? "-->";
    for (let last = this.next, from = found[0].length; last < this.lines.length; last += 1, from = 0) {
      const end = this.lines[last].text.indexOf(close, from);
      if (end === -1) continue;
      this.next = last;
      this.lines[last] = cut(this.lines[last], end + close.length);
      return true;
    }
    this.open = true;
    return false;
  }

  /** @returns {Block} */
  fenced() {
    const fence = /** @type {RegExpExecArray} */ (FENCE.exec(this.line))[1];
    const body = [];
    for (this.next += 1; this.next < this.lines.length; this.next += 1) {
      const closing = FENCE.exec(this.line)?.[1];
      if (closing?.startsWith(fence) && this.line.trim() === closing) {
        this.next += 1;
        break;
      }
      body.push(this.lines[this.next]);
    }
    return { type: "code", run: joined(body) };
  }

  /** A formula of its own, `$$` before and after it; null where none ends it, or text follows. @returns {Block | null} */
  formula() {
    const begin = this.line.indexOf("$$") + 2;
    for (let last = this.next; last < this.lines.length; last += 1) {
      const line = this.lines[last];
      const end = line.text.indexOf("$$", last === this.next ? begin : 0);
      if (end === -1) continue;
      if (line.text.slice(end + 2).trim()) return null;
      const body = this.lines.slice(this.next, last + 1);
      body[body.length - 1] = { text: line.text.slice(0, end), at: line.at };
      body[0] = cut(body[0], begin);
      this.next = last + 1;
      return { type: "math", run: joined(body.filter(({ text }) => text.trim())) };
    }
    return null;
  }

  /** @returns {Block} */
  indented() {
    const body = this.while((line) => INDENTED.test(line));
    return { type: "code", run: joined(body.map((line) => cut(line, line.text[0] === "\t" ? 1 : 4))) };
  }

  /** @returns {Block} */
  heading() {
    const line = this.lines[this.next++];
    const [, signs, title] = /** @type {RegExpExecArray} */ (HEADING.exec(line.text));
    const start = title ? line.text.indexOf(title, line.text.indexOf(signs) + signs.length) : line.text.length;
    const run = { text: title, at: line.at + start };
    return { type: "heading", level: signs.length, children: this.inline([run]) };
  }

  /** @returns {Block} */
  rule() {
    this.next += 1;
    return { type: "rule" };
  }

  /** @returns {Block} */
  quote() {
    const [first, ...rest] = this.while((line) => QUOTE.test(line)).map((line) => cut(line, matched(QUOTE, line.text)));
    const callout = CALLOUT.exec(first.text);
    if (!callout) return { type: "quote", blocks: this.within([first, ...rest]) };
    const title = this.inline([cut(first, callout[0].length)]);
    return { type: "callout", kind: callout[1].toLowerCase(), fold: callout[2], title, blocks: this.within(rest) };
  }

  /** @returns {Block} */
  footnote() {
    const [begin, label] = /** @type {RegExpExecArray} */ (FOOTNOTE.exec(this.line));
    const first = cut(this.lines[this.next++], begin.length);
    const rest = this.while((line) => INDENTED.test(line) || (!BLANK.test(line) && !FOOTNOTE.test(line) && !HEADING.test(line)));
    return { type: "footnote", label, blocks: this.within([first, ...rest.map((line) => trimmed(line))]) };
  }

  /** @returns {Block} */
  list() {
    const marker = /** @type {RegExpExecArray} */ (ITEM.exec(this.line))[2];
    const kind = marker.at(-1);
    const items = [];
    while (this.next < this.lines.length) {
      const found = ITEM.exec(this.line);
      if (!found || found[2].at(-1) !== kind || RULE.test(this.line)) break;
      items.push(this.item(found[0].length));
    }
    return { type: "list", ordered: /\d/.test(marker), start: Number.parseInt(marker, 10) || 0, items };
  }

  /** @param {number} indent of the item's text @returns {Item} */
  item(indent) {
    const first = cut(this.lines[this.next++], indent);
    const task = TASK.exec(first.text);
    const body = [task ? cut(first, task[0].length) : first];
    let blank = false;
    for (; this.next < this.lines.length; this.next += 1) {
      const line = this.lines[this.next];
      if (BLANK.test(line.text)) blank = true;
      else if (deep(line.text, indent)) blank = false;
      else if (blank || this.interrupts()) break;
      body.push(deep(line.text, indent) ? cut(line, Math.min(indent, spaces(line.text))) : line);
    }
    return { done: task ? task[1] !== " " : null, blocks: this.within(body) };
  }

  startsTable() {
    const below = this.lines[this.next + 1]?.text ?? "";
    return this.line.includes("|") && below.includes("|") && DELIMITERS.test(below);
  }

  /** @returns {Block} */
  table() {
    const head = this.lines[this.next];
    this.next += 2;
    const body = this.while((line) => line.includes("|") && !BLANK.test(line));
    return { type: "table", rows: [head, ...body].map((line) => cells(line).map((cell) => this.inline([cell], true))) };
  }

  /** @returns {Block} */
  paragraph() {
    const body = [this.lines[this.next++]];
    for (; this.next < this.lines.length && !BLANK.test(this.line); this.next += 1) {
      const level = UNDERLINE.exec(this.line)?.[1];
      if (level) {
        this.next += 1;
        return { type: "heading", level: level[0] === "=" ? 1 : 2, children: this.inline(body) };
      }
      if (this.interrupts() || this.startsTable()) break;
      body.push(this.lines[this.next]);
    }
    return { type: "paragraph", children: this.inline(body) };
  }

  /** Whether this line ends a paragraph without a blank line before it. */
  interrupts() {
    return [FENCE, HEADING, RULE, QUOTE, ITEM, FOOTNOTE].some((form) => form.test(this.line));
  }

  /** @param {(line: string) => boolean} holds @returns {Line[]} */
  while(holds) {
    const found = [];
    while (this.next < this.lines.length && holds(this.line)) found.push(this.lines[this.next++]);
    return found;
  }
}

/** @param {RegExp} form @param {string} text */
function matched(form, text) {
  return form.exec(text)?.[0].length ?? 0;
}

/** @param {string} text */
function spaces(text) {
  return matched(/^[ \t]*/, text);
}

/** @param {string} text @param {number} indent */
function deep(text, indent) {
  return text[0] === "\t" || spaces(text) >= Math.min(indent, 4);
}

/** @param {Line} line @param {number} count @returns {Line} */
function cut(line, count) {
  return { text: line.text.slice(count), at: line.at + Math.min(count, line.text.length) };
}

/** Without the space before it. @param {Line} line @returns {Line} */
function trimmed(line) {
  return cut(line, line.text.length - line.text.trimStart().length);
}

/** @param {Line} line @returns {Line} */
function withoutBlockId({ text, at }) {
  return { text: text.replace(BLOCK_ID, ""), at };
}

/** The cells of a table's row; a bar in code is no border. @param {Line} line @returns {Line[]} */
function cells({ text, at }) {
  const found = [];
  for (let from = 0, place = 0; place <= text.length; place += 1) {
    const sign = text[place] ?? "|";
    if (sign === "\\") place += 1;
    else if (sign === "`") place = codeEnd(text, place) - 1;
    else if (sign === "|") {
      const cell = text.slice(from, place);
      const outside = cell.trim() === "" && (from === 0 || place === text.length);
      if (!outside) found.push({ text: cell.trim(), at: at + from + spaces(cell) });
      from = place + 1;
    }
  }
  return found;
}

/** Behind the code that begins at a backtick; without an end of it, behind its backticks. @param {string} text @param {number} place */
function codeEnd(text, place) {
  const ticks = /** @type {RegExpExecArray} */ (/^`+/.exec(text.slice(place)))[0];
  const end = text.indexOf(ticks, place + ticks.length);
  return (end === -1 ? place : end) + ticks.length;
}

/**
 * Whether an editor wrapped a text at a column: no line had room for the next one's first word. A line that is one word,
 * like an address, or that is of a script without blanks, was not wrapped; nor the first of two lines if it ends a sentence.
 * @param {string[]} lines
 */
function areWrapped(lines) {
  const column = lines.reduce((most, line) => Math.max(most, line.trim().length), 0);
  if (column < NARROWEST || (lines.length === 2 && SENTENCE_END.test(lines[0].trimEnd()))) return false;
  return lines.slice(1).every((line, place) => {
    const before = lines[place];
    const [word] = line.trim().split(" ");
    const breaks = HARD_BREAK.test(before) || !before.trim().includes(" ");
    return !breaks && before.trim().length + 1 + word.length > column;
  });
}

/** Whether the end of each line is a blank, as the server joins the lines of quotes. @param {string[]} written @returns {boolean[]} */
function flowing(written) {
  const lines = written.map((line) => line.trim());
  const wrapped = areWrapped(written);
  const wide = lines.slice(0, -1).filter((line) => line.length >= NARROWEST);
  const prose = wide.length >= lines.length / 2 && !/^\p{Ll}/u.test(lines[0]);
  const listsLinks = lines.filter((line) => LINK.test(line)).length > 1;
  return lines.map((line, place) => {
    const next = lines[place + 1] ?? "";
    const inLink = next[0] === "[" ? /\p{L}$/u.test(line) : line.lastIndexOf("[") > line.lastIndexOf("]");
    if (wrapped || (inLink && !listsLinks && LINK_WORDS.test(next))) return true;
    const canBeWrapped = prose && line.length >= NARROWEST && line.includes(" ");
    return canBeWrapped && !SENTENCE_END.test(line) && /^[\p{Ll}(]/u.test(next);
  });
}

/** Lines as one text with the place of each unit. @param {Line[]} lines @param {boolean[]} [flows] of each line whether its end is a blank, unless it breaks @returns {Run} */
function joined(lines, flows = []) {
  const at = /** @type {number[]} */ ([]);
  for (const [index, line] of lines.entries()) {
    if (index) at.push(line.at - 1); // the line's end before it
    for (let unit = 0; unit < line.text.length; unit += 1) at.push(line.at + unit);
  }
  const ended = lines.map(({ text }, index) => {
    if (index === lines.length - 1) return text;
    return text + (flows[index] && !HARD_BREAK.test(text) ? " " : "\n");
  });
  return { text: ended.join(""), at };
}
