// The view Runbooks: list, search, one runbook with its history and uses, and the editor.

import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { checkAccessibility, checkLooks } from "../../integration/console/support/check-page.ts";
import { serveConsole } from "../../integration/console/support/open-console.ts";
import { waitUntilLoaded } from "../../integration/console/support/view-pages.ts";
import { builtAssets } from "../../integration/support/built-assets.ts";
import { createHarness } from "../../integration/support/harness.ts";
import { INGRESS, RUNBOOK_PATH } from "../../integration/support/sources.ts";

const harness = createHarness({ ASSETS: builtAssets });
const server = await serveConsole(harness);

const PAGE = "/runbooks/kubernetes/team/ingress.md";
const CHECKED =
  "# Pool is full\n\n## Confirm\n\n1. Look at it.\n\n   ```promql {check=pool-usage}\n   max(pool_used / pool_size)\n   ```\n   - confirms: any > 0.9: the pool is nearly full\n";
const put = async (text: string, path = RUNBOOK_PATH) => {
  const response = await harness.request(path, {
    method: "PUT",
    body: text,
    headers: { "content-type": "text/markdown" },
  });
  expect(response.ok).toBe(true);
};
const storedText = async (path = RUNBOOK_PATH) => {
  const response = await harness.request(path);
  return ((await response.json()) as { text: string }).text;
};

beforeAll(async () => {
  await put(INGRESS);
  harness.clock.advance(60_000);
  await put(`${INGRESS}2. Scale the service.\n`);
  await put("# Disk is full\n\nText.\n", "/v1/runbooks/host/disk.md");
  await harness.triage({ title: "Ingress answers 502, the controller finds no endpoint", target: "edge" });
});

const heading = (page: Page, name: string | RegExp) => page.getByRole("heading", { level: 1, name });

describe("the list of runbooks", () => {
  it("shows all of them, and filters by a text in the address", async () => {
    const { page, messages } = await server.open("/runbooks");
    await page.getByRole("link", { name: "Ingress answers 502" }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("disk");
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "Ingress answers 502" }).waitFor({ state: "detached" });
    expect(page.url()).toContain("text=disk");
    await page.getByRole("link", { name: "Disk is full" }).waitFor();
    await page.getByLabel("Name or title").fill("nothing of this name");
    await page.getByRole("button", { name: "Filter" }).click();
    await page.getByText("No runbook has this in its name or title.").waitFor();
    expect(messages).toEqual([]);
  });

  it("is read by keyboard alone", async () => {
    const { page } = await server.open("/runbooks?text=ingress");
    await page.getByRole("link", { name: "Ingress answers 502" }).waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await heading(page, "Ingress answers 502").waitFor();
    await page.keyboard.press("e");
    await page.getByLabel("Markdown").waitFor();
  });
});

describe("the search", () => {
  it("shows the parts of each score", async () => {
    const { page } = await server.open("/runbooks?view=search");
    await page.getByLabel("What failed").fill("ingress 502 no endpoint");
    await page.getByRole("button", { name: "Search" }).click();
    const hit = page.getByRole("listitem").filter({ hasText: "Ingress answers 502" }).first();
    await hit.getByText(/^Score \d/).click();
    await hit.getByRole("rowheader", { name: "Title", exact: true }).waitFor();
    await checkAccessibility(page);
  });
});

describe("a runbook", () => {
  it("shows its evidence checks as such", async () => {
    await put(CHECKED, "/v1/runbooks/postgres/pool.md");
    const { page } = await server.open("/runbooks/postgres/pool.md");
    await page.getByText("Check pool-usage").waitFor();
    await page.getByText("max(pool_used / pool_size)").waitFor();
    await checkAccessibility(page);
  });

  it("shows what changed, and restores a version", async () => {
    await put("# Restored\n\nFirst.\n", "/v1/runbooks/docker/restored.md");
    await put("# Restored\n\nSecond.\n", "/v1/runbooks/docker/restored.md");
    const { page } = await server.open("/runbooks/docker/restored.md?part=history");
    await page.getByRole("button", { name: "Show the change" }).click();
    await page.getByText("added: Second.").waitFor();
    await page.getByText("removed: First.").waitFor();
    await page.getByRole("button", { name: "Show the change" }).click();
    await page.getByRole("button", { name: "Show", exact: true }).click();
    await page.getByRole("button", { name: "Restore this version" }).click();
    await page.getByText("Version 3").waitFor();
    expect(await storedText("/v1/runbooks/docker/restored.md")).toContain("First.");
  });

  it("names the incidents that it answered", async () => {
    const { page } = await server.open(`${PAGE}?part=uses`);
    await page.getByText("Answered 1 incident", { exact: true }).waitFor();
    await page.getByRole("link", { name: /Ingress answers 502, the controller/ }).waitFor();
  });

  it("is deleted after a question", async () => {
    await put("# Old\n\nText.\n", "/v1/runbooks/docker/old.md");
    const { page } = await server.open("/runbooks/docker/old.md?part=edit");
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Delete it" }).click();
    await heading(page, "Runbooks").waitFor();
    expect((await harness.request("/v1/runbooks/docker/old.md")).status).toBe(404);
  });

  it("says that there is none of the name", async () => {
    const { page } = await server.open("/runbooks/docker/gone.md");
    await page.getByText("No runbook of this domain has this name.").waitFor();
  });
});

describe("the editor", () => {
  it("names the sections that a text has not", async () => {
    const { page } = await server.open(`${PAGE}?part=edit`);
    await page.getByLabel("Markdown").fill("# Edited\n\nText.\n");
    await page.getByText("No section such as “Confirm”").waitFor();
  });

  it("lists the failures that a text is about", async () => {
    const { page } = await server.open(`${PAGE}?part=edit`);
    const text =
      "# Edge\n\nContents.\n\n## Disk full\n\n### Fix\n\n1. Wait.\n\n## Port in use\n\n### Fix\n\n1. Stop it.\n";
    await page.getByLabel("Markdown").fill(text);
    await page.getByText("Several failures: 2 topics").waitFor();
    await page.getByText("Disk full #disk-full: Mitigate; missing: Symptoms, Root causes, Confirm.").waitFor();
    await page.getByText("The opening: overview only.").waitFor();
    await page.getByLabel("Markdown").fill("# Edited\n\nText.\n");
    await page.getByText("One failure: Edited").waitFor();
  });

  it("does not overwrite a change of somebody else", async () => {
    await put("# Shared\n\nText.\n", "/v1/runbooks/docker/shared.md");
    const { page } = await server.open("/runbooks/docker/shared.md?part=edit");
    await page.getByLabel("Markdown").fill("# Shared\n\nOurs.\n");
    await put("# Shared\n\nTheirs.\n", "/v1/runbooks/docker/shared.md");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Somebody else changed this runbook meanwhile").waitFor();
    expect(await storedText("/v1/runbooks/docker/shared.md")).toContain("Theirs.");
    expect(await page.getByLabel("Markdown").inputValue()).toContain("Ours.");
    await page.getByRole("button", { name: "Discard my text and take the stored one" }).click();
    await expect.poll(() => page.getByLabel("Markdown").inputValue()).toContain("Theirs.");
  });

  it("asks before unsaved changes are left, and keeps them", async () => {
    const { page } = await server.open(`${PAGE}?part=edit`);
    await page.getByLabel("Markdown").fill("# Changed\n\nUnsaved.\n");
    await page.getByRole("link", { name: "Memory" }).click();
    const dialog = page.getByRole("dialog", { name: "Leave with unsaved changes?" });
    await dialog.getByRole("button", { name: "Stay" }).click();
    expect(await page.getByLabel("Markdown").inputValue()).toContain("Unsaved.");
    await page.getByRole("link", { name: "Memory" }).click();
    await dialog.getByRole("button", { name: "Leave and keep them" }).click();
    await heading(page, "Memory").waitFor();
    await page.goBack();
    await page.getByText("These are your changes from before").waitFor();
    expect(await page.getByLabel("Markdown").inputValue()).toContain("Unsaved.");
    await page.getByRole("button", { name: "Discard changes" }).click();
    expect(await page.getByLabel("Markdown").inputValue()).toContain("The controller finds no endpoint.");
  });

  it("creates a runbook from the template, which answers the next alert", async () => {
    const { page } = await server.open("/runbooks/new");
    const domain = page.getByRole("combobox", { name: "Domain" });
    expect(await page.getByLabel("Markdown").inputValue()).toContain("## Root causes");
    await page.getByLabel("Markdown").fill("# Kubernetes pod is OOMKilled\n");
    await page.getByText("Proposed: a report of this title would go there.").waitFor();
    expect(await domain.inputValue()).toBe("kubernetes");
    await domain.fill("billing");
    await page
      .getByLabel("Markdown")
      .fill(
        "# Invoices are not sent\n\n## Symptoms\n\nERROR invoice mailer queue is stuck\n\n## Mitigate\n\n1. Restart the mailer.\n",
      );
    await page.getByRole("button", { name: "Save" }).click();
    await heading(page, "Invoices are not sent").waitFor();
    const { sources } = await harness.triage({ title: "ERROR invoice mailer queue is stuck" });
    expect(sources).toMatchObject([{ source: "billing/invoices-are-not-sent.md" }, {}]);
  });

  it("replaces no runbook of the name", async () => {
    const { page } = await server.open("/runbooks/new?domain=kubernetes");
    await page.getByLabel("Name", { exact: true }).fill("team/ingress.md");
    await page.getByLabel("Markdown").fill("# Another\n\nText.\n");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("A text has this name already.").waitFor();
    expect(await storedText()).toContain("Scale the service.");
  });

  it("begins with a draft of another view", async () => {
    const draft = { domain: "queue", source: "stuck.md", markdown: "# Queue is stuck\n\nDrafted.\n" };
    const { page } = await server.open("/runbooks/new", {
      script: `sessionStorage.setItem("dejavu.draft", ${JSON.stringify(JSON.stringify(draft))})`,
    });
    await expect.poll(() => page.getByLabel("Markdown").inputValue()).toBe(draft.markdown);
    expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("stuck.md");
    expect(await page.getByRole("combobox", { name: "Domain" }).inputValue()).toBe("queue");
  });
});

it.each([
  "/runbooks",
  "/runbooks?view=search&text=ingress",
  PAGE,
  `${PAGE}?part=edit`,
  `${PAGE}?part=history`,
  `${PAGE}?part=uses`,
])("%s is accessible and no wider than the window in each look", async (path) => {
  const { page } = await server.open(path);
  await waitUntilLoaded(page);
  await checkLooks(page);
});
