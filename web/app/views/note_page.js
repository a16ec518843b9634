/** Notes in the main area: one of them, read or edited, or what one can do with all. */

import { tried } from "../api.js";
import { button, h } from "../dom.js";
import { confirmed, newId } from "../page.js";
import { go } from "../router.js";
import { Editor } from "./editor.js";
import { NoteLinks } from "./note_links.js";
import { goesWith } from "./origin.js";
import { reader, scrollToMark } from "./reader.js";

const NEW = "new-";

export class NotePage {
  /**
   * @param {import("../notes.js").Notes} notes @param {import("./landing.js").Landing} landing
   */
  constructor(notes, landing) {
    this.page = notes.page;
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
    const { id } = route;
    if (!id) {
      this.show(this.landing.element);
      return this.landing.look();
    }
    if (id.startsWith(NEW)) return this.edit(blank(id.slice(NEW.length)));
    this.show(this.back(), h("p", { class: "muted" }, "Opening…")); // what is typed into the view before it would be lost
    const shown = async () => {
      const note = await this.notes.get(id);
      if (turn !== this.turn) return;
      if (route.edit) this.edit(note);
      else this.read(note, route.at);
    };
    await tried(shown, (error) => turn === this.turn && this.show(this.back(), this.failure(error, id, route)));
  }

  /** @param {any} note @param {{start: number, end: number} | null} at */
  read(note, at) {
    const edit = button("Edit", () => go({ view: "notes", id: note.noteId, edit: true }), { title: "Edit (e)" });
    const remove = button("Delete", () => this.remove(note), { class: "quiet" });
    this.show(this.back(), h("div", { class: "note-tools" }, edit, remove), reader(this.notes, note, at));
    scrollToMark(this.element);
  }

  /** @param {any} note */
  edit(note) {
    const close = () => go({ view: "notes", id: note.updatedAt || this.notes.all.has(note.noteId) ? note.noteId : null });
    const saved = (kept) => {
      if (!note.updatedAt) history.replaceState(null, "", `#/notes/${encodeURIComponent(kept.noteId)}?edit=1`);
      void this.notes.followCoverage();
    };
    const editor = new Editor(this.notes, note, { close, saved });
    const links = new NoteLinks(this.page.api, note.noteId);
    if (note.updatedAt) void links.show();
    this.show(this.back(), editor.element, links.beside);
    editor.inputs[note.updatedAt ? "text" : "title"].focus({ preventScroll: true });
  }

  /** On a phone, the way to the list. */
  back() {
    return h("a", { class: "back", href: "#/notes" }, "All notes");
  }

  /** @param {any} note */
  async remove(note) {
    if (!(await confirmed(`Delete “${note.title || "Untitled"}”? ${goesWith(note.origin)}`, "Delete"))) return;
    const removed = async () => {
      await this.notes.remove(note.noteId);
      this.page.say("Deleted.", { Undo: () => this.bringBack(note.noteId) });
      go({ view: "notes" });
    };
    await tried(removed, this.page.tell);
  }

  /** What was just deleted. @param {string} id */
  async bringBack(id) {
    await tried(async () => {
      const trashed = (await this.notes.trash()).find(({ noteId, reason }) => noteId === id && reason === "deleted");
      if (trashed) await this.notes.restore(trashed.trashId);
      go({ view: "notes", id });
    }, this.page.tell);
  }

  /** @param {import("../api.js").ApiError} error @param {string} id @param {import("../router.js").Route} route */
  failure(error, id, route) {
    const text = error.status === 404 ? "There is no such note any more. It may be in the trash, under Notes." : error.message;
    const again = error.unreachable && button("Try again", () => this.open(route), { class: "primary" });
    return h("div", { class: "notice bad", role: "alert" }, h("p", {}, text), again, error.reason === "NOTE_UNREADABLE" && this.unreadable(id));
  }

  /** What can be done with what an app wrote in the place of a note. @param {string} id */
  unreadable(id) {
    const note = this.notes.all.get(id) ?? { noteId: id, title: id };
    return [
      h("p", {}, "An app saved this note in a form that cannot be read. It is kept as it is, and every export holds all of it. If you delete it, it does not go into the trash."),
      button("Delete", () => this.remove(note), { class: "danger" }),
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
