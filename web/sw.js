/** Keeps the page's own files, so that it opens without a connection too. What the server has is always preferred. */

const CACHE = "aurora-page";
const FILE = /\/$|\.(html|css|js|svg|json)$/;

self.addEventListener("install", (event) => {
  void self.skipWaiting();
  event.waitUntil(keepAll());
});
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  const page = url.href.startsWith(self.registration.scope) && !url.pathname.startsWith("/api/");
  if (request.method === "GET" && page && FILE.test(url.pathname) && !url.search) event.respondWith(answer(request));
});

/** The page and every file that it names. */
async function keepAll() {
  const cache = await caches.open(CACHE);
  const reply = await fetch("./", { headers: { Accept: "text/html" } });
  const named = [...(await reply.clone().text()).matchAll(/(?:href|src)="(\.\/[^"]+)"/g)].map(([, address]) => address);
  await Promise.all([cache.put("./", reply), cache.addAll(named), keepConfig(cache)]);
}

/** A host may do without one. @param {Cache} cache */
async function keepConfig(cache) {
  const reply = await fetch("./config.json");
  if (reply.ok) await cache.put("./config.json", reply);
}

/** @param {Request} request */
async function answer(request) {
  const cache = await caches.open(CACHE);
  try {
    const reply = await fetch(request);
    if (reply.ok) await cache.put(request, reply.clone());
    return reply;
  } catch (error) {
    const kept = await cache.match(request, { ignoreVary: true });
    if (kept) return kept;
    throw error;
  }
}
