/** The settings, in a dialog. Every change counts at once. */

import { ApiError } from "../api.js";
import { h, iconButton } from "../dom.js";

const WINDOWS = /** @type {[string, string][]} */ ([["", "any time"], ["7", "last 7 days"], ["30", "last 30 days"], ["90", "last 90 days"], ["365", "last year"]]);
const STRATEGIES = /** @type {[string, string][]} */ ([["weighted", "weighted scores"], ["rrf", "reciprocal rank fusion"]]);
const THEMES = /** @type {[string, string][]} */ ([["auto", "as the system"], ["light", "light"], ["dark", "dark"]]);

export class SettingsDialog {
  /** @param {import("../page.js").Page} page @param {() => HTMLElement} account what stands at the end */
  constructor(page, account) {
    this.page = page;
    this.account = account;
    this.element = /** @type {HTMLDialogElement} */ (h("dialog", { class: "settings", "aria-labelledby": "settings-title" }));
    this.element.addEventListener("click", (event) => event.target === this.element && this.element.close());
    document.body.append(this.element);
  }

  async open() {
    this.draw([["none", "none"], ["auto", "choose by the question"]]);
    this.element.showModal();
    try {
      const { templates } = await this.page.api.get("/templates");
      this.draw([["none", "none"], ["auto", "choose by the question"], ...templates.map((/** @type {any} */ each) => [each.templateId, each.name])]);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
  }

  /** @param {[string, string][]} templates */
  draw(templates) {
    const focused = document.activeElement?.id;
    this.element.replaceChildren(
      h("header", { class: "panel-head" }, h("h2", { id: "settings-title" }, "Settings"), iconButton("close", "Close", () => this.element.close())),
      h("h3", {}, "Answers"),
      this.check("useNotes", "Use my notes"),
      this.check("showSources", "Show sources"),
      this.range("topK", "Passages to read", { min: 1, max: 20, step: 1 }, String),
      this.range("threshold", "Relevance threshold", { min: 0, max: 0.95, step: 0.05 }, (value) => (value ? value.toFixed(2) : "off")),
      this.choice("windowDays", "Notes of", WINDOWS, (text) => (text ? Number(text) : null)),
      this.choice("strategy", "Ranking", STRATEGIES),
      this.choice("template", "Template", templates),
      h("h3", {}, "This page"),
      this.choice("theme", "Colours", THEMES),
      this.check("shortcuts", "Single-key shortcuts"),
      this.account(),
    );
    if (focused) document.getElementById(focused)?.focus();
  }

  /** @param {"useNotes" | "showSources" | "shortcuts"} name @param {string} label */
  check(name, label) {
    const { settings } = this.page;
    const id = `set-${name}`;
    const input = /** @type {HTMLInputElement} */ (
      h("input", { type: "checkbox", id, checked: settings.now[name], onchange: () => settings.set({ [name]: input.checked }) })
    );
    return h("label", { class: "setting", for: id }, h("span", {}, label), input);
  }

  /**
   * @param {"topK" | "threshold"} name @param {string} label @param {{min: number, max: number, step: number}} limits
   * @param {(value: number) => string} words
   */
  range(name, label, limits, words) {
    const { settings } = this.page;
    const id = `set-${name}`;
    const output = h("output", { for: id }, words(settings.now[name]));
    const input = /** @type {HTMLInputElement} */ (
      h("input", {
        type: "range",
        id,
        ...limits,
        value: String(settings.now[name]),
        oninput: () => {
          settings.set({ [name]: Number(input.value) });
          output.textContent = words(Number(input.value));
        },
      })
    );
    return h("label", { class: "setting", for: id }, h("span", {}, label), h("span", { class: "range" }, input, output));
  }

  /**
   * @param {"windowDays" | "strategy" | "template" | "theme"} name @param {string} label
   * @param {[string, string][]} options @param {(text: string) => any} [read]
   */
  choice(name, label, options, read = String) {
    const { settings } = this.page;
    const id = `set-${name}`;
    const now = String(settings.now[name] ?? "");
    const select = /** @type {HTMLSelectElement} */ (
      h(
        "select",
        { id, onchange: () => settings.set({ [name]: read(select.value) }) },
        options.map(([value, words]) => h("option", { value, selected: value === now }, words)),
      )
    );
    return h("label", { class: "setting", for: id }, h("span", {}, label), select);
  }
}
