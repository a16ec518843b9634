/** How questions are asked, as the user has set it. */

/**
 * @typedef {object} Settings
 * @property {boolean} useNotes
 * @property {number} topK passages the writer gets, 1-20
 * @property {number} threshold least similarity, 0-1; 0: none
 * @property {boolean} showSources whether answers carry citations
 * @property {"weighted" | "rrf"} strategy
 * @property {string} template `none`, `auto` or an id
 * @property {"auto" | "light" | "dark"} theme
 * @property {boolean} shortcuts whether single keys do something
 */

/** @type {Readonly<Settings>} */
const DEFAULTS = Object.freeze({
  useNotes: true,
  topK: 8,
  threshold: 0,
  showSources: true,
  strategy: "weighted",
  template: "none",
  theme: "auto",
  shortcuts: true,
});

/** The session adds no place and no time of its own: `filters` say both. */
const ELSEWHERE = Object.freeze({ lookIn: "", windowDays: 0 });

/** Kept in this browser; an open session's own ones lie over them. Fires `change`. */
export class UserSettings extends EventTarget {
  /** @param {import("./store.js").Drawer} memory @param {import("./scope.js").Scope} scope */
  constructor(memory, scope) {
    super();
    this.memory = memory;
    this.scope = scope;
    /** @type {Settings} */
    this.own = { ...DEFAULTS, ...memory.get("settings", {}) };
    /** @type {Partial<Settings>} */
    this.ofSession = {};
  }

  /** @returns {Settings} */
  get now() {
    return { ...this.own, ...this.ofSession };
  }

  /** @param {Partial<Settings>} changed */
  set(changed) {
    this.own = { ...this.own, ...changed };
    this.ofSession = { ...this.ofSession, ...pick(changed, Object.keys(this.ofSession)) };
    this.memory.put("settings", this.own);
    this.dispatchEvent(new Event("change"));
  }

  /** The fields of a request that restrict and order the search. */
  search() {
    const { filters } = this.scope;
    return {
      timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC",
      strategy: this.now.strategy,
      ...(Object.keys(filters).length ? { filters } : {}),
    };
  }

  /** The fields of /chat beside the message. */
  chat() {
    const { useNotes, topK, threshold, showSources, template } = this.now;
    return { ...this.search(), ...ELSEWHERE, useNotes, topK, threshold, includeCitations: showSources, template };
  }

  /** What a session keeps of them. */
  session() {
    const { useNotes, topK, threshold, showSources } = this.now;
    return { useNotes, topK, threshold, includeCitations: showSources, ...this.scope.settings };
  }

  /** Another session is open, with settings of its own; null: none. @param {any} kept */
  adopt(kept) {
    const { useNotes, topK, threshold, includeCitations: showSources } = kept ?? {};
    const given = Object.entries({ useNotes, topK, threshold, showSources });
    this.ofSession = Object.fromEntries(given.filter(([, value]) => value !== undefined && value !== null));
    this.dispatchEvent(new Event("change"));
  }
}

/** @param {object} from @param {string[]} names */
function pick(from, names) {
  return Object.fromEntries(Object.entries(from).filter(([name]) => names.includes(name)));
}
