import { beforeAll, describe, expect, it } from "vitest";
import { expectProblem, sendJson } from "../support/api.ts";
import { createHarness, emptyStores, sql } from "../support/harness.ts";

const harness = createHarness();
const PAYMENTS = {
  labels: [{ match: { team: ["payments"] }, weight: 3 }],
  hints: [{ words: ["card processor"], weight: 3 }],
  incident_types: [{ name: "processor_declines", hints: [{ words: ["declined by processor"], weight: 3 }] }],
};
beforeAll(async () => {
  await emptyStores(harness.services);
  await sendJson(harness, "PUT", "/v1/domains/payments", PAYMENTS);
  await sendJson(harness, "PUT", "/v1/domains/audit-trail", {
    only_when_decided: true,
    hints: PAYMENTS.incident_types[0]?.hints,
  });
});

const route = (body: object) => sendJson(harness, "POST", "/v1/domains/route", body);

describe("where a text would be routed", () => {
  it("is the domain of its labels, with the rule that decided, and nothing is stored", async () => {
    const { body } = await route({ text: "Charges fail, declined by processor", labels: { team: "payments" } });
    expect(body).toMatchObject({
      title: "Charges fail, declined by processor",
      domain: { name: "payments", rule: "label team=payments", decided_by: "label", limits_search: true },
      incident_type: { name: "processor_declines", rule: 'words "declined by processor"' },
    });
    expect(await sql`select 1 from public.incidents`).toEqual([]);
    expect(await sql`select 1 from public.audit_events where kind = 'route'`).toEqual([]);
  });

  it("is the domain of its words, which only prefer it", async () => {
    const { body } = await route({ text: "the card processor is slow" });
    expect(body).toMatchObject({
      domain: { name: "payments", rule: 'words "card processor"', decided_by: "words", limits_search: false },
      preferred: [{ name: "payments", strength: 1 }],
      excluded: ["audit-trail"],
    });
  });

  it("reads several lines as a log, whose headline is the title", async () => {
    const { body } = await route({
      text: "2026-03-01T02:55:10Z INFO started\n2026-03-01T02:55:12Z ERROR card processor refused the connection",
    });
    expect(body).toMatchObject({
      title: expect.stringContaining("card processor refused the connection"),
      domain: { name: "payments" },
    });
  });

  it("is general when nothing decides", async () => {
    const { body } = await route({ text: "something is odd" });
    expect(body).toMatchObject({ domain: { name: "general", decided_by: "none" }, incident_type: { name: "unknown" } });
  });

  it("needs a text", async () => {
    await expectProblem(await harness.post("/v1/domains/route", { text: " " }), 422, "invalid-request");
  });
});
