/** Keys: what they do, and the list of them. */

import { h, iconButton } from "../dom.js";

/** @typedef {{key: string, words: string, run: () => void}} Shortcut */

/** @param {Shortcut[]} shortcuts @param {() => boolean} enabled */
export function listen(shortcuts, enabled) {
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !enabled() || typing(event.target) || document.querySelector("dialog[open]")) return;
    const found = shortcuts.find(({ key }) => key === event.key);
    if (!found) return;
    event.preventDefault();
    found.run();
  });
}

/** @param {EventTarget | null} target */
export function typing(target) {
  return target instanceof HTMLElement && target.matches("input, textarea, select, [contenteditable]");
}

/** @param {Shortcut[]} shortcuts */
export function shortcutsDialog(shortcuts) {
  const always = [
    ["Enter", "Ask"],
    ["Shift Enter", "A new line"],
    ["Tab", "After an answer: go to its sources"],
    ["Esc", "Stop the answer, close, or leave the question: then letters are commands"],
    ["Ctrl S", "Save the note"],
  ];
  const row = (key, words) => h("div", { class: "shortcut" }, h("dt", {}, h("kbd", {}, key)), h("dd", {}, words));
  const dialog = h(
    "dialog",
    { class: "settings", "aria-labelledby": "keys-title" },
    h("header", { class: "panel-head" }, h("h2", { id: "keys-title" }, "Keyboard"), iconButton("close", "Close", () => dialog.close())),
    h("dl", {}, shortcuts.map(({ key, words }) => row(key, words)), always.map(([key, words]) => row(key, words))),
  );
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  return dialog;
}
