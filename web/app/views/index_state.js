/** How far the index has followed one note, live. */

import { ApiError } from "../api.js";
import { h } from "../dom.js";

const SOON = 300;
const LATER = 3000;
const PATIENCE = 10_000;
/** Milliseconds of looking often; after that, now and then. */

/**
 * A line that says "indexed", "indexing" or "failed: why", and goes on looking until it is settled or taken away.
 * @param {import("../notes.js").Notes} notes @param {string} noteId
 */
export function indexState(notes, noteId) {
  const line = h("span", { class: "index-state", role: "status", dataset: { state: "unknown" } }, "…");
  void watch(notes, noteId, line);
  return line;
}

/** @param {import("../notes.js").Notes} notes @param {string} noteId @param {HTMLElement} line */
async function watch(notes, noteId, line) {
  const since = Date.now();
  for (;;) {
    const wait = Date.now() - since < PATIENCE ? SOON : LATER;
    try {
      const [state, text] = words(await notes.status(noteId));
      show(line, state, text);
      if (state !== "indexing") return;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      show(line, "unknown", error.unreachable ? "index state unknown: no connection" : error.message);
      if (!error.unreachable) return;
    }
    await new Promise((resolve) => setTimeout(resolve, wait));
    if (!line.isConnected) return;
  }
}

/** Said once, not at every look. @param {HTMLElement} line @param {string} state @param {string} text */
function show(line, state, text) {
  line.dataset.state = state;
  if (line.textContent !== text) line.textContent = text;
}

/** @param {any} status of the wire @returns {["indexed" | "indexing" | "failed", string]} */
function words(status) {
  const waits = status.status === "pending_embeddings" && status.error;
  if (!status.current) return ["indexing", waits ? `waits to be indexed: ${status.error}` : "indexing…"];
  if (waits) return ["indexing", `found by words; vectors wait: ${status.error}`];
  if (status.status === "failed") return ["failed", `failed: ${status.error ?? "unknown"}`];
  if (status.status === "pending_embeddings") return ["indexing", "found by words; vectors follow"];
  return ["indexed", "indexed"];
}
