/** One question and its answer, as they come about. */

import { chip, linked, listed, sourceList, standing } from "../citations.js";
import { button, framed, h, iconButton, plural } from "../dom.js";
import { refill, unpressed } from "../redraw.js";
import { render } from "../render.js";
import { Pointers } from "./note_links.js";
import { refusalBox } from "./refusal.js";
import { understood } from "./understood.js";

const PHASES = { waiting: "Asking…", searching: "Searching your notes…", writing: "Writing…" };

const WITHDRAWN = /** @type {Readonly<Record<string, string>>} */ ({
  writer_failed: "The model stopped before it had finished. Your notes are quoted instead.",
  refused: "The first draft was withdrawn: your notes do not back it.",
});

const SHOWN = 300;
const LINES = 4;
/** Characters and lines of a question that are shown before it is opened. */
const MAX_WITHOUT = 30;
/** Notes that one request can leave out; the last ones that were switched off. */
const LONGEST_TITLE = 200;
const MARKER = /\[N\d{1,3}(?:\s*,\s*N\d{1,3})*\]/g;

/**
 * @typedef {object} Actions what can be done with an exchange; each gets the exchange
 * @property {(exchange: Exchange) => void} retry
 * @property {(exchange: Exchange, question: string, changes?: object) => void} rephrase
 * @property {(exchange: Exchange) => void} why
 * @property {(exchange: Exchange, rating: "up" | "down" | null) => void} rate
 * @property {(noteId: string, span: any) => void} open
 * @property {(exchange: Exchange) => void} save the answer as a note
 * @property {(text: string) => void} say
 * @property {() => string[]} examples questions that can be asked
 * @property {(() => void) | null} settings where a model can be chosen; null: it cannot be
 */

export class Exchange {
  /**
   * @param {string} question @param {string} requestId @param {import("../citations.js").Card} card
   * @param {Actions} actions
   */
  constructor(question, requestId, card, actions) {
    this.question = question;
    this.requestId = requestId;
    this.card = card;
    this.actions = actions;
    /** @type {import("../answer.js").Answer | null} */
    this.answer = null;
    /** What was asked for beside the question, for asking again alike. @type {any} */
    this.asked = {};
    /** As they were when it was asked on this page; those of an older question are not known. @type {Partial<import("../settings.js").Settings>} */
    this.settings = {};
    /** @type {"up" | "down" | null} */
    this.rating = null;
    /** @type {string | null} */
    this.messageId = null;
    this.chips = h("div", { class: "understood" });
    this.body = h("div", { class: "answer prose" });
    this.status = h("p", { class: "status muted" });
    this.after = h("div");
    this.element = h(
      "article",
      { class: "exchange" },
      folded(question),
      this.chips,
      this.status,
      this.body,
      this.after,
    );
    this.related = h("div", { class: "related" });
    /** @type {string[]} */
    this.drawn = [];
    this.links = new Pointers(card.api);
    this.followed = false;
    this.visited = false;
    this.draw = framed(() => unpressed(this.element, () => this.drawNow()));
  }

  get running() {
    return this.answer !== null && ["waiting", "searching", "writing"].includes(this.answer.phase);
  }

  /** @param {import("../answer.js").Answer} answer */
  show(answer) {
    this.answer = answer;
    this.draw();
  }

  drawNow() {
    const { answer } = this;
    if (!answer) return;
    this.element.setAttribute("aria-busy", String(this.running));
    this.chips.replaceChildren(...understood(this));
    this.drawStatus(answer);
    this.drawText(answer);
    this.after.replaceChildren(...(this.running ? [] : this.below(answer)));
  }

  /** @param {import("../answer.js").Answer} answer */
  drawStatus(answer) {
    const phase = PHASES[/** @type {keyof PHASES} */ (answer.phase)] ?? "";
    const reading = answer.phase === "writing" && !answer.text ? `Reading ${plural(answer.sources.length, "passage")}…` : phase;
    this.status.textContent = answer.text ? "" : reading;
    this.status.hidden = !this.status.textContent;
  }

  /** Blocks that stay as they were are not drawn again, so that focus and selection live. @param {import("../answer.js").Answer} answer */
  drawText(answer) {
    const numbers = this.numbers();
    const known = new Map(answer.citations.map((citation) => [citation.cid, this.named(citation)]));
    const marks = labelsIn(answer.text);
    const cite = (/** @type {string} */ label) => {
      while (marks.length && marks[0].label !== label) marks.shift();
      return chip(numbers.indexOf(label) + 1, ofClaim(known.get(label), answer.claims, marks.shift()?.at ?? -1), this.card);
    };
    const fresh = answer.meta?.refusal ? [] : render(answer.text, { cite, note: this.links.stand });
    const state = (/** @type {HTMLElement} */ block) => block.outerHTML;
    const drawn = fresh.map(state);
    for (const [place, block] of fresh.entries()) {
      const old = this.body.children[place];
      if (!old) this.body.append(block);
      else if (drawn[place] !== this.drawn[place]) old.replaceWith(block);
    }
    while (this.body.children.length > fresh.length) this.body.lastElementChild?.remove();
    this.drawn = drawn;
    if (!this.running && !this.followed) void this.links.follow(answer.citations.map(({ noteId }) => noteId));
    this.followed = !this.running;
  }

  /** The first citation of an answer that has ended, once; null without one, or if it was offered before. */
  unseen() {
    if (this.running || this.visited) return null;
    this.visited = true;
    return /** @type {HTMLElement | null} */ (this.element.querySelector("a.chip"));
  }

  /** What stands below an answer that has ended. @param {import("../answer.js").Answer} answer @returns {HTMLElement[]} */
  below(answer) {
    if (answer.phase === "failed") return [this.failure(answer), this.row([this.retryButton("Try again")])];
    if (answer.phase === "stopped") return [h("p", { class: "notice" }, "You stopped this answer."), this.row([this.retryButton("Ask again")])];
    if (answer.meta?.refusal) return [refusalBox(this), this.row(this.buttons())];
    return [...this.quoted(answer), ...this.notices(answer), ...this.greeted(answer), ...this.sources(), this.row(this.buttons()), this.related];
  }

  /** @param {import("../answer.js").Answer} answer */
  failure(answer) {
    const { error } = answer;
    const wait = error?.retryAfter ? ` Try again in ${plural(error.retryAfter, "second")}.` : "";
    return h("p", { class: "notice bad", role: "alert" }, `${error?.message ?? "Something went wrong."}${wait}`);
  }

  /** Who wrote what is shown, where no model did. @param {import("../answer.js").Answer} answer */
  quoted({ meta }) {
    if (meta?.answerKind === "general") return [h("p", { class: "muted aside" }, "General knowledge of a model: nothing here comes from your notes.")];
    if (meta?.answerKind !== "quoted" && !meta?.writerProblem) return [];
    const why = meta.writerProblem ? `the model did not write an answer. ${meta.writerProblem}` : "no model writes answers here";
    const choose = this.actions.settings && h("button", { type: "button", class: "link", onclick: this.actions.settings }, "Choose a model");
    return [h("p", { class: "muted aside" }, `Quotes from your notes: ${why.replace(/[.]*$/, ".")} `, choose)];
  }

  /** After a friendly word, and no search: what can be asked. @param {import("../answer.js").Answer} answer */
  greeted({ meta }) {
    if (meta?.model !== "none") return [];
    const rows = this.actions.examples().map((text) => button(text, () => this.actions.rephrase(this, text), { class: "example" }));
    return rows.length ? [h("div", { class: "examples" }, rows)] : [];
  }

  /** Honest about what the reader should not trust. @param {import("../answer.js").Answer} answer @returns {HTMLElement[]} */
  notices(answer) {
    const unbacked = this.cited.filter((citation) => standing(citation) === "unsupported");
    const named = (/** @type {any[]} */ citations) => citations.length && `${citations.length === 1 ? "Source" : "Sources"} ${citations.map(({ number }) => number).join(", ")}`;
    const bad = unbacked.filter(({ claims }) => claims <= 1);
    const some = unbacked.filter(({ claims }) => claims > 1);
    const stale = this.cited.filter((citation) => citation.stale);
    const uncited = answer.claims.filter((claim) => !claim.cids.length).length;
    const removed = answer.meta?.removedCitations ?? [];
    return [
      ...new Set(answer.withdrawn.map((reason) => WITHDRAWN[reason] ?? "Part of this answer was withdrawn while it was written.")),
      bad.length && `${named(bad)} ${bad.length === 1 ? "does" : "do"} not back what is said there: read the passage before you rely on it.`,
      some.length && `${named(some)} ${some.length === 1 ? "does" : "do"} not back every claim that cites ${some.length === 1 ? "it" : "them"}: read the passage before you rely on it.`,
      uncited && `${plural(uncited, "sentence")} here ${uncited === 1 ? "cites" : "cite"} no note.`,
      stale.length && `${named(stale)} ${stale.length === 1 ? "has" : "have"} changed since this answer was written.`,
      removed.length && `${plural(removed.length, "citation")} that led nowhere ${removed.length === 1 ? "was" : "were"} removed.`,
      answer.meta && (this.asked.useNotes ?? this.settings.useNotes) === false && "Answered without your notes.",
    ]
      .filter(Boolean)
      .map((text) => h("p", { class: "notice" }, text));
  }

  sources() {
    const { asked } = this;
    const again = (/** @type {string[]} */ off) => {
      const withoutNotes = [...(asked.filters?.withoutNotes ?? []), ...off].slice(-MAX_WITHOUT);
      this.actions.rephrase(this, this.question, { filters: { ...asked.filters, withoutNotes } });
    };
    return this.cited.length ? [sourceList(this.cited, this.card, again)] : [];
  }

  /** Labels in the order in which the text names them; a citation's number is its place. */
  numbers() {
    const { text, citations } = /** @type {import("../answer.js").Answer} */ (this.answer);
    return [...new Set([...labelsIn(text).map(({ label }) => label), ...citations.map(({ cid }) => cid)])];
  }

  /** The citations of the answer in the order of their numbers. @returns {any[]} */
  get cited() {
    return (this.answer?.citations ?? []).map((citation) => this.named(citation)).sort((one, other) => one.number - other.number);
  }

  /** A citation with its number, the request it belongs to, and how many claims of the answer cite it. @param {any} citation */
  named(citation) {
    const { meta, text } = /** @type {import("../answer.js").Answer} */ (this.answer);
    const claims = labelsIn(text).filter(({ label }) => label === citation.cid).length;
    return { ...citation, number: this.numbers().indexOf(citation.cid) + 1, requestId: meta?.requestId ?? this.requestId, claims };
  }

  /** @param {HTMLElement[]} buttons */
  row(buttons) {
    return h("div", { class: "actions" }, buttons);
  }

  buttons() {
    const rate = (/** @type {"up" | "down"} */ way) => {
      this.rating = this.rating === way ? null : way;
      this.actions.rate(this, this.rating);
      this.drawNow();
    };
    return [
      iconButton("copy", "Copy the answer", () => this.copy()),
      this.cited.length > 0 && iconButton("note", "Save as a note", () => this.actions.save(this)),
      iconButton("up", "Good answer", () => rate("up"), { "aria-pressed": String(this.rating === "up") }),
      iconButton("down", "Bad answer", () => rate("down"), { "aria-pressed": String(this.rating === "down") }),
      this.answer?.meta?.query && button("Why this answer", () => this.actions.why(this), { class: "quiet" }),
    ].filter((each) => each instanceof HTMLElement);
  }

  /** @param {string} label */
  retryButton(label) {
    return button(label, () => this.actions.retry(this), { class: "primary" });
  }

  /** As Markdown: numbers in the text, and below it what they stand for. */
  async copy() {
    await navigator.clipboard.writeText([this.numbered, ...(this.cited.length ? [`Sources:\n${listed(this.cited)}`] : [])].join("\n\n"));
    this.actions.say("Copied, with its sources.");
  }

  /** The text with the numbers that are shown in the place of labels. */
  get numbered() {
    const numbers = this.numbers();
    const shown = (/** @type {string} */ labels) => labels.replace(/N\d+/g, (label) => String(numbers.indexOf(label) + 1));
    return (this.answer?.text ?? "").replace(MARKER, shown);
  }

  /** A note that holds the answer, and its sources as links to their notes. */
  get note() {
    const vaults = [...new Set(this.cited.map(({ vault }) => vault))];
    const [vault] = vaults.length === 1 ? vaults : ["default"];
    const text = `${this.numbered}\n\n## Sources\n\n${linked(this.cited)}\n`;
    return { title: this.question.replace(/\s+/g, " ").slice(0, LONGEST_TITLE), text, path: "", tags: [], vault };
  }

  /** What could be asked next, of the notes that were cited. @param {string[]} questions */
  relate(questions) {
    const { rephrase } = this.actions;
    const rows = questions.map((text) => button(text, () => rephrase(this, text, { filters: withoutOff(this.asked.filters) }), { class: "example" }));
    refill(this.related, rows.length ? [h("h3", {}, "Related questions"), h("div", { class: "examples" }, rows)] : []);
  }
}

/** A long one shows its beginning until it is opened. @param {string} question */
function folded(question) {
  const text = h("h2", { class: "question" }, question);
  if (question.length <= SHOWN && question.split("\n").length <= LINES) return text;
  const toggle = () => {
    const open = text.classList.toggle("folded");
    more.textContent = open ? "Show all of it" : "Show less";
    more.setAttribute("aria-expanded", String(!open));
  };
  const more = button("", toggle, { class: "link" });
  toggle();
  return h("div", {}, text, more);
}

/** Every label of a text with its place, those of `[N1, N2]` too. @param {string} text */
function labelsIn(text) {
  return [...text.matchAll(MARKER)].flatMap((marker) => [...marker[0].matchAll(/N\d+/g)].map((found) => ({ label: found[0], at: marker.index + found.index })));
}

/** What was restricted, without the notes that were switched off for one question. @param {any} filters */
function withoutOff({ withoutNotes: _, ...filters } = {}) {
  return filters;
}

/** A citation as the sentence around `place` has it: that sentence's own support and quote. @param {any} citation @param {any[]} claims @param {number} place */
function ofClaim(citation, claims, place) {
  const claim = claims.find(({ span }) => span.start <= place && place < span.end);
  const own = claim?.quotes.find((/** @type {any} */ each) => each.cid === citation?.cid);
  return own ? { ...citation, claims: 1, support: claim.support, quote: own.quote, span: own.span } : citation;
}
