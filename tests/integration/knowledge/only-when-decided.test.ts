// A domain with `only_when_decided`: its texts and past incidents answer its own reports only.

import { beforeEach, describe, expect, it } from "vitest";
import { sendJson, sendText } from "../support/api.ts";
import { createHarness, emptyStores } from "../support/harness.ts";
import { INGRESS } from "../support/sources.ts";

const harness = createHarness();
const DEFINITION = { labels: [{ match: { team: ["payments"] } }], hints: [{ words: ["invoices"] }] };

beforeEach(() => emptyStores(harness.services));

function put(name: string, definition: unknown) {
  return sendJson(harness, "PUT", `/v1/domains/${name}`, definition);
}

async function read(path: string): Promise<unknown> {
  return (await harness.request(path)).json();
}

describe("a domain that is only for reports that its labels or words decide for", () => {
  const ABOUT = { title: "outbox of invoices is old", logs: "ERROR 502 from the ingress: declined by processor" };
  const foreign = { title: "Ingress answers 502", logs: ABOUT.logs };
  const recalledOf = (result: { readonly recalled: { readonly runbooks: readonly { readonly source: string }[] } }) => [
    ...new Set(result.recalled.runbooks.map(({ source }) => source)),
  ];

  beforeEach(async () => {
    await put("own", { ...DEFINITION, only_when_decided: true });
    expect((await sendText(harness, "/v1/runbooks/own/ingress.md", INGRESS)).status).toBe(201);
  });

  it("answers no other report", async () => {
    const result = await harness.triage(foreign);
    expect([result.outcome, recalledOf(result), result.recalled.incidents]).toEqual(["unknown", [], []]);
    await put("own", DEFINITION);
    expect(recalledOf(await harness.triage(foreign))).toContain("own/ingress.md");
  });

  it("answers no other report when a limited search looks further", async () => {
    await put("shop", { labels: [{ match: { team: ["shop"] } }] });
    const result = await harness.triage({ ...foreign, labels: { team: "shop" } });
    expect(result.domain).toMatchObject({ name: "shop", looked_further: true });
    expect(recalledOf(result)).toEqual([]);
  });

  it.each([
    ["its words", { title: "invoices: ingress answers 502" }],
    ["its labels", { ...foreign, labels: { team: "payments" } }],
    ["its words beside the label of another domain", { title: "invoices: 502", labels: { domain: "general" } }],
  ])("answers reports that hold %s", async (_case, report) => {
    expect(recalledOf(await harness.triage({ logs: ABOUT.logs, ...report }))).toContain("own/ingress.md");
  });

  it("keeps its past incidents to itself", async () => {
    const { incident_id } = await harness.triage(ABOUT);
    await sendJson(harness, "POST", `/v1/incidents/${incident_id}/resolve`, { resolution: "Restarted the processor." });
    const ids = async (report: typeof ABOUT) => (await harness.triage(report)).recalled.incidents.map(({ id }) => id);
    expect(await ids({ ...ABOUT, title: "outbox is old" })).toEqual([]);
    expect(await ids(ABOUT)).not.toEqual([]);
  });

  it("is not meant by a runbook that only has the last part of its path", async () => {
    const named = async (runbook_url: string) => recalledOf(await harness.triage({ title: "It fails", runbook_url }));
    expect(await named("https://wiki.example/runbooks/ingress.md")).toEqual([]);
    expect(await named("https://wiki.example/runbooks/own/ingress.md")).toContain("own/ingress.md");
  });

  it("is found by a search that names it", async () => {
    const search = async (query: string) => JSON.stringify(await read(`/v1/runbooks/search?query=Ingress${query}`));
    expect(await search("")).not.toContain("own/ingress.md");
    expect(await search("&domain=own")).toContain("own/ingress.md");
  });
});
