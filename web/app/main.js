/** Where the page starts: who is there, then the views, then whatever the address says. */

import { Api, tried } from "./api.js";
import { FirebaseAuth, NoAuth } from "./auth.js";
import { Card } from "./citations.js";
import { loadConfig } from "./config.js";
import { Connection } from "./connection.js";
import { h } from "./dom.js";
import { Notes } from "./notes.js";
import { Scope } from "./scope.js";
import { Sessions } from "./sessions.js";
import { UserSettings } from "./settings.js";
import { drawer } from "./store.js";
import { Shell } from "./views/shell.js";
import { signInForm } from "./views/sign_in.js";
import { Workspace } from "./workspace.js";

/** Beyond the machine on which the product runs, its link carries a secret, which is exchanged for a cookie. */
async function enter() {
  const [, secret] = /^#secret=(.+)$/.exec(location.hash) ?? [];
  if (!secret) return;
  history.replaceState(null, "", "#/"); // it stays neither in the address nor in the history
  await fetch("./secret", { method: "POST", body: JSON.stringify({ secret: decodeURIComponent(secret) }) }).catch(() => {});
}

async function start() {
  await enter();
  const config = await loadConfig();
  const auth = config.firebase ? new FirebaseAuth(config.firebase, drawer("")) : new NoAuth();
  const connection = new Connection(`${config.apiBase}/${config.functionPrefix}api/health`);
  const api = new Api(config, auth, connection);
  auth.addEventListener("change", startAgain);
  if (auth.owner === null) {
    document.getElementById("app")?.replaceChildren(h("main", { class: "entrance" }, signInForm(/** @type {FirebaseAuth} */ (auth))));
    return;
  }
  open(api, auth, connection, auth.owner, config.writes);
}

/** @param {Api} api @param {any} auth @param {Connection} connection @param {string} owner @param {boolean} writes */
function open(api, auth, connection, owner, writes) {
  const shell = new Shell(connection);
  const memory = drawer(owner);
  const scope = new Scope(memory);
  const settings = new UserSettings(memory, scope);
  const cited = (citation) => void told(api, citation);
  const { say, announce } = shell;
  const tell = (/** @type {Error} */ { message }) => say(message);
  const page = { api, auth, writes, memory, settings, scope, connection, card: new Card(api, cited), say, tell, announce };
  const workspace = new Workspace(page, shell, new Sessions(page), new Notes(page));
  paint(settings);
  settings.addEventListener("change", () => paint(settings));
  const early = /** @type {HTMLTextAreaElement | null} */ (document.getElementById("early"));
  workspace.start(early?.value ?? "");
}

/** Nothing of one user stays on the page, or in the address, of another. */
function startAgain() {
  history.replaceState(null, "", "#/");
  location.reload();
}

/** @param {UserSettings} settings */
function paint(settings) {
  document.documentElement.dataset.theme = settings.now.theme;
}

/** Which citations people open is worth knowing, but no reason to bother them. @param {Api} api @param {any} citation */
async function told(api, citation) {
  const { requestId, cid } = citation;
  if (requestId) await tried(() => api.json("POST", "/feedback", { requestId, citation: cid }));
}

/** The only script address that is ever made from text. */
function keepForOffline() {
  if (!("serviceWorker" in navigator) || !isSecureContext) return;
  const address = "./sw.js";
  const policy = /** @type {any} */ (globalThis).trustedTypes?.createPolicy("aurora", { createScriptURL: () => address });
  void navigator.serviceWorker.register(policy ? policy.createScriptURL(address) : address);
}

await start();
keepForOffline();
