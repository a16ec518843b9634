/** What could be asked of these notes: questions made from their headings and dates. */

import { tried } from "./api.js";
import { blocks, bodyStart } from "./markdown.js";
import { folderOf } from "./notes.js";
import { plain } from "./render.js";

const MOST = 3;
const READ = 8;
/** Notes read at most to find questions. */
const LONGEST = 60;
const MONTH = new Intl.DateTimeFormat("en", { month: "long", year: "numeric" });

const TEMPLATES = /(?:^|\/)_?templates?\//i;
const PLACEHOLDER = /\{\{|<%|\$\{/;
/** What a template holds where its text is to come. */
const NAMED = /\p{L}{3}/u;
const RAW = /[_{}<>|]|\.\w{2,4}$|^(?:untitled|new note|\d)/i;
/** What programs name notes: file names, dates, numbers. */

/**
 * About the latest notes, each of another folder, and the latest month in which several were written.
 * @param {import("./notes.js").Notes} notes @returns {Promise<string[]>} at most three; none where no note is fit to be asked about
 */
export async function suggestions(notes) {
  const now = new Date().toISOString();
  const written = notes.sorted("newest").filter((note) => !note.error && !TEMPLATES.test(note.path));
  const folders = new Set();
  const apart = written.filter((note) => !folders.has(folderOf(note)) && folders.add(folderOf(note)));
  const month = monthly(written.filter((note) => note.createdAt <= now));
  const texts = await textsOf(notes.page.api, [...new Set([...apart, ...written])].slice(0, READ));
  const byHeading = texts.sort((one, other) => Number(headed(other)) - Number(headed(one)));
  const found = new Set(byHeading.flatMap((note) => questionsOf(note).slice(0, 1)));
  return [...[...found].slice(0, MOST - (month ? 1 : 0)), ...(month ? [month] : [])];
}

/** @param {import("./api.js").Api} api @param {{noteId: string}[]} notes @returns {Promise<any[]>} those that can be read, with their texts */
async function textsOf(api, notes) {
  const read = await Promise.all(notes.map(({ noteId }) => tried(() => api.get(`/notes/${encodeURIComponent(noteId)}`))));
  return read.filter(Boolean);
}

/** @param {{text: string}} note whether it has a heading below its title */
function headed({ text }) {
  return /^##/m.test(text);
}

/**
 * Other questions of the notes that an answer cites.
 * @param {import("./api.js").Api} api @param {any[]} citations @param {string} question that was asked
 * @returns {Promise<string[]>} at most three
 */
export async function related(api, citations, question) {
  const cited = [...new Map(citations.map((citation) => [citation.noteId, citation])).values()].slice(0, MOST);
  const texts = await textsOf(api, cited);
  const read = citations.map(({ headingPath }) => (headingPath ?? "").split(" > ").at(-1).replace(/^#+ /, ""));
  const all = texts.map((note) => questionsOf(note, read).filter((each) => each !== question));
  const inTurn = Array.from({ length: MOST }, (_, place) => all.map((each) => each[place])).flat();
  return [...new Set(inTurn.filter(Boolean))].slice(0, MOST);
}

/** Its headings as questions; without headings, its title as one. @param {any} note @param {string[]} [read] headings left out */
function questionsOf({ title, text }, read = []) {
  const found = blocks(text, { from: bodyStart(text) });
  if (PLACEHOLDER.test(text) || found.every(({ type }) => type === "heading")) return [];
  const headings = found.flatMap((block, place) => (block.type === "heading" && (found[place + 1]?.type ?? "heading") !== "heading" ? [plain(block.children)] : []));
  const own = headings.filter((heading) => heading !== title && !read.includes(heading) && fit(heading));
  const named = own.map((heading) => (heading.split(/\s+/).length > 2 ? heading : fit(title) ? `${heading} in ${title}` : ""));
  const subjects = headings.some((heading) => heading !== title) ? named : [fit(title) ? title : ""];
  return subjects.filter((subject) => subject && subject.length <= LONGEST).map((subject) => `What is there about ${subject.replace(/[.?!:]+$/, "")}?`);
}

/** @param {string} name */
function fit(name) {
  return NAMED.test(name) && !RAW.test(name);
}

/** @param {any[]} notes the newest first */
function monthly(notes) {
  const counts = new Map();
  for (const { createdAt } of notes) counts.set(createdAt.slice(0, 7), (counts.get(createdAt.slice(0, 7)) ?? 0) + 1);
  const [month] = [...counts].find(([, count]) => count > 1) ?? [];
  return month ? `What happened in ${MONTH.format(new Date(`${month}-15`))}?` : null;
}
