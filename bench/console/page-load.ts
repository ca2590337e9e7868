// One load of the console's first view: a new browser profile, the network and the processor of a phone.

import type { Browser } from "playwright-core";
import { z } from "zod";
import type { StackInfo } from "../../dev/stack/stack-info.ts";
import { CONSOLE_COOKIE, signInCookie } from "./sign-in-cookie.ts";

/** Lighthouse's "slow 4G". */
const SLOW_4G = { latency: 150, downloadThroughput: (1_600 * 1_024) / 8, uploadThroughput: (750 * 1_024) / 8 };
const PHONE = { width: 390, height: 844 };

export interface LoadedFile {
  readonly path: string;
  /** Headers and body, as transferred. */
  readonly bytes: number;
  /** Milliseconds after the navigation began. */
  readonly startedAt: number;
  readonly endedAt: number;
}

export interface PageLoad {
  /** Milliseconds after the navigation began. */
  readonly firstContentfulPaint: number;
  readonly largestContentfulPaint: number;
  /** When the first incident of the list was in the page. */
  readonly listShown: number;
  readonly layoutShift: number;
  readonly files: readonly LoadedFile[];
}

const timesSchema = z.object({ fcp: z.number(), lcp: z.number(), shift: z.number(), list: z.number() });

/** Observes from the start of the document; a string, since it runs in the page. */
const OBSERVE = `
  window.loadTimes = { fcp: NaN, lcp: NaN, shift: 0, list: NaN };
  const observe = (type, use) => new PerformanceObserver((list) => list.getEntries().forEach(use)).observe({ type, buffered: true });
  observe("paint", (entry) => { if (entry.name === "first-contentful-paint") loadTimes.fcp = entry.startTime; });
  observe("largest-contentful-paint", (entry) => { loadTimes.lcp = entry.startTime; });
  observe("layout-shift", (entry) => { loadTimes.shift += entry.value; });
  new MutationObserver((_, observer) => {
    if (!document.querySelector('main a[href*="/console/incidents/"]')) return;
    loadTimes.list = performance.now();
    observer.disconnect();
  }).observe(document, { childList: true, subtree: true });`;

/** @param slowdown of the processor, 1 for none */
export async function loadFirstView(browser: Browser, { urls, token }: StackInfo, slowdown: number): Promise<PageLoad> {
  const context = await browser.newContext({ viewport: PHONE, deviceScaleFactor: 2, isMobile: true, hasTouch: true });
  try {
    const value = await signInCookie(urls.worker, token);
    await context.addCookies([{ name: CONSOLE_COOKIE, value, url: urls.worker, httpOnly: true, sameSite: "Strict" }]);
    const page = await context.newPage();
    await page.addInitScript(OBSERVE);
    const devTools = await context.newCDPSession(page);
    await devTools.send("Network.enable");
    await devTools.send("Network.emulateNetworkConditions", { offline: false, ...SLOW_4G });
    await devTools.send("Emulation.setCPUThrottlingRate", { rate: slowdown });
    const paths = new Map<string, { readonly path: string; readonly at: number }>();
    const files: LoadedFile[] = [];
    let start = Number.NaN;
    devTools.on("Network.requestWillBeSent", ({ requestId, request, timestamp }) => {
      if (Number.isNaN(start)) start = timestamp;
      const { pathname, search } = new URL(request.url);
      paths.set(requestId, { path: pathname + search, at: timestamp });
    });
    devTools.on("Network.loadingFinished", ({ requestId, encodedDataLength, timestamp }) => {
      const begun = paths.get(requestId);
      if (begun === undefined) return;
      const since = (at: number) => (at - start) * 1_000;
      files.push({ path: begun.path, bytes: encodedDataLength, startedAt: since(begun.at), endedAt: since(timestamp) });
    });
    await page.goto(`${urls.worker}/console`);
    await page.locator('main a[href*="/console/incidents/"]').first().waitFor({ state: "attached" });
    // Late shifts count as well, those of a font, an image or a second answer.
    await page.waitForLoadState("networkidle");
    const times = timesSchema.parse(await page.evaluate("loadTimes"));
    return {
      firstContentfulPaint: times.fcp,
      largestContentfulPaint: times.lcp,
      listShown: times.list,
      layoutShift: times.shift,
      files,
    };
  } finally {
    await context.close();
  }
}
