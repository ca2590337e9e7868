// The domain of a triage: which rule chooses it, and what a search then covers.

import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { seedRunbooks } from "../../../cli/seed-runbooks.ts";
import { createHarness, deleteIncidents, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";
import { runbookFolder } from "../support/runbooks.ts";

let harness = createHarness();

const RESTORE =
  "# A restore stops half way\n\nThe restore of the archive stops.\n\n## Root causes\n\n- The archive is cut off.\n";

beforeAll(async () => {
  await loadFreshRunbooks(harness.services, workerEnv);
  await using folder = await runbookFolder({
    "ledger-team/restore.md": RESTORE,
    "ledger-team/domain.yaml": "hints:\n  - words: [ledger]\n",
    "plain-team/printer.md": "# The printer is out of toner\n\nRefill it.\n",
    "wallet-team/restore.md": RESTORE,
    "wallet-team/domain.yaml":
      'description: The team of the wallet.\nlabels:\n  - match: { team: [wallet, "wallet-*"] }\nhints:\n  - words: [wallet]\n',
  });
  await seedRunbooks({ env: workerEnv, directory: folder.directory });
});
beforeEach(async () => {
  harness = createHarness();
  await deleteIncidents(harness.services);
});

const sourcesOf = ({ recalled }: Awaited<ReturnType<typeof harness.triage>>) => [
  ...new Set(recalled.runbooks.map(({ source }) => source)),
];

describe("the domain of a triage", () => {
  it.each([
    [{ title: "errors rising", labels: { source_type: "database" } }, "postgres", "label source_type=database"],
    [{ title: "errors rising", labels: { container_runtime: "Podman" } }, "podman", "label container_runtime=Podman"],
    [{ title: "errors rising", labels: { team: "wallet-eu" } }, "wallet-team", "label team=wallet-eu"],
    [{ title: "errors rising", labels: { domain: "ledger-team" } }, "ledger-team", "label domain=ledger-team"],
    [
      { title: "wallet deadlock detected", labels: { source_type: "database" } },
      "postgres",
      "label source_type=database",
    ],
    [
      { title: "errors rising", runbook_url: "https://wiki.example.com/deadlock-detected-40p01.md" },
      "postgres",
      "runbook postgres/deadlock-detected-40p01.md",
    ],
    [
      { title: "errors rising", runbook_url: "deadlock-detected-40p01", labels: { team: "wallet" } },
      "wallet-team",
      "label team=wallet",
    ],
    [{ title: "the wallet answers slowly" }, "wallet-team", 'words "wallet"'],
    [{ title: "Problems with the plain-team" }, "plain-team", 'words "plain-team"'],
    [{ title: "errors rising", logs: "psql: no answer" }, "postgres", 'words in labels or logs "psql"'],
    [{ title: "errors rising" }, "general", "undecided: no label and no word chose a domain"],
    [
      { title: "errors rising", labels: { domain: "nobody" } },
      "general",
      "undecided: no label and no word chose a domain",
    ],
  ])("of %o is %s", async (body, name, rule) => {
    expect((await harness.triage(body)).domain).toMatchObject({ name, rule });
  });

  it("is known to a new isolate whose first report it is, and is the domain of the stored incident", async () => {
    const { incident_id, domain } = await harness.triage({ title: "the wallet answers slowly" });
    expect(domain.name).toBe("wallet-team");
    const stored = await harness.request(`/v1/incidents/${incident_id}`);
    expect(await stored.json()).toMatchObject({ domain: { name: "wallet-team", rule: 'words "wallet"' } });
  });
});

describe("a search that a label limits", () => {
  it("covers only that domain while it has something relevant", async () => {
    const result = await harness.triage({
      title: "container exited with code 137",
      labels: { container_runtime: "docker" },
    });
    expect(result).toMatchObject({ outcome: "cause", domain: { name: "docker", looked_further: false } });
    expect(sourcesOf(result).every((source) => source.startsWith("docker/"))).toBe(true);
  });

  it("covers the other domains if nothing there is relevant, and says so", async () => {
    const result = await harness.triage({
      title: "deadlock detected: process waits for ShareLock, SQLSTATE 40P01",
      labels: { container_runtime: "docker" },
    });
    expect(result.domain).toMatchObject({
      name: "docker",
      rule: "label container_runtime=docker",
      looked_further: true,
    });
    expect(result).toMatchObject({ outcome: "cause" });
    expect(result.recalled.runbooks[0]).toMatchObject({
      source: "postgres/deadlock-detected-40p01.md",
      relevant: true,
    });
  });

  it("has outcome unknown if no domain has anything relevant, and says what was searched", async () => {
    const result = await harness.triage({
      title: "The coffee machine on floor 3 is broken",
      labels: { container_runtime: "docker" },
    });
    expect(result).toMatchObject({ outcome: "unknown", domain: { name: "docker", looked_further: true } });
    expect(result.answer.summary.text).toContain("in the docker domain or in any other");
  });
});

describe("words of a report", () => {
  it("prefer a domain and exclude no other", async () => {
    const ofWallet = await harness.triage({ title: "The restore of the archive stops half way in wallet" });
    expect(ofWallet.domain).toMatchObject({ name: "wallet-team", looked_further: false });
    expect(sourcesOf(ofWallet).slice(0, 2)).toEqual(["wallet-team/restore.md", "ledger-team/restore.md"]);
    expect(ofWallet.recalled.runbooks[0]?.features).toHaveProperty("domain");
    const other = ofWallet.recalled.runbooks.find(({ source }) => source === "ledger-team/restore.md");
    expect(other?.features).not.toHaveProperty("domain");
    const ofLedger = await harness.triage({ title: "The restore of the archive stops half way in ledger" });
    expect(sourcesOf(ofLedger).slice(0, 2)).toEqual(["ledger-team/restore.md", "wallet-team/restore.md"]);
  });

  it("of one technology do not hide the runbook of another that fits", async () => {
    const result = await harness.triage({
      title: "postgres container exited with code 137, out of memory, oom-killed",
    });
    expect(result).toMatchObject({ outcome: "cause", domain: { name: "postgres" } });
    expect(result.recalled.runbooks[0]?.source).toBe("docker/exit-137-out-of-memory.md");
  });
});
