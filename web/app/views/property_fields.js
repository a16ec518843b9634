/** The properties of a note: shown above its text, and edited as fields. */

import { button, h, iconButton, moment, plural } from "../dom.js";
import { propertiesOf, withProperty } from "../properties.js";

const SHOWN_ELSEWHERE = new Set(["title", "tags"]);
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?$/;
/** A day and a time of day as ISO 8601 has them. */

/** A list for the reader; null for a note without properties. @param {string} text of a note */
export function propertyList(text) {
  const rows = propertiesOf(text).filter(({ name, value }) => value && !SHOWN_ELSEWHERE.has(name.toLowerCase()));
  return rows.length ? h("dl", { class: "properties", "aria-label": "Properties" }, rows.map(({ name, value }) => [h("dt", {}, name), h("dd", {}, readable(value))])) : null;
}

/** A time in the reader's words, anything else as it is. @param {string} value */
function readable(value) {
  return TIME.test(value) && !Number.isNaN(Date.parse(value)) ? h("time", { datetime: value, title: value }, moment(value)) : value;
}

/** Fields over the lines of a text; the text stays what counts. */
export class PropertyFields {
  /** @param {HTMLTextAreaElement} text @param {() => void} changed */
  constructor(text, changed) {
    this.text = text;
    this.changed = changed;
    this.summary = h("summary", {});
    this.rows = h("div", { class: "property-rows" });
    this.element = h("details", { class: "property-fields" }, this.summary, this.rows);
    this.draw();
  }

  /** As the text says; who is in one of the fields stays there. */
  draw() {
    if (this.rows.contains(document.activeElement) && document.activeElement?.tagName === "INPUT") return;
    const found = propertiesOf(this.text.value);
    this.summary.textContent = found.length ? plural(found.length, "property", "properties") : "Properties";
    this.rows.replaceChildren(...found.map((property) => this.row(property)), button("Add a property", () => this.add(), { class: "quiet" }));
  }

  /** @param {import("../properties.js").Property} property */
  row({ name, value, plain, listed }) {
    const write = (/** @type {string} */ typed) => this.write(name, { name, value: typed });
    const field = h("input", { value: plain ? value : "", "aria-label": name, placeholder: plain ? (listed ? "several, with commas" : "") : "edit this one in the text", disabled: !plain, oninput: () => write(field.value) });
    return h("div", { class: "property" }, h("span", {}, name), field, iconButton("close", `Remove ${name}`, () => this.remove(name)));
  }

  /** @param {string} name @param {{name: string, value: string} | null} wanted */
  write(name, wanted) {
    const property = propertiesOf(this.text.value).find((each) => each.name === name) ?? null;
    this.text.value = withProperty(this.text.value, property, wanted);
    this.changed();
  }

  /** @param {string} name */
  remove(name) {
    this.write(name, null);
    this.draw();
  }

  /** A name first; its value then has a field. */
  add() {
    const known = new Set(propertiesOf(this.text.value).map(({ name }) => name));
    let named = false;
    const done = () => {
      if (named) return; // leaving the field comes after Enter
      named = true;
      const name = field.value.trim().replace(/:+$/, "");
      if (!name || known.has(name)) return field.remove();
      this.write(name, { name, value: "" });
      const added = propertiesOf(this.text.value).find((each) => each.name === name);
      if (!added) return field.remove(); // it is no name
      const row = this.row(added);
      field.replaceWith(row);
      row.querySelector("input")?.focus();
    };
    const onkeydown = (/** @type {KeyboardEvent} */ event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      done();
    };
    const field = h("input", { "aria-label": "Name of the property", placeholder: "name, like author", onblur: done, onkeydown });
    this.rows.lastElementChild?.before(field);
    field.focus();
  }
}
