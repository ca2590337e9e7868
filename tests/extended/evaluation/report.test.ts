import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { writeReport } from "../../../evals/report/write-report.ts";
import type { EvalRun } from "../../../evals/runs/run-file.ts";
import { calibrationOf, gradedAnswersOf } from "../../../evals/statistics/calibration.ts";
import { timedTrials } from "../../../evals/statistics/latency.ts";
import { chromiumPath, launchChromium } from "../../support/chromium.ts";
import { HOSTILE_SCRIPT, HOSTILE_TITLES, runOf, sampleRuns } from "../../unit/evals/sample-runs.ts";

const runs = sampleRuns();
const newest = runs.at(-1) ?? runOf();
/** An empty page has one colour; antialiased text and lines have many. */
const MIN_COLORS = 50;

interface Layout {
  readonly width: number;
  readonly scheme: "light" | "dark";
}

const LAYOUTS: readonly Layout[] = [360, 1440].flatMap((width) =>
  (["light", "dark"] as const).map((scheme) => ({ width, scheme })),
);
const WIDE: Layout = { width: 1440, scheme: "light" };

let folder: string;
let browser: Browser;
/** Shows the report. It has no scripts: in a window of another size it is as if it had been loaded there. */
let page: Page;
let shown: readonly EvalRun[] | undefined;
/** Reads screenshots. */
let reader: Page;
/** Console messages, script errors and dialogs. */
const messages: string[] = [];
const requests: string[] = [];

beforeAll(async () => {
  if (chromiumPath === null) return;
  folder = await mkdtemp(join(tmpdir(), "dejavu-report-"));
  browser = await launchChromium();
  [page, reader] = await Promise.all([browser.newPage(), browser.newPage()]);
  page.on("console", (message) => messages.push(message.text()));
  page.on("pageerror", (error) => messages.push(error.message));
  page.on("dialog", (dialog) => messages.push(dialog.message()));
  page.on("request", (request) => requests.push(request.url()));
});

afterAll(async () => {
  await browser?.close();
  if (folder) await rm(folder, { recursive: true, force: true });
});

/** Shows the report of the runs in a layout, with all parts open. */
async function show(reported: readonly EvalRun[], { width, scheme }: Layout): Promise<void> {
  await page.setViewportSize({ width, height: 900 });
  await page.emulateMedia({ colorScheme: scheme, media: "screen" });
  if (shown === reported) return;
  const path = join(folder, "report.html");
  await writeReport(reported, path);
  await page.goto(pathToFileURL(path).href);
  for (const summary of await page.locator("summary").all()) await summary.click();
  shown = reported;
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
  const analysis = await reader.evaluate(`(async () => {
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

describe.runIf(chromiumPath)("the report in a browser", () => {
  it.each(LAYOUTS)("has no layout errors at $width px in $scheme colours", async (layout) => {
    await show(runs, layout);
    await expectGoodLayout();
    expect(requests).toEqual([pathToFileURL(join(folder, "report.html")).href]);

    for (const part of ["metrics", "runs", "calibration", "latency"]) {
      const { colors, brightness } = await analyse(await page.locator(`#${part}`).screenshot());
      expect(colors).toBeGreaterThan(MIN_COLORS);
      if (layout.scheme === "light") expect(brightness).toBeGreaterThan(200);
      else expect(brightness).toBeLessThan(60);
    }
  });

  it("draws a mark for each figure", async () => {
    await show(runs, WIDE);
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
  });

  it("shows hostile text as text", async () => {
    await show(runs, WIDE);
    expect(await page.title()).toMatch(/^Dejavu evaluation, /);
    const words = ((await page.locator("main").textContent()) ?? "").replace(/\s+/g, " ");
    expect(words).toContain(HOSTILE_SCRIPT);
    expect(words).toContain(HOSTILE_TITLES[1]);
    expect(await page.locator("script, img, b").count()).toBe(0);
  });

  it("is accessible to screen readers: headings, navigation, chart labels", async () => {
    await show(runs, WIDE);
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
  });

  it("prints dark on light and without the navigation", async () => {
    await show(runs, { ...WIDE, scheme: "dark" });
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    expect(await page.getByRole("navigation").count()).toBe(0);
    expect((await analyse(await page.locator("#calibration").screenshot())).brightness).toBeGreaterThan(200);
  });

  it.each([
    ["the first run", runs.slice(0, 1)],
    ["an empty run", [runOf()]],
    ["an empty run after others", [...runs, runOf({ id: "20261123T121500Z-6" })]],
  ])("has no layout errors for %s", async (_, reported) => {
    await show(reported, { width: 360, scheme: "light" });
    await expectGoodLayout();
  });

  async function expectGoodLayout(): Promise<void> {
    expect(messages).toEqual([]);
    expect(await stringsIn(page, TOO_WIDE)).toEqual([]);
    expect(await stringsIn(page, MISPLACED_WORDS)).toEqual([]);
    expect(await stringsIn(page, EMPTY_CHARTS)).toEqual([]);
  }
});
