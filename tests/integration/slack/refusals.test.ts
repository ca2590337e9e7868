import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { problemSchema } from "../../../functions/routes/http/problem-schema.ts";
import { createHarness, deleteIncidents, type Harness, sql, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";
import { embedderAt } from "../support/servers/embedding-server.ts";
import { lyingServer } from "../support/servers/lying-server.ts";
import {
  commandBody,
  type FakeSlack,
  fakeSlack,
  mentionBody,
  pressBody,
  signed,
} from "../support/servers/slack-server.ts";

const TEXT = "api-gateway docker container exited with code 137";

let slack: FakeSlack;
let harness: Harness;

beforeAll(async () => {
  slack = await fakeSlack();
  harness = createHarness(slack.environment);
  await loadFreshRunbooks(harness.services, workerEnv);
});
afterAll(() => slack[Symbol.asyncDispose]());
beforeEach(async () => {
  await deleteIncidents(harness.services);
  harness = createHarness(slack.environment);
  slack.posted.length = 0;
});

const responseUrl = () => `${slack.server.url}/commands/T0001/1/x`;

describe("a request without a valid signature", () => {
  const body = () => commandBody(TEXT, responseUrl());

  async function expectRejected(init: RequestInit, reason: string): Promise<void> {
    const response = await harness.request("/slack", init);
    expect(response.status).toBe(401);
    const problem = problemSchema.parse(await response.json());
    expect(problem.type).toBe("urn:dejavu:problem:invalid-signature");
    expect(JSON.stringify(problem)).not.toContain(reason);
    expect(harness.log.filter(({ event }) => event === "slack.refused").map(({ fields }) => fields.reason)).toEqual([
      reason,
    ]);
    expect(slack.posted).toEqual([]);
    expect(await sql`select 1 from public.incidents`).toHaveLength(0);
  }

  it.each([
    ["no signature", { "x-slack-signature": "" }, "malformed"],
    ["no timestamp", { "x-slack-request-timestamp": "" }, "malformed"],
    ["a timestamp that is no number", { "x-slack-request-timestamp": "now" }, "malformed"],
    ["a signature of another version", { "x-slack-signature": `v1=${"0".repeat(64)}` }, "malformed"],
    ["a signature cut short", { "x-slack-signature": `v0=${"0".repeat(63)}` }, "malformed"],
    ["a wrong signature", { "x-slack-signature": `v0=${"0".repeat(64)}` }, "wrong"],
    ["a timestamp that was not signed", { "x-slack-request-timestamp": "1772334001" }, "wrong"],
  ])("with %s is rejected", async (_, headers, reason) => {
    await expectRejected(signed(body(), harness.services.now(), headers), reason);
  });

  it("without the headers is rejected", async () => {
    await expectRejected({ method: "POST", body: body(), headers: { authorization: "" } }, "missing");
  });

  it("with the service token instead is rejected", async () => {
    await expectRejected({ method: "POST", body: body() }, "missing");
  });

  it("with another body than the signed one is rejected", async () => {
    await expectRejected({ ...signed(body(), harness.services.now()), body: `${body()}+` }, "wrong");
  });

  it.each([
    ["older than 5 minutes", -301_000, "old"],
    ["more than 5 minutes ahead", 301_000, "future"],
  ])("signed at a time %s is rejected", async (_, offset, reason) => {
    await expectRejected(signed(body(), new Date(harness.services.now().getTime() + offset)), reason);
  });

  it.each([-300_000, 300_000])("signed %d ms away is accepted", async (offset) => {
    const init = signed(body(), new Date(harness.services.now().getTime() + offset));
    expect((await harness.request("/slack", init)).status).toBe(200);
  });

  it("replayed to the same isolate is rejected while its signature is valid", async () => {
    const init = signed(body(), new Date(harness.services.now().getTime() + 300_000));
    expect((await harness.request("/slack", init)).status).toBe(200);
    for (const wait of [0, 299_000, 300_000]) {
      harness.clock.advance(wait);
      expect((await harness.request("/slack", init)).status).toBe(401);
    }
    expect(slack.posted).toHaveLength(1);
  });

  it("replayed to another isolate does no work", async () => {
    const init = signed(body(), harness.services.now());
    await harness.request("/slack", init);
    const other = createHarness(slack.environment);
    expect((await other.request("/slack", init)).status).toBe(200);
    expect(slack.posted).toHaveLength(1);
    expect(await sql`select 1 from public.incidents`).toHaveLength(1);
    expect(other.log.map(({ event }) => event)).toContain("slack.repeated");
  });

  it("with a too large body is rejected before the body is read", async () => {
    let pulled = 0;
    const endless = new ReadableStream({
      pull(controller) {
        pulled += 65_536;
        controller.enqueue(new Uint8Array(65_536).fill(0x20));
      },
    });
    const init = { ...signed("", harness.services.now()), body: endless, duplex: "half" as const };
    expect((await harness.request("/slack", init)).status).toBe(413);
    expect(pulled).toBeLessThan(2_000_000);
  });

  it("gets the same response as an unknown path when no secret is configured", async () => {
    const other = createHarness();
    const init = signed(body(), other.services.now());
    const unknown = await other.request("/nothing-here", init);
    const refused = await other.request("/slack", init);
    expect([refused.status, unknown.status]).toEqual([401, 401]);
    expect(problemSchema.parse(await refused.json()).type).toBe(problemSchema.parse(await unknown.json()).type);
    expect((await other.request("/slack", { method: "POST" })).status).toBe(404);
  });
});

describe("a signed request with an invalid payload", () => {
  it.each([
    ["application/json", "{", 400],
    ["application/x-www-form-urlencoded", "payload=%7B", 400],
    ...["null", "[]", "[{}]", '"x"', "1", "true"].flatMap((json): [string, string, number][] => [
      ["application/json", json, 400],
      ["application/x-www-form-urlencoded", new URLSearchParams({ payload: json }).toString(), 400],
    ]),
    ["application/x-www-form-urlencoded", "command=%2Ftriage&text=x", 422],
  ])("of type %s with the body %j is rejected with %d", async (type, body, status) => {
    const init = signed(body, harness.services.now(), { "content-type": type });
    const response = await harness.request("/slack", init);
    expect(response.status).toBe(status);
    expect(problemSchema.parse(await response.json()).detail).not.toBe("");
  });

  it.each([
    "http://169.254.169.254/latest/meta-data",
    "https://hooks.slack.com.evil.example/commands/1",
    "https://hooks.slack.com@evil.example/commands/1",
    "file:///etc/passwd",
    "not a url",
  ])("with a response_url on another host is rejected: %s", async (url) => {
    const response = await harness.request("/slack", signed(commandBody(TEXT, url), harness.services.now()));
    expect(response.status).toBe(422);
    expect(await sql`select 1 from public.incidents`).toHaveLength(0);
    expect(harness.log.map(({ event }) => event)).toContain("slack.response_url_refused");
    expect(JSON.stringify(harness.log)).not.toContain(url);
  });
});

describe("the triage rate limit", () => {
  /** Allows `maxTriages` for each person once it is open, and records the keys. */
  function limitOf(maxTriages: number, opened: Promise<void> = Promise.resolve()) {
    const keys: string[] = [];
    const limit = async ({ key }: { readonly key: string }) => {
      keys.push(key);
      await opened;
      return { success: keys.filter((used) => used === key).length <= maxTriages };
    };
    return { keys, limit };
  }

  it("counts commands and mentions of each person, and asks to wait", async () => {
    const TRIAGE_RATE_LIMIT = limitOf(1);
    const other = createHarness({ ...slack.environment, TRIAGE_RATE_LIMIT });
    const send = async (body: string, type = "application/x-www-form-urlencoded") => {
      other.clock.advance(1_000);
      const response = await other.request("/slack", signed(body, other.services.now(), { "content-type": type }));
      expect(response.status).toBe(200);
      return slack.posted.at(-1);
    };
    expect((await send(commandBody(TEXT, responseUrl())))?.text).toMatch(/^Known failure/);
    const refused = { response_type: "ephemeral", text: expect.stringMatching(/too many triages.*Wait a minute/) };
    expect(await send(commandBody(TEXT, responseUrl()))).toMatchObject(refused);
    const user = { user: "U2147483697" };
    expect(await send(mentionBody(TEXT, { event: user }), "application/json")).toMatchObject({
      channel: "C0LAN2Q65",
      text: refused.text,
    });
    expect((await send(commandBody(TEXT, responseUrl(), { user_id: "U2" })))?.text).toMatch(/^Known failure/);
    expect(TRIAGE_RATE_LIMIT.keys).toEqual([...Array(3).fill("slack:T0001:U2147483697"), "slack:T0001:U2"]);
    expect(await sql`select 1 from public.incidents`).toHaveLength(2);
    expect(other.log.filter(({ event }) => event === "slack.too_many_triages")).toHaveLength(2);
  });

  it("does not apply to commands without a triage", async () => {
    const { incident_id } = await harness.triage({ title: TEXT });
    const TRIAGE_RATE_LIMIT = limitOf(0);
    const other = createHarness({ ...slack.environment, TRIAGE_RATE_LIMIT });
    for (const text of ["help", `status ${incident_id}`, `similar ${TEXT}`, `resolve ${incident_id} raised it`]) {
      await other.request("/slack", signed(commandBody(text, responseUrl()), other.services.now()));
    }
    expect(slack.posted.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^Open, answered/),
      expect.stringMatching(/^Similar records/),
      expect.stringMatching(/^Resolved/),
    ]);
    expect(TRIAGE_RATE_LIMIT.keys).toEqual([]);
  });

  it("is checked after the acknowledgement, and not for a replay", async () => {
    const { promise, resolve: open } = Promise.withResolvers<void>();
    const TRIAGE_RATE_LIMIT = limitOf(0, promise);
    const init = signed(commandBody(TEXT, responseUrl()), harness.services.now());
    const other = createHarness({ ...slack.environment, TRIAGE_RATE_LIMIT });
    const { response, context } = await other.open("/slack", init);
    expect(await response.text()).toContain("Investigating");
    open();
    await context.settled();
    expect(slack.posted).toMatchObject([{ text: expect.stringContaining("Wait a minute") }]);

    await createHarness({ ...slack.environment, TRIAGE_RATE_LIMIT }).request("/slack", init);
    expect(TRIAGE_RATE_LIMIT.keys).toHaveLength(1);
  });
});

describe("with a slow or unavailable dependency", () => {
  it("the acknowledgement waits for no store, model or Slack", async () => {
    await using hanging = await lyingServer({ hang: true });
    const other = createHarness({
      ...slack.environment,
      SUPABASE_URL: hanging.url,
      CHROMA_URL: hanging.url,
      ...embedderAt(hanging.url),
      SLACK_API_URL: `${hanging.url}/api`,
    });
    const body = commandBody(TEXT, `${hanging.url}/commands/1`);
    const { response, context } = await other.open("/slack", signed(body, other.services.now()));
    expect(response.status).toBe(200);
    expect(await response.text()).toContain("Investigating");
    expect(other.log.map(({ event }) => event)).toEqual(["request.answered"]);
    other.expireHung(hanging, "database", "vector_store", "embedder", "chat");
    await context.settled();
    expect(other.log.map(({ event }) => event)).toContain("slack.undelivered");
  });

  it("a triage without the database is answered", async () => {
    await using down = await lyingServer({ answer: () => "cut" });
    const other = createHarness({ ...slack.environment, SUPABASE_URL: down.url });
    await other.request("/slack", signed(commandBody(TEXT, responseUrl()), other.services.now()));
    expect(slack.posted).toHaveLength(1);
    expect(JSON.stringify(slack.posted[0]?.blocks)).toContain("The database cannot be reached");
    expect(other.log.map(({ event }) => event)).toContain("slack.claim_failed");
  });

  it("a triage without any search reports the failure", async () => {
    await using down = await lyingServer({ answer: () => "cut" });
    const other = createHarness({ ...slack.environment, SUPABASE_URL: down.url, CHROMA_URL: down.url });
    await other.request("/slack", signed(commandBody(TEXT, responseUrl()), other.services.now()));
    expect(slack.posted).toMatchObject([
      {
        response_type: "ephemeral",
        text: expect.stringMatching(/^Recall is unavailable: the .*database.*Try again/),
      },
    ]);
  });

  it("commands and buttons that need the database report the failure", async () => {
    await using down = await lyingServer({ answer: () => "cut" });
    const other = createHarness({ ...slack.environment, SUPABASE_URL: down.url });
    const bodies = [
      commandBody("status 3f2a91bc", responseUrl()),
      commandBody("resolve 3f2a91bc it vanished", responseUrl()),
      pressBody("helpful", `${harness.services.newId()} ${harness.services.newId()} C2147483705`, {
        responseUrl: responseUrl(),
      }),
    ];
    for (const body of bodies) await other.request("/slack", signed(body, other.services.now()));
    expect(slack.posted.map(({ text }) => text)).toEqual(
      bodies.map(() => "The request failed at the database, so nothing was done. Try again in a minute."),
    );
  });

  it.each([
    ["cuts the connection", "cut", 2],
    ["cannot serve", { status: 503, body: "" }, 2],
    ["asks to wait briefly", { status: 429, body: "", headers: { "retry-after": "0" } }, 2],
    ["asks to wait too long", { status: 429, body: "", headers: { "retry-after": "30" } }, 1],
    ["hangs", "hang", 1],
    ["redirects", { status: 302, body: "", headers: { location: "http://127.0.0.1:1/" } }, 2],
    ["rejects the message", { status: 400, body: "invalid_blocks" }, 2],
    ["rejects the message with status 200", { body: '{"ok":false,"error":"invalid_blocks"}' }, 2],
  ] as const)("a Slack that %s gets the message with bounded retries", async (_, answer, times) => {
    await using failing = await fakeSlack((call) => (call === 1 ? answer : undefined));
    const other = createHarness(failing.environment);
    other.expireHung(failing.server, "chat");
    const url = `${failing.server.url}/commands/1`;
    const { incident_id } = await harness.triage({ title: TEXT });
    await other.request("/slack", signed(commandBody(`status ${incident_id}`, url), other.services.now()));
    expect(failing.posted).toHaveLength(times);
    const isLost = other.log.some(({ event }) => event === "slack.undelivered");
    const isRefused = typeof answer === "object" && !("status" in answer && answer.status >= 429);
    expect(isLost).toBe(times === 1 || isRefused);
    if (isRefused) expect(failing.posted.at(-1)?.text).toContain("Slack rejected the message");
  });

  it.each([
    ["a web page", "<html>"],
    ["another shape", '{"ok":"yes"}'],
    ["no end", "x".repeat(100_000)],
  ])("an API response with %s is an error", async (_, lie) => {
    await using liar = await fakeSlack(() => ({ body: lie }));
    const other = createHarness(liar.environment);
    const init = signed(mentionBody("<@U0LAN0Z89> help"), other.services.now(), { "content-type": "application/json" });
    await other.request("/slack", init);
    expect(other.log.find(({ event }) => event === "slack.undelivered")?.fields.error).toContain("not in the API's");
  });

  it("an API response that repeats a long message is a success", async () => {
    await using echo = await fakeSlack(() => ({ body: JSON.stringify({ ok: true, message: "x".repeat(100_000) }) }));
    const other = createHarness(echo.environment);
    const init = signed(mentionBody("<@U0LAN0Z89> help"), other.services.now(), { "content-type": "application/json" });
    await other.request("/slack", init);
    expect(echo.posted).toHaveLength(1);
    expect(other.log.map(({ event }) => event)).not.toContain("slack.undelivered");
  });

  it("a message that Slack's API rejects is logged with its code only", async () => {
    await using full = await fakeSlack(() => ({ body: '{"ok":false,"error":"channel_not_found"}' }));
    const other = createHarness(full.environment);
    const init = signed(mentionBody(TEXT), other.services.now(), { "content-type": "application/json" });
    await other.request("/slack", init);
    expect(other.log.find(({ event }) => event === "slack.undelivered")?.fields.error).toBe("chat: channel_not_found");
    expect(JSON.stringify(other.log)).not.toMatch(/xoxb|exited with/);
  });
});
