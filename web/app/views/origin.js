/** The file that a note came from: where it is, and whether saving writes it. */

import { button, h } from "../dom.js";
import { chosen } from "../page.js";

/** @param {any} origin of the wire, with a folder @returns {string} */
function fileOf(origin) {
  return `${origin.folder}/${origin.path}`;
}

/**
 * A saved note, with its file written too where its owner wants that; asked once for each folder.
 * @param {import("../notes.js").Notes} notes @param {any} note @returns {Promise<any>} as it is then
 */
export async function withFile(notes, note) {
  const { origin } = note;
  if (!origin?.folder || origin.writeBack !== null || origin.state !== "note") return note;
  const question = `This note came from ${fileOf(origin)}. Write it there too, as from now on every note of ${origin.folder} that you save?`;
  const answer = await chosen(question, [
    ["leave", "Leave the files"],
    ["write", "Write the files"],
  ]);
  return answer ? notes.writeFile(note, answer === "write") : note;
}

/** What saving did to the file. @param {any} note @returns {string} empty: the note has none */
export function becameOf({ origin, path }) {
  if (!origin?.folder) return origin?.reason ? `${origin.reason[0].toUpperCase()}${origin.reason.slice(1)}.` : "";
  const stays = path && path !== origin.path ? ` Its file stays at ${origin.path}.` : "";
  if (origin.state === "same") return `Its file says the same.${stays}`;
  if (origin.state === "note") return `Its file stays as it is.${stays}`;
  return "Its file was changed too: both stay until “aurora index --take” decides.";
}

/** What deleting does to the file. @param {any} origin @returns {string} */
export function goesWith(origin) {
  if (!origin?.folder) return "It stays in the trash for 30 days.";
  return `It stays in the trash for 30 days. Its file ${origin.writeBack ? "goes with it" : "stays where it is"}.`;
}

const SINCE = { same: "", note: "changed here since", file: "the file has changed since", both: "changed here and in the file" };

const PAGE = /^#+ Page (\d+)[ \t]*$/gm;

/** The last page of a PDF that begins in a text of its note; null: none. @param {string} text @returns {string | null} */
export function pageIn(text) {
  return [...text.matchAll(PAGE)].at(-1)?.[1] ?? null;
}

/**
 * To the PDF that a note came from, at a page; null: there is none, or the server cannot reach it.
 * @param {import("../api.js").Api} api @param {any} note @param {string | null} page
 */
export function documentLink(api, note, page) {
  const { origin } = note;
  if (!origin?.folder || !/\.pdf$/i.test(origin.path)) return null;
  const href = `${api.base}/documents/${encodeURIComponent(note.noteId)}${page ? `#page=${page}` : ""}`;
  const words = `Open ${page ? `page ${page} of ` : ""}${origin.path.split("/").at(-1)}`;
  return h("a", { class: "button", href, target: "_blank", rel: "noopener noreferrer" }, words);
}

/**
 * A line for the reader; null for a note that came from no file.
 * @param {import("../notes.js").Notes} notes @param {any} note
 */
export function originLine(notes, note) {
  const { origin } = note;
  if (!origin?.folder) return origin?.reason ? h("p", { class: "muted origin" }, `In no file: ${origin.reason}.`) : null;
  const since = SINCE[/** @type {keyof typeof SINCE} */ (origin.state)];
  const line = h("p", { class: "muted origin" }, h("span", {}, `From ${fileOf(origin)}`), since && h("span", {}, since));
  const toggle = async () => {
    const changed = await notes.writeFile(note, !origin.writeBack);
    line.replaceWith(originLine(notes, changed) ?? "");
  };
  line.append(button(`${origin.writeBack ? "Leave" : "Write"} the files of this folder`, toggle, { class: "quiet" }));
  return line;
}
