import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createHarness, deleteIncidents, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";
import { type FakeSlack, fakeSlack, mentionBody, signed } from "../support/servers/slack-server.ts";

const TEXT = "api-gateway docker container exited with code 137";
const setup = createHarness();
beforeAll(() => loadFreshRunbooks(setup.services, workerEnv));
beforeEach(() => deleteIncidents(setup.services));

/** Sends a message to the app itself. */
async function write(slack: FakeSlack, text: string, event: Readonly<Record<string, string>> = {}) {
  const harness = createHarness({ ...slack.environment, PUBLIC_URL: "http://dejavu.test" });
  const message = { type: "message", channel_type: "im", channel: "D0001", ...event };
  const body = mentionBody(text, { event: message, eventId: `Ev-${crypto.randomUUID()}` });
  const init = signed(body, harness.services.now(), { "content-type": "application/json" });
  expect((await harness.request("/slack", init)).status).toBe(200);
  return harness;
}

describe("a report in the agent view", () => {
  it("shows the steps of the triage in a message, which then becomes the answer", async () => {
    await using slack = await fakeSlack();
    await write(slack, TEXT);
    expect(slack.posted).toEqual([]);
    const stream = { channel: "D0001", ts: "1772334001.000300" };
    expect(slack.streamed).toMatchObject([
      {
        method: "chat.startStream",
        channel: "D0001",
        thread_ts: "1772334000.000100",
        recipient_user_id: "U061F7AUR",
        recipient_team_id: "T0001",
        chunks: [{ id: "search", status: "in_progress" }],
      },
      {
        method: "chat.appendStream",
        ...stream,
        chunks: [
          { id: "search", status: "complete", details: expect.stringMatching(/^\d+ runbooks?, 0 past incidents$/) },
          { id: "answer", status: "in_progress" },
        ],
      },
      { method: "chat.stopStream", ...stream, chunks: [{ id: "answer", status: "complete" }] },
    ]);
    expect(JSON.stringify(slack.streamed.at(-1)?.blocks)).toContain("137");
  });

  it.each(["chat.startStream", "chat.stopStream"])(
    "is answered by an ordinary message where Slack refuses %s",
    async (refused) => {
      await using slack = await fakeSlack(undefined, undefined, (method) =>
        method === refused ? { body: '{"ok":false,"error":"missing_scope"}' } : undefined,
      );
      await write(slack, TEXT);
      expect(slack.posted).toMatchObject([{ channel: "D0001", thread_ts: "1772334000.000100" }]);
    },
  );

  it("streams no other command, and ignores edited messages and those of apps", async () => {
    await using slack = await fakeSlack();
    await write(slack, "similar connection refused");
    await write(slack, TEXT, { subtype: "message_changed" });
    await write(slack, TEXT, { bot_id: "B0001" });
    expect(slack.streamed).toEqual([]);
    expect(slack.posted).toHaveLength(1);
  });
});
