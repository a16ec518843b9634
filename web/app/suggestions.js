/** What could be asked of these notes: what their headings ask and what a month brought, where the notes answer it. */

import { tried } from "./api.js";
import { blocks, bodyStart } from "./markdown.js";
import { folderOf } from "./notes.js";
import { headingsOf, plain } from "./render.js";

const MOST = 3;
const READ = 24;
/** Notes read at most to find questions. */
const LONGEST = 90;
const TRIED = 6;
/** Questions that are tried at most before some are shown. */
const NEAR = 3;
const MONTH = new Intl.DateTimeFormat("en", { month: "long", year: "numeric" });

const TEMPLATES = /(?:^|\/)_?templates?\//i;
const PLACEHOLDER = /\{\{|<%|\$\{/;
/** What a template holds where its text is to come. */
const NAMED = /\p{L}{3}/u;
const RAW = /[_{}<>|]|\.\w{2,4}$|^(?:untitled|new note|\d)/i;
/** What programs name notes: file names, dates, numbers. */
const ASKS = /^(?:what|why|how|when|where|who|which) \p{L}/iu;
const DECIDED = /^decisions?$/i;
const HOW_TO = /^how to (?=\p{L}+ \p{L})/iu;
/** A heading that names something to do: it is asked for in one's own words. */
const POINTS_BACK = /\b(?:[Tt]his|[Tt]hese|[Ii]t|[Tt]hey|[Tt]hem)\b/;
/** What means something only below its own heading. In capitals it may be a name: IT is a department. */
const TELLS = /^\S+ (?:I|we|you|he|she|the|an?|our|your|my|to)\b/i;
/** "Who we are" tells, "Who are we" asks. */
const FEWEST_WORDS = 4;
/** Words of a question that says what it is about: "Still have questions?" does not. */

/** A question, and the note that asks it; null: several. @typedef {{question: string, noteId: string | null}} Candidate */
/** Whether the notes answer a question, as it was found out on this page. @type {Map<string, boolean>} */
const known = new Map();

/**
 * Of the latest notes, first of each folder, and of the latest month in which several were written.
 * @param {import("./notes.js").Notes} notes @returns {Promise<string[]>} at most three; none where no note is fit to be asked about
 */
export async function suggestions(notes) {
  known.clear(); // other notes may answer other questions
  const now = new Date().toISOString();
  const written = notes.sorted("newest").filter((note) => !note.error && !TEMPLATES.test(note.path));
  const folders = new Set();
  const apart = written.filter((note) => !folders.has(folderOf(note)) && folders.add(folderOf(note)));
  const month = monthly(written.filter((note) => note.createdAt <= now));
  const texts = await textsOf(notes.page.api, [...new Set([...apart, ...written])].slice(0, READ));
  const first = texts.flatMap((note) => questionsOf(note).slice(0, 1));
  const monthlyAnswered = await answeredOf(notes.page.api, month ? [{ question: month, noteId: null }] : [], 1);
  const others = await answeredOf(notes.page.api, first, MOST - monthlyAnswered.length);
  return [...new Set([...others, ...monthlyAnswered])];
}

/** @param {import("./api.js").Api} api @param {{noteId: string}[]} notes @returns {Promise<any[]>} those that can be read, with their texts */
async function textsOf(api, notes) {
  const read = await Promise.all(notes.map(({ noteId }) => tried(() => api.get(`/notes/${encodeURIComponent(noteId)}`))));
  return read.filter(Boolean);
}

/**
 * Other questions of the notes that an answer cites.
 * @param {import("./api.js").Api} api @param {any[]} citations @param {string} question that was asked
 * @returns {Promise<string[]>} at most three
 */
export async function related(api, citations, question) {
  const cited = [...new Map(citations.map((citation) => [citation.noteId, citation])).values()].slice(0, MOST);
  const texts = await textsOf(api, cited);
  const read = citations.flatMap(({ headingPath }) => headingsOf(headingPath ?? "").slice(-1));
  const all = texts.map((note) => questionsOf(note, read).filter((candidate) => candidate.question !== question));
  const inTurn = Array.from({ length: MOST }, (_, place) => all.map((candidates) => candidates[place])).flat();
  return answeredOf(api, inTurn.filter(Boolean), MOST);
}

/**
 * What its headings ask, each with where it asks: a question as it stands, the decision of a meeting, what went well.
 * @param {any} note @param {string[]} [read] headings left out @returns {Candidate[]}
 */
function questionsOf({ noteId, title, text }, read = []) {
  if (PLACEHOLDER.test(text)) return [];
  const found = blocks(text, { from: bodyStart(text) });
  const answered = found.flatMap((block, place) => (block.type === "heading" && (found[place + 1]?.type ?? "heading") !== "heading" ? [plain(block.children)] : []));
  const asked = [title, ...answered].filter((heading) => !read.includes(heading)).map((heading) => questionOf(heading, title));
  return asked.filter((question) => question && question.length <= LONGEST).map((question) => ({ question, noteId }));
}

/** Empty: a heading that asks nothing. @param {string} heading @param {string} title of its note */
export function questionOf(heading, title) {
  if (POINTS_BACK.test(heading)) return "";
  if (heading.endsWith("?")) return heading.split(/\s+/).length < FEWEST_WORDS ? "" : heading;
  if (HOW_TO.test(heading)) return `${heading.replace(HOW_TO, "How do I ").replace(/[.!:]+$/, "")}?`;
  if (heading === title || !fit(title)) return "";
  if (DECIDED.test(heading)) return `${title}: what was decided?`;
  return ASKS.test(heading) && !TELLS.test(heading) ? `${title}: ${heading[0].toLowerCase()}${heading.slice(1).replace(/[.!:]+$/, "")}?` : "";
}

/** Those that these notes answer: the passage that is asked about is among the first that are found. @param {import("./api.js").Api} api @param {Candidate[]} candidates @param {number} most */
async function answeredOf(api, candidates, most) {
  const answered = [];
  for (const { question, noteId } of candidates.slice(0, TRIED)) {
    if (answered.length === most) break;
    if (!known.has(question)) {
      const found = await tried(() => api.json("POST", "/search", { query: question, k: NEAR }));
      const rows = (found?.results ?? []).filter((row) => row.scores.keyword > 0 || noteId === null);
      known.set(question, noteId === null ? rows.length > 1 : rows.some((row) => row.noteId === noteId));
    }
    if (known.get(question)) answered.push(question);
  }
  return answered;
}

/** @param {string} name */
function fit(name) {
  return NAMED.test(name) && !RAW.test(name);
}

/** The latest month with notes of several days; of one day alone are notes that were all brought in then. @param {any[]} notes the newest first */
export function monthly(notes) {
  const dates = new Set(notes.map(({ createdAt }) => createdAt.slice(0, 10)));
  const months = [...dates].map((date) => date.slice(0, 7));
  const month = months.find((candidate, position) => months.indexOf(candidate, position + 1) > position);
  return month ? `What happened in ${MONTH.format(new Date(`${month}-15`))}?` : null;
}
