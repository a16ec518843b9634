/** The conversation and the field in which one asks. */

import { tried } from "../api.js";
import { Conversation } from "../conversation.js";
import { button, h, icon, plural, settled } from "../dom.js";
import { newId } from "../page.js";
import { refill, unpressed } from "../redraw.js";
import { format, go, here } from "../router.js";
import { related, suggestions } from "../suggestions.js";
import { ScopePicker } from "./scope_picker.js";
import { ownWords } from "./session_list.js";

const LONGEST = 2000;
/** Characters of a question that the server takes. */
const BY_TOUCH = matchMedia("(pointer: coarse)");
/** Where a focused field brings up a keyboard that hides half the page. */

export class ChatView {
  /**
   * @param {import("../sessions.js").Sessions} sessions
   * @param {import("../notes.js").Notes} notes @param {{why: (exchange: any) => void, settings: () => void, named: (id: string) => void}} actions
   *   `named`: the new conversation that is open has an id
   */
  constructor(sessions, notes, actions) {
    this.page = notes.page;
    this.sessions = sessions;
    this.notes = notes;
    this.actions = actions;
    /** @type {Map<string, Conversation>} */
    this.conversations = new Map();
    /** @type {Conversation | null} */
    this.current = null;
    this.thread = h("div", { class: "thread", tabindex: "-1" });
    this.examples = h("div", { class: "examples" });
    /** @type {string[]} */
    this.questions = [];
    /** Of which notes the questions are. */
    this.suggested = "";
    this.field = h("textarea", {
      rows: "1",
      placeholder: "Ask your notes…",
      "aria-label": "Your question",
      enterkeyhint: "send",
      oninput: () => this.typed(),
      onkeydown: (event) => this.key(event),
    });
    this.send = h("button", { type: "submit", class: "send", "aria-label": "Ask", title: "Ask (Enter)" }, icon("send"));
    this.halt = button(icon("stop"), () => this.current?.stop(), { class: "send stop", "aria-label": "Stop", title: "Stop (Esc)", hidden: true });
    this.summary = button("", actions.settings, { class: "quiet summary" });
    this.excess = h("p", { class: "notice bad excess", role: "status", hidden: true });
    this.form = h(
      "form",
      { class: "composer", onsubmit: (event) => this.submit(event) },
      this.excess,
      h("div", { class: "composer-field" }, this.field, this.send, this.halt),
      h("div", { class: "composer-foot" }, new ScopePicker(notes).element, this.summary),
    );
    this.element = h("section", { class: "chat", "aria-label": "Conversation" }, this.thread, this.form);
    /** What the keyboard went to last; null: the mouse went elsewhere since. @type {Element | null} */
    this.reached = null;
    addEventListener("focusin", ({ target }) => this.reach(/** @type {Element} */ (target)));
    this.page.settings.addEventListener("change", () => this.summarise());
    sessions.addEventListener("change", () => this.begins());
    notes.addEventListener("change", () => this.suggest());
    this.summarise();
  }

  /** A conversation that has not begun looks where the server says, unless somebody chose. */
  begins() {
    const { scope } = this.page;
    if (this.current && !this.current.id && !scope.chosen) scope.open(null, this.sessions.defaults);
  }

  /** Ready to be typed into. */
  focus() {
    if (!BY_TOUCH.matches) this.field.focus();
  }

  /** @param {string | null} id of a session; null: a new conversation */
  async open(id) {
    const conversation = this.conversationOf(id);
    const [other, unread] = [conversation !== this.current, !conversation.loaded || conversation.error];
    if (other) {
      const early = this.current ? "" : this.field.value;
      this.current = conversation;
      this.field.value = this.page.memory.get(this.draftKey, "") + early;
      this.typed();
      this.page.scope.open(id, id ? this.sessions.known(id)?.settings : this.sessions.defaults);
      this.draw();
      this.scrollToEnd();
      this.focus();
    }
    if (unread) {
      await conversation.load();
      await this.sessions.look(id);
    }
    if ((other || unread) && conversation === this.current) this.adoptSettings(id);
    this.suggest();
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
    this.page.scope.startAgain();
    this.page.settings.startAgain();
    if (here().view === "chat" && here().id === null) void this.open(null);
    else go({ view: "chat" });
    this.field.focus();
  }

  /** @param {string | null} id */
  conversationOf(id) {
    const key = id ?? "new";
    let conversation = this.conversations.get(key);
    if (!conversation) {
      conversation = new Conversation(id, this.sessions, {
        why: this.actions.why,
        save: (exchange) => void this.save(exchange),
        examples: () => this.questions,
        settings: this.page.api.files ? this.actions.settings : null,
        open: (noteId, at) => go({ ...here(), note: noteId, at }),
      });
      this.conversations.set(key, conversation);
      this.follow(conversation);
    }
    return conversation;
  }

  /** An answer becomes a note, which is then open to be gone on with. @param {import("./exchange.js").Exchange} exchange */
  async save(exchange) {
    await tried(async () => {
      const saved = await this.notes.save({ ...exchange.note, noteId: newId(), revision: "" });
      void this.notes.followCoverage();
      const open = () => go({ view: "notes", id: saved.noteId, edit: true });
      const isHere = here().view === "chat";
      if (isHere) open();
      this.page.say("Saved as a note, with its sources as links.", isHere ? {} : { "Open it": open });
    }, this.page.tell);
  }

  /** @param {Conversation} conversation */
  follow(conversation) {
    conversation.addEventListener("change", () => conversation === this.current && unpressed(this.thread, () => this.draw()));
    conversation.addEventListener("ended", () => void this.relate(conversation));
    conversation.addEventListener("named", () => {
      this.conversations.delete("new");
      this.conversations.set(/** @type {string} */ (conversation.id), conversation);
      if (conversation !== this.current) return;
      this.page.scope.named();
      this.page.settings.begin();
      this.actions.named(/** @type {string} */ (conversation.id));
    });
  }

  /** The session's own settings are shown and used while it is open. @param {string | null} id */
  adoptSettings(id) {
    const kept = this.sessions.known(id)?.settings ?? null;
    if (kept) this.page.scope.open(id, kept);
    this.page.settings.adopt(kept);
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
    const primary = { class: "primary" };
    const [text, next] =
      conversation.error?.status === 404
        ? ["This conversation does not exist any more.", button("New conversation", () => go({ view: "chat" }), primary)]
        : [conversation.error?.message ?? "", button("Try again", () => conversation.load(), primary)];
    return h("div", { class: "notice bad", role: "alert" }, h("p", {}, text), next);
  }

  welcome() {
    return h(
      "div",
      { class: "welcome" },
      h("h2", {}, "Ask your notes"),
      h("p", { class: "muted" }, this.page.writes ? "In your own words. Every claim in the answer points at the passage it came from." : "In your own words. You get the closest passages of your notes, word for word."),
      this.examples,
    );
  }

  /** What could be asked of these notes; who has none learns where they come in. */
  suggest() {
    const { all, complete } = this.notes;
    const example = (text) => button(text, () => this.ask(text), { class: "example" });
    const none = complete && !all.size && h("a", { class: "button primary", href: format({ view: "notes" }) }, "Add your notes");
    refill(this.examples, [none, ...this.questions.map(example)]);
    if (here().view !== "chat") return; // nobody sees what would be read for them
    const notes = this.notes.sorted("newest").map(({ noteId, updatedAt }) => `${noteId} ${updatedAt}`).join();
    if (complete && notes !== this.suggested) this.look(notes);
  }

  /** For questions, once the notes stay as they are. @param {string} notes */
  look = settled(async (notes) => {
    this.suggested = notes;
    this.questions = await suggestions(this.notes);
    this.suggest();
    const last = this.current?.exchanges.at(-1);
    // An answer without citations shows them; below another one a source may just have been switched off.
    if (!last?.answer?.citations.length) last?.draw();
  }, 100);

  /** What could be asked after the last answer. @param {Conversation} conversation */
  async relate(conversation) {
    const last = conversation.exchanges.at(-1);
    if (last?.answer?.citations.length) last.relate(await related(this.page.api, last.answer.citations, last.question));
  }

  summarise() {
    const { useNotes, topK, threshold, strategy, showSources } = this.page.settings.now;
    const parts = useNotes
      ? [plural(topK, "passage"), threshold ? `relevance over ${threshold.toFixed(2)}` : null, strategy === "rrf" ? "rank fusion" : null, showSources ? null : "sources off"]
      : ["without notes"];
    this.summary.textContent = [...parts, ...ownWords(this.page.settings.now)].filter(Boolean).join(" · ");
    this.summary.setAttribute("aria-label", `Settings: ${this.summary.textContent}`);
  }

  // -- the field

  get draftKey() {
    return `draft:${this.current?.id ?? "new"}`;
  }

  /** Characters over what the server takes, as it counts them. */
  get tooLong() {
    const { value } = this.field;
    return value.length > LONGEST ? Math.max(0, [...value.trim()].length - LONGEST) : 0;
  }

  typed() {
    const { tooLong } = this;
    this.excess.hidden = !tooLong;
    if (tooLong) this.excess.textContent = `A question has at most ${LONGEST.toLocaleString()} characters: ${tooLong.toLocaleString()} too many. Save long text as a note and ask about it.`;
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
    if (event.isComposing || event.shiftKey) return;
    if (event.key === "Enter") this.submit(event);
    if (event.key === "Tab" && !this.field.value) this.toCitations(event);
  }

  /** After an answer the way leads to what it cites; the next time round, onwards from the field. @param {Event} event */
  toCitations(event) {
    const chip = this.current?.exchanges.at(-1)?.unseen();
    if (!chip) return;
    event.preventDefault();
    chip.focus();
  }

  /**
   * Whether a letter that is typed now is meant for the field: unless the keyboard itself went elsewhere, by Esc to the
   * answers or by Tab beyond the conversation.
   */
  get listens() {
    const at = document.activeElement;
    return at !== this.reached || (at !== this.thread && this.element.contains(at));
  }

  /** @param {Element} target that has the focus now; a key pressed later makes any of them `:focus-visible` */
  reach(target) {
    this.reached = target.matches(":focus-visible") ? target : null;
  }

  /** @param {KeyboardEvent} event a key that is pressed somewhere on the page */
  take(event) {
    const letter = [...event.key].length === 1 && event.key !== " " && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (letter && this.listens && document.activeElement !== this.field) this.field.focus();
  }

  /** @param {Event} event */
  submit(event) {
    event.preventDefault();
    const question = this.field.value.trim();
    if (!this.current || this.current.running) return;
    if (!question) return this.page.say("Write what you want to know: a name, a project, a day…");
    if (this.tooLong) return this.page.say(this.excess.textContent ?? "");
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
