// The root of the Worker over HTTP.

import { describe, expect, it } from "vitest";
import { z } from "zod";
import { builtAssets } from "../support/built-assets.ts";
import { createHarness } from "../support/harness.ts";

const NO_TOKEN = { authorization: "" };
const BROWSER_ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8";

const harness = createHarness({ ASSETS: builtAssets });

describe("the root", () => {
  const get = (accept: string, method = "GET") => harness.request("/", { method, headers: { ...NO_TOKEN, accept } });

  it("leads a browser to the console, without a token", async () => {
    const response = await get(BROWSER_ACCEPT);
    expect([response.status, response.headers.get("location")]).toEqual([302, "/console"]);
    expect(response.headers.get("x-robots-tag")).toBe("noindex");
  });

  it.each(["*/*", "application/json", "", "image/png"])("is JSON for a client that accepts %j", async (accept) => {
    const response = await get(accept);
    expect([response.status, response.headers.get("vary")]).toEqual([200, "accept"]);
    expect(await response.json()).toMatchObject({
      name: "dejavu",
      status: "ok",
      version: harness.services.version,
      links: { reference: "http://dejavu.test/docs", mcp: "http://dejavu.test/mcp" },
    });
  });

  it("answers HEAD with its headers only", async () => {
    const response = await get("*/*", "HEAD");
    expect([response.status, await response.text()]).toEqual([200, ""]);
  });

  it("shows no setting and nothing that is stored", async () => {
    const { DEJAVU_TOKEN, SUPABASE_URL, CHROMA_URL } = harness.services.config;
    await harness.triage({ title: "planted-title exited with code 137" });
    const text = await (await get("*/*")).text();
    for (const hidden of ["planted-title", DEJAVU_TOKEN, SUPABASE_URL, CHROMA_URL]) expect(text).not.toContain(hidden);
  });

  it("links to endpoints that need no token", async () => {
    const { links } = z.object({ links: z.record(z.string(), z.url()) }).parse(await (await get("*/*")).json());
    for (const [name, link] of Object.entries(links)) {
      const { status } = await harness.request(new URL(link).pathname, { headers: NO_TOKEN });
      expect([name, status]).toEqual([name, { mcp: 401, guide: 302 }[name] ?? 200]);
    }
  });
});
