/** DOM building. Every text goes in as a text node; nothing here takes HTML. */

const SVG = "http://www.w3.org/2000/svg";

const NO_BLANKS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
/** Scripts in which words are short, and nothing parts them. */

/** Outlines on a 24 × 24 grid. @type {Readonly<Record<string, string>>} */
const ICONS = {
  send: "M5 12h13M12 5l7 7-7 7",
  stop: "M7 7h10v10H7z",
  menu: "M4 7h16M4 12h16M4 17h16",
  close: "M6 6l12 12M18 6L6 18",
  chat: "M4 5h16v11H9l-5 4z",
  note: "M6 3h9l4 4v14H6zM9 11h7M9 15h7",
  gear: "M4 7h9M17 7h3M4 17h3M11 17h9M15 4.5v5M9 14.5v5",
  help: "M9 9a3 3 0 1 1 4.2 2.8c-.8.4-1.2 1-1.2 2.2M12 17.5v.1",
  trash: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13",
  edit: "M4 20l1-4L16 5l3 3L8 19z",
  up: "M7 11l4-7c2 0 2.5 1.5 2 3l-.5 3H19l-2 9H7zM7 11H4v8h3",
  down: "M17 13l-4 7c-2 0-2.5-1.5-2-3l.5-3H5l2-9h10zM17 13h3V5h-3",
  copy: "M9 9h11v11H9zM15 9V4H4v11h5",
  folder: "M9 6l6 6-6 6",
  clock: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M12 7v5l3 2",
};

/**
 * An element with properties and children. `on…` are listeners, `dataset` an object; true and false set and leave out
 * an attribute; null and false children are skipped, strings and numbers become text nodes.
 * @template {string} Tag
 * @param {Tag} tag
 * @param {Record<string, any>} [props]
 * @param {...any} children
 * @returns {Tag extends keyof HTMLElementTagNameMap ? HTMLElementTagNameMap[Tag] : HTMLElement}
 */
export function h(tag, props = {}, ...children) {
  const element = /** @type {any} */ (document.createElement(tag));
  for (const [name, value] of Object.entries(props)) set(element, name, value);
  // One by one: a long text has more children than a call takes arguments.
  for (const child of children.flat(Infinity).filter(shown)) element.append(asNode(child));
  return element;
}

/** @param {HTMLElement} element @param {string} name @param {any} value */
function set(element, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
  else if (name === "dataset") Object.assign(element.dataset, value);
  else if (name === "value") /** @type {HTMLInputElement} */ (element).value = value;
  else element.setAttribute(name, value === true ? "" : String(value));
}

/** @param {any} child */
function shown(child) {
  return child !== null && child !== undefined && child !== false;
}

/** @param {any} child */
function asNode(child) {
  return child instanceof Node ? child : document.createTextNode(String(child));
}

/** @param {string | Node} label @param {(event: Event) => void} onclick @param {Record<string, any>} [props] */
export function button(label, onclick, props = {}) {
  return h("button", { type: "button", onclick, ...props }, label);
}

/** A drawn sign, hidden from screen readers: its button has a name. @param {string} name */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}

/**
 * A button that shows a sign. Its label is read out and shown as a tooltip.
 * @param {string} name @param {string} label @param {(event: Event) => void} onclick @param {Record<string, any>} [props]
 */
export function iconButton(name, label, onclick, props = {}) {
  return button(icon(name), onclick, { class: "icon-button", "aria-label": label, title: label, ...props });
}

/** `1 source`, `3 sources`. @param {number} count @param {string} word @param {string} [several] */
export function plural(count, word, several = `${word}s`) {
  return `${count.toLocaleString()} ${count === 1 ? word : several}`;
}

const DAY_PARTS = /** @type {const} */ ({ day: "numeric", month: "short", year: "numeric" });

const DAY = new Intl.DateTimeFormat(undefined, DAY_PARTS);

const MOMENT = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric", hour: "numeric", minute: "2-digit" });

/** A day and the time of day in the reader's words. @param {string} instant RFC 3339 */
export function moment(instant) {
  return MOMENT.format(new Date(instant));
}

/** A day in the reader's words. @param {string} instant RFC 3339 */
export function day(instant) {
  return DAY.format(new Date(instant));
}

/** A day as a language writes it; as the reader does where it is theirs. @param {string} instant RFC 3339 @param {string} lang */
export function dayIn(instant, lang) {
  if (navigator.language.split("-")[0] === lang) return day(instant);
  return new Intl.DateTimeFormat(lang, DAY_PARTS).format(new Date(instant));
}

const TELLING = 3;
/** Letters of a word from which on its beginning says enough: a shorter one counts only whole, and only alone. */

/**
 * A text with the words of a search marked, wherever they begin a word.
 * @param {string} text @param {string} query
 */
export function marked(text, query) {
  const words = query.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  if (!words.length) return [text];
  const long = words.filter((word) => word.length >= TELLING || NO_BLANKS.test(word));
  const end = long.length ? "" : "(?![\\p{L}\\p{N}])";
  const found = new RegExp(`(?<![\\p{L}\\p{N}])(${(long.length ? long : words).join("|")})${end}`, "giu");
  return text.split(found).map((piece, place) => (place % 2 ? h("mark", {}, piece) : piece));
}

/**
 * Keys of a search: from the field the arrow leads into the list, Enter opens the first row, Escape empties the field;
 * in the list arrows go from row to row, and Escape back.
 * @param {HTMLInputElement} field @param {HTMLElement} list @param {() => Promise<void> | void} search until the list is as typed
 */
export function searchKeys(field, list, search) {
  const rows = () => /** @type {HTMLElement[]} */ ([...list.querySelectorAll("a, .folder > button")]);
  const open = () => {
    const [first] = rows();
    first?.focus(); // letters are commands from here on
    first?.click();
  };
  field.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") rows()[0]?.focus();
    else if (event.key === "Enter") void Promise.resolve(search()).then(open);
    else if (event.key === "Escape" && field.value) {
      field.value = "";
      void search();
    } else return;
    event.preventDefault();
  });
  list.addEventListener("keydown", (event) => {
    const all = rows();
    const at = all.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const to = { ArrowDown: all[at + 1] ?? all[at], ArrowUp: all[at - 1] ?? field, Escape: field }[event.key];
    if (at === -1 || !to) return;
    event.preventDefault();
    to.focus();
  });
}

/** At most once per frame. @param {() => void} run */
export function framed(run) {
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      run();
    });
  };
}

/** Once things have been quiet for a while. @param {(...values: any[]) => void} run @param {number} milliseconds */
export function settled(run, milliseconds) {
  let timer = 0;
  return (/** @type {any[]} */ ...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => run(...values), milliseconds);
  };
}
