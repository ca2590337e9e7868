// Writes of a token that is restricted to domains, while they wait in the queue and when they are stored.

import { beforeEach, describe, expect, it } from "vitest";
import { deleteExpired } from "../../../functions/jobs/delete-expired.ts";
import type { BufferedWrite } from "../../../functions/write-buffer.ts";
import { as, createWorld, FOREIGN, OWN, type World } from "../access/domain-world.ts";
import { webhook } from "../alerts/support.ts";
import { createHarness, emptyStores, sql } from "../support/harness.ts";
import { createOutage, deliver, json, type Outage, takeAll } from "./support.ts";

const direct = createHarness();
const QUERY = "ledger replication stalled";

let outage: Outage;
let world: World;
beforeEach(async () => {
  await emptyStores(direct.services);
  world = await createWorld(direct);
  outage = await createOutage();
  // From now on the isolate recognises the token without the database.
  expect((await outage.harness.request("/v1/incidents", { headers: as(world.token) })).status).toBe(200);
  outage.cutDatabase();
  return () => outage[Symbol.asyncDispose]();
});

const post = (path: string, body: unknown) => outage.harness.post(path, body, as(world.token));

async function bufferedReport(): Promise<BufferedWrite> {
  await json(await post("/v1/incidents", { title: QUERY }), 202);
  outage.restoreDatabase();
  const [write] = takeAll(outage);
  if (write === undefined) throw new Error("The queue holds no write.");
  return write;
}

/** All that the writes of the test could change. */
async function recordsOf(domain: string) {
  return {
    incidents: await sql`select i.* from public.incidents i where i.domain = ${domain} order by i.id`,
    feedback: await sql`select f.* from public.feedback f join public.triages t on t.id = f.triage_id
      join public.incidents i on i.id = t.incident_id where i.domain = ${domain} order by 1, 2`,
    tries: await sql`select t.* from public.fix_tries t join public.incidents i on i.id = t.incident_id
      where i.domain = ${domain} order by t.at`,
    observations: await sql`select o.* from public.observations o where o.domain = ${domain} order by o.id`,
  };
}

describe("a write of a restricted token that waits for the database", () => {
  it("is stored if it is about its domains, and changes nothing of others", async () => {
    const foreignBefore = await recordsOf(FOREIGN);
    const { triage_id, incident_id } = await json(await post("/v1/triage", { title: QUERY }), 200);
    await json(await post("/v1/incidents", { title: `${QUERY} again` }), 202);
    await json(await post("/v1/alerts/alertmanager", JSON.parse(webhook([{ name: "Ours", labels: {} }]))), 202);
    await json(await post(`/v1/triages/${triage_id}/feedback`, { rating: "up" }), 202);
    await json(await post(`/v1/incidents/${incident_id}/resolve`, { resolution: "Grew the disk." }), 202);
    const ownWrites = takeAll(outage);
    outage.harness.clock.advance(1_000);
    await json(await post(`/v1/triages/${world.foreign.triage}/feedback`, { rating: "down" }), 202);
    await json(await post(`/v1/incidents/${world.foreign.incident}/resolve`, { resolution: "Nothing to fix." }), 202);
    const foreignWrites = takeAll(outage);
    outage.restoreDatabase();

    expect(ownWrites.map(({ kind }) => kind)).toEqual(["triage", "report", "alerts", "feedback", "resolution"]);
    for (const { domains } of [...ownWrites, ...foreignWrites]) expect(domains).toEqual([OWN]);
    expect(await deliver(outage.harness, ownWrites)).toEqual(ownWrites.map(() => "acknowledged"));
    // As for an id that does not exist.
    expect(await deliver(outage.harness, foreignWrites)).toEqual(foreignWrites.map(() => ({ againInSeconds: 5 })));

    expect(await recordsOf(FOREIGN)).toEqual(foreignBefore);
    const stored = await sql`select i.status, i.allowed_domains, i.resolution from public.incidents i
      where i.domain = ${OWN} and i.id <> ${world.own.incident} order by i.created_at, i.status desc`;
    expect(stored).toHaveLength(3);
    for (const { allowed_domains } of stored) expect(allowed_domains).toEqual([OWN]);
    expect(stored.map(({ status }) => status).sort()).toEqual(["queued", "queued", "resolved"]);
    expect(stored.find(({ status }) => status === "resolved")?.resolution).toBe("Grew the disk.");
    expect(await sql`select rating from public.feedback where triage_id = ${String(triage_id)}`).toMatchObject([
      { rating: 1 },
    ]);
  });

  it("is given up at once if it is about a domain that the token no longer reaches", async () => {
    const write = await bufferedReport();
    const before = await recordsOf(OWN);
    expect(await deliver(outage.harness, [{ ...write, domains: [FOREIGN] }])).toEqual(["acknowledged"]);
    expect(await recordsOf(OWN)).toEqual(before);
    expect(outage.waiting).toEqual([]);
    expect(outage.harness.log).toContainEqual({
      level: "warn",
      event: "write_buffer.forbidden",
      fields: expect.objectContaining({ write: "report", at: write.at }),
    });
    const metrics = await (await direct.request("/metrics")).text();
    expect(metrics).toMatch(/^dejavu_buffered_writes_total\{result="forbidden"\} [1-9]/m);
  });

  it("keeps its restriction when the message is sent anew", async () => {
    await json(await post("/v1/incidents", { title: QUERY }), 202);
    const [write] = takeAll(outage);
    expect(await deliver(outage.harness, [write], { attempts: 60 })).toEqual(["acknowledged"]);
    expect(takeAll(outage)).toEqual([write]);
  });
});

describe("a deletion by a restricted token", () => {
  it("removes the text from the triages of other domains, too", async () => {
    outage.restoreDatabase();
    const name = `${OWN}/ledger.md`;
    await sql`update public.triages set recalled_ids = array[${name}] where id = ${world.foreign.triage}`;
    // An earlier deletion, whose text no result shows.
    await sql`insert into public.text_removals (kind, record_ids, at) values ('deleted', '{shop/former.md}', now())`;
    const headers = as(world.token);
    const deleted = await outage.harness.request(`/v1/runbooks/${name}`, { method: "DELETE", headers });
    expect(deleted.ok, await deleted.clone().text()).toBe(true);
    expect(await deleteExpired(outage.harness.services)).toMatchObject({ results: 2 });
    const [foreign] = await sql`select recalled_ids from public.triages where id = ${world.foreign.triage}`;
    expect(foreign?.recalled_ids).toEqual([]);
  });
});
