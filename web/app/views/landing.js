/** What one can do with all notes: bring a folder in, take everything out. */

import { tried } from "../api.js";
import { button, h, plural } from "../dom.js";
import { exportAll, exportMarkdown, read } from "../export.js";
import { dropped, entriesOf, importAll, picked } from "../import.js";
import { format } from "../router.js";
import { decided, Trash } from "./import_choice.js";

const NAMED = 3;
/** Files named of those that were left out for one reason. */

export class Landing {
  /** @param {import("../notes.js").Notes} notes */
  constructor(notes) {
    this.page = notes.page;
    this.notes = notes;
    this.progress = h("progress", { "aria-label": "Import", hidden: true });
    this.told = h("div", { role: "status" });
    this.files = chooser("Folder of Markdown", { webkitdirectory: true, multiple: true }, (files) => this.takeFolders([picked(files)]));
    this.exported = chooser("Export", { accept: ".ndjson,.jsonl" }, ([file]) => tried(() => this.restore(file), this.page.tell));
    this.known = h("div", { class: "known" });
    this.element = h(
      "div",
      { class: "landing" },
      h("h2", {}, "Your notes"),
      h(
        "div",
        { class: "drop" },
        h("p", {}, "Drop a folder of Markdown anywhere on this page."),
        h("p", { class: "muted" }, "A folder becomes a vault of its name. Titles, tags and dates come from the frontmatter. Dropping it again updates what changed."),
        button("Choose a folder", () => this.files.click(), { class: "primary" }),
        this.files,
      ),
      this.page.api.files ? this.follow() : null,
      this.known,
      this.progress,
      this.told,
      this.exports(),
      new Trash(notes).element,
    );
    this.listen();
  }

  /** A folder of this machine by its path: its files stay where they are, and what changes in them is indexed. */
  follow() {
    const field = h("input", { placeholder: "~/notes", autocomplete: "off", spellcheck: "false", required: true });
    const added = async () => {
      this.told.replaceChildren(h("p", { class: "muted loading" }, "Indexing…"));
      const report = await this.page.api.json("POST", "/folders", { folder: field.value });
      field.value = "";
      const ignored = Object.entries(report.ignored).map(([reason, count]) => ({ path: plural(count, "file"), reason }));
      const notices = [...report.failed, ...report.skipped, ...ignored];
      this.told.replaceChildren(
        h("p", { class: report.notes ? "notice good" : "notice" }, `${plural(report.notes, "note")} of ${report.folder}. What changes there is indexed from now on.`),
        ...(notices.length ? notTaken(notices) : []),
      );
      await this.notes.load();
      await this.look();
    };
    const failed = ({ message }) => this.told.replaceChildren(h("p", { class: "notice bad", role: "alert" }, message));
    const submit = (/** @type {Event} */ event) => {
      event.preventDefault();
      void tried(added, failed);
    };
    return h("form", { class: "follow", onsubmit: submit }, h("label", {}, "Or follow a folder of this machine", field), h("button", { type: "submit" }, "Follow"));
  }

  /** The folders that are followed, and what waits in them for a decision. */
  async look() {
    if (!this.page.api.files) return;
    await tried(async () => {
      const { folders, conflicts, gone } = await this.page.api.get("/folders");
      const open = conflicts.map(({ noteId, path, reason }) => h("li", {}, h("a", { href: format({ view: "notes", id: noteId }) }, path), h("span", { class: "muted list-facts" }, reason.split(";")[0])));
      const rows = folders.map(({ folder, vault, there }) => h("li", {}, h("span", {}, folder), h("span", { class: "muted list-facts" }, there ? `vault “${vault}”` : "is not there")));
      const questions = gone.map((question) => this.gone(question));
      this.known.replaceChildren(
        ...(questions.length ? [h("h3", {}, "Are these files gone?"), h("ul", { class: "decisions" }, questions)] : []),
        ...(open.length ? [h("h3", {}, "Changed here and in the file"), h("ul", { class: "decisions" }, open)] : []),
        ...(rows.length ? [h("h3", {}, "Folders of this machine"), h("ul", { class: "decisions" }, rows)] : []),
      );
    });
  }

  /** Files that are gone all at once, and what a person can say of them. @param {{folder: string, vault: string, path: string, files: number, of: number}} question */
  gone({ folder, vault, path, files, of }) {
    const answer = (/** @type {"remove" | "keep"} */ answered) => () =>
      tried(async () => {
        await this.page.api.json("PUT", "/folders", { folder, vault, path, gone: answered });
        await this.notes.load();
        await this.look();
      }, this.page.tell);
    const where = path ? `${folder}/${path}` : folder;
    return h(
      "li",
      {},
      h("p", {}, `${files.toLocaleString()} of ${plural(of, "file")} of ${where} are not there any more. If they are on a drive, connect it. Their notes stay until you decide.`),
      h("div", {}, button("They are gone: remove the notes", answer("remove")), button("Keep the notes", answer("keep"))),
    );
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
    if (skipped.length) this.told.append(...notTaken(skipped));
  }

  /** @param {File} file */
  async restore(file) {
    const { entries, left, whole } = await read(file);
    await this.take(entries, ["entry", "entries"]);
    this.notes.dispatchEvent(new Event("restored"));
    if (left.length) this.told.append(h("p", { class: "notice" }, `Not brought back: ${left.join(", ")}. They stay in the file.`));
    if (!whole) this.told.append(h("p", { class: "notice bad" }, "The file has no end: the export it came from broke off, and the rest is missing."));
  }

  /** @param {import("../import.js").Entry[]} entries @param {[string, string]} words for one, and for several @param {string[]} [vaults] */
  async take(entries, words, vaults = []) {
    this.told.replaceChildren();
    this.progress.hidden = false;
    this.progress.max = entries.length;
    const started = Date.now();
    const done = await importAll(this.notes, entries, (progress) => this.step(progress, started), (others) => decided(this.notes, others));
    this.progress.hidden = true;
    this.told.replaceChildren(...report(done, words, vaults));
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

/** Files that were left out, by the reason why. @param {import("../import.js").Told[]} skipped */
function notTaken(skipped) {
  const byReason = [...Map.groupBy(skipped, ({ reason }) => reason)].sort();
  const row = ([reason, files]) => {
    const names = files.slice(0, NAMED).map(({ path }) => path).join(", ");
    return h("li", {}, `${reason}: ${names}${files.length > NAMED ? ` and ${(files.length - NAMED).toLocaleString()} more` : ""}`);
  };
  return [h("div", { class: "notice" }, h("p", {}, "Left out:"), h("ul", {}, byReason.map(row)))];
}

/** @param {import("../import.js").Progress} done @param {[string, string]} words @param {string[]} vaults */
function report({ all, failed, odd, kept, replaced }, words, vaults) {
  const list = (/** @type {import("../import.js").Told[]} */ rows) => h("ul", {}, rows.map(({ path, reason }) => h("li", {}, `${path}: ${reason}`)));
  const into = vaults.length ? ` into ${vaults.map((name) => `“${name}”`).join(", ")}` : "";
  const taken = all - failed.length - kept.length;
  return [
    taken > 0 && h("p", { class: "notice good" }, `${plural(taken, ...words)} imported${into}. The index follows by itself.`),
    replaced > 0 && h("p", { class: "notice" }, `${replaced.toLocaleString()} replaced: what was there is in the trash.`),
    ...(kept.length ? [h("p", { class: "notice" }, `Skipped, what is here stays: ${kept.join(", ")}`)] : []),
    ...(failed.length ? [h("p", { class: "notice bad" }, `${failed.length.toLocaleString()} could not be imported:`), list(failed)] : []),
    ...(odd.length ? [h("p", { class: "notice" }, "Imported, but not as their author meant:"), list(odd)] : []),
  ].filter((part) => part !== false);
}
