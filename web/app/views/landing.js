/** What one can do with all notes: bring a folder in, take everything out. */

import { ApiError } from "../api.js";
import { h, plural } from "../dom.js";
import { exportAll } from "../export.js";
import { chosen, dropped, importAll } from "../import.js";

export class Landing {
  /** @param {import("../page.js").Page} page @param {import("../notes.js").Notes} notes */
  constructor(page, notes) {
    this.page = page;
    this.notes = notes;
    this.progress = /** @type {HTMLProgressElement} */ (h("progress", { "aria-label": "Import", hidden: true }));
    this.told = h("div", { role: "status" });
    this.files = this.chooser({ webkitdirectory: true });
    this.element = h(
      "div",
      { class: "landing" },
      h("h2", {}, "Your notes"),
      h(
        "div",
        { class: "drop" },
        h("p", {}, "Drop a folder of Markdown anywhere on this page."),
        h("p", { class: "muted" }, "Titles, tags and dates come from the frontmatter. Dropping it again updates what changed."),
        h("button", { type: "button", class: "primary", onclick: () => this.files.click() }, "Choose a folder"),
        this.files,
      ),
      this.progress,
      this.told,
      h("h3", {}, "Take everything with you"),
      h("p", { class: "muted" }, "One file of JSON lines with all that is yours here."),
      h("button", { type: "button", onclick: () => this.export() }, "Export"),
    );
    this.listen();
  }

  /** @param {Record<string, any>} kind */
  chooser(kind) {
    return /** @type {HTMLInputElement} */ (
      h("input", { type: "file", hidden: true, multiple: true, "aria-label": "Folder of Markdown", onchange: () => this.take(chosen(/** @type {FileList} */ (this.files.files))), ...kind })
    );
  }

  /** A drop counts wherever it falls. */
  listen() {
    const brings = (/** @type {DragEvent} */ event) => event.dataTransfer?.types.includes("Files");
    addEventListener("dragover", (event) => {
      if (!brings(event)) return;
      event.preventDefault();
      document.body.classList.add("dragging");
    });
    addEventListener("dragleave", (event) => event.relatedTarget === null && document.body.classList.remove("dragging"));
    addEventListener("drop", async (event) => {
      if (!brings(event)) return;
      event.preventDefault();
      document.body.classList.remove("dragging");
      location.hash = "#/notes";
      await this.take(await dropped(/** @type {DataTransfer} */ (event.dataTransfer)));
    });
  }

  /** @param {import("../import.js").Entry[]} entries */
  async take(entries) {
    if (!entries.length) {
      this.told.replaceChildren(h("p", { class: "notice" }, "There is no Markdown file (.md, .markdown) in it."));
      return;
    }
    this.told.replaceChildren();
    this.progress.hidden = false;
    this.progress.max = entries.length;
    const started = Date.now();
    const done = await importAll(this.notes, entries, (progress) => this.step(progress, started));
    this.progress.hidden = true;
    this.told.replaceChildren(...report(done));
    await this.notes.followCoverage();
  }

  /** @param {import("../import.js").Progress} progress @param {number} started */
  step({ done, all }, started) {
    this.progress.value = done;
    const left = Math.ceil(((Date.now() - started) / done) * (all - done) / 1000);
    this.told.textContent = `${done} of ${plural(all, "note")}${left > 2 ? `, about ${left} s left` : ""}`;
  }

  async export() {
    try {
      await exportAll(this.notes);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.page.say(error.message);
    }
  }
}

/** @param {import("../import.js").Progress} done */
function report({ all, failed, odd }) {
  const list = (/** @type {{path: string, reason: string}[]} */ rows) => h("ul", {}, rows.map(({ path, reason }) => h("li", {}, `${path}: ${reason}`)));
  return [
    h("p", { class: "notice good" }, `${plural(all - failed.length, "note")} imported. The index follows by itself.`),
    ...(failed.length ? [h("p", { class: "notice bad" }, `${plural(failed.length, "file")} could not be imported:`), list(failed)] : []),
    ...(odd.length ? [h("p", { class: "notice" }, "Imported, but not as their author meant:"), list(odd)] : []),
  ];
}
