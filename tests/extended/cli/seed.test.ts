// `npm run dejavu -- seed`, and how `npm start` updates the built-in runbooks.

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { findMissing, loadRunbooks, type RunbookFolder, removeRunbooks } from "../../../cli/seed-runbooks.ts";
import { runDejavu } from "../../integration/cli/support/run-dejavu.ts";
import { sendJson, sendText } from "../../integration/support/api.ts";
import { createHarness, emptyStores, sql, workerEnv } from "../../integration/support/harness.ts";
import { runbookFolder } from "../../integration/support/runbooks.ts";

const harness = createHarness();
const OWN = { "docker/own.md": "# Own\n\nText.\n", "docker/shared.md": "# Shared, as we have it\n\nText.\n" };

const CLAIM = "labels:\n  - match: { job: [redis] }\n";

beforeEach(() => emptyStores(harness.services));

/** Origin of the definition of each domain. */
async function domainRows() {
  const rows = await sql`select name, origin from public.domains order by name`;
  return Object.fromEntries(rows.map(({ name, origin }) => [name, origin]));
}

/** Runs the command without a terminal, so that it cannot ask. */
const seedCommand = (...args: readonly string[]) => runDejavu(["seed", ...args], workerEnv);

function builtIn(...names: readonly string[]): RunbookFolder {
  const docker = names.map((name) => ({
    source: `docker/${name}.md`,
    markdown: `# ${name}, as it ships\n\nText.\n`,
    metadata: {},
  }));
  return { origin: "built_in", domains: [{ name: "docker", definition: null, runbooks: docker }], problems: [] };
}

/** What `npm start` does with them. */
async function start(folder: RunbookFolder) {
  const report = await loadRunbooks(folder, { env: workerEnv });
  await removeRunbooks(await findMissing(folder, workerEnv), workerEnv);
  return report;
}

/** Title and origin of each runbook on record, and whether both stores hold its chunks. */
async function onRecord() {
  const rows = await sql`select s.source, s.origin, s.title, s.chunks from public.sources s order by s.source`;
  const indexed = await harness.services.vectors.find("runbooks", { limit: 100 });
  const count = (source: string) => indexed.filter(({ metadata }) => metadata.source === source).length;
  return Object.fromEntries(
    rows.map(({ source, origin, title, chunks }) => [
      source,
      `${origin}: ${title}${count(source) === chunks ? "" : " (not in the index)"}`,
    ]),
  );
}

describe("npm run dejavu -- seed", () => {
  it("fails and changes nothing for a folder that is missing, empty or wrong", async () => {
    await loadRunbooks(builtIn("a"), { env: workerEnv });
    await using empty = await runbookFolder({});
    await using misspelt = await runbookFolder({ "redis/a.md": "# A\n", "redis/domain.yaml": "hint: [redis]\n" });
    await using slow = await runbookFolder({
      "docker/b.md": "# B\n",
      "redis/a.md": "# A\n",
      "redis/domain.yaml": "hints:\n  - pattern: (a+)+b\n",
    });
    await using conflicting = await runbookFolder({
      "docker/b.md": "# B\n",
      "redis/domain.yaml": CLAIM,
      "valkey/domain.yaml": CLAIM,
    });
    await mkdir(join(empty.directory, "docker"));
    for (const [args, fault] of [
      [["/nope"], "/nope does not exist."],
      [["/nope", "--prune", "--yes"], "/nope does not exist."],
      [[empty.directory, "--prune", "--yes"], "holds no runbooks"],
      [[misspelt.directory, "--prune", "--yes"], "redis/domain.yaml is not valid"],
      [[slow.directory], "hints.0.pattern"],
      [[conflicting.directory], "Two domains claim one label; nothing was stored"],
    ] as const) {
      const { code, out, problems } = await seedCommand(...args);
      expect({ code, out }).toEqual({ code: 1, out: "" });
      expect(problems).toContain(fault);
    }
    expect(await onRecord()).toEqual({ "docker/a.md": "built_in: a, as it ships" });
    expect(await domainRows()).toEqual({ docker: null, general: null });
  });

  it("stores nothing when a domain claims a label of a stored one", async () => {
    await using redis = await runbookFolder({ "redis/domain.yaml": CLAIM, "redis/a.md": "# A\n\nText.\n" });
    await using valkey = await runbookFolder({ "valkey/domain.yaml": CLAIM, "valkey/a.md": "# A\n\nText.\n" });
    expect(await seedCommand(redis.directory)).toMatchObject({ code: 0 });
    const refused = await seedCommand(valkey.directory);
    expect(refused).toMatchObject({ code: 1, problems: expect.stringContaining("valkey: labels.0.match") });
    expect(refused.problems).toContain("job=redis");
    expect(await domainRows()).toEqual({ general: null, redis: "folder" });
    expect(Object.keys(await onRecord())).toEqual(["redis/a.md"]);
  });

  it("loads a folder that is one domain under the folder's name", async () => {
    await using parent = await runbookFolder({
      "checkout-team/payments.md": "# Payments are late\n\nText.\n",
      "checkout-team/night/queue.md": "# The queue grows\n\nText.\n",
      "checkout-team/domain.yaml": "description: The checkout team.\nlabels:\n  - match: { team: [checkout] }\n",
    });
    const seed = () => seedCommand(join(parent.directory, "checkout-team"));
    expect(await seed()).toMatchObject({
      code: 0,
      out: expect.stringContaining("2 runbooks, chunks: 2 new or changed"),
    });
    expect(await onRecord()).toEqual({
      "checkout-team/night/queue.md": "folder: The queue grows",
      "checkout-team/payments.md": "folder: Payments are late",
    });
    const routed = await createHarness().triage({ title: "payments are late", labels: { team: "checkout" } });
    expect(routed.domain).toMatchObject({ name: "checkout-team", rule: "label team=checkout" });
    expect(await seed()).toMatchObject({ code: 0, out: expect.stringContaining("all up to date") });
  });

  it("loads each folder of a folder as a domain, and updates a definition that changed", async () => {
    await using folder = await runbookFolder({
      "redis/domain.yaml": CLAIM,
      "redis/a.md": "# Redis is full\n\nText.\n",
      "plain/b.md": "# Plain\n\nText.\n",
    });
    expect(await seedCommand(folder.directory)).toMatchObject({ code: 0 });
    expect(await domainRows()).toEqual({ general: null, plain: null, redis: "folder" });
    const domainOf = async (labels: Record<string, string>) =>
      (await createHarness().triage({ title: "errors rising", labels })).domain.name;
    expect([await domainOf({ job: "redis" }), await domainOf({ job: "cache" })]).toEqual(["redis", "general"]);
    await folder.write("redis/domain.yaml", CLAIM.replace("[redis]", "[cache]"));
    expect(await seedCommand(folder.directory)).toMatchObject({ code: 0 });
    // The value of a label is a word of the report.
    expect([await domainOf({ job: "other" }), await domainOf({ job: "cache" })]).toEqual(["general", "redis"]);
  });

  it("keeps a definition that the API stored, and says so", async () => {
    const put = await sendJson(harness, "PUT", "/v1/domains/redis", { description: "As the API has it." });
    expect(put.status).toBe(201);
    await using folder = await runbookFolder({ "redis/domain.yaml": CLAIM, "redis/a.md": "# A\n\nText.\n" });
    expect(await seedCommand(folder.directory)).toMatchObject({
      code: 0,
      out: expect.stringContaining("left the definition of redis"),
    });
    expect(await domainRows()).toEqual({ general: null, redis: "api" });
  });

  it("adds and updates the runbooks of the folder and changes no others", async () => {
    await loadRunbooks(builtIn("a", "shared"), { env: workerEnv });
    await sendText(harness, "/v1/runbooks/docker/api.md", "# From the API\n\nText.");
    await using folder = await runbookFolder(OWN);
    await using another = await runbookFolder({ "docker/another.md": "# Another\n\nText.\n" });
    expect(await seedCommand(folder.directory)).toMatchObject({ code: 0 });
    expect(await seedCommand(another.directory)).toMatchObject({ code: 0 });
    await folder.write("docker/own.md", "# Own, changed\n\nText.\n");
    await folder.remove("docker/shared.md");
    expect(await seedCommand(folder.directory)).toMatchObject({ code: 0 });
    expect(await onRecord()).toEqual({
      "docker/a.md": "built_in: a, as it ships",
      "docker/another.md": "folder: Another",
      "docker/api.md": "api: From the API",
      "docker/own.md": "folder: Own, changed",
      "docker/shared.md": "folder: Shared, as we have it",
    });
  });

  it("removes runbooks only with --prune, lists them, and needs --yes without a terminal", async () => {
    await loadRunbooks(builtIn("a"), { env: workerEnv });
    await sendText(harness, "/v1/runbooks/docker/api.md", "# From the API\n\nText.");
    await using folder = await runbookFolder(OWN);
    await seedCommand(folder.directory);
    await folder.remove("docker/shared.md");
    await folder.write("docker/new.md", "# New\n\nText.\n");
    const before = await onRecord();

    const refused = await seedCommand(folder.directory, "--prune");
    expect(refused).toMatchObject({ code: 2, out: expect.stringContaining("removed (1):\n  docker/shared.md\n") });
    expect(refused.problems).toContain("Nothing was changed. Remove them? Add --yes");
    expect(await onRecord()).toEqual(before);

    const pruned = await seedCommand(folder.directory, "--prune", "--yes");
    expect(pruned).toMatchObject({ code: 0, out: expect.stringContaining("Removed 1 runbook.") });
    expect(await onRecord()).toEqual({
      "docker/a.md": "built_in: a, as it ships",
      "docker/api.md": "api: From the API",
      "docker/new.md": "folder: New",
      "docker/own.md": "folder: Own",
    });
    expect((await seedCommand(folder.directory, "--prune")).code).toBe(0);
  });

  it("removes runbooks only of the domains that the folder holds", async () => {
    await using other = await runbookFolder({ "payments/declines.md": "# Declines\n\nText.\n" });
    await seedCommand(other.directory);
    await using folder = await runbookFolder(OWN);
    await seedCommand(folder.directory, "--prune", "--yes");
    expect(Object.keys(await onRecord())).toEqual(["docker/own.md", "docker/shared.md", "payments/declines.md"]);
  });

  it("rejects an unknown option", async () => {
    expect(await seedCommand("--force")).toMatchObject({ code: 2, problems: expect.stringContaining("--force") });
  });
});

describe("npm start", () => {
  it("updates and removes built-in runbooks, and changes no others", async () => {
    await sendText(harness, "/v1/runbooks/docker/api.md", "# From the API\n\nText.");
    await start(builtIn("a", "b"));
    await using folder = await runbookFolder(OWN);
    await seedCommand(folder.directory);
    const report = await start(builtIn("b", "shared", "api", "c"));
    expect(report.skipped).toEqual([
      { source: "docker/api.md", origin: "api" },
      { source: "docker/shared.md", origin: "folder" },
    ]);
    expect(await onRecord()).toEqual({
      "docker/api.md": "api: From the API",
      "docker/b.md": "built_in: b, as it ships",
      "docker/c.md": "built_in: c, as it ships",
      "docker/own.md": "folder: Own",
      "docker/shared.md": "folder: Shared, as we have it",
    });
  });

  it("restores a built-in runbook after the user's runbook of that name was removed", async () => {
    await using folder = await runbookFolder(OWN);
    await seedCommand(folder.directory);
    await start(builtIn("shared"));
    await harness.request("/v1/runbooks/docker/shared.md", { method: "DELETE" });
    await start(builtIn("shared"));
    expect(await onRecord()).toMatchObject({ "docker/shared.md": "built_in: shared, as it ships" });
  });

  it("does not remove a runbook whose origin changed after it was listed", async () => {
    await start(builtIn("shared"));
    const missing = await findMissing(builtIn("a"), workerEnv);
    await using folder = await runbookFolder(OWN);
    await seedCommand(folder.directory);
    await removeRunbooks(missing, workerEnv);
    expect(await onRecord()).toMatchObject({ "docker/shared.md": "folder: Shared, as we have it" });
  });
});
