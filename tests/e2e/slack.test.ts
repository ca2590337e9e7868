// Slack through the whole stack: the Worker in workerd, the stores, and a fake Slack server.

import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import type { ServiceName } from "../../dev/stack/services/service.ts";
import { seedSomeRunbooks } from "../integration/support/inventory.ts";
import {
  commandBody,
  type FakeSlack,
  fakeSlack,
  mentionBody,
  type Posted,
  pressBody,
  signed,
  submissionBody,
} from "../integration/support/servers/slack-server.ts";
import { type RunningStack, startWholeStack } from "./support/stacks.ts";

const TEXT = "api-gateway docker container exited with code 137";

let slack: FakeSlack;
let stack: RunningStack;

beforeAll(async () => {
  slack = await fakeSlack();
  stack = await startWholeStack({ variables: slack.environment });
  await seedSomeRunbooks(stack.workerEnv);
});
afterAll(async () => {
  await stack?.[Symbol.asyncDispose]();
  await slack?.[Symbol.asyncDispose]();
});

/** Sends a request as Slack does. */
async function send(body: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  const init = signed(body, new Date(), headers);
  const response = await fetch(new URL("/slack", stack.info.urls.worker), init);
  expect(response.status, await response.clone().text()).toBe(200);
  return response;
}

async function message(count: number): Promise<Posted | undefined> {
  await expect.poll(() => slack.posted.length, { timeout: 120_000, interval: 50 }).toBe(count);
  return slack.posted[count - 1];
}

const responseUrl = () => `${slack.server.url}/commands/T0001/1/x`;

it("handles a command, a button, its dialog and a mention", async () => {
  expect(await (await send(commandBody(TEXT, responseUrl()))).text()).toContain("Investigating");
  const triaged = await message(1);
  expect(triaged?.text).toMatch(/^Known failure/);
  const { elements } = z
    .object({ elements: z.array(z.object({ value: z.string() })) })
    .parse(triaged?.blocks.find(({ type }) => type === "actions"));

  await send(pressBody("resolved", elements[0]?.value ?? "", { responseUrl: responseUrl() }));
  await expect.poll(() => slack.dialogs.length, { timeout: 120_000, interval: 50 }).toBe(1);
  const [dialog] = slack.dialogs;
  if (dialog === undefined) throw new Error("No dialog was opened.");
  const submitted = await send(submissionBody(dialog, { fix: "Raised the memory limit to 2 GiB." }));
  expect(await submitted.json()).toEqual({ response_action: "clear" });
  expect(JSON.stringify((await message(2))?.blocks)).toContain("Resolved by dana");

  await send(mentionBody(`<@U0LAN0Z89> ${TEXT}`), { "content-type": "application/json" });
  expect(await message(3)).toMatchObject({ channel: "C0LAN2Q65", thread_ts: "1772334000.000100" });
  expect(slack.server.requests.at(-1)).toBe("POST /api/chat.postMessage");
});

it("refuses a replayed signature and an invalid one", async () => {
  const init = signed(commandBody("help", responseUrl()), new Date());
  const url = new URL("/slack", stack.info.urls.worker);
  const forged = { ...init, body: commandBody("help me", responseUrl()) };
  const statuses = [await fetch(url, init), await fetch(url, init), await fetch(url, forged)].map(
    ({ status }) => status,
  );
  expect(statuses).toEqual([200, 401, 401]);
});

it("acknowledges while every store hangs and then reports the failure", async () => {
  const services: ServiceName[] = ["postgrest", "chroma", "embeddings"];
  const before = slack.posted.length;
  for (const service of services) stack.service(service).pause();
  try {
    await send(commandBody(`${TEXT} again`, responseUrl()));
    expect(slack.posted).toHaveLength(before);
    expect((await message(before + 1))?.text).toContain("Recall is unavailable");
  } finally {
    for (const service of services) stack.service(service).resume();
  }
});
