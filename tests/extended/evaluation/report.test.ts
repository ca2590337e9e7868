import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { writeReport } from "../../../evals/report/write-report.ts";
import type { EvalRun } from "../../../evals/runs/run-file.ts";
import { calibrationOf, gradedAnswersOf } from "../../../evals/statistics/calibration.ts";
import { timedTrials } from "../../../evals/statistics/latency.ts";
import { findProgram } from "../../support/debian.ts";
import { HOSTILE_SCRIPT, HOSTILE_TITLES, runOf, sampleRuns } from "../../unit/evals/sample-runs.ts";

const executablePath = await findProgram("chromium");
const runs = sampleRuns();
const newest = runs.at(-1) ?? runOf();
/** An empty page has one colour; antialiased text and lines have many. */
const MIN_COLORS = 50;

const LAYOUTS = [360, 1440].flatMap((width) => (["light", "dark"] as const).map((scheme) => ({ width, scheme })));

let folder: string;
let browser: Browser;

beforeAll(async () => {
  if (executablePath === null) return;
  folder = await mkdtemp(join(tmpdir(), "dejavu-report-"));
  // Chromium's sandbox does not work for root, and CI runs tests as root.
  browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
});

afterAll(async () => {
  await browser?.close();
  if (folder) await rm(folder, { recursive: true, force: true });
});

interface OpenPage {
  readonly page: Page;
  /** Console messages, script errors and dialogs. */
  readonly messages: readonly string[];
  readonly requests: readonly string[];
}

/** Opens the report of the runs in a browser and records its messages and requests. */
async function open(reported: readonly EvalRun[], layout: (typeof LAYOUTS)[number]): Promise<OpenPage> {
  const path = join(folder, "report.html");
  await writeReport(reported, path);
  const page = await browser.newPage({ viewport: { width: layout.width, height: 900 }, colorScheme: layout.scheme });
  const messages: string[] = [];
  const requests: string[] = [];
  page.on("console", (message) => messages.push(message.text()));
  page.on("pageerror", (error) => messages.push(error.message));
  page.on("dialog", (dialog) => messages.push(dialog.message()));
  page.on("request", (request) => requests.push(request.url()));
  await page.goto(pathToFileURL(path).href);
  // Opens every collapsed part.
  for (const summary of await page.locator("summary").all()) await summary.click();
  return { page, messages, requests };
}

/** The strings that an expression returns in the page. */
async function stringsIn(page: Page, expression: string): Promise<string[]> {
  return z.array(z.string()).parse(await page.evaluate(expression));
}

function count(page: Page, selector: string): Promise<number> {
  return page.locator(selector).filter({ visible: true }).count();
}

/** The number of colours in a screenshot, and the brightness of the most frequent one, 0 to 255. */
async function analyse(screenshot: Buffer): Promise<{ colors: number; brightness: number }> {
  const page = await browser.newPage();
  try {
    const analysis = await page.evaluate(`(async () => {
      const bytes = Uint8Array.from(atob("${screenshot.toString("base64")}"), (letter) => letter.charCodeAt(0));
      const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
      const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
      context.drawImage(image, 0, 0);
      const counts = new Map();
      for (const color of new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer))
        counts.set(color, (counts.get(color) ?? 0) + 1);
      const [most] = [...counts].reduce((a, b) => (b[1] > a[1] ? b : a));
      return { colors: counts.size, brightness: ((most & 255) + ((most >> 8) & 255) + ((most >> 16) & 255)) / 3 };
    })()`);
    return z.object({ colors: z.number(), brightness: z.number() }).parse(analysis);
  } finally {
    await page.close();
  }
}

/** Elements that are wider than their container or the window. */
const TOO_WIDE = `[...document.querySelectorAll("body *")]
  .filter((each) => !each.closest("svg") && getComputedStyle(each).display !== "inline")
  .filter((each) => each.scrollWidth > each.clientWidth + 1 || each.getBoundingClientRect().right > innerWidth + 0.5)
  .map((each) => each.tagName + "." + each.className + ": " + each.textContent.slice(0, 60))`;

/** Chart labels that overlap each other or lie outside their chart. */
const MISPLACED_WORDS = `[...document.querySelectorAll("svg")].filter((svg) => svg.checkVisibility()).flatMap((svg) => {
  const room = svg.getBoundingClientRect();
  const words = [...svg.querySelectorAll("text")].map((text) => [text.textContent, text.getBoundingClientRect()]);
  const apart = (a, b) => a.right <= b.left || b.right <= a.left || a.bottom - 2 <= b.top || b.bottom - 2 <= a.top;
  const out = words.filter(([, box]) => box.left < room.left - 1 || box.right > room.right + 1 || box.top < room.top - 1 || box.bottom > room.bottom + 1);
  const over = words.flatMap(([a, one], i) => words.slice(i + 1).filter(([, other]) => !apart(one, other)).map(([b]) => [a + " over " + b]));
  return [...out, ...over].map(([words]) => words);
})`;

/** Charts that are too small or have fewer than two marks. */
const EMPTY_CHARTS = `[...document.querySelectorAll("[role=img]")].filter((chart) => {
  const svg = [...chart.querySelectorAll("svg")].find((each) => each.checkVisibility());
  const marks = [...(svg?.querySelectorAll("path") ?? [])].filter((path) => /--data/.test(path.outerHTML) && path.getBoundingClientRect().width + path.getBoundingClientRect().height > 2);
  return svg === undefined || svg.getBoundingClientRect().width < 200 || svg.getBoundingClientRect().height < 80 || marks.length < 2;
}).map((chart) => chart.ariaLabel)`;

describe.skipIf(executablePath === null)("the report in a browser", () => {
  it.each(LAYOUTS)("has no layout errors at $width px in $scheme colours", async (layout) => {
    const { page, messages, requests } = await open(runs, layout);
    expect(messages).toEqual([]);
    expect(requests).toEqual([pathToFileURL(join(folder, "report.html")).href]);
    expect(await stringsIn(page, TOO_WIDE)).toEqual([]);
    expect(await stringsIn(page, MISPLACED_WORDS)).toEqual([]);
    expect(await stringsIn(page, EMPTY_CHARTS)).toEqual([]);

    for (const part of ["metrics", "runs", "calibration", "latency"]) {
      const { colors, brightness } = await analyse(await page.locator(`#${part}`).screenshot());
      expect(colors).toBeGreaterThan(MIN_COLORS);
      if (layout.scheme === "light") expect(brightness).toBeGreaterThan(200);
      else expect(brightness).toBeLessThan(60);
    }
    await page.close();
  });

  it.each([
    ["the first run", runs.slice(0, 1)],
    ["an empty run", [runOf()]],
    ["an empty run after others", [...runs, runOf({ id: "20261123T121500Z-6" })]],
  ])("has no layout errors for %s", async (_, reported) => {
    const { page, messages } = await open(reported, { width: 360, scheme: "light" });
    expect(messages).toEqual([]);
    expect(await stringsIn(page, TOO_WIDE)).toEqual([]);
    expect(await stringsIn(page, MISPLACED_WORDS)).toEqual([]);
    expect(await stringsIn(page, EMPTY_CHARTS)).toEqual([]);
    await page.close();
  });

  it("draws a mark for each figure", async () => {
    const { page } = await open(runs, { width: 1440, scheme: "light" });
    const dot = 'path[d^="M1 0A1 1"]';
    expect(await count(page, `[aria-label^="RetrievalHit over runs"] ${dot}`)).toBe(runs.length);

    const bins = calibrationOf(gradedAnswersOf(newest.cases))?.bins.length ?? 0;
    expect(bins).toBeGreaterThan(2);
    expect(await count(page, `[aria-label^="Reliability"] ${dot}`)).toBe(bins);
    expect(await count(page, `[aria-label^="Reliability"] path[fill-opacity="0.45"]`)).toBe(bins);

    const trials = timedTrials(newest.cases);
    const timedOut = trials.filter(({ status }) => status === "timed_out").length;
    expect(timedOut).toBeGreaterThan(0);
    expect(await count(page, `[aria-label^="Latency by"] ${dot}`)).toBe(trials.length - timedOut);
    expect(await count(page, `[aria-label^="Latency by"] path[fill="var(--alert)"]`)).toBe(timedOut);

    expect(await count(page, `[aria-label^="Latency over"] ${dot}`)).toBe(3 * runs.length);
    await page.close();
  });

  it("shows hostile text as text", async () => {
    const { page } = await open(runs, { width: 1440, scheme: "light" });
    expect(await page.title()).toMatch(/^Dejavu evaluation, /);
    const words = ((await page.locator("main").textContent()) ?? "").replace(/\s+/g, " ");
    expect(words).toContain(HOSTILE_SCRIPT);
    expect(words).toContain(HOSTILE_TITLES[1]);
    expect(await page.locator("script, img, b").count()).toBe(0);
    await page.close();
  });

  it("is accessible to screen readers: headings, navigation, chart labels", async () => {
    const { page } = await open(runs, { width: 1440, scheme: "light" });
    const levels = await stringsIn(
      page,
      `[...document.querySelectorAll("h1,h2,h3,h4")].map((each) => each.tagName[1])`,
    );
    expect(levels.filter((level) => level === "1")).toHaveLength(1);
    const jumps = levels.filter((level, i) => Number(level) > Number(levels[i - 1] ?? 0) + 1);
    expect(jumps).toEqual([]);
    expect(await page.getByRole("navigation", { name: "Contents" }).getByRole("link").count()).toBe(9);
    expect(await page.getByRole("img", { name: /^Reliability diagram of \d+ answers: / }).count()).toBe(1);
    await page.getByRole("link", { name: "Failing cases" }).click();
    expect(page.url()).toMatch(/#failing$/);
    await page.close();
  });

  it("prints dark on light and without the navigation", async () => {
    const { page } = await open(runs, { width: 1440, scheme: "dark" });
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    expect(await page.getByRole("navigation").count()).toBe(0);
    expect((await analyse(await page.locator("#calibration").screenshot())).brightness).toBeGreaterThan(200);
    await page.close();
  });
});
