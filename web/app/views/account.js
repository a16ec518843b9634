/** Who is signed in, and the way out. */

import { ApiError } from "../api.js";
import { h } from "../dom.js";
import { confirmedByWord } from "../page.js";

const PHRASE = "erase everything";

/** @param {import("../page.js").Page} page @param {import("../sessions.js").Sessions} sessions @returns {HTMLElement} */
export function account(page, sessions) {
  const { user } = page.auth;
  return h(
    "div",
    {},
    h("h3", {}, user ? "Account" : "Your data"),
    user ? h("p", { class: "muted" }, user.email) : null,
    h("p", { class: "muted" }, "Erasing takes every note, conversation and setting. Export them first, under Notes."),
    h(
      "div",
      { class: "row" },
      user ? h("button", { type: "button", onclick: () => signOut(page, sessions) }, "Sign out") : null,
      h("button", { type: "button", class: "danger", onclick: () => erase(page) }, "Erase everything"),
    ),
  );
}

/** @param {import("../page.js").Page} page @param {import("../sessions.js").Sessions} sessions */
function signOut(page, sessions) {
  sessions.forgetLast();
  page.auth.signOut();
}

/** @param {import("../page.js").Page} page */
async function erase(page) {
  const question = "Erase every note, conversation and setting of yours? It cannot be brought back: export first what you want to keep.";
  if (!(await confirmedByWord(question, "Erase everything", "erase"))) return;
  try {
    await page.api.json("DELETE", "/me", { confirm: PHRASE });
    page.memory.clear();
    page.auth.signOut();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    page.say(error.message);
  }
}
