// The console in the real Worker: its files, its headers, signing in by a link, and one incident from a report to its fix.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { REPO_DIR } from "../../dev/stack/paths.ts";
import { chromiumPath, launchChromium } from "../support/chromium.ts";
import { type RunningStack, startWorker } from "./support/stacks.ts";

const RUNBOOK = "exit-137-out-of-memory.md";
let stack: RunningStack;
let browser: Browser | undefined;

beforeAll(async () => {
  stack = await startWorker();
  await call(`/v1/runbooks/docker/${RUNBOOK}`, {
    method: "PUT",
    headers: { "content-type": "text/markdown" },
    body: await readFile(join(REPO_DIR, "seeds/runbooks/docker", RUNBOOK), "utf8"),
  });
  if (chromiumPath !== null) browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await stack?.[Symbol.asyncDispose]();
});

const fetchOpenly = (path: string) => fetch(new URL(path, stack.info.urls.worker));

async function call(
  path: string,
  init: RequestInit & { readonly headers?: Record<string, string> } = {},
): Promise<unknown> {
  const headers = {
    authorization: `Bearer ${stack.info.token}`,
    "content-type": "application/json",
    ...init.headers,
  };
  const response = await fetch(new URL(path, stack.info.urls.worker), { ...init, headers });
  expect(response.ok, await response.clone().text()).toBe(true);
  return response.json();
}

describe("the files", () => {
  it("are served with a strict policy, and kept by their hashed names", async () => {
    const page = await fetchOpenly("/console");
    expect([page.status, page.headers.get("cache-control")]).toEqual([200, "no-cache"]);
    expect(page.headers.get("content-security-policy")).toContain("script-src 'self'; style-src 'self'");
    expect(page.headers.get("content-security-policy")).not.toMatch(/unsafe|\*|https?:|data:/);
    expect(page.headers.get("x-content-type-options")).toBe("nosniff");
    const files = [...(await page.text()).matchAll(/(?:src|href)="(\/console\/assets\/[^"]+)"/g)];
    expect(files.length).toBeGreaterThanOrEqual(3);
    for (const [, path = ""] of files) {
      expect(path).toMatch(/-[\w-]{8}\.(?:js|css|svg)$/);
      const file = await fetchOpenly(path);
      expect([path, file.status]).toEqual([path, 200]);
      expect(file.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
      expect(file.headers.get("x-content-type-options")).toBe("nosniff");
    }
  });

  it("are the same page for an address within the console; a file that does not exist is 404", async () => {
    const [page, deep] = await Promise.all(["/console", "/console/incidents/1?x=2"].map(fetchOpenly));
    expect(await deep?.text()).toBe(await page?.text());
    for (const path of ["/console/assets/index-00000000.js", "/console.html"])
      expect((await fetchOpenly(path)).headers.get("content-type") ?? "", path).not.toContain("text/html");
    expect((await fetchOpenly("/console/assets/index-00000000.js")).status).toBe(404);
  });

  it("do not include the page itself without its policy", async () => {
    for (const path of ["/console/index.html", "/console/", "/console/index"]) {
      const response = await fetchOpenly(path);
      const policy = response.headers.get("content-security-policy") ?? "";
      expect([path, !response.ok || policy.includes("default-src 'none'")]).toEqual([path, true]);
    }
    expect((await fetchOpenly("/_headers")).status).not.toBe(200);
  });
});

describe.runIf(chromiumPath)("a person", () => {
  it("signs in by a link, reads an incident, and records what fixed it", async () => {
    const { incident_id: id } = z.object({ incident_id: z.string() }).parse(
      await call("/v1/triage", {
        method: "POST",
        body: JSON.stringify({ title: "api-gateway docker container exited with code 137", target: "api-gateway" }),
      }),
    );
    const { url } = z.object({ url: z.string() }).parse(await call("/v1/session/codes", { method: "POST" }));
    const context = await browser?.newContext({ viewport: { width: 390, height: 844 } });
    const page = await context?.newPage();
    if (context === undefined || page === undefined) throw new Error("The browser is not running.");
    const messages: string[] = [];
    page.on("console", (message) => messages.push(message.text()));
    page.on("pageerror", (error) => messages.push(error.message));

    await page.goto(url);
    await page.getByRole("heading", { level: 1, name: "Incidents" }).waitFor();
    expect(page.url()).not.toContain("code=");
    const [cookie] = await context.cookies();
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict" });

    await page.locator(`main a[href$="/console/incidents/${id}"]`).first().click();
    await page.getByText("exit-137-out-of-memory", { exact: false }).first().waitFor();
    await page.locator("main").press("r");
    await page.locator("textarea").first().fill("Raised the memory limit to 1 GiB");
    await page
      .getByRole("button", { name: /^(?:Resolve|Record)/ })
      .last()
      .click();
    await page.getByRole("button", { name: "Reopen" }).waitFor();
    expect(await call(`/v1/incidents/${id}`)).toMatchObject({ status: "resolved" });
    // A 401 before the sign-in is no failure.
    expect(messages.filter((text) => !text.includes("401"))).toEqual([]);
    await context.close();
  });
});
