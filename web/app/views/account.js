/** Who is signed in, and the way out. */

import { ApiError } from "../api.js";
import { h } from "../dom.js";
import { confirmed } from "../page.js";

const PHRASE = "erase everything";

/** @param {import("../page.js").Page} page @returns {HTMLElement | null} null: nobody has an account here */
export function account(page) {
  const { user } = page.auth;
  if (!user) return null;
  return h(
    "div",
    {},
    h("h3", {}, "Account"),
    h("p", { class: "muted" }, user.email),
    h(
      "div",
      { class: "row" },
      h("button", { type: "button", onclick: () => page.auth.signOut() }, "Sign out"),
      h("button", { type: "button", class: "danger", onclick: () => erase(page) }, "Erase everything"),
    ),
  );
}

/** @param {import("../page.js").Page} page */
async function erase(page) {
  if (!(await confirmed("Erase every note, conversation and setting of yours on the server? Export first what you want to keep.", "Erase everything"))) return;
  try {
    await page.api.json("DELETE", "/me", { confirm: PHRASE });
    page.memory.clear();
    page.auth.signOut();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    page.say(error.message);
  }
}
