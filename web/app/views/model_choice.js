/** In the settings of a product on this machine: which model writes, tried before it is kept. */

import { tried } from "../api.js";
import { button, h } from "../dom.js";

const KINDS = /** @type {[string, string][]} */ ([
  ["none", "none, quotes"],
  ["gemini", "Gemini"],
  ["openai", "OpenAI-compatible"],
]);
const FIELDS = /** @type {Readonly<Record<string, [string, string, string][]>>} */ ({
  none: [],
  gemini: [["key", "Key", ""], ["model", "Model", "as the product chooses"]],
  openai: [["address", "Address", "http://localhost:11434/v1"], ["model", "Model", "llama3.2"], ["key", "Key", "if it wants one"]],
});
const HINT = "Kept in this machine's home, for you alone. Your notes stay here; the passages of a question go to the model.";

export class ModelChoice {
  /** @param {import("../page.js").Page} page */
  constructor(page) {
    this.page = page;
    this.state = h("p", { class: "muted", role: "status" });
    this.fields = h("div", {});
    this.kind = h("select", { id: "set-kind", "aria-describedby": "hint-kind", onchange: () => this.draw({}) }, KINDS.map(([value, words]) => h("option", { value }, words)));
    this.button = button("Try and use it", () => this.use());
    this.element = h(
      "section",
      { class: "model", "aria-label": "Model that writes" },
      h("h3", {}, "Model that writes"),
      h("div", { class: "setting" }, h("label", { for: "set-kind" }, "Written by"), this.kind, h("p", { id: "hint-kind", class: "muted" }, HINT)),
      this.fields,
      h("div", { class: "row" }, this.button, this.state),
    );
  }

  /** What writes now. */
  async load() {
    await tried(async () => {
      const told = await this.page.api.get("/settings:model");
      this.kind.value = told.kind;
      this.draw(told);
      for (const each of [this.kind, this.button, ...this.fields.querySelectorAll("input")]) each.disabled = Boolean(told.fixed);
      if (told.fixed) this.state.textContent = `${told.model ?? "Nothing"} writes: ${told.fixed} is set where aurora dev was started.`;
    });
  }

  /** The fields of the kind that is chosen. @param {any} told values without the key, which never comes back */
  draw(told) {
    this.state.textContent = "";
    this.fields.replaceChildren(
      ...FIELDS[this.kind.value].map(([name, label, placeholder]) => {
        const type = name === "key" ? "password" : "text";
        const input = h("input", { id: `set-model-${name}`, name, type, placeholder, value: told[name] ?? "", autocomplete: "off", spellcheck: "false" });
        return h("div", { class: "setting" }, h("label", { for: input.id }, label), input);
      }),
    );
  }

  async use() {
    const given = Object.fromEntries([...this.fields.querySelectorAll("input")].map(({ name, value }) => [name, value]));
    this.state.textContent = "Trying…";
    this.button.disabled = true;
    await tried(
      async () => {
        const { kind, model, seconds } = await this.page.api.json("PUT", "/settings:model", { kind: this.kind.value, ...given });
        this.page.writes = kind !== "none";
        this.state.textContent = this.page.writes ? `${model} works, ${seconds} s.` : "Answers are quotes from now on.";
      },
      ({ message }) => (this.state.textContent = `Not changed. ${message}`),
    );
    this.button.disabled = false;
  }
}
