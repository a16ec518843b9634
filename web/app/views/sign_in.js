/** The form in which people sign in, where that is configured. */

import { SignInError } from "../auth.js";
import { button, h } from "../dom.js";

/** @param {import("../auth.js").FirebaseAuth} auth */
export function signInForm(auth) {
  const email = h("input", { id: "email", type: "email", autocomplete: "username", required: true });
  const password = h("input", { id: "password", type: "password", autocomplete: "current-password" });
  const told = h("p", { role: "alert", class: "told" });
  const attempt = async (/** @type {() => Promise<void>} */ run) => {
    told.textContent = "";
    try {
      await run();
    } catch (error) {
      if (!(error instanceof SignInError || error instanceof TypeError)) throw error;
      told.textContent = error instanceof SignInError ? error.message : "The sign-in service cannot be reached.";
    }
  };
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    void attempt(() => auth.signIn(email.value, password.value));
  };
  const reset = async () => {
    await auth.resetPassword(email.value);
    told.textContent = "If there is such an account, a message is on its way.";
  };
  return h(
    "form",
    { class: "sign-in", onsubmit: submit },
    h("h1", {}, "Aurora Notes"),
    h("p", { class: "muted" }, "Ask your own notes."),
    h("label", { for: "email" }, "E-mail"),
    email,
    h("label", { for: "password" }, "Password"),
    password,
    told,
    h("button", { type: "submit", class: "primary wide" }, "Sign in"),
    button("Create an account", () => attempt(() => auth.signUp(email.value, password.value)), { class: "wide" }),
    button("Forgotten the password?", () => attempt(reset), { class: "quiet" }),
  );
}
