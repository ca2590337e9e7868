// The application in a process of its own, with a clock that stands still: investigates incidents and sends their messages until
// it is killed. Reads {environment, now, incidents} from the environment variable WORK.

import { consume, QUEUES } from "../../../functions/jobs/queues.ts";
import { createServices } from "../../../functions/services.ts";

/** Invocations of the queue at once. */
const PARALLEL = 4;

const { environment, now, incidents } = JSON.parse(process.env.WORK ?? "{}");
const services = createServices(environment, { now: () => new Date(now), log: () => {} });
const waiting: string[] = [...incidents];

async function work(): Promise<void> {
  for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
    const message = { body: { incident_id: id }, attempts: 1, ack: () => {}, retry: () => {} };
    const background: Promise<unknown>[] = [];
    await consume(services, { queue: QUEUES.triages, messages: [message] }, (task) => void background.push(task));
    await Promise.all(background);
  }
}
await Promise.all(Array.from({ length: PARALLEL }, work));
