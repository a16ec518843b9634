/** How questions are asked: as the user has set it, in an open session as that is set, else as the server begins one. */

/**
 * @typedef {object} Settings
 * @property {boolean} useNotes
 * @property {number} topK passages the writer gets, 1-12
 * @property {number} threshold least similarity, 0-1; 0: none
 * @property {boolean} showSources whether answers carry citations
 * @property {"weighted" | "rrf"} strategy
 * @property {string} template `none`, `auto` or an id
 * @property {string} systemPrompt instructions for the model
 * @property {string | null} model null: the one that is configured
 * @property {"refuse" | "general"} whenNotInNotes
 * @property {number} maxHistory earlier messages that a question may refer to
 * @property {"auto" | "light" | "dark"} theme
 * @property {boolean} shortcuts whether single keys do something
 */

/** What is shown where the server has not said how it begins a session. @type {Readonly<Settings>} */
const DEFAULTS = Object.freeze({
  useNotes: true,
  topK: 8,
  threshold: 0,
  showSources: true,
  strategy: "weighted",
  template: "none",
  systemPrompt: "",
  model: null,
  whenNotInNotes: "refuse",
  maxHistory: 20,
  theme: "auto",
  shortcuts: true,
});

/** Settings that go with questions, under the names that the server has for them. */
const FIELDS = /** @type {const} */ ({
  useNotes: "useNotes",
  topK: "topK",
  threshold: "threshold",
  showSources: "includeCitations",
  strategy: "strategy",
  template: "template",
  systemPrompt: "systemPrompt",
  model: "model",
  whenNotInNotes: "whenNotInNotes",
  maxHistory: "maxHistory",
});
/** Those of them that are for one conversation alone. */
const OF_CONVERSATION = ["template", "systemPrompt", "model", "whenNotInNotes", "maxHistory"];

/** The session adds no place and no time of its own: `filters` say both. */
const ELSEWHERE = Object.freeze({ lookIn: "", windowDays: 0 });

const CHOSEN = "chosen";
const NEXT = "next";

/** What the user has changed, and nothing else, is kept in this browser and sent. Fires `change`. */
export class UserSettings extends EventTarget {
  /** @param {import("./store.js").Drawer} memory @param {import("./scope.js").Scope} scope */
  constructor(memory, scope) {
    super();
    this.memory = memory;
    this.scope = scope;
    /** What was changed for this browser. @type {Partial<Settings>} */
    this.own = memory.get(CHOSEN, {});
    /** What was changed for the conversation that begins next. @type {Partial<Settings>} */
    this.next = memory.get(NEXT, {});
    /** How the server begins a session. @type {Partial<Settings>} */
    this.defaults = {};
    /** The settings of the open session; null: none is open. @type {Partial<Settings> | null} */
    this.ofSession = null;
    /** What was changed since that was opened. @type {Partial<Settings>} */
    this.changed = {};
  }

  /** @returns {Settings} */
  get now() {
    return { ...DEFAULTS, ...this.defaults, ...this.own, ...(this.ofSession ?? this.next) };
  }

  /** @param {Partial<Settings>} changed */
  set(changed) {
    const lasting = Object.keys(changed).filter((name) => !OF_CONVERSATION.includes(name));
    this.own = { ...this.own, ...pick(changed, lasting) };
    this.memory.put(CHOSEN, this.own);
    if (this.ofSession) {
      const asked = pick(changed, Object.keys(FIELDS));
      this.ofSession = { ...this.ofSession, ...asked };
      this.changed = { ...this.changed, ...asked };
    } else {
      this.next = { ...this.next, ...pick(changed, OF_CONVERSATION) };
      this.memory.put(NEXT, this.next);
    }
    this.dispatchEvent(new Event("change"));
  }

  /** The fields of a request that restrict and order the search. */
  search() {
    const { filters } = this.scope;
    const { strategy } = this.now;
    return { ...timeZone(), ...(strategy === DEFAULTS.strategy ? {} : { strategy }), ...(Object.keys(filters).length ? { filters } : {}) };
  }

  /** The fields of /chat beside the message: what was changed, all else is the session's. */
  chat() {
    const { filters, chosen } = this.scope;
    return { ...timeZone(), ...(Object.keys(filters).length ? { filters } : {}), ...(chosen ? ELSEWHERE : {}), ...this.changes() };
  }

  /** What a session keeps of them. */
  session() {
    return { ...this.changes(), ...(this.scope.chosen ? this.scope.settings : {}) };
  }

  /** What was changed for the conversation that is looked at, under the server's names. */
  changes() {
    return toWire(this.ofSession ? this.changed : { ...this.own, ...this.next });
  }

  /** The conversation that is looked at has begun, with what was chosen for it. */
  begin() {
    this.changed = pick({ ...this.own, ...this.next }, Object.keys(FIELDS));
    this.ofSession = pick(this.now, Object.keys(FIELDS));
    this.startAgain();
  }

  /** The next conversation begins as the server says. */
  startAgain() {
    this.next = {};
    this.memory.put(NEXT, null);
  }

  /** Another session is open, with settings of its own; null for a session without any. @param {any} kept */
  adopt(kept) {
    this.ofSession = kept ? fromWire(kept) : null;
    this.changed = {};
    this.dispatchEvent(new Event("change"));
  }

  /** @param {any} defaults how the server begins a session */
  know(defaults) {
    this.defaults = fromWire(defaults);
    this.dispatchEvent(new Event("change"));
  }
}

function timeZone() {
  return { timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC" };
}

/** @param {Record<string, any>} settings of this page */
function toWire(settings) {
  const named = Object.entries(FIELDS).filter(([name]) => name in settings);
  return Object.fromEntries(named.map(([name, field]) => [field, settings[name]]));
}

/** @param {Record<string, any>} settings of a session @returns {Partial<Settings>} */
function fromWire(settings) {
  const known = Object.entries(FIELDS).filter(([, field]) => settings[field] !== undefined);
  return Object.fromEntries(known.map(([name, field]) => [name, settings[field]]));
}

/** @param {object} from @param {string[]} names */
function pick(from, names) {
  return Object.fromEntries(Object.entries(from).filter(([name]) => names.includes(name)));
}
