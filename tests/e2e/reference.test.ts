// The reference page under the real Worker, with the files that are deployed beside it.

import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Stack, startStack } from "../../dev/stack/index.ts";

let stack: Stack;

beforeAll(async () => {
  stack = await startStack({ dir: await mkdtemp(join(tmpdir(), "dejavu-reference-")), ephemeral: true });
});
afterAll(() => stack?.stop());

function fetchOpenly(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(new URL(path, stack.info.urls.worker), { headers });
}

it("serves the page and every file that it names from its own origin", async () => {
  const page = await fetchOpenly("/docs");
  expect(page.headers.get("content-type")).toMatch(/^text\/html/);
  const policy = page.headers.get("content-security-policy") ?? "";
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
  expect(policy).not.toMatch(/unsafe|https?:/);

  const html = await page.text();
  const named = [...html.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path = ""]) => path);
  expect(named).toEqual(["/docs/swagger-ui.css", "/docs/swagger-ui-bundle.js", "/docs/start.js", "/openapi.json"]);
  const types = ["text/css", "text/javascript", "text/javascript", "application/json"];
  for (const [i, path] of named.entries()) {
    const file = await fetchOpenly(path);
    expect([path, file.status, file.headers.get("content-type")?.split(";")[0]]).toEqual([path, 200, types[i]]);
    expect((await file.text()).length).toBeGreaterThan(100);
  }
  expect(html).not.toMatch(/<script(?![^>]* src=)|<style| on\w+=/);
});

it("sends a file once to a browser that keeps it", async () => {
  const etag = (await fetchOpenly("/docs/swagger-ui.css")).headers.get("etag") ?? "";
  expect(etag).not.toBe("");
  expect((await fetchOpenly("/docs/swagger-ui.css", { "if-none-match": etag })).status).toBe(304);
});

it("hands out no other file of the package", async () => {
  for (const path of ["/docs/package.json", "/docs/index.html", "/docs/swagger-ui.css.map", "/docs/..%2fpackage.json"])
    expect((await fetchOpenly(path)).status).toBe(404);
  for (const path of ["/index.html", "/swagger-ui.css", "/package.json", "/"])
    expect((await fetchOpenly(path)).status).toBe(401);
});
