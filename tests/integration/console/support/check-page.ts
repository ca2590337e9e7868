// What holds for every page: it is accessible and no wider than its window, in each look.

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { NARROW_DARK, show, WIDE_LIGHT } from "./open-console.ts";

const AXE = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const BARS = ".shell-header, .incidents-bar, .record-bar, .save-bar";
/** The rules whose result depends on the colour scheme. */
const COLOUR_RULES = ["color-contrast", "link-in-text-block"];

/**
 * Asserts that axe finds no violation of WCAG 2.2 AA.
 * @param rules names or tags
 */
export async function checkAccessibility(page: Page, rules: readonly string[] = RULES): Promise<void> {
  // The policy of the page does not apply to a script of the debugger. The page keeps it for the next look.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE);
  // A bar that stays in sight covers, by chance, a part of what scrolls below it.
  await page.evaluate(`for (const bar of document.querySelectorAll("${BARS}")) bar.style.position = "static"`);
  const options = { runOnly: rules, resultTypes: ["violations"] };
  const violations = await page.evaluate(`axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
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

/**
 * Asserts both for an open page, wide and narrow, light and dark. A page that is already loaded changes its look: the
 * console's styles depend on nothing but media queries.
 */
export async function checkLooks(page: Page): Promise<void> {
  for (const look of [NARROW_DARK, WIDE_LIGHT]) {
    await show(page, look);
    await checkWidth(page);
    await checkAccessibility(page);
    // The other scheme changes colours alone.
    await show(page, { ...look, scheme: look.scheme === "dark" ? "light" : "dark" });
    await checkAccessibility(page, COLOUR_RULES);
  }
}
