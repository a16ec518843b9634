/** A stock GraphQL client: what it makes of an answer, of a field that fails and of a document that is wrong. */

import { Client, fetchExchange } from "@urql/core";

const [address] = process.argv.slice(2);
const client = new Client({ url: `${address}/graphql`, exchanges: [fetchExchange], preferGetMethod: false });

const told = ({ data, error }) => ({
  data: data ?? null,
  network: error?.networkError?.message ?? null,
  errors: (error?.graphQLErrors ?? []).map(({ message, extensions }) => ({ message, extensions })),
});

const ask = `mutation ($message: String!) { ask(message: $message) { answer session { title messageCount } } }`;
const asked = await client.mutation(ask, { message: "Which colour is the boat?" }).toPromise();
const unknown = await client.query(`{ session(sessionId: "none") { title } }`, {}).toPromise();
const wrong = await client.query(`{ nothing }`, {}).toPromise();
console.log(JSON.stringify({ asked: told(asked), unknown: told(unknown), wrong: told(wrong) }));
