// The home page of the Worker over HTTP. tests/extended/routes/pages.test.ts has it in a browser.

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { assetsDir } from "../../../dev/stack/assets/build-assets.ts";
import { REPO_DIR } from "../../../dev/stack/paths.ts";
import { builtAssets } from "../support/built-assets.ts";
import { createHarness } from "../support/harness.ts";

const NO_TOKEN = { authorization: "" };
const BROWSER_ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8";

const harness = createHarness({ ASSETS: builtAssets });

describe("the home page", () => {
  const get = (accept: string, method = "GET") => harness.request("/", { method, headers: { ...NO_TOKEN, accept } });

  it("is HTML for a browser, with a strict policy and without a token", async () => {
    const response = await get(BROWSER_ACCEPT);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/html; charset=UTF-8"]);
    const policy = response.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|script-src|\*/);
    expect(response.headers.get("x-robots-tag")).toBe("noindex");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    const page = await response.text();
    const [, style = ""] = /<style>([\s\S]*?)<\/style>/.exec(page) ?? [];
    expect(policy).toContain(`style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`);
    expect(page).toContain(`This service is up, version ${harness.services.version}.`);
    expect(page).not.toMatch(/<script| style=| on\w+=/);
    expect(page).toMatch(
      /<code>npm start<\/code>\s+prints the one of its stack; <code>dejavu tokens create<\/code> makes more/,
    );
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
    for (const accept of [BROWSER_ACCEPT, "*/*"]) {
      const response = await get(accept, "HEAD");
      expect([response.status, await response.text()]).toEqual([200, ""]);
    }
  });

  it("shows no setting and nothing that is stored", async () => {
    const { DEJAVU_TOKEN, SUPABASE_URL, CHROMA_URL } = harness.services.config;
    await harness.triage({ title: "planted-title exited with code 137" });
    const texts = await Promise.all([BROWSER_ACCEPT, "*/*"].map(async (accept) => (await get(accept)).text()));
    for (const hidden of ["planted-title", DEJAVU_TOKEN, SUPABASE_URL, CHROMA_URL])
      expect(texts.join("\n")).not.toContain(hidden);
  });

  it("links to guides that exist, and to endpoints that need no token", async () => {
    const { links, guides } = z
      .object({ links: z.record(z.string(), z.url()), guides: z.record(z.string(), z.string()) })
      .parse(await (await get("*/*")).json());
    for (const path of Object.keys(guides)) expect(existsSync(join(assetsDir(REPO_DIR), path)), path).toBe(true);
    for (const [name, link] of Object.entries(links)) {
      const { status } = await harness.request(new URL(link).pathname, { headers: NO_TOKEN });
      expect([name, status]).toEqual([name, { mcp: 401, guide: 302 }[name] ?? 200]);
    }
  });
});
