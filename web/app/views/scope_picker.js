/** Beside the question: in which vault or folder it looks, and how far back. */

import { h } from "../dom.js";
import { offer } from "../redraw.js";

const WINDOWS = /** @type {[string, string][]} */ ([["", "Any time"], ["7", "Last 7 days"], ["30", "Last 30 days"], ["90", "Last 90 days"], ["365", "Last year"]]);
const EVERYWHERE = "";
const ROOT = "/";
/** Stands for the notes that are in no folder. */

export class ScopePicker {
  /** @param {import("../notes.js").Notes} notes */
  constructor(notes) {
    this.page = notes.page;
    this.notes = notes;
    this.place = select("Look in", () => this.choose());
    this.window = select("Notes of", () => this.page.scope.set({ windowDays: Number(this.window.value) || null }));
    this.element = h("div", { class: "scope" }, this.place, this.window);
    for (const each of [this.page.scope, this.page.settings, notes]) each.addEventListener("change", () => this.draw());
    this.draw();
  }

  choose() {
    const { value } = this.place;
    this.page.scope.set({ place: value === EVERYWHERE ? null : JSON.parse(value) });
  }

  draw() {
    const { place, windowDays } = this.page.scope.now;
    const chosen = place ? valueOf(place) : EVERYWHERE;
    offer(this.window, WINDOWS.map(([value, words]) => option(value, words, String(windowDays ?? ""))));
    offer(this.place, [option(EVERYWHERE, "All notes", chosen), ...this.places(chosen)]);
    for (const each of [this.place, this.window]) {
      each.disabled = !this.page.settings.now.useNotes;
      each.dataset.set = String(each.value !== "");
    }
  }

  /** By vault where there are several; what was chosen even if no note is there any more. @param {string} chosen */
  places(chosen) {
    const vaults = this.notes.vaults;
    const all = [...vaults].map(([vault, folders]) => {
      const inFolders = folders.filter((folder) => folder !== ROOT).map((folder) => option(valueOf({ vault, folder }), folder, chosen));
      const outside = folders.includes(ROOT) && inFolders.length ? [option(valueOf({ vault, folder: ROOT }), "Not in a folder", chosen)] : [];
      const rows = [...outside, ...inFolders];
      return vaults.size === 1 ? rows : h("optgroup", { label: vault }, option(valueOf({ vault, folder: "" }), `All of ${vault}`, chosen), rows);
    });
    const known = all.flat().flatMap((each) => (each.tagName === "OPTGROUP" ? [...each.children] : [each]));
    if (chosen === EVERYWHERE || known.some((each) => /** @type {HTMLOptionElement} */ (each).value === chosen)) return all.flat();
    const { vault, folder } = JSON.parse(chosen);
    return [...all.flat(), option(chosen, folder === ROOT ? `${vault}: not in a folder` : folder || vault, chosen)];
  }
}

/** @param {import("../scope.js").Place} place */
function valueOf({ vault, folder }) {
  return JSON.stringify({ vault, folder });
}

/** @param {string} label @param {() => void} onchange @returns {HTMLSelectElement} */
function select(label, onchange) {
  return h("select", { "aria-label": label, title: label, onchange });
}

/** @param {string} value @param {string} words @param {string} chosen */
function option(value, words, chosen) {
  return h("option", { value, selected: value === chosen }, words);
}
