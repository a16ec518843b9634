/** Notes in the main area: one of them, read or edited, or what one can do with all. */

import { ApiError } from "../api.js";
import { h } from "../dom.js";
import { confirmed, newId } from "../page.js";
import { go } from "../router.js";
import { Editor } from "./editor.js";
import { goesWith } from "./origin.js";
import { reader, scrollToMark } from "./reader.js";

const NEW = "new-";

export class NotePage {
  /**
   * @param {import("../page.js").Page} page @param {import("../notes.js").Notes} notes
   * @param {{landing: HTMLElement}} parts
   */
  constructor(page, notes, { landing }) {
    this.page = page;
    this.notes = notes;
    this.landing = landing;
    this.turn = 0;
    this.element = h("section", { class: "note-page", "aria-label": "Note" });
  }

  /** A new note, in the folder that is looked at. @param {string | null} folder */
  startNew(folder) {
    const id = newId();
    go({ view: "notes", id: `${NEW}${id}${folder ? `@${folder}` : ""}`, edit: true });
  }

  /** @param {import("../router.js").Route} route */
  async open(route) {
    const turn = (this.turn += 1);
    if (!route.id) return this.show(this.landing);
    if (route.id.startsWith(NEW)) return this.edit(blank(route.id.slice(NEW.length)));
    try {
      const note = await this.notes.get(route.id);
      if (turn !== this.turn) return;
      if (route.edit) this.edit(note);
      else this.read(note, route.at);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (turn === this.turn) this.show(this.failure(error, route));
    }
  }

  /** @param {any} note @param {{start: number, end: number} | null} at */
  read(note, at) {
    const quote = at ? this.page.card.quotes.get(`${note.noteId}:${at.start}-${at.end}`) : undefined;
    const edit = h("button", { type: "button", onclick: () => go({ view: "notes", id: note.noteId, edit: true }), title: "Edit (e)" }, "Edit");
    const remove = h("button", { type: "button", class: "quiet", onclick: () => this.remove(note) }, "Delete");
    this.show(this.back(), h("div", { class: "note-tools" }, edit, remove), reader(this.notes, note, at, quote));
    scrollToMark(this.element);
  }

  /** @param {any} note */
  edit(note) {
    const close = () => go({ view: "notes", id: note.updatedAt || this.notes.all.has(note.noteId) ? note.noteId : null });
    const saved = (/** @type {any} */ kept) => {
      if (!note.updatedAt) history.replaceState(null, "", `#/notes/${encodeURIComponent(kept.noteId)}?edit=1`);
      void this.notes.followCoverage();
    };
    const editor = new Editor(this.page, this.notes, note, { close, saved });
    this.show(this.back(), editor.element);
    editor.inputs[note.updatedAt ? "text" : "title"].focus({ preventScroll: true });
  }

  /** On a phone, the way to the list. */
  back() {
    return h("a", { class: "back", href: "#/notes" }, "All notes");
  }

  /** @param {any} note */
  async remove(note) {
    if (!(await confirmed(`Delete “${note.title || "Untitled"}”? ${goesWith(note.origin)}`, "Delete"))) return;
    try {
      await this.notes.remove(note.noteId);
      this.page.say("Deleted.");
      go({ view: "notes" });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.page.say(error.message);
    }
  }

  /** @param {ApiError} error @param {import("../router.js").Route} route */
  failure(error, route) {
    const text = error.status === 404 ? "This note does not exist any more." : error.message;
    const again = error.unreachable && h("button", { type: "button", class: "primary", onclick: () => this.open(route) }, "Try again");
    return h("div", { class: "notice bad", role: "alert" }, h("p", {}, text), again, error.reason === "NOTE_UNREADABLE" && this.unreadable(route));
  }

  /** What can be done with what an app wrote in the place of a note. @param {import("../router.js").Route} route */
  unreadable({ id }) {
    const note = this.notes.all.get(id) ?? { noteId: id, title: id };
    return [
      h("p", {}, "An app wrote this note so that it cannot be read. It stays as it is kept, and an export holds all of it."),
      h("button", { type: "button", class: "danger", onclick: () => this.remove(note) }, "Delete"),
    ];
  }

  /** @param {...HTMLElement} parts */
  show(...parts) {
    this.element.replaceChildren(...parts);
  }
}

/** @param {string} named `id@folder` */
function blank(named) {
  const [noteId, folder = ""] = named.split("@");
  const path = folder ? `${folder}/` : "";
  return { noteId, title: "", text: "", path, tags: [], vault: "default", updatedAt: null };
}
