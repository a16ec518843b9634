/** What every view needs, in one object. */

import { h } from "./dom.js";
import { showDialog } from "./router.js";

/**
 * @typedef {object} Page
 * @property {import("./api.js").Api} api
 * @property {any} auth
 * @property {boolean} writes whether a model writes answers
 * @property {import("./store.js").Drawer} memory of the user who is signed in
 * @property {import("./settings.js").UserSettings} settings
 * @property {import("./scope.js").Scope} scope of the conversation that is looked at
 * @property {import("./connection.js").Connection} connection
 * @property {import("./citations.js").Card} card
 * @property {(text: string, actions?: Record<string, () => void>) => void} say read out and shown for a moment
 * @property {(error: Error) => void} tell the same of what failed
 * @property {(text: string) => void} announce read out alone
 */

/** A new id for a note or a request. */
export function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Offer text as a file. @param {Blob} content @param {string} name */
export function download(content, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/**
 * Ask before something that cannot be undone.
 * @param {string} question @param {string} action what the button says
 * @param {string} [word] to be typed before the button can be pressed: where it costs everything
 * @returns {Promise<boolean>}
 */
export async function confirmed(question, action, word) {
  return (await asked(question, [["", "Cancel"], ["yes", action]], "danger", word)) === "yes";
}

/**
 * Ask which of several it shall be; empty: neither, by Escape.
 * @param {string} question @param {[string, string][]} choices value and what its button says, the main one last
 * @param {Node} [shown] what there is to choose from @returns {Promise<string>}
 */
export function chosen(question, choices, shown) {
  return asked(question, choices, "primary", undefined, shown);
}

/** @param {string} question @param {[string, string][]} choices @param {string} weight of the last @param {string} [word] that allows it @param {Node} [shown] */
async function asked(question, choices, weight, word, shown) {
  const last = choices.length - 1;
  const buttons = choices.map(([value, label], place) =>
    h("button", { value, autofocus: place === 0 && !word, class: place === last ? weight : null, disabled: place === last && Boolean(word) }, label),
  );
  const dialog = h(
    "dialog",
    { class: "ask", "aria-label": question },
    h("form", { method: "dialog" }, h(shown ? "h2" : "p", {}, question), shown, word && wordField(word, buttons[last]), h("div", { class: "row" }, buttons)),
  );
  document.body.append(dialog);
  showDialog(dialog);
  await new Promise((resolve) => dialog.addEventListener("close", resolve, { once: true }));
  dialog.remove();
  return dialog.returnValue;
}

/** @param {string} word @param {HTMLButtonElement} allowed by it */
function wordField(word, allowed) {
  const typed = (/** @type {Event} */ { target }) => (allowed.disabled = /** @type {HTMLInputElement} */ (target).value.trim().toLowerCase() !== word);
  const enter = (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault(); // it would press the first button, which cancels
    allowed.click();
  };
  const field = h("input", { id: "word", autofocus: true, autocomplete: "off", autocapitalize: "off", oninput: typed, onkeydown: enter });
  return h("label", { for: "word" }, h("span", {}, "Type “", h("strong", {}, word), "” to go on"), field);
}
