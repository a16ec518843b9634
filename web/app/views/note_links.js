/** The links of a note that is read: those in its text, and the notes that point at it. */

import { ApiError } from "../api.js";
import { h } from "../dom.js";
import { format } from "../router.js";

export class NoteLinks {
  /** @param {import("../notes.js").Notes} notes @param {string} noteId */
  constructor(notes, noteId) {
    this.notes = notes;
    this.noteId = noteId;
    /** @type {{target: string, place: HTMLElement}[]} */
    this.places = [];
    this.element = h("section", { class: "backlinks", "aria-label": "Linked from", hidden: true });
  }

  /** What stands in the text for a link until it is known where it leads. @param {string} target @param {any[]} shown */
  stand = (target, shown) => {
    const place = h("em", {}, shown);
    this.places.push({ target, place });
    return place;
  };

  /** The note can be read without its links: a failure leaves them as text. */
  async follow() {
    try {
      this.show(await this.notes.links(this.noteId));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
  }

  /** @param {any} found of the wire */
  show(found) {
    const ids = new Map(found.links.map((/** @type {any} */ link) => [link.target, link.noteId]));
    for (const { target, place } of this.places) {
      const id = ids.get(target);
      if (id) place.replaceWith(h("a", { href: address(id) }, [...place.childNodes]));
    }
    if (!found.backlinks.length) return;
    const rows = found.backlinks.map((/** @type {any} */ note) => h("li", {}, h("a", { href: address(note.noteId) }, note.title || "Untitled")));
    const more = found.complete ? [] : [h("p", { class: "muted" }, "There may be more.")];
    this.element.replaceChildren(h("h3", {}, "Linked from"), h("ul", {}, rows), ...more);
    this.element.hidden = false;
  }
}

/** @param {string} id */
function address(id) {
  return format({ view: "notes", id });
}
