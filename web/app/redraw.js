/** Drawing again what somebody may be on. A click goes nowhere if its row is replaced before the release: rows wait for it. */

import { h } from "./dom.js";

/** The link or button that the pointer is down on. @type {Element | null} */
let pressed = null;
/** What waits to be drawn, by the element it is drawn into. @type {Map<Element, () => void>} */
const waiting = new Map();

/**
 * Draws into an element: at once, or when the link or button that is pressed in it has got its click. The last drawing counts.
 * @param {Element} element @param {() => void} draw
 */
export function unpressed(element, draw) {
  waiting.delete(element);
  if (element.contains(pressed)) waiting.set(element, draw);
  else draw();
}

/**
 * Other rows in a list, once none of them is pressed; who was on one of them stays on it.
 * @param {HTMLElement} list @param {any[]} rows false and null are skipped
 */
export function refill(list, rows) {
  unpressed(list, () => replaceRows(list, rows.filter(Boolean)));
}

/** @param {HTMLElement} list @param {(Node | string)[]} rows */
function replaceRows(list, rows) {
  const known = (/** @type {Element} */ each) => each.getAttribute("href") ?? each.getAttribute("aria-label");
  const focused = list.contains(document.activeElement) ? known(/** @type {Element} */ (document.activeElement)) : null;
  list.replaceChildren(...rows);
  const again = focused && [...list.querySelectorAll("a, button")].find((each) => known(each) === focused);
  if (again) /** @type {HTMLElement} */ (again).focus();
}

/** Other options of a choice, left as they are where nothing is new: it may be open. @param {HTMLSelectElement} choice @param {HTMLElement[]} options */
export function offer(choice, options) {
  const fresh = h("div", {}, options);
  if (choice.innerHTML !== fresh.innerHTML) choice.replaceChildren(...options);
}

function release() {
  pressed = null;
  setTimeout(drawWaiting); // the click comes right after the release
}

function drawWaiting() {
  const draws = [...waiting];
  waiting.clear();
  for (const [element, draw] of draws) unpressed(element, draw);
}

addEventListener("pointerdown", ({ target }) => (pressed = /** @type {Element} */ (target).closest("a, button")), true);
// Where a link is dragged, or a menu opens over it, browsers tell of no release.
for (const end of ["pointerup", "pointercancel", "dragstart", "contextmenu"]) addEventListener(end, release, true);
