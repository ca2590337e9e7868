// `npm run bench -- endpoints`: the time to accept a report, a Slack command or a storm of alerts. On one throw-away
// stack with the real Worker: an incident report compared with one raw insert, the Slack acknowledgement while Chroma
// hangs, and storms of 500 alerts.

import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Stack } from "../dev/stack/stack.ts";
import { startStack } from "../dev/stack/start-stack.ts";
import { fakeSlack } from "../tests/integration/support/servers/slack-server.ts";
import { measureEnqueue } from "./endpoints/enqueue.ts";
import { measureSlack } from "./endpoints/slack.ts";
import { measureStorm } from "./endpoints/storm.ts";
import { measureStormHeap } from "./endpoints/storm-heap.ts";

console.log("Starting a throw-away stack (some seconds) …");
await using slack = await fakeSlack();
const stack: Stack = await startStack({
  dir: await mkdtemp(join(tmpdir(), "dejavu-bench-")),
  ephemeral: true,
  extraWorkerVars: slack.environment,
});
try {
  await measureEnqueue(stack);
  await measureSlack(stack, `${slack.server.url}/commands/1`);
  await measureStorm(stack);
  await measureStormHeap(stack);
} finally {
  await stack.stop();
}
