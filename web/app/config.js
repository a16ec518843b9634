/** Where the product answers and how people sign in: `config.json` beside the page, or nothing at all. */

/**
 * @typedef {object} Firebase
 * @property {string} apiKey the project's web key
 * @property {string} [emulator] address of an Auth emulator to use instead
 */

/**
 * @typedef {object} Config
 * @property {string} apiBase address of the functions' host; empty: the page's own
 * @property {string} functionPrefix what stands before the functions' names there
 * @property {Firebase | null} firebase null: nobody signs in
 * @property {boolean} writes whether a model writes answers; else they are quotes
 * @property {boolean} files whether notes may have files that the server reaches
 */

/** @returns {Promise<Config>} The default where there is no such file. */
export async function loadConfig() {
  const given = await read();
  const firebase = given.firebase?.apiKey ? given.firebase : null;
  const apiBase = String(given.apiBase ?? "").replace(/\/+$/, "");
  return { apiBase, functionPrefix: String(given.functionPrefix ?? ""), firebase, files: given.files === true, writes: given.writes !== false };
}

async function read() {
  try {
    const reply = await fetch("./config.json");
    return reply.ok ? await reply.json() : {};
  } catch {
    return {};
  }
}
