/** The notes that were edited, replaced or deleted within 30 days: how they read, and the way back. */

import { tried } from "../api.js";
import { button, h, moment, plural } from "../dom.js";
import { bodyStart } from "../markdown.js";
import { refill } from "../redraw.js";
import { preview } from "../render.js";

const HAPPENED = /** @type {Readonly<Record<string, string>>} */ ({ edited: "edited", replaced: "replaced", deleted: "deleted" });

export class Trash {
  /** @param {import("../notes.js").Notes} notes */
  constructor(notes) {
    this.page = notes.page;
    this.notes = notes;
    this.list = h("ul", { class: "decisions thrown" });
    this.element = h("div", { id: "trash", class: "trash" }, h("h3", {}, "Trash"), h("p", { class: "muted" }, "What was edited, replaced or deleted stays here for 30 days."), h("div", { class: "row" }, button("Show the trash", () => tried(() => this.show(), this.page.tell))), this.list);
  }

  /** One row a note: what was thrown away last, and below it what had been there before. */
  async show() {
    const versions = await this.notes.trash();
    const byNote = [...Map.groupBy(versions, ({ noteId }) => noteId).values()];
    refill(this.list, byNote.length ? byNote.map((thrown) => this.row(thrown)) : [h("li", { class: "muted" }, "The trash is empty.")]);
  }

  /** @param {any[]} versions of one note, the newest first */
  row([last, ...earlier]) {
    const more = earlier.length && h("details", {}, h("summary", {}, plural(earlier.length, "earlier version")), h("ul", { class: "decisions thrown" }, earlier.map((version) => h("li", {}, this.version(version)))));
    return h("li", {}, this.version(last), more || null);
  }

  /** @param {any} version of the wire */
  version(version) {
    const name = version.path || version.title || "Untitled";
    const facts = [`${HAPPENED[version.reason]} ${moment(version.trashedAt)}`, `kept until ${moment(version.expiresAt)}`, `vault “${version.vault}”`].join(" · ");
    const shown = h("div", { class: "prose preview", hidden: true });
    const toggle = button("Preview", () => tried(() => this.preview(version, shown, toggle), this.page.tell), { "aria-label": `Preview ${name}`, "aria-expanded": "false" });
    const back = button("Restore", () => tried(() => this.restore(version, name), this.page.tell), { "aria-label": `Restore ${name}` });
    return h("div", { class: "version" }, h("div", {}, h("span", {}, name), h("span", { class: "muted list-facts" }, facts)), h("div", { class: "row" }, toggle, back), shown);
  }

  /** @param {any} version @param {HTMLElement} shown @param {HTMLElement} toggle */
  async preview(version, shown, toggle) {
    if (!shown.childNodes.length) {
      const { text, title } = await this.page.api.get(`/trash/${version.trashId}`);
      const empty = !text.slice(bodyStart(text)).trim();
      shown.append(...(empty ? [h("p", { class: "muted" }, `“${title}” has no text.`)] : preview(text)));
    }
    shown.hidden = !shown.hidden;
    toggle.setAttribute("aria-expanded", String(!shown.hidden));
  }

  /** @param {any} version @param {string} name */
  async restore(version, name) {
    await this.notes.restore(version.trashId);
    this.page.say(`Restored ${name}.`);
    await this.show();
  }
}
