/** One conversation: its questions, what runs, what was not answered yet. Lives on while another one is looked at. */

import { ask, empty, finished } from "./answer.js";
import { ApiError } from "./api.js";
import { plural } from "./dom.js";
import { newId } from "./page.js";
import { resultOf } from "./sessions.js";
import { Exchange } from "./views/exchange.js";

/** @typedef {{question: string, requestId: string, asked: object}} Unanswered */

/**
 * Fires `change` when exchanges come, begin or end; `ended` when the last one is there whole; `named` when the server has
 * given it an id.
 */
export class Conversation extends EventTarget {
  /**
   * @param {string | null} id of the session; null: none yet
   * @param {import("./sessions.js").Sessions} sessions
   * @param {Pick<import("./views/exchange.js").Actions, "why" | "open" | "examples" | "settings" | "save">} actions
   */
  constructor(id, sessions, actions) {
    super();
    this.id = id;
    this.page = sessions.page;
    this.sessions = sessions;
    /** What the server, or this browser, has kept. @type {Exchange[]} */
    this.kept = [];
    /** What was asked on this page: reading what was kept never takes the place of these. @type {Exchange[]} */
    this.asked = [];
    /** @type {AbortController | null} */
    this.running = null;
    /** @type {ApiError | null} */
    this.error = null;
    this.loaded = false;
    /** What a session that begins with the first question takes over. */
    this.beginning = {};
    this.actions = {
      ...actions,
      say: this.page.say,
      retry: (/** @type {Exchange} */ exchange) => void this.run(exchange),
      rephrase: (/** @type {Exchange} */ exchange, /** @type {string} */ question, changes = {}) =>
        void this.ask(question, { ...exchange.asked, ...changes }),
      rate: (/** @type {Exchange} */ exchange, /** @type {"up" | "down" | null} */ rating) => void this.rate(exchange, rating),
    };
  }

  /** All of it, in the order of time. */
  get exchanges() {
    return [...this.kept, ...this.asked];
  }

  /** What was said so far, and what was asked but not answered before the page was closed. */
  async load() {
    let stored;
    try {
      stored = await this.stored();
      this.error = null;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.error = error;
      stored = this.id ? this.sessions.remembered(this.id) : this.sessions.local();
    }
    this.loaded = true;
    this.put(stored);
    this.changed();
    if (!this.running) this.dispatchEvent(new Event("ended"));
  }

  /** Beside what is being asked; an answer that failed here and was kept there has come after all. @param {any[]} stored */
  put(stored) {
    const known = new Set(stored.map((each) => each.requestId));
    this.asked = this.asked.filter((each) => each.answer?.phase !== "failed" || !known.has(each.requestId));
    const shown = new Set(this.asked.map((each) => each.requestId));
    this.kept = stored.filter((each) => !shown.has(each.requestId)).map((each) => this.restored(each));
    this.restoreUnanswered(known);
  }

  /** @returns {Promise<any[]>} */
  async stored() {
    const kept = await this.sessions.keeps();
    if (!this.id) return kept ? [] : this.sessions.local();
    const stored = await this.sessions.exchanges(this.id);
    this.sessions.remember(this.id, stored);
    return stored;
  }

  /** @param {any} stored */
  restored({ question, reply, result, requestId }) {
    const exchange = this.exchange(question, requestId ?? reply?.meta?.requestId ?? newId());
    exchange.messageId = reply?.messageId ?? null;
    exchange.show(result || reply ? finished(result ?? resultOf(reply)) : broken());
    return exchange;
  }

  /** @param {Set<string>} known ids of requests that were kept */
  restoreUnanswered(known) {
    const shown = new Set(this.asked.map((each) => each.requestId));
    for (const { question, requestId, asked } of this.unanswered()) {
      if (known.has(requestId)) this.answered(requestId);
      else if (!shown.has(requestId)) {
        const exchange = this.exchange(question, requestId);
        exchange.asked = asked;
        exchange.show(broken());
        this.asked.push(exchange);
      }
    }
  }

  /** @param {string} question @param {string} requestId */
  exchange(question, requestId) {
    return new Exchange(question, requestId, this.page.card, this.actions);
  }

  /** @param {string} question @param {object} [asked] fields of the request; default: the settings */
  async ask(question, asked = this.page.settings.chat()) {
    const exchange = this.exchange(question, newId());
    exchange.asked = asked;
    exchange.settings = this.page.settings.now;
    this.asked.push(exchange);
    await this.run(exchange);
  }

  /** Ask it, or ask it again: the server answers the same request once only. @param {Exchange} exchange */
  async run(exchange) {
    this.stop();
    if (exchange.answer?.phase === "stopped") exchange.requestId = newId();
    const { question, requestId, asked } = exchange;
    const control = (this.running = new AbortController());
    exchange.show(empty());
    this.keepUnanswered({ question, requestId, asked });
    this.changed();
    try {
      if (!this.id) this.beginning = this.page.settings.session();
      const sessionId = (await this.sessions.keeps()) ? (this.id ?? "new") : undefined;
      const body = { message: question, requestId, ...asked, sessionId };
      for await (const answer of ask(this.page.api, body, control.signal)) {
        exchange.show(answer);
        if (!exchange.running) this.end(exchange, control); // the server may take its time to close the stream
      }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      exchange.show({ ...empty(), phase: "failed", error });
      this.end(exchange, control);
    }
  }

  /** @param {Exchange} exchange @param {AbortController} control of its request */
  end(exchange, control) {
    if (this.running === control) this.running = null;
    const { answer, question, requestId } = exchange;
    const ended = answer?.phase === "done" || (answer?.phase === "stopped" && answer.sessionId);
    if (ended) {
      this.answered(requestId);
      this.name(answer.sessionId);
      const meta = answer.meta ?? { sessionId: answer.sessionId, requestId };
      this.keep({ question, requestId, result: { answer: answer.text, citations: answer.citations, claims: answer.claims, meta } });
    }
    this.changed();
    if (answer?.phase !== "done") return;
    this.page.announce(ending(answer));
    this.dispatchEvent(new Event("ended"));
  }

  /** The server has begun a session for it, which takes over the settings of now. @param {string | null} sessionId */
  name(sessionId) {
    if (this.id || !sessionId) return;
    const left = this.unanswered();
    this.page.memory.put(this.key, null);
    this.id = sessionId;
    this.page.memory.put(this.key, left.length ? left : null);
    this.dispatchEvent(new Event("named"));
  }

  /** @param {{question: string, requestId: string, result: any}} exchange */
  keep(exchange) {
    if (!this.id) return this.sessions.keepLocally(exchange);
    this.sessions.remember(this.id, [...this.sessions.remembered(this.id), exchange]);
    void this.sessions.follow(this.id, this.exchanges.length === 1 ? this.beginning : null);
  }

  stop() {
    this.running?.abort();
    this.running = null;
  }

  /** @param {Exchange} exchange @param {"up" | "down" | null} rating */
  async rate(exchange, rating) {
    const messageId = exchange.messageId ? { messageId: exchange.messageId } : {};
    try {
      await this.page.api.json("POST", "/feedback", { requestId: exchange.answer?.meta?.requestId ?? exchange.requestId, ...messageId, rating });
      this.page.say(rating ? "Thank you." : "Rating removed.");
    } catch (error) {
      this.page.say(error instanceof ApiError && error.unreachable ? error.message : "The rating could not be saved.");
    }
  }

  // -- questions that a reload must not lose

  get key() {
    return `unanswered:${this.id ?? "new"}`;
  }

  /** @returns {Unanswered[]} */
  unanswered() {
    return this.page.memory.get(this.key, []);
  }

  /** @param {Unanswered} question */
  keepUnanswered(question) {
    this.page.memory.put(this.key, [...this.unanswered().filter((each) => each.requestId !== question.requestId), question]);
  }

  /** @param {string} requestId */
  answered(requestId) {
    const left = this.unanswered().filter((each) => each.requestId !== requestId);
    this.page.memory.put(this.key, left.length ? left : null);
  }

  changed() {
    this.dispatchEvent(new Event("change"));
  }
}

/** A question whose answer never came. @returns {import("./answer.js").Answer} */
function broken() {
  const error = new ApiError(0, "This question was not answered: the page was closed or the connection broke.");
  return { ...empty(), phase: "failed", error };
}

/** What a screen reader hears when an answer has ended. @param {import("./answer.js").Answer} answer */
function ending({ meta, citations: { length } }) {
  if (meta.refusal) return "No answer in your notes.";
  if (meta.nothingAbout) return `Nothing about “${meta.nothingAbout}”. ${plural(length, "nearest quote")}.`;
  if (meta.answerKind === "quoted") return `${plural(length, "quote")} from your notes.`;
  if (meta.answerKind === "general") return "Answer ready, from general knowledge.";
  return `Answer ready, ${plural(length, "source")}.`;
}
