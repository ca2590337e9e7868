// The view Ask: what it says while an answer is written, failures, log files.

import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { checkAccessibility, checkLooks } from "../../integration/console/support/check-page.ts";
import { serveConsole } from "../../integration/console/support/open-console.ts";
import { streamTriage } from "../../integration/console/support/stream-triage.ts";
import { builtAssets } from "../../integration/support/built-assets.ts";
import { createHarness, deleteIncidents, sql } from "../../integration/support/harness.ts";

const harness = createHarness({ ASSETS: builtAssets });
const server = await serveConsole(harness);
beforeAll(() => deleteIncidents(harness.services));
beforeEach(() => harness.clock.advance(1_000));

const LOG = "2026-03-01T02:59:58Z INFO ready\n2026-03-01T02:59:59Z ERROR connection to ledger-db:5432 refused";
const box = (page: Page) => page.getByLabel("What happens?");
const answered = (page: Page) => page.waitForURL(/\/console\/incidents\/[0-9a-f-]{36}$/);
const isTriage = (url: URL) => url.pathname === "/v1/triage";

async function latest() {
  const [row] =
    await sql`select title, question, target, logs from public.incidents order by created_at desc, id limit 1`;
  return row;
}

/** A file that the person chooses. */
async function choose(page: Page, name: string, content: Buffer): Promise<void> {
  await page.getByLabel("Log file").setInputFiles({ name, mimeType: "text/plain", buffer: content });
}

it("is accessible and no wider than the window in each look", async () => {
  const { page, messages } = await server.open("/ask");
  await box(page).fill(LOG);
  await checkLooks(page);
  expect(messages).toEqual([]);
});

describe("a question", () => {
  it("needs a text", async () => {
    const { page } = await server.open("/ask");
    await page.getByRole("button", { name: "Ask" }).click();
    await page.getByText("Paste or type something first.").waitFor();
    await checkAccessibility(page);
  });

  it("shows its steps and the draft while the answer is written", async () => {
    const { page } = await server.open("/ask");
    const sendLast = await streamTriage(page, [
      [
        "recall",
        {
          incident_id: "i",
          title: "t",
          domain: { name: "docker" },
          recalled: { runbooks: [1, 2], incidents: [1] },
          warnings: [],
        },
      ],
      ["token", { draft: 1, path: "summary.text", text: "Replaced." }],
      ["token", { draft: 2, path: "summary.text", text: "The pool " }],
      ["token", { draft: 2, path: "summary.text", text: "is exhausted." }],
      ["critique", { draft: 2, score: 0.4, feedback: "f" }],
      [
        "error",
        {
          type: "urn:dejavu:problem:too-slow",
          title: "Too slow",
          status: 504,
          detail: "The triage did not end within its time.",
          request_id: "r",
        },
      ],
    ]);
    await box(page).fill("The pool fails");
    await page.getByRole("button", { name: "Ask" }).click();
    const progress = page.getByRole("region", { name: "Progress" });
    await progress.getByText("A critic gives 40 of 100").waitFor();
    expect(await progress.getByRole("listitem").allTextContents()).toEqual([
      "Routed to the domain docker",
      "Recalled 2 runbook sections and 1 past incident",
      "Writing the answer",
      "A critic gives 40 of 100",
    ]);
    await progress.getByText("The pool is exhausted.").waitFor();
    expect(await progress.getByText("Replaced.").count()).toBe(0);
    await checkAccessibility(page);
    await sendLast();
    await page.getByText("The triage did not end within its time.").waitFor();
    expect(await box(page).inputValue()).toBe("The pool fails");
  });
});

describe("a failure", () => {
  it("keeps the text, and the same can be sent again", async () => {
    const { page } = await server.open("/ask");
    await page.route(isTriage, (route) => route.abort());
    await box(page).fill("disk full on node-7");
    await page.getByRole("button", { name: "Ask" }).click();
    await page.getByText("Cannot show an answer: Dejavu cannot be reached").waitFor();
    expect(await box(page).inputValue()).toBe("disk full on node-7");
    await checkAccessibility(page);
    await page.unroute(isTriage);
    await page.getByRole("button", { name: "Try again" }).click();
    await answered(page);
    expect(await latest()).toMatchObject({ title: "disk full on node-7" });
  });

  it("to load what cuts a long text does not keep a short one back, which a double click sends once", async () => {
    const { page } = await server.open("/ask");
    const sent: string[] = [];
    page.on("request", (request) => isTriage(new URL(request.url())) && sent.push(request.url()));
    await page.route(isTriage, (route) => route.abort());
    await page.route("**/fit-log*", (route) => route.abort());
    await box(page).fill("disk full on node-8");
    // Both before the first one has loaded anything.
    await page.getByRole("button", { name: "Ask" }).evaluate((button: { click(): void }) => {
      button.click();
      button.click();
    });
    await page.getByText("Cannot show an answer: Dejavu cannot be reached").waitFor();
    expect(sent).toHaveLength(1);
  });

  it("can be stopped", async () => {
    const { page } = await server.open("/ask");
    const stalled = Promise.withResolvers<void>();
    await page.route(isTriage, () => stalled.resolve());
    await box(page).fill("disk full on node-7");
    await page.getByRole("button", { name: "Ask" }).click();
    await stalled.promise;
    await page.getByText("Searching runbooks and past incidents").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByRole("region", { name: "Progress" }).waitFor({ state: "detached" });
    expect(await box(page).inputValue()).toBe("disk full on node-7");
    expect(await page.getByRole("alert").count()).toBe(0);
  });
});

describe("a log file", () => {
  it("goes below the question", async () => {
    const { page } = await server.open("/ask");
    await box(page).fill("Why does the ledger fail?");
    await choose(page, "app.log", Buffer.from(LOG));
    await expect.poll(() => box(page).inputValue()).toBe(`Why does the ledger fail?\n${LOG}`);
    await page.getByRole("button", { name: "Ask" }).click();
    await answered(page);
    // An empty line stands for the question, so that numbers of lines are those of the whole text.
    expect(await latest()).toMatchObject({ question: "Why does the ledger fail?", logs: `\n${LOG}` });
  });

  it("of any length is cut to its start, its end and its error lines, and the page says so", async () => {
    const { page } = await server.open("/ask");
    const noise = "2026-03-01T02:59:58Z INFO request served in 12 ms by worker-7\n".repeat(15_000);
    await choose(page, "app.log", Buffer.from(`first line\n${noise}ERROR the pool is exhausted\n${noise}last line`));
    await page.getByText(/^app\.log has 30,003 lines\. [\d,]+ are sent/).waitFor();
    const text = await box(page).inputValue();
    expect(text.length).toBeLessThan(500_001);
    for (const kept of ["first line", "ERROR the pool is exhausted", "last line"]) expect(text).toContain(kept);
  });

  it("that holds no text is refused", async () => {
    const { page } = await server.open("/ask");
    await choose(page, "app.log.gz", await readFile(process.execPath).then((bytes) => bytes.subarray(0, 4_096)));
    await page.getByText("app.log.gz is no text. Unpack it first, or choose a log file.").waitFor();
    await choose(page, "empty.log", Buffer.from(""));
    await page.getByText("empty.log is empty.").waitFor();
    expect(await box(page).inputValue()).toBe("");
  });
});
