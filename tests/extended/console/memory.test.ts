// The view Memory: lists, one record with its corrections, and what a query recalls.

import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { checkAccessibility, checkLooks } from "../../integration/console/support/check-page.ts";
import { serveConsole } from "../../integration/console/support/open-console.ts";
import { KILLED } from "../../integration/console/support/reports.ts";
import { waitUntilLoaded } from "../../integration/console/support/view-pages.ts";
import { builtAssets } from "../../integration/support/built-assets.ts";
import { createHarness, sql, workerEnv } from "../../integration/support/harness.ts";
import { loadFreshRunbooks } from "../../integration/support/inventory.ts";
import { plantIncident, plantMemory, plantProcedure, plantSummary } from "../../integration/support/sample-memory.ts";

const harness = createHarness({ ASSETS: builtAssets });
const { services, clock } = harness;
const server = await serveConsole(harness);

const DISK = {
  title: "No space left on device in /var/lib/docker",
  target: "build-7",
  severity: "critical",
  labels: { container_runtime: "docker" },
  logs: "failed to register layer: write /var/lib/docker/tmp/1: no space left on device",
};
const ids: Record<"first" | "second" | "disk", string> = { first: "", second: "", disk: "" };

beforeAll(async () => {
  await loadFreshRunbooks(services, workerEnv);
  ids.first = (await harness.triage(KILLED)).incident_id;
  const resolve = async (id: string, body: object) =>
    expect((await harness.post(`/v1/incidents/${id}/resolve`, body)).status).toBe(200);
  await resolve(ids.first, { resolution: "Raised the memory limit to 1 GiB.", resolved_by: "dana", worked: true });
  clock.advance(86_400_000);
  ids.second = (await harness.triage({ ...KILLED, target: "checkout" })).incident_id;
  await resolve(ids.second, {
    resolution: "Fixed the leak in the cache and rolled it out.",
    did_not_help: ["Restarted the container and waited."],
    worked: true,
  });
  clock.advance(3_600_000);
  ids.disk = (await harness.triage(DISK)).incident_id;
  const planted = await plantIncident(services, { sessionId: "thread-1" });
  await plantMemory(services, planted, { text: "why did the worker stop?" });
  await plantProcedure(services, planted, { text: "worker stopped after deploy" });
  const summary = {
    sessionId: "thread-1",
    originals: [planted.triageId],
    text: "[SESSION SUMMARY] the worker stopped",
  };
  await plantSummary(services, summary);
});

/** Of the record that two incidents share. */
async function observationId(title = KILLED.title): Promise<string> {
  const [{ id } = {}] = await sql`select id from public.observations where title = ${title} order by occurrences desc`;
  return String(id);
}

const titles = (page: Page) => page.locator(".row-title").allTextContents();
const main = (page: Page) => page.getByRole("main");

describe("the list of observations", () => {
  it("shows each failure with its fix and how often it worked", async () => {
    const { page, messages } = await server.open("/memory");
    await page.getByRole("link", { name: KILLED.title }).waitFor();
    const text = await main(page).textContent();
    expect(text).toContain("2 reports");
    expect(text).toContain("Fixed by Fixed the leak in the cache and rolled it out. worked once");
    expect(text).toContain("No fix recorded.");
    expect(messages).toEqual([]);
  });

  it("is filtered by words and by domain, and the address keeps both", async () => {
    const { page } = await server.open("/memory");
    await page.getByRole("link", { name: KILLED.title }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("NO SPACE LEFT");
    await page.keyboard.press("Enter");
    await expect.poll(() => titles(page)).toEqual([DISK.title]);
    expect(page.url()).toContain("text=NO+SPACE+LEFT");
    await page.getByRole("link", { name: "docker", exact: true }).click();
    await page.getByRole("link", { name: "Show every domain" }).waitFor();
    expect(page.url()).toMatch(/text=.*domain=docker/);
    await page.getByRole("searchbox").fill("never stored");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByText("No failures match.").waitFor();
  });

  it("is gone through by keys", async () => {
    const { page } = await server.open("/memory");
    await page.getByRole("link", { name: KILLED.title }).waitFor();
    const [, second] = await titles(page);
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: second ?? "", exact: true }).waitFor();
  });

  it("loads the next page on request", async () => {
    const { page } = await server.open("/memory", {
      prepare: (page) =>
        page.route("**/v1/memory/observations*", (route) => {
          const url = new URL(route.request().url());
          url.searchParams.set("limit", "1");
          return route.continue({ url: url.href });
        }),
    });
    await expect.poll(() => titles(page)).toHaveLength(1);
    await page.getByRole("button", { name: "Show more" }).click();
    await expect.poll(() => titles(page)).toHaveLength(2);
  });
});

describe("one observation", () => {
  it("shows its fixes with their proof, former ones struck through with the reason, and its incidents", async () => {
    const { page } = await server.open(`/memory/observations/${await observationId()}`);
    await page.getByRole("heading", { level: 1, name: KILLED.title }).waitFor();
    expect(await page.locator("s").allTextContents()).toEqual(["Raised the memory limit to 1 GiB."]);
    const text = await main(page).textContent();
    expect(text).toContain("Replaced by a newer fix");
    expect(text).toMatch(/Restarted the container and waited\. did not help/);
    const links = page.locator(".memory-incident a");
    const hrefs = await links.evaluateAll((all) => all.map((link) => link.getAttribute("href")));
    expect(hrefs).toEqual([`/console/incidents/${ids.second}`, `/console/incidents/${ids.first}`]);
  });

  it("loses its review again", async () => {
    const id = await observationId();
    const { page } = await server.open(`/memory/observations/${id}`);
    const score = async () =>
      (await sql`select review_score from public.observations where id = ${id}`)[0]?.review_score;
    await page.getByLabel("Review").selectOption("2.0");
    await expect.poll(score).toBe(2);
    await page.getByLabel("Review").selectOption("");
    await expect.poll(score).toBeNull();
  });

  it("keeps the review that was stored when an older answer arrives", async () => {
    const id = await observationId();
    const { page } = await server.open(`/memory/observations/${id}`);
    const review = page.getByLabel("Review");
    await review.waitFor();
    let refused = false;
    const arrives = Promise.withResolvers<void>();
    await page.route(`**/v1/memory/observations/${id}`, async (route) => {
      if (route.request().method() === "PATCH") {
        if (refused) return route.continue();
        refused = true;
        return route.fulfill({ status: 502, body: "no" });
      }
      const response = await route.fetch();
      await arrives.promise;
      // The page gave the request up.
      await route.fulfill({ response }).catch(() => {});
    });
    await review.selectOption("-1");
    await page.getByText("The review is not stored").waitFor();
    await review.selectOption("2.0");
    await page.getByText("The review is stored.").first().waitFor();
    arrives.resolve();
    await page.unrouteAll({ behavior: "wait" });
    await page.evaluate("new Promise(requestAnimationFrame)");
    expect(await review.inputValue()).toBe("2.0");
    await review.selectOption("");
    await expect
      .poll(() => sql`select review_score from public.observations where id = ${id}`)
      .toEqual([{ review_score: null }]);
  });

  it("is split, and joined again", async () => {
    const id = await observationId();
    const { page } = await server.open(`/memory/observations/${id}`);
    await page.getByRole("button", { name: "Split off" }).waitFor();
    expect(await page.getByRole("button", { name: "Split off" }).isDisabled()).toBe(true);
    await page.getByRole("checkbox").first().check();
    await page.getByRole("button", { name: "Split off 1" }).click();
    const dialog = page.getByRole("dialog", { name: "Split off 1 incident?" });
    await dialog.getByLabel("Why (optional)").fill("Another cause.");
    await dialog.getByRole("button", { name: "Split off" }).click();
    await page.getByRole("heading", { name: "Incidents (1)" }).waitFor();
    expect(page.url()).not.toContain(id);
    await page.getByRole("button", { name: "Join another record" }).click();
    const join = page.getByRole("dialog", { name: "Join another record of this failure" });
    await checkAccessibility(page);
    await join.getByRole("radio", { name: KILLED.title }).check();
    await join.getByRole("button", { name: "Join it" }).click();
    await page.getByRole("heading", { name: "Incidents (2)" }).waitFor();
  });

  it("is forgotten after a dialog that says what goes with it", async () => {
    const { page } = await server.open(`/memory/observations/${await observationId(DISK.title)}`);
    await page.getByRole("button", { name: /^Forget/ }).click();
    const dialog = page.getByRole("dialog", { name: "Forget this failure?" });
    expect(await dialog.textContent()).toContain("Its 1 incident stays.");
    await dialog.getByRole("button", { name: "Keep it" }).click();
    expect(await sql`select 1 from public.observations where title = ${DISK.title}`).toHaveLength(1);
    await page.getByRole("button", { name: /^Forget/ }).click();
    await dialog.getByRole("button", { name: "Forget it" }).click();
    await page.getByRole("heading", { level: 1, name: "Memory" }).waitFor();
    expect(await sql`select 1 from public.observations where title = ${DISK.title}`).toEqual([]);
    expect((await harness.request(`/v1/incidents/${ids.disk}`)).status).toBe(200);
  });

  it("says when there is no such record", async () => {
    const { page } = await server.open("/memory/observations/00000000-0000-4000-8000-000000000000");
    await page.getByText("No observation has this id.").waitFor();
  });
});

describe("recall", () => {
  it("explains each hit: the parts multiply to the score, and the probability has its reasons", async () => {
    const { page } = await server.open("/memory/recall");
    await page
      .getByLabel("Report")
      .fill("checkout container killed, exit code 137\nMemory cgroup out of memory: Killed process 99 (node)");
    await page.keyboard.press("Control+Enter");
    const hit = page.getByRole("listitem").filter({ has: page.getByRole("link", { name: KILLED.title }) });
    await hit.getByText("the same failure").waitFor();
    const figures = (
      await hit
        .getByRole("region", { name: /^Parts of the score/ })
        .locator("td:nth-child(2)")
        .allTextContents()
    ).map((text) => Number(text.replace("× ", "")));
    const score = figures.pop() ?? 0;
    expect(figures).toHaveLength(4);
    expect(figures.reduce((product, each) => product * each, 1)).toBeCloseTo(score, 1);
    await hit.getByText(/^Why \d+ %/).click();
    await hit.getByText("error lines in common").waitFor();
    expect(page.url()).toContain("query=checkout");
  });

  it("says that nothing is alike", async () => {
    const { page } = await server.open(`/memory/recall?query=${encodeURIComponent("x")}`, { domains: ["redis"] });
    await page.getByText("Nothing alike is stored.").waitFor();
  });
});

describe("past answers, procedures and sessions", () => {
  it("link to each other and are forgotten one by one", async () => {
    const { page, messages } = await server.open("/memory/sessions");
    await page.getByRole("link", { name: "thread-1" }).click();
    await page.getByText("summary of a session").waitFor();
    // A summary has the time of its newest original: either may be first.
    expect((await titles(page)).sort()).toEqual(["[SESSION SUMMARY] the worker stopped", "why did the worker stop?"]);
    await page.getByText("why did the worker stop?").first().click();
    await page.getByRole("link", { name: "Open its incident" }).first().waitFor();
    await page.getByRole("button", { name: "Forget why did the worker stop?" }).click();
    await page.getByRole("button", { name: "Forget it" }).click();
    await page.getByText("No answers match.").waitFor();

    await page.goto(`${server.url}/console/memory/procedures`);
    await page.getByText("worker stopped after deploy").first().click();
    await page.getByRole("button", { name: /^Forget/ }).click();
    await page.getByRole("button", { name: "Forget it" }).click();
    await page.getByText("There are no approaches yet.").waitFor();

    await page.goto(`${server.url}/console/memory/sessions`);
    await page.getByRole("button", { name: "Forget on-call" }).click();
    await page.getByRole("button", { name: "Forget it" }).click();
    await expect.poll(() => sql`select 1 from public.past_answers where session_id = 'on-call'`).toEqual([]);
    await page.goto(`${server.url}/console/memory/changes`);
    await page.getByText("deleted").first().waitFor();
    expect(messages).toEqual([]);
  });
});

it("each page is accessible and no wider than the window in each look", async () => {
  const query = encodeURIComponent(`${KILLED.title}\n${KILLED.logs}`);
  const { page, messages } = await server.open("/memory");
  const lists = ["past-answers", "procedures", "sessions", "pending-writes", "changes"];
  const pages = [
    "",
    `/observations/${await observationId()}`,
    `/recall?query=${query}`,
    ...lists.map((list) => `/${list}`),
  ];
  for (const path of pages) {
    await page.goto(`${server.url}/console/memory${path}`);
    await waitUntilLoaded(page);
    await checkLooks(page);
  }
  expect(messages).toEqual([]);
});
