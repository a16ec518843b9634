/** The settings, in a dialog, and at its end the way out. Every change counts at once. */

import { tried } from "../api.js";
import { button, h, iconButton } from "../dom.js";
import { confirmed } from "../page.js";
import { showDialog } from "../router.js";
import { ModelChoice } from "./model_choice.js";

const STRATEGIES = /** @type {[string, string][]} */ ([["weighted", "weighted scores"], ["rrf", "reciprocal rank fusion"]]);
const THEMES = /** @type {[string, string][]} */ ([["auto", "as the system"], ["light", "light"], ["dark", "dark"]]);
const TEMPLATES = /** @type {[string, string][]} */ ([["none", "none"], ["auto", "choose by the question"]]);
const MOST_PASSAGES = 12;
/** More change nothing: an answer is made from no more. */
const PHRASE = "erase everything";
/** Without which the server erases nothing. */

/** What each does, in a line. */
const HINTS = {
  template: "A model's answer follows its steps. Quotes stay as they are.",
  systemPrompt: "Instructions for the model: a tone, a language, a length. For example: answer in three sentences.",
  model: "Writes the answers of this conversation.",
  whenNotInNotes: "Where your notes do not say, a model answers from what it knows, and the answer says so.",
  maxHistory: "How many earlier messages a question may refer to. With 0 each question stands alone.",
  useNotes: "Off: a model answers from what it knows, and cites nothing.",
  showSources: "Off: answers carry no citations; they are checked all the same.",
  topK: "How many passages an answer is made from. With more it takes longer.",
  threshold: "Leaves out passages that are less similar to the question than this. High values refuse often.",
  strategy: "Similarity, words and date make one order: by their scores, or by their ranks.",
  theme: "How the page looks in this browser.",
  shortcuts: "Letters are commands: among the notes, and in the chat after Esc.",
};

export class SettingsDialog {
  /** @param {import("../sessions.js").Sessions} sessions */
  constructor(sessions) {
    this.page = sessions.page;
    this.sessions = sessions;
    this.model = this.page.api.files ? new ModelChoice(this.page) : null;
    this.element = h("dialog", { class: "settings", "aria-labelledby": "settings-title" });
    this.element.addEventListener("click", (event) => event.target === this.element && this.element.close());
    document.body.append(this.element);
  }

  async open() {
    this.draw();
    showDialog(this.element);
    void this.model?.load();
    await tried(async () => {
      const { templates } = await this.page.api.get("/templates");
      this.offer(templates.map((template) => [template.templateId, template.name]));
    });
  }

  draw() {
    const advanced = h(
      "details",
      { class: "advanced" },
      h("summary", {}, "Advanced"),
      this.range("topK", "Passages to read", { min: 1, max: MOST_PASSAGES, step: 1 }, String),
      this.range("threshold", "Relevance threshold", { min: 0, max: 0.95, step: 0.01 }, (value) => (value ? value.toFixed(2) : "off")),
      this.choice("strategy", "Ranking", STRATEGIES),
    );
    const parts = [
      h("header", { class: "panel-head" }, h("h2", { id: "settings-title" }, "Settings"), iconButton("close", "Close", () => this.element.close())),
      h("div", {}, this.model?.element),
      h("h3", {}, "This conversation"),
      this.text("systemPrompt", "Instructions"),
      this.models.length ? this.choice("model", "Model", this.models) : null,
      this.check("whenNotInNotes", "General knowledge too", "general", "refuse"),
      this.range("maxHistory", "Earlier messages", { min: 0, max: 100, step: 1 }, String),
      this.choice("template", "Template", TEMPLATES),
      h("h3", {}, "All conversations from now on, and this one"),
      this.check("useNotes", "Use my notes"),
      this.check("showSources", "Show sources"),
      advanced,
      h("h3", {}, "This page"),
      this.choice("theme", "Colours", THEMES),
      this.check("shortcuts", "Single-key shortcuts"),
      h("div", {}, this.account()),
    ];
    this.element.replaceChildren(...parts.filter((part) => part !== null));
  }

  /** Adds templates to the choice, and leaves what somebody has opened or typed meanwhile. @param {[string, string][]} templates */
  offer(templates) {
    const choice = this.element.querySelector("#set-template");
    choice?.replaceChildren(...options([...TEMPLATES, ...templates], this.page.settings.now.template));
  }

  /** Models that the open conversation may choose; none where there is no choice. @returns {[string, string][]} */
  get models() {
    const { models } = this.sessions;
    return models.length > 1 ? [["", "as configured"], ...models.map((name) => /** @type {[string, string]} */ ([name, name]))] : [];
  }

  /**
   * @param {"useNotes" | "showSources" | "shortcuts" | "whenNotInNotes"} name @param {string} label
   * @param {any} on the value when it is checked @param {any} off the other one
   */
  check(name, label, on = true, off = false) {
    const { settings } = this.page;
    const onchange = () => settings.set({ [name]: input.checked ? on : off });
    const input = h("input", { type: "checkbox", ...named(name), checked: settings.now[name] === on, onchange });
    return setting(name, label, input);
  }

  /** @param {"systemPrompt"} name @param {string} label */
  text(name, label) {
    const { settings } = this.page;
    const onchange = () => settings.set({ [name]: area.value.trim() });
    const area = h("textarea", { ...named(name), rows: "2", maxlength: "2000", value: settings.now[name], onchange });
    const field = setting(name, label, area);
    field.classList.add("broad");
    return field;
  }

  /**
   * @param {"topK" | "threshold" | "maxHistory"} name @param {string} label @param {{min: number, max: number, step: number}} limits
   * @param {(value: number) => string} words
   */
  range(name, label, limits, words) {
    const { settings } = this.page;
    const output = h("output", { for: named(name).id }, words(settings.now[name]));
    const oninput = () => (output.textContent = words(Number(input.value)));
    const onchange = () => settings.set({ [name]: Number(input.value) });
    const input = h("input", { type: "range", ...named(name), ...limits, value: String(settings.now[name]), oninput, onchange });
    return setting(name, label, h("span", { class: "range" }, input, output));
  }

  /**
   * @param {"strategy" | "template" | "theme" | "model"} name @param {string} label
   * @param {[string, string][]} values each with its words
   */
  choice(name, label, values) {
    const { settings } = this.page;
    const onchange = () => settings.set({ [name]: select.value || null });
    const select = h("select", { ...named(name), onchange }, options(values, settings.now[name]));
    return setting(name, label, select);
  }

  /** Who is signed in, and what can be done about that. */
  account() {
    const { user } = this.page.auth;
    return [
      h("h3", {}, user ? "Account" : "Your data"),
      user && h("p", { class: "muted" }, user.email),
      h("p", { class: "muted" }, "Erasing takes every note, conversation and setting. Export them first, under Notes."),
      h("div", { class: "row" }, user && button("Sign out", () => this.signOut()), button("Erase everything", () => this.erase(), { class: "danger" })),
    ];
  }

  signOut() {
    this.sessions.forgetLast();
    this.page.auth.signOut();
  }

  async erase() {
    const { api, memory, auth, tell } = this.page;
    const question = "Erase every note, conversation and setting of yours? It cannot be brought back: export first what you want to keep.";
    if (!(await confirmed(question, "Erase everything", "erase"))) return;
    const gone = async () => {
      await api.json("DELETE", "/me", { confirm: PHRASE });
      memory.clear();
      auth.signOut();
    };
    await tried(gone, tell);
  }
}

/** @param {[string, string][]} values each with its words @param {string | null} [chosen] */
function options(values, chosen) {
  return values.map(([value, words]) => h("option", { value, selected: value === (chosen ?? "") }, words));
}

/** What makes a control known to its label and its hint. @param {keyof typeof HINTS} name */
function named(name) {
  return { id: `set-${name}`, "aria-describedby": `hint-${name}` };
}

/** @param {keyof typeof HINTS} name @param {string} label @param {HTMLElement} control */
function setting(name, label, control) {
  const hint = h("p", { id: `hint-${name}`, class: "muted" }, HINTS[name]);
  return h("div", { class: "setting" }, h("label", { for: named(name).id }, label), control, hint);
}
