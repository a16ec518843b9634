/** The frame of the page: the side with its two lists, the main area, the pane beside it, the state of things. */

import { button, h, icon, iconButton } from "../dom.js";
import { layer } from "../router.js";

const SHOWN_FOR = 4000;
const ACTS_FOR = 12_000;

export class Shell {
  /** @param {import("../connection.js").Connection} connection */
  constructor(connection) {
    this.connection = connection;
    this.announcements = h("div", { class: "unseen", role: "status", "aria-live": "polite" });
    this.live = h("div", { class: "toast", role: "status", "aria-live": "polite" });
    this.banner = h("div", { class: "banner", role: "alert", hidden: true });
    this.side = h("nav", { class: "side", id: "side", "aria-label": "Conversations and notes" });
    this.main = h("main", { id: "main", tabindex: "-1" });
    this.pane = h("aside", { class: "pane", "aria-label": "Beside the conversation", hidden: true });
    this.menu = iconButton("menu", "Menu", () => this.toggle(), { "aria-expanded": "false", "aria-controls": "side", class: "icon-button menu" });
    this.shade = h("div", { class: "shade", onclick: () => this.toggle(false) });
    this.tabs = { chat: tab("chat", "Chat", "#/"), notes: tab("note", "Notes", "#/notes") };
    this.tools = h("div");
    this.top = h(
      "header",
      { class: "top" },
      this.menu,
      h("h1", { class: "brand" }, "Aurora"),
      h("div", { class: "tabs", role: "navigation", "aria-label": "Views" }, this.tabs.chat, this.tabs.notes),
      this.tools,
    );
    this.timer = 0;
    /** What the message that is shown offers to do. @type {Record<string, () => void>} */
    this.offered = {};
    /** The step that the open menu is on a phone. */
    this.leaveMenu = () => {};
    connection.addEventListener("change", () => this.connected(connection.online));
  }

  /** @param {HTMLElement[]} lists the two parts of the side */
  mount(lists) {
    this.side.replaceChildren(...lists);
    const skip = h("a", { class: "skip", href: "#main", onclick: (event) => this.skip(event) }, "To the content");
    const place = /** @type {HTMLElement} */ (document.getElementById("app"));
    place.replaceChildren(skip, this.banner, this.top, this.side, this.shade, this.main, this.pane, this.live, this.announcements);
  }

  /** @param {Event} event */
  skip(event) {
    event.preventDefault();
    this.main.focus();
  }

  /** Read out, for those who do not see it happen. @param {string} text */
  announce = (text) => {
    this.announcements.textContent = text;
  };

  /**
   * Say it to everybody: shown for a moment, and read out. Without a connection, what is offered stays until there is one.
   * @param {string} text @param {Record<string, () => void>} [actions] what can be done about it, by the words on its button
   */
  say = (text, actions = {}) => {
    const hide = () => {
      this.live.classList.remove("shown");
      this.offered = {};
    };
    const buttons = Object.entries(actions).map(([words, run]) => button(words, () => (hide(), run())));
    this.live.replaceChildren(text, ...buttons);
    this.live.classList.add("shown");
    this.offered = actions;
    clearTimeout(this.timer);
    if (buttons.length && !this.connection.online) return;
    this.timer = setTimeout(hide, buttons.length ? ACTS_FOR : SHOWN_FOR);
  };

  /** @param {boolean} online */
  connected(online) {
    this.banner.hidden = online;
    this.banner.textContent = online ? "" : "No connection to the server. What you write is kept; trying again…";
    if (online) this.say("Connected again.", this.offered);
  }

  /** @param {"chat" | "notes"} view @param {HTMLElement} content @param {boolean} list whether a phone shows the list */
  show(view, content, list) {
    document.body.dataset.view = view;
    document.body.dataset.list = String(list);
    if (this.main.firstElementChild !== content) this.main.replaceChildren(content);
    for (const [name, link] of Object.entries(this.tabs)) {
      if (name === view) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    for (const part of this.side.children) /** @type {HTMLElement} */ (part).hidden = part.id !== `side-${view}`;
    this.toggle(false);
  }

  /** @param {HTMLElement | null} content null: closed */
  beside(content) {
    this.pane.replaceChildren(...(content ? [content] : []));
    this.pane.hidden = !content;
  }

  /** The side on a narrow screen. @param {boolean} [open] */
  toggle(open = !document.body.classList.contains("menu-open")) {
    const was = document.body.classList.contains("menu-open");
    document.body.classList.toggle("menu-open", open);
    if (open && !was) this.leaveMenu = layer(() => this.toggle(false));
    else if (was && !open) this.leaveMenu();
    this.menu.setAttribute("aria-expanded", String(open));
    if (open) /** @type {HTMLElement | null} */ (this.side.querySelector("[id^=side-]:not([hidden]) button"))?.focus();
    else if (was) this.menu.focus();
  }
}

/** @param {string} sign @param {string} words @param {string} href */
function tab(sign, words, href) {
  return h("a", { href, class: "tab" }, icon(sign), h("span", {}, words));
}
