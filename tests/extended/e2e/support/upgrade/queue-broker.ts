// Queues between Workers of different versions: the test decides which of them consumes a message.

import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { json } from "node:stream/consumers";
import { z } from "zod";

const QUEUE_NAMES = ["dejavu-writes", "dejavu-triages", "dejavu-outbox"] as const;
export type QueueName = (typeof QUEUE_NAMES)[number];

interface Message {
  readonly body: unknown;
  readonly attempts: number;
}

export interface QueueBroker extends AsyncDisposable {
  /** The variables of a Worker with the script relay.js. */
  readonly variables: { readonly QUEUE_BROKER: string };
  /** The bodies that wait. */
  waiting(queue: QueueName): unknown[];
  /**
   * Delivers what waits, also what consumers send meanwhile. What is to be delivered again waits for the next call.
   * @returns the number of messages that were acknowledged
   */
  deliver(worker: string): Promise<number>;
}

export async function startQueueBroker(): Promise<QueueBroker> {
  const queues = new Map<string, Message[]>(QUEUE_NAMES.map((name) => [name, []]));
  const server = createServer(async (request, response) => {
    const queue = queues.get(request.url?.slice(1) ?? "");
    const bodies = z.array(z.unknown()).parse(await json(request));
    queue?.push(...bodies.map((body) => ({ body, attempts: 1 })));
    response.writeHead(queue === undefined ? 404 : 204).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const takeAll = (name: QueueName) => queues.get(name)?.splice(0) ?? [];

  async function deliver(worker: string): Promise<number> {
    let acknowledged = 0;
    const again = new Map<QueueName, Message[]>();
    for (let name = nextOf(queues); name !== undefined; name = nextOf(queues)) {
      const messages = takeAll(name);
      const retried = await deliverBatch(worker, name, messages);
      const kept = messages.filter((_, index) => retried[index]);
      acknowledged += messages.length - kept.length;
      again.set(name, [
        ...(again.get(name) ?? []),
        ...kept.map(({ body, attempts }) => ({ body, attempts: attempts + 1 })),
      ]);
    }
    for (const [name, messages] of again) queues.get(name)?.push(...messages);
    return acknowledged;
  }

  return {
    variables: { QUEUE_BROKER: `http://127.0.0.1:${portOf(server)}` },
    waiting: (name) => (queues.get(name) ?? []).map(({ body }) => body),
    deliver,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function nextOf(queues: ReadonlyMap<string, readonly Message[]>): QueueName | undefined {
  return QUEUE_NAMES.find((name) => (queues.get(name)?.length ?? 0) > 0);
}

async function deliverBatch(worker: string, queue: QueueName, messages: readonly Message[]): Promise<boolean[]> {
  const response = await fetch(`${worker}/relay/${queue}`, { method: "POST", body: JSON.stringify(messages) });
  const text = await response.text();
  if (!response.ok) throw new Error(`The consumer of ${queue} answered ${response.status}: ${text}`);
  return z.array(z.boolean()).parse(JSON.parse(text));
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The broker has no port.");
  return address.port;
}
