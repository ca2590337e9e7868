// Who may use Dejavu through Slack, where a button counts, and who the actors of changes are.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createHarness, deleteIncidents, type Harness, sql, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";
import {
  CHANNEL,
  commandBody,
  type FakeSlack,
  fakeSlack,
  mentionBody,
  pressBody,
  signed,
  submissionBody,
} from "../support/servers/slack-server.ts";

const TEXT = "api-gateway docker container exited with code 137";

let slack: FakeSlack;
let harness: Harness;

beforeAll(async () => {
  slack = await fakeSlack();
  await loadFreshRunbooks(createHarness(slack.environment).services, workerEnv);
});
afterAll(() => slack[Symbol.asyncDispose]());
beforeEach(() => start());

async function start(settings: Readonly<Record<string, string>> = {}): Promise<void> {
  harness = createHarness({ ...slack.environment, ...settings });
  await deleteIncidents(harness.services);
  await sql`delete from public.audit_events`;
  slack.posted.length = 0;
  slack.dialogs.length = 0;
}

const responseUrl = () => `${slack.server.url}/commands/T0001/1/x`;

/** Sends a signed request a second after the last one. @returns the body of the acknowledgement */
async function send(body: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  harness.clock.advance(1_000);
  const response = await harness.request("/slack", signed(body, harness.services.now(), headers));
  expect(response.status).toBe(200);
  return response.text();
}

const command = (text: string, changes: Readonly<Record<string, string>> = {}) =>
  send(commandBody(text, responseUrl(), changes));
const mention = (event: Readonly<Record<string, string>> = {}) =>
  send(mentionBody(`<@U0LAN0Z89> ${TEXT}`, { event }), { "content-type": "application/json" });

/** A triage in the channel, and the value of its buttons. */
async function triaged() {
  await command(TEXT);
  const [row] = await sql`select id, incident_id from public.triages order by created_at desc limit 1`;
  slack.posted.length = 0;
  return {
    triageId: String(row?.id),
    incidentId: String(row?.incident_id),
    value: `${row?.id} ${row?.incident_id} ${CHANNEL}`,
  };
}

const press = (action: string, value: string, from: { channel?: string; userTeam?: string; user?: string } = {}) =>
  send(pressBody(action, value, { responseUrl: responseUrl(), ...from }));
const ratings = () => sql`select rating from public.feedback`;
const incidents = () => sql`select 1 from public.incidents`;
const reasons = () => harness.log.filter(({ event }) => event === "slack.refused").map(({ fields }) => fields.reason);

describe("a button", () => {
  it.each(["helpful", "resolved"])("%s counts only in the channel that its answer was posted in", async (action) => {
    const { value } = await triaged();
    await press(action, value, { channel: "C0OTHER" });
    expect([await ratings(), slack.dialogs, reasons()]).toEqual([[], [], ["posted_elsewhere"]]);
    expect(slack.posted).toMatchObject([
      { response_type: "ephemeral", text: expect.stringContaining("from another channel") },
    ]);
    await press("helpful", value);
    expect(await ratings()).toEqual([{ rating: 1 }]);
  });

  it("cannot be pressed for somebody through the API", async () => {
    const { triageId, value } = await triaged();
    await press("helpful", value);
    const by = "slack:T0001:U2147483697";
    const response = await harness.post(`/v1/triages/${triageId}/feedback`, { rating: "down", by });
    expect(await response.json()).toMatchObject({ net_rating: 0 });
    expect((await ratings()).map(({ rating }) => rating).sort()).toEqual([-1, 1]);
  });
});

describe("without an allow-list", () => {
  it("people of other workspaces in a shared channel are refused", async () => {
    const { value } = await triaged();
    await press("helpful", value, { userTeam: "T0GUEST" });
    expect(slack.posted).toMatchObject([
      { response_type: "ephemeral", text: expect.stringContaining("only people of its own workspace") },
    ]);
    slack.posted.length = 0;
    await mention({ team: "T0GUEST", user_team: "T0GUEST", source_team: "T0GUEST" });
    expect(slack.posted).toMatchObject([{ channel: "C0LAN2Q65", user: "U061F7AUR" }]);
    expect([await ratings(), await incidents(), reasons()]).toMatchObject([
      [],
      { length: 1 },
      ["external_user", "external_user"],
    ]);
  });
});

describe("SLACK_ALLOWED with workspaces", () => {
  it("refuses commands and mentions of other workspaces, with the reason for the person only", async () => {
    await start({ SLACK_ALLOWED: "T0OTHER, T0THIRD" });
    expect(await command(TEXT)).toContain("SLACK_ALLOWED");
    expect(await command("help")).toContain("SLACK_ALLOWED");
    expect(slack.posted).toEqual([]);
    await mention();
    expect(slack.server.requests.at(-1)).toBe("POST /api/chat.postEphemeral");
    expect([await incidents(), reasons()]).toMatchObject([{ length: 0 }, ["workspace", "workspace", "workspace"]]);
  });

  it("lets listed workspaces in, also as guests of a shared channel", async () => {
    await start({ SLACK_ALLOWED: "T0001,T0GUEST" });
    const { value } = await triaged();
    await press("helpful", value, { userTeam: "T0GUEST" });
    expect([await ratings(), reasons()]).toEqual([[{ rating: 1 }], []]);
    await press("helpful", value, { userTeam: "T0OTHER" });
    expect(reasons()).toEqual(["external_user"]);
  });
});

describe("SLACK_ALLOWED with channels", () => {
  it("refuses commands, buttons and mentions of other channels", async () => {
    await start({ SLACK_ALLOWED: CHANNEL });
    const { value } = await triaged();
    expect(await command("similar exit code 137", { channel_id: "D0PRIVATE" })).toContain("SLACK_ALLOWED");
    await press("helpful", value.replace(CHANNEL, "C0OTHER"), { channel: "C0OTHER" });
    await mention();
    expect([await ratings(), await incidents(), reasons()]).toMatchObject([
      [],
      { length: 1 },
      ["channel", "channel", "channel"],
    ]);
  });

  it("refuses a dialog that was opened before the list changed, and keeps its text", async () => {
    const { value } = await triaged();
    await press("resolved", value);
    const [dialog] = slack.dialogs;
    if (dialog === undefined) throw new Error("No dialog was opened.");
    harness = createHarness({ ...slack.environment, SLACK_ALLOWED: "C0OTHER" });
    const reply: unknown = JSON.parse(await send(submissionBody(dialog, { fix: "Raised the memory limit to 2 GiB." })));
    expect(reply).toEqual({
      response_action: "errors",
      errors: { fix: expect.stringContaining("SLACK_ALLOWED") },
    });
    expect(await sql`select 1 from public.incidents where status = 'resolved'`).toHaveLength(0);
  });
});

describe("audit events", () => {
  it("name the person of every change", async () => {
    const { triageId, incidentId, value } = await triaged();
    await press("helpful", value);
    await command(`resolve ${incidentId} raised the memory limit`, { user_id: "U0ELI", user_name: "eli" });
    const events =
      await sql`select actor, subject_id, detail ->> 'route' as route from public.audit_events order by id`;
    expect(events).toEqual([
      { actor: "slack:T0001:U2147483697", subject_id: incidentId, route: "/slack" },
      { actor: "slack:T0001:U2147483697", subject_id: triageId, route: "/slack" },
      { actor: "slack:T0001:U0ELI", subject_id: incidentId, route: "/slack" },
    ]);
  });
});

describe("/triage resolve", () => {
  const resolution = async () => (await sql`select resolution, resolved_by from public.incidents`)[0];
  const eli = { user_id: "U0ELI", user_name: "eli" };

  it("says what it replaces", async () => {
    const { incidentId } = await triaged();
    await command(`resolve ${incidentId} restarted it`);
    await command(`resolve ${incidentId} raised the memory limit`);
    expect(JSON.stringify(slack.posted.at(-1)?.blocks)).toContain("*Replaces:* restarted it");
    expect(await resolution()).toEqual({ resolution: "raised the memory limit", resolved_by: "dana" });
  });

  it("of another person records their fix beside the first one, and says so", async () => {
    const { incidentId } = await triaged();
    await command(`resolve ${incidentId} restarted it`);
    await command(`resolve ${incidentId} raised the memory limit`, eli);
    expect(slack.posted.at(-1)?.text).toMatch(/^Recorded beside the fix: incident/);
    const words = JSON.stringify(slack.posted.at(-1)?.blocks);
    expect(words).toContain("restarted it");
    expect(words).toContain("*This helped, too:* raised the memory limit");
    expect(await resolution()).toEqual({ resolution: "restarted it", resolved_by: "dana" });
    const fixes = await sql`select f.text, t.caller from public.fixes f join public.fix_tries t on t.fix_id = f.id
      where f.retired_at is null order by t.at`;
    expect(fixes).toEqual([
      { text: "restarted it", caller: "slack:T0001:U2147483697" },
      { text: "raised the memory limit", caller: "slack:T0001:U0ELI" },
    ]);
  });

  it("is offered by the dialog for a resolved incident, and says whether it replaces", async () => {
    const { incidentId, value } = await triaged();
    await press("resolved", value);
    await press("resolved", value, { user: "U0ELI" });
    const [own, other] = slack.dialogs;
    if (own === undefined || other === undefined) throw new Error("No dialog was opened.");
    await command(`resolve ${incidentId} restarted it`);
    const fix = { fix: "Raised the memory limit to 2 GiB." };
    await send(submissionBody(own, fix, { id: "V1" }));
    expect(JSON.stringify(slack.posted.at(-1)?.blocks)).toContain("To replace your fix, send:");
    await send(submissionBody(other, fix, { id: "V2", user: "U0ELI", name: "eli" }));
    expect(JSON.stringify(slack.posted.at(-1)?.blocks)).toContain("To record your fix beside it, send:");
  });
});
