// Hostile titles, logs, labels, runbooks, resolutions, comments and changes in every view: nothing runs, nothing loads from
// elsewhere, and nothing leaves its place.

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HOSTILE_GLOBAL } from "../../support/hostile-texts.ts";
import { builtAssets } from "../support/built-assets.ts";
import { createHarness, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";
import { type HostileData, storeHostileData } from "./support/hostile-data.ts";
import { checkAccessibility, checkWidth, type OpenConsole, serveConsole } from "./support/open-console.ts";
import { TOP_PAGES, waitUntilLoaded } from "./support/view-pages.ts";

const harness = createHarness({ ASSETS: builtAssets });
const server = await serveConsole(harness);
let data: HostileData;

beforeAll(async () => {
  await loadFreshRunbooks(harness.services, workerEnv);
  data = await storeHostileData(harness);
});
afterAll(() => server[Symbol.asyncDispose]());

/** Elements and attributes that only a hostile text would bring, and addresses that run. */
const FOREIGN = `({
  elements: [...document.querySelectorAll("script:not([src^='/console/']), iframe, object, embed, form[action], base, math, marquee, style, img, link[href*='hostile'], [onerror], [onload], [onmouseover], [onfocus], [ontoggle], [style*='hostile']")].map((element) => element.outerHTML.slice(0, 200)),
  addresses: [...document.querySelectorAll("a[href]")].map((link) => link.getAttribute("href")).filter((href) => !/^(?:https?:\\/\\/|\\/|#|\\?)/i.test(href)),
  ran: "${HOSTILE_GLOBAL}" in window,
})`;
/** Characters that change the direction of reading or hide text. */
const UNSEEN = /[\u202a-\u202e\u2066-\u2069\u200b\u2060\ufeff]|[\u{E0000}-\u{E007F}]/u;

async function expectHarmless({ page, messages, requests }: OpenConsole): Promise<void> {
  await expandEverything(page);
  expect(await page.evaluate(FOREIGN)).toEqual({ elements: [], addresses: [], ran: false });
  expect(messages).toEqual([]);
  expect(requests.filter((url) => !url.startsWith(server.url))).toEqual([]);
  expect(await page.locator("body").textContent()).not.toMatch(UNSEEN);
}

/** Opens what is closed, so that its text is in the page. */
async function expandEverything(page: Page): Promise<void> {
  await page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })");
  for (const button of await page.locator("main button[aria-expanded='false']").all())
    await button.click({ timeout: 5_000 }).catch(() => {}); // A button may vanish when another one opens.
}

describe.each([390, 1440])("at %i px", (width) => {
  const scheme = width === 390 ? "dark" : "light";

  it.each(TOP_PAGES)("the view $heading shows hostile texts as texts", async ({ path }) => {
    const opened = await server.open(path, { width, scheme });
    await waitUntilLoaded(opened.page);
    await expectHarmless(opened);
    await checkWidth(opened.page);
    await opened.context.close();
  });

  it.each(["first", "second"] as const)("the page of the %s incident shows hostile texts as texts", async (which) => {
    const opened = await server.open(`/incidents/${data[which].incident_id}`, { width, scheme });
    await waitUntilLoaded(opened.page);
    expect(await opened.page.locator("main").textContent()).toContain("<script>");
    await expectHarmless(opened);
    await checkWidth(opened.page);
    await checkAccessibility(opened.page);
    await opened.context.close();
  });

  it("the page of a runbook shows hostile texts as texts", async () => {
    const opened = await server.open(`/runbooks/postgres/${data.runbook}`, { width, scheme });
    await waitUntilLoaded(opened.page);
    await opened.page.getByText("the page").first().waitFor();
    await expectHarmless(opened);
    await checkWidth(opened.page);
    await opened.context.close();
  });
});

it.each([
  "/incidents/%3Cscript%3E",
  "/runbooks/%ZZ/%E0%A4%A",
  "/nothing/<img src=x onerror=hostileTextRan=1>",
  "/?text=%3Cscript%3EhostileTextRan%3D1%3C%2Fscript%3E&status=__proto__&cursor='",
  "/#code=%3Cimg%20src=x%3E",
])("the address %s shows a page of the console", async (path) => {
  const opened = await server.open(path);
  await opened.page.getByRole("heading", { level: 1 }).waitFor();
  const { ran, elements } = (await opened.page.evaluate(FOREIGN)) as { ran: boolean; elements: string[] };
  expect([ran, elements]).toEqual([false, []]);
  expect(opened.requests.filter((url) => !url.startsWith(server.url))).toEqual([]);
  await opened.context.close();
});
