// The console in Chromium, on the application in this process and the stores of the test file.

import type { BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, expect } from "vitest";
import type { Scope } from "../../../../functions/access/caller.ts";
import { launchChromium } from "../../../support/chromium.ts";
import { builtAssets } from "../../support/built-assets.ts";
import type { Harness } from "../../support/harness.ts";
import { listen } from "../../support/servers/listen.ts";
import { createBrowser } from "../../support/session-browser.ts";
import { makeToken } from "../../support/tokens.ts";

const ALL_SCOPES = ["triage", "read", "feedback", "ingest", "admin"] as const;
/** Only a page that hangs reaches it. */
const TIMEOUT_MS = 20_000;

export interface Look {
  /** CSS pixels. */
  readonly width: number;
  readonly scheme: "light" | "dark";
}

export const NARROW_DARK: Look = { width: 390, scheme: "dark" };
export const WIDE_LIGHT: Look = { width: 1440, scheme: "light" };

export interface OpenOptions extends Partial<Look> {
  /** Default: all that the console uses. */
  readonly scopes?: readonly Scope[];
  readonly domains?: readonly string[];
  /** Default: true. */
  readonly isSignedIn?: boolean;
  /** Called before the page loads, such as to stall or fail requests: `page.route`. */
  readonly prepare?: (page: Page) => Promise<unknown>;
  /** Runs in the page before its own scripts. */
  readonly script?: string;
}

export interface OpenConsole {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Script errors, and messages of the browser's console, such as violations of the policy. Failed requests are not among them. */
  readonly messages: readonly string[];
  /** Addresses of all requests. */
  readonly requests: readonly string[];
}

export interface ConsoleServer {
  readonly url: string;
  /**
   * Opens a path below `/console`, signed in; 1440 px wide and light by default. Its clock stands still at the harness's
   * time. Pages that are open at once share nothing. After the test, its page serves the next one.
   */
  open(path: string, options?: OpenOptions): Promise<OpenConsole>;
}

/** A page with cookies of its own, and what ends with the test. */
interface Tab {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly scripts: AsyncDisposable[];
}

/**
 * Serves the application of a harness that was created with `{ ASSETS: builtAssets }`, and starts Chromium. Both end with
 * the test file. A page is used again, with other cookies: a new one costs twice the CPU time, since its process has
 * nothing compiled.
 */
export async function serveConsole(harness: Harness): Promise<ConsoleServer> {
  const server = await listen(harness.services, serveAssets);
  const browser = await launchChromium();
  const cookies = new Map<string, Promise<string>>();
  const idle: Tab[] = [];
  const used: Tab[] = [];

  const createTab = async (): Promise<Tab> => {
    const context = await browser.newContext({
      permissions: ["clipboard-read", "clipboard-write"],
      reducedMotion: "reduce",
    });
    const page = await context.newPage();
    page.setDefaultTimeout(TIMEOUT_MS);
    return { context, page, scripts: [] };
  };
  const cookieOf = (scopes: readonly Scope[], domains: readonly string[] | undefined): Promise<string> => {
    const key = JSON.stringify([scopes, domains]);
    const cookie = cookies.get(key) ?? signIn(harness, server.url, scopes, domains);
    cookies.set(key, cookie);
    return cookie;
  };

  afterEach(async () => {
    await Promise.all(used.map(emptyTab));
    idle.push(...used.splice(0));
    // A test may begin with empty stores: without sessions.
    cookies.clear();
  });
  afterAll(async () => {
    await browser.close();
    await server[Symbol.asyncDispose]();
  });

  return {
    url: server.url,
    async open(
      path,
      {
        width = WIDE_LIGHT.width,
        scheme = WIDE_LIGHT.scheme,
        scopes = ALL_SCOPES,
        domains,
        isSignedIn = true,
        prepare,
        script,
      } = {},
    ) {
      const tab = idle.pop() ?? (await createTab());
      used.push(tab);
      const { context, page } = tab;
      if (isSignedIn) {
        const [name = "", value = ""] = (await cookieOf(scopes, domains)).split("=");
        await context.addCookies([{ name, value, url: server.url, httpOnly: true, sameSite: "Strict" }]);
      }
      await show(page, { width, scheme });
      for (const each of [stoppedClock(harness.clock.now()), script])
        if (each !== undefined) tab.scripts.push(await page.addInitScript(each));
      const messages: string[] = [];
      const requests: string[] = [];
      page.on("console", (message) => {
        if (!message.text().startsWith("Failed to load resource")) messages.push(message.text());
      });
      page.on("pageerror", (error) => messages.push(error.message));
      page.on("request", (request) => requests.push(request.url()));
      await prepare?.(page);
      // The address of the former test may differ by its fragment alone, which would load nothing.
      if (path.includes("#")) await page.goto("about:blank");
      await page.goto(`${server.url}/console${path}`);
      return { page, context, messages, requests };
    },
  };
}

/** @returns the cookie of a session, `name=value` */
async function signIn(
  harness: Harness,
  url: string,
  scopes: readonly Scope[],
  domains: readonly string[] | undefined,
): Promise<string> {
  const { token } = await makeToken(harness, scopes, domains === undefined ? {} : { domains });
  const session = createBrowser(harness, url);
  const response = await session.signIn({ token });
  expect(response.status, await response.text()).toBe(200);
  return session.cookie;
}

/** Removes what a test has left in a tab. */
async function emptyTab(tab: Tab): Promise<void> {
  const { context, page } = tab;
  page.removeAllListeners();
  await page.unrouteAll({ behavior: "ignoreErrors" });
  for (const script of tab.scripts.splice(0)) await script[Symbol.asyncDispose]();
  await context.clearCookies();
  await page.evaluate("location.origin === 'null' || sessionStorage.clear()");
}

export async function show(page: Page, { width, scheme }: Look): Promise<void> {
  await page.setViewportSize({ width, height: width < 600 ? 844 : 900 });
  await page.emulateMedia({ colorScheme: scheme });
}

/** The platform serves these files without the Worker, and browsers keep them. */
function serveAssets(request: Request): Promise<Response> | undefined {
  if (!new URL(request.url).pathname.startsWith("/console/assets/")) return undefined;
  return builtAssets.fetch(request).then((response) => {
    if (response.ok) response.headers.set("cache-control", "public, max-age=31536000, immutable");
    return response;
  });
}

/** Dates alone: timers run, since the page polls and waits for typing to end. */
function stoppedClock(now: Date): string {
  return `globalThis.Date = class extends Date {
    constructor(...parts) { super(...(parts.length === 0 ? [${now.getTime()}] : parts)); }
    static now() { return ${now.getTime()}; }
  };`;
}
