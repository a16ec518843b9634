/** The conversation and the field in which one asks. */

import { Conversation } from "../conversation.js";
import { h, icon } from "../dom.js";
import { go, here } from "../router.js";

const EXAMPLES = ["What did I decide last week?", "What did we decide about the API?", "Which open points are left?"];
const LONGEST = 2000;

export class ChatView {
  /**
   * @param {import("../page.js").Page} page @param {import("../sessions.js").Sessions} sessions
   * @param {{why: (exchange: any) => void, settings: () => void}} actions
   */
  constructor(page, sessions, actions) {
    this.page = page;
    this.sessions = sessions;
    this.actions = actions;
    /** @type {Map<string, Conversation>} */
    this.conversations = new Map();
    /** @type {Conversation | null} */
    this.current = null;
    this.thread = h("div", { class: "thread" });
    this.field = /** @type {HTMLTextAreaElement} */ (
      h("textarea", {
        rows: "1",
        maxlength: String(LONGEST),
        placeholder: "Ask your notes…",
        "aria-label": "Your question",
        enterkeyhint: "send",
        oninput: () => this.typed(),
        onkeydown: (/** @type {KeyboardEvent} */ event) => this.key(event),
      })
    );
    this.send = h("button", { type: "submit", class: "send", "aria-label": "Ask", title: "Ask (Enter)" }, icon("send"));
    this.halt = h("button", { type: "button", class: "send stop", "aria-label": "Stop", title: "Stop (Esc)", onclick: () => this.current?.stop(), hidden: true }, icon("stop"));
    this.summary = h("button", { type: "button", class: "quiet summary", onclick: actions.settings });
    this.form = h(
      "form",
      { class: "composer", onsubmit: (/** @type {Event} */ event) => this.submit(event) },
      h("div", { class: "composer-field" }, this.field, this.send, this.halt),
      this.summary,
    );
    this.element = h("section", { class: "chat", "aria-label": "Conversation" }, this.thread, this.form);
    page.settings.addEventListener("change", () => this.summarise());
    this.summarise();
  }

  /** @param {string | null} id of a session; null: a new conversation */
  async open(id) {
    const conversation = this.conversationOf(id);
    if (conversation !== this.current) {
      this.current = conversation;
      this.field.value = this.page.memory.get(this.draftKey, "");
      this.fit();
      this.draw();
      this.scrollToEnd();
    }
    if (!conversation.loaded || conversation.error) await conversation.load();
    this.adoptSettings(id);
  }

  /** Everything is asked again: somebody else is here, or the server is back. */
  async refresh() {
    if (this.current?.error) await this.current.load();
  }

  /** A blank page: in a browser-only conversation the old one is forgotten. */
  startNew() {
    if (this.sessions.kept === false) this.sessions.forgetLocal();
    this.conversations.delete("new");
    if (this.current?.id === null) this.current = null;
    if (here().view === "chat" && here().id === null) void this.open(null);
    else go({ view: "chat" });
    this.field.focus();
  }

  /** @param {string | null} id */
  conversationOf(id) {
    const key = id ?? "new";
    let conversation = this.conversations.get(key);
    if (!conversation) {
      conversation = new Conversation(id, this.page, this.sessions, {
        why: this.actions.why,
        open: (noteId, at) => go({ ...here(), note: noteId, at }),
      });
      this.conversations.set(key, conversation);
      this.follow(conversation);
    }
    return conversation;
  }

  /** @param {Conversation} conversation */
  follow(conversation) {
    conversation.addEventListener("change", () => conversation === this.current && this.draw());
    conversation.addEventListener("named", () => {
      this.conversations.delete("new");
      this.conversations.set(/** @type {string} */ (conversation.id), conversation);
      if (conversation === this.current) go({ ...here(), id: conversation.id }, { replace: true });
    });
    if (conversation.id === null) {
      conversation.loaded = false; // what this browser remembers
    }
  }

  /** The session's own settings are shown and used while it is open. @param {string | null} id */
  adoptSettings(id) {
    this.page.settings.adopt(this.sessions.list.find((each) => each.sessionId === id)?.settings ?? null);
  }

  draw() {
    const { current } = this;
    if (!current) return;
    const running = Boolean(current.running);
    this.send.hidden = running;
    this.halt.hidden = !running;
    this.thread.replaceChildren(...this.shown(current));
    if (running) this.scrollToEnd();
  }

  /** @param {Conversation} conversation @returns {HTMLElement[]} */
  shown(conversation) {
    if (conversation.error && !conversation.exchanges.length) return [this.failure(conversation)];
    if (conversation.exchanges.length) return conversation.exchanges.map((exchange) => exchange.element);
    return conversation.loaded ? [this.welcome()] : [h("p", { class: "muted loading" }, "Loading…")];
  }

  /** @param {Conversation} conversation */
  failure(conversation) {
    const button = (/** @type {string} */ label, /** @type {() => void} */ onclick) => h("button", { type: "button", class: "primary", onclick }, label);
    const [text, next] =
      conversation.error?.status === 404
        ? ["This conversation does not exist any more.", button("New conversation", () => go({ view: "chat" }))]
        : [conversation.error?.message ?? "", button("Try again", () => conversation.load())];
    return h("div", { class: "notice bad", role: "alert" }, h("p", {}, text), next);
  }

  welcome() {
    const example = (/** @type {string} */ text) => h("button", { type: "button", class: "example", onclick: () => this.ask(text) }, text);
    return h(
      "div",
      { class: "welcome" },
      h("h1", {}, "Ask your notes"),
      h("p", { class: "muted" }, "In your own words. Every claim in the answer points at the passage it came from."),
      h("div", { class: "examples" }, EXAMPLES.map(example)),
    );
  }

  summarise() {
    const { useNotes, topK, threshold, windowDays, strategy, template } = this.page.settings.now;
    const parts = useNotes
      ? [`${topK} passages`, threshold ? `relevance over ${threshold.toFixed(2)}` : null, windowDays ? `last ${windowDays} days` : "any time", strategy === "rrf" ? "rank fusion" : null]
      : ["without notes"];
    this.summary.textContent = [...parts, template === "none" ? null : `template: ${template}`].filter(Boolean).join(" · ");
    this.summary.setAttribute("aria-label", `Settings: ${this.summary.textContent}`);
  }

  // -- the field

  get draftKey() {
    return `draft:${this.current?.id ?? "new"}`;
  }

  typed() {
    this.page.memory.put(this.draftKey, this.field.value || null);
    this.fit();
  }

  /** As tall as its text. */
  fit() {
    this.field.style.height = "auto";
    this.field.style.height = `${this.field.scrollHeight}px`;
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) this.submit(event);
  }

  /** @param {Event} event */
  submit(event) {
    event.preventDefault();
    const question = this.field.value.trim();
    if (!question || this.current?.running) return;
    this.field.value = "";
    this.typed();
    this.ask(question);
  }

  /** @param {string} question */
  ask(question) {
    void this.current?.ask(question);
    this.scrollToEnd();
  }

  scrollToEnd() {
    requestAnimationFrame(() => this.thread.lastElementChild?.scrollIntoView({ block: "start", behavior: "instant" }));
  }
}
