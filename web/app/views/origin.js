/** The file that a note came from: where it is, and whether saving writes it. */

import { tried } from "../api.js";
import { button, h } from "../dom.js";
import { chosen } from "../page.js";
import { compared } from "./compare.js";

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
  const question = `This note came from ${fileOf(origin)}. Save it there too? From now on this would hold for every note of ${origin.folder} that you save.`;
  const answer = await chosen(question, [
    ["leave", "Leave the files"],
    ["write", "Write the files"],
  ]);
  return answer ? notes.writeFile(note, answer === "write") : note;
}

/** What saving did to the file. @param {any} note @returns {string} empty: the note has none */
export function becameOf({ origin, path }) {
  if (!origin?.folder) return origin?.reason ? `${origin.reason[0].toUpperCase()}${origin.reason.slice(1)}.` : "";
  const stays = path && path !== origin.path ? ` The file stays at ${origin.path}.` : "";
  if (origin.state === "same") return `The file is saved too.${stays}`;
  if (origin.state === "note") return `The file was not changed.${stays}`;
  return "The file was changed too. Both versions stay until you choose one: open the note to compare them.";
}

/** What deleting does to the file. @param {any} origin @returns {string} */
export function goesWith(origin) {
  if (!origin?.folder) return "It stays in the trash for 30 days.";
  return `It stays in the trash for 30 days. Its file ${origin.writeBack ? "goes with it" : "stays where it is"}.`;
}

const SINCE = { same: "", note: "changed here since", file: "the file has changed since", both: "changed here and in the file" };

const PAGE = /^#+ Page (\d+)[ \t]*$/gm;

/** The last page of a PDF that begins in a text of its note; null without one. @param {string} text @returns {string | null} */
export function pageIn(text) {
  return [...text.matchAll(PAGE)].at(-1)?.[1] ?? null;
}

/**
 * To the PDF that a note came from, at a page; null without one, or if the server cannot reach it.
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
 * What stands for the images of a note: those in its folder are shown, from this machine alone.
 * @param {import("../api.js").Api} api @param {any} note
 */
export function imageOf(api, { noteId, origin }) {
  return (/** @type {string} */ target, /** @type {string} */ alt) => {
    if (!origin?.folder) return h("em", {}, alt || target);
    const src = `${api.base}/documents/${encodeURIComponent(noteId)}?image=${encodeURIComponent(target)}`;
    const missing = () => image.replaceWith(h("em", {}, alt || target));
    const image = h("img", { src, alt, loading: "lazy", onerror: missing });
    return image;
  };
}

/**
 * A line for the reader; null for a note that came from no file.
 * @param {import("../notes.js").Notes} notes @param {any} note
 */
export function originLine(notes, note) {
  const { origin } = note;
  if (!origin?.folder) return origin?.reason ? h("p", { class: "muted origin" }, `In no file: ${origin.reason}.`) : null;
  const since = SINCE[/** @type {keyof typeof SINCE} */ (origin.state)];
  const vault = origin.obsidian && h("a", { href: `obsidian://open?path=${encodeURIComponent(fileOf(origin))}` }, "Open in Obsidian");
  const line = h("p", { class: "muted origin" }, h("span", {}, `From ${fileOf(origin)}`), since && h("span", {}, since), vault);
  const flip = async () => {
    if (!(await mayFlip(origin))) return;
    const changed = await notes.writeFile(note, !origin.writeBack);
    line.replaceWith(originLine(notes, changed) ?? "");
  };
  const settled = async () => {
    const file = (await notes.fileText(note.noteId)).text;
    const decision = file === null ? await chosenWithoutFile() : await compared("The note and its file were both changed. Which one do you want to keep? The other version goes into the trash.", "Later", { name: "The note here", keep: "Keep the note", text: note.text }, { name: "The file", keep: "Keep the file", text: file });
    if (!decision) return;
    if ("text" in decision) await notes.save({ ...note, text: decision.text });
    const take = "side" in decision && decision.side === "theirs" ? "file" : "note";
    await notes.fileText(note.noteId, take);
    dispatchEvent(new HashChangeEvent("hashchange")); // the note is read again
    notes.page.say("text" in decision ? "Note and file both say what you chose." : `The ${take} stays. The other version is in the trash.`);
  };
  if (origin.state === "both") line.append(button("Compare and decide", () => tried(settled, notes.page.tell)));
  const state = origin.writeBack ? "Saving here writes the file too" : "Saving here leaves the file as it is";
  line.append(h("span", {}, state, button("Change…", () => tried(flip, notes.page.tell), { class: "quiet" })));
  return line;
}

/** What stays where the file is gone; null if nobody decided. @returns {Promise<{side: "mine" | "theirs"} | null>} */
async function chosenWithoutFile() {
  const side = await chosen("The note was changed, and its file is gone. Which one counts?", [["", "Later"], ["theirs", "Remove the note too"], ["mine", "Keep the note"]]);
  return side ? { side: /** @type {"mine" | "theirs"} */ (side) } : null;
}

/** Whether what saving does to the files of a folder shall be the other way round. @param {any} origin */
async function mayFlip({ folder, writeBack }) {
  const question = writeBack
    ? `Leave the files of ${folder} as they are from now on? What you save here then stays here.`
    : `Write the files of ${folder} from now on? Saving, moving or deleting a note here then does so with its file too. A file that was changed meanwhile is never overwritten.`;
  return chosen(question, [
    ["", "Cancel"],
    ["yes", writeBack ? "Leave the files" : "Write the files"],
  ]);
}
