/** What is shown, as the address says it: every view can be gone back to, reloaded and sent to somebody. */

/**
 * @typedef {object} Route
 * @property {"chat" | "notes"} view
 * @property {string | null} id of the session, or of the note
 * @property {string | null} note id of a note beside a chat
 * @property {{start: number, end: number} | null} at span to show in it, UTF-16
 * @property {boolean} edit whether the note is being edited
 */

/** @param {string} hash @returns {Route} */
export function parse(hash) {
  const [path, query = ""] = hash.replace(/^#/, "").split("?");
  const [view, id = ""] = path.split("/").filter(Boolean);
  const more = new URLSearchParams(query);
  const [, start, end] = /^(\d+)-(\d+)$/.exec(more.get("at") ?? "") ?? [];
  return {
    view: view === "notes" ? "notes" : "chat",
    id: id ? decoded(id) : null,
    note: more.get("note"),
    at: start ? { start: Number(start), end: Number(end) } : null,
    edit: more.has("edit"),
  };
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** @param {Partial<Route>} route @returns {string} */
export function format({ view = "chat", id, note, at, edit }) {
  const more = new URLSearchParams();
  if (note) more.set("note", note);
  if (at) more.set("at", `${at.start}-${at.end}`);
  if (edit) more.set("edit", "1");
  const path = [view === "notes" ? "notes" : id ? "c" : "", id ? encodeURIComponent(id) : ""].filter(Boolean).join("/");
  return `#/${path}${more.size ? `?${more}` : ""}`;
}

/** @param {Partial<Route>} route @param {{replace?: boolean}} [options] `replace`: without a step to go back to */
export function go(route, { replace = false } = {}) {
  const hash = format(route);
  if (!replace) {
    location.hash = hash;
    return;
  }
  history.replaceState(null, "", hash);
  dispatchEvent(new HashChangeEvent("hashchange"));
}

/** @returns {Route} */
export function here() {
  return parse(location.hash);
}

// -- what lies over the page on a phone: Back closes it, one layer at a time

const BY_TOUCH = matchMedia("(pointer: coarse)");
/** How each layer is closed, the topmost last. @type {(() => void)[]} */
const layers = [];
/** Steps back that are under way because a layer was closed in another way: they close nothing more. */
let leaving = 0;

/**
 * Something was opened over the page: Back closes it.
 * @param {() => void} close @returns {() => void} to be called when it was closed in another way
 */
export function layer(close) {
  if (!BY_TOUCH.matches) return () => {};
  layers.push(close);
  const step = () => layers.includes(close) && history.pushState({ layer: layers.length }, "");
  if (leaving) addEventListener("popstate", step, { once: true }); // the step back of the layer before comes first
  else step();
  return () => {
    if (layers.at(-1) !== close) return;
    layers.pop();
    if (!history.state?.layer) return; // somebody went on from there
    leaving += 1;
    history.back();
  };
}

/** A dialog as such a layer. @param {HTMLDialogElement} dialog */
export function showDialog(dialog) {
  dialog.addEventListener("close", layer(() => dialog.close()), { once: true });
  dialog.showModal();
}

addEventListener("popstate", () => {
  if (leaving) leaving -= 1;
  else layers.pop()?.();
});

/** A link in a layer takes its step. */
addEventListener("click", (event) => {
  const link = layers.length && /** @type {Element} */ (event.target).closest?.("a[href^='#']");
  if (!link || event.defaultPrevented) return;
  event.preventDefault();
  go(parse(/** @type {HTMLAnchorElement} */ (link).hash), { replace: true });
  layers.pop()?.();
});
