/** A note being written. What is typed is kept in this browser until the server has it. */

import { ApiError } from "../api.js";
import { button, h, settled } from "../dom.js";
import { chosen, confirmed } from "../page.js";
import { preview } from "../render.js";
import { indexState } from "./index_state.js";
import { compared } from "./compare.js";
import { becameOf, withFile } from "./origin.js";
import { PropertyFields } from "./property_fields.js";

export const GONE = "There is no such note any more. It may be in the trash, under Notes.";
const FIELDS = /** @type {const} */ (["title", "path", "tags", "text"]);

export class Editor {
  /**
   * @param {import("../notes.js").Notes} notes
   * @param {any} note as the server has it; `updatedAt` null: it does not yet
   * @param {{close: () => void, saved: (note: any) => void}} actions
   */
  constructor(notes, note, actions) {
    this.page = notes.page;
    this.notes = notes;
    this.note = note;
    this.actions = actions;
    this.draftKey = `note:${note.noteId}`;
    const draft = this.page.memory.get(this.draftKey, /** @type {any} */ (null));
    this.inputs = this.makeInputs(draft ?? { ...note, tags: note.tags.join(", ") });
    if (draft?.revision && this.dirty) this.note = { ...note, revision: draft.revision }; // what was typed over it
    this.gone = h("p", { class: "notice bad", role: "alert", hidden: true }, GONE);
    this.properties = new PropertyFields(this.inputs.text, () => this.changed());
    this.state = h("span", { class: "save-state", role: "status" }, draft ? "Restored what you had not saved." : "");
    this.index = h("span");
    this.preview = h("div", { class: "prose preview", hidden: true });
    this.element = this.form();
    this.keep = settled(() => this.keepDraft(), 200);
    /** The saves that are under way, one after the other; null without one. @type {Promise<void> | null} */
    this.saving = null;
    if (note.updatedAt) this.index.replaceChildren(indexState(notes, note.noteId));
  }

  /** @param {Record<string, string>} values */
  makeInputs(values) {
    const oninput = () => this.changed();
    const line = (name, placeholder) =>
      h("input", { id: `note-${name}`, value: values[name], placeholder, oninput, autocomplete: "off" });
    return {
      title: line("title", "Title"),
      path: line("path", "folder/name.md"),
      tags: line("tags", "tags, with commas"),
      text: h("textarea", { id: "note-text", value: values.text, oninput, spellcheck: "true", placeholder: "Write in Markdown…" }),
    };
  }

  form() {
    const labelled = (/** @type {keyof Editor["inputs"]} */ name, /** @type {string} */ label) =>
      h("label", { for: `note-${name}`, class: `field ${name}` }, h("span", {}, label), this.inputs[name]);
    return h(
      "form",
      {
        class: "editor",
        onsubmit: (event) => this.save(event),
        onkeydown: (event) => this.key(event),
      },
      this.gone,
      labelled("title", "Title"),
      h("div", { class: "field-row" }, labelled("path", "Path"), labelled("tags", "Tags")),
      this.properties.element,
      labelled("text", "Text"),
      this.preview,
      h(
        "div",
        { class: "editor-foot" },
        h("button", { type: "submit", class: "primary", title: "Save (Ctrl S)" }, "Save"),
        button("Preview", () => this.togglePreview(), { "aria-pressed": "false" }),
        button("Close", () => this.close()),
        this.state,
        this.index,
      ),
    );
  }

  values() {
    return Object.fromEntries(FIELDS.map((name) => [name, this.inputs[name].value]));
  }

  get dirty() {
    const { note } = this;
    return FIELDS.some((name) => this.inputs[name].value !== (name === "tags" ? note.tags.join(", ") : note[name]));
  }

  /** The note as the server has it now; what somebody has typed meanwhile is compared with it when it is saved. @param {any} note */
  refresh(note) {
    if (this.saving || this.dirty || note.revision === this.note.revision) return;
    this.note = note;
    this.put({ ...note, tags: note.tags.join(", ") });
    this.index.replaceChildren(indexState(this.notes, note.noteId));
  }

  changed() {
    this.state.textContent = this.dirty ? "Not saved yet." : "";
    this.index.replaceChildren();
    this.properties.draw();
    this.keep();
  }

  keepDraft() {
    this.page.memory.put(this.draftKey, this.dirty ? { ...this.values(), revision: this.note.revision } : null);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "s") void this.save(event);
  }

  /** One save after the other: the second of two at once would meet what the first has changed. @param {Event} event */
  async save(event) {
    event.preventDefault();
    const earlier = (this.saving ?? Promise.resolve()).catch(() => {}); // it has said itself what went wrong
    const saving = earlier.then(() => this.saveNow());
    this.saving = saving;
    try {
      await saving;
    } finally {
      if (this.saving === saving) this.saving = null;
    }
  }

  async saveNow() {
    const { title, path, text, tags } = this.values();
    const wanted = { ...this.note, title, path: path.trim(), text, tags: words(tags) };
    this.state.textContent = "Saving…";
    try {
      const saved = await this.saved(wanted);
      if (!saved) {
        this.state.textContent = "Not saved.";
        return;
      }
      this.note = await withFile(this.notes, saved);
    } catch (error) {
      this.keepDraft();
      this.state.textContent = "Not saved.";
      if (!(error instanceof ApiError)) throw error;
      this.state.textContent = error.unreachable ? "No connection: kept in this browser. Save again later." : `Not saved: ${error.message}`;
      return;
    }
    this.gone.hidden = true;
    this.keepDraft();
    this.state.textContent = this.dirty ? "Not saved yet." : ["Saved.", becameOf(this.note)].filter(Boolean).join(" ");
    this.index.replaceChildren(indexState(this.notes, this.note.noteId));
    this.actions.saved(this.note);
  }

  /** As it was saved; null: somebody else has changed the note meanwhile, and it was not decided what stays. @param {any} wanted */
  async saved(wanted) {
    try {
      return await this.notes.save(wanted);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 409 || error.message.startsWith("path: ")) throw error;
    }
    const other = await this.other();
    if (!other) return this.savedAgain(wanted);
    const decision = await compared(
      "This note was changed elsewhere while you wrote. Your changes are not saved yet. Which version do you want to keep?",
      "Not now",
      { name: "What you wrote", keep: "Keep mine", text: wanted.text },
      { name: "Saved elsewhere", keep: "Keep the other", text: other.text },
      FIELDS.filter((name) => name !== "text" && String(wanted[name]) !== String(other[name])).map((name) => `${name[0].toUpperCase()}${name.slice(1)}: you wrote “${wanted[name]}”, elsewhere it is “${other[name]}”.`),
    );
    if (!decision) return null;
    if ("side" in decision && decision.side === "theirs") return this.take(other);
    const text = "text" in decision ? decision.text : wanted.text;
    this.inputs.text.value = text;
    return this.saved({ ...wanted, text, revision: other.revision });
  }

  /** A note that was deleted meanwhile, if somebody wants it back; else null. @param {any} wanted */
  async savedAgain(wanted) {
    this.gone.hidden = false;
    const question = "This note was deleted in the meantime. Save it again, as you have it here?";
    const again = await chosen(question, [["", "Not now"], ["yes", "Save it again"]]);
    return again ? this.saved({ ...wanted, revision: "" }) : null;
  }

  /** The version of somebody else; null if it was deleted. */
  async other() {
    try {
      return await this.notes.get(this.note.noteId);
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return null;
      throw error;
    }
  }

  /** The version of somebody else stands in the fields, and what was written can be brought back. @param {any} other */
  take(other) {
    const mine = this.values();
    this.note = other;
    this.put({ ...other, tags: other.tags.join(", ") });
    this.page.say("The other version is shown.", { "Bring mine back": () => this.put(mine) });
    return other;
  }

  /** @param {Record<string, string>} values */
  put(values) {
    for (const name of FIELDS) this.inputs[name].value = values[name];
    this.changed();
  }

  togglePreview() {
    const shown = this.preview.hidden;
    const text = this.inputs.text.value;
    this.preview.replaceChildren(...(shown ? preview(text) : []));
    this.preview.hidden = !shown;
    /** @type {HTMLElement} */ (this.inputs.text.parentElement).hidden = shown;
    this.element.querySelector("[aria-pressed]")?.setAttribute("aria-pressed", String(shown));
  }

  async close() {
    if (this.dirty && !(await confirmed("Close without saving? What you typed is thrown away.", "Throw away"))) return;
    this.page.memory.put(this.draftKey, null);
    this.actions.close();
  }
}

/** @param {string} text @returns {string[]} */
function words(text) {
  return [...new Set(text.split(",").map((tag) => tag.trim().replace(/^#/, "")).filter(Boolean))];
}
