// The pages of the Worker in a browser: the home page, and requests sent from the API reference.

import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { builtAssets } from "../../integration/support/built-assets.ts";
import { createHarness } from "../../integration/support/harness.ts";
import { listen } from "../../integration/support/servers/listen.ts";
import { chromiumPath, launchChromium } from "../../support/chromium.ts";

/** The reference has hundreds of schemas to render, and a busy machine is slow. */
const REFERENCE_TIMEOUT_MS = 240_000;

describe.runIf(chromiumPath)("in a browser", () => {
  const harness = createHarness({ ASSETS: builtAssets });
  let server: Awaited<ReturnType<typeof listen>>;
  let browser: Browser;
  let page: Page;
  /** Console messages, among them violations of the content security policy, and script errors. */
  let messages: string[];
  let requests: string[];

  beforeAll(async () => {
    server = await listen(harness.services);
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser.close();
    await server[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    page = await browser.newPage();
    page.setDefaultTimeout(REFERENCE_TIMEOUT_MS);
    messages = [];
    requests = [];
    page.on("console", (message) => messages.push(message.text()));
    page.on("pageerror", (error) => messages.push(error.message));
    page.on("request", (request) => requests.push(request.url()));
  });
  afterEach(() => page.close());

  it("the home page fits a phone and a wide window, light and dark, and loads nothing else", async () => {
    await page.goto(`${server.url}/`);
    expect(requests.filter((url) => !url.startsWith("data:"))).toEqual([`${server.url}/`]);
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")).toBe(true);
    }
    // The policy admits the style sheet: without it, both would be the browser's own.
    for (const [colorScheme, colors] of [
      ["light", ["rgb(243, 245, 247)", "rgb(28, 32, 36)"]],
      ["dark", ["rgb(31, 36, 43)", "rgb(230, 233, 237)"]],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      const shown = await page.evaluate(
        "[getComputedStyle(document.querySelector('pre')).backgroundColor, getComputedStyle(document.body).color]",
      );
      expect(z.tuple([z.string(), z.string()]).parse(shown)).toEqual(colors);
    }
    expect(messages).toEqual([]);
  });

  it("the home page leads to the reference and the description by keyboard", async () => {
    await page.goto(`${server.url}/`);
    await page.keyboard.press("Tab");
    // The reference itself takes seconds to render.
    await page.route("**/docs", (route) => route.fulfill({ status: 204 }));
    const reference = page.waitForRequest(`${server.url}/docs`);
    await page.keyboard.press("Enter");
    await reference;
    await page.getByRole("link", { name: "OpenAPI description" }).press("Enter");
    await page.waitForURL(`${server.url}/openapi.json`);
  });

  it("the reference sends two bodies one after the other when a person tries an endpoint out", {
    timeout: REFERENCE_TIMEOUT_MS,
  }, async () => {
    await page.goto(`${server.url}/docs`);
    await page.getByRole("button", { name: "Authorize" }).first().click();
    await page.locator(".auth-container input").fill(harness.services.config.DEJAVU_TOKEN ?? "");
    await page.locator(".auth-container").getByRole("button", { name: "Apply credentials" }).click();
    await page.locator(".modal-ux").getByRole("button", { name: "Close" }).first().click();
    for (const [endpoint, status] of [
      ["postTriage", 200],
      ["postIncidents", 202],
    ] as const) {
      const operation = page.locator(`[id$="-${endpoint}"]`);
      await operation.locator(".opblock-summary-control").click();
      await operation.getByRole("button", { name: "Try it out" }).click();
      for (const title of ["api-gateway exited with code 137", "disk full on db-1"]) {
        await operation.locator("textarea.body-param__text").fill(JSON.stringify({ title }));
        const answered = page.waitForResponse((response) => response.request().method() === "POST");
        await operation.getByRole("button", { name: "Execute" }).click();
        const response = await answered;
        expect(response.request().headers()["idempotency-key"]).toBeUndefined();
        expect([endpoint, response.status()]).toEqual([endpoint, status]);
      }
    }
    expect(messages).toEqual([]);
  });
});
