/** A folder of Markdown that was dropped or chosen -> notes, with progress. The server reads their frontmatter. */

import { ApiError } from "./api.js";
import { confirmed } from "./page.js";

const MARKDOWN = /\.(md|markdown)$/i;
const MOST_BYTES = 900_000;
const WORKERS = 4;

/**
 * @typedef {object} Entry one thing to bring in
 * @property {string} path of the file below its folder, or what else it is called
 * @property {(notes: import("./notes.js").Notes, meant: {revision?: string}) => Promise<string | null>} save what is odd
 * about it; ApiError 409 where there is something else than `meant`
 */
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
    return file && wanted(file.name) ? [ofFile(file.name, file)] : [];
  });
  return (await Promise.all(found)).flat();
}

/** The same from a file input; the chosen folder's own name is no part of a path. @param {FileList} files */
export function chosen(files) {
  return [...files]
    .map((file) => ofFile(file.webkitRelativePath.split("/").slice(1).join("/") || file.name, file))
    .filter(({ path }) => wanted(path));
}

/** A Markdown file, whose frontmatter the server reads. @param {string} path @param {File} file @returns {Entry} */
function ofFile(path, file) {
  const modifiedAt = new Date(file.lastModified).toISOString();
  const save = async (/** @type {import("./notes.js").Notes} */ notes, /** @type {object} */ meant) => {
    if (file.size > MOST_BYTES) throw new ApiError(413, `too large: ${file.size.toLocaleString()} bytes`);
    const { note, problem } = await notes.page.api.json("POST", "/notes:import", { path, text: await textOf(file), modifiedAt, ...meant });
    notes.put(note);
    return problem;
  };
  return { path, save };
}

/** @param {Blob} file */
async function textOf(file) {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
  } catch (error) {
    if (error instanceof TypeError) throw new ApiError(400, "not UTF-8 text");
    throw error;
  }
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
    return [ofFile(path, file)];
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
 * Send them, a few at a time. One that fails does not stop the others.
 * @param {import("./notes.js").Notes} notes @param {Entry[]} entries @param {(progress: Progress) => void} step
 * @param {(count: number) => string} question asked once where what is here says something else
 * @returns {Promise<Progress>}
 */
export async function importAll(notes, entries, step, question) {
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
  const replaces = other.length && (await confirmed(question(other.length), "Replace"));
  for (const entry of other) {
    if (replaces) await importOne(notes, entry, progress, {});
    else progress.failed.push({ path: entry.path, reason: "what is here says something else, and stays" });
  }
  return progress;
}

/**
 * False: what is here says something else, and is not of the revision that was meant.
 * @param {import("./notes.js").Notes} notes @param {Entry} entry @param {Progress} progress @param {{revision?: string}} meant
 */
async function importOne(notes, { path, save }, progress, meant) {
  try {
    const problem = await save(notes, meant);
    if (problem) progress.odd.push({ path, reason: problem });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 409) return false;
    progress.failed.push({ path, reason: error.message });
  }
  return true;
}
