// The frame around the views: what is served, and the navigation.

import { describe, expect, it } from "vitest";
import { builtAssets } from "../support/built-assets.ts";
import { createHarness } from "../support/harness.ts";
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
    await expect.poll(() => links.allTextContents()).toEqual(["Incidents", "Runbooks", "Domains", "Memory", "Quality"]);
    expect(messages).toEqual([]);
  });

  it("shows the current view and tab in rows that are wider than a phone", async () => {
    const { page } = await server.open("/memory/sessions", NARROW_DARK);
    const row = (name: string) => page.getByRole("navigation", { name });
    const shown = (name: string) =>
      row(name)
        .locator("[aria-current]")
        .evaluate((link) => {
          const { left, right } = link.getBoundingClientRect();
          return {
            name: link.textContent,
            isInside: left >= 0 && right <= link.ownerDocument.documentElement.clientWidth,
          };
        });
    await expect.poll(() => shown("Records of memory")).toEqual({ name: "Sessions", isInside: true });
    expect(await shown("Views")).toEqual({ name: "Memory", isInside: true });
    for (const name of ["Settings", "Incidents"]) {
      await row("Views").getByRole("link", { name }).click();
      await expect.poll(() => shown("Views")).toEqual({ name, isInside: true });
    }
  });
});
