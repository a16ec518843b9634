/** Conversations on the server; where it keeps none, one in this browser. */

import { ApiError, tried } from "./api.js";

const MESSAGES = 100;
const KEPT = 20;
const LEAST = 3;
/** Letters from which on what was said is searched, not only titles. */

/**
 * Fires `change` when the list has changed, `begun` when a new session has taken over the settings of then.
 */
export class Sessions extends EventTarget {
  /** @param {import("./page.js").Page} page */
  constructor(page) {
    super();
    this.page = page;
    /** @type {any[]} */
    this.list = [];
    this.query = "";
    /** @type {string | null} */
    this.nextPage = null;
    /** Whether the server keeps sessions; null: nobody has asked yet. @type {boolean | null} */
    this.kept = null;
    /** @type {Promise<void> | null} */
    this.asking = null;
    /** The one that was looked up, where the list does not reach so far. @type {any} */
    this.found = null;
    /** How the server begins a session. @type {any} */
    this.defaults = {};
    /** Models that a conversation may choose, beside the one that is configured. @type {string[]} */
    this.models = [];
    /** The last change that was sent. @type {Promise<any>} */
    this.changing = Promise.resolve();
  }

  /** Whether the server keeps sessions; asked until it has said so. Throws ApiError. */
  async keeps() {
    if (this.kept === null) await (this.asking ??= this.load().finally(() => (this.asking = null)));
    return this.kept;
  }

  /** The first page of those that match `query`. Throws ApiError unless the server has no sessions at all. */
  async load() {
    try {
      this.list = await this.read("");
      if (!this.kept) this.page.settings.know(this.defaults);
      this.kept = true;
    } catch (error) {
      if (!(error instanceof ApiError) || error.reason !== "NO_SUCH_ROUTE") throw error;
      this.kept = false;
    }
    this.dispatchEvent(new Event("change"));
  }

  /**
   * An answer was given in a session: its title and its place in the list may be new. A failure is no news.
   * @param {string} id @param {object | null} begun settings that a new one takes over; null: it is not new
   */
  async follow(id, begun) {
    await tried(async () => {
      if (begun && Object.keys(begun).length) await this.page.api.json("PATCH", `/sessions/${encodeURIComponent(id)}`, { settings: begun });
      await this.load();
      if (begun) this.dispatchEvent(new Event("begun"));
    });
  }

  /** What is known of a session. @param {string | null} id @returns {any} */
  known(id) {
    return this.list.find(({ sessionId }) => sessionId === id) ?? (this.found?.sessionId === id ? this.found : null);
  }

  /** Look up an open session that the list does not reach. A failure is no news. @param {string | null} id */
  async look(id) {
    if (!id || !this.kept || this.known(id)) return;
    await tried(async () => (this.found = await this.page.api.get(`/sessions/${encodeURIComponent(id)}`)));
  }

  async more() {
    if (!this.nextPage) return;
    this.list = [...this.list, ...(await this.read(this.nextPage))];
    this.dispatchEvent(new Event("change"));
  }

  /** A page of those that match `query`. @param {string} pageToken empty: the first @returns {Promise<any[]>} */
  async read(pageToken) {
    const found = await this.page.api.get(`/sessions?${new URLSearchParams({ pageSize: "50", query: this.query, pageToken, ...(this.query.length >= LEAST ? { text: "true" } : {}) })}`);
    this.nextPage = found.nextPageToken ?? null;
    this.defaults = found.defaults ?? {};
    this.models = found.models ?? [];
    return found.sessions;
  }

  /** One after the other, so that the last one counts. @param {string} id @param {object} changes `title`, `settings` */
  async change(id, changes) {
    const send = () => this.page.api.json("PATCH", `/sessions/${encodeURIComponent(id)}`, changes);
    this.changing = this.changing.then(send, send);
    const session = await this.changing;
    this.list = this.list.map((each) => (each.sessionId === id ? session : each));
    if (this.found?.sessionId === id) this.found = session;
    this.dispatchEvent(new Event("change"));
  }

  /** @param {string} id */
  async remove(id) {
    await this.page.api.json("DELETE", `/sessions/${encodeURIComponent(id)}`);
    this.list = this.list.filter((each) => each.sessionId !== id);
    this.dispatchEvent(new Event("change"));
  }

  /**
   * The latest questions with their answers, oldest first.
   * @param {string} id
   * @returns {Promise<{question: string, requestId: string | null, reply: any}[]>}
   */
  async exchanges(id) {
    const { messages } = await this.page.api.get(`/sessions/${encodeURIComponent(id)}/messages?pageSize=${MESSAGES}`);
    return paired(messages);
  }

  // -- what stays in this browser: the open conversation for reading without a connection, or the only one there is

  /** @param {string} id @returns {any[]} */
  remembered(id) {
    const last = this.page.memory.get("last", { id: "", stored: [] });
    return last.id === id ? last.stored : [];
  }

  /** @param {string} id @param {any[]} stored */
  remember(id, stored) {
    this.page.memory.put("last", { id, stored: stored.slice(-KEPT) });
  }

  /** Whoever signs out leaves no note's words in the browser. */
  forgetLast() {
    this.page.memory.put("last", null);
  }

  /** @returns {{question: string, requestId: string, result: any}[]} */
  local() {
    return this.page.memory.get("conversation", []);
  }

  /** @param {{question: string, requestId: string, result: any}} exchange */
  keepLocally(exchange) {
    this.page.memory.put("conversation", [...this.local(), exchange].slice(-KEPT));
  }

  forgetLocal() {
    this.page.memory.put("conversation", null);
  }
}

/**
 * Questions with their answers: turns of two clients may mingle. Older messages have no `requestId`: an answer follows its question.
 * @param {any[]} messages in the order of time
 * @returns {{question: string, requestId: string | null, reply: any}[]}
 */
function paired(messages) {
  /** @type {{question: string, requestId: string | null, reply: any}[]} */
  const found = [];
  for (const message of messages) {
    const { role, text, requestId = null } = message;
    if (role === "user") {
      found.push({ question: text, requestId, reply: null });
      continue;
    }
    const asked = requestId ? found.find((each) => each.requestId === requestId && !each.reply) : found.at(-1);
    if (asked) asked.reply = message;
  }
  return found;
}

/** A stored message as the JSON of /chat. Its text without the list of sources at its end. @param {any} message */
export function resultOf(message) {
  return {
    answer: message.text.replace(/\n\nSources:\n(?:- \[N\d+\] [^\n]*\n?)*$/, ""),
    citations: message.citations ?? [],
    claims: message.claims ?? [],
    meta: message.meta ?? { requestId: null, query: null, refusal: null },
  };
}
