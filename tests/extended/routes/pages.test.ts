// The API reference in a browser, and requests sent from it.

import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
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
    page.on("console", (message) => messages.push(message.text()));
    page.on("pageerror", (error) => messages.push(error.message));
  });
  afterEach(() => page.close());

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
