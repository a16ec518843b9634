/** What the user owns, as a file: everything as JSON lines, which can be brought back, or the notes as a zip of Markdown. */

import { ApiError, errorOf } from "./api.js";
import { download, newId } from "./page.js";

const ANY = new Array(16).fill(null);
const ZIP_END = [0x50, 0x4b, 0x05, 0x06, ...ANY, 0, 0];
/** How a zip without a comment ends; null: whatever it counts there. */

const LEFT = /** @type {Readonly<Record<string, string>>} */ ({
  feedback: "ratings",
  trashedNote: "the trash",
  usage: "the count of what was used",
  unreadableNote: "notes that could not be read",
  unreadable: "what else could not be read",
});

const AT_ONCE = 20;
const LONGEST = 200_000;
/** Messages of a conversation that one request takes, and how many characters if they are several. */

const BROKEN = "The export broke off.";

/** @param {import("./notes.js").Notes} notes */
export async function exportAll(notes) {
  const content = await received(notes, "", "application/x-ndjson");
  const last = lastRow(await content.text());
  if (last.type === "error") throw errorOf(last.error);
  if (last.type !== "end") throw new ApiError(0, BROKEN);
  download(content, named("ndjson"));
}

/** @param {import("./notes.js").Notes} notes */
export async function exportMarkdown(notes) {
  const content = await received(notes, "?format=markdown", "application/zip");
  const end = new Uint8Array(await content.slice(-ZIP_END.length).arrayBuffer());
  if (ZIP_END.some((byte, place) => byte !== null && byte !== end[place])) throw new ApiError(0, BROKEN);
  download(content, named("zip"));
}

/** Throws ApiError. @param {import("./notes.js").Notes} notes @param {string} query @param {string} accept */
async function received(notes, query, accept) {
  const reply = await notes.page.api.send("GET", `/me:export${query}`, { accept });
  try {
    return await reply.blob();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new ApiError(0, BROKEN);
  }
}

/** Nothing: it ends within a line. @param {string} text */
function lastRow(text) {
  try {
    return JSON.parse(text.trimEnd().split("\n").at(-1) ?? "");
  } catch {
    return {};
  }
}

/** @param {string} kind */
function named(kind) {
  return `aurora-notes-${new Date().toISOString().slice(0, 10)}.${kind}`;
}

// -- and back: notes, templates and conversations

/**
 * @typedef {object} Export
 * @property {import("./import.js").Entry[]} entries
 * @property {string[]} left what stays in the file
 * @property {boolean} whole whether its end is there
 */

/** Throws ApiError for a file that is no export. @param {File} file @returns {Promise<Export>} */
export async function read(file) {
  const lines = (await file.text()).split("\n").filter((line) => line.trim());
  const rows = lines.map(parsed);
  const kinds = new Set(rows.map(({ type }) => type));
  return {
    entries: [...rows.filter(({ type }) => type === "note" || type === "template").map(entry), ...conversations(rows)],
    left: Object.keys(LEFT).filter((kind) => kinds.has(kind)).map((kind) => LEFT[kind]),
    whole: kinds.has("end"),
  };
}

/** @param {string} line @param {number} place */
function parsed(line, place) {
  try {
    const row = JSON.parse(line);
    if (typeof row?.type === "string") return row;
  } catch {
    // told below, as what is JSON and no line of an export
  }
  throw new ApiError(400, `This is not an export of Aurora Notes: line ${place + 1} does not belong to one.`);
}

/** @param {any} row @returns {import("./import.js").Entry} */
function entry({ type, ...fields }) {
  if (type === "note") return noteEntry(fields);
  return { path: `template ${fields.templateId}`, here: () => undefined, save: (notes, meant) => saveTemplate(notes.page.api, fields, meant) };
}

/** @param {any} note @returns {import("./import.js").Entry} */
function noteEntry(note) {
  return {
    path: note.path || note.title || note.noteId,
    changed: note.updatedAt,
    here: (notes) => notes.all.get(note.noteId) ?? (note.path ? notes.at(note.vault, note.path) : undefined),
    save: (notes, meant) => saveNote(notes, note, meant),
    copy: (notes) => noteEntry({ ...note, noteId: newId(), path: note.path && notes.freePath(note.vault, note.path) }),
  };
}

/** Each with its messages, the oldest first; what is here already stays. @param {any[]} rows @returns {import("./import.js").Entry[]} */
function conversations(rows) {
  const said = Map.groupBy(rows.filter(({ type }) => type === "message"), ({ sessionId }) => sessionId);
  return rows.filter(({ type }) => type === "session").map(({ type: _, ...session }) => ({
    path: `conversation ${session.title}`,
    here: () => undefined,
    save: (notes, { erasure }) => saveConversation(notes.page.api, session, (said.get(session.sessionId) ?? []).map(({ type: __, sessionId: ___, ...message }) => message), erasure),
  }));
}

/** @param {import("./api.js").Api} api @param {any} session @param {any[]} messages @param {string} [erasure] */
async function saveConversation(api, session, messages, erasure) {
  let from = 0;
  do {
    let to = from + 1;
    while (to < messages.length && to - from < AT_ONCE && JSON.stringify(messages.slice(from, to + 1)).length < LONGEST) to++;
    await api.json("POST", "/sessions:import", { session, messages: messages.slice(from, to), erasure });
    from = to;
  } while (from < messages.length);
  return null;
}

/** @param {import("./notes.js").Notes} notes @param {any} note @param {import("./import.js").Meant} meant */
async function saveNote(notes, { revision: _, ...note }, meant) {
  await notes.save({ ...note, ...meant });
  return null;
}

/** @param {import("./api.js").Api} api @param {any} template @param {import("./import.js").Meant} meant */
async function saveTemplate(api, template, meant) {
  const address = `/templates/${encodeURIComponent(template.templateId)}`;
  if (meant.revision === "") {
    const here = await existing(api, address);
    if (here && Object.keys(template).every((name) => name === "path" || String(here[name]) === String(template[name]))) return null;
    if (here) throw new ApiError(409, "another template of this name is here");
  }
  await api.json("PUT", address, { ...template, erasure: meant.erasure });
  return null;
}

/** @param {import("./api.js").Api} api @param {string} address */
async function existing(api, address) {
  try {
    return await api.get(address);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}
