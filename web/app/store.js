/** What the page keeps in this browser. A full or forbidden storage costs the memory, never the page. */

const PREFIX = "aurora";

/**
 * A drawer of one user's.
 * @param {string} owner whose; two people on one browser do not see each other's
 */
export function drawer(owner) {
  const key = (name) => `${PREFIX}:${owner}:${name}`;
  return {
    /** @template T @param {string} name @param {T} otherwise @returns {T} */
    get(name, otherwise) {
      try {
        const text = localStorage.getItem(key(name));
        return text === null ? otherwise : JSON.parse(text);
      } catch {
        return otherwise;
      }
    },
    /** @param {string} name @param {any} value null removes it */
    put(name, value) {
      try {
        if (value === null) localStorage.removeItem(key(name));
        else localStorage.setItem(key(name), JSON.stringify(value));
      } catch {
        return; // the page works on without a memory
      }
    },
    /** Everything of this owner. */
    clear() {
      const mine = Object.keys(localStorage).filter((name) => name.startsWith(key("")));
      for (const name of mine) localStorage.removeItem(name);
    },
  };
}

/** @typedef {ReturnType<typeof drawer>} Drawer */
