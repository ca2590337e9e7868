// One path through each view, on a phone in the dark: its main action, and what is stored. tests/extended/console has the
// other looks, the failures and the other actions.

import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { sendJson, sendText } from "../support/api.ts";
import { builtAssets } from "../support/built-assets.ts";
import { createHarness, sql, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";
import { metricsServer } from "../support/servers/metrics-server.ts";
import { bearer } from "../support/tokens.ts";
import { checkAccessibility, checkWidth } from "./support/check-page.ts";
import { INTAKE, INTAKE_PLACE, STALLED } from "./support/intake.ts";
import { NARROW_DARK, type OpenConsole, serveConsole } from "./support/open-console.ts";
import { KILLED, PAYMENTS } from "./support/reports.ts";
import { waitUntilLoaded } from "./support/view-pages.ts";

const metrics = await metricsServer();
const harness = createHarness({ ASSETS: builtAssets, PROMETHEUS_URL: metrics.url });
const { clock } = harness;
const server = await serveConsole(harness);
afterAll(() => metrics[Symbol.asyncDispose]());

const FIX = "Raised the memory limit to 1 GiB.";
let again: string;
let stalled: string;

beforeAll(async () => {
  // Confirms one cause of the runbook, and refutes another.
  metrics.series = [{ metric: INTAKE_PLACE, value: "0.99" }];
  await loadFreshRunbooks(harness.services, workerEnv);
  await sendText(harness, "/v1/runbooks/orders/intake.md", INTAKE);
  await sendJson(harness, "PUT", "/v1/domains/payments", PAYMENTS);
  const { incident_id: first } = await harness.triage(KILLED);
  await harness.post(`/v1/incidents/${first}/resolve`, { resolution: FIX, resolved_by: "eli", worked: true });
  clock.advance(86_400_000);
  again = (await harness.triage({ ...KILLED, target: "checkout" })).incident_id;
  stalled = (await harness.triage(STALLED)).incident_id;
});

const open = (path: string) => server.open(path, NARROW_DARK);
const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name });

/** Asserts what holds for each page, once it shows what the path is about. */
async function check({ page, messages, requests }: OpenConsole): Promise<void> {
  await waitUntilLoaded(page);
  await checkWidth(page);
  await checkAccessibility(page);
  expect(messages).toEqual([]);
  expect(requests.filter((url) => !url.startsWith(server.url))).toEqual([]);
}

it("Ask: a question is sent with its target, and leads to its incident", async () => {
  const opened = await open("/ask");
  const { page } = opened;
  const log = "2026-03-01T02:59:58Z INFO ready\n2026-03-01T02:59:59Z ERROR connection to ledger-db:5432 refused";
  const box = page.getByLabel("What happens?");
  await box.fill(log);
  await page.getByLabel("Target (optional)").fill("ledger");
  await check(opened);
  await box.press("Control+Enter");
  await page.waitForURL(/\/console\/incidents\/[0-9a-f-]{36}$/);
  // The address changes before the view does: until then, keys are typed into the box.
  await box.waitFor({ state: "detached" });
  expect(await sql`select logs, title from public.incidents where target = 'ledger'`).toEqual([
    { logs: log, title: expect.stringContaining("ledger-db") },
  ]);
  await page.keyboard.press("g");
  await page.keyboard.press("a");
  await heading(page, "Ask").waitFor();
  expect(await box.inputValue()).toBe("");
});

it("Incidents: the list shows what is known of each, is filtered, and leads to one", async () => {
  const opened = await open("");
  const { page } = opened;
  const rows = page.getByRole("list", { name: "Incidents" }).getByRole("listitem");
  await rows.filter({ hasText: KILLED.title }).getByText("Fixed before").waitFor();
  await page.getByRole("button", { name: "Filter" }).click();
  await check(opened);
  await page.getByLabel("Severity").selectOption("critical");
  await rows.filter({ hasText: KILLED.title }).waitFor({ state: "detached" });
  expect(new URL(page.url()).search).toBe("?severity=critical");
  await page.getByRole("button", { name: "Filter (1)" }).waitFor();
  await rows.getByRole("link", { name: STALLED.title }).click();
  await heading(page, STALLED.title).waitFor();
});

it("an answer: it says what is confirmed and ruled out, opens its sources, and keeps a ticked step", async () => {
  const opened = await open(`/incidents/${stalled}`);
  const { page } = opened;
  const section = (name: string) => page.getByRole("region", { name, exact: true });
  await section("Likely causes")
    .getByText(/Confirmed by a check/)
    .first()
    .waitFor();
  const verdict = page.locator(".answer-verdict");
  expect(await verdict.textContent()).toContain("Known failure");
  expect(await section("Checked").textContent()).toMatch(/Ruled out.*Consumer is gone/);
  await verdict.getByRole("button", { name: "check disk: 0.99" }).click();
  expect(await page.getByRole("group", { name: /^Source: .*disk.* of orders/ }).textContent()).toContain("any > 0.95");
  await page.getByRole("checkbox", { name: /Look at the disk/ }).check();
  await section("Confirm").getByText(/^Done/).waitFor();
  expect(await sql`select done from public.incident_steps where incident_id = ${stalled}`).toEqual([{ done: true }]);
  await page.evaluate("for (const each of document.querySelectorAll('.answer details')) each.open = true");
  await check(opened);
});

it("an incident: the fix of a past one resolves it in one press", async () => {
  const opened = await open(`/incidents/${again}`);
  const { page } = opened;
  const past = page.getByRole("region", { name: "Seen before" });
  await past.getByText(FIX).waitFor();
  expect(await past.textContent()).toMatch(/worked once .* by eli/);
  await past.getByRole("button", { name: "Compare side by side" }).click();
  await page.getByRole("table", { name: "What it was" }).waitFor();
  await check(opened);
  await past.getByRole("button", { name: "Same as before" }).click();
  await page.getByRole("button", { name: "Reopen" }).waitFor();
  expect(await sql`select status, resolution, resolved_by from public.incidents where id = ${again}`).toEqual([
    { status: "resolved", resolution: FIX, resolved_by: "grafana" },
  ]);
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("Reopened the incident.").waitFor();
  await past.getByText(/worked once .* by eli/).waitFor();
  expect(await sql`select status, resolution from public.incidents where id = ${again}`).toEqual([
    { status: "triaged", resolution: null },
  ]);
});

it("an incident: a person mutes it, and says that the runbook and a step are not right", async () => {
  const opened = await open(`/incidents/${stalled}`);
  const { page } = opened;
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("button", { name: "This is expected" }).click();
  await page.getByLabel("Why is it expected?").fill("planned migration");
  await check(opened);
  await page.getByRole("button", { name: "Mute", exact: true }).click();
  await page.getByText("planned migration, by grafana").waitFor();
  await page.getByRole("button", { name: "End it" }).click();
  await page.getByText("planned migration, by grafana").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("button", { name: "Not right" }).click();
  const dialog = page.getByRole("dialog", { name: "What is not right?" });
  await dialog.getByRole("checkbox", { name: /^The runbook/ }).check();
  await dialog.getByLabel("Which one is right?").fill("container exited with code 137");
  await dialog.getByRole("radio", { name: /exit-137/ }).check();
  await dialog.getByRole("checkbox", { name: "A step" }).check();
  await check(opened);
  await dialog.getByRole("button", { name: "Send" }).click();
  await page.getByText("begins with that runbook").waitFor();
  expect(await sql`select rating, corrections from public.feedback`).toEqual([
    {
      rating: -1,
      corrections: [{ part: "runbook", right: "docker/exit-137-out-of-memory.md" }, { part: "step" }],
    },
  ]);
  // The next answer has no figure: the card says which failure it is, and why.
  const { incident_id: repeated } = await harness.triage(STALLED);
  await page.goto(page.url().replace(stalled, repeated));
  await page.getByText("Grafana chose this runbook for the failure.").waitFor();
  expect(await page.locator(".answer-failure").textContent()).toContain("137");
  await sql`delete from public.incidents where id = ${repeated}`;
  await sql`delete from public.feedback`;
});

it("an incident: a person acknowledges it, edits it and comments on it", async () => {
  const opened = await open(`/incidents/${stalled}`);
  const { page } = opened;
  await page.getByRole("button", { name: "Acknowledge" }).click();
  await page.locator(".answer-head").getByText("Acknowledged by grafana").waitFor();
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Edit the incident" });
  await dialog.getByLabel("Title").fill("The ledger stands still");
  await dialog.getByLabel("Owner").fill("kim");
  await check(opened);
  await dialog.getByRole("button", { name: "Save" }).click();
  await heading(page, "The ledger stands still").waitFor();
  const timeline = page.getByRole("region", { name: "Timeline" });
  await timeline.getByLabel("Comment").fill("It was the disk");
  await timeline.getByRole("button", { name: "Comment" }).click();
  await timeline.getByText("grafana commented").waitFor();
  expect(await timeline.textContent()).toMatch(/grafana acknowledged it.*edited the title.*It was the disk/);
  await page.getByRole("link", { name: "Incidents" }).first().click();
  await page.getByText("Owner: kim").waitFor();
  await sql`update public.incidents set title = ${STALLED.title}, reported_title = null, edited = '{}',
    owner = null, acknowledged_at = null, acknowledged_by = null where id = ${stalled}`;
});

it("Memory: a failure is found with its fix, and reviewed", async () => {
  const opened = await open("/memory");
  const { page } = opened;
  await page.getByText(FIX).first().waitFor();
  await check(opened);
  await page.getByRole("link", { name: KILLED.title }).click();
  await heading(page, KILLED.title).waitFor();
  await page.getByLabel("Review").selectOption("2.0");
  await page.getByText("The review is stored.").first().waitFor();
  expect(await sql`select review_score from public.observations where title = ${KILLED.title}`).toEqual([
    { review_score: 2 },
  ]);
  await check(opened);
});

it("Quality: it shows what answers were worth, and runs a job", async () => {
  const opened = await open("/quality");
  const { page } = opened;
  await page.getByText("1 judged answer: too few to judge.").waitFor();
  await page.getByRole("img", { name: /Known failure \d/ }).waitFor();
  await check(opened);
  await page.getByRole("link", { name: "System" }).click();
  await page.getByText("Everything works.").waitFor();
  await page.getByRole("button", { name: "Run now delete-expired" }).click();
  await page.getByText("delete-expired ran").waitFor();
  expect(await sql`select count(*)::int as runs from public.job_runs where job = 'delete-expired'`).toEqual([
    { runs: 1 },
  ]);
  await check(opened);
});

it("Runbooks: one is found, edited with a preview, and stored", async () => {
  const opened = await open("/runbooks");
  const { page } = opened;
  await page.getByLabel("Name or title").fill("intake");
  await page.getByRole("button", { name: "Filter" }).click();
  await page.getByRole("link", { name: "Order intake stalls" }).click();
  await heading(page, "Order intake stalls").waitFor();
  await page.getByText("Check disk").waitFor();
  await check(opened);
  await page.getByRole("link", { name: "Edit" }).click();
  const store = page.getByRole("button", { name: "Save" });
  expect(await store.isDisabled()).toBe(true);
  await page.getByLabel("Markdown").fill(`${INTAKE}\n3. Then call **the owner** at ops@shop.example.\n`);
  await page.getByRole("region", { name: "Preview" }).getByText("the owner", { exact: true }).waitFor();
  await page.getByText("holds email: it is removed").waitFor();
  await check(opened);
  await store.click();
  await page.getByText("[REDACTED_EMAIL]").waitFor();
  const stored = await harness.request("/v1/runbooks/orders/intake.md");
  expect(await stored.json()).toMatchObject({ text: expect.stringContaining("Then call **the owner** at [REDACTED") });
});

it("Domains: one is edited in rows, and loses nothing that was not changed", async () => {
  const opened = await open("/domains");
  const { page } = opened;
  await page.getByRole("link", { name: "payments", exact: true }).click();
  await page.getByText("env=prod; team=payments, billing").waitFor();
  await check(opened);
  await page.getByRole("link", { name: "Edit" }).click();
  await page.getByRole("button", { name: "Add a group of words" }).first().click();
  const words = page.getByRole("group", { name: "group of words 2" });
  await words.getByRole("textbox", { name: "Words" }).fill("chargeback, refund");
  await check(opened);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("chargeback").waitFor();
  expect(await (await harness.request("/v1/domains/payments")).json()).toMatchObject({
    definition: { ...PAYMENTS, hints: [...PAYMENTS.hints, { words: ["chargeback", "refund"], weight: 3 }] },
  });
});

it("Settings: a token is made that works, and its secret is shown once", async () => {
  const opened = await open("/settings/tokens");
  const { page } = opened;
  await page.getByRole("button", { name: "Make a token" }).click();
  const dialog = page.getByRole("dialog", { name: "Make a token" });
  await dialog.getByLabel("Name").fill("alertmanager");
  await dialog.getByRole("checkbox", { name: /^read / }).check();
  await dialog.getByLabel("Domains (optional)").fill("docker, kubernetes");
  await check(opened);
  await dialog.getByRole("button", { name: "Make it" }).click();
  const made = page.getByRole("dialog", { name: "The token alertmanager" });
  const secret = (await made.locator("pre code").textContent()) ?? "";
  expect((await harness.request("/v1/incidents", { headers: bearer(secret) })).status).toBe(200);
  await made.getByRole("button", { name: "Copy token" }).click();
  expect(await page.evaluate("navigator.clipboard.readText()")).toBe(secret);
  await made.getByRole("button", { name: "I have copied it" }).click();
  const entry = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: "alertmanager" }) });
  await entry.getByText("only docker, kubernetes").waitFor();
  expect(await page.content()).not.toContain(secret);
  await check(opened);
});
