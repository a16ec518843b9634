/** The user's notes as the server lists them, without their texts. */

import { tried } from "./api.js";

const PAGE = 200;
const NAMES = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
/** As people count: 1.9.9 before 1.9.10. */

/** The orders in which notes can be listed. @type {Readonly<Record<"newest" | "oldest" | "name", (one: any, other: any) => number>>} */
const ORDERS = {
  newest: (one, other) => other.createdAt.localeCompare(one.createdAt),
  oldest: (one, other) => one.createdAt.localeCompare(other.createdAt),
  name: (one, other) => NAMES.compare(one.title, other.title),
};

/**
 * Fires `change` while the list grows and when a note is saved or deleted.
 */
export class Notes extends EventTarget {
  /** @param {import("./page.js").Page} page */
  constructor(page) {
    super();
    this.page = page;
    /** @type {Map<string, any>} */
    this.all = new Map();
    this.complete = false;
    /** @type {any} */
    this.coverage = null;
    this.loading = /** @type {Promise<void> | null} */ (null);
    /** What was saved, or with null removed, while the list is being read. @type {Map<string, any>} */
    this.meanwhile = new Map();
  }

  /** Read the whole list again, page by page. Throws ApiError. */
  load() {
    this.loading ??= this.read().finally(() => (this.loading = null));
    return this.loading;
  }

  async read() {
    const found = new Map();
    this.meanwhile = new Map();
    let token = "";
    do {
      const query = token ? `&pageToken=${encodeURIComponent(token)}` : "";
      const page = await this.page.api.get(`/notes?pageSize=${PAGE}${query}`);
      for (const note of page.notes) found.set(note.noteId, note);
      token = page.nextPageToken;
      if (found.size > this.all.size) this.take(found);
    } while (token);
    this.complete = true;
    this.take(found);
  }

  /** What was read may be older than what was done here since. @param {Map<string, any>} found */
  take(found) {
    for (const [id, note] of this.meanwhile) {
      if (note) found.set(id, note);
      else found.delete(id);
    }
    this.all = found;
    this.dispatchEvent(new Event("change"));
  }

  async loadCoverage() {
    this.coverage = await this.page.api.get("/index:coverage");
    this.dispatchEvent(new Event("change"));
  }

  /** The same after something was saved, where a failure is no news. */
  followCoverage() {
    return tried(() => this.loadCoverage());
  }

  /** @param {keyof typeof ORDERS} order @returns {any[]} */
  sorted(order) {
    return [...this.all.values()].sort((one, other) => ORDERS[order](one, other) || NAMES.compare(one.noteId, other.noteId));
  }

  /** Folders that hold notes, by name, with how many. @returns {Map<string, number>} */
  get folders() {
    const counts = new Map();
    for (const note of this.all.values()) counts.set(folderOf(note), (counts.get(folderOf(note)) ?? 0) + 1);
    return new Map([...counts].sort(([one], [other]) => NAMES.compare(one, other)));
  }

  /** Vaults by name, with their folders and those that these lie in; `/` where notes are in none. @returns {Map<string, string[]>} */
  get vaults() {
    /** @type {Map<string, Set<string>>} */
    const found = new Map();
    for (const note of this.all.values()) {
      const folders = found.get(note.vault) ?? new Set();
      const parts = note.path.split("/").slice(0, -1);
      if (!parts.length) folders.add("/");
      for (const place of parts.keys()) folders.add(parts.slice(0, place + 1).join("/"));
      found.set(note.vault, folders);
    }
    const sorted = (/** @type {Iterable<string>} */ names) => [...names].sort(NAMES.compare);
    return new Map(sorted(found.keys()).map((vault) => [vault, sorted(found.get(vault) ?? [])]));
  }

  /** The note at a path of a vault, without its text; undefined without one. @param {string} vault @param {string} path @returns {any} */
  at(vault, path) {
    return [...this.all.values()].find((note) => note.vault === vault && note.path === path);
  }

  /** `a (2).md` for `a.md`, or the next number that is free. @param {string} vault @param {string} path */
  freePath(vault, path) {
    const [, stem, suffix] = /** @type {RegExpMatchArray} */ (path.match(/^(.*?)(\.[^./]*)?$/s));
    for (let copy = 2; ; copy++) {
      const free = `${stem} (${copy})${suffix ?? ""}`;
      if (!this.at(vault, free)) return free;
    }
  }

  /** @param {string} id @returns {Promise<any>} with its text */
  get(id) {
    return this.page.api.note(id);
  }

  /** @param {any} note @returns {Promise<any>} as it was saved */
  async save(note) {
    const { updatedAt: _, origin: __, ...fields } = note;
    const saved = await this.page.api.json("PUT", `/notes/${encodeURIComponent(note.noteId)}`, fields);
    this.put(saved);
    return { ...saved, origin: await this.page.api.file(note.noteId) };
  }

  /** Whether saving notes of this one's folder writes their files. @param {any} note @param {boolean} writeBack @returns {Promise<any>} as it is then */
  async writeFile(note, writeBack) {
    return { ...note, origin: await this.page.api.json("PUT", `/notes/${encodeURIComponent(note.noteId)}:file`, { writeBack }) };
  }

  /** The file of a note with what it says, and which side stays. @param {string} noteId @param {"file" | "note"} [take] @returns {Promise<any>} */
  fileText(noteId, take) {
    const address = `/notes/${encodeURIComponent(noteId)}:file`;
    return take ? this.page.api.json("PUT", address, { take }) : this.page.api.get(`${address}?text`);
  }

  /** A note that the server has taken in. @param {any} note */
  put({ text: _, ...note }) {
    this.all.set(note.noteId, note);
    this.meanwhile.set(note.noteId, note);
    this.dispatchEvent(new Event("change"));
  }

  /** @param {string} id */
  async remove(id) {
    await this.page.api.json("DELETE", `/notes/${encodeURIComponent(id)}`);
    this.all.delete(id);
    this.meanwhile.set(id, null);
    this.dispatchEvent(new Event("change"));
  }

  /** What is in the trash, the newest first. @returns {Promise<any[]>} */
  async trash() {
    const found = [];
    for await (const versions of this.trashPages()) found.push(...versions);
    return found;
  }

  /** The version of a note that went into the trash when it was deleted last; undefined without one. @param {string} id @returns {Promise<any>} */
  async lastDeleted(id) {
    for await (const versions of this.trashPages()) {
      const deleted = versions.find(({ noteId, reason }) => noteId === id && reason === "deleted");
      if (deleted) return deleted;
    }
  }

  /** @returns {AsyncGenerator<any[]>} pages of the trash, the newest first */
  async *trashPages() {
    let token = "";
    do {
      const page = await this.page.api.get(`/trash?pageSize=${PAGE}${token && `&pageToken=${encodeURIComponent(token)}`}`);
      yield page.trash;
      token = page.nextPageToken;
    } while (token);
  }

  /** @param {string} trashId @returns {Promise<any>} the note as it is again */
  async restore(trashId) {
    const note = await this.page.api.json("POST", `/trash/${trashId}:restore`);
    this.put(note);
    return note;
  }

  /** @param {string} id */
  status(id) {
    return this.page.api.get(`/notes/${encodeURIComponent(id)}:indexStatus`);
  }
}

/** The folder of a note, empty for none. @param {{path: string}} note */
export function folderOf(note) {
  return note.path.includes("/") ? note.path.slice(0, note.path.lastIndexOf("/")) : "";
}
