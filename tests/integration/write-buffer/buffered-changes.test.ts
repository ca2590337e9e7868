// Reports of changes while the database is unavailable.

import { beforeEach, expect, it } from "vitest";
import { report } from "../changes/support.ts";
import { createHarness, emptyStores, sql } from "../support/harness.ts";
import { problemOf } from "../support/tokens.ts";
import { createOutage, deliver, type Outage, takeAll } from "./support.ts";

const direct = createHarness();
let outage: Outage;
beforeEach(async () => {
  await emptyStores(direct.services);
  outage = await createOutage();
  return () => outage[Symbol.asyncDispose]();
});

it("are stored once when it is back, with the time of their report and the id that the sender has", async () => {
  outage.cutDatabase();
  const change = { service: "checkout", title: "Deploy with password=hunter2-geheim-42", version: "v1.42.0" };
  const receipt = await report(outage.harness, change);
  expect(receipt).toMatchObject({ changes: [{ service: "checkout", state: "pending" }], persisted: "pending" });
  outage.restoreDatabase();
  outage.harness.clock.advance(120_000);
  const writes = takeAll(outage);
  expect(writes.map(({ kind }) => kind)).toEqual(["changes"]);
  expect(JSON.stringify(writes)).not.toContain("hunter2");
  for (let i = 0; i < 2; i++) expect(await deliver(outage.harness, writes)).toEqual(["acknowledged"]);
  expect(await sql`select id, version, at, received_at from public.changes`).toMatchObject([
    {
      id: receipt.changes[0]?.id,
      version: "v1.42.0",
      at: new Date("2026-03-01T03:00:00Z"),
      received_at: new Date("2026-03-01T03:00:00Z"),
    },
  ]);
});

it("are more than one message if they are large", async () => {
  outage.cutDatabase();
  const changes = Array.from({ length: 100 }, (_, i) => ({
    service: `service-${i}`,
    labels: Object.fromEntries(Array.from({ length: 10 }, (_, k) => [`label_${k}`, "word ".repeat(80)])),
  }));
  await report(outage.harness, changes);
  outage.restoreDatabase();
  const writes = takeAll(outage);
  expect(writes.length).toBeGreaterThan(3);
  await deliver(outage.harness, writes);
  const [stored] = await sql`select count(*)::int as n from public.changes`;
  expect(stored).toMatchObject({ n: 100 });
});

it("are refused for now if the queue is unavailable too", async () => {
  outage.cutDatabase();
  outage.failQueue();
  const response = await outage.harness.post("/v1/changes", { service: "checkout" });
  await problemOf(response.clone(), 503, "dependency-unavailable");
  expect(response.headers.get("retry-after")).not.toBeNull();
});
