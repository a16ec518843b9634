/** Notes in the main area: one of them, read or edited, or what one can do with all. */

import { tried } from "../api.js";
import { button, h } from "../dom.js";
import { confirmed, newId } from "../page.js";
import { withoutMarks } from "../render.js";
import { go, here } from "../router.js";
import { Editor, GONE } from "./editor.js";
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
    /** The note that was read or saved last, which can be edited at once. @type {any} */
    this.note = null;
    /** The editor that was opened last; nothing but leaving its note closes it. @type {Editor | null} */
    this.editor = null;
    /** What could not be shown for want of a connection. @type {import("../router.js").Route | null} */
    this.unreached = null;
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
    this.unreached = null;
    const { id } = route;
    if (!id) {
      this.show(this.landing.element);
      return this.landing.look();
    }
    const isNew = id.startsWith(NEW);
    const noteId = isNew ? blank(id.slice(NEW.length)).noteId : id;
    if ((isNew || route.edit) && this.edits(noteId)) return this.freshen(noteId);
    if (isNew) return this.edit(blank(id.slice(NEW.length)));
    if (route.edit && this.note?.noteId === id) {
      this.edit(this.note);
      return this.freshen(id);
    }
    this.show(this.back(), h("p", { class: "muted" }, "Opening…")); // what is typed into the view before it would be lost
    const shown = async () => {
      const note = await this.notes.get(id);
      if (turn !== this.turn) return;
      if (route.edit) this.edit(note);
      else this.read(note, route.at);
    };
    await tried(shown, (error) => {
      if (turn !== this.turn) return;
      if (error.unreachable) this.unreached = route;
      this.show(this.back(), this.failure(error, id, route));
    });
  }

  /** The server is back. */
  async retry() {
    if (this.unreached) await this.open(this.unreached);
  }

  /** Whether the editor of a note is shown. @param {string} id */
  edits(id) {
    return this.editor?.note.noteId === id && this.editor.element.parentElement === this.element;
  }

  /** The open editor gets the note as the server has it now, unless somebody has typed. @param {string} id */
  async freshen(id) {
    const { editor } = this;
    if (!editor?.note.updatedAt) return; // the server does not have it yet
    const refreshed = async () => {
      editor.refresh(await this.notes.get(id));
      editor.gone.hidden = true;
    };
    // Where this fails the editor stays as it is: saving asks what shall become of a note that is gone.
    await tried(refreshed, ({ status }) => status === 404 && (editor.gone.hidden = false));
  }

  /** @param {any} note @param {{start: number, end: number} | null} at */
  read(note, at) {
    this.note = note;
    const edit = button("Edit", () => go({ view: "notes", id: note.noteId, edit: true }), { title: "Edit (e)" });
    const remove = button("Delete", () => this.remove(note), { class: "quiet" });
    this.show(this.back(), h("div", { class: "note-tools" }, edit, remove), reader(this.notes, note, at));
    scrollToMark(this.element);
  }

  /** @param {any} note */
  edit(note) {
    const close = () => go({ view: "notes", id: note.updatedAt || this.notes.all.has(note.noteId) ? note.noteId : null });
    const saved = (kept) => {
      this.note = kept;
      if (!note.updatedAt) history.replaceState(null, "", `#/notes/${encodeURIComponent(kept.noteId)}?edit=1`);
      void this.notes.followCoverage();
    };
    const editor = new Editor(this.notes, note, { close, saved });
    this.editor = editor;
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
    if (!(await confirmed(`Delete “${withoutMarks(note.title) || "Untitled"}”? ${goesWith(note.origin)}`, "Delete"))) return;
    const removed = async () => {
      await this.notes.remove(note.noteId);
      this.note = null;
      this.page.say("Deleted.", { Undo: () => this.bringBack(note.noteId) });
      if (here().id === note.noteId) go({ view: "notes" }); // else somebody went on meanwhile
    };
    await tried(removed, this.page.tell);
  }

  /** What was just deleted. @param {string} id */
  async bringBack(id) {
    const address = location.hash;
    const restored = async () => {
      const present = await tried(() => this.notes.get(id), (error) => {
        if (error.status !== 404) throw error;
      });
      const deleted = await this.notes.lastDeleted(id);
      if (!present && !deleted) return this.page.say("The note is not in the trash any more.");
      if (!present) await this.notes.restore(deleted.trashId);
      else if (deleted) this.page.say("Somebody has written this note anew. What you deleted stays in the trash.");
      if (location.hash === address) go({ view: "notes", id });
    };
    await tried(restored, (error) => {
      const mayPass = error.unreachable || error.status >= 500;
      this.page.say(error.message, mayPass ? { Undo: () => this.bringBack(id) } : {});
    });
  }

  /** @param {import("../api.js").ApiError} error @param {string} id @param {import("../router.js").Route} route */
  failure(error, id, route) {
    const text = error.status === 404 ? GONE : error.message;
    const mayPass = error.status !== 404 && error.reason !== "NOTE_UNREADABLE";
    const again = mayPass && button("Try again", () => this.open(route), { class: "primary" });
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
