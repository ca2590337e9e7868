// The console in Chromium, on the application in this process and the stores of the test file.

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { expect } from "vitest";
import type { Scope } from "../../../../functions/access/caller.ts";
import { findProgram } from "../../../support/debian.ts";
import { builtAssets } from "../../support/built-assets.ts";
import type { Harness } from "../../support/harness.ts";
import { listen } from "../../support/servers/listen.ts";
import { makeToken } from "../../support/tokens.ts";

const ALL_SCOPES = ["triage", "read", "feedback", "ingest", "admin"] as const;
const TIMEOUT_MS = 30_000;
export interface OpenOptions {
  /** CSS pixels. Default: 1440. */
  readonly width?: number;
  readonly scheme?: "light" | "dark";
  /** Default: all that the console uses. */
  readonly scopes?: readonly Scope[];
  readonly domains?: readonly string[];
  /** Default: true. */
  readonly isSignedIn?: boolean;
  /** Called before the page loads, such as to stall or fail requests: `page.route`. */
  readonly prepare?: (page: Page) => Promise<unknown>;
}

export interface OpenConsole {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Script errors, and messages of the browser's console, such as violations of the policy. Failed requests are not among them. */
  readonly messages: readonly string[];
  /** Addresses of all requests. */
  readonly requests: readonly string[];
}

export interface ConsoleServer extends AsyncDisposable {
  readonly url: string;
  /** Opens a path below `/console`, signed in. Its clock is the harness's. */
  open(path: string, options?: OpenOptions): Promise<OpenConsole>;
}

/** Serves the application of a harness that was created with `{ ASSETS: builtAssets }`, and starts Chromium. */
export async function serveConsole(harness: Harness): Promise<ConsoleServer> {
  const executablePath = await findProgram("chromium");
  if (executablePath === null) throw new Error("Chromium is missing: apt-get install chromium.");
  const server = await listen(harness.services);
  // Chromium's sandbox does not work for root, and CI runs tests as root.
  const browser: Browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  return {
    url: server.url,
    async open(
      path,
      { width = 1440, scheme = "light", scopes = ALL_SCOPES, domains, isSignedIn = true, prepare } = {},
    ) {
      const { token } = await makeToken(harness, scopes, domains === undefined ? {} : { domains });
      const context = await browser.newContext({
        viewport: { width, height: width < 600 ? 844 : 900 },
        colorScheme: scheme,
        permissions: ["clipboard-read", "clipboard-write"],
      });
      if (isSignedIn) await signIn(context, server.url, token);
      // The platform serves these files without the Worker.
      await context.route("**/console/assets/*", async (route) => {
        const response = await builtAssets.fetch(new Request(route.request().url()));
        const headers = Object.fromEntries(response.headers);
        await route.fulfill({ status: response.status, headers, body: Buffer.from(await response.arrayBuffer()) });
      });
      const page = await context.newPage();
      page.setDefaultTimeout(TIMEOUT_MS);
      await page.clock.setFixedTime(harness.clock.now());
      const messages: string[] = [];
      const requests: string[] = [];
      page.on("console", (message) => {
        if (!message.text().startsWith("Failed to load resource")) messages.push(message.text());
      });
      page.on("pageerror", (error) => messages.push(error.message));
      page.on("request", (request) => requests.push(request.url()));
      await prepare?.(page);
      await page.goto(`${server.url}/console${path}`);
      return { page, context, messages, requests };
    },
    async [Symbol.asyncDispose]() {
      await browser.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Signs in as the page does: the cookie of the context authenticates. */
async function signIn(context: BrowserContext, url: string, token: string): Promise<void> {
  const response = await context.request.post(`${url}/v1/session`, { data: { token }, headers: { origin: url } });
  expect(response.status(), await response.text()).toBe(200);
}

const AXE = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** Asserts that axe finds no violation of WCAG 2.2 AA. */
export async function checkAccessibility(page: Page): Promise<void> {
  // The policy of the page does not apply to a script of the debugger.
  const violations = await page.evaluate(`${AXE};
    axe.run(document, { runOnly: ${JSON.stringify(RULES)} }).then(({ violations }) =>
      violations.map(({ id, help, nodes }) => ({ id, help, nodes: nodes.map(({ html, failureSummary }) => [html, failureSummary]) })))`);
  expect(violations, JSON.stringify(violations, null, 2)).toEqual([]);
}

/** Asserts that the page is not wider than its window. */
export async function checkWidth(page: Page): Promise<void> {
  const { content, window } = (await page.evaluate(
    "({ content: document.documentElement.scrollWidth, window: document.documentElement.clientWidth })",
  )) as { content: number; window: number };
  expect(content, "the page scrolls sideways").toBeLessThanOrEqual(window);
}
