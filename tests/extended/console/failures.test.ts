// A slow and a failing API: each view says what is missing, the rest stays usable, and trying again works.

import type { Page, Route } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { checkAccessibility, checkLooks, checkWidth } from "../../integration/console/support/check-page.ts";
import { NARROW_DARK, serveConsole } from "../../integration/console/support/open-console.ts";
import { TOP_PAGES, type ViewPage, waitUntilLoaded } from "../../integration/console/support/view-pages.ts";
import { builtAssets } from "../../integration/support/built-assets.ts";
import { createHarness, workerEnv } from "../../integration/support/harness.ts";
import { loadFreshRunbooks } from "../../integration/support/inventory.ts";

const harness = createHarness({ ASSETS: builtAssets });
const server = await serveConsole(harness);
let incident: ViewPage;

beforeAll(async () => {
  await loadFreshRunbooks(harness.services, workerEnv);
  const { incident_id } = await harness.triage({ title: "api-gateway container exited with code 137" });
  incident = { path: `/incidents/${incident_id}`, heading: "api-gateway container exited with code 137" };
});

/** The view Ask loads nothing until somebody asks, nor does the first part of Settings. */
const LOADING_PAGES = TOP_PAGES.filter(({ heading }) => heading !== "Ask").map((page) =>
  page.heading === "Settings" ? { ...page, path: "/settings/tokens" } : page,
);

/** All of the API but the session. */
const API = /\/(?:v1\/(?!session)|health)/;
const REQUEST_ID = "11111111-2222-4333-8444-555555555555";

const problem = (status: number, detail: string) => (route: Route) =>
  route.fulfill({
    status,
    contentType: "application/problem+json",
    headers: status === 503 ? { "retry-after": "5" } : {},
    body: JSON.stringify({
      type: "urn:dejavu:problem:dependency-unavailable",
      title: "A dependency is unavailable",
      status,
      detail,
      request_id: REQUEST_ID,
    }),
  });

type Answer = (route: Route) => Promise<void>;

const FAILURES: readonly (readonly [name: string, answer: Answer, text: RegExp])[] = [
  ["a defect", problem(500, "Something is wrong inside."), /Something is wrong inside/],
  [
    "HTML of a proxy",
    (route) => route.fulfill({ status: 502, contentType: "text/html", body: "<h1>Bad gateway</h1>" }),
    /status 502/,
  ],
  [
    "text that is not JSON",
    (route) => route.fulfill({ status: 200, contentType: "application/json", body: '{"incidents": [' }),
    /cannot be read/,
  ],
  ["a broken connection", (route) => route.abort("connectionrefused"), /cannot be reached/],
];

const alerts = (page: Page) => page.locator("main [role=alert]");

describe("while the API fails", () => {
  it.each(LOADING_PAGES)("the view $heading says so, and trying again works", async (view) => {
    await expectRecovery(view);
  });

  it("the page of an incident says so, and trying again works", async () => {
    await expectRecovery(incident);
  });

  async function expectRecovery({ path, heading }: ViewPage): Promise<void> {
    const { page, messages } = await server.open(path, {
      ...NARROW_DARK,
      prepare: (page) => page.route(API, problem(503, "The database does not answer.")),
    });
    await alerts(page).first().waitFor();
    const text = await alerts(page).first().textContent();
    expect(text).toContain("The database does not answer.");
    expect(text).toContain(REQUEST_ID);
    await page.getByRole("navigation", { name: "Views" }).getByRole("link").first().waitFor();
    await checkWidth(page);
    await checkAccessibility(page);
    await page.unroute(API);
    // Each part that failed has its own button.
    for (let left = await alerts(page).count(); left > 0; left = await alerts(page).count()) {
      await alerts(page).first().getByRole("button", { name: "Try again" }).click();
      await expect.poll(() => alerts(page).count()).toBeLessThan(left);
    }
    await waitUntilLoaded(page);
    await page.getByRole("heading", { level: 1, name: heading }).waitFor();
    expect(messages).toEqual([]);
  }

  it.each(FAILURES)("a view says so for %s", async (_, answer, text) => {
    const { page, messages } = await server.open("", { prepare: (page) => page.route(API, answer) });
    await alerts(page).first().waitFor();
    expect(await page.locator("main").textContent()).toMatch(text);
    expect(messages).toEqual([]);
  });
});

describe("while the API does not answer", () => {
  it("a view says that it loads, and the others can be reached", async () => {
    const { page, messages } = await server.open("", { prepare: (page) => page.route(API, () => {}) });
    await page.locator("main [aria-busy=true]").first().waitFor();
    await checkAccessibility(page);
    await page.keyboard.press("g");
    await page.keyboard.press("a");
    await page.getByRole("heading", { level: 1, name: "Ask" }).waitFor();
    expect(messages).toEqual([]);
  });

  const SHIFTS = `window.shifts = [];
    new PerformanceObserver((list) => list.getEntries().forEach((entry) => shifts.push([entry.value, entry.sources?.map(({ node }) => (node?.parentElement ?? node)?.outerHTML?.slice(0, 120))])))
      .observe({ type: "layout-shift", buffered: true });`;

  it.each([390, 1440])(
    "each view says that it loads, and does not move when late answers arrive, at %i px",
    async (width) => {
      for (const { path } of [...LOADING_PAGES, incident]) {
        const waiting: Route[] = [];
        let isSlow = true;
        const { page } = await server.open(path, {
          width,
          script: SHIFTS,
          prepare: (page) => page.route(API, (route) => (isSlow ? void waiting.push(route) : route.continue())),
        });
        await page.locator("main [aria-busy=true]").first().waitFor();
        isSlow = false;
        for (const route of waiting) await route.continue();
        await waitUntilLoaded(page);
        await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
        expect(await page.evaluate("shifts"), path).toEqual([]);
      }
    },
  );
});

it("a session that ends while somebody types is asked for above the view, which keeps the text", async () => {
  const { page } = await server.open("/ask");
  const box = page.getByRole("textbox").first();
  await box.fill("FATAL: sorry, too many clients already");
  await page.route(API, problem(401, "The session has ended."));
  await page.getByRole("button", { name: /^Ask/ }).click();
  await page.getByRole("dialog", { name: "Your session has ended" }).waitFor();
  expect(await alerts(page).textContent()).toContain("Sign in, then try again.");
  expect(await box.inputValue()).toBe("FATAL: sorry, too many clients already");
});

it.each(["js", "css"])("a view whose %s file does not arrive says so, and leaves the others", async (kind) => {
  const { page, messages } = await server.open("", {
    prepare: (page) => page.route(`**/console/assets/memory-*.${kind}`, (route) => route.abort()),
  });
  await waitUntilLoaded(page);
  await page.getByRole("link", { name: "Memory" }).click();
  await page.getByRole("heading", { level: 1, name: "This page did not load" }).waitFor();
  await page.getByRole("button", { name: "Reload" }).waitFor();
  await page.getByRole("link", { name: "Incidents" }).click();
  await page.getByRole("heading", { level: 1, name: "Incidents" }).waitFor();
  expect(messages).toEqual([]);
});

it("the palette whose file does not arrive says so", async () => {
  const { page } = await server.open("/ask", {
    prepare: (page) => page.route("**/console/assets/palette-dialog-*", (route) => route.abort()),
  });
  await page.getByRole("heading", { level: 1, name: "Ask" }).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByText("A part of the page did not load.").waitFor();
});

it("a view that cannot draw an answer says so, and leaves the others", async () => {
  const { page } = await server.open("/memory", {
    prepare: (page) => page.route(API, (route) => route.fulfill({ json: [null] })),
  });
  await page.getByRole("heading", { level: 1, name: "This page cannot be shown" }).waitFor();
  await page.getByRole("link", { name: "Ask" }).click();
  await page.getByRole("heading", { level: 1, name: "Ask" }).waitFor();
});

it("the sign-in view says that Dejavu cannot be reached, tries again, and is accessible in each look", async () => {
  let isCut = true;
  const { page, messages } = await server.open("", {
    isSignedIn: false,
    prepare: (tab) => tab.route("**/v1/session", (route) => (isCut ? route.abort() : route.continue())),
  });
  await page.getByText("Dejavu cannot be reached").waitFor();
  isCut = false;
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
  await checkLooks(page);
  expect(messages).toEqual([]);
});
