// Webhooks of Datadog and of CloudWatch through SNS: what only the whole server shows.

import { createServer } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { DATADOG } from "../../unit/incidents/webhooks/payloads.ts";
import { createHarness, deleteIncidents, emptyStores, workerEnv } from "../support/harness.ts";
import { seedDomains } from "../support/inventory.ts";
import { alertRows, deliver, expectNothingStored, expectProblem, fixture, incidentRows, send } from "./support.ts";

const message = z.looseObject({ SubscribeURL: z.string().optional(), SigningCertURL: z.string() });
const sns = z
  .object({ certificate: z.string(), version1: message, version2: message, confirmation: message })
  .parse(JSON.parse(fixture("sns-signed")));

/** Stands in for SNS: serves the certificate, and notes the paths that are called. */
const called: string[] = [];
const standIn = createServer((request, response) => {
  called.push(request.url ?? "");
  response.end(request.url?.endsWith(".pem") ? sns.certificate : "<ConfirmSubscriptionResponse/>");
});
await new Promise<void>((resolve) => standIn.listen(0, "127.0.0.1", resolve));
afterAll(() => standIn.close());

const harness = createHarness(
  {},
  {
    fetchTopics: (address, init) => {
      const { pathname, search } = new URL(String(address));
      const place = standIn.address();
      const port = place === null || typeof place === "string" ? 0 : place.port;
      return fetch(`http://127.0.0.1:${port}${pathname}${search}`, init);
    },
  },
);
const { services } = harness;

beforeAll(async () => {
  await emptyStores(services);
  await seedDomains(workerEnv);
});
beforeEach(async () => {
  called.length = 0;
  await deleteIncidents(services);
});

/** As SNS sends it: as plain text, with the token as the password in the address. */
const asSns = (token: string) => ({
  "content-type": "text/plain; charset=UTF-8",
  authorization: `Basic ${Buffer.from(`dejavu:${token}`).toString("base64")}`,
});
const TOKEN = services.config.DEJAVU_TOKEN ?? "";
const { pathname: certificatePath } = new URL(sns.confirmation.SigningCertURL);

describe("a subscription to a topic", () => {
  it("is confirmed after token and signature were checked", async () => {
    const receipt = await deliver(harness, "cloudwatch", JSON.stringify(sns.confirmation), asSns(TOKEN));
    expect(receipt.alerts).toMatchObject([{ decision: "ignored", rule: "the subscription is confirmed" }]);
    const { pathname, search } = new URL(sns.confirmation.SubscribeURL ?? "");
    expect(called).toEqual([certificatePath, pathname + search]);
  });

  it("is not confirmed without the token: SNS is asked for it, and nothing is called", async () => {
    const body = JSON.stringify(sns.confirmation);
    const response = await send(harness, "cloudwatch", body, { ...asSns(TOKEN), authorization: "" });
    const wrong = await send(harness, "cloudwatch", body, asSns("wrong"));
    await expectProblem(wrong, 401, "unauthorized");
    await expectProblem(response, 401, "unauthorized");
    expect(called).toEqual([]);
  });

  it("is not confirmed with a wrong signature", async () => {
    const forged = JSON.stringify({ ...sns.confirmation, Token: "another" });
    await expectProblem(await send(harness, "cloudwatch", forged, asSns(TOKEN)), 401, "invalid-signature");
    expect(called.filter((path) => path !== certificatePath)).toEqual([]);
  });
});

describe("an alert", () => {
  it("of CloudWatch creates an incident", async () => {
    await deliver(harness, "cloudwatch", JSON.stringify(sns.version2), asSns(TOKEN));
    expect(await alertRows()).toMatchObject([
      { source: "cloudwatch", alertname: "orders-db-cpu-high", target: "orders-db" },
    ]);
  });

  it("of Datadog creates an incident, which ends with it", async () => {
    const { alerts } = await deliver(harness, "datadog", JSON.stringify(DATADOG));
    expect(alerts).toMatchObject([{ decision: "created", status: "firing" }]);
    expect(await incidentRows()).toMatchObject([
      { title: "CPU of orders-db is high", target: "orders-db-1", severity: "high", status: "queued" },
    ]);
    harness.clock.advance(60_000);
    const recovered = { ...DATADOG, alert_transition: "Recovered", date: "1772333990000" };
    await deliver(harness, "datadog", JSON.stringify(recovered));
    expect(await incidentRows()).toMatchObject([{ status: "resolved" }]);
  });

  it("with the token as a password is taken at webhooks only", async () => {
    const response = await harness.request("/v1/incidents", { headers: asSns(TOKEN) });
    await expectProblem(response, 401, "unauthorized");
    await expectNothingStored();
  });
});
