/** A note as it reads, the cited passage highlighted. */

import { day, h } from "../dom.js";
import { blocks, bodyStart } from "../markdown.js";
import { oneByOne, plain, rendered, withoutMarks } from "../render.js";
import { folderOf } from "../notes.js";
import { indexState } from "./index_state.js";
import { NoteLinks } from "./note_links.js";
import { documentLink, imageOf, originLine, pageIn } from "./origin.js";
import { propertyList } from "./property_fields.js";

const AT_ONCE = 300;
/** Blocks of a note that are shown at once, several screens; the rest of a longer one comes piece by piece. */

/**
 * @param {import("../notes.js").Notes} notes @param {any} note
 * @param {{start: number, end: number} | null} at span to show, UTF-16
 */
export function reader(notes, note, at) {
  const { api, card } = notes.page;
  const mark = placed(note.text, at, at ? card.quotes.get(`${note.noteId}:${at.start}-${at.end}`) : undefined);
  const links = new NoteLinks(api, note.noteId);
  const options = { mark, note: links.stand, image: imageOf(api, note) };
  const found = blocks(note.text, { from: bodyStart(note.text) });
  const name = withoutMarks(note.title);
  const titled = found[0]?.type === "heading" && plain(found[0].children) === name; // which then stands there once
  const body = h("div", { class: "prose" });
  body.classList.toggle("long", found.length > AT_ONCE); // what is far away is not laid out
  const shown = titled ? found.slice(1) : found;
  fill(body, oneByOne(shown, options), countAtOnce(shown, mark));
  const title = titled ? [...rendered(found.slice(0, 1), options)[0].childNodes] : name || "Untitled";
  void links.show();
  const gone = at && !mark ? h("p", { class: "notice" }, "The note has changed: the passage that was cited is no longer in it.") : null;
  return h(
    "article",
    { class: "note" },
    h("h2", { tabindex: "-1" }, title),
    h(
      "p",
      { class: "muted facts" },
      h("span", {}, folderOf(note) || "no folder"),
      h("span", {}, day(note.createdAt)),
      note.tags.map((tag) => h("span", { class: "tag" }, tag)),
      indexState(notes, note.noteId),
    ),
    originLine(notes, note),
    documentLink(api, note, mark ? pageIn(note.text.slice(0, lineEnd(note.text, mark.start))) : null),
    gone,
    propertyList(note.text),
    body,
    links.beside,
  );
}

/** How many blocks are shown at once: what is marked is among them. @param {import("../markdown.js").Placed[]} found @param {{end: number} | null} mark */
function countAtOnce(found, mark) {
  const upToMark = found.filter(({ at }) => mark && at < mark.end);
  if (upToMark.at(-1)?.type === "footnote") return Number.POSITIVE_INFINITY; // footnotes stand below all else
  return Math.max(AT_ONCE, upToMark.filter(({ type }) => type !== "footnote").length);
}

/**
 * Put what is seen first into the body of a note, and the rest while nothing else is done.
 * @param {HTMLElement} body @param {Iterator<HTMLElement>} parts @param {number} atOnce
 */
function fill(body, parts, atOnce) {
  for (let count = 0; count < atOnce; count += 1) {
    const { value, done } = parts.next();
    if (done) return;
    body.append(value);
  }
  setTimeout(() => body.isConnected && fill(body, parts, AT_ONCE));
}

/** Where the line that holds a place ends. @param {string} text @param {number} place */
function lineEnd(text, place) {
  const end = text.indexOf("\n", place);
  return end === -1 ? text.length : end;
}

/** Bring the marked passage into view. @param {HTMLElement} element */
export function scrollToMark(element) {
  const mark = element.querySelector("mark:not(.own)");
  mark?.closest("details")?.setAttribute("open", "");
  mark?.scrollIntoView({ block: "center", behavior: "instant" });
  return mark !== null;
}

/**
 * Where the passage stands now: at its span, or elsewhere if the text around it has changed; null if it is gone.
 * @param {string} text @param {{start: number, end: number} | null} at @param {string | undefined} quote
 */
function placed(text, at, quote) {
  if (!at || at.end > text.length + at.end - at.start) return null;
  if (!quote || text.slice(at.start, at.end) === quote) return at.start < text.length ? at : null;
  const start = text.indexOf(quote);
  return start === -1 ? null : { start, end: start + quote.length };
}
