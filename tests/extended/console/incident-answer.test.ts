// The upper half of the view of one incident: answers of each outcome, made by real triages.

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { investigate } from "../../integration/alerts/support.ts";
import { checkAccessibility, checkLooks, checkWidth } from "../../integration/console/support/check-page.ts";
import { DEPLOYMENT, INTAKE, INTAKE_PLACE, minutesBefore, STALLED } from "../../integration/console/support/intake.ts";
import { NARROW_DARK, serveConsole } from "../../integration/console/support/open-console.ts";
import { type Prometheus, sample, startPrometheus } from "../../integration/metrics/real-prometheus.ts";
import { sendText } from "../../integration/support/api.ts";
import { builtAssets } from "../../integration/support/built-assets.ts";
import { createHarness, sql, workerEnv } from "../../integration/support/harness.ts";
import { loadFreshRunbooks } from "../../integration/support/inventory.ts";
import { scriptedModel } from "../../integration/support/servers/scripted-model.ts";
import { findProgram } from "../../support/debian.ts";

const program = await findProgram("prometheus");
const HISTORY = Array.from({ length: 60 }, (_, i) => 59 - i).flatMap((minutes) => [
  sample("intake_disk_used_ratio", INTAKE_PLACE, minutes > 15 ? 0.62 : 0.99 - minutes * 0.01, minutesBefore(minutes)),
  sample("intake_consumers", INTAKE_PLACE, 4, minutesBefore(minutes)),
]);
/** Without a log: what the model's draft quotes is in the title. */
const EXITED = {
  title: "api-gateway container exited with code 137",
  target: "api-gateway",
  severity: "high",
  labels: { container_runtime: "docker" },
};
const REPORTS = {
  cause: STALLED,
  possible: { title: "queue consumers lag and messages pile up", severity: "medium" },
  unknown: { title: "The frobnicator wobbles since noon", severity: "low" },
  benign: { title: "Watchdog", labels: { alertname: "Watchdog" } },
} as const;
type Name = keyof typeof REPORTS | "model";

describe.skipIf(program === null)("the answer of an incident", async () => {
  if (program === null) return;
  const prometheus: Prometheus = await startPrometheus(program, { history: HISTORY });
  const harness = createHarness({ ASSETS: builtAssets, PROMETHEUS_URL: prometheus.url });
  const server = await serveConsole(harness);
  const ids = new Map<Name, string>();
  const pathOf = (name: Name) => `/incidents/${ids.get(name)}`;

  beforeAll(async () => {
    await loadFreshRunbooks(harness.services, workerEnv);
    await sendText(harness, "/v1/runbooks/orders/intake.md", INTAKE);
    await harness.post("/v1/changes", DEPLOYMENT);
    for (const [name, report] of Object.entries(REPORTS))
      ids.set(name as Name, (await harness.triage(report)).incident_id);
    await using model = await scriptedModel();
    ids.set("model", (await createHarness(model.env()).triage(EXITED)).incident_id);
  }, 180_000);
  afterAll(() => prometheus[Symbol.asyncDispose]());

  const sectionOf = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
  const verdictOf = async (page: Page) =>
    (await page.locator(".answer-verdict").textContent({ timeout: 30_000 }))?.replace(/\s+/g, " ") ?? "";

  it("says how sure it is, what is confirmed, not decided and ruled out, and what changed before", async () => {
    const { page, messages } = await server.open(pathOf("cause"), NARROW_DARK);
    expect(await verdictOf(page)).toMatch(
      /^Known failureOrder intake stalls\..*No space left on device\d+ % that this runbook fits/,
    );
    expect(await page.locator(".answer-why").textContent()).toMatch(
      /of 100 such answers, about \d+ rest on a text about the right failure/,
    );
    expect(await verdictOf(page)).toMatch(/Changed 12 min before it started: orders 4.2.0/);
    const causes = sectionOf(page, "Likely causes").getByRole("listitem");
    expect(await causes.nth(0).textContent()).toMatch(/Buffer disk is full\..*Confirmed by a check.*check disk: 0\.99/);
    expect(await causes.nth(1).textContent()).toMatch(/Pricing does not answer\..*Checked, not decided/);
    expect(await sectionOf(page, "Checked").textContent()).toMatch(
      /Ruled out.*Consumer is gone.*consumers are connected \(4 /,
    );
    const plot = sectionOf(page, "The alert's plot");
    await plot.locator("canvas").waitFor();
    expect(await plot.getByRole("img").getAttribute("aria-label")).toMatch(/^From 0\.62 to 0\.9\d \(/);
    expect(messages).toEqual([]);
  });

  it("opens what it cites in place, by the keyboard too, and returns the focus", async () => {
    const { page } = await server.open(pathOf("cause"));
    const check = page.locator(".answer-verdict").getByRole("button", { name: "check disk: 0.99" });
    await check.focus();
    await page.keyboard.press("Enter");
    const source = page.getByRole("group", { name: /^Source: .*disk.* of orders/ });
    expect(await source.textContent()).toMatch(/0\.99 \(instance=intake-1:9000\).*any > 0\.95/);
    expect(await source.textContent()).toContain('intake_disk_used_ratio{instance="intake-1:9000"}');
    expect(await source.getByRole("link", { name: /Open in prometheus/ }).getAttribute("href")).toContain(
      prometheus.url,
    );
    await source.getByRole("button", { name: "Close the source" }).focus();
    await page.keyboard.press("Escape");
    await source.waitFor({ state: "detached" });
    expect(await check.evaluate((button) => button.ownerDocument.activeElement === button)).toBe(true);
    // Sections that the result does not hold come from the API.
    await sectionOf(page, "Likely causes")
      .getByRole("button", { name: /source: orders\/intake.md › Likely causes/ })
      .click();
    await page
      .getByRole("group", { name: /^Source: orders\/intake.md/ })
      .getByText("No process reads")
      .waitFor();
  });

  it("marks the error lines in their log, and shows all of it on demand", async () => {
    const { page } = await server.open(pathOf("cause"));
    const log = page.getByRole("region", { name: "Log" });
    await log.waitFor();
    expect(await log.locator(".answer-log-marked").allTextContents()).toEqual([
      expect.stringMatching(/41.*No space left on device 2 such lines/),
    ]);
    expect(await log.getByRole("listitem").count()).toBe(5);
    await page.getByRole("button", { name: "Show the whole log" }).click();
    expect(await log.getByRole("listitem").count()).toBe(72);
  });

  it("keeps apart what reads and what changes the system, in words", async () => {
    const { page } = await server.open(pathOf("cause"));
    const checks = sectionOf(page, "Confirm").getByRole("listitem");
    expect(await checks.first().textContent()).toMatch(/Read-only.*Look at the disk.*Replace <pod>/);
    const fixes = sectionOf(page, "Mitigate").getByRole("listitem");
    expect(await fixes.nth(0).textContent()).toMatch(/Changes state.*Free space on the disk/);
    // The command stands in its sentence.
    expect(await fixes.nth(1).textContent()).toMatch(/Changes state.*kubectl rollout restart/);
    await fixes.nth(0).getByRole("button", { name: "Copy command, changes state" }).click();
    await fixes.nth(0).getByText("Copied").waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(
      "kubectl exec <pod> -- intake purge --confirmed",
    );
  });

  it("shows a step that somebody else ticks", async () => {
    const { page } = await server.open(pathOf("cause"));
    const box = page.getByRole("checkbox", { name: /Look at the disk/ });
    await box.waitFor();
    const { page: other } = await server.open(pathOf("cause"));
    await other.getByRole("checkbox", { name: /Look at the disk/ }).check();
    await sectionOf(other, "Confirm").getByText(/^Done/).waitFor();
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await expect.poll(() => box.isChecked()).toBe(true);
    await box.uncheck();
    const done = async () => (await sql`select done from public.incident_steps`).map((step) => step.done);
    await expect.poll(done).toEqual([false]);
  });

  it("unticks a step that could not be saved, and says why", async () => {
    const failing = async (page: Page) => {
      await page.route("**/steps/*", (route) => route.fulfill({ status: 503, json: { title: "Unavailable" } }));
    };
    const { page } = await server.open(pathOf("cause"), { prepare: failing });
    const box = page.getByRole("checkbox", { name: /Look at the disk/ });
    await box.click();
    await page.getByText("The step is not saved.").waitFor();
    expect(await box.isChecked()).toBe(false);
  });

  it.each([
    ["possible", /^PossibleOrder intake stalls\d\d % for the best candidate.*no cause is claimed/, "Candidates"],
    ["unknown", /^UnknownNothing on record is likely/, "Look next"],
    ["benign", /^No incidentNo action needed/, null],
    ["model", /^Known failureThe container was killed.*\d\d % as a critic scored it/, "Mitigate"],
  ] as const)("shows the outcome %s, accessibly, on a phone", async (name, verdict, section) => {
    const { page, messages } = await server.open(pathOf(name), NARROW_DARK);
    expect(await verdictOf(page)).toMatch(verdict);
    if (section !== null) await sectionOf(page, section).waitFor();
    if (name !== "model") expect(await page.getByRole("heading", { name: "Likely causes" }).count()).toBe(0);
    await checkWidth(page);
    await checkAccessibility(page);
    expect(messages).toEqual([]);
  });

  it("is accessible and no wider than the window in each look, all open", async () => {
    const { page } = await server.open(pathOf("cause"));
    await page.locator(".answer-verdict .answer-citation").first().click();
    await page.evaluate("for (const each of document.querySelectorAll('.answer details')) each.open = true");
    await page.locator(".plot canvas").waitFor();
    await checkLooks(page);
  });

  it("shows the answer by itself when the investigation ends", async () => {
    const response = await harness.post("/v1/incidents", EXITED);
    const { incident_id } = (await response.json()) as { incident_id: string };
    const { page } = await server.open(`/incidents/${incident_id}`, NARROW_DARK);
    await page.getByText("Waiting for its investigation.").waitFor();
    await checkAccessibility(page);
    await investigate(harness.services, [incident_id]);
    await page.getByRole("region", { name: /^Likely causes/ }).waitFor();
  });

  it("says that there is no such incident", async () => {
    const { page } = await server.open("/incidents/00000000-0000-4000-8000-000000000000");
    await page.getByText("No incident has this id.").waitFor();
  });
});
