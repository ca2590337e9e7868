// The console by keyboard alone.

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { builtAssets } from "../support/built-assets.ts";
import { createHarness, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";
import { serveConsole } from "./support/open-console.ts";
import { TOP_PAGES, waitUntilLoaded } from "./support/view-pages.ts";

const harness = createHarness({ ASSETS: builtAssets });
const server = await serveConsole(harness);
const TITLE = "api-gateway container exited with code 137";
let incidentId: string;

beforeAll(async () => {
  await loadFreshRunbooks(harness.services, workerEnv);
  const { incident_id } = await harness.triage({ title: TITLE });
  incidentId = incident_id;
});
afterAll(() => server[Symbol.asyncDispose]());

const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name });
const focused = (page: Page) => page.evaluate("document.activeElement?.textContent?.trim() ?? ''");
/** Whether the focused element, or the row that it opens, has a visible outline. */
const OUTLINE = `[document.activeElement, document.activeElement.closest("li, tr, article")].some((element) => {
  if (element === null) return false;
  const style = getComputedStyle(element);
  return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1;
})`;

/** Presses Tab until the page's end. @returns the names of the elements without a visible focus */
async function tabThrough(page: Page): Promise<{ readonly count: number; readonly invisible: string[] }> {
  const invisible: string[] = [];
  let count = 0;
  for (; count < 300; count++) {
    await page.keyboard.press("Tab");
    const element = await page.evaluate(
      "document.activeElement === document.body ? null : document.activeElement.outerHTML.slice(0, 160)",
    );
    if (element === null) break;
    if (!(await page.evaluate(OUTLINE))) invisible.push(String(element));
  }
  return { count, invisible };
}

it("every view is reached by its keys, and its heading has the focus", async () => {
  const { page } = await server.open("/ask");
  await waitUntilLoaded(page);
  const dialog = page.getByRole("dialog", { name: "Keys" });
  await page.keyboard.press("?");
  await dialog.waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  for (const [key, name] of [
    ["i", "Incidents"],
    ["r", "Runbooks"],
    ["d", "Domains"],
    ["m", "Memory"],
    ["q", "Quality"],
    ["s", "Settings"],
    ["a", "Ask"],
  ] as const) {
    // The keys of a page whose text field has the focus belong to the field.
    await page.evaluate("document.activeElement.blur()");
    await page.keyboard.press("g");
    await page.keyboard.press(key);
    await heading(page, name).waitFor();
    if (name !== "Ask") await expect.poll(() => focused(page), { message: name }).toBe(name);
  }
});

it("every view is reached with Tab and Enter, and the first Tab skips to the content", async () => {
  const { page } = await server.open("");
  await waitUntilLoaded(page);
  await page.evaluate("document.activeElement.blur()");
  await page.keyboard.press("Tab");
  expect(await focused(page)).toBe("Skip to the content");
  const links = page.getByRole("navigation", { name: "Views" }).getByRole("link");
  for (const name of await links.allTextContents()) {
    await links.filter({ hasText: name }).focus();
    await page.keyboard.press("Enter");
    await heading(page, name).waitFor();
  }
});

describe("the focus is visible on every control", () => {
  it.each(TOP_PAGES)("of the view $heading", async ({ path }) => {
    const { page, context } = await server.open(path, { width: 390 });
    await waitUntilLoaded(page);
    const { count, invisible } = await tabThrough(page);
    expect(invisible).toEqual([]);
    expect(count).toBeGreaterThan(5);
    await context.close();
  });

  it("of the page of an incident", async () => {
    const { page, context } = await server.open(`/incidents/${incidentId}`, { width: 390 });
    await waitUntilLoaded(page);
    const { count, invisible } = await tabThrough(page);
    expect(invisible).toEqual([]);
    expect(count).toBeGreaterThan(10);
    await context.close();
  });
});

it("keys do nothing while somebody types", async () => {
  const { page } = await server.open("/ask");
  await waitUntilLoaded(page);
  const box = page.getByRole("textbox").first();
  await box.focus();
  await page.keyboard.type("gi?/jk g r");
  expect(await box.inputValue()).toBe("gi?/jk g r");
  expect(await page.getByRole("dialog").count()).toBe(0);
  await heading(page, "Ask").waitFor();
});

it("a dialog keeps the focus, and gives it back", async () => {
  const { page } = await server.open("");
  await waitUntilLoaded(page);
  const link = page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Memory" });
  await link.focus();
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keys" }).waitFor();
  for (let i = 0; i < 5; i++) {
    await page.keyboard.press("Tab");
    // The browser's own controls come after the last element of a dialog.
    expect(
      await page.evaluate(
        "document.activeElement === document.body || document.activeElement.closest('dialog') !== null",
      ),
    ).toBe(true);
  }
  await page.keyboard.press("Escape");
  await expect.poll(() => focused(page)).toBe("Memory");
});

it("an incident is opened from the list, rated and resolved without a mouse", async () => {
  const { page } = await server.open("");
  await waitUntilLoaded(page);
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.waitForURL(`**/console/incidents/${incidentId}`);
  await heading(page, TITLE).waitFor();
  await waitUntilLoaded(page);
  await page.keyboard.press("u");
  const readFeedback = async () => (await (await harness.request("/v1/feedback")).json()) as unknown;
  await expect.poll(readFeedback).toMatchObject({ feedback: [{ rating: "up" }] });
  await page.keyboard.press("r");
  await expect.poll(() => page.evaluate("document.activeElement?.tagName")).toBe("TEXTAREA");
  await page.keyboard.type("Raised the memory limit to 1 GiB");
  await page.keyboard.press("Tab");
  for (let i = 0; i < 12 && !/^(Resolve|Record)/.test(String(await focused(page))); i++)
    await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  const readStatus = async () => (await (await harness.request(`/v1/incidents/${incidentId}`)).json()) as unknown;
  await expect.poll(readStatus).toMatchObject({ status: "resolved", resolution: "Raised the memory limit to 1 GiB" });
});
