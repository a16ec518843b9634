/** Citations: the chip in the text, its card on hover and focus, the sheet on touch, the list below. */

import { tried } from "./api.js";
import { button, day, h } from "./dom.js";
import { headingsOf, render, withoutMarks } from "./render.js";
import { format, go, here, showDialog } from "./router.js";
import { Pointers } from "./views/note_links.js";
import { documentLink, pageIn } from "./views/origin.js";

const SHOW_AFTER = 120;
const HIDE_AFTER = 180;

/** What a judge's state means to a reader. */
const SUPPORT = /** @type {Readonly<Record<string, {word: string, sentence: string}>>} */ ({
  supported: { word: "supported", sentence: "The passage backs what is said." },
  partial: { word: "partly supported", sentence: "The passage backs only part of what is said." },
  unsupported: { word: "not supported", sentence: "The passage does not back what is said. Read it yourself." },
  somePartial: { word: "partly supported", sentence: "One of the claims that cite this is backed only in part. The quote is for the one it backs best." },
  someUnsupported: { word: "one claim not supported", sentence: "One of the claims that cite this is not backed by it. The quote is for the one it backs best." },
  quoted: { word: "quoted", sentence: "Word for word from your note. Whether it answers the question was not checked." },
  stale: { word: "changed since", sentence: "The note has changed since it was read for this answer." },
  none: { word: "not judged", sentence: "Not checked: read the passage yourself." },
});

/** @param {any} citation */
function titleOf(citation) {
  return withoutMarks(citation.title ?? "") || (citation.quote ? "Untitled" : "Deleted note");
}

/** @param {any} citation */
export function standing(citation) {
  return citation.stale ? "stale" : (citation.support?.state ?? "none");
}

/** Support is that of the claim which the passage backs least: where several cite it, it is not said of all. @param {any} citation */
function meaning(citation) {
  const state = standing(citation);
  const some = `some${state[0].toUpperCase()}${state.slice(1)}`;
  return SUPPORT[citation.claims > 1 && some in SUPPORT ? some : state];
}

/** Where a click leads: the note beside what is shown, at the passage. @param {any} citation */
function place(citation) {
  const { view, id } = here();
  return view === "notes"
    ? { view, id: citation.noteId, at: citation.span }
    : { view, id, note: citation.noteId, at: citation.span };
}

/**
 * The number of one citation. `citation` null: the model has named it, the passage is still to come.
 * @param {number} number @param {any} citation @param {Card} card
 */
export function chip(number, citation, card) {
  if (!citation) return h("span", { class: "chip" }, number);
  const state = standing(citation);
  const name = `Source ${number}: ${titleOf(citation)}, ${meaning(citation).word}`;
  const link = h("a", { class: "chip", href: "#", dataset: { support: state, ...(citation.claims > 1 ? { several: "" } : {}) }, "aria-label": name }, number);
  card.attach(link, citation);
  return link;
}

/**
 * All citations of an answer in the order of their numbers, each with a box that switches its note off.
 * @param {any[]} citations @param {Card} card @param {(without: string[]) => void} again with the ids of the notes that are off
 */
export function sourceList(citations, card, again) {
  const off = /** @type {Set<string>} */ (new Set());
  const boxes = citations.map((citation) => box(citation, (used) => switched(citation.noteId, used)));
  const ask = button("", () => again([...off]), { class: "primary", hidden: true });
  const switched = (/** @type {string} */ noteId, /** @type {boolean} */ used) => {
    if (used) off.delete(noteId);
    else off.add(noteId);
    for (const [nth, citation] of citations.entries()) boxes[nth].checked = !off.has(citation.noteId);
    ask.hidden = !off.size;
    ask.textContent = `Ask again without ${off.size === 1 ? "this note" : `these ${off.size} notes`}`;
  };
  const rows = citations.map((citation, nth) =>
    h(
      "li",
      {},
      boxes[nth],
      chip(citation.number, citation, card),
      h(
        "span",
        { class: "source" },
        h(
          "a",
          { href: format(place(citation)), class: "source-title", onclick: (event) => card.follow(event, citation) },
          titleOf(citation),
        ),
        h("span", { class: "muted" }, [citation.folder, day(citation.createdAt)].filter(Boolean).join(" · ")),
        verdict(citation),
      ),
    ),
  );
  return h("div", { class: "sources" }, h("ol", {}, rows), ask);
}

/** @param {any} citation @param {(used: boolean) => void} switched */
function box(citation, switched) {
  const onchange = () => switched(input.checked);
  const input = h("input", { type: "checkbox", checked: true, "aria-label": `Use ${titleOf(citation)}`, title: "Use this note", onchange });
  return input;
}

/** The sources as a list that means something outside this page. @param {any[]} citations in the order of their numbers */
export function listed(citations) {
  const page = location.href.split("#")[0];
  const row = (/** @type {any} */ citation) => {
    const name = [titleOf(citation), citation.folder, day(citation.createdAt)].filter(Boolean).join(", ").replace(/[[\]]/g, "");
    return `${citation.number}. [${name}](${page}${format({ view: "notes", id: citation.noteId, at: citation.span })})`;
  };
  return citations.map(row).join("\n");
}

/** The sources as links between notes, as they are written in a note. @param {any[]} citations in the order of their numbers */
export function linked(citations) {
  const row = (/** @type {any} */ citation) => {
    const title = titleOf(citation).replace(/[[\]|\n]/g, " ");
    const path = citation.path.replace(/\.(?:md|markdown)$/i, "");
    const target = path && !/[[\]|#\n]/.test(path) ? `${path}|${title}` : title;
    return `${citation.number}. [[${target}]] (${day(citation.createdAt)})`;
  };
  return citations.filter(({ quote }) => quote).map(row).join("\n");
}

/** @param {any} citation */
function verdict(citation) {
  const state = standing(citation);
  return ["none", "quoted"].includes(state) ? null : h("span", { class: "verdict", dataset: { support: state } }, meaning(citation).word);
}

/** @param {any} citation @param {(target: string, shown: any[]) => Node} note what stands for a link to another note */
function details(citation, note) {
  const state = standing(citation);
  return [
    h("p", { class: "card-title" }, titleOf(citation)),
    h(
      "p",
      { class: "muted" },
      [citation.folder || "no folder", day(citation.createdAt), headingsOf(citation.headingPath ?? "").join(" > ")].filter(Boolean).join(" · "),
    ),
    citation.quote
      ? h("blockquote", { class: "prose" }, render(withoutRows(citation.quote), { note, quoted: true }))
      : h("p", { class: "muted" }, "The note this pointed at has been deleted."),
    h("p", { class: "verdict", dataset: { support: state } }, meaning(citation).sentence),
  ];
}

const ROW = /^[ \t]*\|(.+)\|[ \t]*$/gm;
const RULER = /^[ \t]*\|[\s|:-]+\|[ \t]*$\n?/gm;

/** Rows of a table whose head is not quoted, as items. @param {string} quote */
function withoutRows(quote) {
  if (quote.search(RULER) !== -1) return quote;
  const item = (_, cells) => `- ${cells.split("|").map((cell) => cell.trim()).join(" · ")}`;
  return quote.replace(ROW, item);
}

/** The one card of the page. */
export class Card {
  /** @param {import("./api.js").Api} api @param {(citation: any) => void} opened told when a passage is opened */
  constructor(api, opened) {
    this.api = api;
    this.opened = opened;
    this.element = h("div", { id: "card", class: "card", role: "tooltip", hidden: true });
    this.sheet = h("dialog", { class: "sheet", "aria-label": "Source" });
    this.timer = 0;
    this.byTouch = false;
    /** Quotes by note and span, so that a reader can tell whether the note still says so. @type {Map<string, string>} */
    this.quotes = new Map();
    this.element.addEventListener("mouseenter", () => clearTimeout(this.timer));
    this.element.addEventListener("mouseleave", () => this.later(() => this.hide(), HIDE_AFTER));
    this.element.addEventListener("click", () => this.hide());
    this.sheet.addEventListener("click", (event) => event.target === this.sheet && this.sheet.close());
    addEventListener("pointerdown", (event) => (this.byTouch = event.pointerType === "touch"), true);
    addEventListener("keydown", (event) => event.key === "Escape" && this.hide());
    addEventListener("scroll", () => this.hide(), { capture: true, passive: true });
    document.body.append(this.element, this.sheet);
  }

  /** @param {HTMLElement} link @param {any} citation */
  attach(link, citation) {
    this.quotes.set(`${citation.noteId}:${citation.span?.start}-${citation.span?.end}`, citation.quote);
    link.setAttribute("href", format(place(citation)));
    link.addEventListener("mouseenter", () => !this.byTouch && this.later(() => this.show(link, citation), SHOW_AFTER));
    link.addEventListener("mouseleave", () => this.later(() => this.hide(), HIDE_AFTER));
    link.addEventListener("focus", () => !this.byTouch && this.show(link, citation));
    link.addEventListener("blur", () => this.hide());
    link.addEventListener("click", (event) => this.follow(event, citation));
  }

  /** A click: on touch the sheet first, else the note. @param {Event} event @param {any} citation */
  follow(event, citation) {
    event.preventDefault();
    this.hide();
    if (this.byTouch && !this.sheet.open) this.openSheet(citation);
    else this.open(citation);
  }

  /** @param {any} citation */
  open(citation) {
    this.opened(citation);
    const instead = this.sheet.open; // of the step that the sheet is
    go(place(citation), { replace: instead });
    this.sheet.close();
  }

  /** @param {any} citation */
  openSheet(citation) {
    const open = button("Open the note", () => this.open(citation), { class: "primary" });
    const close = button("Close", () => this.sheet.close());
    const row = h("div", { class: "row" }, open, close);
    this.sheet.replaceChildren(...this.details(citation), row);
    void this.documentOf(citation).then((link) => link && open.after(link));
    showDialog(this.sheet);
  }

  /** @param {any} citation */
  details(citation) {
    const links = new Pointers(this.api);
    const shown = details(citation, links.stand);
    void links.follow([citation.noteId]);
    return shown;
  }

  /** The PDF that a citation's note came from, at the cited page; null without one. @param {any} citation */
  async documentOf({ noteId, path, headingPath }) {
    if (!/\.pdf$/i.test(path ?? "")) return null;
    const note = await tried(() => this.api.note(noteId));
    return note && documentLink(this.api, note, pageIn((headingPath ?? "").replaceAll(" > ", "\n")));
  }

  /** @param {() => void} run @param {number} milliseconds */
  later(run, milliseconds) {
    clearTimeout(this.timer);
    this.timer = setTimeout(run, milliseconds);
  }

  /** @param {HTMLElement} link @param {any} citation */
  show(link, citation) {
    clearTimeout(this.timer);
    if (!link.isConnected) return;
    this.element.replaceChildren(...this.details(citation));
    this.element.hidden = false;
    link.setAttribute("aria-describedby", "card");
    this.put(link.getBoundingClientRect());
  }

  /** Below the chip where there is room, else above; on the larger side if it fits on neither. Never over the chip. @param {DOMRect} chip */
  put(chip) {
    this.element.style.removeProperty("max-height");
    const { offsetWidth: width, offsetHeight: height } = this.element;
    const left = Math.max(8, Math.min(chip.left - 16, innerWidth - width - 8));
    const below = innerHeight - 8 - (chip.bottom + 6);
    const above = chip.top - 6 - 8;
    const isBelow = height <= below || below >= above;
    const shown = Math.min(height, isBelow ? below : above);
    if (shown < height) this.element.style.setProperty("max-height", `${shown}px`);
    this.element.style.setProperty("left", `${left}px`);
    this.element.style.setProperty("top", `${isBelow ? chip.bottom + 6 : chip.top - 6 - shown}px`);
  }

  hide() {
    clearTimeout(this.timer);
    this.element.hidden = true;
  }
}
