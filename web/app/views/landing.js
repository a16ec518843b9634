/** What one can do with all notes: bring a folder in, take everything out. */

import { tried } from "../api.js";
import { button, h, plural } from "../dom.js";
import { exportAll, exportMarkdown, read } from "../export.js";
import { chosen, dropped, importAll } from "../import.js";

export class Landing {
  /** @param {import("../notes.js").Notes} notes */
  constructor(notes) {
    this.page = notes.page;
    this.notes = notes;
    this.progress = h("progress", { "aria-label": "Import", hidden: true });
    this.told = h("div", { role: "status" });
    this.files = chooser("Folder of Markdown", { webkitdirectory: true, multiple: true }, (files) => this.takeFiles(chosen(files)));
    this.exported = chooser("Export", { accept: ".ndjson,.jsonl" }, ([file]) => tried(() => this.restore(file), this.page.tell));
    this.element = h(
      "div",
      { class: "landing" },
      h("h2", {}, "Your notes"),
      h(
        "div",
        { class: "drop" },
        h("p", {}, "Drop a folder of Markdown anywhere on this page."),
        h("p", { class: "muted" }, "Titles, tags and dates come from the frontmatter. Dropping it again updates what changed."),
        button("Choose a folder", () => this.files.click(), { class: "primary" }),
        this.files,
      ),
      this.progress,
      this.told,
      h("h3", {}, "Take everything with you"),
      h("p", { class: "muted" }, "Your notes as Markdown files, for any other program; or all that is yours here as JSON lines, which can be brought back."),
      h(
        "div",
        { class: "row" },
        button("Export as Markdown", () => tried(() => exportMarkdown(notes), this.page.tell)),
        button("Export everything", () => tried(() => exportAll(notes), this.page.tell)),
        button("Import an export", () => this.exported.click()),
        this.exported,
      ),
    );
    this.listen();
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
      await this.takeFiles(await dropped(/** @type {DataTransfer} */ (event.dataTransfer)));
    });
  }

  /** @param {import("../import.js").Entry[]} entries */
  async takeFiles(entries) {
    const question = (/** @type {number} */ count) => `${plural(count, "file")} and the notes at the same paths say different things. Replace these notes?`;
    if (entries.length) await this.take(entries, question);
    else this.told.replaceChildren(h("p", { class: "notice" }, "There is no Markdown file (.md, .markdown) in it."));
  }

  /** @param {File} file */
  async restore(file) {
    const { entries, left, whole } = await read(file);
    const question = (/** @type {number} */ count) => `What is here says something else than ${plural(count, "entry", "entries")} of the export. Replace it?`;
    await this.take(entries, question, ["entry", "entries"]);
    this.notes.dispatchEvent(new Event("restored"));
    if (left.length) this.told.append(h("p", { class: "notice" }, `Not brought back: ${left.join(", ")}. They stay in the file.`));
    if (!whole) this.told.append(h("p", { class: "notice bad" }, "The file has no end: the export it came from broke off, and the rest is missing."));
  }

  /** @param {import("../import.js").Entry[]} entries @param {(count: number) => string} question @param {[string, string]} [words] for one, and for several */
  async take(entries, question, words = ["note", "notes"]) {
    this.told.replaceChildren();
    this.progress.hidden = false;
    this.progress.max = entries.length;
    const started = Date.now();
    const done = await importAll(this.notes, entries, (progress) => this.step(progress, started), question);
    this.progress.hidden = true;
    this.told.replaceChildren(...report(done, words));
    await this.notes.followCoverage();
  }

  /** @param {import("../import.js").Progress} progress @param {number} started */
  step({ done, all }, started) {
    this.progress.value = done;
    const left = Math.ceil(((Date.now() - started) / done) * (all - done) / 1000);
    this.told.textContent = `${done} of ${all.toLocaleString()}${left > 2 ? `, about ${left} s left` : ""}`;
  }
}

/** @param {string} label @param {Record<string, any>} kind @param {(files: FileList) => void} take @returns {HTMLInputElement} */
function chooser(label, kind, take) {
  const onchange = () => {
    if (input.files?.length) take(input.files);
    input.value = ""; // the same file can be chosen again
  };
  const input = h("input", { type: "file", hidden: true, "aria-label": label, onchange, ...kind });
  return input;
}

/** @param {import("../import.js").Progress} done @param {[string, string]} words */
function report({ all, failed, odd }, words) {
  const list = (/** @type {{path: string, reason: string}[]} */ rows) => h("ul", {}, rows.map(({ path, reason }) => h("li", {}, `${path}: ${reason}`)));
  return [
    h("p", { class: "notice good" }, `${plural(all - failed.length, ...words)} imported. The index follows by itself.`),
    ...(failed.length ? [h("p", { class: "notice bad" }, `${failed.length.toLocaleString()} could not be imported:`), list(failed)] : []),
    ...(odd.length ? [h("p", { class: "notice" }, "Imported, but not as their author meant:"), list(odd)] : []),
  ];
}
