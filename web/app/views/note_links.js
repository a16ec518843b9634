/** Links between notes: those in a text, and the notes that point at one that is read. */

import { tried } from "../api.js";
import { day, h } from "../dom.js";
import { folderOf } from "../notes.js";
import { withoutMarks } from "../render.js";
import { format, here } from "../router.js";

/** The links of a text that was taken from notes, each text until it is known where it leads. */
export class Pointers {
  /** @param {import("../api.js").Api} api */
  constructor(api) {
    this.api = api;
    /** @type {{target: string, place: HTMLElement}[]} */
    this.places = [];
    /** Where targets lead, once it is known. @type {Map<string, string>} */
    this.ids = new Map();
  }

  /** What stands in the text for a link until then. @param {string} target @param {any[]} shown */
  stand = (target, shown) => {
    const id = this.ids.get(target);
    if (id) return h("a", { href: address(id) }, shown); // a piece of a long text that comes later
    const place = h("em", {}, shown);
    this.places.push({ target, place });
    return place;
  };

  /** The text can be read without them: a failure leaves them as text. @param {Iterable<string>} noteIds of the notes it was taken from */
  async follow(noteIds) {
    if (!this.places.length) return;
    for (const id of new Set(noteIds)) await tried(async () => this.lead(await this.linksOf(id)));
  }

  /** Where a note points, and who points at it. @param {string} id @returns {Promise<any>} */
  linksOf(id) {
    return this.api.get(`/notes/${encodeURIComponent(id)}:links`);
  }

  /** @param {any} found of the wire */
  lead(found) {
    for (const { target, noteId } of found.links) this.ids.set(target, noteId);
    for (const { target, place } of this.places) {
      const id = this.ids.get(target);
      if (id && place.parentNode) place.replaceWith(h("a", { href: address(id) }, [...place.childNodes]));
    }
  }
}

/** The same of a whole note, and who points at it. */
export class NoteLinks extends Pointers {
  /** @param {import("../api.js").Api} api @param {string} noteId */
  constructor(api, noteId) {
    super(api);
    this.noteId = noteId;
    this.element = h("section", { class: "backlinks", "aria-label": "Linked from", hidden: true });
    this.related = h("section", { class: "backlinks", "aria-label": "Related notes", hidden: true });
    this.beside = h("aside", { class: "beside", "aria-label": "Other notes" }, this.related, this.element);
  }

  async show() {
    await tried(async () => {
      const found = await this.linksOf(this.noteId);
      this.lead(found);
      this.listBacklinks(found);
    });
    await tried(async () => this.listRelated(await this.api.get(`/notes/${encodeURIComponent(this.noteId)}:related`)));
  }

  /** @param {any} found of the wire */
  listRelated({ related }) {
    if (!related.length) return;
    const rows = related.map(({ noteId, title, path, createdAt, span }) => {
      const facts = [folderOf({ path }), day(createdAt)].filter(Boolean).join(" · ");
      return h("li", {}, h("a", { href: address(noteId, span) }, withoutMarks(title) || "Untitled"), h("span", { class: "muted list-facts" }, facts));
    });
    this.related.replaceChildren(h("h3", {}, "Related notes"), h("ul", {}, rows));
    this.related.hidden = false;
  }

  /** @param {any} found of the wire */
  listBacklinks({ backlinks, complete }) {
    if (!backlinks.length) return;
    const rows = backlinks.map((note) => h("li", {}, h("a", { href: address(note.noteId) }, withoutMarks(note.title) || "Untitled")));
    const more = complete ? [] : [h("p", { class: "muted" }, "There may be more.")];
    this.element.replaceChildren(h("h3", {}, "Linked from"), h("ul", {}, rows), ...more);
    this.element.hidden = false;
  }
}

/** Beside the conversation, if one is looked at. @param {string} id @param {any} [at] passage */
function address(id, at = null) {
  const route = here();
  return format(route.view === "chat" ? { ...route, note: id, at } : { view: "notes", id, at });
}
