// The view Settings: tokens and sources of evidence.

import type { Page } from "playwright-core";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { checkAccessibility, checkLooks } from "../../integration/console/support/check-page.ts";
import { serveConsole } from "../../integration/console/support/open-console.ts";
import { builtAssets } from "../../integration/support/built-assets.ts";
import { createHarness, sql } from "../../integration/support/harness.ts";
import { metricsServer } from "../../integration/support/servers/metrics-server.ts";
import { bearer, createdSchema, makeToken } from "../../integration/support/tokens.ts";

const SECRET = "planted-metrics-token-4711";
const metrics = await metricsServer(`Bearer ${SECRET}`);
const harness = createHarness({ ASSETS: builtAssets, EVIDENCE_PROD: SECRET });
const server = await serveConsole(harness);
afterAll(() => metrics[Symbol.asyncDispose]());
afterEach(() => sql`delete from public.evidence_sources`);

async function statusFor(token: string): Promise<number> {
  return (await harness.request("/v1/incidents", { headers: bearer(token) })).status;
}

async function putSource(name: string, body: object): Promise<void> {
  const response = await harness.request(`/v1/sources/${name}`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(response.status, await response.text()).toBeLessThan(300);
}

const row = (page: Page, name: string) =>
  page.getByRole("listitem").filter({ has: page.getByRole("heading", { name }) });

describe("connecting a system", () => {
  it("fills in its address and a new token, and says when something is received", async () => {
    // A token grants only scopes that it has.
    const { page } = await server.open("/settings", { scopes: ["admin", "report", "read"] });
    await page.getByLabel("System").selectOption("PagerDuty");
    await page.getByText("/v1/alerts/pagerduty").waitFor();
    expect(await page.getByRole("button", { name: /^Make a token/ }).count()).toBe(0);
    await page.getByLabel("System").selectOption("Grafana");
    await page.getByText(`${server.url}/v1/alerts/grafana`).waitFor();
    await page.getByRole("button", { name: "Make a token for Grafana" }).click();
    await page.getByText("Nothing received yet.").waitFor();
    await checkLooks(page);
    await page.getByRole("button", { name: "Send a test alert" }).click();
    await page.getByText("The test alert is accepted.").waitFor();
    await page.getByText("Last received").waitFor();
  });
});

describe("notification targets", () => {
  it("are added, edited, sent a test message and deleted", async () => {
    const { page } = await server.open("/settings/notifications");
    await page.getByText("Nobody is notified yet.").waitFor();
    await page.getByRole("button", { name: "Add a target" }).click();
    const form = page.getByRole("dialog");
    await form.getByLabel("Name").fill("on-call");
    await form.getByLabel("System").selectOption("A webhook of yours");
    await form.getByLabel("Address").fill("http://127.0.0.1:9/");
    await form.getByLabel("Credential").fill("nowhere");
    await form.getByRole("button", { name: "Store it" }).click();
    await form.getByText("NOTIFY_").first().waitFor();
    await checkAccessibility(page);
    await form.getByLabel("Credential").fill("NOTIFY_NOWHERE");
    await form.getByRole("button", { name: "Store it" }).click();
    await row(page, "on-call").getByRole("button", { name: "Edit on-call" }).click();
    await form.getByLabel("From severity").selectOption("high");
    await form.getByRole("button", { name: "Store it" }).click();
    await row(page, "on-call").getByText("from severity high").waitFor();
    await row(page, "on-call").getByText("The Worker has no secret NOTIFY_NOWHERE").waitFor();
    await row(page, "on-call").getByRole("button", { name: "Send a test message to on-call" }).click();
    await page.getByText("on-call did not accept it").waitFor();
    await checkLooks(page);
    await row(page, "on-call").getByRole("button", { name: "Delete on-call" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("Nobody is notified yet.").waitFor();
  });
});

describe("tokens", () => {
  it("asks for what is missing when one is made, and keeps its secret until it is copied", async () => {
    const { page } = await server.open("/settings/tokens");
    await page.getByRole("button", { name: "Make a token" }).click();
    const dialog = page.getByRole("dialog", { name: "Make a token" });
    await dialog.getByLabel("Name").fill("alertmanager");
    await dialog.getByRole("button", { name: "Make it" }).click();
    await dialog.getByText("Choose at least one.").waitFor();
    await checkAccessibility(page);
    await dialog.getByRole("checkbox", { name: /^read / }).check();
    await dialog.getByLabel("Domains (optional)").fill("Not/A/Domain");
    await dialog.getByRole("button", { name: "Make it" }).click();
    expect(await dialog.getByRole("alert").textContent()).toContain("domains");
    await dialog.getByLabel("Domains (optional)").fill("docker");
    await dialog.getByRole("button", { name: "Make it" }).click();
    const made = page.getByRole("dialog", { name: "The token alertmanager" });
    await made.waitFor();
    await page.keyboard.press("Escape");
    await made.getByRole("button", { name: "I have copied it" }).click();
    await row(page, "alertmanager").getByText("expires in 90 days").waitFor();
  });

  it("revokes one after it names the tokens that end with it", async () => {
    const parent = await makeToken(harness, ["admin", "read"], { name: "team" });
    const made = await harness.post("/v1/admin/tokens", { name: "child", scopes: ["read"] }, bearer(parent.token));
    const child = createdSchema.parse(await made.json());
    const { page } = await server.open("/settings/tokens");
    await page.getByRole("button", { name: "Revoke team" }).click();
    const dialog = page.getByRole("dialog", { name: "Revoke team?" });
    await expect.poll(() => dialog.getByRole("listitem").allTextContents()).toEqual(["child"]);
    await dialog.getByRole("button", { name: "Keep it" }).click();
    expect(await statusFor(parent.token)).toBe(200);
    await page.getByRole("button", { name: "Revoke team" }).click();
    await dialog.getByRole("button", { name: "Revoke it" }).click();
    await page.getByText("The token team is revoked.").waitFor();
    expect([await statusFor(parent.token), await statusFor(child.token)]).toEqual([401, 401]);
    await expect.poll(() => row(page, "child").count()).toBe(0);
    await page.getByRole("checkbox", { name: /Show revoked/ }).check();
    expect(await row(page, "child").textContent()).toContain("revoked");
  });
});

describe("sources of evidence", () => {
  it("defines one, tries a query, edits and deletes it", async () => {
    metrics.series = [
      { metric: { instance: "db-1" }, value: "0.97" },
      { metric: { instance: "db-2" }, value: "NaN" },
    ];
    const { page, messages } = await server.open("/settings/sources");
    await page.getByText("There are no sources yet.").waitFor();
    await page.getByRole("button", { name: "Define a source" }).click();
    const form = page.getByRole("dialog", { name: "Define a source" });
    await form.getByLabel("Name").fill("prod");
    await form.getByLabel("Address", { exact: true }).fill(metrics.url);
    await form.getByLabel("Credential (optional)").fill("my-password");
    await form.getByRole("button", { name: "Store it" }).click();
    expect(await form.getByRole("alert").textContent()).toContain("EVIDENCE_");
    await form.getByLabel("Credential (optional)").fill("EVIDENCE_PROD");
    await form.getByLabel("Labels (optional)").fill("cluster=eu|us");
    await form.getByRole("button", { name: "Store it" }).click();
    const source = row(page, "prod");
    await source.getByText("ok, 2.42.0").waitFor();
    expect(await source.textContent()).toContain("asked for cluster=eu|us");

    await source.getByText("Try a query in PromQL").click();
    await source.getByLabel("Query").fill("used");
    await source.getByLabel("Confirms if (optional)").fill("any > 0.9");
    await source.getByRole("button", { name: "Run it" }).click();
    await source.getByText("confirmed", { exact: true }).waitFor();
    expect(await source.locator("tbody :is(th, td)").allTextContents()).toEqual([
      "instance=db-1",
      "0.97",
      "instance=db-2",
      "NaN",
    ]);
    await checkAccessibility(page);

    await source.getByRole("button", { name: "Edit prod" }).click();
    const edit = page.getByRole("dialog", { name: "Edit prod" });
    expect(await edit.getByLabel("Labels (optional)").inputValue()).toBe("cluster=eu|us");
    await edit.getByLabel("Labels (optional)").fill("");
    await edit.getByRole("button", { name: "Store it" }).click();
    await source.getByText("asked for every alert").waitFor();

    await source.getByRole("button", { name: "Delete prod" }).click();
    await page.getByRole("button", { name: "Delete it" }).click();
    await page.getByText("There are no sources yet.").waitFor();
    expect((await harness.request("/v1/sources/prod")).status).toBe(404);
    expect(messages).toEqual([]);
  });

  it("shows why one fails, and names the secret that is missing", async () => {
    await putSource("down", { kind: "prometheus", url: "http://127.0.0.1:1" });
    await putSource("mute", { kind: "loki", url: "https://127.0.0.1:1", credential: "EVIDENCE_MUTE" });
    const { page } = await server.open("/settings/sources");
    await row(page, "down")
      .getByText(/^failing: /)
      .waitFor();
    expect(await row(page, "mute").textContent()).toContain("npx wrangler secret put EVIDENCE_MUTE");
    await row(page, "down").getByText("Try a query").click();
    await row(page, "down").getByLabel("Query").fill("up");
    await row(page, "down").getByRole("button", { name: "Run it" }).click();
    await row(page, "down").getByText("The source did not answer").waitFor();
  });
});

it.each(["tokens", "sources"])("the %s are accessible and no wider than the window in each look", async (path) => {
  await makeToken(harness, ["triage", "read", "feedback"], {
    name: "grafana",
    expires_in_days: 7,
    domains: ["docker"],
  });
  await makeToken(harness, ["admin", "read"], { name: "a-name-".repeat(14) });
  await putSource("prod-metrics", { kind: "prometheus", url: metrics.url, credential: "EVIDENCE_PROD" });
  await putSource("down", { kind: "loki", url: "https://127.0.0.1:1", credential: "EVIDENCE_MUTE" });
  const { page, messages } = await server.open(`/settings/${path}`);
  await page.getByRole("heading", { level: 3 }).first().waitFor();
  await checkLooks(page);
  expect(messages).toEqual([]);
});
