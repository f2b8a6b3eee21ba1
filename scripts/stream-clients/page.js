// SPDX-License-Identifier: Apache-2.0

// The checks that browser.py lists. The page requests steps that the browser cannot perform itself at /do/STEP.
const step = async (name, words = {}) => {
  const answer = await fetch(`/do/${name}`, { method: "POST", body: new URLSearchParams(words) });
  const value = await answer.json();
  if (!answer.ok) throw new Error(`${name}: ${value}`);
  return value;
};
const check = (what, holds, seen = "") =>
  step("check", { what, holds: String(Boolean(holds)), seen: JSON.stringify(seen) ?? "" });
const until = async (what, condition) => {
  for (let tries = 0; tries < 1000; tries += 1) {
    if (await condition()) return true;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await check(what, false, "not true within the time limit");
  return false;
};
const isEvent = (event) => !["server.connected", "server.heartbeat"].includes((event.payload ?? event).type);

// Records all events of an EventSource.
class Reader {
  constructor(address) {
    this.messages = [];
    this.gaps = [];
    this.states = [];
    this.opened = 0;
    this.errors = 0;
    this.source = new EventSource(address);
    this.source.onopen = () => {
      this.opened += 1;
      this.stateAtOpen = this.source.readyState;
    };
    this.source.onmessage = ({ type, data, lastEventId, origin }) =>
      this.messages.push({ type, data, id: lastEventId, origin });
    this.source.addEventListener("gap", ({ data, lastEventId }) => this.gaps.push({ data: JSON.parse(data), lastEventId }));
    this.source.onerror = () => {
      this.errors += 1;
      this.states.push(this.source.readyState);
    };
  }

  get events() {
    return this.messages.filter(({ data }) => isEvent(JSON.parse(data)));
  }

  async opens() {
    return until("a stream opens", () => this.opened > 0);
  }
}

const hasEnded = (name, session) => (data) =>
  data.includes(session) && data.includes(name === "two" ? '"session.execution.succeeded"' : '"session.idle"');

// Interrupts the connections during a turn. Every event from OpenCode must arrive once, with ascending IDs. The browser must
// reconnect after the announced delay.
async function cuts(way, name, stream) {
  const what = `${stream} of ${name}`;
  await step("witness", { project: name });
  await step("cut", { after: "6000,700,9001" });
  const reader = new Reader(`${way}/projects/${name}/${stream}`);
  await reader.opens();
  // Check the state at the opening, because the connection may already be interrupted now if the project has sent events.
  await check(`${what}: the stream is open`, reader.stateAtOpen === EventSource.OPEN, reader.stateAtOpen);
  const session = await step("turn", { project: name });
  const ends = hasEnded(name, session);
  await until(`${what}: the turn's end`, () => reader.events.some(({ data }) => ends(data)));
  reader.source.close();
  let said = await step("said", { project: name, session });
  const events = reader.events.slice(reader.events.findIndex(({ data }) => data.includes(session)));
  let seen = events.map(({ data }) => data);
  if (stream === "events") {
    seen = seen.map((data) => JSON.stringify(JSON.parse(data).event));
    said = said.map((data) => JSON.parse(data)).map((event) => JSON.stringify(event.payload ?? event));
  }
  said = said.slice(0, seen.length);
  await check(`${what}: every event arrives once, in order and unchanged`,
    seen.length > 100 && seen.every((data, index) => data === said[index]), [seen.length, said.length]);
  await check(`${what}: events are messages of the stream's origin`,
    events.every(({ type, origin }) => type === "message" && origin === way));
  const sequence = events.map(({ id }) => Number(id.split("-")[1]));
  await check(`${what}: the IDs ascend by one`, sequence.every((number, index) => number === sequence[0] + index), sequence);
  await check(`${what}: an event without an ID keeps the last one`,
    reader.messages.every(({ id }, index) => index === 0 || id !== "" || reader.messages[index - 1].id === ""));
  await check(`${what}: no message is empty`, reader.messages.every(({ data }) => data !== ""));
  await check(`${what}: an interruption is an error and the client reconnects`,
    reader.states.length >= 2 && reader.states.every((state) => state === EventSource.CONNECTING), reader.states);
  const requests = (await step("requests")).filter(({ line }) => line.includes(stream));
  await check(`${what}: the request has the Accept field`, requests.every(({ fields }) =>
    fields.accept === "text/event-stream" && fields["cache-control"] === "no-cache" || fields["cache-control"] === "no-store"),
    requests[0]);
  const ids = requests.slice(1).map(({ fields }) => fields["last-event-id"]);
  await check(`${what}: reconnections send received IDs`,
    ids.length >= 2 && ids.every((id) => reader.messages.some((message) => message.id === id)), ids);
  // The delay is 500 to 1,500 ms, plus a margin for a busy machine. Chromium's default would be 3 s. The pause includes the
  // time for sending.
  const pauses = requests.slice(2).map(({ time }, index) => time - requests[index + 1].time);
  await check(`${what}: reconnections follow the retry time`, pauses.every((pause) => pause > 0.45 && pause < 2.9), pauses);
  await check(`${what}: no gap is reported`, reader.gaps.length === 0, reader.gaps);
}

// Interrupts the instance's streams.
async function instance(way) {
  const own = new Reader(`${way}/projects/two/events`);
  const plain = new Reader(`${way}/projects/two/api/api/event`);
  await own.opens();
  await plain.opens();
  await step("misbehave", { project: "two", words: "cut-streams" });
  await until("a gap event arrives", () => own.gaps.length > 0);
  await check("a gap has a reason", own.gaps[0]?.data.reason === "upstream-lost", own.gaps);
  await check("a gap is not a message event", own.messages.every(({ data }) => JSON.parse(data).event));
  await check("the gateway's own stream stays open", own.errors === 0 && own.source.readyState === EventSource.OPEN);
  await until("OpenCode's own stream reconnects", () => plain.opened > 1);
  await check("OpenCode's own stream is aborted", plain.errors > 0 && plain.states[0] === EventSource.CONNECTING, plain.states);
  own.source.close();
  plain.source.close();
  await until("no subscriber is left", async () => (await step("state", { project: "two" })).subscribers === 0);
  await check("a closed stream stays closed", own.source.readyState === EventSource.CLOSED);
}

// Resumes after an ID that was never assigned. OpenCode's own stream then contains a comment, which no browser shows, and
// another `server.connected`. The gateway's own stream contains a gap.
async function unknown(way) {
  const plain = new Reader(`${way}/projects/two/api/api/event?since=99999999999999-1`);
  await until("a gap appears as a second `server.connected`", () =>
    plain.messages.filter(({ data }) => JSON.parse(data).type === "server.connected").length === 2);
  await check("comments are not messages", plain.messages.length === 2, plain.messages);
  plain.source.close();
  const own = new Reader(`${way}/projects/two/events?since=99999999999999-1`);
  await until("the gateway's own stream reports the gap", () => own.gaps.length === 1);
  await check("an unknown ID is reported", own.gaps[0]?.data.reason === "unknown-id", own.gaps);
  own.source.close();
}

// Disposes the instance's directory, which ends the stream cleanly. The EventSource must reconnect.
async function dispose(way) {
  const reader = new Reader(`${way}/projects/one/api/event`);
  await reader.opens();
  await step("dispose", { project: "one" });
  await until("the stream ends with the directory and reconnects", () => reader.opened > 1);
  await check("the stream contains the dispose", reader.messages.some(({ data }) => data.includes("server.instance.disposed")), reader.messages);
  await check("the dispose arrives once",
    reader.messages.filter(({ data }) => data.includes("server.instance.disposed")).length === 1, reader.messages);
  reader.source.close();
}

async function refused(what, address) {
  const reader = new Reader(address);
  await until(what, () => reader.errors > 0);
  await check(what, reader.source.readyState === EventSource.CLOSED && reader.opened === 0, reader.states);
}

async function worker(way) {
  const worker = new Worker("worker.js");
  const told = [];
  worker.onmessage = ({ data }) => told.push(data);
  worker.postMessage(`${way}/projects/two/api/api/event`);
  await until("a worker receives a message", () => told.some(({ kind }) => kind === "message"));
  await check("a worker's stream is open", told[0]?.kind === "open" && told[0]?.state === EventSource.OPEN, told);
  await check("a worker's message has the stream's origin", told.find(({ kind }) => kind === "message")?.origin === way, told);
  worker.terminate();
}

// Sends requests with `fetch` directly to the gateway. A preflight allows the fields for the key and the position.
async function fetching(gateway, key) {
  const address = `${gateway}/projects/two/events`;
  const page = await (await fetch(`${address}?wait=0&since=99999999999999-1`, { headers: { Authorization: `Bearer ${key}` } })).json();
  await check("`fetch` reads a page across origins", page.gap?.reason === "unknown-id", page);
  const { first } = await step("state", { project: "two" });
  const answer = await fetch(address, { headers: { Authorization: `Bearer ${key}`, "Last-Event-ID": first } });
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes("\ndata: ")) text += (await reader.read()).value;
  await check("`fetch` resumes with the key and an ID", text.includes(`id: ${first.split("-")[0]}-${Number(first.split("-")[1]) + 1}\n`),
    text.slice(0, 200));
  await check("the stream contains the retry time", /^retry: (\d+)\n/m.test(text), text.slice(0, 100));
  await reader.cancel();
}

async function stranger(way) {
  await refused("an origin that is not allowed is refused", `${way}/projects/two/events`);
}

async function all({ way, gateway, key }) {
  for (const stream of ["api/global/event", "events"]) await cuts(way, "one", stream);
  for (const stream of ["api/api/event", "events"]) await cuts(way, "two", stream);
  await instance(way);
  await unknown(way);
  await dispose(way);
  await worker(way);
  await fetching(gateway, key);
  await refused("an EventSource without a key does not reconnect", `${way}/projects/two/events?unauthorized`);
  await refused("an EventSource of an unknown project does not reconnect", `${way}/projects/none/events`);
  await step("stop", { project: "one" });
  await refused("an EventSource of a stopped project does not reconnect", `${way}/projects/one/api/event`);
}

step("settings")
  .then((settings) => (location.search === "?stranger" ? stranger(settings.way) : all(settings)))
  .catch((error) => check("the page runs without an error", false, String(error?.stack ?? error)))
  .finally(() => step("done"));
