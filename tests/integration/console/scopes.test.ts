// What a token does not allow is neither shown nor requested.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SCOPES, type Scope } from "../../../functions/access/caller.ts";
import { builtAssets } from "../support/built-assets.ts";
import { createHarness, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";
import { serveConsole } from "./support/open-console.ts";
import { TOP_PAGES, waitUntilLoaded } from "./support/view-pages.ts";

const harness = createHarness({ ASSETS: builtAssets });
const server = await serveConsole(harness);
let incidentId: string;

beforeAll(async () => {
  await loadFreshRunbooks(harness.services, workerEnv);
  const { incident_id } = await harness.triage({ title: "api-gateway container exited with code 137" });
  incidentId = incident_id;
});
afterAll(() => server[Symbol.asyncDispose]());

const CASES: readonly (readonly Scope[])[] = [
  ...SCOPES.map((scope) => [scope]),
  ["read", "feedback"],
  ["read", "triage"],
  ["read", "ingest"],
  ["read", "admin"],
];

describe.each(CASES.map((scopes) => ({ name: scopes.join(" and "), scopes })))("a token for $name", ({ scopes }) => {
  it("requests nothing that is refused, and no view is empty", async () => {
    const { page, context, messages } = await server.open("", { scopes, width: 390 });
    const refused: string[] = [];
    page.on("response", (response) => {
      if (response.status() === 403) refused.push(`${response.request().method()} ${response.url()}`);
    });
    for (const path of [...TOP_PAGES.map(({ path }) => path), `/incidents/${incidentId}`]) {
      await page.goto(`${server.url}/console${path}`);
      await waitUntilLoaded(page);
      expect((await page.locator("main").textContent())?.length, path).toBeGreaterThan(20);
    }
    expect(refused).toEqual([]);
    expect(messages).toEqual([]);
    await context.close();
  });
});

it("without feedback, an incident has no button that records something", async () => {
  const { page } = await server.open(`/incidents/${incidentId}`, { scopes: ["read"] });
  await waitUntilLoaded(page);
  for (const name of [/resolve/i, /reopen/i, /helped/i, /correct/i, /delete|forget/i])
    expect(await page.locator("main").getByRole("button", { name }).count(), String(name)).toBe(0);
  await page.keyboard.press("r");
  expect(await page.getByRole("dialog").count()).toBe(0);
  for (const box of await page.locator("main input[type=checkbox]").all()) expect(await box.isDisabled()).toBe(true);
});

it("a restricted token sees its own domains alone", async () => {
  const { page } = await server.open("", { scopes: ["read", "ingest"], domains: ["kubernetes"] });
  await waitUntilLoaded(page);
  expect(await page.locator("main").textContent()).not.toContain("api-gateway container exited");
  await page.goto(`${server.url}/console/incidents/${incidentId}`);
  await waitUntilLoaded(page);
  expect(await page.locator("main").textContent()).not.toContain("api-gateway container exited");
});
