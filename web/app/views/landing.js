/** What one can do with all notes: bring a folder in, take everything out. */

import { tried } from "../api.js";
import { button, h, plural } from "../dom.js";
import { exportAll, exportMarkdown, read } from "../export.js";
import { dropped, entriesOf, importAll, picked } from "../import.js";
import { Folders, notTaken, timeLeft } from "./folders.js";
import { decided } from "./import_choice.js";
import { Trash } from "./trash.js";

export class Landing {
  /** @param {import("../notes.js").Notes} notes */
  constructor(notes) {
    this.page = notes.page;
    this.notes = notes;
    this.progress = h("progress", { "aria-label": "Import", hidden: true });
    this.told = h("div", { role: "status" });
    this.files = chooser("Folder of Markdown", { webkitdirectory: true, multiple: true }, (files) => this.takeFolders([picked(files)]));
    this.exported = chooser("Export", { accept: ".ndjson,.jsonl" }, ([file]) => tried(() => this.restore(file), this.page.tell));
    this.folders = new Folders(notes);
    this.indexing = h("div", { class: "indexing", hidden: true });
    /** Since when the index follows, and what it had then. @type {{done: number, time: number} | null} */
    this.begun = null;
    this.element = h(
      "div",
      { class: "landing" },
      h("h2", {}, "Your notes"),
      h(
        "div",
        { class: "drop" },
        h("p", {}, "Drop a folder of Markdown anywhere on this page."),
        h("p", { class: "muted" }, "Its notes come into a vault with the name of the folder. Drop it again, and what has changed is updated."),
        button("Add a folder", () => void this.addFolder(), { class: "primary" }),
        this.files,
      ),
      this.manage(),
      this.indexing,
      this.folders.element,
      this.progress,
      this.told,
      this.exports(),
      new Trash(notes).element,
    );
    notes.addEventListener("change", () => this.drawIndexing());
    this.listen();
  }

  /** The folders that are followed, as they are now. */
  look() {
    return this.folders.look();
  }

  /** A folder is followed, or copied in; where the product runs elsewhere, it can only be copied. */
  addFolder() {
    const copy = () => this.files.click();
    return this.page.api.files ? this.folders.add(copy) : copy();
  }

  /** How far the index has followed, while it has not. */
  drawIndexing() {
    const { coverage } = this.notes;
    const left = coverage ? coverage.missing + coverage.pendingEmbeddings + (coverage.stale ?? 0) : 0;
    this.indexing.hidden = left === 0 || this.folders.watching; // a folder that is read has a bar of its own
    if (this.indexing.hidden) {
      this.begun = null;
      return;
    }
    const done = Math.max(0, coverage.notes - left);
    this.begun ??= { done, time: Date.now() };
    const seconds = (Date.now() - this.begun.time) / 1000;
    const sofar = done - this.begun.done;
    const text = `Indexing: ${done.toLocaleString()} of ${plural(coverage.notes, "note")}${timeLeft(sofar, sofar + left, seconds)}`;
    this.indexing.replaceChildren(h("progress", { "aria-label": "Indexing", max: coverage.notes, value: done }), h("p", { class: "muted" }, text));
  }

  /** Shows or hides the folders and the trash on a phone, which shows the list of notes first. */
  manage() {
    const toggle = () => {
      const whole = this.element.classList.toggle("whole");
      shown.setAttribute("aria-expanded", String(whole));
    };
    const shown = button("Folders, trash", toggle, { class: "quiet manage", "aria-expanded": "false", "aria-controls": "known trash" });
    return shown;
  }

  /** A menu, which any choice or a look elsewhere closes. */
  exports() {
    const run = (/** @type {() => Promise<void>} */ action) => () => {
      menu.open = false;
      void tried(action, this.page.tell);
    };
    const leave = (/** @type {FocusEvent} */ { relatedTarget }) => relatedTarget && !menu.contains(/** @type {Node} */ (relatedTarget)) && (menu.open = false);
    const menu = h(
      "details",
      { class: "menu-of", onfocusout: leave, onkeydown: (event) => event.key === "Escape" && (menu.open = false) },
      h("summary", { class: "button" }, "Export"),
      h(
        "div",
        {},
        h("p", { class: "muted" }, "Your notes as Markdown files, for any other program; or all that is yours here as JSON lines, which can be brought back."),
        button("Export as Markdown", run(() => exportMarkdown(this.notes))),
        button("Export everything", run(() => exportAll(this.notes))),
        button("Import an export", run(async () => this.exported.click())),
      ),
    );
    return h("div", {}, menu, this.exported);
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
      await this.takeFolders(await dropped(/** @type {DataTransfer} */ (event.dataTransfer)));
    });
  }

  /** @param {import("../import.js").Folder[]} folders */
  async takeFolders(folders) {
    const skipped = folders.flatMap(({ skipped }) => skipped);
    const taken = folders.filter(({ files }) => files.length);
    this.told.replaceChildren(taken.length ? "" : h("p", { class: "notice" }, "Nothing was imported: there is no Markdown file (.md, .markdown) in it."));
    await tried(async () => {
      const found = taken.length && (await entriesOf(this.notes, taken));
      if (found) await this.take(found.entries, ["note", "notes"], found.vaults);
    }, this.page.tell);
    if (skipped.length) this.told.append(notTaken(skipped));
  }

  /** @param {File} file */
  async restore(file) {
    const { entries, left, whole } = await read(file);
    await this.take(entries, ["entry", "entries"]);
    this.notes.dispatchEvent(new Event("restored"));
    if (left.length) this.told.append(h("p", { class: "notice" }, `Not brought back: ${left.join(", ")}. They stay in the file.`));
    if (!whole) this.told.append(h("p", { class: "notice bad" }, "The file is incomplete: the export broke off, and the rest is missing."));
  }

  /** @param {import("../import.js").Entry[]} entries @param {[string, string]} words for one, and for several @param {string[]} [vaults] */
  async take(entries, words, vaults = []) {
    this.told.replaceChildren();
    this.progress.hidden = false;
    this.progress.max = entries.length;
    const started = Date.now();
    try {
      const done = await importAll(this.notes, entries, (progress) => this.step(progress, started), (others) => decided(this.notes, others));
      this.told.replaceChildren(...report(done, words, vaults));
    } catch (error) {
      this.told.replaceChildren();
      throw error;
    } finally {
      this.progress.hidden = true;
    }
    await this.notes.followCoverage();
  }

  /** @param {import("../import.js").Progress} progress @param {number} started */
  step({ done, all }, started) {
    this.progress.value = done;
    this.told.textContent = `${done.toLocaleString()} of ${all.toLocaleString()}${timeLeft(done, all, (Date.now() - started) / 1000)}`;
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

/** @param {import("../import.js").Progress} done @param {[string, string]} words @param {string[]} vaults */
function report({ all, failed, odd, kept, replaced }, words, vaults) {
  const list = (/** @type {import("../import.js").Told[]} */ rows) => h("ul", {}, rows.map(({ path, reason }) => h("li", {}, `${path}: ${reason}`)));
  const into = vaults.length ? ` into ${vaults.map((name) => `“${name}”`).join(", ")}` : "";
  const taken = all - failed.length - kept.length;
  return [
    taken > 0 && h("p", { class: "notice good" }, `${plural(taken, ...words)} imported${into}. The index follows by itself.`),
    replaced > 0 && h("p", { class: "notice" }, `${replaced.toLocaleString()} replaced: what was there is in the trash.`),
    ...(kept.length ? [h("p", { class: "notice" }, `Skipped, your notes stay as they were: ${kept.join(", ")}`)] : []),
    ...(failed.length ? [h("p", { class: "notice bad" }, `${failed.length.toLocaleString()} could not be imported:`), list(failed)] : []),
    ...(odd.length ? [h("p", { class: "notice" }, "Imported, with a problem:"), list(odd)] : []),
  ].filter((part) => part !== false);
}
