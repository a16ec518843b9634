/** The folders of this machine: one more is followed, how far it is read, and which are followed no more. */

import { tried } from "../api.js";
import { button, h, icon, plural } from "../dom.js";
import { chosen } from "../page.js";
import { refill } from "../redraw.js";
import { format, showDialog } from "../router.js";

const LOOK_AGAIN = 700;
/** Milliseconds, while a folder is being read. */
const SOON = 3;
/** Seconds in which nobody can tell how long it will take. */
const NAMED = 3;
/** Files named of those that were left out for one reason. */

export class Folders {
  /** @param {import("../notes.js").Notes} notes */
  constructor(notes) {
    this.page = notes.page;
    this.notes = notes;
    this.element = h("div", { id: "known", class: "known" });
    /** Whether somebody looks again already. */
    this.watching = false;
  }

  /** The folders that are followed, and what waits in them for a decision. */
  async look() {
    if (!this.page.api.files) return;
    await tried(async () => {
      const { folders, conflicts, gone } = await this.page.api.get("/folders");
      const open = conflicts.map(({ noteId, path, reason }) => h("li", {}, h("a", { href: format({ view: "notes", id: noteId }) }, path), h("span", { class: "muted list-facts" }, reason.split(";")[0])));
      const questions = gone.map((question) => this.gone(question));
      this.rows = h("ul", { class: "decisions followed" }, folders.map((folder) => this.row(folder)));
      refill(this.element, [
        ...(questions.length ? [h("h3", {}, "Are these files gone?"), h("ul", { class: "decisions" }, questions)] : []),
        ...(open.length ? [h("h3", {}, "Changed here and in the file"), h("ul", { class: "decisions" }, open)] : []),
        ...(folders.length ? [h("section", { class: "machine" }, h("h3", {}, "Folders of this machine"), this.rows)] : []),
      ]);
      if (folders.some(({ reading }) => reading?.running)) void this.watch();
    });
  }

  /** Look again until every folder has been read. */
  async watch() {
    if (this.watching) return;
    this.watching = true;
    let running = true;
    while (running) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN));
      await tried(async () => {
        const { folders } = await this.page.api.get("/folders?progress");
        running = folders.some(({ reading }) => reading?.running);
        if (this.rows) refill(this.rows, folders.map((folder) => this.row(folder)));
        await this.notes.loadCoverage();
      });
    }
    this.watching = false;
    await this.catchUp();
  }

  /** Everything as it is after folders were read, or are followed no more. */
  async catchUp() {
    await tried(() => this.notes.load());
    await tried(() => this.notes.loadCoverage());
    await this.look();
  }

  /** @param {{folder: string, vault: string, there: boolean, notes: number, reading: any}} followed */
  row({ folder, vault, there, notes, reading }) {
    const facts = there ? `${plural(notes, "note")} in the vault “${vault}”` : "The folder is not there at the moment.";
    const stop = button("Stop following", () => this.stop(folder, vault, notes), { "aria-label": `Stop following ${folder}` });
    return h(
      "li",
      {},
      h("div", {}, h("span", { class: "path" }, folder), h("span", { class: "muted list-facts" }, reading?.running ? progressOf(reading) : facts)),
      stop,
      reading && h("div", { class: "outcome" }, this.outcome(folder, reading)),
    );
  }

  /** How far a first reading is, or what came of it. @param {string} folder @param {any} reading */
  outcome(folder, { running, done, of, report, problem }) {
    if (running) return h("progress", { "aria-label": `Reading ${folder}`, ...(of ? { max: of } : {}), value: of ? done : null });
    if (problem) return h("p", { class: "notice bad", role: "alert" }, problem);
    const ignored = Object.entries(report.ignored).map(([reason, count]) => ({ path: plural(count, "file"), reason }));
    const leftOut = [...report.failed, ...report.skipped, ...ignored];
    return h("div", {}, h("p", { class: "notice good" }, `${plural(report.notes, "note")} read. Whatever you change in this folder is indexed from now on.`), leftOut.length ? notTaken(leftOut) : null);
  }

  /** @param {string} folder @param {string} vault @param {number} notes */
  async stop(folder, vault, notes) {
    const question = `Stop following ${folder}? Its files stay as they are. ${plural(notes, "note")} came from it.`;
    const decision = await chosen(question, [
      ["", "Cancel"],
      ["remove", "Remove its notes"],
      ["keep", "Keep its notes"],
    ]);
    if (!decision) return;
    const stopped = async () => {
      const { removed } = await this.page.api.json("DELETE", "/folders", { folder, vault, notes: decision });
      this.page.say(removed ? `${folder} is not followed any more. ${plural(removed, "note is", "notes are")} in the trash.` : `${folder} is not followed any more.`);
      await this.catchUp();
    };
    await tried(stopped, this.page.tell);
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
    const lost = files === 1 ? "is" : "are";
    const stay = files === 1 ? "Its note stays" : "Their notes stay";
    return h(
      "li",
      {},
      h("p", {}, `${files.toLocaleString()} of ${plural(of, "file")} of ${where} ${lost} not there any more. If a drive is missing, connect it. ${stay} until you decide.`),
      h("div", {}, button("They are gone: remove the notes", answer("remove")), button("Keep the notes", answer("keep"))),
    );
  }

  // -- one more folder

  /** Ask how a folder is to come in. @param {() => void} copy lets the browser choose one */
  async add(copy) {
    const explained = h(
      "dl",
      { class: "explained" },
      h("dt", {}, "Follow this folder"),
      h("dd", { class: "muted" }, "Its files stay where they are. Whatever you change in them is indexed."),
      h("dt", {}, "Copy it in once"),
      h("dd", { class: "muted" }, "The notes are copied as they are now. Later changes of the files are not seen."),
    );
    const way = await chosen(
      "How should your folder come in?",
      [
        ["copy", "Copy it in once"],
        ["follow", "Follow this folder"],
      ],
      explained,
    );
    if (way === "copy") copy();
    if (way === "follow") this.choose();
  }

  /** Choose a folder of this machine by its path, or by walking there. */
  choose() {
    const field = h("input", { autocomplete: "off", spellcheck: "false", required: true, "aria-describedby": "folder-problem" });
    const problem = h("p", { id: "folder-problem", class: "notice bad", role: "alert", hidden: true });
    const list = h("ul", { class: "list browse", "aria-label": "Folders" });
    const facts = h("p", { class: "muted", role: "status" });
    const tell = (/** @type {string} */ message) => {
      problem.textContent = message;
      problem.hidden = !message;
    };
    const open = (/** @type {string} */ folder) =>
      tried(
        async () => {
          const found = await this.page.api.get(`/folders:browse?${new URLSearchParams({ folder })}`);
          field.value = found.folder;
          tell(found.problem ?? "");
          const up = found.parent && [{ name: "The folder above", folder: found.parent, label: "The folder above" }];
          list.replaceChildren(...[...(up || []), ...found.folders].map((row) => h("li", { class: "list-row" }, entry(row, open))));
          list.scrollTop = 0;
          const more = found.more ? `, and ${found.more.toLocaleString()} more that are not listed` : "";
          facts.textContent = `${plural(found.folders.length, "folder")}${more} and ${plural(found.notes, "file")} of text here`;
        },
        ({ message }) => tell(message),
      );
    const follow = async () => {
      await this.page.api.json("POST", "/folders", { folder: field.value });
      dialog.close();
      await this.look();
      if (!this.watching) await this.catchUp(); // it was a small one
    };
    const submit = (/** @type {Event} */ event) => {
      event.preventDefault();
      void tried(follow, ({ message }) => tell(message));
    };
    const cancel = button("Cancel", () => dialog.close());
    const form = h(
      "form",
      { onsubmit: submit },
      h("h2", {}, "Follow a folder of this machine"),
      h("div", { class: "with-button" }, h("label", {}, "Path", field), button("Look there", () => open(field.value))),
      list,
      facts,
      problem,
      h("div", { class: "row" }, cancel, h("button", { type: "submit", class: "primary" }, "Follow this folder")),
    );
    const dialog = h("dialog", { class: "ask", "aria-label": "Follow a folder of this machine" }, form);
    dialog.addEventListener("close", () => dialog.remove(), { once: true });
    document.body.append(dialog);
    showDialog(dialog);
    void open("");
  }
}

/** @param {{name: string, folder: string, label?: string}} row @param {(folder: string) => void} open */
function entry({ name, folder, label }, open) {
  const row = button(icon("folder"), () => open(folder), { class: "quiet wide", "aria-label": label ?? name });
  row.append(name);
  return row;
}

/** @param {{done: number, of: number | null, seconds: number}} reading */
function progressOf({ done, of, seconds }) {
  if (of === null) return "Looking for notes…";
  return `${done.toLocaleString()} of ${plural(of, "file")} read${timeLeft(done, of, seconds)}`;
}

/** `, about 12 s left`; empty where that is not known yet, or hardly anything. @param {number} done @param {number} all @param {number} seconds since it began */
export function timeLeft(done, all, seconds) {
  if (!done || seconds < SOON) return "";
  const left = Math.ceil((seconds / done) * (all - done));
  if (left <= 2) return "";
  return left < 100 ? `, about ${left} s left` : `, about ${Math.round(left / 60)} min left`;
}

/** Files that were left out, by the reason why. @param {import("../import.js").Told[]} skipped */
export function notTaken(skipped) {
  const byReason = [...Map.groupBy(skipped, ({ reason }) => reason)].sort();
  const row = ([reason, files]) => {
    const names = files.slice(0, NAMED).map(({ path }) => path).join(", ");
    return h("li", {}, `${reason}: ${names}${files.length > NAMED ? ` and ${(files.length - NAMED).toLocaleString()} more` : ""}`);
  };
  return h("div", { class: "notice" }, h("p", {}, "Left out:"), h("ul", {}, byReason.map(row)));
}
