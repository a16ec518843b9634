/** How a question was understood: its time range as a chip that can be taken away. */

import { day, h, icon } from "../dom.js";

const PREPOSITION = /(?<!\p{L})(?:in|on|at|of|from|during|for|im|am|vom|von|aus|en|el|la|le|du|de|del|pendant|durante)\s*$/iu;
/** What may stand before a time and makes no sense without it. */

/** @param {import("./exchange.js").Exchange} exchange @returns {HTMLElement[]} */
export function understood(exchange) {
  const range = exchange.answer?.query?.timeRange;
  if (!range) return [];
  const shown = `${range.restricts ? "restricted to" : "ordered by"} ${range.phrase}: ${words(range)}`;
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

/** `[start, end)` as days people say. @param {any} range */
function words({ start, end }) {
  const last = end && new Date(Date.parse(end) - 1).toISOString();
  if (start && last) return day(start) === day(last) ? day(start) : `${day(start)} – ${day(last)}`;
  if (start) return `since ${day(start)}`;
  return last ? `until ${day(last)}` : "any time";
}

/**
 * The question without its time; null if the phrase does not stand in it, or nothing is left.
 * @param {string} question @param {string} phrase
 */
export function rephrased(question, phrase) {
  const place = question.toLowerCase().indexOf(phrase.toLowerCase());
  if (place === -1) return null;
  const left = question.slice(0, place).replace(PREPOSITION, "").trimEnd();
  const right = question.slice(place + phrase.length);
  const text = `${left}${/^\s*[?.!,;:]/.test(right) ? right.trimStart() : ` ${right.trimStart()}`}`.trim().replace(/^[,;:]\s*/, "");
  return /\p{L}{2}/u.test(text) ? text[0].toUpperCase() + text.slice(1) : null;
}
