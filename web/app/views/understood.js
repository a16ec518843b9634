/** How a question was understood: its time range as a chip that can be taken away. */

import { day, h, icon } from "../dom.js";

const PREPOSITION = /(?<!\p{L})(?:in|on|at|of|from|during|for|im|am|vom|von|aus|en|el|la|le|du|de|del|pendant|durante)\s*$/iu;
/** What may stand before a time and makes no sense without it. */
const LEADING = new RegExp(`^${PREPOSITION.source.replace("\\s*$", "\\s+")}`, "iu");

/** @param {import("./exchange.js").Exchange} exchange @returns {HTMLElement[]} */
export function understood(exchange) {
  const range = exchange.answer?.query?.timeRange;
  if (!range) return [];
  const shown = label(range);
  const without = rephrased(exchange.question, range.phrase);
  const remove = h(
    "button",
    {
      type: "button",
      class: "remove",
      "aria-label": `Ask again without “${range.phrase}”`,
      title: without ? `Ask again: ${without}` : "Ask again without this time",
      onclick: () => exchange.actions.rephrase(exchange, without ?? exchange.question),
    },
    icon("close"),
  );
  return [h("span", { class: "time" }, icon("clock"), h("span", {}, shown), exchange.running || !without ? null : remove)];
}

/** What the time did to the search. @param {any} range */
function label(range) {
  const phrase = range.phrase.replace(LEADING, "");
  if (range.widened) return `nothing from ${phrase}, searched ${range.widened}`;
  const days = words(range);
  const isDate = /\d{4}/.test(phrase) && /^\d/.test(days) && !days.includes("–");
  const time = days === phrase || isDate ? days : `${phrase}: ${days}`;
  return range.restricts ? time : `near ${time}`;
}

/** `[start, end)` as days people say. @param {any} range */
function words({ start, end }) {
  const last = end && new Date(Date.parse(end) - 1).toISOString();
  if (start && last && day(start).startsWith("1 Jan ") && day(last) === `31 Dec ${day(start).slice(6)}`) return day(start).slice(6);
  if (start && last) return day(start) === day(last) ? day(start) : `${day(start)} – ${day(last)}`;
  if (start) return `since ${day(start)}`;
  return last ? `until ${day(last)}` : "any time";
}

/**
 * The question without its time; null if the phrase does not stand in it, or nothing is left.
 * @param {string} question @param {string} phrase
 */
export function rephrased(question, phrase) {
  const words = phrase.split(" ").map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const found = new RegExp(words.join("\\s+"), "iu").exec(question);
  if (!found) return null;
  const left = question.slice(0, found.index).replace(PREPOSITION, "").trimEnd();
  const right = question.slice(found.index + found[0].length);
  const text = `${left}${/^\s*[?.!,;:]/.test(right) ? right.trimStart() : ` ${right.trimStart()}`}`.trim().replace(/^[,;:]\s*/, "");
  return /\p{L}{2}/u.test(text) ? text[0].toUpperCase() + text.slice(1) : null;
}
