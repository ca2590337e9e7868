// The pages of the Worker: the home page, over HTTP and in a browser, and requests sent from the API reference.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { assetsDir } from "../../../dev/stack/assets/build-assets.ts";
import { REPO_DIR } from "../../../dev/stack/paths.ts";
import { findProgram } from "../../support/debian.ts";
import { builtAssets } from "../support/built-assets.ts";
import { createHarness, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";
import { listen } from "../support/servers/listen.ts";

/** The reference has hundreds of schemas to render, and a busy machine is slow. */
const REFERENCE_TIMEOUT_MS = 240_000;
const NO_TOKEN = { authorization: "" };
const BROWSER_ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8";

const executablePath = await findProgram("chromium");
const harness = createHarness({ ASSETS: builtAssets });
const server = await listen(harness.services);
let browser: Browser | undefined;

beforeAll(async () => {
  await loadFreshRunbooks(harness.services, workerEnv);
  // Chromium's sandbox does not work for root, and CI runs tests as root.
  if (executablePath !== null) browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
});
afterAll(async () => {
  await browser?.close();
  await server[Symbol.asyncDispose]();
});

interface Layout {
  readonly width: number;
  readonly scheme: "light" | "dark";
}
interface OpenPage {
  readonly page: Page;
  /** Console messages, among them violations of the content security policy, and script errors. */
  readonly messages: readonly string[];
  readonly requests: readonly string[];
}

async function open(path: string, { width, scheme }: Layout = { width: 1280, scheme: "light" }): Promise<OpenPage> {
  if (browser === undefined) throw new Error("The browser is not running.");
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme: scheme });
  const messages: string[] = [];
  const requests: string[] = [];
  page.setDefaultTimeout(REFERENCE_TIMEOUT_MS);
  page.on("console", (message) => messages.push(message.text()));
  page.on("pageerror", (error) => messages.push(error.message));
  page.on("request", (request) => requests.push(request.url()));
  await page.goto(`${server.url}${path}`);
  return { page, messages, requests };
}

describe("the home page", () => {
  const get = (accept: string, method = "GET") => harness.request("/", { method, headers: { ...NO_TOKEN, accept } });

  it("is HTML for a browser, with a strict policy and without a token", async () => {
    const response = await get(BROWSER_ACCEPT);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/html; charset=UTF-8"]);
    const policy = response.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|script-src|\*/);
    expect(response.headers.get("x-robots-tag")).toBe("noindex");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    const page = await response.text();
    expect(page).toContain(`This service is up, version ${harness.services.version}.`);
    expect(page).not.toMatch(/<script| style=| on\w+=/);
    expect(page).toMatch(
      /<code>npm start<\/code>\s+prints the one of its stack; <code>dejavu tokens create<\/code> makes more/,
    );
  });

  it.each(["*/*", "application/json", "", "image/png"])("is JSON for a client that accepts %j", async (accept) => {
    const response = await get(accept);
    expect([response.status, response.headers.get("vary")]).toEqual([200, "accept"]);
    expect(await response.json()).toMatchObject({
      name: "dejavu",
      status: "ok",
      version: harness.services.version,
      links: { reference: "http://dejavu.test/docs", mcp: "http://dejavu.test/mcp" },
    });
  });

  it("answers HEAD with its headers only", async () => {
    for (const accept of [BROWSER_ACCEPT, "*/*"]) {
      const response = await get(accept, "HEAD");
      expect([response.status, await response.text()]).toEqual([200, ""]);
    }
  });

  it("shows no setting and nothing that is stored", async () => {
    const { DEJAVU_TOKEN, SUPABASE_URL, CHROMA_URL } = harness.services.config;
    await harness.triage({ title: "planted-title exited with code 137" });
    const texts = await Promise.all([BROWSER_ACCEPT, "*/*"].map(async (accept) => (await get(accept)).text()));
    for (const hidden of ["planted-title", DEJAVU_TOKEN, SUPABASE_URL, CHROMA_URL])
      expect(texts.join("\n")).not.toContain(hidden);
  });

  it("links to guides that exist, and to endpoints that need no token", async () => {
    const { links, guides } = z
      .object({ links: z.record(z.string(), z.url()), guides: z.record(z.string(), z.string()) })
      .parse(await (await get("*/*")).json());
    for (const path of Object.keys(guides)) expect(existsSync(join(assetsDir(REPO_DIR), path)), path).toBe(true);
    for (const [name, link] of Object.entries(links)) {
      const { status } = await harness.request(new URL(link).pathname, { headers: NO_TOKEN });
      expect([name, status]).toEqual([name, { mcp: 401, guide: 302 }[name] ?? 200]);
    }
  });

  it
    .runIf(executablePath)
    .each([390, 1280].flatMap((width) => (["light", "dark"] as const).map((scheme) => ({ width, scheme }))))(
    "fits a window of $width px in $scheme colours, and loads nothing else",
    async (layout) => {
      const { page, messages, requests } = await open("/", layout);
      expect(messages).toEqual([]);
      expect(requests.filter((url) => !url.startsWith("data:"))).toEqual([`${server.url}/`]);
      expect(await page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")).toBe(true);
      const [background, color] = z
        .tuple([z.string(), z.string()])
        .parse(
          await page.evaluate(
            "[getComputedStyle(document.querySelector('pre')).backgroundColor, getComputedStyle(document.body).color]",
          ),
        );
      // The policy admits the style sheet: without it, both would be the browser's own.
      expect([background, color]).toEqual(
        layout.scheme === "light"
          ? ["rgb(243, 245, 247)", "rgb(28, 32, 36)"]
          : ["rgb(31, 36, 43)", "rgb(230, 233, 237)"],
      );
      await page.close();
    },
  );

  it.runIf(executablePath)("leads to the reference and the description by keyboard", async () => {
    const { page } = await open("/");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.waitForURL(`${server.url}/docs`);
    await page.goBack();
    await page.getByRole("link", { name: "OpenAPI description" }).click();
    await page.waitForURL(`${server.url}/openapi.json`);
    await page.close();
  });
});

describe.runIf(executablePath)("the API reference", () => {
  it.each([
    ["postTriage", [200, 200]],
    ["postIncidents", [202, 202]],
  ])(
    "sends two bodies one after the other when a person tries %s out",
    { timeout: REFERENCE_TIMEOUT_MS },
    async (endpoint, expected) => {
      const { page, messages } = await open("/docs");
      await page.getByRole("button", { name: "Authorize" }).first().click();
      await page.locator(".auth-container input").fill(harness.services.config.DEJAVU_TOKEN ?? "");
      await page.locator(".auth-container").getByRole("button", { name: "Apply credentials" }).click();
      await page.locator(".modal-ux").getByRole("button", { name: "Close" }).first().click();
      const operation = page.locator(`[id$="-${endpoint}"]`);
      await operation.locator(".opblock-summary-control").click();
      await operation.getByRole("button", { name: "Try it out" }).click();
      const statuses: number[] = [];
      for (const title of ["api-gateway exited with code 137", "disk full on db-1"]) {
        await operation.locator("textarea.body-param__text").fill(JSON.stringify({ title }));
        const answered = page.waitForResponse((response) => response.request().method() === "POST");
        await operation.getByRole("button", { name: "Execute" }).click();
        const response = await answered;
        expect(response.request().headers()["idempotency-key"]).toBeUndefined();
        statuses.push(response.status());
      }
      expect(statuses).toEqual(expected);
      expect(messages).toEqual([]);
      await page.close();
    },
  );
});
