// Definitions that the token of a team stores: they take no reports of other teams.

import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { SCOPES } from "../../../functions/access/caller.ts";
import { loadDomains, putDomainRow } from "../../../functions/knowledge/domain-records.ts";
import { EMPTY_DEFINITION } from "../../../functions/knowledge/domains/domain-definition.ts";
import { receiptSchema, webhook } from "../alerts/support.ts";
import { createHarness, emptyStores, type Harness } from "../support/harness.ts";
import { type Created, makeToken, problemOf } from "../support/tokens.ts";
import { as } from "./domain-world.ts";

type Match = Readonly<Record<string, readonly string[]>>;

let harness: Harness;
let beta: Created;
let gamma: Created;
beforeEach(async () => {
  harness = createHarness();
  await emptyStores(harness.services);
  beta = await makeToken(harness, SCOPES, { name: "beta", domains: ["beta"] });
  gamma = await makeToken(harness, SCOPES, { name: "gamma", domains: ["gamma"] });
});

const put = (name: string, definition: unknown, token?: Created) =>
  harness.request(`/v1/domains/${name}`, {
    method: "PUT",
    body: JSON.stringify(definition),
    headers: token === undefined ? { "content-type": "application/json" } : as(token),
  });
const claim = (name: string, match: Match, token?: Created) => put(name, { labels: [{ match }] }, token);
async function expectStored(put: Promise<Response>): Promise<void> {
  const response = await put;
  expect(response.ok, await response.text()).toBe(true);
  // Other callers of the isolate then read the domains again.
  harness.clock.advance(60_000);
}

/** Sends one alert. @returns the id of its incident */
async function alert(labels: Readonly<Record<string, string>>, token?: Created): Promise<string> {
  const response = await harness.request("/v1/alerts/alertmanager", {
    method: "POST",
    body: webhook([{ name: `Failure ${harness.services.newId()}`, labels: { pod: "", ...labels } }]),
    headers: token === undefined ? { "content-type": "application/json" } : as(token),
  });
  expect(response.status, await response.clone().text()).toBe(202);
  const [incident] = receiptSchema.parse(await response.json()).incidents;
  return z.string().parse(incident);
}

/** The domain of an incident, and the rule that decided. */
async function routeOf(incident: string): Promise<{ readonly name: string; readonly rule: string }> {
  const response = await harness.request(`/v1/incidents/${incident}`);
  const route = z.object({ name: z.string(), rule: z.string() });
  return z.object({ domain: route }).parse(await response.json()).domain;
}
const domainOf = async (incident: string) => (await routeOf(incident)).name;

describe("the alerts of a team", () => {
  const labels = { team: "beta", severity: "critical", namespace: "charges" };

  it("stay with it, whatever labels another team's token defines", async () => {
    await expectStored(claim("beta", { team: ["beta"] }, beta));
    for (const match of [
      { team: ["beta"] },
      { team: ["beta"], alertname: ["*"] },
      { team: ["beta"], severity: ["critical"] },
      { team: ["be*"] },
      { alertname: ["*"], namespace: ["*"] },
    ])
      await problemOf(await claim("gamma", match, gamma), 409, "label-conflict");
    await expectStored(claim("gamma", { severity: ["critical"], alertname: ["*"] }, gamma));

    const incident = await alert(labels);
    expect(await routeOf(incident)).toEqual({ name: "beta", rule: "label team=beta" });
    const read = (token: Created) => harness.request(`/v1/incidents/${incident}`, { headers: as(token) });
    expect((await read(beta)).status).toBe(200);
    await problemOf(await read(gamma), 404, "not-found");
    const fix = { resolution: "Restarted it." };
    await problemOf(await harness.post(`/v1/incidents/${incident}/resolve`, fix, as(gamma)), 404, "not-found");
  });

  it("are not refused for its own token because of what another team's token defines", async () => {
    await expectStored(claim("gamma", { severity: ["critical"] }, gamma));
    expect(await domainOf(await alert({ severity: "critical" }, beta))).toBe("beta");
  });

  it("stay with a technology that the service defined, until the service defines the team", async () => {
    await expectStored(put("kubernetes", { labels: [{ match: { pod: ["*"] }, weight: 1 }] }));
    const definition = { labels: [{ match: { namespace: ["shop"] } }] };
    await expectStored(put("gamma", definition, gamma));
    const onPod = { namespace: "shop", pod: "web-1" };
    expect(await domainOf(await alert({ namespace: "shop" }))).toBe("gamma");
    expect(await domainOf(await alert(onPod))).toBe("kubernetes");
    expect(await domainOf(await alert(onPod, gamma))).toBe("gamma");
    await expectStored(put("gamma", definition));
    expect(await domainOf(await alert(onPod))).toBe("gamma");
    // The token changes the rest: the rule stays the service's.
    await expectStored(put("gamma", { ...definition, description: "The shop." }, gamma));
    expect(await domainOf(await alert(onPod))).toBe("gamma");
  });

  it("go to the team whose token stored a rule first, while the rule stays as it is", async () => {
    const blue = { team: "blue", namespace: "charges" };
    const rule = { match: { namespace: ["charges"] } };
    await expectStored(put("gamma", { labels: [rule] }, gamma));
    await expectStored(claim("beta", { team: ["blue"] }, beta));
    await expectStored(put("gamma", { labels: [rule], hints: [{ words: ["till"] }] }, gamma));
    expect(await domainOf(await alert(blue))).toBe("gamma");
    await expectStored(claim("gamma", { namespace: ["charges", "shop"] }, gamma));
    expect(await domainOf(await alert(blue))).toBe("beta");
  });

  it("are not claimed by a definition that was checked before another domain changed", async () => {
    const { database, now } = harness.services.restrictedTo(["gamma"]);
    const { version } = await loadDomains(database, null);
    await expectStored(claim("beta", { team: ["blue"] }, beta));
    const domain = { name: "gamma", definition: EMPTY_DEFINITION };
    const stored = await putDomainRow(database, domain, { origin: "api", version, now: now() });
    expect(stored).toEqual({ state: "changed" });
  });
});
