// Plants secrets in requests with formats of their own: webhooks, Slack, MCP and queues.

import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { WEBHOOKS } from "../../../functions/incidents/webhooks/index.ts";
import { consume, QUEUES } from "../../../functions/jobs/queues.ts";
import { AZURE_METRIC, DATADOG, EVENTBRIDGE, GCP } from "../../unit/incidents/webhooks/payloads.ts";
import { fixture, hmac } from "../alerts/support.ts";
import { workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";
import {
  CHANNEL,
  commandBody,
  mentionBody,
  pressBody,
  signed,
  submissionBody,
} from "../support/servers/slack-server.ts";
import { corruptedBodies, investigated, planter, safeJson, slack, TITLE, withConsole, written } from "./support.ts";

const { plant, word } = planter;
const FIXTURES = readdirSync(new URL("../alerts/fixtures/", import.meta.url))
  .map((file) => file.replace(/\.json$/, ""))
  .sort();
const harness = withConsole();
await loadFreshRunbooks(harness.services, workerEnv);
const kept = await investigated(harness);

describe("other endpoints", () => {
  const recorded = WEBHOOKS.flatMap(({ name }) =>
    FIXTURES.filter((file) => file.startsWith(`${name}-`))
      .slice(0, 3)
      .map((file) => [file, name, fixture(file)] as const),
  );
  const documented = { datadog: DATADOG, cloudwatch: EVENTBRIDGE, azure: AZURE_METRIC, "google-cloud": GCP };
  const bodies = [
    ...recorded,
    ...Object.entries(documented).map(([name, body]) => [name, name, JSON.stringify(body)] as const),
  ];

  it("have a body of each webhook", () => {
    expect(new Set(bodies.map(([, source]) => source))).toEqual(new Set(WEBHOOKS.map(({ name }) => name)));
  });

  const plantedOf = new Map(bodies.map(([, source]) => [source, new Set<string>()]));
  it.each(bodies)("the webhook %s logs none of its content", async (name, source, text) => {
    const corrupted = corruptedBodies(text, (what) => `${name}, ${what}`, plantedOf.get(source));
    for (const body of [text, ...corrupted]) {
      const signature = { "x-pagerduty-signature": `v1=${hmac(body)}`, authorization: "" };
      await harness.request(`/v1/alerts/${source}`, {
        method: "POST",
        body,
        headers: { "content-type": "application/json", ...(source === "pagerduty" ? signature : {}) },
      });
    }
    expect(written().some(({ event }) => event === "alerts.received")).toBe(true);
  });

  const slackUrl = `${slack.server.url}/commands/T0001/1/x`;
  const strange = (what: string) => ({
    user_name: plant(`${what}, user`),
    channel_name: plant(`${what}, channel`),
    team_domain: plant(`${what}, team`),
    token: word(`${what}, token`),
  });
  it.each(["", "similar", "status", "resolve 3f2a91bc", `resolve ${kept.incident_id}`, "help"])(
    "Slack's command '%s' logs nothing of its input",
    async (beginning) => {
      const bodies = [
        commandBody(`${beginning} ${TITLE} ${plant(`Slack ${beginning}`)}`, slackUrl, strange(beginning)),
        commandBody(beginning, `https://${word("Slack, response_url")}.example/x`, strange(beginning)),
        commandBody(beginning, slackUrl, { command: `/${word("Slack, command")}`, thread_ts: word("Slack, thread") }),
        `${plant("Slack, no form")}=%zz`,
        `payload=${word("Slack, no payload")}`,
        `{"type":"${word("Slack, type")}"`,
      ];
      for (const body of bodies) {
        harness.clock.advance(1_000);
        await harness.request("/slack", signed(body, harness.clock.now()));
      }
      await harness.request("/slack", { ...signed("x", harness.clock.now()), body: plant("Slack, unsigned") });
      const lines = written().map(({ event }) => event);
      expect(lines).toContain("slack.response_url_refused");
      expect(lines).toContain("slack.refused");
    },
  );

  it("Slack's buttons, dialogs and mentions log nothing of their input", async () => {
    const value = `${kept.triage_id} ${kept.incident_id} ${CHANNEL}`;
    const who = (what: string) => ({
      responseUrl: slackUrl,
      user: word(`${what}, user`),
      name: plant(`${what}, name`),
    });
    const json = { "content-type": "application/json" };
    const requests: [string, Record<string, string>?][] = [
      ...["helpful", "not_helpful", "resolved"].map((action): [string] => [pressBody(action, value, who(action))]),
      [pressBody("helpful", plant("button, value"), who("button"))],
      [pressBody(word("button, action"), value, who("other button"))],
      [mentionBody(`<@U0LAN0Z89> ${TITLE} ${plant("mention")}`, { eventId: word("event id") }), json],
      [mentionBody("x", { eventId: "Ev2", event: { user: plant("mention, user"), bot_id: word("bot") } }), json],
      [mentionBody("x", { eventId: "Ev4" }).replace('"text":"x"', `"text":{"${word("mention, name")}":1}`), json],
      [mentionBody("x", { eventId: "Ev3", event: { channel: plant("mention, channel"), ts: word("ts") } }), json],
    ];
    const send = async (body: string, headers?: Record<string, string>) => {
      harness.clock.advance(1_000);
      await harness.request("/slack", signed(body, harness.clock.now(), headers));
    };
    for (const [body, headers] of requests) await send(body, headers);
    // The press above may be under a resolved incident, which needs no dialog.
    const { triage_id, incident_id } = await investigated(harness);
    await send(pressBody("resolved", `${triage_id} ${incident_id} ${CHANNEL}`, who("press")));
    const dialog = slack.dialogs.at(-1);
    if (dialog === undefined) throw new Error("No dialog was opened.");
    const person = { id: word("dialog, id"), user: word("dialog, user"), name: plant("dialog, name") };
    const inputs = ["fix", "did_not_help", "conditions"].map((id) => [id, plant(`dialog, ${id}`)]);
    await send(submissionBody({ ...dialog, private_metadata: plant("dialog, metadata") }, {}, person));
    await send(submissionBody(dialog, Object.fromEntries(inputs), person));
    await send(submissionBody({ ...dialog, callback_id: word("dialog, other") }, {}, person));
  });

  const tools: [string, Record<string, unknown>][] = [
    ["search_debugging_knowledge", { query: TITLE, logs: "x", target: "y" }],
    ["lookup_previous_fixes", { query: TITLE }],
    ["vector_search", { collection: "runbooks", query: TITLE, keyword: "x" }],
    ["submit_feedback", { rating: "up", comment: "good", triage_id: kept.triage_id }],
    ["ingest_debug_document", { text: "# A note\n\nIt says so.", source: "notes/x", doc_type: "note", tags: ["x"] }],
  ];
  const rpc = (method: string, params: unknown) => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const sendRpc = (body: string, headers: Record<string, string> = {}) =>
    harness.request("/mcp", {
      method: "POST",
      body,
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
    });

  it.each(tools)("the tool %s logs nothing of its input", async (name, args) => {
    const text = JSON.stringify(args);
    const bodies = corruptedBodies(text, (what) => `${name}, ${what}`).map((body) => safeJson(body) ?? body);
    for (const each of [args, ...bodies]) await sendRpc(rpc("tools/call", { name, arguments: each }));
    await sendRpc(rpc("tools/call", { name, arguments: args, _meta: { progressToken: word("progress token") } }));
    expect(written().some(({ event }) => event === "mcp.tool")).toBe(true);
  });

  it("the MCP endpoint logs nothing of other requests", async () => {
    const bodies = [
      rpc(word("method"), { x: plant("params") }),
      rpc("tools/call", { name: word("tool"), arguments: { x: plant("argument") } }),
      rpc("initialize", {
        protocolVersion: word("version"),
        capabilities: {},
        clientInfo: { name: plant("client"), version: "1" },
      }),
      rpc("resources/read", { uri: `dejavu://${word("uri")}` }),
      rpc("resources/list", { cursor: word("cursor") }),
      rpc("completion/complete", {
        ref: { type: "ref/resource", uri: word("ref") },
        argument: { name: "x", value: plant("value") },
      }),
      JSON.stringify({ jsonrpc: word("jsonrpc"), id: word("id"), method: 1 }),
      JSON.stringify({
        jsonrpc: "2.0",
        method: "notifications/cancelled",
        params: { requestId: 1, reason: plant("reason") },
      }),
    ];
    for (const body of bodies) await sendRpc(body, { "mcp-session-id": word("session") });
  });

  it("the queue consumers log nothing of unknown messages", async () => {
    const bodies: unknown[] = [
      plant("message"),
      { incident_id: plant("incident") },
      { incident_id: kept.incident_id, note: plant("note") },
      { [word("name")]: plant("field") },
      [plant("list")],
      null,
    ];
    const messages = bodies.map((body) => ({ body, attempts: 1, ack: () => {}, retry: () => {} }));
    for (const queue of Object.values(QUEUES)) {
      await consume(harness.services, { queue, messages }, (work) => void work);
    }
    const malformed = written().filter(({ event }) => event === "queue.malformed_message");
    expect(new Set(malformed.map(({ request_id }) => request_id)).size).toBe(malformed.length);
    expect(malformed.length).toBeGreaterThan(5);
  });
});
