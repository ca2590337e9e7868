// Hostile titles, logs, labels, runbooks, resolutions, comments, changes, names and evidence in every view: nothing runs,
// nothing loads from elsewhere, and nothing leaves its place.

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HOSTILE_GLOBAL, joinHostileTexts } from "../../support/hostile-texts.ts";
import { builtAssets } from "../support/built-assets.ts";
import { createHarness, sql, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";
import { metricsServer } from "../support/servers/metrics-server.ts";
import { checkAccessibility, checkWidth } from "./support/check-page.ts";
import { HOSTILE_LABELS, type HostileData, storeHostileData } from "./support/hostile-data.ts";
import { NARROW_DARK, type OpenConsole, serveConsole, show, WIDE_LIGHT } from "./support/open-console.ts";
import { streamTriage } from "./support/stream-triage.ts";
import { TOP_PAGES, waitUntilLoaded } from "./support/view-pages.ts";

const metrics = await metricsServer();
const harness = createHarness({ ASSETS: builtAssets });
const server = await serveConsole(harness);
let data: HostileData;

beforeAll(async () => {
  metrics.series = [{ metric: HOSTILE_LABELS, value: "0.97" }];
  await loadFreshRunbooks(harness.services, workerEnv);
  data = await storeHostileData(harness, metrics.url);
});
afterAll(() => metrics[Symbol.asyncDispose]());

async function open(path: string): Promise<OpenConsole> {
  const opened = await server.open(path, NARROW_DARK);
  await waitUntilLoaded(opened.page);
  return opened;
}

/** Elements and attributes that only a hostile text would bring, and addresses that run. */
const FOREIGN = `({
  elements: [...document.querySelectorAll("script:not([src^='/console/']), iframe, object, embed, form[action], base, math, marquee, style, img, link[href*='hostile'], [onerror], [onload], [onmouseover], [onfocus], [ontoggle], [style*='hostile']")].map((element) => element.outerHTML.slice(0, 200)),
  addresses: [...document.querySelectorAll("a[href]")].map((link) => link.getAttribute("href")).filter((href) => !/^(?:https?:\\/\\/|\\/|#|\\?)/i.test(href)),
  ran: "${HOSTILE_GLOBAL}" in window,
})`;
/** Characters that change the direction of reading or hide text. */
const UNSEEN = /[\u202a-\u202e\u2066-\u2069\u200b\u2060\ufeff]|[\u{E0000}-\u{E007F}]/u;

/** Opens what is closed, one after the other, so that its text is drawn. */
const EXPAND = `(async () => {
  for (const each of document.querySelectorAll("details")) each.open = true;
  const frame = () => new Promise(requestAnimationFrame);
  for (const button of document.querySelectorAll("main button[aria-expanded='false']")) {
    button.click();
    do await frame(); while (document.querySelector("main [aria-busy=true]"));
  }
})()`;

/** Asserts that the page shows hostile texts as texts, narrow and wide. */
async function expectHarmless({ page, messages, requests }: OpenConsole): Promise<void> {
  await page.evaluate(EXPAND);
  expect(await page.evaluate(FOREIGN)).toEqual({ elements: [], addresses: [], ran: false });
  expect(messages).toEqual([]);
  expect(requests.filter((url) => !url.startsWith(server.url))).toEqual([]);
  expect(await page.locator("body").textContent()).not.toMatch(UNSEEN);
  await checkWidth(page);
  await show(page, WIDE_LIGHT);
  await checkWidth(page);
}

const showsScripts = async (page: Page) =>
  expect(await page.locator("main").textContent(), "the page shows no hostile text").toContain("<script>");

it.each(TOP_PAGES)("the view $heading shows hostile texts as texts", async ({ path }) => {
  await expectHarmless(await open(path));
});

it.each(["first", "second"] as const)("the page of the %s incident shows hostile texts as texts", async (which) => {
  const opened = await open(`/incidents/${data[which].incident_id}`);
  await showsScripts(opened.page);
  await checkAccessibility(opened.page);
  await expectHarmless(opened);
});

it.each(["", "?part=edit"])("the page of a runbook%s shows hostile texts as texts", async (part) => {
  const opened = await open(`/runbooks/postgres/${data.runbook}${part}`);
  await opened.page.getByText("the page").first().waitFor();
  await showsScripts(opened.page);
  await expectHarmless(opened);
});

it("the page of a failure in memory shows hostile texts as texts", async () => {
  const [row] = await sql`select id from public.observations order by occurrences desc limit 1`;
  const opened = await open(`/memory/observations/${row?.id}`);
  await showsScripts(opened.page);
  await expectHarmless(opened);
});

it.each([
  "/memory/recall?query=postgres+connection+slots+exhausted",
  "/memory/past-answers",
  "/memory/sessions",
  "/runbooks?view=search&text=connection+slots",
])("the page %s shows hostile texts as texts", async (path) => {
  await expectHarmless(await open(path));
});

it("the draft of a runbook for a hostile alert is a text", async () => {
  const opened = await open("/quality/gaps");
  await expectHarmless(opened);
  await opened.page.getByRole("button", { name: "Write one for LedgerReplicationStalled" }).click();
  await opened.page.waitForURL("**/console/runbooks/new");
  await opened.page.getByRole("region", { name: "Preview" }).getByText("Grew the volume").first().waitFor();
  await expectHarmless(opened);
});

it("the result of a query shows hostile labels as texts", async () => {
  const opened = await open("/settings/sources");
  await opened.page.getByText("Try a query in PromQL").click();
  await opened.page.getByLabel("Query").fill("used");
  await opened.page.getByRole("button", { name: "Run it" }).click();
  await opened.page.getByRole("cell", { name: "0.97" }).waitFor();
  await showsScripts(opened.page);
  await expectHarmless(opened);
});

it("an answer that is being written is a text", async () => {
  const opened = await open("/ask");
  const text = joinHostileTexts(10_000);
  const problem = { type: "urn:dejavu:problem:too-slow", title: "Too slow", status: 504, request_id: "r" };
  const sendLast = await streamTriage(opened.page, [
    [
      "recall",
      {
        incident_id: "i",
        title: text,
        domain: { name: "docker" },
        recalled: { runbooks: [1], incidents: [] },
        warnings: [],
      },
    ],
    ["token", { draft: 1, path: "summary.text", text }],
    ["critique", { draft: 1, score: 0.4, feedback: text }],
    ["error", { ...problem, detail: "The triage did not end within its time." }],
  ]);
  await opened.page.getByLabel("What happens?").fill("The pool fails");
  await opened.page.getByRole("button", { name: "Ask" }).click();
  await opened.page.getByRole("region", { name: "Progress" }).getByText("A critic gives 40 of 100").waitFor();
  await showsScripts(opened.page);
  await expectHarmless(opened);
  await sendLast();
});

describe("an address", () => {
  it.each([
    "/incidents/%3Cscript%3E",
    "/runbooks/%ZZ/%E0%A4%A",
    "/nothing/<img src=x onerror=hostileTextRan=1>",
    "/?text=%3Cscript%3EhostileTextRan%3D1%3C%2Fscript%3E&status=__proto__&cursor='",
    "/#code=%3Cimg%20src=x%3E",
  ])("such as %s shows a page of the console", async (path) => {
    const { page, requests } = await open(path);
    const { ran, elements } = (await page.evaluate(FOREIGN)) as { ran: boolean; elements: string[] };
    expect([ran, elements]).toEqual([false, []]);
    expect(requests.filter((url) => !url.startsWith(server.url))).toEqual([]);
  });
});
