/** One question and its answer, as they come about. */

import { sourceList, chip, standing } from "../citations.js";
import { button, framed, h, iconButton, plural } from "../dom.js";
import { render } from "../render.js";
import { Pointers } from "./note_links.js";
import { refusalBox } from "./refusal.js";
import { understood } from "./understood.js";

const PHASES = { waiting: "Asking…", searching: "Searching your notes…", writing: "Writing…" };

const WITHDRAWN = /** @type {Readonly<Record<string, string>>} */ ({
  writer_failed: "The writing model broke off; your notes are quoted instead.",
  refused: "The first draft could not stand and was taken back.",
});

const QUOTED =
  "These are quotes, not an answer: no model wrote one. GEMINI_API_KEY, or OPENAI_BASE_URL with CHAT_MODEL, switches a model on.";

/**
 * @typedef {object} Actions what can be done with an exchange; each gets the exchange
 * @property {(exchange: Exchange) => void} retry
 * @property {(exchange: Exchange, question: string, changes?: object) => void} rephrase
 * @property {(exchange: Exchange) => void} why
 * @property {(exchange: Exchange, rating: "up" | "down" | null) => void} rate
 * @property {(noteId: string, span: any) => void} open
 * @property {(text: string) => void} say
 * @property {() => string[]} examples questions that can be asked
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
      h("h2", { class: "question" }, question),
      this.chips,
      this.status,
      this.body,
      this.after,
    );
    /** @type {string[]} */
    this.drawn = [];
    this.links = new Pointers(card.api);
    this.followed = false;
    this.visited = false;
    this.draw = framed(() => this.drawNow());
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
    const known = new Map(answer.citations.map((citation) => [citation.cid, this.named(citation)]));
    const marks = [...answer.text.matchAll(/\[(N\d+)\]/g)];
    const cite = (/** @type {string} */ label) => {
      while (marks.length && marks[0][1] !== label) marks.shift();
      return chip(label, ofClaim(known.get(label), answer.claims, marks.shift()?.index ?? -1), this.card);
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

  /** The first citation of an answer that has ended, once; null: there is none, or it has been offered before. */
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
    return [...this.notices(answer), ...this.sources(answer), this.row(this.buttons())];
  }

  /** @param {import("../answer.js").Answer} answer */
  failure(answer) {
    const { error } = answer;
    const wait = error?.retryAfter ? ` Try again in ${plural(error.retryAfter, "second")}.` : "";
    return h("p", { class: "notice bad", role: "alert" }, `${error?.message ?? "Something went wrong."}${wait}`);
  }

  /** Honest about what the reader should not trust. @param {import("../answer.js").Answer} answer @returns {HTMLElement[]} */
  notices(answer) {
    const unbacked = answer.citations.map((citation) => this.named(citation)).filter((citation) => standing(citation) === "unsupported");
    const bad = unbacked.filter(({ claims }) => claims <= 1).map(({ cid }) => cid);
    const some = unbacked.filter(({ claims }) => claims > 1).map(({ cid }) => cid);
    const stale = answer.citations.filter((citation) => citation.stale).map((citation) => citation.cid);
    const uncited = answer.claims.filter((claim) => !claim.cids.length).length;
    const removed = answer.meta?.removedCitations ?? [];
    return [
      answer.meta?.answerKind === "quoted" && QUOTED,
      ...new Set(answer.withdrawn.map((reason) => WITHDRAWN[reason] ?? "Part of this answer was taken back while it was written.")),
      bad.length && `${bad.join(", ")} ${bad.length === 1 ? "does" : "do"} not back what is said there: read the passage before you rely on it.`,
      some.length && `Not every claim that cites ${some.join(", ")} is backed: read the passage before you rely on it.`,
      uncited && `${plural(uncited, "sentence")} here ${uncited === 1 ? "cites" : "cite"} no note.`,
      stale.length && `The note behind ${stale.join(", ")} has changed since it was read for this answer.`,
      removed.length && `${plural(removed.length, "citation")} that led nowhere ${removed.length === 1 ? "was" : "were"} removed.`,
      answer.meta?.query?.timeRange?.widened && `Nothing was found in that time, so the search was widened: ${answer.meta.query.timeRange.widened}.`,
      answer.meta && this.asked.useNotes === false && "Answered without your notes.",
    ]
      .filter(Boolean)
      .map((text) => h("p", { class: "notice" }, text));
  }

  /** @param {import("../answer.js").Answer} answer */
  sources(answer) {
    const named = answer.citations.map((citation) => this.named(citation));
    return named.length ? [sourceList(named, this.card)] : [];
  }

  /** A citation with the request it belongs to, and how many claims of the answer cite it. @param {any} citation */
  named(citation) {
    const { meta, text } = /** @type {import("../answer.js").Answer} */ (this.answer);
    const claims = text.match(new RegExp(`\\b${citation.cid}\\b(?=[^[\\]]*\\])`, "g"))?.length ?? 0;
    return { ...citation, requestId: meta?.requestId, claims };
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
      iconButton("up", "Good answer", () => rate("up"), { "aria-pressed": String(this.rating === "up") }),
      iconButton("down", "Bad answer", () => rate("down"), { "aria-pressed": String(this.rating === "down") }),
      button("Why this answer", () => this.actions.why(this), { class: "quiet" }),
    ];
  }

  /** @param {string} label */
  retryButton(label) {
    return button(label, () => this.actions.retry(this), { class: "primary" });
  }

  async copy() {
    await navigator.clipboard.writeText(this.answer?.text ?? "");
    this.actions.say("Copied.");
  }
}

/** A citation as the sentence around `place` has it: that sentence's own support and quote. @param {any} citation @param {any[]} claims @param {number} place */
function ofClaim(citation, claims, place) {
  const claim = claims.find(({ span }) => span.start <= place && place < span.end);
  const own = claim?.quotes.find((/** @type {any} */ each) => each.cid === citation?.cid);
  return own ? { ...citation, claims: 1, support: claim.support, quote: own.quote, span: own.span } : citation;
}
