/** The list of notes: folders, tags, search, how much the index holds. */

import { tried } from "../api.js";
import { button, day, h, icon, marked, plural, searchKeys, settled } from "../dom.js";
import { folderOf } from "../notes.js";
import { offer, refill } from "../redraw.js";
import { withoutMarks } from "../render.js";
import { format, here } from "../router.js";

const SHOWN = 100;
const ORDERS = /** @type {const} */ ([["newest", "Newest first"], ["oldest", "Oldest first"], ["name", "By name"], ["tree", "By folder"]]);

/** A folder of the tree. @typedef {{name: string, path: string, folders: Map<string, Branch>, notes: any[], count: number}} Branch */

export class NoteList {
  /** @param {import("../notes.js").Notes} notes @param {() => void} startNew */
  constructor(notes, startNew) {
    this.page = notes.page;
    this.notes = notes;
    this.shown = SHOWN;
    this.folder = /** @type {string | null} */ (null);
    this.tag = "";
    /** Paths of the folders that are open in the tree. @type {Set<string>} */
    this.open = new Set(this.page.memory.get("tree", []));
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
    this.tags = h("select", { "aria-label": "Tag", onchange: () => this.choose() });
    this.list = h("ul", { class: "list" });
    searchKeys(this.field, this.list, () => void this.search()); // its own titles at once
    this.coverage = h("p", { class: "coverage muted" });
    this.element = h(
      "div",
      { class: "side-part", id: "side-notes" },
      button("New note", startNew, { class: "primary wide", title: "New note (n)" }),
      this.field,
      h("div", { class: "choices" }, this.folders, this.tags, this.order),
      this.list,
      this.coverage,
    );
    notes.addEventListener("change", () => this.draw());
  }

  choose() {
    this.folder = this.folders.value === "*" ? null : this.folders.value;
    this.tag = this.tags.value;
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
    const tree = this.order.value === "tree";
    const chosen = (note) => this.chosen(note);
    const matches = this.notes.sorted(tree ? "name" : /** @type {any} */ (this.order.value)).filter((note) => chosen(note) && `${note.title}\n${note.path}\n${note.tags.join(" ")}`.toLowerCase().includes(query));
    const byText = query ? firstOfEach(this.passages.filter(({ noteId }) => chosen(this.notes.all.get(noteId))), new Set(matches.map((note) => note.noteId))) : [];
    const rows = tree && !query ? this.branch(treeOf(matches)) : matches.slice(0, this.shown).map((note) => row(note, query));
    const more = (!tree || query) && matches.length > this.shown && h("li", {}, button(`Show more of ${plural(matches.length, "note")}`, () => this.more(), { class: "quiet" }));
    const heading = byText.length && h("li", { class: "muted hint" }, "In the text");
    refill(this.list, [...rows, more, heading, ...byText.map((passage) => found(passage, query)), this.nothing(matches.length + byText.length)]);
  }

  /** Whether a note is in the folder and has the tag that are looked at. @param {any} note */
  chosen(note) {
    const folder = note && folderOf(note);
    return note && (this.folder === null || folder === this.folder || folder.startsWith(`${this.folder}/`)) && (!this.tag || note.tags.includes(this.tag));
  }

  /** Rows of a folder: those below it first. @param {Branch} branch @returns {HTMLElement[]} */
  branch({ folders, notes }) {
    const below = [...folders.values()].sort((one, other) => one.name.localeCompare(other.name));
    return [...below.map((each) => this.folderRow(each)), ...notes.map((note) => row(note, ""))];
  }

  /** @param {Branch} branch */
  folderRow(branch) {
    const open = this.open.has(branch.path);
    const toggle = () => {
      if (!this.open.delete(branch.path)) this.open.add(branch.path);
      this.page.memory.put("tree", [...this.open]);
      this.draw();
    };
    const name = button(icon("folder"), toggle, { class: "quiet", "aria-expanded": String(open), "aria-label": `${branch.path}, ${plural(branch.count, "note")}` });
    name.append(h("span", { class: "folder-name" }, branch.name), h("span", { class: "muted" }, branch.count));
    return h("li", { class: "folder" }, name, open && h("ul", {}, this.branch(branch)));
  }

  more() {
    this.shown += SHOWN * 5;
    this.draw();
  }

  /** @param {number} count */
  nothing(count) {
    if (count) return null;
    return h("li", { class: "muted hint" }, this.emptiness());
  }

  emptiness() {
    if (!this.notes.complete) return "Loading…";
    if (this.notes.all.size) return "No note matches.";
    if (this.notes.coverage?.notes) return "Your notes are being read…";
    return "No notes yet: write one, or drop a folder of Markdown anywhere on this page.";
  }

  drawFolders() {
    const options = [["*", `All folders (${this.notes.all.size})`], ...[...this.notes.folders].map(([name, count]) => [name, `${name || "(no folder)"} (${count})`])];
    offer(this.folders, options.map(([value, label]) => h("option", { value, selected: value === (this.folder ?? "*") }, label)));
    const tags = Map.groupBy([...this.notes.all.values()].flatMap((note) => note.tags), (tag) => tag);
    const named = [...tags].sort().map(([tag, { length }]) => [tag, `#${tag} (${length})`]);
    offer(this.tags, [["", "All tags"], ...named].map(([value, label]) => h("option", { value, selected: value === this.tag }, label)));
    this.tags.hidden = !tags.size;
    this.folders.hidden = !this.notes.all.size;
    this.order.hidden = !this.notes.all.size;
  }

  drawCoverage() {
    const { coverage } = this.notes;
    if (!coverage) return;
    const rest = [
      coverage.pendingEmbeddings && `${coverage.pendingEmbeddings} found by words only so far`,
      coverage.failed && `${coverage.failed} failed`,
      coverage.missing && `${coverage.missing} not read yet`,
      coverage.stale && `${coverage.stale} changed since`,
      coverage.outdated && `${coverage.outdated} of an earlier embedding model`,
    ].filter(Boolean);
    this.coverage.textContent = coverage.notes === 0 ? "" : [`Indexed: ${coverage.indexed.toLocaleString()} of ${coverage.notes.toLocaleString()}`, ...rest].join(" · ");
  }
}

/** The best passage of each note that is not listed already. @param {any[]} passages @param {Set<string>} listed */
function firstOfEach(passages, listed) {
  return passages.filter(({ noteId }) => !listed.has(noteId) && listed.add(noteId));
}

/** @param {any[]} notes by name @returns {Branch} */
function treeOf(notes) {
  const root = /** @type {Branch} */ ({ name: "", path: "", folders: new Map(), notes: [], count: 0 });
  const vaults = new Set(notes.map(({ vault }) => vault)).size > 1;
  for (const note of notes) {
    let branch = root;
    for (const name of [vaults ? note.vault : "", ...folderOf(note).split("/")].filter(Boolean)) {
      const path = branch.path ? `${branch.path}/${name}` : name;
      if (!branch.folders.has(name)) branch.folders.set(name, { name, path, folders: new Map(), notes: [], count: 0 });
      branch = /** @type {Branch} */ (branch.folders.get(name));
      branch.count += 1;
    }
    branch.notes.push(note);
  }
  return root;
}

/** @param {any} note @param {string} query whose words are marked */
function row(note, query) {
  const open = here().view === "notes" && here().id === note.noteId;
  return link(
    note,
    query,
    { "aria-current": open ? "page" : null },
    h("span", { class: "muted list-facts" }, [day(note.createdAt), folderOf(note)].filter(Boolean).join(" · ")),
    note.error && h("span", { class: "list-facts failed" }, `Failed: ${note.error}`),
  );
}

/** @param {any} passage @param {string} query */
function found(passage, query) {
  return link(passage, query, {}, h("span", { class: "muted list-facts snippet" }, marked(passage.snippet, query)));
}

/** @param {any} to a note, or with its `span` a passage @param {string} query @param {Record<string, any>} props @param {...any} below its title */
function link({ noteId, span, title }, query, props, ...below) {
  const href = format({ view: "notes", id: noteId, at: span });
  const name = withoutMarks(title);
  return h("li", { class: "list-row" }, h("a", { href, ...props }, h("span", { class: "list-title", title: name || null }, marked(name || "Untitled", query)), below));
}
