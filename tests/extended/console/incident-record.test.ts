// The lower half of an incident: what was seen before, the comparison, the timeline, and what people do.

import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { checkAccessibility, checkLooks } from "../../integration/console/support/check-page.ts";
import { type OpenOptions, serveConsole } from "../../integration/console/support/open-console.ts";
import { builtAssets } from "../../integration/support/built-assets.ts";
import { createHarness, sql, workerEnv } from "../../integration/support/harness.ts";
import { loadFreshRunbooks } from "../../integration/support/inventory.ts";

const OOM_LINE = "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory";
const OOM = {
  title: "api-gateway container exited with code 137",
  target: "api-gateway",
  labels: { domain: "docker", region: "eu-1" },
  logs: `03:00:01 ${OOM_LINE}\n03:00:02 exiting`,
};
const FIX = "Raised the memory limit to 1 GiB.";

const harness = createHarness({ ASSETS: builtAssets });
const server = await serveConsole(harness);

let past: string;
beforeAll(async () => {
  await loadFreshRunbooks(harness.services, workerEnv);
  past = (await harness.triage({ ...OOM, target: "cart", labels: { domain: "docker", region: "us-1" } })).incident_id;
  await harness.post(`/v1/incidents/${past}/resolve`, {
    resolution: FIX,
    resolved_by: "eli",
    did_not_help: ["Restarted the container."],
  });
  harness.clock.advance(12 * 86_400_000);
});

async function openIncident(options: OpenOptions = {}, report: object = OOM): Promise<{ id: string; page: Page }> {
  harness.clock.advance(60_000);
  const { incident_id: id } = await harness.triage(report);
  const { page } = await server.open(`/incidents/${id}`, options);
  await page.getByRole("heading", { name: "Timeline" }).waitFor();
  return { id, page };
}

const stored = async (id: string) =>
  (await sql`select status, resolution, resolved_by, domain, domain_rule from public.incidents where id = ${id}`)[0];

describe("the record of an incident", () => {
  it("shows the fix of a past incident with its proof and what did not help", async () => {
    const { page } = await openIncident();
    const section = page.getByRole("region", { name: "Seen before" });
    await section.getByText(FIX).waitFor();
    expect(await section.textContent()).toMatch(/worked once 12 days ago by eli/);
    expect(await section.textContent()).toContain("did not help Restarted the container");
  });

  it("compares both side by side, what differs first, in each look", async () => {
    const { page } = await openIncident();
    await page.getByRole("button", { name: "Compare side by side" }).first().click();
    const facts = page.getByRole("table", { name: "What it was" });
    await facts.waitFor();
    expect(await facts.getByRole("row").nth(1).textContent()).toBe("service differsapi-gatewaycart");
    expect(await page.getByRole("table", { name: "Labels" }).getByRole("row").nth(1).textContent()).toContain(
      "eu-1us-1",
    );
    expect(await page.getByRole("table", { name: "Error lines" }).textContent()).toContain(OOM_LINE);
    expect(await page.getByRole("link", { name: "Open the past incident" }).getAttribute("href")).toContain(past);
    await checkLooks(page);
  });

  it("resolves by the keyboard alone, and needs a text that helps", async () => {
    const { id, page } = await openIncident();
    await page.keyboard.press("r");
    const dialog = page.getByRole("dialog", { name: "Resolve the incident" });
    await dialog.getByRole("button", { name: "Resolve" }).press("Enter");
    await dialog.getByText("Choose what fixed it").waitFor();
    await dialog.getByRole("radio", { name: "Something else" }).press("Space");
    await dialog.getByRole("textbox", { name: "The fix" }).focus();
    await page.keyboard.type("Restart");
    await page.keyboard.press("Tab");
    await dialog.getByRole("button", { name: "Resolve" }).press("Enter");
    await dialog.getByText("at least 10 characters").waitFor();
    await checkAccessibility(page);
    await dialog.getByRole("textbox", { name: "The fix" }).fill("Moved the job to a larger host.");
    await dialog.getByRole("button", { name: "Resolve" }).press("Enter");
    await dialog.waitFor({ state: "detached" });
    await page.getByText("Moved the job to a larger host.").first().waitFor();
    expect(await stored(id)).toMatchObject({ status: "resolved", resolution: "Moved the job to a larger host." });
  });

  it("offers to add the fix to the runbook that lacks it, and stores the shown change", async () => {
    const { id, page } = await openIncident({ scopes: ["read", "feedback", "ingest"] });
    await harness.post(`/v1/incidents/${id}/resolve`, { resolution: "Moved the nightly export to another host." });
    await page.reload();
    await page.getByRole("button", { name: "Add it to the runbook" }).click();
    const dialog = page.getByRole("dialog", { name: /^Add the fix to/ });
    await dialog.getByRole("listitem").filter({ hasText: "Moved the nightly export to another host." }).waitFor();
    await dialog.getByLabel("The step").fill("Move the nightly export to another host.");
    await checkAccessibility(page);
    await dialog.getByRole("button", { name: "Save the runbook" }).click();
    await page.getByRole("button", { name: "Add it to the runbook" }).waitFor({ state: "detached" });
    const stored = await harness.request("/v1/runbooks/docker/exit-137-out-of-memory.md");
    expect(await stored.text()).toContain("Move the nightly export to another host.");
  });

  it("reopens a resolved incident, and shows both in the timeline", async () => {
    const { id, page } = await openIncident();
    await harness.post(`/v1/incidents/${id}/resolve`, { resolution: "Rolled back the release." });
    await page.reload();
    await page.getByRole("button", { name: "Reopen" }).click();
    const dialog = page.getByRole("dialog", { name: "Reopen the incident" });
    await dialog.getByRole("textbox", { name: "Why?" }).fill("Killed again at 04:10.");
    await dialog.getByRole("button", { name: "Reopen" }).click();
    const timeline = page.getByRole("region", { name: "Timeline" });
    await timeline.getByText("Killed again at 04:10.").waitFor();
    expect(await timeline.textContent()).toContain("Reopened by grafana");
    expect(await stored(id)).toMatchObject({ status: "triaged", resolution: null });
  });

  it("records the fix of an incident that ended by itself", async () => {
    const { id, page } = await openIncident({}, { title: "backup-1: no space left on device", target: "backup-1" });
    await sql`update public.incidents set status = 'resolved', resolved_at = now() where id = ${id}`;
    await page.reload();
    await page.getByRole("button", { name: "Reopen" }).waitFor();
    await page.keyboard.press("r");
    const dialog = page.getByRole("dialog", { name: "Record what fixed it" });
    await dialog.getByRole("textbox", { name: "What fixed it?" }).fill("The rotation deleted the old backups.");
    await dialog.getByRole("button", { name: "Record" }).click();
    await page.getByText("The rotation deleted the old backups.").first().waitFor();
    expect(await stored(id)).toMatchObject({ status: "resolved", resolution: "The rotation deleted the old backups." });
    expect(await page.getByRole("button", { name: "Record the fix" }).count()).toBe(0);
  });

  it("downloads the draft of a postmortem, also for a reader", async () => {
    const { id, page } = await openIncident({ scopes: ["read"] });
    const started = page.waitForEvent("download");
    await page.getByRole("button", { name: "Postmortem" }).click();
    const download = await started;
    expect(download.suggestedFilename()).toBe(`postmortem-${id.slice(0, 8)}.md`);
    expect(readFileSync(await download.path(), "utf8")).toContain("# Postmortem: api-gateway container exited");
  });

  it("corrects the domain", async () => {
    const { id, page } = await openIncident();
    await page.getByRole("button", { name: "Not right" }).click();
    const dialog = page.getByRole("dialog", { name: "What is not right?" });
    await dialog.getByRole("button", { name: "Send" }).click();
    await dialog.getByText("Choose what is not right").waitFor();
    await dialog.getByRole("checkbox", { name: "The domain, docker" }).check();
    await dialog.getByRole("combobox", { name: "The right domain" }).selectOption("kubernetes");
    await dialog.getByRole("button", { name: "Send" }).click();
    await page.getByText("grafana corrected the domain from docker to kubernetes").waitFor();
    expect(await stored(id)).toMatchObject({ domain: "kubernetes", domain_rule: "corrected by grafana" });
  });

  it("rates the answer by u and d", async () => {
    const { id, page } = await openIncident();
    const ratings =
      () => sql`select f.rating, f.comment from public.feedback f join public.triages t on t.id = f.triage_id
      where t.incident_id = ${id}`;
    await page.keyboard.press("u");
    await page.getByText("The rating is stored.").waitFor();
    expect(await ratings()).toMatchObject([{ rating: 1 }]);
    await page.keyboard.press("d");
    const dialog = page.getByRole("dialog", { name: "What is not right?" });
    await dialog.getByRole("textbox", { name: "Something else?" }).fill("The disk was full.");
    await dialog.getByRole("button", { name: "Send" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await ratings()).toMatchObject([{ rating: -1, comment: "The disk was full." }]);
    // A rating down retires the fix, which other tests apply again.
    await page.keyboard.press("u");
    await expect.poll(ratings).toMatchObject([{ rating: 1 }]);
  });

  it("offers no Undo for a fix that waits for the database, and says so of an Undo that waits", async () => {
    const { page } = await openIncident();
    const accepted = (path: string) =>
      page.route(`**/v1/incidents/*/${path}`, (route) =>
        route.fulfill({ status: 202, json: { persisted: "pending" } }),
      );
    const waits = page.getByText("It is stored when the database is available again.");
    const asBefore = page.getByRole("group", { name: "Actions" }).getByRole("button", { name: "Same as before" });
    await accepted("resolve");
    await asBefore.click();
    await waits.waitFor();
    expect(await page.getByRole("button", { name: "Undo" }).count()).toBe(0);
    await page.unroute("**/v1/incidents/*/resolve");
    await asBefore.click();
    await accepted("reopen");
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => waits.count()).toBe(2);
    expect(await page.getByText("Reopened the incident.").count()).toBe(0);
  });

  it("asks in the session of the incident", async () => {
    const { id, page } = await openIncident();
    const ask = page.getByRole("region", { name: "Ask about this incident" });
    await ask.getByRole("textbox", { name: "Your question" }).fill("What did we find?");
    await page.keyboard.press("Enter");
    await ask.getByRole("link", { name: "Open the whole answer" }).waitFor();
    const sessions = await sql`select distinct session_id from public.incidents
      where id = ${id} or question = 'What did we find?' and created_at >= (select created_at from public.incidents where id = ${id})`;
    expect(sessions).toHaveLength(1);
  });

  it("shows why a change failed, even to a person who wants to leave, and keeps what was typed", async () => {
    const pressed = Promise.withResolvers<void>();
    const { page } = await openIncident({
      prepare: async (page) => {
        await page.route("**/resolve", async (route) => {
          await pressed.promise;
          await route.fulfill({
            status: 503,
            contentType: "application/problem+json",
            body: JSON.stringify({
              type: "t",
              title: "A dependency is unavailable",
              status: 503,
              detail: "The database is unavailable.",
              request_id: "r-1",
            }),
          });
        });
      },
    });
    await page.keyboard.press("r");
    const dialog = page.getByRole("dialog", { name: "Resolve the incident" });
    await dialog.getByRole("radio", { name: "Something else" }).check();
    await dialog.getByRole("textbox").first().fill("Moved the job to a larger host.");
    await dialog.getByRole("button", { name: "Resolve" }).click();
    await page.keyboard.press("Escape");
    pressed.resolve();
    await dialog.getByText("The database is unavailable.").waitFor();
    expect(await dialog.getByRole("textbox").first().inputValue()).toBe("Moved the job to a larger host.");
  });
});
