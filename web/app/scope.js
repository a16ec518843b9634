/** Where questions look, and how far back: of each conversation its own, kept in this browser. */

const NEW = "new";
const MOST = 200;
/** Conversations whose scope is remembered: those that were given one last. */

/**
 * @typedef {object} Place `folder` empty: the whole vault
 * @property {string} vault
 * @property {string} folder
 */
/** @typedef {{place: Place | null, windowDays: number | null}} Wanted null: everywhere, or at any time */

/** @type {Readonly<Wanted>} */
const EVERYTHING = Object.freeze({ place: null, windowDays: null });

/** Fires `change`. */
export class Scope extends EventTarget {
  /** @param {import("./store.js").Drawer} memory */
  constructor(memory) {
    super();
    this.memory = memory;
    this.id = NEW;
    /** @type {Wanted} */
    this.now = EVERYTHING;
  }

  /** Another conversation is looked at. @param {string | null} id null: one that has not begun */
  open(id) {
    this.id = id ?? NEW;
    const kept = this.kept().find(([each]) => each === this.id);
    this.now = kept ? kept[1] : EVERYTHING;
    this.dispatchEvent(new Event("change"));
  }

  /** The conversation that is looked at has begun. @param {string} id */
  named(id) {
    this.keep(EVERYTHING);
    this.id = id;
    this.keep(this.now);
  }

  /** The next conversation looks everywhere again. */
  startAgain() {
    this.id = NEW;
    this.keep(EVERYTHING);
  }

  /** @param {Partial<Wanted>} changes */
  set(changes) {
    this.now = { ...this.now, ...changes };
    this.keep(this.now);
    this.dispatchEvent(new Event("change"));
  }

  /** The field of a request, empty where nothing is left out. */
  get filters() {
    const { place, windowDays } = this.now;
    return {
      ...(place?.folder ? { folders: [`${place.vault}/${place.folder}`] } : {}),
      ...(place && !place.folder ? { vaults: [place.vault] } : {}),
      ...(windowDays ? { windowDays } : {}),
    };
  }

  /** @returns {[string, Wanted][]} */
  kept() {
    return this.memory.get("scopes", []);
  }

  /** @param {Wanted} wanted */
  keep(wanted) {
    const others = this.kept().filter(([each]) => each !== this.id);
    const own = wanted.place || wanted.windowDays ? [[this.id, wanted]] : [];
    this.memory.put("scopes", [...others, ...own].slice(-MOST));
  }
}
