// Waiting incidents: their limit for each reporter, and the turns between reporters.

import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { problemSchema } from "../../../functions/routes/http/problem-schema.ts";
import { investigate } from "../alerts/support.ts";
import { createHarness, deleteIncidents, type Harness, sql, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";

const OOM = { title: "api-gateway docker container exited with code 137", target: "api-gateway", severity: "critical" };
const harness = createHarness();

beforeAll(() => loadFreshRunbooks(harness.services, workerEnv));
beforeEach(() => deleteIncidents(harness.services));

async function reporterOf(name: string): Promise<Record<string, string>> {
  const made = await harness.post("/v1/admin/tokens", { name, scopes: ["triage"] });
  return { authorization: `Bearer ${z.object({ token: z.string() }).parse(await made.json()).token}` };
}

/** Reports an incident. @returns its id */
async function report({ post }: Harness, body: unknown, headers: Record<string, string> = {}): Promise<string> {
  const response = await post("/v1/incidents", body, headers);
  expect(response.status, await response.clone().text()).toBe(202);
  return z.object({ incident_id: z.string() }).parse(await response.json()).incident_id;
}

async function statusesOf(ids: readonly string[]): Promise<unknown[]> {
  const rows = await sql`select status from public.incidents where id = any(${[...ids]}) order by status`;
  return rows.map(({ status }) => status);
}

describe("a reporter with many incidents", () => {
  it("delays no other reporter: the second message is for the incident of the other", async () => {
    const [flood, other] = [await reporterOf("flood"), await reporterOf("other")];
    const many: string[] = [];
    for (let n = 0; n < 5; n++) many.push(await report(harness, { title: `flood ${n}` }, flood));
    harness.clock.advance(1_000);
    const single = await report(harness, OOM, other);
    await investigate(harness.services, many.slice(0, 2));
    expect(await statusesOf([single])).toEqual(["triaged"]);
    expect(await statusesOf(many)).toEqual(["queued", "queued", "queued", "queued", "triaged"]);
    await investigate(harness.services, [...many.slice(2), single]);
    expect(await statusesOf(many)).toEqual(Array(5).fill("triaged"));
  });

  it("takes turns with the others, message by message", async () => {
    const reporters = [await reporterOf("a"), await reporterOf("b"), await reporterOf("c")];
    for (const [i, headers] of reporters.entries()) {
      for (let n = 0; n <= i; n++) await report(harness, { title: `reporter ${i} incident ${n}` }, headers);
      harness.clock.advance(1_000);
    }
    const turns: string[] = [];
    for (let n = 0; n < 6; n++) {
      await investigate(harness.services, ["0f9d6f2a-0000-4000-8000-000000000000"]);
      const [row] = await sql`select i.title from public.runs r join public.incidents i on i.id = r.incident_id
        order by r.started_at desc limit 1`;
      harness.clock.advance(1_000);
      turns.push(String(row?.title).split(" ")[1] ?? "");
    }
    expect(turns).toEqual(["0", "1", "2", "1", "2", "2"]);
  });

  it("gets 503 past its limit, and nothing is stored; other reporters are not concerned", async () => {
    const limited = createHarness({ MAX_WAITING_INCIDENTS: "2" });
    const [flood, other] = [await reporterOf("flood"), await reporterOf("other")];
    const waiting = [await report(limited, { title: "one" }, flood), await report(limited, { title: "two" }, flood)];
    const refused = await limited.post("/v1/incidents", { title: "three" }, flood);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "60"]);
    expect(problemSchema.parse(await refused.json())).toMatchObject({
      type: "urn:dejavu:problem:too-many-waiting",
      detail: expect.stringContaining("MAX_WAITING_INCIDENTS is 2"),
    });
    await report(limited, OOM, other);
    expect(await sql`select 1 from public.incidents`).toHaveLength(3);
    await investigate(limited.services, waiting);
    await report(limited, { title: "three" }, flood);
  });

  it("stays within its limit under concurrent reports", async () => {
    const limited = createHarness({ MAX_WAITING_INCIDENTS: "3" });
    const statuses = await Promise.all(
      Array.from({ length: 8 }, async (_, n) => (await limited.post("/v1/incidents", { title: `report ${n}` })).status),
    );
    expect(statuses.toSorted()).toEqual([202, 202, 202, 503, 503, 503, 503, 503]);
    expect(await sql`select 1 from public.incidents`).toHaveLength(3);
  });

  it("may repeat a report with its Idempotency-Key at its limit", async () => {
    const limited = createHarness({ MAX_WAITING_INCIDENTS: "1" });
    const key = { "idempotency-key": "alert-1" };
    const id = await report(limited, OOM, key);
    expect(await report(limited, OOM, key)).toBe(id);
  });
});
