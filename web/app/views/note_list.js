/** The list of notes: folders, search, how much the index holds. */

import { tried } from "../api.js";
import { button, day, h, plural, refill, settled } from "../dom.js";
import { folderOf } from "../notes.js";
import { format, here } from "../router.js";

const SHOWN = 100;
const ORDERS = /** @type {const} */ ([["newest", "Newest first"], ["oldest", "Oldest first"], ["name", "By name"]]);

export class NoteList {
  /** @param {import("../notes.js").Notes} notes @param {() => void} startNew */
  constructor(notes, startNew) {
    this.page = notes.page;
    this.notes = notes;
    this.shown = SHOWN;
    this.folder = /** @type {string | null} */ (null);
    /** Passages that the server found for what is typed. @type {any[]} */
    this.passages = [];
    const search = settled(() => this.search(), 200);
    this.field = h("input", { type: "search", placeholder: "Search notes", "aria-label": "Search notes", oninput: search });
    this.folders = h("select", { "aria-label": "Folder", onchange: () => this.choose() });
    this.order = h(
      "select",
      { "aria-label": "Order", onchange: () => this.reorder() },
      ORDERS.map(([value, words]) => h("option", { value, selected: value === this.page.memory.get("order", "newest") }, words)),
    );
    this.list = h("ul", { class: "list" });
    this.coverage = h("p", { class: "coverage muted" });
    this.element = h(
      "div",
      { class: "side-part", id: "side-notes" },
      button("New note", startNew, { class: "primary wide", title: "New note (n)" }),
      this.field,
      h("div", { class: "choices" }, this.folders, this.order),
      this.list,
      this.coverage,
    );
    notes.addEventListener("change", () => this.draw());
  }

  choose() {
    this.folder = this.folders.value === "*" ? null : this.folders.value;
    this.shown = SHOWN;
    this.draw();
  }

  reorder() {
    this.page.memory.put("order", this.order.value);
    this.draw();
  }

  async search() {
    const query = this.field.value.trim();
    this.shown = SHOWN;
    this.passages = [];
    this.draw();
    if (query.length < 3) return;
    await tried(async () => {
      const found = await this.page.api.json("POST", "/search", { query, k: 20, ...this.page.settings.search(), filters: {} });
      if (this.field.value.trim() !== query) return;
      this.passages = found.results.filter((row) => row.scores.keyword > 0);
    });
    this.draw();
  }

  draw() {
    this.drawFolders();
    this.drawCoverage();
    const query = this.field.value.trim().toLowerCase();
    const inFolder = (note) => this.folder === null || folderOf(note) === this.folder || folderOf(note).startsWith(`${this.folder}/`);
    const matches = this.notes.sorted(/** @type {any} */ (this.order.value)).filter((note) => inFolder(note) && `${note.title}\n${note.path}\n${note.tags.join(" ")}`.toLowerCase().includes(query));
    const byText = query ? firstOfEach(this.passages.filter(inFolder), new Set(matches.map((note) => note.noteId))) : [];
    const rows = matches.slice(0, this.shown).map((note) => row(note));
    const more = matches.length > this.shown && h("li", {}, button(`Show more of ${plural(matches.length, "note")}`, () => this.more(), { class: "quiet" }));
    const heading = byText.length && h("li", { class: "muted hint" }, "In the text");
    refill(this.list, [...rows, more, heading, ...byText.map(found), this.nothing(matches.length + byText.length)]);
  }

  more() {
    this.shown += SHOWN * 5;
    this.draw();
  }

  /** @param {number} count */
  nothing(count) {
    if (count) return null;
    return h("li", { class: "muted hint" }, !this.notes.complete ? "Loading…" : this.notes.all.size ? "No note matches." : "No notes yet: write one, or drop a folder of Markdown anywhere on this page.");
  }

  drawFolders() {
    const options = [["*", `All folders (${this.notes.all.size})`], ...[...this.notes.folders].map(([name, count]) => [name, `${name || "(no folder)"} (${count})`])];
    this.folders.replaceChildren(...options.map(([value, label]) => h("option", { value, selected: value === (this.folder ?? "*") }, label)));
  }

  drawCoverage() {
    const { coverage } = this.notes;
    if (!coverage) return;
    const rest = [
      coverage.pendingEmbeddings && `${coverage.pendingEmbeddings} wait for vectors`,
      coverage.failed && `${coverage.failed} failed`,
      coverage.missing && `${coverage.missing} to come`,
    ].filter(Boolean);
    this.coverage.textContent = [`Indexed: ${coverage.indexed.toLocaleString()} of ${coverage.notes.toLocaleString()}`, ...rest].join(" · ");
  }
}

/** The best passage of each note that is not listed already. @param {any[]} passages @param {Set<string>} listed */
function firstOfEach(passages, listed) {
  return passages.filter(({ noteId }) => !listed.has(noteId) && listed.add(noteId));
}

/** @param {any} note */
function row(note) {
  const open = here().view === "notes" && here().id === note.noteId;
  return link(
    note,
    { "aria-current": open ? "page" : null },
    h("span", { class: "muted list-facts" }, [folderOf(note), day(note.createdAt)].filter(Boolean).join(" · ")),
    note.error && h("span", { class: "list-facts failed" }, `Failed: ${note.error}`),
  );
}

/** @param {any} passage */
function found(passage) {
  return link(passage, {}, h("span", { class: "muted list-facts snippet" }, passage.snippet));
}

/** @param {any} to a note, or with its `span` a passage @param {Record<string, any>} props @param {...any} below its title */
function link({ noteId, span, title }, props, ...below) {
  const href = format({ view: "notes", id: noteId, at: span });
  return h("li", { class: "list-row" }, h("a", { href, ...props }, h("span", { class: "list-title" }, title || "Untitled"), below));
}
