/** Two versions of a text side by side: one of them stays, or at each difference the lines of either. */

import { h, plural } from "../dom.js";
import { pieces } from "../diff.js";
import { chosen } from "../page.js";

const AROUND = 2;
/** Lines that both have, shown before and after a difference. */

/**
 * @typedef {object} Version
 * @property {string} name like "The file"
 * @property {string} keep what the button says
 * @property {string} text
 */

/**
 * What stays: a side, or lines of both; null if nobody decided.
 * @param {string} question @param {string} later what the button says that decides nothing @param {Version} mine @param {Version} theirs
 * @param {string[]} facts what differs beside the text
 * @returns {Promise<{side: "mine" | "theirs"} | {text: string} | null>}
 */
export async function compared(question, later, mine, theirs, facts = []) {
  const found = pieces(mine.text, theirs.text);
  const choices = /** @type {Map<import("../diff.js").Piece, HTMLInputElement[]>} */ (new Map());
  let count = 0;
  const parts = found.map((piece, place) => {
    if ("same" in piece) return context(piece.same, place === 0, place === found.length - 1);
    count += 1;
    const [section, inputs] = difference(count, piece, mine.name, theirs.name);
    choices.set(piece, inputs);
    return section;
  });
  const shown = h(
    "div",
    { class: "differences" },
    facts.map((fact) => h("p", { class: "muted" }, fact)),
    h("p", { class: "muted" }, count ? `${plural(count, "difference")}. Choose for each of them what to keep, or keep one version whole.` : "The texts are the same."),
    parts,
  );
  const options = /** @type {[string, string][]} */ ([["", later], ["theirs", theirs.keep], ["mine", mine.keep]]);
  if (count) options.push(["mixed", "Keep what is chosen"]);
  const decision = await chosen(question, options, shown);
  if (decision === "mixed") return { text: found.flatMap((piece) => ("same" in piece ? piece.same : linesOf(piece, choices.get(piece) ?? []))).join("\n") };
  return decision ? { side: /** @type {"mine" | "theirs"} */ (decision) } : null;
}

/** @param {{mine: string[], theirs: string[]}} piece @param {HTMLInputElement[]} inputs */
function linesOf({ mine, theirs }, inputs) {
  const side = inputs.find(({ checked }) => checked)?.value;
  if (side === "theirs") return theirs;
  return side === "both" ? [...mine, ...theirs] : mine;
}

/** Lines that both have, without those far from any difference. @param {string[]} lines @param {boolean} first @param {boolean} last */
function context(lines, first, last) {
  const before = first ? [] : lines.slice(0, AROUND);
  const after = last ? [] : lines.slice(Math.max(before.length, lines.length - AROUND));
  const left = lines.length - before.length - after.length;
  const shown = [...before, ...(left ? [`… ${plural(left, "line")} that both have …`] : []), ...after];
  return h("pre", { class: "context muted" }, shown.join("\n"));
}

/** @param {number} number @param {{mine: string[], theirs: string[]}} piece @param {string} mine @param {string} theirs @returns {[HTMLElement, HTMLInputElement[]]} */
function difference(number, piece, mine, theirs) {
  const option = (/** @type {string} */ value, /** @type {string} */ words) => h("input", { type: "radio", name: `difference-${number}`, value, checked: value === "mine", "aria-label": words });
  const inputs = [option("mine", mine), option("theirs", theirs), option("both", "Both")];
  const lines = (/** @type {string[]} */ side) => h("pre", { tabindex: "0" }, side.length ? side.flatMap((line) => [h("mark", {}, line || " "), "\n"]) : h("em", { class: "muted" }, "(nothing)"));
  const side = (/** @type {HTMLInputElement} */ input, /** @type {string} */ name, /** @type {string[]} */ text) => h("div", {}, h("label", { class: "choice" }, input, name), lines(text));
  const section = h(
    "section",
    { "aria-label": `Difference ${number}` },
    h("div", { class: "sides" }, side(inputs[0], mine, piece.mine), side(inputs[1], theirs, piece.theirs)),
    h("label", { class: "choice" }, inputs[2], "Both, one below the other"),
  );
  return [section, inputs];
}
