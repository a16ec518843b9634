/** Where questions look, and how far back: a session's settings say it; of a conversation that has not begun, this browser. */

const NEW = "scope";

/**
 * @typedef {object} Place `folder` empty: the whole vault
 * @property {string} vault
 * @property {string} folder `/`: the notes in no folder
 */
/** @typedef {{place: Place | null, windowDays: number | null}} Wanted null: everywhere, or at any time */

/** @type {Readonly<Wanted>} */
const EVERYTHING = Object.freeze({ place: null, windowDays: null });

/** Fires `change`, and `chosen` where a person did it. */
export class Scope extends EventTarget {
  /** @param {import("./store.js").Drawer} memory */
  constructor(memory) {
    super();
    this.memory = memory;
    /** Whether the conversation that is looked at has begun. */
    this.begun = false;
    /** @type {Wanted} */
    this.now = EVERYTHING;
  }

  /** Another conversation is looked at. @param {string | null} id null: one that has not begun @param {any} kept its settings; null: not known */
  open(id, kept) {
    this.begun = id !== null;
    this.now = (!this.begun && this.memory.get(NEW, null)) || wanted(kept ?? {});
    this.dispatchEvent(new Event("change"));
  }

  /** Whether a person, or the session that is open, says where to look; else it is as the server begins one. */
  get chosen() {
    return this.begun || this.memory.get(NEW, null) !== null;
  }

  /** The conversation that is looked at has begun, and takes the scope over. */
  named() {
    this.startAgain();
    this.begun = true;
  }

  /** The next conversation looks everywhere again. */
  startAgain() {
    this.memory.put(NEW, null);
  }

  /** @param {Partial<Wanted>} changes */
  set(changes) {
    this.now = { ...this.now, ...changes };
    if (!this.begun) this.memory.put(NEW, this.now);
    this.dispatchEvent(new Event("change"));
    this.dispatchEvent(new Event("chosen"));
  }

  /** The field of a request, empty where nothing is left out. */
  get filters() {
    const { place, windowDays } = this.now;
    return {
      ...(place ? { vaults: [place.vault] } : {}), // `vault/folder` can be the name of another vault's folder
      ...(place?.folder ? { folders: [place.folder] } : {}),
      ...(windowDays ? { windowDays } : {}),
    };
  }

  /** The same as settings of a session. */
  get settings() {
    const { place, windowDays } = this.now;
    return { lookIn: place ? `${place.vault}/${place.folder}` : "", windowDays: windowDays ?? 0 };
  }
}

/** @param {{lookIn?: string, windowDays?: number}} settings of a session @returns {Wanted} */
function wanted({ lookIn = "", windowDays = 0 }) {
  const [vault, ...folder] = lookIn.split("/");
  return { place: vault ? { vault, folder: folder.join("/") } : null, windowDays: windowDays || null };
}
