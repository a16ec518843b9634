/** Who uses the page: a Firebase user by REST, without the SDK, or the one user of this machine. */

const EARLY = 60_000;
/** Milliseconds before its end at which a token is renewed. */

const REASONS = /** @type {Readonly<Record<string, string>>} */ ({
  EMAIL_NOT_FOUND: "There is no account with this address.",
  INVALID_PASSWORD: "The password is wrong.",
  INVALID_LOGIN_CREDENTIALS: "Address and password do not match.",
  INVALID_EMAIL: "This is not an e-mail address.",
  EMAIL_EXISTS: "There is an account with this address already: sign in.",
  WEAK_PASSWORD: "The password needs at least six characters.",
  USER_DISABLED: "This account has been disabled.",
  MISSING_PASSWORD: "Type a password.",
  TOO_MANY_ATTEMPTS_TRY_LATER: "Too many attempts. Try again later.",
});

/** Signing in did not work; `message` says why, in words for people. */
export class SignInError extends Error {}

/**
 * Signs in by e-mail and password. Fires `change` when somebody comes or goes. The refresh token stays in this
 * browser, ID tokens live in memory.
 */
export class FirebaseAuth extends EventTarget {
  /** @param {import("./config.js").Firebase} config @param {import("./store.js").Drawer} memory */
  constructor(config, memory) {
    super();
    const host = (name) => (config.emulator ? `${config.emulator}/${name}` : `https://${name}`);
    this.accounts = `${host("identitytoolkit.googleapis.com")}/v1/accounts`;
    this.renewal = `${host("securetoken.googleapis.com")}/v1/token`;
    this.key = encodeURIComponent(config.apiKey);
    this.memory = memory;
    /** @type {{uid: string, email: string, refreshToken: string} | null} */
    this.user = memory.get("user", null);
    this.idToken = "";
    this.until = 0;
    /** @type {Promise<void> | undefined} */
    this.renewing = undefined;
  }

  get owner() {
    return this.user ? this.user.uid : null;
  }

  /** @param {string} email @param {string} password */
  async signIn(email, password) {
    this.enter(await this.post(`${this.accounts}:signInWithPassword`, { email, password, returnSecureToken: true }));
  }

  /** @param {string} email @param {string} password */
  async signUp(email, password) {
    this.enter(await this.post(`${this.accounts}:signUp`, { email, password, returnSecureToken: true }));
  }

  /** @param {string} email */
  async resetPassword(email) {
    await this.post(`${this.accounts}:sendOobCode`, { requestType: "PASSWORD_RESET", email });
  }

  signOut() {
    this.user = null;
    this.idToken = "";
    this.memory.put("user", null);
    this.dispatchEvent(new Event("change"));
  }

  /**
   * A token that is good for a while. Throws TypeError while the sign-in service cannot be reached.
   * @param {boolean} [fresh] whether the one at hand was refused
   */
  async token(fresh = false) {
    if (!this.user) return null;
    if (fresh || Date.now() > this.until - EARLY) {
      this.renewing ??= this.renew().finally(() => (this.renewing = undefined));
      await this.renewing;
    }
    return this.idToken;
  }

  async renew() {
    const body = { grant_type: "refresh_token", refresh_token: this.user?.refreshToken };
    try {
      const reply = await this.post(this.renewal, body);
      this.keep(reply.id_token, reply.expires_in);
      if (this.user) this.remember({ ...this.user, refreshToken: reply.refresh_token });
    } catch (error) {
      if (error instanceof SignInError) this.signOut();
      throw error;
    }
  }

  /** @param {any} reply */
  enter(reply) {
    this.keep(reply.idToken, reply.expiresIn);
    this.remember({ uid: reply.localId, email: reply.email, refreshToken: reply.refreshToken });
    this.dispatchEvent(new Event("change"));
  }

  /** @param {string} token @param {string} seconds */
  keep(token, seconds) {
    this.idToken = token;
    this.until = Date.now() + Number(seconds) * 1000;
  }

  /** @param {{uid: string, email: string, refreshToken: string}} user */
  remember(user) {
    this.user = user;
    this.memory.put("user", user);
  }

  /** @param {string} address @param {object} body */
  async post(address, body) {
    const reply = await fetch(`${address}?key=${this.key}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    const said = await reply.json();
    if (reply.ok) return said;
    const code = String(said.error?.message ?? "").split(" ")[0];
    throw new SignInError(REASONS[code] ?? `Signing in failed (${code || reply.status}).`);
  }
}

/** Nobody signs in: the server knows its one user. */
export class NoAuth extends EventTarget {
  owner = "local";
  user = null;

  async token() {
    return null;
  }

  /** There is nobody to go; the page starts again. */
  signOut() {
    this.dispatchEvent(new Event("change"));
  }
}
