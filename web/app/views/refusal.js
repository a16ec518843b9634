/** What a reader gets in place of an answer: the reason, what came nearest, and one thing to do. */

import { adviceIn } from "../advice.js";
import { button, day, h } from "../dom.js";
import { withoutMarks } from "../render.js";
import { go } from "../router.js";
import { rephrased } from "./understood.js";

const UNRELATED = 0.1;
/** Meaning, from 0 to 1, up to which two texts of different things come near one another by chance. */

/** @param {import("./exchange.js").Exchange} exchange */
export function refusalBox(exchange) {
  const answer = /** @type {import("../answer.js").Answer} */ (exchange.answer);
  const { reason, lang } = answer.meta.refusal;
  const passages = answer.meta.refusal.nearest;
  const nearest = reason === "no_candidates" ? passages.filter(isNear) : passages; // others are what the reason speaks of
  const advice = adviceIn(lang);
  return h(
    "div",
    { class: "refusal" },
    h("p", { class: "refusal-reason" }, answer.meta.refusal.told ?? answer.text),
    nearest.length ? h("h3", {}, advice.nearest) : null,
    nearest.length ? h("ul", { class: "nearest" }, nearest.slice(0, 3).map((row) => near(row, exchange))) : null,
    suggestion(reason, advice, exchange),
  );
}

/** Whether a passage has anything to do with the question: by a word, or by what it means. @param {any} row */
function isNear({ scores }) {
  return scores.keyword > 0 || scores.vector > UNRELATED;
}

/** @param {any} row @param {import("./exchange.js").Exchange} exchange */
function near(row, exchange) {
  const open = () => exchange.actions.open(row.noteId, row.quoteSpan ?? row.span);
  return h(
    "li",
    {},
    button(withoutMarks(row.title) || "Untitled", open, { class: "link" }),
    h("span", { class: "muted" }, ` ${day(row.createdAt)}`),
    h("p", { class: "snippet" }, row.snippet),
  );
}

/** @param {string} label @param {() => void} onclick */
function next(label, onclick) {
  return button(label, onclick, { class: "suggestion" });
}

/** One thing to do next. @param {string} reason @param {ReturnType<typeof adviceIn>} advice in the question's language @param {import("./exchange.js").Exchange} exchange */
function suggestion(reason, advice, exchange) {
  const again = (changes) => () => exchange.actions.rephrase(exchange, exchange.question, changes);
  if (reason === "no_notes") return next(advice.addNotes, () => go({ view: "notes" }));
  if (reason === "index_pending") return next(advice.again, again({}));
  const asked = /** @type {any} */ (exchange.asked);
  const phrase = exchange.answer?.query?.timeRange?.phrase;
  const timeless = phrase && rephrased(exchange.question, phrase);
  if (timeless) return next(advice.withoutTime.replace("{time}", phrase), () => exchange.actions.rephrase(exchange, timeless));
  const { windowDays, ...places } = asked.filters ?? {};
  if (windowDays) return next(advice.allTimes, again({ filters: places }));
  if (Object.keys(places).length) return next(advice.allNotes, again({ filters: {} }));
  if ((asked.threshold ?? exchange.settings.threshold ?? 0) > 0) return next(advice.noThreshold, again({ threshold: 0 }));
  if (reason === "no_candidates") return examples(advice.examples, exchange);
  return h("p", { class: "suggestion" }, advice.otherWords);
}

/** What can be asked, where no note is near the question. @param {string} words @param {import("./exchange.js").Exchange} exchange */
function examples(words, exchange) {
  const { examples, rephrase } = exchange.actions;
  const example = (text) => button(text, () => rephrase(exchange, text), { class: "example" });
  return h(
    "div",
    {},
    h("p", { class: "suggestion" }, words),
    h("div", { class: "examples" }, examples().map(example)),
  );
}
