// The frame around the views: what is served, and the navigation.

import { describe, expect, it } from "vitest";
import { builtAssets } from "../support/built-assets.ts";
import { createHarness } from "../support/harness.ts";
import { checkAccessibility } from "./support/check-page.ts";
import { NARROW_DARK, serveConsole } from "./support/open-console.ts";

const harness = createHarness({ ASSETS: builtAssets });
const server = await serveConsole(harness);

describe("the page", () => {
  it("has a policy that allows the service's own files alone, and no inline script", async () => {
    const response = await harness.request("/console", { headers: { authorization: "" } });
    expect(response.status).toBe(200);
    const policy = response.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|\*|data:|https?:/);
    const page = await response.text();
    expect(page).not.toMatch(/<script(?![^>]* src=)|<style| style=| on\w+=/);
    expect(response.headers.get("cache-control")).toBe("no-cache");
  });

  it("is the same for an address within the console, and not for a file that is missing", async () => {
    const pages = await Promise.all(["/console", "/console/incidents/1"].map((path) => harness.request(path)));
    const [first, second] = await Promise.all(pages.map((page) => page.text()));
    expect(second).toBe(first);
    const missing = await harness.request("/console/assets/gone-12345678.js", { headers: { authorization: "" } });
    expect(missing.status).toBe(404);
  });
});

describe("the navigation", () => {
  it("shows the views that the token allows, and no others", async () => {
    const { page, messages } = await server.open("/", { scopes: ["read"] });
    const links = page.getByRole("navigation", { name: "Views" }).getByRole("link");
    await expect
      .poll(() => links.allTextContents())
      .toEqual(["Incidents", "Runbooks", "Memory", "Domains", "Quality", "Mutes"]);
    expect(messages).toEqual([]);
  });

  it("on a phone: four views at the bottom edge, the others in a menu, and the current tab in sight", async () => {
    const { page } = await server.open("/memory/sessions", NARROW_DARK);
    const row = page.getByRole("navigation", { name: "Views", exact: true });
    await expect
      .poll(() => row.getByRole("link").allTextContents())
      .toEqual(["Incidents", "Ask", "Runbooks", "Memory"]);
    const tab = page.getByRole("navigation", { name: "Details of memory" }).locator("[aria-current]");
    expect(await tab.textContent()).toBe("Sessions");
    const { x = -1, width = 0 } = (await tab.boundingBox()) ?? {};
    expect(x >= 0 && x + width <= NARROW_DARK.width).toBe(true);
    await page.getByRole("button", { name: "More" }).click();
    const others = page.getByRole("navigation", { name: "More views" });
    expect(await others.getByRole("link").allTextContents()).toEqual(["Domains", "Quality", "Mutes", "Settings"]);
    await checkAccessibility(page);
    await others.getByRole("link", { name: "Quality" }).click();
    await page.getByRole("heading", { level: 1, name: "Quality" }).waitFor();
    await others.waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "Quality" }).press("Enter");
    await page.getByRole("button", { name: "Sign out" }).waitFor();
    await page.keyboard.press("Escape");
    await others.waitFor({ state: "hidden" });
  });
});
