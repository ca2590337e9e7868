// The documentation site in the real Worker and in Chromium: its files, its headers, its links, its search.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { assetsDir } from "../../../dev/stack/assets/build-assets.ts";
import { REPO_DIR } from "../../../dev/stack/paths.ts";
import { SECTIONS } from "../../../docs/.vitepress/pages.ts";
import { type RunningStack, startWorker } from "../../e2e/support/stacks.ts";
import { checkAccessibility, checkWidth } from "../../integration/console/support/check-page.ts";
import { type Look, NARROW_DARK, show, WIDE_LIGHT } from "../../integration/console/support/open-console.ts";
import { chromiumPath, launchChromium } from "../../support/chromium.ts";

const TIMEOUT_MS = 30_000;
const SITE = join(assetsDir(REPO_DIR), "guide");
const PAGES = SECTIONS.flatMap(({ folder, pages }) => pages.map((page) => `${folder}/${page}`));
let stack: RunningStack;
let browser: Browser | undefined;

beforeAll(async () => {
  stack = await startWorker();
  if (chromiumPath !== null) browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await stack?.[Symbol.asyncDispose]();
});

const address = (path: string) => new URL(path, stack.info.urls.worker).href;
const get = (path: string) => fetch(address(path), { redirect: "manual" });

describe("the files", () => {
  it("are served without a token, with a policy that allows only the inline scripts of the build", async () => {
    const page = await get("/guide/guides/alerts.html");
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    const policy = page.headers.get("content-security-policy") ?? "";
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'(?: 'sha256-[\w+/=]+'){2}; style-src 'self'; /);
    expect(policy).not.toMatch(/unsafe-eval|\*|https?:/);
    expect(page.headers.get("x-content-type-options")).toBe("nosniff");
    const [, script = ""] = /src="(\/guide\/assets\/app\.[^"]+)"/.exec(await page.text()) ?? [];
    const file = await get(script);
    expect([file.status, file.headers.get("cache-control")]).toEqual([200, "public, max-age=31536000, immutable"]);
  });

  it("are found by the address of the site and by addresses without an ending", async () => {
    for (const [path, target] of [
      ["/guide", "/guide/index.html"],
      ["/guide/", "/guide/index.html"],
      ["/guide/guides/alerts", "/guide/guides/alerts.html"],
    ] as const) {
      const { status, headers } = await get(path);
      expect([path, status, headers.get("location")]).toEqual([path, 302, target]);
    }
  });

  it("have a page for what does not exist", async () => {
    const response = await get("/guide/guides/no-such-page");
    expect([response.status, await response.text()]).toEqual([404, expect.stringContaining("<title>404")]);
    expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect((await get("/guide/%2e%2e/_headers")).status).not.toBe(200);
  });

  it("include each page as Markdown, and lists for programs", async () => {
    const page = await get("/guide/guides/alerts.md");
    expect([page.status, await page.text()]).toEqual([
      200,
      readFileSync(join(REPO_DIR, "docs/guides/alerts.md"), "utf8"),
    ]);
    expect(page.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
    const list = await (await get("/guide/llms.txt")).text();
    const links = [...list.matchAll(/^- \[[^\]]+\]\((.+)\.md\): ./gm)].map(([, path]) => path);
    expect(links).toEqual(PAGES);
    const all = await (await get("/guide/llms-full.txt")).text();
    expect(PAGES.filter((path) => !all.includes(readFileSync(join(SITE, `${path}.md`), "utf8").trim()))).toEqual([]);
  });
});

describe("the built pages", () => {
  const html = new Map(
    readdirSync(SITE, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".html"))
      .map((path) => [path, readFileSync(join(SITE, path), "utf8")]),
  );

  it.each([...html.keys()])("%s links only to pages, files and headings that exist", (path) => {
    const text = html.get(path) ?? "";
    const targets = [...text.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, target = ""]) => target);
    expect(targets.length).toBeGreaterThan(4);
    // An expression of the theme or a page that was not evaluated.
    expect(text.replaceAll(/<(pre|code)[\s\S]*?<\/\1>/g, "")).not.toContain("{{");
    const broken = targets.filter((target) => {
      if (/^(?:https:|http:\/\/127|data:)/.test(target)) return false;
      const { pathname, hash } = new URL(target, `http://site/guide/${path}`);
      const file = pathname.replace("/guide/", "") || "index.html";
      if (!existsSync(join(SITE, file))) return true;
      return hash !== "" && !html.get(file)?.includes(`id="${decodeURIComponent(hash.slice(1))}"`);
    });
    expect(broken).toEqual([]);
  });
});

describe("the diagrams", () => {
  const diagrams = PAGES.flatMap((path) => {
    const text = readFileSync(join(REPO_DIR, `docs/${path}.md`), "utf8");
    return [...text.matchAll(/^```mermaid\n([\s\S]*?)^```/gm)].map(([, source = ""]) => ({ path, source }));
  });

  it.each(diagrams)("of $path are drawn with each of their words", ({ path, source }) => {
    const html = readFileSync(join(SITE, `${path}.html`), "utf8");
    const drawn = [...html.matchAll(/<div class="diagram"[\s\S]*?<\/svg>/g)].map(([svg]) => textOf(svg)).join(" ");
    const labels = [...source.matchAll(/\[["(]?([^\]")]+)["]?\)?\]|\|([^|]+)\|/g)].map(
      ([, node, edge]) => node ?? edge,
    );
    const isMissing = (label = "") => !drawn.includes(textOf(label.replaceAll("<br/>", " ")));
    expect(labels.filter((label) => label !== "*" && isMissing(label))).toEqual([]);
    expect(html).not.toContain("language-mermaid");
    expect(drawn.length).toBeGreaterThan(20);
  });
});

/** Words alone, with single blanks. */
function textOf(markup: string): string {
  const text = markup
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll("&gt;", ">")
    .replaceAll("&#39;", "'");
  return text.replaceAll(/\s+/g, " ").trim();
}

describe.runIf(chromiumPath)("a reader", () => {
  let page: Page;
  const messages: string[] = [];
  const requests: string[] = [];

  beforeAll(async () => {
    if (browser === undefined) throw new Error("Chromium did not start.");
    page = await browser.newPage();
    page.setDefaultTimeout(TIMEOUT_MS);
    page.on("console", (message) => messages.push(message.text()));
    page.on("pageerror", (error) => messages.push(error.message));
    page.on("request", (request) => requests.push(request.url()));
  });
  afterEach(() => {
    expect(messages).toEqual([]);
    expect(requests.filter((url) => !url.startsWith(address("/")) && !url.startsWith("data:"))).toEqual([]);
  });

  async function open(path: string, look: Look): Promise<void> {
    await show(page, look);
    await page.goto(address(path));
    // The page reacts once Vue has taken over the document.
    await expect.poll(() => page.evaluate("document.querySelector('#app').__vue_app__ !== undefined")).toBe(true);
  }

  it("finds a page by its words", async () => {
    await open("/guide/index.html", WIDE_LIGHT);
    await page.getByRole("button", { name: "Search" }).first().click();
    await page.getByRole("searchbox").fill("Alertmanager receiver");
    await page.getByRole("option").first().click();
    await page.waitForURL("**/guide/**/*alert*.html*");
    await page.getByRole("heading", { level: 1 }).waitFor();
  });

  it.each([
    "index.html",
    "tutorial/1-first-answer.html",
    "reference/settings.html",
    "explanation/confidence.html",
    "internals/memory.html",
  ])("reads %s on a phone in the dark, and on a wide light screen", async (path) => {
    await open(`/guide/${path}`, NARROW_DARK);
    await checkWidth(page);
    await checkAccessibility(page);
    await show(page, WIDE_LIGHT);
    await page.locator("html:not(.dark)").waitFor();
    // Colours change over a quarter of a second.
    await page.evaluate("Promise.allSettled(document.getAnimations().map(({ finished }) => finished))");
    await checkWidth(page);
    await checkAccessibility(page);
  });

  it("gets the dark scheme of the system, and can change it", async () => {
    await open("/guide/guides/alerts.html", { ...WIDE_LIGHT, scheme: "dark" });
    await page.locator("html.dark").waitFor();
    await page.getByRole("switch").first().click();
    await page.locator("html:not(.dark)").waitFor();
  });
});
