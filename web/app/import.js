/** Folders of Markdown that were dropped or chosen -> notes, with progress. The server reads their frontmatter. */

import { ApiError } from "./api.js";
import { chosen } from "./page.js";

const MARKDOWN = /\.(md|markdown)$/i;
const MOST_BYTES = 900_000;
const WORKERS = 4;
const DEFAULT_VAULT = "default";
const ERASED = "ERASED";
/** Reason of the error where everything was erased since the import began. */

/**
 * @typedef {object} Meant under which conditions something is saved
 * @property {string} [revision] of what it replaces; empty: nothing; left out: whatever is there
 * @property {string} [erasure] the last erasure of everything when the import began: behind another one nothing is saved
 */
/**
 * @typedef {object} Entry one thing to bring in
 * @property {string} path of the file below its folder, or what else it is called
 * @property {string} [changed] when it was last changed, RFC 3339
 * @property {(notes: import("./notes.js").Notes) => any} here what it would replace; undefined: nothing that is known
 * @property {(notes: import("./notes.js").Notes, meant: Meant) => Promise<string | null>} save what is odd
 * about it; ApiError 409 where there is something else than `meant`
 * @property {(notes: import("./notes.js").Notes) => Entry} [copy] the same beside what is here
 */
/** @typedef {{path: string, reason: string}} Told */
/** @typedef {{done: number, all: number, failed: Told[], odd: Told[], kept: string[], replaced: number}} Progress */
/**
 * @typedef {object} Folder
 * @property {string} name empty: files that came alone
 * @property {{path: string, file: File}[]} files those to bring in
 * @property {Told[]} skipped what is left out, and why
 */

/**
 * What a drop brought: files, or folders with everything below them.
 * @param {DataTransfer} transfer
 * @returns {Promise<Folder[]>}
 */
export async function dropped(transfer) {
  const items = [...transfer.items].map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() })); // gone after an await
  const found = items.map(async ({ entry, file }) => {
    if (entry?.isDirectory) return folderOf(entry.name, await below(entry, ""));
    return folderOf("", file ? [{ path: file.name, file }] : []);
  });
  return Promise.all(found);
}

/** The folder that a file input brought. @param {FileList} list @returns {Folder} */
export function picked(list) {
  const files = [...list].map((file) => ({ path: file.webkitRelativePath.split("/").slice(1).join("/") || file.name, file }));
  return folderOf(list[0].webkitRelativePath.split("/")[0], files);
}

/** Those to bring in apart from the others. @param {string} name @param {{path: string, file?: File}[]} all @returns {Folder} */
function folderOf(name, all) {
  const found = all.map(({ path, file }) => ({ path, file, reason: excluded(path) }));
  return { name, files: /** @type {Folder["files"]} */ (found.filter(({ reason }) => !reason)), skipped: /** @type {Told[]} */ (found.filter(({ reason }) => reason)) };
}

/**
 * Each folder keeps its name, as a vault; asked where most of it is in the default vault already. Files that came alone
 * go into the default vault. Null: the person wants neither.
 * @param {import("./notes.js").Notes} notes @param {Folder[]} folders @returns {Promise<{entries: Entry[], vaults: string[]} | null>}
 */
export async function entriesOf(notes, folders) {
  const entries = [];
  const vaults = new Set();
  for (const { name, files } of folders) {
    const vault = name ? await vaultOf(notes, name, files) : DEFAULT_VAULT;
    if (!vault) return null;
    vaults.add(vault);
    entries.push(...files.map(({ path, file }) => ofFile(vault, path, file)));
  }
  return { entries, vaults: [...vaults] };
}

/** @param {import("./notes.js").Notes} notes @param {string} name @param {Folder["files"]} files */
async function vaultOf(notes, name, files) {
  // eslint-disable-next-line no-control-regex
  const own = name.replace(/[/\x00-\x1f\x7f]/g, "-").slice(0, 200);
  await notes.load();
  const known = files.filter(({ path }) => notes.at(DEFAULT_VAULT, path)).length;
  if (notes.vaults.has(own) || known * 2 <= files.length) return own;
  const question = `The vault “${DEFAULT_VAULT}” has notes at ${known} of the ${files.length} paths of “${name}”. Are these the same notes, or others?`;
  return chosen(question, [
    [own, `Others: a vault “${own}”`],
    [DEFAULT_VAULT, "The same notes"],
  ]);
}

/** A Markdown file, whose frontmatter the server reads. @param {string} vault @param {string} path @param {File} file @returns {Entry} */
function ofFile(vault, path, file) {
  const changed = new Date(file.lastModified).toISOString();
  const save = async (/** @type {import("./notes.js").Notes} */ notes, /** @type {object} */ meant) => {
    if (file.size > MOST_BYTES) throw new ApiError(413, `too large: ${file.size.toLocaleString()} bytes`);
    const body = { path, vault, text: await textOf(file), modifiedAt: changed, ...meant };
    const { note, problem } = await notes.page.api.json("POST", "/notes:import", body);
    notes.put(note);
    return problem;
  };
  return { path, changed, save, here: (notes) => notes.at(vault, path), copy: (notes) => ofFile(vault, notes.freePath(vault, path), file) };
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

/** Why a file is left out; empty: it is not. @param {string} path */
function excluded(path) {
  if (path.split("/").some((part) => part.startsWith("."))) return "hidden";
  return MARKDOWN.test(path) ? "" : `not Markdown (${/\.\w+$/.exec(path)?.[0] ?? "no suffix"})`;
}

/** Hidden folders are named and not read. @param {FileSystemEntry} folder @param {string} path @returns {Promise<{path: string, file?: File}[]>} */
async function below(folder, path) {
  const found = [];
  for (const entry of await childrenOf(/** @type {FileSystemDirectoryEntry} */ (folder))) {
    const place = path ? `${path}/${entry.name}` : entry.name;
    if (entry.isDirectory && entry.name.startsWith(".")) found.push({ path: `${place}/` });
    else if (entry.isDirectory) found.push(...(await below(entry, place)));
    else if (excluded(place)) found.push({ path: place });
    else found.push({ path: place, file: await new Promise((resolve, reject) => /** @type {FileSystemFileEntry} */ (entry).file(resolve, reject)) });
  }
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
 * Send them, a few at a time. One that fails does not stop the others. Throws ApiError once everything is erased meanwhile.
 * @param {import("./notes.js").Notes} notes @param {Entry[]} entries @param {(progress: Progress) => void} step
 * @param {(entries: Entry[]) => Promise<("skip" | "replace" | "both")[]>} decide of those where what is here says something else
 * @returns {Promise<Progress>}
 */
export async function importAll(notes, entries, step, decide) {
  const progress = /** @type {Progress} */ ({ done: 0, all: entries.length, failed: [], odd: [], kept: [], replaced: 0 });
  const other = /** @type {Entry[]} */ ([]);
  const queue = [...entries];
  const { erasure } = await notes.page.api.get("/notes?pageSize=1");
  const work = async () => {
    for (let entry = queue.shift(); entry; entry = queue.shift()) {
      if (!(await importOne(notes, entry, progress, { revision: "", erasure }))) other.push(entry);
      progress.done += 1;
      step(progress);
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, work));
  other.sort((one, two) => one.path.localeCompare(two.path));
  const choices = other.length ? await decide(other) : [];
  for (const [place, entry] of other.entries()) {
    if (choices[place] === "replace") progress.replaced += Number(await importOne(notes, entry, progress, { erasure }));
    else if (choices[place] === "both" && entry.copy) await importOne(notes, entry.copy(notes), progress, { revision: "", erasure });
    else progress.kept.push(entry.path);
  }
  return progress;
}

/**
 * False: what is here says something else, and is not of the revision that was meant.
 * @param {import("./notes.js").Notes} notes @param {Entry} entry @param {Progress} progress @param {Meant} meant
 */
async function importOne(notes, { path, save }, progress, meant) {
  try {
    const problem = await save(notes, meant);
    if (problem) progress.odd.push({ path, reason: problem });
  } catch (error) {
    if (!(error instanceof ApiError) || error.reason === ERASED) throw error;
    if (error.status === 409 && "revision" in meant) return false;
    progress.failed.push({ path, reason: error.message });
  }
  return true;
}
