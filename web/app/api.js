/** Requests to the product: address, identity, errors. The paths are those of the functions' host. */

/** A reply that is an error, or no reply at all (`status` 0). */
export class ApiError extends Error {
  /**
   * @param {number} status HTTP status; 0: the server could not be reached
   * @param {string} message for people
   * @param {{reason?: string, retryAfter?: number}} [more]
   */
  constructor(status, message, more = {}) {
    super(message);
    this.status = status;
    this.reason = more.reason ?? "";
    this.retryAfter = more.retryAfter ?? 0;
  }

  get unreachable() {
    return this.status === 0;
  }
}

/**
 * What `run` brings; where a request of it failed, what is done about that. Other errors pass.
 * @template T
 * @param {() => Promise<T>} run @param {(error: ApiError) => void} [failed] default: it is no news
 * @returns {Promise<T | void>}
 */
export async function tried(run, failed = () => {}) {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    failed(error);
  }
}

const UNREACHABLE = "The server cannot be reached.";

/** @typedef {{token: (fresh?: boolean) => Promise<string | null>}} Auth */

export class Api {
  /**
   * @param {import("./config.js").Config} config where the functions are
   * @param {Auth} auth
   * @param {import("./connection.js").Connection} connection
   */
  constructor(config, auth, connection) {
    this.base = config.apiBase;
    this.functions = `${config.apiBase}/${config.functionPrefix}`;
    this.auth = auth;
    this.connection = connection;
    this.files = config.files;
  }

  /** A note, with the `origin` that it has: its file; null: none can be reached. Throws ApiError. @param {string} id @returns {Promise<any>} */
  async note(id) {
    const [note, origin] = await Promise.all([this.get(`/notes/${encodeURIComponent(id)}`), this.file(id)]);
    return { ...note, origin };
  }

  /** @param {string} id @returns {Promise<any>} */
  async file(id) {
    return this.files ? this.get(`/notes/${encodeURIComponent(id)}:file`) : null;
  }

  /** @param {string} path */
  async get(path) {
    return this.json("GET", path);
  }

  /**
   * The reply's JSON; null for an empty one. Throws ApiError.
   * @param {string} method @param {string} path @param {object} [body] @param {AbortSignal} [signal]
   */
  async json(method, path, body, signal) {
    const reply = await this.send(method, path, { body, signal });
    const text = await reply.text().catch(() => {
      throw new ApiError(0, UNREACHABLE); // it broke off, or the page is being left
    });
    return text ? JSON.parse(text) : null;
  }

  /**
   * A reply that went well, its body unread. Throws ApiError; AbortError when `signal` says so.
   * @param {string} method @param {string} path
   * @param {{body?: object, signal?: AbortSignal, accept?: string}} [options]
   */
  async send(method, path, options = {}) {
    let reply = await this.attempt(method, path, options, false);
    if (reply.status === 401) reply = await this.attempt(method, path, options, true);
    this.connection.found();
    if (!reply.ok) throw await refusal(reply);
    return reply;
  }

  /**
   * @param {string} method @param {string} path
   * @param {{body?: object, signal?: AbortSignal, accept?: string}} options @param {boolean} fresh
   */
  async attempt(method, path, { body, signal, accept = "application/json" }, fresh) {
    try {
      const token = await this.auth.token(fresh);
      return await fetch(this.address(path), {
        method,
        signal,
        keepalive: method === "PATCH", // small; a page that is left right after does not take it back
        headers: {
          Accept: accept,
          ...(body ? { "Content-Type": "application/json" } : {}),
          ...(token ? { Authorization: `Bearer ${token}` } : {}),
        },
        body: body ? JSON.stringify(body) : undefined,
      });
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      this.connection.lost();
      throw new ApiError(0, UNREACHABLE);
    }
  }

  /** `/chat` is a function of its own. @param {string} path */
  address(path) {
    return path === "/chat" ? `${this.functions}chat` : `${this.functions}api${path}`;
  }
}

/** @param {Response} reply */
async function refusal(reply) {
  const retryAfter = Number(reply.headers.get("Retry-After")) || 0;
  try {
    return errorOf((await reply.json()).error, reply.status, retryAfter);
  } catch {
    return new ApiError(reply.status, `The server answered ${reply.status}.`, { retryAfter });
  }
}

/** A Google JSON error as ours. @param {any} error @param {number} [status] @param {number} [retryAfter] */
export function errorOf(error, status = error?.code ?? 500, retryAfter = 0) {
  return new ApiError(status, error?.message ?? "Something went wrong.", { reason: error?.details?.[0]?.reason, retryAfter });
}
