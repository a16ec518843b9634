/** Whether the server can be reached. While it cannot, asks again and again, ever more slowly. */

const FIRST_WAIT = 1000;
const LONGEST_WAIT = 15000;

/**
 * Fires `change` whenever `online` changes.
 */
export class Connection extends EventTarget {
  /** @param {string} address of something cheap that answers when the server runs */
  constructor(address) {
    super();
    this.online = true;
    this.address = address;
    this.wait = FIRST_WAIT;
    this.timer = 0;
    addEventListener("online", () => this.check());
    addEventListener("offline", () => this.lost());
  }

  /** A request did not get through. */
  lost() {
    this.change(false);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.check(), this.wait);
  }

  /** The server answered. */
  found() {
    clearTimeout(this.timer);
    this.wait = FIRST_WAIT;
    this.change(true);
  }

  async check() {
    clearTimeout(this.timer);
    try {
      const reply = await fetch(this.address, { cache: "no-store", signal: AbortSignal.timeout(5000) });
      if (reply.ok) return this.found();
    } catch {
      // still away
    }
    this.wait = Math.min(this.wait * 1.6, LONGEST_WAIT);
    this.lost();
  }

  /** @param {boolean} online */
  change(online) {
    if (this.online === online) return;
    this.online = online;
    this.dispatchEvent(new Event("change"));
  }
}
