// The upper half of the view of one incident: answers of each outcome, made by real triages.

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findProgram } from "../../support/debian.ts";
import { investigate } from "../alerts/support.ts";
import { type Prometheus, sample, startPrometheus } from "../metrics/real-prometheus.ts";
import { builtAssets } from "../support/built-assets.ts";
import { createHarness, sql, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";
import { scriptedModel } from "../support/servers/scripted-model.ts";
import { INTAKE } from "./support/intake-runbook.ts";
import { checkAccessibility, checkWidth, serveConsole } from "./support/open-console.ts";

const program = await findProgram("prometheus");
const AT = new Date("2026-03-01T03:00:00Z");
const before = (minutes: number) => new Date(AT.getTime() - minutes * 60_000);
const place = { instance: "intake-1:9000" };
const HISTORY = Array.from({ length: 60 }, (_, i) => 59 - i).flatMap((minutes) => [
  sample("intake_disk_used_ratio", place, minutes > 15 ? 0.62 : 0.99 - minutes * 0.01, before(minutes)),
  sample("intake_consumers", place, 4, before(minutes)),
]);
const orders = (count: number, minute: string) =>
  Array.from({ length: count }, (_, i) => `2026-03-01T02:${minute}:${10 + i}Z INFO intake accepted order ${1_000 + i}`);
const STALLED = {
  title: "Order intake stalls: orders pile up in the intake buffer",
  target: "orders",
  severity: "critical",
  labels: { alertname: "OrderIntakeStalls", instance: "intake-1:9000", service: "orders" },
  generator_url: "http://metrics.example:9090/graph?g0.expr=intake_disk_used_ratio+%3E+0.9&g0.tab=1",
  logs: [
    ...orders(40, "57"),
    "2026-03-01T02:58:01Z ERROR intake: cannot write segment 0042: No space left on device",
    ...orders(30, "58"),
    "2026-03-01T02:59:07Z ERROR intake: cannot write segment 0042: No space left on device",
  ].join("\n"),
};
const KILLED = {
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
  hostile: {
    title: "<img src=x onerror=alert(1)> \u202egnp.exe https://evil.example/a.png failed",
    target: "<script>alert(1)</script>",
    labels: { alertname: "OrderIntakeStalls", page: "javascript:alert(1)" },
    logs: "ERROR <script>alert(document.cookie)</script> \u001b[31mred\u001b[0m ![x](https://evil.example/x.png) failed",
  },
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
    const headers = { "content-type": "text/markdown" };
    await harness.request("/v1/runbooks/orders/intake.md", { method: "PUT", body: INTAKE, headers });
    const change = { kind: "deployment", service: "orders", version: "4.2.0", title: "orders 4.2.0", by: "dana" };
    await harness.post("/v1/changes", { ...change, at: before(12).toISOString(), url: "https://ci.example/runs/42" });
    for (const [name, report] of Object.entries(REPORTS))
      ids.set(name as Name, (await harness.triage(report)).incident_id);
    await using model = await scriptedModel();
    ids.set("model", (await createHarness(model.env()).triage(KILLED)).incident_id);
  }, 180_000);
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await prometheus[Symbol.asyncDispose]();
  });

  const sectionOf = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
  const verdictOf = async (page: Page) =>
    (await page.locator(".answer-verdict").textContent({ timeout: 30_000 }))?.replace(/\s+/g, " ") ?? "";

  it("says how sure it is, what is confirmed, not decided and ruled out, and what changed before", async () => {
    const { page, messages } = await server.open(pathOf("cause"), { width: 390 });
    expect(await verdictOf(page)).toMatch(/Known failure0\.\d\d confidence/);
    expect(await verdictOf(page)).toMatch(/of 100 such answers, about \d+ rest on a text about the right failure/);
    expect(await verdictOf(page)).toMatch(/Changed 12 min before it started: orders 4.2.0/);
    const causes = sectionOf(page, "Likely causes").getByRole("listitem");
    expect(await causes.nth(0).textContent()).toMatch(/Buffer disk is full\..*Confirmed by a check.*0\.99 \(instance/);
    expect(await causes.nth(1).textContent()).toMatch(/Pricing does not answer\..*Checked, not decided/);
    expect(await sectionOf(page, "Ruled out").textContent()).toMatch(/Consumer is gone.*consumers are connected \(4 /);
    const plot = sectionOf(page, "The alert's plot");
    await plot.locator("canvas").waitFor();
    expect(await plot.getByRole("img").getAttribute("aria-label")).toMatch(/from 0\.62 to 0\.9\d, at most 0\.9\d/);
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
      .getByRole("button", { name: /source: runbook orders\/intake.md, Likely causes/ })
      .click();
    await page
      .getByRole("group", { name: /^Source: runbook orders\/intake.md/ })
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
    const { page, context } = await server.open(pathOf("cause"));
    const checks = sectionOf(page, "Check first").getByRole("listitem");
    expect(await checks.first().textContent()).toMatch(/Read-only.*Look at the disk.*Replace <pod>/);
    const fixes = sectionOf(page, "Then fix it").getByRole("listitem");
    expect(await fixes.nth(0).textContent()).toMatch(/Changes the system.*Free space on the disk/);
    // The command stands in its sentence.
    expect(await fixes.nth(1).textContent()).toMatch(/Changes the system.*kubectl rollout restart/);
    await fixes.nth(0).getByRole("button", { name: "Copy command that changes the system" }).click();
    await fixes.nth(0).getByText("Copied").waitFor();
    const [copying] = context.pages();
    expect(await copying?.evaluate("navigator.clipboard.readText()")).toBe(
      "kubectl exec <pod> -- intake purge --confirmed",
    );
  });

  it("keeps a ticked step for everybody", async () => {
    const { page } = await server.open(pathOf("cause"));
    const box = page.getByRole("checkbox", { name: /Look at the disk/ });
    await box.check();
    await sectionOf(page, "Check first").getByText(/^Done/).waitFor();
    const { page: other } = await server.open(pathOf("cause"), { width: 390 });
    await expect.poll(() => other.getByRole("checkbox", { name: /Look at the disk/ }).isChecked()).toBe(true);
    await other.getByRole("checkbox", { name: /Look at the disk/ }).uncheck();
    await expect
      .poll(async () => (await sql`select done from public.incident_steps`).map(({ done }) => done))
      .toEqual([false]);
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

  it("has no checkboxes for a session that may only read", async () => {
    const { page } = await server.open(pathOf("cause"), { scopes: ["read"] });
    await sectionOf(page, "Then fix it").waitFor();
    expect(await page.getByRole("checkbox").count()).toBe(0);
  });

  it.each([
    ["possible", /Possible, not confirmed0\.\d\d probability.*no cause is claimed/, "Check: Order intake stalls"],
    ["unknown", /Unknown0\.\d\d nearest match/, "Look here first"],
    ["benign", /No incident1\.00 confidence/, null],
    ["model", /Likely cause0\.\d\d confidence.*a critic scored it/, "Then fix it"],
  ] as const)("shows the outcome %s, accessibly, on a phone", async (name, verdict, section) => {
    const { page, messages } = await server.open(pathOf(name), { width: 390, scheme: "dark" });
    expect(await verdictOf(page)).toMatch(verdict);
    if (section !== null) await sectionOf(page, section).waitFor();
    if (name !== "model") expect(await page.getByRole("heading", { name: "Likely causes" }).count()).toBe(0);
    await checkWidth(page);
    await checkAccessibility(page);
    expect(messages).toEqual([]);
  });

  it.each([
    { width: 390, scheme: "light" },
    { width: 390, scheme: "dark" },
    { width: 1440, scheme: "light" },
    { width: 1440, scheme: "dark" },
  ] as const)("is accessible and no wider than the window at $width px, $scheme, all open", async (options) => {
    const { page } = await server.open(pathOf("cause"), options);
    await page.locator(".answer-verdict").getByRole("button").first().click();
    await page.evaluate("for (const each of document.querySelectorAll('.answer details')) each.open = true");
    await page.locator(".plot canvas").waitFor();
    await checkWidth(page);
    await checkAccessibility(page);
  });

  it("runs and loads nothing that a report holds", async () => {
    const { page, messages, requests } = await server.open(pathOf("hostile"), { width: 390 });
    await page.getByRole("region", { name: "Log" }).getByText("<script>alert(document.cookie)</script>").waitFor();
    const heading = await page.getByRole("heading", { level: 1 }).textContent();
    expect(heading).toContain("<img src=x onerror=alert(1)>");
    expect(heading).not.toContain("\u202e");
    expect(requests.filter((address) => !address.startsWith(server.url))).toEqual([]);
    expect(messages).toEqual([]);
    expect(await page.locator("a[href^='javascript']").count()).toBe(0);
    await checkWidth(page);
  });

  it("shows an answer that was stored before checks, live evidence and parts of the match existed", async () => {
    const { incident_id } = await harness.triage({ ...KILLED, logs: "Killed process 4711 (node)" });
    await sql`update public.triages set result = result - '{checks,live,placeholders,critique,usage,model}'::text[]
      where incident_id = ${incident_id}`;
    const { page, messages } = await server.open(`/incidents/${incident_id}`);
    expect(await verdictOf(page)).toMatch(/Known failure/);
    await sectionOf(page, "Likely causes").waitFor();
    expect(messages).toEqual([]);
  });

  it("shows the answer by itself when the investigation ends", async () => {
    const response = await harness.post("/v1/incidents", KILLED);
    const { incident_id } = (await response.json()) as { incident_id: string };
    const { page } = await server.open(`/incidents/${incident_id}`, { width: 390 });
    await page.getByText("Waiting for its investigation.").waitFor();
    await checkAccessibility(page);
    await investigate(harness.services, [incident_id]);
    await sectionOf(page, "Likely causes").waitFor();
  });

  it("says what failed, and loads again on demand", async () => {
    let isDown = true;
    const { page } = await server.open(pathOf("unknown"), {
      prepare: async (page) => {
        await page.route("**/v1/incidents/*", (route) =>
          isDown ? route.abort("connectionrefused") : route.continue(),
        );
      },
    });
    await page.getByText("Dejavu cannot be reached").waitFor();
    isDown = false;
    await page.getByRole("button", { name: "Try again" }).click();
    expect(await verdictOf(page)).toMatch(/Unknown/);
  });

  it("says that there is no such incident", async () => {
    const { page } = await server.open("/incidents/00000000-0000-4000-8000-000000000000");
    await page.getByText("No incident has this id.").waitFor();
  });
});
