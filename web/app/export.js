/** Everything the user owns, as a file of JSON lines. */

import { ApiError, errorOf } from "./api.js";
import { download } from "./page.js";

/** @param {import("./notes.js").Notes} notes */
export async function exportAll(notes) {
  const name = `aurora-notes-${new Date().toISOString().slice(0, 10)}.ndjson`;
  const reply = await notes.page.api.send("GET", "/me:export", { accept: "application/x-ndjson" });
  download(await whole(await reply.blob()), name);
}

/** The same, if its last line says that nothing is missing. Throws ApiError. @param {Blob} content */
async function whole(content) {
  const lines = (await content.text()).trimEnd().split("\n");
  const last = JSON.parse(lines[lines.length - 1]);
  if (last.type === "error") throw errorOf(last.error);
  if (last.type !== "end") throw new ApiError(0, "The export broke off.");
  return content;
}
