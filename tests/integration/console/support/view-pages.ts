// Every page of the console, for tests that hold for all of them.

import type { Page } from "playwright-core";

export interface ViewPage {
  /** Below `/console`. */
  readonly path: string;
  readonly heading: string;
}

export const TOP_PAGES: readonly ViewPage[] = [
  { path: "", heading: "Incidents" },
  { path: "/ask", heading: "Ask" },
  { path: "/runbooks", heading: "Runbooks" },
  { path: "/domains", heading: "Domains" },
  { path: "/memory", heading: "Memory" },
  { path: "/quality", heading: "Quality" },
  { path: "/mutes", heading: "Mutes" },
  { path: "/settings", heading: "Settings" },
];

/** Waits until the view has its heading and nothing of it is loading. */
export async function waitUntilLoaded(page: Page): Promise<void> {
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.locator("main [aria-busy=true]").first().waitFor({ state: "detached" });
}
