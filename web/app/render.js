/** Blocks of Markdown -> DOM, all text as text nodes. A span of the source can be marked. */

import { button, h } from "./dom.js";
import { inlines } from "./inline.js";
import { blocks, bodyStart } from "./markdown.js";
import { formula } from "./math.js";

const LONGEST_JOINED = 30;
/** Characters that stay on one line with the citation that follows them. */
const LONGEST_PREVIEW = 50_000;
/** Characters, about eight thousand words: more would hold the page up. */
const CLOSING = /^[.,;:!?)\]”’"']+/;

/**
 * @typedef {import("./markdown.js").Block} Block
 * @typedef {import("./markdown.js").Inline} Inline
 * @typedef {object} Options
 * @property {(label: string) => Node} [cite] what stands for a citation; none: `[N1]` is text
 * @property {(target: string, shown: any[]) => Node} [note] what stands for a link to another note; none: its text
 * @property {(target: string, alt: string) => Node} [image] what stands for an image that lies beside the note; none: its text
 * @property {{start: number, end: number} | null} [mark] span of the source to highlight, UTF-16
 * @property {number} [from] where in the source the text begins
 * @property {boolean} [quoted] whether it is a piece of a note: its lines flow, and its footnotes are elsewhere
 */

/** @param {string} source @param {Options} [options] @returns {HTMLElement[]} */
export function render(source, options = {}) {
  return rendered(blocks(source, { cite: Boolean(options.cite), from: options.from, flows: options.quoted }), options);
}

/** Blocks, the footnotes among them below all others. @param {Block[]} found @param {Options} options @returns {HTMLElement[]} */
export function rendered(found, options) {
  return [...oneByOne(found, options)];
}

/** The same one after the other, for a text that is too long to be shown at once. @param {Block[]} found @param {Options} options @returns {Generator<HTMLElement>} */
export function* oneByOne(found, options) {
  const defined = found.filter((block) => block.type === "footnote");
  const notes = new Map(defined.map(({ label, blocks }) => [label, h("li", { tabindex: "-1" }, blocks.map((each) => element(each, options)))]));
  const within = { ...options, footnotes: notes };
  for (const block of found) if (block.type !== "footnote") yield element(block, within);
  if (notes.size) yield h("ol", { class: "footnotes" }, [...notes.values()]);
}

/** The beginning of a text without its properties, as long as a page shows it at once. @param {string} source @returns {HTMLElement[]} */
export function preview(source) {
  const from = bodyStart(source);
  const end = previewEnd(source, from);
  const shown = render(source.slice(0, end), { from });
  return end < source.length ? [...shown, h("p", { class: "notice" }, "The preview ends here: the note is very long. All of its text stays.")] : shown;
}

/** Where a preview ends: behind a whole line, if there is one. @param {string} source @param {number} from */
export function previewEnd(source, from) {
  const most = from + LONGEST_PREVIEW;
  if (source.length <= most) return source.length;
  const lineEnd = source.lastIndexOf("\n", most);
  return lineEnd > from ? lineEnd : most;
}

/** @param {Block} block @param {Options & {footnotes?: Map<string, HTMLElement>}} options @returns {HTMLElement} */
function element(block, options) {
  switch (block.type) {
    case "heading": // below the page's own first two levels
      return h(`h${Math.min(block.level + 2, 6)}`, {}, inside(block.children, options));
    case "paragraph":
      return h("p", {}, inside(block.children, options));
    case "code":
      return h("pre", { tabindex: "0" }, h("code", {}, text(block.run, options)));
    case "math":
      return h("div", { class: "math", tabindex: "0" }, math(block.run, options, true) ?? h("pre", {}, h("code", {}, text(block.run, options))));
    case "quote":
      return h("blockquote", {}, block.blocks.map((each) => element(each, options)));
    case "callout":
      return callout(block, options);
    case "footnote": // inside another block
      return h("div", {}, block.blocks.map((each) => element(each, options)));
    case "list":
      return list(block, options);
    case "table":
      return table(block.rows, options);
    case "rule":
      return h("hr");
  }
}

/** @param {Extract<Block, {type: "callout"}>} block @param {Options} options */
function callout({ kind, fold, title, blocks: within }, options) {
  const name = title.length ? inside(title, options) : kind[0].toUpperCase() + kind.slice(1);
  const body = within.map((each) => element(each, options));
  return h(fold ? "details" : "div", { class: "callout", dataset: { kind }, open: fold === "+" }, h(fold ? "summary" : "p", { class: "callout-title" }, name), body);
}

/** @param {Extract<Block, {type: "list"}>} block @param {Options} options */
function list(block, options) {
  const items = block.items.map((item) => {
    const tick = item.done === null ? null : h("span", {}, item.done ? "☑ " : "☐ ");
    const body = item.blocks.map((each) => element(each, options));
    const [first] = body;
    if (first?.tagName === "P") first.prepend(...(tick ? [tick] : []));
    return h("li", { class: item.done === null ? null : "task" }, body);
  });
  const start = block.ordered && block.start !== 1 ? block.start : null;
  return h(block.ordered ? "ol" : "ul", { start }, items);
}

/** @param {Inline[][][]} rows @param {Options} options */
function table([head, ...body], options) {
  const row = (/** @type {Inline[][]} */ cells, /** @type {string} */ tag) =>
    h("tr", {}, cells.map((cell) => h(tag, tag === "th" ? { scope: "col" } : {}, inside(cell, options))));
  const inner = h("table", {}, h("thead", {}, row(head, "th")), h("tbody", {}, body.map((cells) => row(cells, "td"))));
  return h("div", { class: "table", tabindex: "0", role: "group", "aria-label": "Table" }, inner);
}

/** @param {Inline[]} nodes @param {Options} options @returns {any[]} */
function inside(nodes, options) {
  if (!options.cite) return nodes.map((node) => inline(node, options));
  return withMarkers(nodes).map((node) => (Array.isArray(node) ? h("span", { class: "joined" }, node.map((each) => inline(each, options))) : inline(node, options)));
}

/**
 * Citations together with the word before them and the sign after them, so that none of them begins a line.
 * @param {Inline[]} nodes @returns {(Inline | Inline[])[]}
 */
function withMarkers(nodes) {
  const found = /** @type {(Inline | Inline[])[]} */ ([]);
  for (const node of nodes) {
    const last = found.at(-1);
    if (node.type === "cite" && Array.isArray(last)) last.push(node);
    else if (node.type === "cite") {
      const [before, word] = lastWord(last);
      if (word) found.pop();
      if (before) found.push(before);
      found.push(word ? [word, node] : [node]);
    } else if (node.type === "text" && Array.isArray(last) && CLOSING.test(node.text)) {
      const { length } = /** @type {RegExpExecArray} */ (CLOSING.exec(node.text))[0];
      last.push(piece(node, 0, length));
      if (length < node.text.length) found.push(piece(node, length, node.text.length));
    } else found.push(node);
  }
  return found;
}

/** A text without its last word, and that word; a word that is too long for a line stays where it is. @param {Inline | Inline[] | undefined} node @returns {[Inline | null, Inline | null]} */
function lastWord(node) {
  if (!node || Array.isArray(node)) return [null, null];
  if (node.type !== "text") return plain([node]).length <= LONGEST_JOINED && node.type !== "break" ? [null, node] : [null, null];
  const start = node.text.search(/\S+$/);
  if (start === -1 || node.text.length - start > LONGEST_JOINED) return [null, null];
  return [start ? piece(node, 0, start) : null, piece(node, start, node.text.length)];
}

/** @param {any} node of text @param {number} start @param {number} end @returns {Inline} */
function piece(node, start, end) {
  return { ...node, text: node.text.slice(start, end), at: node.at.slice(start, end) };
}

/** @param {Inline} node @param {Options} options @returns {any} */
function inline(node, options) {
  switch (node.type) {
    case "text":
      return text(node, options);
    case "code":
      return h("code", {}, text(node, options));
    case "math":
      return math(node, options, false) ?? h("code", { class: "math" }, text(node, options));
    case "link":
      return h("a", { href: node.href, rel: "noopener noreferrer nofollow", target: "_blank" }, inside(node.children, options));
    case "note": {
      const shown = inside(node.children, options);
      return options.note ? options.note(node.target, shown) : h("em", {}, shown);
    }
    case "image":
      return options.image ? options.image(node.target, plain(node.children)) : h("em", {}, inside(node.children, options));
    case "footnote":
      return footnote(node, options);
    case "mark": // another one than that of a cited passage
      return h("mark", { class: "own" }, inside(node.children, options));
    case "cite":
      return options.cite ? node.labels.map(options.cite) : null;
    case "break":
      return h("br");
    default:
      return h(node.type, {}, inside(node.children, options));
  }
}

/** A formula, in a `mark` where some of it is marked; null: it is left as it was written. @param {{text: string, at: number[]}} run @param {Options} options @param {boolean} display */
function math({ text: tex, at }, { mark }, display) {
  const element = formula(tex, display);
  const marked = element && mark && at.some((place) => place >= mark.start && place < mark.end);
  return marked ? h("mark", {}, element) : element;
}

/** The number of a footnote, which leads to it; its text where there is none. @param {any} node @param {any} options */
function footnote({ label, children }, options) {
  const place = [...(options.footnotes?.keys() ?? [])].indexOf(label);
  if (place === -1) return options.quoted ? null : inside(children, options);
  const note = options.footnotes.get(label);
  const show = () => {
    note.scrollIntoView({ block: "nearest" });
    note.focus({ preventScroll: true });
  };
  return h("sup", {}, button(String(place + 1), show, { class: "link", "aria-label": `Footnote ${place + 1}`, title: note.textContent }));
}

/** The text of nodes without any form. @param {any[]} nodes @returns {string} */
export function plain(nodes) {
  return nodes.map((node) => node.text ?? plain(node.children ?? [])).join("").trim();
}

/** A title or a heading as it reads, without the marks of Markdown. @param {string} line @returns {string} */
export function withoutMarks(line) {
  const at = Array.from({ length: line.length }, (_, place) => place);
  return plain(inlines({ text: line, at }));
}

/** The headings above a passage as they read. @param {string} path `# Boat > ## _Is it_ blue?` @returns {string[]} */
export function headingsOf(path) {
  return path.split(" > ").map((heading) => withoutMarks(heading.replace(/^#+ /, "")));
}

/** Text nodes, those inside the marked span in a `mark`. @param {{text: string, at: number[]}} run @param {Options} options */
function text(run, { mark }) {
  if (!mark || run.at[0] >= mark.end || run.at[run.at.length - 1] < mark.start) return [run.text];
  const within = (unit) => run.at[unit] >= mark.start && run.at[unit] < mark.end;
  const parts = [];
  for (let start = 0, end = 0; start < run.text.length; start = end) {
    const marked = within(start);
    while (end < run.text.length && within(end) === marked) end += 1;
    const piece = run.text.slice(start, end);
    parts.push(marked ? h("mark", {}, piece) : piece);
  }
  return parts;
}
