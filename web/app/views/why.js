/** "Why this answer": every candidate with its score as a bar, and why it is in or out. */

import { tried } from "../api.js";
import { day, h, iconButton, plural } from "../dom.js";
import { headingsOf, withoutMarks } from "../render.js";
import { format, here } from "../router.js";

const POOL = 100;
const NOTES = 20;
/** Notes explained by one request. */
const LEGS = /** @type {const} */ (["vector", "keyword", "recency"]);
const WORDS = { vector: "meaning", keyword: "words", recency: "time" };

/**
 * @param {import("../page.js").Page} page @param {import("./exchange.js").Exchange} exchange
 * @param {() => void} close
 */
export function whyPanel(page, exchange, close) {
  const body = h("div", { class: "why" }, h("p", { class: "muted" }, "Looking again…"));
  const panel = h(
    "section",
    { class: "panel", "aria-label": "Why this answer" },
    h("header", { class: "panel-head" }, h("h2", { tabindex: "-1" }, "Why this answer"), iconButton("close", "Close", close)),
    body,
  );
  void tried(
    async () => body.replaceChildren(...contents(exchange, await explain(page, exchange))),
    ({ message }) => body.replaceChildren(h("p", { class: "notice bad", role: "alert" }, message)),
  );
  return panel;
}

/** @param {import("../page.js").Page} page @param {import("./exchange.js").Exchange} exchange */
async function explain(page, exchange) {
  const asked = /** @type {any} */ (exchange.asked);
  const { timeZone, filters } = { ...page.settings.search(), ...asked };
  const strategy = asked.strategy ?? exchange.settings.strategy ?? page.settings.now.strategy;
  const common = { query: exchange.question, timeZone, strategy, ...(filters ? { filters } : {}) };
  const pool = await page.api.json("POST", "/search", { ...common, k: POOL });
  const noteIds = [...new Set(pool.results.map((row) => row.noteId))];
  const k = exchange.answer?.meta?.retrieval?.k ?? asked.topK ?? 8;
  const explained = { notes: /** @type {any[]} */ ([]), keywords: pool.meta.query.keywords };
  for (let from = 0; from < noteIds.length; from += NOTES) {
    const body = { ...common, k, threshold: asked.threshold ?? exchange.settings.threshold ?? 0, noteIds: noteIds.slice(from, from + NOTES) };
    const { notes } = await page.api.json("POST", "/search:explain", body);
    explained.notes.push(...notes);
  }
  return explained;
}

/** @param {import("./exchange.js").Exchange} exchange @param {any} explained */
function contents(exchange, explained) {
  const cited = new Map(exchange.cited.map((each) => [each.chunkId, each.number]));
  const rows = explained.notes.flatMap((note) => note.chunks).filter((row) => row.candidate);
  rows.sort((one, other) => other.score - one.score);
  const best = Math.max(...rows.map((row) => row.score), 1e-9);
  const { keywords } = explained;
  return [
    h("p", {}, `Considered: ${plural(rows.length, "passage")}. Read for the answer: ${rows.filter((row) => row.inResult).length}.`),
    h("p", { class: "muted" }, keywords.length ? `Words looked for: ${keywords.join(", ")}` : "No words to look for: the question was matched by meaning and time."),
    h("p", { class: "legend", "aria-hidden": "true" }, LEGS.map((leg) => h("span", { class: `key ${leg}` }, WORDS[leg]))),
    h("ol", { class: "bars" }, rows.map((row) => bar(row, best, cited.get(row.chunkId)))),
  ];
}

/** @param {any} row @param {number} best @param {number | undefined} number of the citation */
function bar(row, best, number) {
  const parts = LEGS.map((leg) => {
    const part = h("span", { class: `part ${leg}` });
    part.style.setProperty("width", `${(100 * row.legs[leg].adds) / best}%`);
    return part;
  });
  const terms = LEGS.map((leg) => `${WORDS[leg]} ${row.legs[leg].score.toFixed(2)} × ${row.legs[leg].weight}`);
  const told = terms.join(" + ");
  const fate = number ? `cited as ${number}` : row.inResult ? "read for the answer" : (row.detail ?? "left out");
  return h(
    "li",
    { class: row.inResult ? "in" : "out" },
    h("a", { href: format({ ...here(), note: row.noteId, at: row.span }) }, withoutMarks(row.title) || "Untitled"),
    h("span", { class: "muted" }, row.headingPath ? ` ${headingsOf(row.headingPath).join(" > ")} · ` : " ", h("span", { class: "nowrap" }, day(row.createdAt))),
    h("div", { class: "bar", role: "img", "aria-label": `Score ${row.score.toFixed(2)}: ${told}` }, parts),
    h("p", { class: "muted sum" }, h("strong", {}, row.score.toFixed(2)), terms.map((term, place) => [place ? " + " : " = ", h("span", { class: "nowrap" }, term)])),
    h("p", { class: "fate" }, fate),
  );
}
