// The script of a Worker whose queues are the test's (queue-broker.ts): it sends their messages there, and consumes the
// batches that the test delivers. `./worker.js` is the Worker itself.

import worker from "./worker.js";

const QUEUES = { OUTBOX_QUEUE: "dejavu-outbox", TRIAGE_QUEUE: "dejavu-triages", WRITE_QUEUE: "dejavu-writes" };
const DELIVERY = /^\/relay\/([a-z-]+)$/;
const environments = new WeakMap();

/** One for each environment: the Worker keeps its services by this object. */
function withRelays(environment) {
  const existing = environments.get(environment);
  if (existing) return existing;
  const relays = Object.entries(QUEUES).map(([binding, name]) => [binding, relayTo(environment.QUEUE_BROKER, name)]);
  const relayed = { ...environment, ...Object.fromEntries(relays) };
  environments.set(environment, relayed);
  return relayed;
}

function relayTo(broker, name) {
  const post = async (bodies) => {
    const response = await fetch(`${broker}/${name}`, { method: "POST", body: JSON.stringify(bodies) });
    if (!response.ok) throw new Error(`The queue answered ${response.status}.`);
  };
  return {
    send: (body) => post([body]),
    sendBatch: (messages) => post(messages.map(({ body }) => body)),
  };
}

/** Returns for each message whether it is to be delivered again. */
async function consume(queue, messages, environment, context) {
  const retried = messages.map(() => false);
  const batch = messages.map(({ body, attempts }, index) => ({
    body,
    attempts,
    ack: () => {},
    retry: () => {
      retried[index] = true;
    },
  }));
  await worker.queue({ queue, messages: batch }, environment, context);
  return Response.json(retried);
}

export default {
  async fetch(request, environment, context) {
    const relayed = withRelays(environment);
    const [, queue] = DELIVERY.exec(new URL(request.url).pathname) ?? [];
    return queue === undefined
      ? worker.fetch(request, relayed, context)
      : consume(queue, await request.json(), relayed, context);
  },
  scheduled: (event, environment, context) => worker.scheduled(event, withRelays(environment), context),
};
