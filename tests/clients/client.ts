/** An app's client, typed by openapi.json alone: asks, streams, exports. Prints what it got as JSON. */

import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";

type Schemas = components["schemas"];

const [address, message] = process.argv.slice(2) as [string, string];
const client = createClient<paths>({ baseUrl: address });

async function saved(): Promise<string> {
  const params = { path: { noteId: "boat" } };
  const { data } = await client.PUT("/notes/{noteId}", { params, body: { title: "Boat", text: "The boat is blue." } });
  return data!.updatedAt;
}

async function whole(): Promise<Schemas["AnswerJson"]> {
  const { data } = await client.POST("/chat", { body: { message } });
  if (!data || !("answer" in data)) throw new Error("neither a stream nor a callable's reply was asked for");
  return data;
}

async function refused(): Promise<Schemas["ErrorStatusJson"]> {
  const { error } = await client.POST("/chat", { body: { message: "" } });
  return error!.error;
}

/** The events of a streamed answer, as a callable's lines give them. */
async function* streamed(): AsyncGenerator<Schemas["CallableStreamLine"]> {
  const headers = { "Content-Type": "application/json", Accept: "text/event-stream" };
  const reply = await fetch(`${address}/chat`, { method: "POST", headers, body: JSON.stringify({ data: { message } }) });
  let rest = "";
  for await (const piece of reply.body!.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + piece).split("\n\n");
    rest = lines.pop()!;
    for (const line of lines) yield JSON.parse(line.slice("data: ".length));
  }
}

async function exported(): Promise<Schemas["ExportLine"][]> {
  const { data } = await client.GET("/me:export", { parseAs: "text" });
  return String(data).trim().split("\n").map((line) => JSON.parse(line) as Schemas["ExportLine"]);
}

const savedAt = await saved();
const answer = await whole();
let text = "";
let result: Schemas["AnswerJson"] | undefined;
const kinds: string[] = [];
for await (const line of streamed()) {
  if ("result" in line) result = line.result;
  else if ("error" in line) throw new Error(line.error.message);
  else {
    kinds.push(line.message.type);
    if (line.message.type === "token") text += line.message.text;
  }
}
const lines = (await exported()).map((line) => (line.type === "note" ? `note ${line.noteId}` : line.type));
console.log(JSON.stringify({ savedAt, answer, text, result, kinds, lines, refused: await refused() }));
