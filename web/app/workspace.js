/** The views together: what the address names is shown, keys are listened to, lists are kept fresh. */

import { tried } from "./api.js";
import { h, iconButton } from "./dom.js";
import { format, go, here, layer, showDialog } from "./router.js";
import { ChatView } from "./views/chat.js";
import { Landing } from "./views/landing.js";
import { NoteList } from "./views/note_list.js";
import { NotePage } from "./views/note_page.js";
import { reader, scrollToMark } from "./views/reader.js";
import { SessionList } from "./views/session_list.js";
import { SettingsDialog } from "./views/settings_dialog.js";
import { listen, shortcutsDialog, typing } from "./views/shortcuts.js";
import { whyPanel } from "./views/why.js";

const WHY = "why";
const SHORTEST_PAUSE = 2000;
const LONGEST_PAUSE = 60_000;
const THEMES = /** @type {const} */ (["auto", "light", "dark"]);

export class Workspace {
  /**
   * @param {import("./page.js").Page} page @param {import("./views/shell.js").Shell} shell
   * @param {import("./sessions.js").Sessions} sessions @param {import("./notes.js").Notes} notes
   */
  constructor(page, shell, sessions, notes) {
    this.page = page;
    this.shell = shell;
    this.sessions = sessions;
    this.notes = notes;
    this.settings = new SettingsDialog(sessions);
    this.chat = new ChatView(sessions, notes, { why: (exchange) => this.why(exchange), settings: () => void this.settings.open(), named: (id) => this.named(id) });
    this.noteList = new NoteList(notes, () => this.newNote());
    this.notePage = new NotePage(notes, new Landing(notes));
    this.sessionList = new SessionList(sessions, () => this.chat.startNew());
    this.shortcuts = this.keys();
    this.help = shortcutsDialog(this.shortcuts);
    this.beside = /** @type {string | null} */ (null);
    /** The step that explaining an answer is on a phone. */
    this.leaveWhy = () => {};
    /** Counts what was shown: who goes on meanwhile is not led back. */
    this.turn = 0;
    this.looking = 0;
    this.left = 0;
    this.pause = SHORTEST_PAUSE;
    /** Where focus goes back to when the pane closes. @type {HTMLElement | null} */
    this.before = null;
  }

  /** @param {string} typed before there was a page */
  start(typed) {
    this.shell.mount([this.sessionList.element, this.noteList.element]);
    this.shell.tools.append(
      iconButton("help", "Keyboard shortcuts (?)", () => showDialog(this.help), { id: "shortcuts" }),
      iconButton("gear", "Settings (s)", () => this.settings.open()),
    );
    listen(this.shortcuts, () => this.page.settings.now.shortcuts && !this.hearsLetters());
    addEventListener("keydown", (event) => this.key(event));
    addEventListener("hashchange", () => void this.show());
    this.page.connection.addEventListener("change", () => this.page.connection.online && void this.fresh());
    this.page.settings.addEventListener("change", () => void this.keepSettings());
    this.page.scope.addEventListener("chosen", () => void this.keepSettings());
    this.sessions.addEventListener("begun", () => void this.keepSettings());
    this.notes.addEventListener("restored", () => void this.tried(() => this.sessions.load()));
    this.notes.addEventListener("change", () => this.markIndexing());
    this.chat.field.value = typed;
    void this.begin();
  }

  async begin() {
    await this.show();
    await this.fresh();
  }

  /** What may have changed on the server. */
  async fresh() {
    await this.tried(async () => void (await this.sessions.keeps()));
    await this.tried(() => this.chat.refresh());
    await this.notePage.retry();
    await this.tried(() => this.notes.load());
    await this.tried(() => this.notes.loadCoverage());
  }

  async show() {
    const turn = (this.turn += 1);
    const route = here();
    if (route.view === "notes") {
      this.shell.show("notes", this.notePage.element, route.id === null);
      this.noteList.draw();
      await this.notePage.open(route);
    } else {
      this.shell.show("chat", this.chat.element, false);
      this.shell.tabs.chat.setAttribute("href", format({ id: route.id }));
      this.sessionList.draw();
      await this.chat.open(route.id);
    }
    if (turn === this.turn) await this.showBeside(route);
  }

  /** The conversation that is open has its address, which the page takes over unless notes are looked at. @param {string} id */
  named(id) {
    this.shell.tabs.chat.setAttribute("href", format({ id }));
    if (here().view === "chat") go({ ...here(), id }, { replace: true });
  }

  /** The note beside a conversation. @param {import("./router.js").Route} route */
  async showBeside(route) {
    const wanted = route.note ? `${route.note}:${route.at?.start}-${route.at?.end}` : null;
    const explaining = this.beside === WHY && route.view === "chat" && wanted === null;
    if (wanted === this.beside || explaining) return;
    this.beside = wanted;
    if (!route.note) return this.shell.beside(null);
    this.before ??= /** @type {HTMLElement | null} */ (document.activeElement);
    const body = h("div", { class: "panel-body" }, h("p", { class: "muted" }, "Opening…"));
    const edit = h("a", { class: "button", href: `#/notes/${encodeURIComponent(route.note)}?edit=1` }, "Edit");
    this.shell.beside(
      h("section", { class: "panel", "aria-label": "Note" }, h("header", { class: "panel-head" }, edit, iconButton("close", "Close the note (Esc)", () => this.closePane())), body),
    );
    await this.fill(body, route);
  }

  /** @param {HTMLElement} body @param {import("./router.js").Route} route */
  async fill(body, route) {
    const id = /** @type {string} */ (route.note);
    const shown = async () => {
      const note = await this.notes.get(id);
      body.replaceChildren(reader(this.notes, note, route.at));
      scrollToMark(body);
      body.querySelector("h2")?.focus({ preventScroll: true });
    };
    await tried(shown, ({ status, message }) => {
      const text = status === 404 ? "This note does not exist any more." : message;
      body.replaceChildren(h("p", { class: "notice bad", role: "alert" }, text));
    });
  }

  /** @param {any} exchange */
  why(exchange) {
    this.before = /** @type {HTMLElement | null} */ (document.activeElement);
    this.beside = WHY;
    if (here().note) go({ ...here(), note: null, at: null }, { replace: true });
    const panel = whyPanel(this.page, exchange, () => this.closePane());
    this.shell.beside(panel);
    this.leaveWhy = layer(() => this.closePane());
    panel.querySelector("h2")?.focus();
  }

  closePane() {
    this.shell.beside(null);
    if (this.beside === WHY) this.leaveWhy();
    this.beside = null;
    if (here().note) go({ ...here(), note: null, at: null });
    this.before?.focus();
    this.before = null;
  }

  /** Whether letters go into the question now, and are no commands. */
  hearsLetters() {
    return here().view === "chat" && this.chat.listens;
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.defaultPrevented) return;
    if (event.key === "Escape") this.escape();
    else if (here().view === "chat" && !typing(event.target) && !document.querySelector("dialog[open]")) this.chat.take(event);
  }

  escape() {
    if (document.querySelector("dialog[open]")) return;
    if (document.body.classList.contains("menu-open")) this.shell.toggle(false);
    else if (this.chat.current?.running && here().view === "chat") this.chat.current.stop();
    else if (!this.shell.pane.hidden) this.closePane();
    else if (document.activeElement === this.chat.field) this.chat.thread.focus();
  }

  newNote() {
    this.notePage.startNew(this.noteList.folder);
  }

  /** While notes are still being indexed, look again; where nothing moves, less and less often. */
  markIndexing() {
    const { coverage } = this.notes;
    if (!coverage || this.looking) return;
    const left = coverage.missing + coverage.pendingEmbeddings + (coverage.stale ?? 0);
    if (left === 0) return;
    this.pause = left === this.left ? Math.min(2 * this.pause, LONGEST_PAUSE) : SHORTEST_PAUSE;
    this.left = left;
    this.looking = setTimeout(() => {
      this.looking = 0;
      void this.tried(() => this.notes.loadCoverage());
    }, this.pause);
  }

  /** An open session keeps its own settings. */
  async keepSettings() {
    const { id, view } = here();
    const open = view === "chat" && this.chat.current?.loaded && this.sessions.known(id);
    if (!open) return;
    const wanted = this.page.settings.session();
    const same = Object.entries(wanted).every(([name, value]) => open.settings?.[name] === value);
    if (!same) await this.tried(() => this.sessions.change(open.sessionId, { settings: wanted }));
  }

  /** @returns {import("./views/shortcuts.js").Shortcut[]} */
  keys() {
    const { page } = this;
    const inChat = () => here().view === "chat";
    return [
      { key: "?", words: "This list", run: () => showDialog(this.help) },
      { key: "c", words: "Write a question", run: () => this.toField() },
      { key: "n", words: "New conversation, or new note", run: () => (inChat() ? this.chat.startNew() : this.newNote()) },
      { key: "/", words: "Search the list", run: () => (inChat() ? this.sessionList : this.noteList).field.focus() },
      { key: "1", words: "Chat", run: () => this.shell.tabs.chat.click() },
      { key: "2", words: "Notes", run: () => go({ view: "notes" }) },
      { key: "e", words: "Edit the note", run: () => this.editNote() },
      { key: "w", words: "Why this answer", run: () => this.whyLast() },
      { key: "s", words: "Settings", run: () => void this.settings.open() },
      { key: "t", words: "Light, dark, or as the system", run: () => page.settings.set({ theme: THEMES[(THEMES.indexOf(page.settings.now.theme) + 1) % 3] }) },
    ];
  }

  toField() {
    if (here().view !== "chat") this.shell.tabs.chat.click();
    this.chat.field.focus();
  }

  editNote() {
    const { view, id, note } = here();
    const open = view === "notes" ? id : note;
    if (open) go({ view: "notes", id: open, edit: true });
  }

  whyLast() {
    const last = this.chat.current?.exchanges.at(-1);
    if (here().view === "chat" && last && !last.running) this.why(last);
  }

  /** @param {() => Promise<void>} run */
  async tried(run) {
    await tried(run, ({ unreachable, message }) => unreachable || this.page.say(message));
  }
}
