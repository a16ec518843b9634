// What an app does: sign in, call the function, unstreamed and streamed. Prints one JSON object.
import { initializeApp } from "firebase/app";
import { connectAuthEmulator, getAuth, signInAnonymously } from "firebase/auth";
import { connectFunctionsEmulator, getFunctions, httpsCallable } from "firebase/functions";

const [project, functionPort, authPort, asked] = process.argv.slice(2);
const app = initializeApp({ projectId: project, apiKey: "key", appId: "app" });
const functions = getFunctions(app);
connectFunctionsEmulator(functions, "127.0.0.1", Number(functionPort));
const chat = httpsCallable(functions, "chat");
const question = JSON.parse(asked);

async function streamed(data) {
  const { stream, data: result } = await chat.stream(data);
  const messages = [];
  try {
    for await (const message of stream) messages.push(message);
  } catch {
    // the same error comes with the result
  }
  return await result.then(
    (value) => ({ messages, result: value }),
    (error) => ({ messages, error: { code: error.code, message: error.message, details: error.details } }),
  );
}

const stranger = await chat(question).then(
  () => null,
  (error) => error.code,
);
const streamedStranger = (await streamed(question)).error.code;

const auth = getAuth(app);
connectAuthEmulator(auth, `http://127.0.0.1:${authPort}`, { disableWarnings: true });
await signInAnonymously(auth);

const whole = (await chat(question)).data;
const bad = await chat({ message: 3 }).catch((error) => ({ code: error.code, details: error.details }));
console.log(
  JSON.stringify({
    stranger,
    streamedStranger,
    whole,
    bad,
    streamed: await streamed(question),
    streamedBad: await streamed({ message: 3 }),
  }),
);
process.exit(0);
