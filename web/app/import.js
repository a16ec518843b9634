/** A folder of Markdown that was dropped or chosen -> notes, with progress. The server reads their frontmatter. */

import { ApiError } from "./api.js";
import { plural } from "./dom.js";
import { confirmed } from "./page.js";

const MARKDOWN = /\.(md|markdown)$/i;
const MOST_BYTES = 900_000;
const WORKERS = 4;

/** @typedef {{path: string, file: File}} Entry a Markdown file and its path below the folder */
/** @typedef {{done: number, all: number, failed: {path: string, reason: string}[], odd: {path: string, reason: string}[]}} Progress */

/**
 * What a drop brought: files, or folders with everything below them. One folder's own name is no part of a path.
 * @param {DataTransfer} transfer
 * @returns {Promise<Entry[]>}
 */
export async function dropped(transfer) {
  const items = [...transfer.items].map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() })); // gone after an await
  const single = items.length === 1 && items[0].entry?.isDirectory;
  const found = items.map(({ entry, file }) => {
    if (entry) return below(entry, single ? "" : entry.name);
    return file && wanted(file.name) ? [{ path: file.name, file }] : [];
  });
  return (await Promise.all(found)).flat();
}

/** The same from a file input; the chosen folder's own name is no part of a path. @param {FileList} files */
export function chosen(files) {
  return [...files]
    .map((file) => ({ path: file.webkitRelativePath.split("/").slice(1).join("/") || file.name, file }))
    .filter(({ path }) => wanted(path));
}

/** Hidden files and folders are left out. @param {string} path */
function wanted(path) {
  return MARKDOWN.test(path) && !path.split("/").some((part) => part.startsWith("."));
}

/** @param {FileSystemEntry} entry @param {string} path @returns {Promise<Entry[]>} */
async function below(entry, path) {
  if (entry.name.startsWith(".")) return [];
  if (entry.isFile) {
    if (!wanted(path)) return [];
    const file = await new Promise((resolve, reject) => /** @type {FileSystemFileEntry} */ (entry).file(resolve, reject));
    return [{ path, file }];
  }
  const children = await childrenOf(/** @type {FileSystemDirectoryEntry} */ (entry));
  const found = [];
  for (const child of children) found.push(...(await below(child, path ? `${path}/${child.name}` : child.name)));
  return found;
}

/** A reader gives a hundred at a time. @param {FileSystemDirectoryEntry} folder @returns {Promise<FileSystemEntry[]>} */
async function childrenOf(folder) {
  const reader = folder.createReader();
  const all = [];
  for (;;) {
    /** @type {FileSystemEntry[]} */
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length) return all;
    all.push(...some);
  }
}

/**
 * Send them, a few at a time. A file that fails does not stop the others.
 * @param {import("./notes.js").Notes} notes @param {Entry[]} entries @param {(progress: Progress) => void} step
 * @returns {Promise<Progress>}
 */
export async function importAll(notes, entries, step) {
  const progress = /** @type {Progress} */ ({ done: 0, all: entries.length, failed: [], odd: [] });
  const other = /** @type {Entry[]} */ ([]);
  const queue = [...entries];
  const work = async () => {
    for (let entry = queue.shift(); entry; entry = queue.shift()) {
      if (!(await importOne(notes, entry, progress, { revision: "" }))) other.push(entry);
      progress.done += 1;
      step(progress);
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, work));
  const question = `${plural(other.length, "file")} and the notes at the same paths say different things. Replace these notes?`;
  const replaces = other.length && (await confirmed(question, "Replace"));
  for (const entry of other) {
    if (replaces) await importOne(notes, entry, progress, {});
    else progress.failed.push({ path: entry.path, reason: "another note is at this path, and stays" });
  }
  return progress;
}

/**
 * False: there is a note that says something else than the file, and is not of the revision that was meant.
 * @param {import("./notes.js").Notes} notes @param {Entry} entry @param {Progress} progress @param {{revision?: string}} meant
 */
async function importOne(notes, { path, file }, progress, meant) {
  if (file.size > MOST_BYTES) {
    progress.failed.push({ path, reason: `too large: ${file.size.toLocaleString()} bytes` });
    return true;
  }
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
    const modifiedAt = new Date(file.lastModified).toISOString();
    const { note, problem } = await notes.page.api.json("POST", "/notes:import", { path, text, modifiedAt, ...meant });
    notes.put(note);
    if (problem) progress.odd.push({ path, reason: problem });
  } catch (error) {
    if (error instanceof ApiError && error.status === 409) return false;
    if (error instanceof ApiError) progress.failed.push({ path, reason: error.message });
    else if (error instanceof TypeError) progress.failed.push({ path, reason: "not UTF-8 text" });
    else throw error;
  }
  return true;
}
