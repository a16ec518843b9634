/** How a question was understood: its time range as a chip that can be taken away. */

import { adviceIn, langOfAdvice } from "../advice.js";
import { dayIn, h, icon } from "../dom.js";

const PREPOSITION = /(?<!\p{L})(?:in|on|at|of|from|during|for|im|am|vom|von|aus|en|el|la|le|du|de|del|pendant|durante)\s*$/iu;
/** What may stand before a time and makes no sense without it. */
const LEADING = new RegExp(`^${PREPOSITION.source.replace("\\s*$", "\\s+")}`, "iu");

/** @param {import("./exchange.js").Exchange} exchange @returns {HTMLElement[]} */
export function understood(exchange) {
  const range = exchange.answer?.query?.timeRange;
  if (!range) return [];
  const lang = langOfAdvice(exchange.answer?.query?.lang);
  const texts = adviceIn(lang);
  const shown = label(range, lang);
  const without = rephrased(exchange.question, range.phrase);
  const remove = h(
    "button",
    {
      type: "button",
      class: "remove",
      "aria-label": texts.withoutTime.replace("{time}", range.phrase),
      title: without ? `${texts.again}: ${without}` : texts.withoutTime.replace("{time}", range.phrase),
      onclick: () => exchange.actions.rephrase(exchange, without ?? exchange.question),
    },
    icon("close"),
  );
  return [h("span", { class: "time" }, icon("clock"), h("span", {}, shown), exchange.running || !without ? null : remove)];
}

/** What the time did to the search. @param {any} range @param {string} lang */
function label(range, lang) {
  const texts = adviceIn(lang);
  const phrase = range.phrase.replace(LEADING, "");
  if (range.widened) return texts.widened.replace("{time}", phrase).replace("{reach}", reach(range.widened, texts));
  const days = words(range, lang);
  const isDate = /\d{4}/.test(phrase) && /^\d/.test(days) && !days.includes("–");
  const time = days === phrase || isDate ? days : `${phrase}: ${days}`;
  return range.restricts ? time : texts.near.replace("{time}", time);
}

/** How far the search went. @param {string} widened "7 days around", or "any time" @param {ReturnType<typeof adviceIn>} texts */
function reach(widened, texts) {
  const days = /^\d+/.exec(widened);
  return days ? texts.daysAround.replace("{days}", days[0]) : texts.anyTime;
}

/** `[start, end)` as days people say. @param {any} range @param {string} lang */
function words({ start, end }, lang) {
  const texts = adviceIn(lang);
  const last = end && new Date(Date.parse(end) - 1).toISOString();
  if (start && last && isYear(new Date(start), new Date(last))) return String(new Date(start).getFullYear());
  if (start && last) return [...new Set([dayIn(start, lang), dayIn(last, lang)])].join(" – ");
  if (start) return texts.since.replace("{day}", dayIn(start, lang));
  return last ? texts.until.replace("{day}", dayIn(last, lang)) : texts.anyTime;
}

/** Whether two days are the first and the last of one year. @param {Date} first @param {Date} last */
function isYear(first, last) {
  const begins = first.getMonth() === 0 && first.getDate() === 1;
  const ends = last.getMonth() === 11 && last.getDate() === 31;
  return begins && ends && first.getFullYear() === last.getFullYear();
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
