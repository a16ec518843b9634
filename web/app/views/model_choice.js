/** In the settings of a product on this machine: which model writes, tried before it is kept. */

import { tried } from "../api.js";
import { button, h } from "../dom.js";

const KINDS = /** @type {[string, string][]} */ ([
  ["none", "no model"],
  ["gemini", "Gemini"],
  ["openai", "another server"],
]);
const FIELDS = /** @type {Readonly<Record<string, [string, string, string][]>>} */ ({
  none: [],
  gemini: [["key", "Key", ""], ["model", "Model", "as the product chooses"]],
  openai: [["address", "Address", "http://localhost:11434/v1"], ["model", "Model", "llama3.2"], ["key", "Key", "if it wants one"]],
});
const WROTE = "wrote";
/** Name of the kind that wrote when the settings were last open. */
const NAMED = 6;
/** Models of a server that are named; all of them can be chosen. */
const QUOTED = "Answers are quotes from your notes, and nothing of them leaves this machine.";
const HINT = "Kept in this machine's home, for you alone. Your notes stay here; the passages of a question go to the model.";

export class ModelChoice {
  /** @param {import("../page.js").Page} page */
  constructor(page) {
    this.page = page;
    this.state = h("p", { class: "muted", role: "status" });
    this.fields = h("div", {});
    this.found = h("p", { id: "hint-found", class: "muted" });
    this.hint = h("p", { id: "hint-kind", class: "muted" });
    this.kind = h("select", { id: "set-kind", "aria-describedby": "hint-kind", onchange: () => this.choose() }, KINDS.map(([value, words]) => h("option", { value }, words)));
    /** Whether somebody has chosen before it was known what writes now. */
    this.touched = false;
    this.known = h("datalist", { id: "set-model-known" });
    this.button = button("Try and use it", () => this.use());
    this.element = h(
      "section",
      { class: "model", "aria-label": "Model that writes" },
      h("h3", {}, "Model that writes"),
      h("div", { class: "setting" }, h("label", { for: "set-kind" }, "Written by"), this.kind, this.hint),
      this.fields,
      this.known,
      h("div", { class: "row" }, this.button, this.state),
    );
    this.kind.value = page.memory.get(WROTE, "none");
    this.draw({ kind: this.kind.value }); // mostly still so: then nothing below it moves when it is known
  }

  /** What writes now. */
  async load() {
    this.touched = false;
    await tried(async () => {
      const told = await this.page.api.get("/settings:model");
      if (this.touched) return;
      this.kind.value = told.kind;
      this.page.memory.put(WROTE, told.kind);
      this.draw(told);
      if (!told.fixed) void this.list();
      for (const each of [this.kind, this.button, ...this.fields.querySelectorAll("input")]) each.disabled = Boolean(told.fixed);
      if (told.fixed) this.state.textContent = `${told.model ?? "Nothing"} writes: ${told.fixed} is set where aurora dev was started.`;
    });
  }

  /** The fields of the kind that is chosen. @param {any} told values without the key, which never comes back */
  draw(told) {
    const quoted = this.kind.value === "none";
    this.state.textContent = "";
    this.hint.textContent = quoted ? QUOTED : HINT;
    this.button.textContent = quoted ? "Use no model" : "Try and use it";
    this.button.hidden = quoted && told.kind === "none"; // nothing would change
    this.fields.replaceChildren(
      ...FIELDS[this.kind.value].map(([name, label, placeholder]) => {
        const type = name === "key" ? "password" : "text";
        const list = name === "model" ? this.known.id : null;
        const onchange = name === "model" ? null : () => this.list();
        const input = h("input", { id: `set-model-${name}`, name, type, placeholder, list, value: told[name] ?? "", autocomplete: "off", spellcheck: "false", "aria-describedby": "hint-found", ...(onchange ? { onchange } : {}) });
        return h("div", { class: "setting" }, h("label", { for: input.id }, label), input);
      }),
      ...(quoted ? [] : [this.found]),
    );
    this.found.textContent = "";
  }

  choose() {
    this.touched = true;
    this.draw({});
    void this.list();
  }

  /** What stands in the fields. @returns {Record<string, string>} */
  get given() {
    return Object.fromEntries([...this.fields.querySelectorAll("input")].map(({ name, value }) => [name, value]));
  }

  /** The models of the server, to choose from; where none is named, of one that answers on this machine. */
  async list() {
    const kind = this.kind.value;
    if (kind === "none") return this.known.replaceChildren();
    await tried(async () => {
      const { address, models } = await this.page.api.json("POST", "/settings:model", { kind, ...this.given });
      if (this.kind.value !== kind) return;
      this.known.replaceChildren(...models.map((name) => h("option", { value: name })));
      const field = /** @type {HTMLInputElement | null} */ (this.fields.querySelector("input[name='address']"));
      if (field && !field.value && address) field.value = address;
      this.found.textContent = models.length ? `This server has ${models.slice(0, NAMED).join(", ")}${models.length > NAMED ? ` and ${models.length - NAMED} more` : ""}.` : "";
    });
  }

  async use() {
    const { given } = this;
    this.state.textContent = "Trying…";
    this.button.disabled = true;
    await tried(
      async () => {
        const { kind, model, seconds } = await this.page.api.json("PUT", "/settings:model", { kind: this.kind.value, ...given });
        this.page.writes = kind !== "none";
        this.page.memory.put(WROTE, kind);
        this.state.textContent = this.page.writes ? `${model} works, ${seconds} s.` : "Answers are quotes from now on.";
      },
      ({ message }) => (this.state.textContent = `Not changed. ${message}`),
    );
    this.button.disabled = false;
  }
}
