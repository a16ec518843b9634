/** What the user owns, as a file: everything as JSON lines, or the notes as a zip of Markdown. */

import { ApiError, errorOf } from "./api.js";
import { download } from "./page.js";

const ANY = new Array(16).fill(null);
const ZIP_END = [0x50, 0x4b, 0x05, 0x06, ...ANY, 0, 0];
/** How a zip without a comment ends; null: whatever it counts there. */

/** @param {import("./notes.js").Notes} notes */
export async function exportAll(notes) {
  const reply = await notes.page.api.send("GET", "/me:export", { accept: "application/x-ndjson" });
  download(await whole(await received(reply)), named("ndjson"));
}

/** @param {import("./notes.js").Notes} notes */
export async function exportMarkdown(notes) {
  const reply = await notes.page.api.send("GET", "/me:export?format=markdown", { accept: "application/zip" });
  const content = await received(reply);
  const end = new Uint8Array(await content.slice(-ZIP_END.length).arrayBuffer());
  if (ZIP_END.some((byte, place) => byte !== null && byte !== end[place])) throw new ApiError(0, "The export broke off.");
  download(content, named("zip"));
}

/** Throws ApiError. @param {Response} reply */
async function received(reply) {
  try {
    return await reply.blob();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new ApiError(0, "The export broke off.");
  }
}

/** @param {string} kind */
function named(kind) {
  return `aurora-notes-${new Date().toISOString().slice(0, 10)}.${kind}`;
}

/** The same, if its last line says that nothing is missing. Throws ApiError. @param {Blob} content */
async function whole(content) {
  const lines = (await content.text()).trimEnd().split("\n");
  const last = JSON.parse(lines[lines.length - 1]);
  if (last.type === "error") throw errorOf(last.error);
  if (last.type !== "end") throw new ApiError(0, "The export broke off.");
  return content;
}
