/** What becomes of each thing in an import that is here already and says something else. */

import { day, h, plural } from "../dom.js";
import { chosen } from "../page.js";

const CHOICES = /** @type {const} */ ([["skip", "Skip"], ["replace", "Replace"], ["both", "Keep both"]]);

/**
 * Ask for each, or for all; by Escape none is taken.
 * @param {import("../notes.js").Notes} notes @param {import("../import.js").Entry[]} entries
 * @returns {Promise<("skip" | "replace" | "both")[]>} one an entry
 */
export async function decided(notes, entries) {
  const selects = entries.map((entry) => choice(`What to do with ${entry.path}`, !entry.copy));
  const all = choice("For all", entries.some(({ copy }) => !copy));
  all.addEventListener("change", () => {
    for (const select of selects) select.value = all.value;
  });
  const question = `${plural(entries.length, "of them is", "of them are")} here already, with another text. Notes that you replace stay in the trash for 30 days.`;
  const shown = h(
    "div",
    {},
    h("label", { class: "row" }, h("span", {}, "For all"), all),
    h("ul", { class: "decisions" }, entries.map((entry, place) => row(notes, entry, selects[place]))),
  );
  const decision = await chosen(question, [["", "Cancel"], ["yes", "Go on"]], shown);
  return selects.map(({ value }) => (decision === "yes" ? /** @type {any} */ (value) : "skip"));
}

/** @param {string} label @param {boolean} single whether no second one can be beside it */
function choice(label, single) {
  return h("select", { "aria-label": label }, CHOICES.filter(([value]) => value !== "both" || !single).map(([value, words]) => h("option", { value }, words)));
}

/** @param {import("../notes.js").Notes} notes @param {import("../import.js").Entry} entry @param {HTMLElement} select */
function row(notes, entry, select) {
  const here = entry.here(notes)?.updatedAt;
  const dates = [here && `here: ${day(here)}`, entry.changed && `to import: ${day(entry.changed)}`].filter(Boolean).join(" · ");
  return h("li", {}, h("span", {}, h("span", {}, entry.path), h("span", { class: "muted list-facts" }, dates)), select);
}
