/** Everything the user owns, as a file of JSON lines. */

import { ApiError, errorOf } from "./api.js";
import { download } from "./page.js";

/** @param {import("./notes.js").Notes} notes */
export async function exportAll(notes) {
  const name = `aurora-notes-${new Date().toISOString().slice(0, 10)}.ndjson`;
  download(await wholeSpace(notes), name);
}

/** @param {import("./notes.js").Notes} notes @returns {Promise<Blob>} */
async function wholeSpace(notes) {
  try {
    const reply = await notes.page.api.send("GET", "/me:export", { accept: "application/x-ndjson" });
    return await whole(await reply.blob());
  } catch (error) {
    if (!(error instanceof ApiError) || error.reason !== "NO_SUCH_ROUTE") throw error;
    return notesAlone(notes);
  }
}

/** The same, if its last line says that nothing is missing. Throws ApiError. @param {Blob} content */
async function whole(content) {
  const lines = (await content.text()).trimEnd().split("\n");
  const last = JSON.parse(lines[lines.length - 1]);
  if (last.type === "error") throw errorOf(last.error);
  return content;
}

/** Note by note, from a server that has no export. @param {import("./notes.js").Notes} notes */
async function notesAlone(notes) {
  await notes.load();
  const lines = [];
  for (const { noteId } of notes.list) lines.push(`${JSON.stringify(await notes.get(noteId))}\n`);
  return new Blob(lines, { type: "application/x-ndjson" });
}
