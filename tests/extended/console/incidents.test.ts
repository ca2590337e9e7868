// The view Incidents: the list, what changes while it is open, and no incidents.

import type { Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import { deliver, webhook } from "../../integration/alerts/support.ts";
import { checkAccessibility, checkLooks, checkWidth } from "../../integration/console/support/check-page.ts";
import { NARROW_DARK, serveConsole } from "../../integration/console/support/open-console.ts";
import { builtAssets } from "../../integration/support/built-assets.ts";
import { createHarness, deleteIncidents, sql } from "../../integration/support/harness.ts";

const harness = createHarness({ ASSETS: builtAssets });
const { clock } = harness;
const server = await serveConsole(harness);
beforeEach(() => deleteIncidents(harness.services));

const rows = (page: Page) => page.getByRole("list", { name: "Incidents" }).getByRole("listitem");
const titles = (page: Page) => rows(page).getByRole("link").allTextContents();
const titleOf = (page: Page, title: string) => rows(page).getByRole("link", { name: title });
/** As when somebody comes back to the page: it polls at once. */
const poll = (page: Page) => page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");

/** As if the list had two rows a page. */
const shorten = (page: Page) =>
  page.route("**/v1/incidents?*", (route) => {
    const url = new URL(route.request().url());
    url.searchParams.set("limit", "2");
    return route.continue({ url: url.href });
  });

async function triage(title: string, more: Record<string, unknown> = {}): Promise<string> {
  const { incident_id } = await harness.triage({ title, ...more });
  clock.advance(60_000);
  return incident_id;
}

async function fill(): Promise<void> {
  const startsAt = clock.now().toISOString();
  await deliver(
    harness,
    "alertmanager",
    webhook([
      { fingerprint: "a", startsAt, labels: { severity: "critical" } },
      { fingerprint: "b", startsAt, pod: "checkout-2" },
    ]),
  );
  clock.advance(3 * 3_600_000);
  const pod = "api-gateway-7d9f8b6c5-x2x9z";
  const oom = { target: pod, labels: { pod }, severity: "high" };
  const first = await triage("api-gateway docker container exited with code 137", oom);
  await harness.post(`/v1/incidents/${first}/resolve`, { resolution: "Raised the memory limit." });
  await triage("api-gateway docker container exited with code 137", oom);
  await triage("no space left on device", { target: "node-7", severity: "low" });
}

describe("the list", () => {
  beforeEach(fill);

  it("shows open incidents with severity, outcome, alerts and what fixed them before, most urgent first, and counts them", async () => {
    const { page, messages } = await server.open("");
    await rows(page).first().waitFor();
    expect(await rows(page).count()).toBe(3);
    const repeat = rows(page).filter({ hasText: "exited with code 137" });
    await expect.poll(() => repeat.textContent()).toMatch(/high.*Fixed before.*api-gateway(general|kubernetes)/);
    expect(await rows(page).first().textContent()).toContain("2 firing");
    expect((await titles(page)).slice(1)).toEqual([
      "api-gateway docker container exited with code 137",
      "no space left on device",
    ]);
    await page.getByText("3 open, 1 critical, 1 firing").waitFor();
    await page.getByLabel("Order").selectOption("Last reported");
    await expect.poll(async () => (await titles(page))[0]).toBe("no space left on device");
    expect(new URL(page.url()).search).toBe("?sort=newest");
    expect(messages).toEqual([]);
    // The page of an incident shows the same service.
    await repeat.getByRole("link").click();
    await page.locator(".answer-head").getByText("api-gateway", { exact: true }).waitFor();
  });

  it("is accessible and no wider than the window in each look", async () => {
    const { page } = await server.open("?status=all");
    await rows(page).first().waitFor();
    await checkLooks(page);
  });

  it("filters by the address, and the filters change the address", async () => {
    const { page } = await server.open("?severity=low");
    await expect.poll(() => titles(page)).toEqual(["no space left on device"]);
    await page.getByLabel("Severity").selectOption("Any severity");
    await expect.poll(() => rows(page).count()).toBe(3);
    await page.getByLabel("Status").selectOption("resolved");
    await expect.poll(() => titles(page)).toEqual(["api-gateway docker container exited with code 137"]);
    expect(new URL(page.url()).search).toBe("?status=resolved&sort=urgent");
    await page.getByLabel("Status").selectOption("All");
    // Both take effect, though the second is chosen before the first does.
    await page.getByLabel("Service").fill("node-7");
    await page.getByLabel("Began").selectOption("7");
    await expect.poll(() => new URL(page.url()).search).toBe("?status=all&service=node-7&within=7&sort=urgent");
    await expect.poll(() => titles(page)).toEqual(["no space left on device"]);
    await page.getByRole("button", { name: "Clear filters" }).click();
    await expect.poll(() => new URL(page.url()).search).toBe("");
  });

  it("is grouped by service, and those of a group are resolved together", async () => {
    await triage("no space left on device", { target: "node-7" });
    const { page } = await server.open("");
    await page.getByLabel("Groups").selectOption("By service");
    const group = page.getByRole("region", { name: "node-7" });
    await group.getByRole("checkbox", { name: "Select all of node-7" }).check();
    await page.getByRole("button", { name: "Resolve 2 selected" }).click();
    await page.getByRole("dialog", { name: "Resolve 2 incidents" }).waitFor();
    // Its name changes with what is left.
    const dialog = page.getByRole("dialog");
    const resolve = dialog.getByRole("button", { name: "Resolve", exact: true });
    await checkAccessibility(page);
    await resolve.click();
    await dialog.getByText("Say what fixed it").waitFor();
    await dialog.getByLabel("What fixed it?").fill("Deleted old images.");
    await page.route("**/resolve", (route) => route.fulfill({ status: 503, json: {} }), { times: 1 });
    await resolve.click();
    await dialog.getByText("1 of 2 are not resolved").waitFor();
    await resolve.click();
    await dialog.waitFor({ state: "detached" });
    await group.waitFor({ state: "detached" });
    expect(await sql`select resolution from public.incidents where target = 'node-7'`).toEqual(
      Array(2).fill({ resolution: "Deleted old images." }),
    );
  });

  it("selects all that match, beyond those that are shown", async () => {
    const { page } = await server.open("", {
      prepare: (page) =>
        page.route("**/v1/incidents?*", (route) => {
          const url = new URL(route.request().url());
          url.searchParams.set("limit", "1");
          return route.continue({ url: url.href });
        }),
    });
    await page.getByRole("checkbox", { name: "Select all shown" }).check();
    await page.getByRole("button", { name: /^Select all \d+ that match/ }).click();
    await page.getByRole("button", { name: /^Resolve [2-9] selected/ }).waitFor();
    // What was resolved beyond the first page is neither listed nor selected any more.
    for (const row of [0, 1]) await rows(page).nth(row).getByRole("checkbox").uncheck();
    await page.getByRole("button", { name: "Resolve 1 selected" }).click();
    await page.getByLabel("What fixed it?").fill("Deleted old images.");
    await page.getByRole("dialog").getByRole("button", { name: "Resolve", exact: true }).click();
    await page.getByText("Resolved. The fix is shown").waitFor();
    await expect.poll(() => titles(page)).not.toContain("no space left on device");
    expect(await page.getByRole("button", { name: /selected$/ }).count()).toBe(0);
  });

  it("is kept as a view under a name, and its incidents are acknowledged and muted together", async () => {
    const { page } = await server.open("?group=service");
    await page.getByRole("button", { name: "Save this view" }).click();
    await page.keyboard.press("Tab");
    await page.getByLabel("Name of the view").fill("By service");
    await page.keyboard.press("Enter");
    await page.goto(page.url().replace(/\?.*/, ""));
    await page.getByRole("link", { name: "By service" }).click();
    await expect.poll(() => new URL(page.url()).search).toBe("?group=service");
    await page.getByRole("checkbox", { name: "Select all of node-7" }).check();
    await page.getByRole("button", { name: "Acknowledge" }).click();
    await page.getByText("Acknowledged the incident.").waitFor();
    await page.getByRole("button", { name: "Mute" }).click();
    const dialog = page.getByRole("dialog", { name: "This failure is expected" });
    await checkAccessibility(page);
    await dialog.getByRole("button", { name: "Mute" }).click();
    await dialog.getByText("Say why").waitFor();
    await dialog.getByLabel("Why is it expected?").fill("planned migration");
    await dialog.getByRole("button", { name: "Mute" }).click();
    await page.getByRole("region", { name: "node-7" }).getByText("Muted").waitFor();
    expect(
      await sql`select m.reason, i.acknowledged_by from public.mutes m join public.incidents i on i.id = m.incident_id`,
    ).toEqual([{ reason: "planned migration", acknowledged_by: "grafana" }]);
    await page.getByRole("button", { name: "Delete the view By service" }).click();
    await page.getByRole("link", { name: "By service" }).waitFor({ state: "detached" });
  });

  it("is searched, and gone through, by keys alone", async () => {
    const { page } = await server.open("");
    await rows(page).first().waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("gateway 137");
    await expect.poll(() => titles(page)).toEqual(["api-gateway docker container exited with code 137"]);
    const focused = () => page.evaluate("document.activeElement.textContent");
    await page.locator("h1").focus();
    await page.keyboard.press("j");
    expect(await focused()).toBe("api-gateway docker container exited with code 137");
    // The first press clears the field, the second leaves it: its keys are letters.
    await page.keyboard.press("/");
    await page.keyboard.press("Escape");
    await expect.poll(() => rows(page).count()).toBe(3);
    await page.keyboard.press("Escape");
    // The selected incident is the second of all.
    const names = await titles(page);
    for (const [key, name] of [
      ["j", names[2]],
      ["k", names[1]],
      ["k", names[0]],
    ] as const) {
      await page.keyboard.press(key);
      expect(await focused()).toBe(name);
    }
  });
});

describe("while the page is open", () => {
  it("shows new and changed incidents, and asks for no more than it has", async () => {
    const id = await triage("no space left on device", { target: "node-7" });
    const { page } = await server.open("?status=all");
    await rows(page).first().waitFor();
    const unchanged = page.waitForResponse((response) => response.status() === 304);
    await poll(page);
    await unchanged;
    await triage("<img src=x onerror=alert(1)> \u202eevil");
    await poll(page);
    await expect.poll(() => titles(page)).toEqual(["<img src=x onerror=alert(1)> evil", "no space left on device"]);
    expect(await rows(page).first().textContent()).toContain("new");
    await harness.post(`/v1/incidents/${id}/resolve`, { resolution: "Deleted old images." });
    await poll(page);
    await expect.poll(() => rows(page).nth(1).textContent()).toMatch(/Resolved.*updated/);
    expect(await rows(page).first().textContent()).not.toContain("new");
    // A resolved incident has no box to tick, and the same columns.
    const severity = (n: number) => rows(page).nth(n).locator(".incidents-facts > span").first().boundingBox();
    expect((await severity(1))?.x).toBe((await severity(0))?.x);
  });

  it("keeps the list and says how old it is when the service stops answering", async () => {
    await triage("no space left on device");
    const { page } = await server.open("");
    await rows(page).first().waitFor();
    await page.route("**/v1/incidents?*", (route) => route.abort());
    await poll(page);
    await page.getByText("Dejavu cannot be reached. This is as of").waitFor();
    expect(await rows(page).count()).toBe(1);
    await page.unroute("**/v1/incidents?*");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("Dejavu cannot be reached").waitFor({ state: "detached" });
  });

  it("loads further pages, and keeps them when new incidents arrive", async () => {
    for (const n of [1, 2, 3]) await triage(`failure ${n}`);
    const { page } = await server.open("", { prepare: shorten });
    await expect.poll(() => rows(page).count()).toBe(2);
    await page.getByRole("button", { name: "Load more" }).click();
    await expect.poll(() => rows(page).count()).toBe(3);
    expect(await page.getByRole("button", { name: "Load more" }).count()).toBe(0);
    await triage("failure 4");
    await poll(page);
    await expect.poll(() => titles(page)).toEqual(["failure 4", "failure 3", "failure 2", "failure 1"]);
  });

  it("keeps none of a group that was resolved on later pages", async () => {
    for (const n of [1, 2, 3]) await triage(`failure ${n}`, { target: "node-1" });
    for (const n of [4, 5, 6]) await triage(`failure ${n}`, { target: "node-2" });
    const { page } = await server.open("?group=service", { prepare: shorten });
    await expect.poll(() => rows(page).count()).toBe(6);
    await triage("failure 7", { target: "node-2" });
    await poll(page);
    await expect.poll(() => rows(page).count()).toBe(7);
    await page.getByRole("checkbox", { name: "Select all of node-1" }).check();
    // The first page after the change arrives when a later one is there.
    const later = Promise.withResolvers<void>();
    await page.route("**/v1/incidents?*", async (route) => {
      if (!route.request().url().includes("cursor=")) await later.promise;
      else void page.waitForResponse((response) => response.url().includes("cursor=")).then(() => later.resolve());
      await route.fallback();
    });
    await page.getByRole("button", { name: "Resolve 3 selected" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox").first().fill("Replaced the disk of the node.");
    await dialog.getByRole("button", { name: "Resolve" }).click();
    await page.getByText("Resolved 3 incidents.").waitFor();
    await expect.poll(() => titles(page)).toEqual(["failure 7", "failure 6", "failure 5", "failure 4"]);
    await poll(page);
    await page.getByText("4 open").waitFor();
    expect(await rows(page).count()).toBe(4);
  });

  it("is where it was after Back: the open group, and the incident in sight", async () => {
    for (let n = 0; n < 9; n++) await triage(`failure ${n}`, { target: "node-7" });
    const { page } = await server.open("?group=service", NARROW_DARK);
    await page.getByRole("button", { name: "node-7" }).click();
    await titleOf(page, "failure 0").click();
    await page.getByRole("heading", { level: 1, name: "failure 0" }).waitFor();
    await page.goBack();
    // CSS pixels from the top of the window.
    const topOf = async (title: string) => (await titleOf(page, title).boundingBox())?.y ?? Number.NaN;
    // Above the navigation at the bottom edge of 844.
    await expect.poll(() => topOf("failure 0")).toBeLessThan(796);
    expect(await topOf("failure 8")).toBeLessThan(100);
  });

  it("drops a page that was on its way when a change loaded the list anew", async () => {
    for (const n of [1, 2, 3, 4]) await triage(`failure ${n}`);
    const change = Promise.withResolvers<void>();
    const { page } = await server.open("", {
      prepare: (page) =>
        page.route("**/v1/incidents?*", async (route) => {
          const url = new URL(route.request().url());
          url.searchParams.set("limit", "2");
          // The answer of the second page is older than the change.
          const response = await route.fetch({ url: url.href });
          if (url.searchParams.has("cursor")) await change.promise;
          return route.fulfill({ response });
        }),
    });
    await rows(page).nth(1).waitFor();
    const later = page.waitForResponse((response) => response.url().includes("cursor="));
    await page.getByRole("button", { name: "Load more" }).click();
    await page.getByRole("checkbox", { name: "Select failure 4" }).check();
    await page.getByRole("button", { name: "Mute" }).click();
    await page.getByLabel("Why is it expected?").fill("a rehearsal");
    await page.getByRole("dialog").getByRole("button", { name: "Mute" }).click();
    await rows(page).filter({ hasText: "Muted" }).first().waitFor();
    change.resolve();
    await later;
    await page.evaluate("new Promise(requestAnimationFrame)");
    expect(await titles(page)).toEqual(["failure 4", "failure 3"]);
    await page.getByRole("button", { name: "Load more" }).click();
    await expect.poll(() => titles(page)).toEqual(["failure 4", "failure 3", "failure 2", "failure 1"]);
  });
});

describe("without incidents", () => {
  it("says how to bring the first one", async () => {
    const { page } = await server.open("", NARROW_DARK);
    await page.getByText("No open incident.").waitFor();
    await page.getByRole("link", { name: "connect a system that sends alerts" }).waitFor();
    await checkWidth(page);
    await checkAccessibility(page);
    await page.getByRole("link", { name: "Show resolved ones, too" }).click();
    await page.getByText("No incident yet.").waitFor();
  });

  it("does not offer Ask to a token that may not triage", async () => {
    const { page } = await server.open("", { scopes: ["read"] });
    await page.getByText("No open incident.").waitFor();
    expect(await page.getByRole("link", { name: "Ask" }).count()).toBe(0);
  });

  it("says that no incident matches, and clears the filters", async () => {
    const { page } = await server.open("?text=zebra");
    await page.getByText("No incident matches the filters.").waitFor();
    await page.locator(".state").getByRole("button", { name: "Clear filters" }).click();
    await page.getByText("No open incident.").waitFor();
  });
});
