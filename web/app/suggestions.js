/** What could be asked of these notes: questions about the latest ones, each of another folder. */

import { folderOf } from "./notes.js";

const MOST = 3;
const LONGEST = 60;
const NAMED = /\p{L}{3}/u;
/** A title that says what its note is about, and is no mere date or number. */

/** @param {any[]} notes the newest first @returns {string[]} none where no note is named */
export function suggestions(notes) {
  const named = notes.filter(({ title, error }) => !error && title.length <= LONGEST && NAMED.test(title));
  const folders = new Set();
  const apart = named.filter((note) => !folders.has(folderOf(note)) && folders.add(folderOf(note)));
  const chosen = [...new Set([...apart, ...named])].slice(0, MOST);
  return chosen.map(({ title }) => `What is in “${title}”?`); // without a word of its own that no note holds
}
