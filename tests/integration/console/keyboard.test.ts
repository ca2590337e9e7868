// The console by keyboard alone.

import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { builtAssets } from "../support/built-assets.ts";
import { createHarness, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";
import { checkAccessibility } from "./support/check-page.ts";
import { NARROW_DARK, serveConsole } from "./support/open-console.ts";
import { waitUntilLoaded } from "./support/view-pages.ts";

const harness = createHarness({ ASSETS: builtAssets });
const server = await serveConsole(harness);
const TITLE = "api-gateway container exited with code 137";
let incidentId: string;

beforeAll(async () => {
  await loadFreshRunbooks(harness.services, workerEnv);
  incidentId = (await harness.triage({ title: TITLE })).incident_id;
});

const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name });
const focused = (page: Page) => page.evaluate("document.activeElement?.textContent?.trim() ?? ''");
/** The keys of a page whose text field has the focus belong to the field. */
const leaveField = (page: Page) => page.evaluate("document.activeElement.blur()");

/**
 * Gives the focus to each control. The browser shows it as after Tab, since the last input came from the keyboard. The
 * element, or the row that it opens, must have an outline.
 */
const FOCUS_ALL = `(async () => {
  const isOutlined = (element) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    return outlineStyle !== "none" && parseFloat(outlineWidth) >= 1;
  };
  const isVisible = (element) =>
    [element, element.closest("li, tr, article")].some((each) => each !== null && isOutlined(each));
  const scrolls = (element) => element.scrollWidth > element.clientWidth && getComputedStyle(element).overflowX === "auto";
  let count = 0;
  const invisible = [];
  for (const element of document.querySelectorAll("body *")) {
    if (element.tabIndex < 0 && !scrolls(element)) continue;
    element.focus();
    if (document.activeElement !== element) continue;
    count++;
    // A row is drawn anew when it gets the focus.
    if (!isVisible(element)) await new Promise(requestAnimationFrame);
    if (!isVisible(element)) invisible.push(element.outerHTML.slice(0, 160));
  }
  return { count, invisible };
})()`;

async function expectVisibleFocus(page: Page, least: number): Promise<void> {
  await waitUntilLoaded(page);
  const { count, invisible } = (await page.evaluate(FOCUS_ALL)) as { count: number; invisible: string[] };
  expect(invisible).toEqual([]);
  expect(count).toBeGreaterThan(least);
}

it("every view is reached by its keys, its heading has the focus, and each control shows the focus", async () => {
  const { page } = await server.open("/ask", NARROW_DARK);
  await waitUntilLoaded(page);
  for (const [key, name] of [
    ["i", "Incidents"],
    ["r", "Runbooks"],
    ["d", "Domains"],
    ["m", "Memory"],
    ["q", "Quality"],
    ["u", "Mutes"],
    ["s", "Settings"],
    ["a", "Ask"],
  ] as const) {
    await leaveField(page);
    await page.keyboard.press("g");
    await page.keyboard.press(key);
    await heading(page, name).waitFor();
    if (name !== "Ask") await expect.poll(() => focused(page), { message: name }).toBe(name);
    else expect(await page.evaluate("document.activeElement.tagName")).toBe("TEXTAREA");
    await expectVisibleFocus(page, 5);
  }
});

it("the first Tab leads to a link that skips to the content", async () => {
  const { page } = await server.open("");
  await waitUntilLoaded(page);
  await leaveField(page);
  await page.keyboard.press("Tab");
  expect(await focused(page)).toBe("Skip to the content");
  await page.keyboard.press("Enter");
  expect(await page.evaluate("document.activeElement.id")).toBe("content");
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

it("a dialog, such as the list of the keys, keeps the focus and gives it back", async () => {
  const { page } = await server.open("");
  await waitUntilLoaded(page);
  await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Memory" }).focus();
  await page.keyboard.press("?");
  const dialog = page.getByRole("dialog", { name: "Keys" });
  await dialog.waitFor();
  expect(await dialog.textContent()).toContain("Go to Incidents");
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
  // The dialog gives the focus back after it has gone.
  await expect.poll(() => focused(page)).toBe("Memory");
});

it("the command palette goes to a view, and to an incident by its words, also from a field", async () => {
  const { page } = await server.open("/ask");
  await waitUntilLoaded(page);
  await page.keyboard.press("Control+k");
  const dialog = page.getByRole("dialog", { name: "Go to" });
  await dialog.getByRole("link", { name: TITLE }).waitFor();
  await checkAccessibility(page);
  await page.keyboard.type("qual");
  await expect.poll(() => dialog.getByRole("link").count()).toBe(1);
  await page.keyboard.press("Enter");
  await heading(page, "Quality").waitFor();
  await page.keyboard.press("Control+k");
  await dialog.waitFor();
  await page.keyboard.type("gateway 137");
  await dialog.getByRole("link", { name: TITLE }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await heading(page, TITLE).waitFor();
  await dialog.waitFor({ state: "detached" });
});

it("an incident is opened from the list, rated and resolved without a mouse", async () => {
  const { page } = await server.open("", NARROW_DARK);
  await waitUntilLoaded(page);
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.waitForURL(`**/console/incidents/${incidentId}`);
  await heading(page, TITLE).waitFor();
  await expectVisibleFocus(page, 10);
  await leaveField(page);
  await page.keyboard.press("u");
  await page.getByText("The rating is stored.").waitFor();
  const feedback = await harness.request("/v1/feedback");
  expect(await feedback.json()).toMatchObject({ feedback: [{ rating: "up" }] });
  await page.keyboard.press("r");
  await expect.poll(() => page.evaluate("document.activeElement?.tagName")).toBe("TEXTAREA");
  await page.keyboard.type("Raised the memory limit to 1 GiB");
  for (let i = 0; i < 12 && !/^(Resolve|Record)/.test(String(await focused(page))); i++)
    await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Reopen" }).waitFor();
  const incident = await harness.request(`/v1/incidents/${incidentId}`);
  expect(await incident.json()).toMatchObject({
    status: "resolved",
    resolution: "Raised the memory limit to 1 GiB",
  });
});
