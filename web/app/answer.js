/** One answer as it comes about: events in, what is to be shown out. No DOM. */

import { ApiError, errorOf } from "./api.js";
import { eventsOf } from "./sse.js";

/**
 * @typedef {object} Answer
 * @property {"waiting" | "searching" | "writing" | "done" | "stopped" | "failed"} phase
 * @property {string} text
 * @property {any[]} citations as the wire has them, each before its first marker
 * @property {any[]} claims sentences that state something, with what backs each
 * @property {any[]} sources passages the writer gets; known before the first word
 * @property {any} query how the question was understood, or null
 * @property {string[]} withdrawn why all that was shown was taken back
 * @property {any} meta of the result; null until then
 * @property {string | null} sessionId
 * @property {ApiError | null} error
 */

/** @returns {Answer} */
export function empty() {
  return {
    phase: "waiting",
    text: "",
    citations: [],
    claims: [],
    sources: [],
    query: null,
    withdrawn: [],
    meta: null,
    sessionId: null,
    error: null,
  };
}

/** @param {any} result the JSON of /chat @param {Answer} [before] @returns {Answer} */
export function finished(result, before = empty()) {
  const { answer: text, citations, claims = [], meta } = result;
  const sessionId = meta.sessionId ?? before.sessionId;
  return { ...before, phase: "done", text, citations, claims, meta, sessionId, query: meta.query ?? before.query };
}

/**
 * What to show after one more event.
 * @param {Answer} answer @param {string} event @param {any} data
 * @returns {Answer}
 */
export function after(answer, event, data) {
  switch (event) {
    case "start":
      return { ...answer, phase: "searching", sessionId: data.sessionId ?? answer.sessionId };
    case "query":
      return { ...answer, query: data };
    case "sources":
      return { ...answer, phase: "writing", sources: data.sources };
    case "token":
      return { ...answer, phase: "writing", text: answer.text + data.text, claims: data.claim ? [...answer.claims, data.claim] : answer.claims };
    case "citation":
      return { ...answer, citations: [...answer.citations, data] };
    case "retract":
      return { ...answer, text: "", citations: [], claims: [], withdrawn: [...answer.withdrawn, data.reason] };
    case "result":
      return finished(data, answer);
    case "error":
      return { ...answer, phase: "failed", error: errorOf(data.error) };
    default:
      return answer;
  }
}

/**
 * Ask, and give what to show after every event. The last one is done, stopped or failed; never throws.
 * @param {import("./api.js").Api} api @param {object} body @param {AbortSignal} signal
 * @returns {AsyncGenerator<Answer>}
 */
export async function* ask(api, body, signal) {
  let answer = empty();
  yield answer;
  try {
    const reply = await api.send("POST", "/chat", { body, signal, accept: "text/event-stream" });
    if (!reply.headers.get("Content-Type")?.startsWith("text/event-stream") || !reply.body) {
      yield finished(await reply.json());
      return;
    }
    for await (const { event, data } of eventsOf(reply.body)) {
      answer = after(answer, event, JSON.parse(data));
      yield answer;
    }
    if (!isOver(answer)) throw new TypeError("the stream ended early");
  } catch (error) {
    if (!isOver(answer)) yield ended(answer, error, signal, api);
  }
}

/** Whether nothing more can come of it, however its stream is closed. @param {Answer} answer */
function isOver({ phase }) {
  return phase === "done" || phase === "failed";
}

/** @param {Answer} answer @param {unknown} error @param {AbortSignal} signal @param {import("./api.js").Api} api @returns {Answer} */
function ended(answer, error, signal, api) {
  if (signal.aborted) return { ...answer, phase: "stopped" };
  if (error instanceof ApiError) return { ...answer, phase: "failed", error };
  api.connection.lost();
  return { ...answer, phase: "failed", error: new ApiError(0, "The connection broke before the answer was complete.") };
}
