/** The list of conversations: open, search, rename, delete. */

import { tried } from "../api.js";
import { button, h, iconButton, marked, searchKeys, settled } from "../dom.js";
import { confirmed } from "../page.js";
import { refill } from "../redraw.js";
import { format, go, here } from "../router.js";

export class SessionList {
  /** @param {import("../sessions.js").Sessions} sessions @param {() => void} startNew */
  constructor(sessions, startNew) {
    this.page = sessions.page;
    this.sessions = sessions;
    this.renaming = /** @type {string | null} */ (null);
    const search = settled(() => this.search(), 200);
    this.field = h("input", { type: "search", placeholder: "Search conversations", "aria-label": "Search conversations", oninput: search });
    this.list = h("ul", { class: "list" });
    searchKeys(this.field, this.list, () => this.search());
    this.element = h(
      "div",
      { class: "side-part", id: "side-chat" },
      button("New conversation", startNew, { class: "primary wide", title: "New conversation (n)" }),
      this.field,
      this.list,
    );
    sessions.addEventListener("change", () => this.draw());
  }

  async search() {
    this.sessions.query = this.field.value.trim();
    await tried(() => this.sessions.load(), this.page.tell);
  }

  draw() {
    const { kept, nextPage } = this.sessions;
    const list = this.sessions.list.filter(({ messageCount, title }) => messageCount || title); // in others nothing was said
    this.field.hidden = kept === false || (!list.length && !this.sessions.query);
    if (kept === false) {
      refill(this.list, [h("li", { class: "muted hint" }, "This server keeps no conversations; the last one stays in this browser.")]);
      return;
    }
    const more = nextPage && h("li", {}, button("Older ones", () => tried(() => this.sessions.more(), this.page.tell), { class: "quiet" }));
    const none = !list.length && h("li", { class: "muted hint" }, this.sessions.query ? "No conversation matches." : "Your conversations will be listed here.");
    refill(this.list, [...list.map((session) => this.row(session)), more, none]);
  }

  /** @param {any} session */
  row(session) {
    const { sessionId, title, settings } = session;
    const facts = [settings.useNotes ? null : "without notes", ...ownWords(settings)].filter(Boolean);
    if (this.renaming === sessionId) return h("li", { class: "list-row" }, this.renameField(session));
    const open = here().view === "chat" && here().id === sessionId;
    return h(
      "li",
      { class: "list-row" },
      h("a", { href: format({ id: sessionId }), "aria-current": open ? "page" : null }, h("span", { class: "list-title", title: title || null }, marked(title || "New conversation", this.sessions.query)), facts.length ? h("span", { class: "muted list-facts" }, facts.join(" · ")) : null),
      iconButton("edit", `Rename “${title}”`, () => this.rename(sessionId)),
      iconButton("trash", `Delete “${title}”`, () => this.remove(session)),
    );
  }

  /** @param {string | null} id */
  rename(id) {
    this.renaming = id;
    this.draw();
    this.list.querySelector("input")?.select();
  }

  /** @param {any} session */
  renameField({ sessionId, title }) {
    const done = async (event) => {
      event.preventDefault();
      if (this.renaming !== sessionId) return;
      const wanted = field.value.trim();
      this.rename(null);
      if (wanted && wanted !== title) await tried(() => this.sessions.change(sessionId, { title: wanted }), this.page.tell);
    };
    const onkeydown = (event) => {
      if (event.key === "Enter") void done(event);
      if (event.key === "Escape") {
        event.stopPropagation();
        this.rename(null);
      }
    };
    const field = h("input", { value: title, "aria-label": "Title", maxlength: "200", onblur: done, onkeydown });
    return field;
  }

  /** @param {any} session */
  async remove({ sessionId, title }) {
    if (!(await confirmed(`Delete the conversation “${title}”? It cannot be brought back.`, "Delete"))) return;
    await tried(() => this.sessions.remove(sessionId), this.page.tell);
    if (here().id === sessionId) go({ view: "chat" });
  }
}

/** A word for each thing that is set for one conversation. @param {{systemPrompt?: string, model?: string | null, whenNotInNotes?: string, template?: string}} settings */
export function ownWords({ systemPrompt, model, whenNotInNotes, template }) {
  return [
    template && template !== "none" ? `template: ${template}` : null,
    model ? `model: ${model}` : null,
    systemPrompt ? "own instructions" : null,
    whenNotInNotes === "general" ? "general knowledge too" : null,
  ].filter(Boolean);
}
