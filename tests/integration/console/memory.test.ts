// The view Memory: lists, one record with its corrections, and what a query recalls.

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { builtAssets } from "../support/built-assets.ts";
import { createHarness, emptyStores, sql, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";
import { plantIncident, plantMemory, plantProcedure, plantSummary } from "../support/sample-memory.ts";
import { checkAccessibility, checkWidth, serveConsole } from "./support/open-console.ts";

const harness = createHarness({ ASSETS: builtAssets });
const { services, clock } = harness;
const server = await serveConsole(harness);
afterAll(() => server[Symbol.asyncDispose]());

const OOM = {
  title: "api-gateway container exited with code 137",
  target: "api-gateway",
  severity: "high",
  session_id: "on-call",
  labels: { container_runtime: "docker" },
  logs: "Memory cgroup out of memory: Killed process 4711 (node)",
};
const DISK = {
  title: "No space left on device in /var/lib/docker",
  target: "build-7",
  severity: "critical",
  labels: { container_runtime: "docker" },
  logs: "failed to register layer: write /var/lib/docker/tmp/1: no space left on device",
};
const HOSTILE = '<img src=x onerror="alert(1)"> \u202egnp.exe <script>alert(1)</script> [a](javascript:alert(1))';

const SHOWN_HOSTILE = '<img src=x onerror="alert(1)"> gnp.exe <script>alert(1)</script> [a](javascript:alert(1))';
const PROBLEM = {
  type: "urn:dejavu:problem:unavailable",
  title: "A dependency is unavailable",
  status: 503,
  detail: "The database is unavailable. Try again.",
  request_id: "7c9e6679-7425-40de-944b-e07fc1f90ae7",
};

const ids: Record<"first" | "second" | "disk" | "hostile", string> = { first: "", second: "", disk: "", hostile: "" };

beforeAll(async () => {
  await emptyStores(services);
  await loadFreshRunbooks(services, workerEnv);
  ids.first = (await harness.triage(OOM)).incident_id;
  const resolve = async (id: string, body: object) =>
    expect((await harness.post(`/v1/incidents/${id}/resolve`, body)).status).toBe(200);
  await resolve(ids.first, { resolution: "Raised the memory limit to 1 GiB.", resolved_by: "dana", worked: true });
  clock.advance(86_400_000);
  ids.second = (await harness.triage({ ...OOM, target: "checkout" })).incident_id;
  await resolve(ids.second, {
    resolution: "Fixed the leak in the cache and rolled it out.",
    did_not_help: ["Restarted the container and waited."],
    worked: true,
  });
  clock.advance(3_600_000);
  ids.disk = (await harness.triage(DISK)).incident_id;
  ids.hostile = (
    await harness.triage({ ...DISK, title: HOSTILE, target: "edge", logs: `error: ${HOSTILE}` })
  ).incident_id;
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
async function observationId(title = OOM.title): Promise<string> {
  const [{ id } = {}] = await sql`select id from public.observations where title = ${title} order by occurrences desc`;
  return String(id);
}

const titles = (page: Page) => page.locator(".memory-title").allTextContents();
const main = (page: Page) => page.getByRole("main");

describe("the list of observations", () => {
  it("shows each failure with its fix and how often it worked, a hostile title as text", async () => {
    const { page, messages, requests } = await server.open("/memory");
    await page.getByRole("link", { name: OOM.title }).waitFor();
    expect(await titles(page)).toContain(SHOWN_HOSTILE);
    const text = await main(page).textContent();
    expect(text).toContain("2 reports");
    expect(text).toContain("Fixed by Fixed the leak in the cache and rolled it out. worked once");
    expect(text).toContain("No fix recorded.");
    expect(messages).toEqual([]);
    expect(requests.filter((url) => !url.startsWith(server.url))).toEqual([]);
  });

  it("is filtered by words and by domain, and the address keeps both", async () => {
    const { page } = await server.open("/memory");
    await page.getByRole("link", { name: OOM.title }).waitFor();
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
    await page.getByText("No observation matches.").waitFor();
  });

  it("is used by the keyboard alone", async () => {
    const { page } = await server.open("/memory");
    await page.getByRole("link", { name: OOM.title }).waitFor();
    const [first, second] = await titles(page);
    await page.keyboard.press("j");
    expect(await page.evaluate("document.activeElement.textContent")).toBe(first);
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: second ?? "", exact: true }).waitFor();
  });

  it("loads the next page on request", async () => {
    const { page } = await server.open("/memory", {
      prepare: (page) =>
        page
          .route("**/v1/memory/observations*", (route) => {
            const url = new URL(route.request().url());
            url.searchParams.set("limit", "1");
            return route.continue({ url: url.href });
          })
          .then(() => undefined),
    });
    await expect.poll(() => titles(page)).toHaveLength(1);
    await page.getByRole("button", { name: "Show more" }).click();
    await expect.poll(() => titles(page)).toHaveLength(2);
  });

  it("says why it cannot be shown, and loads again", async () => {
    let isDown = true;
    const { page } = await server.open("/memory", {
      prepare: (page) =>
        page
          .route("**/v1/memory/observations*", (route) =>
            isDown
              ? route.fulfill({ status: 503, json: PROBLEM, contentType: "application/problem+json" })
              : route.fallback(),
          )
          .then(() => undefined),
    });
    await page.getByText(PROBLEM.detail).waitFor();
    expect(await page.getByRole("alert").textContent()).toContain(PROBLEM.request_id);
    isDown = false;
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("link", { name: OOM.title }).waitFor();
  });
});

describe("one observation", () => {
  it("shows its fixes with their proof, former ones struck through with the reason, and its incidents", async () => {
    const { page } = await server.open(`/memory/observations/${await observationId()}`);
    await page.getByRole("heading", { level: 1, name: OOM.title }).waitFor();
    expect(await page.locator("s").allTextContents()).toEqual(["Raised the memory limit to 1 GiB."]);
    const text = await main(page).textContent();
    expect(text).toContain("Replaced by a newer fix");
    expect(text).toMatch(/Restarted the container and waited\. did not help/);
    const links = page.locator(".memory-incident a");
    const hrefs = await links.evaluateAll((all) => all.map((link) => link.getAttribute("href")));
    expect(hrefs).toEqual([`/console/incidents/${ids.second}`, `/console/incidents/${ids.first}`]);
  });

  it("is reviewed: the score is stored, and removed again", async () => {
    const id = await observationId();
    const { page } = await server.open(`/memory/observations/${id}`);
    const score = async () =>
      (await sql`select review_score from public.observations where id = ${id}`)[0]?.review_score;
    await page.getByLabel("Review").selectOption("2");
    await page.getByText("The review is stored.").first().waitFor();
    expect(await score()).toBe(2);
    await page.getByLabel("Review").selectOption("");
    await expect.poll(score).toBeNull();
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
    await join.getByRole("radio", { name: OOM.title }).check();
    await join.getByRole("button", { name: "Join it" }).click();
    await page.getByRole("heading", { name: "Incidents (2)" }).waitFor();
  });

  it("is forgotten after a dialog that says what goes with it", async () => {
    const { page } = await server.open(`/memory/observations/${await observationId(DISK.title)}`);
    await page.getByRole("button", { name: /^Forget/ }).click();
    const dialog = page.getByRole("dialog", { name: "Forget this observation?" });
    expect(await dialog.textContent()).toContain("Its 1 incident stays.");
    await dialog.getByRole("button", { name: "Keep it" }).click();
    expect(await sql`select 1 from public.observations where title = ${DISK.title}`).toHaveLength(1);
    await page.getByRole("button", { name: /^Forget/ }).click();
    await dialog.getByRole("button", { name: "Forget it" }).click();
    await page.getByRole("heading", { level: 1, name: "Memory" }).waitFor();
    expect(await sql`select 1 from public.observations where title = ${DISK.title}`).toEqual([]);
    expect((await harness.request(`/v1/incidents/${ids.disk}`)).status).toBe(200);
  });

  it("has no corrections without the scopes, and says when there is no such record", async () => {
    const { page } = await server.open(`/memory/observations/${await observationId()}`, { scopes: ["read"] });
    await page.getByRole("heading", { name: "What fixed it" }).waitFor();
    expect(await page.getByRole("checkbox").count()).toBe(0);
    expect(await page.getByRole("button", { name: /Forget|Join|Split/ }).count()).toBe(0);
    await page.goto(`${server.url}/console/memory/observations/00000000-0000-4000-8000-000000000000`);
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
    const hit = page.locator(".memory-hit").filter({ has: page.getByRole("link", { name: OOM.title }) });
    await hit.getByText("the same failure").waitFor();
    const figures = (await hit.locator("td.memory-figure").allTextContents()).map((text) =>
      Number(text.replace("× ", "")),
    );
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
    await page.getByText("No past answer matches.").waitFor();

    await page.goto(`${server.url}/console/memory/procedures`);
    await page.getByText("worker stopped after deploy").first().click();
    await page.getByRole("button", { name: /^Forget/ }).click();
    await page.getByRole("button", { name: "Forget it" }).click();
    await page.getByText("There are no procedures yet.").waitFor();

    await page.goto(`${server.url}/console/memory/sessions`);
    await page.getByRole("button", { name: "Forget on-call" }).click();
    await page.getByRole("button", { name: "Forget it" }).click();
    await expect.poll(() => sql`select 1 from public.past_answers where session_id = 'on-call'`).toEqual([]);
    await page.goto(`${server.url}/console/memory/changes`);
    await page.getByText("deleted").first().waitFor();
    expect(messages).toEqual([]);
  });

  it("leave out what concerns all domains for a token of some", async () => {
    const { page } = await server.open("/memory", { domains: ["docker"] });
    const tabs = page.getByRole("navigation", { name: "Records of memory" }).getByRole("link");
    await expect
      .poll(() => tabs.allTextContents())
      .toEqual(["Observations", "Recall", "Past answers", "Procedures", "Sessions"]);
  });
});

describe("each page", () => {
  it.each([
    { width: 390, scheme: "light" },
    { width: 390, scheme: "dark" },
    { width: 1440, scheme: "light" },
    { width: 1440, scheme: "dark" },
  ] as const)("is accessible and no wider than the window at $width px, $scheme", async (options) => {
    const query = encodeURIComponent(`${OOM.title}\n${OOM.logs}`);
    const { page, messages } = await server.open("/memory", options);
    const lists = ["past-answers", "procedures", "sessions", "pending-writes", "changes"];
    const pages = [
      "",
      `/observations/${await observationId()}`,
      `/recall?query=${query}`,
      ...lists.map((list) => `/${list}`),
    ];
    for (const path of pages) {
      await page.goto(`${server.url}/console/memory${path}`);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await expect.poll(() => page.locator("[aria-busy=true]").count()).toBe(0);
      await checkWidth(page);
      await checkAccessibility(page);
    }
    expect(messages).toEqual([]);
  });
});
