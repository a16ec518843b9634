/** The list of conversations: open, search, rename, delete. */

import { ApiError } from "../api.js";
import { h, iconButton, refill, settled } from "../dom.js";
import { confirmed } from "../page.js";
import { format, go, here } from "../router.js";

export class SessionList {
  /** @param {import("../page.js").Page} page @param {import("../sessions.js").Sessions} sessions @param {() => void} startNew */
  constructor(page, sessions, startNew) {
    this.page = page;
    this.sessions = sessions;
    this.renaming = /** @type {string | null} */ (null);
    const search = settled(() => this.search(), 200);
    this.field = /** @type {HTMLInputElement} */ (
      h("input", { type: "search", placeholder: "Search conversations", "aria-label": "Search conversations", oninput: search })
    );
    this.list = h("ul", { class: "list" });
    this.element = h(
      "div",
      { class: "side-part", id: "side-chat" },
      h("button", { type: "button", class: "primary wide", onclick: startNew, title: "New conversation (n)" }, "New conversation"),
      this.field,
      this.list,
    );
    sessions.addEventListener("change", () => this.draw());
  }

  async search() {
    this.sessions.query = this.field.value.trim();
    await this.tried(() => this.sessions.load());
  }

  draw() {
    const { kept, nextPage } = this.sessions;
    const list = this.sessions.list.filter(({ messageCount, title }) => messageCount || title); // in others nothing was said
    this.field.hidden = kept === false || (!list.length && !this.sessions.query);
    if (kept === false) {
      this.list.replaceChildren(h("li", { class: "muted hint" }, "This server keeps no conversations; the last one stays in this browser."));
      return;
    }
    const more = nextPage && h("li", {}, h("button", { type: "button", class: "quiet", onclick: () => this.tried(() => this.sessions.more()) }, "Older ones"));
    const none = !list.length && h("li", { class: "muted hint" }, this.sessions.query ? "No conversation matches." : "Your conversations will stand here.");
    refill(this.list, [...list.map((session) => this.row(session)), more, none]);
  }

  /** @param {any} session */
  row(session) {
    const { sessionId, title } = session;
    if (this.renaming === sessionId) return h("li", { class: "list-row" }, this.renameField(session));
    const open = here().view === "chat" && here().id === sessionId;
    return h(
      "li",
      { class: "list-row" },
      h("a", { href: format({ id: sessionId }), "aria-current": open ? "page" : null }, title || "New conversation"),
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
    const done = async (/** @type {Event} */ event) => {
      event.preventDefault();
      if (this.renaming !== sessionId) return;
      const wanted = field.value.trim();
      this.rename(null);
      if (wanted && wanted !== title) await this.tried(() => this.sessions.change(sessionId, { title: wanted }));
    };
    const field = /** @type {HTMLInputElement} */ (
      h("input", {
        value: title,
        "aria-label": "Title",
        maxlength: "200",
        onblur: done,
        onkeydown: (/** @type {KeyboardEvent} */ event) => {
          if (event.key === "Enter") void done(event);
          if (event.key === "Escape") {
            event.stopPropagation();
            this.rename(null);
          }
        },
      })
    );
    return field;
  }

  /** @param {any} session */
  async remove({ sessionId, title }) {
    if (!(await confirmed(`Delete the conversation “${title}”? It cannot be brought back.`, "Delete"))) return;
    await this.tried(() => this.sessions.remove(sessionId));
    if (here().id === sessionId) go({ view: "chat" });
  }

  /** @param {() => Promise<void>} run */
  async tried(run) {
    try {
      await run();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.page.say(error.message);
    }
  }
}
