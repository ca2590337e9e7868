// What a token does not allow is neither shown nor requested.

import type { Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { SCOPES, type Scope } from "../../../functions/access/caller.ts";
import { builtAssets } from "../support/built-assets.ts";
import { createHarness, sql, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";
import { NARROW_DARK, serveConsole } from "./support/open-console.ts";
import { TOP_PAGES, waitUntilLoaded } from "./support/view-pages.ts";

const harness = createHarness({ ASSETS: builtAssets });
const server = await serveConsole(harness);
const TITLE = "api-gateway container exited with code 137";
let incidentId: string;
let observationId: string;

beforeAll(async () => {
  await loadFreshRunbooks(harness.services, workerEnv);
  incidentId = (await harness.triage({ title: TITLE })).incident_id;
  // No runbook answers it: the view Quality offers to write one.
  await harness.triage({ title: "Nobody can print", labels: { alertname: "PrinterOnFire" } });
  const [observation] = await sql`select id from public.observations where title = ${TITLE}`;
  observationId = String(observation?.id);
});

const CASES: readonly (readonly Scope[])[] = [
  ...SCOPES.map((scope) => [scope]),
  ["read", "feedback"],
  ["read", "triage"],
  ["read", "ingest"],
  ["read", "admin"],
];

describe.each(CASES.map((scopes) => ({ name: scopes.join(" and "), scopes })))("a token for $name", ({ scopes }) => {
  it("requests nothing that is refused, and no view is empty", async () => {
    const { page, messages } = await server.open("", { ...NARROW_DARK, scopes });
    const refused: string[] = [];
    page.on("response", (response) => {
      if (response.status() === 403) refused.push(`${response.request().method()} ${response.url()}`);
    });
    await waitUntilLoaded(page);
    for (const { path, heading } of [...TOP_PAGES, { path: `/incidents/${incidentId}`, heading: TITLE }]) {
      // A view that is loaded anew costs four times the CPU time.
      await page.evaluate(
        `history.pushState(null, "", "/console${path}"); dispatchEvent(new PopStateEvent("popstate"))`,
      );
      const shown = page.getByRole("heading", { level: 1, name: heading, exact: true });
      await shown.or(page.getByRole("heading", { level: 1, name: "Nothing here" })).waitFor();
      await waitUntilLoaded(page);
      expect((await page.locator("main").textContent())?.length, path).toBeGreaterThan(20);
    }
    expect(refused).toEqual([]);
    expect(messages).toEqual([]);
  });
});

/** What a page shows, and what it offers only to a token that may make changes. */
const CHANGES: readonly (readonly [
  name: string,
  path: () => string,
  shown: string,
  offered: (page: Page) => readonly Locator[],
])[] = [
  [
    "an incident",
    () => `/incidents/${incidentId}`,
    "Timeline",
    (page) => [
      page.getByRole("group", { name: "Actions" }),
      page.getByRole("button", { name: /resolve|reopen|helped|correct|delete|forget|same as before/i }),
      page.getByRole("heading", { name: "Ask about this incident" }),
      page.getByRole("checkbox"),
    ],
  ],
  [
    "a runbook",
    () => "/runbooks/docker/exit-137-out-of-memory.md",
    "Mitigate",
    (page) => [page.getByRole("link", { name: "Edit" })],
  ],
  ["the domains", () => "/domains", "docker", (page) => [page.getByRole("link", { name: "New domain" })]],
  [
    "a failure in memory",
    () => `/memory/observations/${observationId}`,
    "What fixed it",
    (page) => [page.getByLabel("Review"), page.getByRole("button", { name: /^(Forget|Join)/ })],
  ],
  [
    "failures without a runbook",
    () => "/quality/gaps",
    "PrinterOnFire",
    (page) => [page.getByRole("button", { name: /Write one/ })],
  ],
  [
    "the system",
    () => "/quality/system",
    "Dependencies",
    (page) => [page.getByRole("heading", { name: "Jobs" }), page.getByRole("button", { name: /^Run now/ })],
  ],
];

describe("changes are offered to a token that may make them, and to no other", () => {
  it.each(CHANGES)("on the page of %s", async (_, path, shown, offered) => {
    const openPage = async (scopes: readonly Scope[]) => {
      const { page } = await server.open(path(), { scopes });
      await page.locator("main").getByText(shown).first().waitFor();
      await waitUntilLoaded(page);
      return page;
    };
    for (const offer of offered(await openPage(SCOPES)))
      expect(await offer.count(), offer.toString()).toBeGreaterThan(0);
    const page = await openPage(["read"]);
    for (const offer of offered(page)) expect(await offer.count(), offer.toString()).toBe(0);
    // Nor by a key.
    for (const key of ["r", "e", "n"]) await page.keyboard.press(key);
    expect(await page.getByRole("dialog").count()).toBe(0);
    expect(page.url()).toBe(`${server.url}/console${path()}`);
  });
});

it("a token for ingest alone sees the sources of evidence in the settings, and defines none", async () => {
  const { page } = await server.open("/settings", { scopes: ["ingest"] });
  await page.getByRole("heading", { level: 2, name: "Sources of evidence" }).waitFor();
  const tabs = page.getByRole("navigation", { name: "Settings" }).getByRole("link");
  expect(await tabs.allTextContents()).toEqual(["Sources of evidence"]);
  expect(await page.getByRole("button", { name: "Define a source" }).count()).toBe(0);
});

it("a token for some domains sees its own alone, and nothing that concerns all domains", async () => {
  const { page } = await server.open("", { scopes: ["read", "ingest"], domains: ["kubernetes"] });
  for (const path of ["", `/incidents/${incidentId}`, "/memory"]) {
    await page.goto(`${server.url}/console${path}`);
    await waitUntilLoaded(page);
    expect(await page.locator("main").textContent()).not.toContain(TITLE);
  }
  await page.getByRole("link", { name: "Details" }).click();
  const tabs = page.getByRole("navigation", { name: "Details of memory" }).getByRole("link");
  await expect.poll(() => tabs.allTextContents()).toEqual(["Answers", "Approaches", "Sessions"]);
});
