// The view Quality: figures, failures without a runbook with their drafts, dependencies and jobs.

import { beforeAll, describe, expect, it } from "vitest";
import { checkLooks } from "../../integration/console/support/check-page.ts";
import { serveConsole } from "../../integration/console/support/open-console.ts";
import { waitUntilLoaded } from "../../integration/console/support/view-pages.ts";
import { builtAssets } from "../../integration/support/built-assets.ts";
import { createHarness, sql } from "../../integration/support/harness.ts";
import { plantIncident } from "../../integration/support/sample-memory.ts";

const DAY_MS = 86_400_000;
const ALERT = {
  title: "Replication of the ledger stalled",
  target: "ledger",
  labels: { alertname: "LedgerReplicationStalled", namespace: "shop" },
  logs: "2026-03-01T02:55:12Z ERROR replication stalled: segment 4711 cannot be fetched, code E477",
};
/** The cumulative layout shift up to now. Below 0.1 counts as good. */
const LAYOUT_SHIFT = `new Promise((resolve) => {
  let sum = 0;
  new PerformanceObserver((list) => {
    for (const { value } of list.getEntries()) sum += value;
  }).observe({ type: "layout-shift", buffered: true });
  requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)));
})`;

const harness = createHarness({ MODEL: "none", ASSETS: builtAssets });
const { services, clock, post, request } = harness;
const server = await serveConsole(harness);

beforeAll(async () => {
  // Judged answers of three weeks.
  for (let n = 0; n < 30; n++) {
    const outcome = ["cause", "possible", "cause", "unknown", "cause", "benign"][n % 6] ?? "cause";
    const at = new Date(clock.now().getTime() - (n % 21) * DAY_MS);
    const { triageId } = await plantIncident(services, { at });
    const confidence = outcome === "possible" ? 0.45 : 0.75 + (n % 5) * 0.05;
    await sql`update public.triages set outcome = ${outcome}, confidence = ${confidence},
      result = ${sql.json({ elapsed_ms: 200 + n * 37 })} where id = ${triageId}`;
    await sql`insert into public.feedback (triage_id, person, at, rating) values (${triageId}, '', ${at}, ${n % 4 === 1 ? -1 : 1})`;
  }
  const { incident_id } = await harness.triage(ALERT);
  const fix = { resolution: "Grew the volume.", worked: false };
  await post(`/v1/incidents/${incident_id}/resolve`, fix);
  clock.advance(60_000);
  await harness.triage({ ...ALERT, target: "ledger-2" });
  await harness.triage({ title: "Nobody can print", labels: { alertname: "PrinterOnFire" } });
  await request("/v1/admin/jobs/retry-outbox", { method: "POST" });
});

describe("the part Answers", () => {
  it("compares confidence with judgements, and says that they are too few", async () => {
    const { page, messages } = await server.open("/quality");
    await page.getByText("20 judged answers: too few to judge.").waitFor();
    const plot = page.getByRole("img", { name: /Probability 40 to 60 %: \d+ % of 5 right\./ });
    await plot.waitFor();
    await page.getByText("Show the probability as a table").click();
    await page.getByRole("row", { name: /^80 to 100 %/ }).waitFor();
    await page.getByRole("img", { name: /Known failure 1\d, Possible 5, Unknown \d, No incident 5\./ }).waitFor();
    expect(messages).toEqual([]);
  });

  it("keeps the period in the address", async () => {
    const { page } = await server.open("/quality?days=7");
    const period = page.getByLabel("Period");
    await expect.poll(() => period.inputValue()).toBe("7");
    await period.selectOption("Last year");
    await expect.poll(() => page.url()).toContain("days=365");
    await page.getByText("By week, UTC.").waitFor();
  });

  it("shows the other parts while one fails, and loads it again", async () => {
    let isFailing = true;
    const { page } = await server.open("/quality", {
      prepare: async (opened) => {
        await opened.route("**/v1/quality/calibration*", (route) =>
          isFailing ? route.fulfill({ status: 503, body: "unavailable" }) : route.continue(),
        );
      },
    });
    await page.getByRole("heading", { name: "What did answers find?" }).waitFor();
    const failure = page.getByRole("alert").filter({ hasText: "Cannot show the calibration" });
    await failure.waitFor();
    isFailing = false;
    await failure.getByRole("button", { name: "Try again" }).click();
    await page.getByText("20 judged answers").waitFor();
  });
});

describe("the part about failures without a runbook", () => {
  it("lists them, opens a draft in the editor, and says that the runbook is written", async () => {
    const { page, messages } = await server.open("/quality/gaps");
    const gap = page.getByRole("listitem").filter({ hasText: "LedgerReplicationStalled" });
    await gap.getByText(/^2 incidents.* last /).waitFor();
    await gap.getByText("Fix recorded").waitFor();
    expect(await page.title()).toBe("Quality · Dejavu");
    await page.keyboard.press("j");
    const focused = () => page.evaluate<string>("document.activeElement.textContent");
    await expect.poll(focused).toBe("Write one for LedgerReplicationStalled");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/console/runbooks/new");
    const editor = page.getByLabel("Markdown");
    await expect.poll(() => editor.inputValue()).toContain("1. Grew the volume. Helped in 1 of 1 incidents");
    expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("ledger-replication-stalled.md");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { level: 1, name: "LedgerReplicationStalled" }).waitFor();
    await page.goto(`${server.url}/console/quality/gaps`);
    await gap.getByText("No such alert came since.").waitFor();
    await gap.getByRole("link", { name: "Open its runbook" }).click();
    await page.getByRole("heading", { level: 1, name: "LedgerReplicationStalled" }).waitFor();
    expect(messages).toEqual([]);
  });

  it("says so when there are none", async () => {
    const { page } = await server.open("/quality/gaps", { domains: ["docker"] });
    await page.getByText("Runbooks answered everything in this period.").waitFor();
  });
});

describe("the part System", () => {
  it("shows each dependency", async () => {
    const { page } = await server.open("/quality/system");
    await page.getByText("Everything works.").waitFor();
    for (const name of ["Database", "Vector store", "Embedder"]) await page.getByRole("heading", { name }).waitFor();
  });

  it("says what is missing while a dependency is unavailable", async () => {
    const failing = { vendor: "Chroma", status: "failing", latency_ms: 2_000, version: null, reason: "timeout" };
    const working = { vendor: "PostgreSQL", status: "ok", latency_ms: 3, version: "18.1", reason: null };
    const body = (status: string) => ({
      status,
      version: "1.0.0",
      mode: "extractive",
      model: null,
      mode_reason: "MODEL is none.",
      reranker: null,
      dependencies: { database: working, vector_store: failing, embedder: working },
    });
    const { page } = await server.open("/quality/system", {
      scopes: ["read"],
      prepare: async (opened) => {
        await opened.route("**/health/ready", (route) => route.fulfill({ status: 503, json: body("unavailable") }));
      },
    });
    await page.getByText("No search works").waitFor();
    await page.getByText("Answers find texts by keywords alone.").waitFor();
    expect(await page.getByRole("heading", { name: "Jobs" }).count()).toBe(0);
  });
});

it.each([
  ["", "Did they help?"],
  ["/gaps", "PrinterOnFire"],
  ["/system", "sync-inventory"],
])(
  "the part at /quality%s is accessible, no wider than the window in each look, and does not move",
  async (path, heading) => {
    const { page } = await server.open(`/quality${path}`);
    await page.getByRole("heading", { name: heading }).waitFor();
    await waitUntilLoaded(page);
    const plots = await page.locator(".plot").count();
    await expect.poll(() => page.locator(".plot canvas").count()).toBe(plots);
    expect(await page.evaluate<number>(LAYOUT_SHIFT)).toBeLessThan(0.05);
    await page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true");
    await checkLooks(page);
  },
);
