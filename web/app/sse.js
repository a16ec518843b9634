/** Server-sent events from a fetch body (https://html.spec.whatwg.org/multipage/server-sent-events.html). */

/**
 * Each event with its data as text; comments are dropped. Ends with the stream.
 * @param {ReadableStream<Uint8Array>} body
 * @returns {AsyncGenerator<{event: string, data: string}>}
 */
export async function* eventsOf(body) {
  let event = "message";
  let data = /** @type {string[]} */ ([]);
  for await (const line of linesOf(body)) {
    if (line === "") {
      if (data.length) yield { event, data: data.join("\n") };
      event = "message";
      data = [];
    } else if (line.startsWith("event:")) event = valueOf(line, 6);
    else if (line.startsWith("data:")) data.push(valueOf(line, 5));
  }
}

/** @param {string} line @param {number} from */
function valueOf(line, from) {
  return line.slice(line[from] === " " ? from + 1 : from);
}

/** @param {ReadableStream<Uint8Array>} body */
async function* linesOf(body) {
  const text = /** @type {ReadableStream<string>} */ (body.pipeThrough(/** @type {any} */ (new TextDecoderStream())));
  const reader = text.getReader();
  let rest = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const lines = (rest + value).split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? "";
      yield* lines;
    }
  } finally {
    await reader.cancel().catch(() => undefined); // a reader that left is no error of the stream
  }
}
