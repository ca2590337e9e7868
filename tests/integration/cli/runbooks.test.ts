// The commands about runbooks and domains against the application.

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { createHarness, emptyStores } from "../support/harness.ts";
import { runbookFolder } from "../support/runbooks.ts";
import { listen } from "../support/servers/listen.ts";
import { createPerson } from "./support/person.ts";

const harness = createHarness();
const { services } = harness;
const server = await listen(services);
const variables = { DEJAVU_URL: server.url, DEJAVU_TOKEN: services.config.DEJAVU_TOKEN };

beforeEach(() => emptyStores(services));
afterAll(() => server[Symbol.asyncDispose]());

const DECLINES =
  "# Card payments are declined\n\nThe processor declines every charge.\n\n## Mitigate\n\n1. Switch the processor.\n";
const DOMAIN = "description: The payment services.\nlabels:\n  - match: { team: [payments] }\n";

describe("dejavu runbooks add", () => {
  it("adds a folder, reports changes on the next run, and its runbooks answer", async () => {
    await using dana = await createPerson(variables);
    await using folder = await runbookFolder({
      "payments/domain.yaml": DOMAIN,
      "payments/declines.md": DECLINES,
      "payments/night/queue.md": "---\ntags: [queue]\n---\n# The queue grows\n\nText.\n",
    });
    const added = await dana.dejavu(["runbooks", "add", folder.directory]);
    expect(added).toMatchObject({ code: 0, problems: "" });
    expect(added.out).toMatch(/^Runbooks: 1 domain defined, 2 added, 0 changed, 0 unchanged, 0 failed\.\n\nTry it/);
    expect(added.out).toContain('\n  dejavu triage "<error line>"');
    await folder.write("payments/declines.md", `${DECLINES}2. Call the bank.\n`);
    const again = await dana.dejavu(["runbooks", "add", folder.directory, "--json"]);
    expect(JSON.parse(again.out)).toEqual({
      domains: ["payments/domain.yaml"],
      added: [],
      changed: ["payments/declines.md"],
      unchanged: ["payments/night/queue.md"],
      failed: [],
      problems: [],
      skipped: [],
      removed: [],
    });
    const search = await dana.dejavu(["search", "the processor declines every charge"]);
    expect(search.out).toMatch(/\n1\. Card payments are declined/);
    expect(search.out).toMatch(/runbook payments\/declines\.md, score \d+\.\d\d: .*whole text \d/);
    const triage = await dana.dejavu(["triage", "card payments declined by processor", "--label", "team=payments"]);
    expect(triage.out).toContain("payments/declines.md");
  });

  it("continues after a bad file, and exits with 1", async () => {
    await using dana = await createPerson(variables);
    await using folder = await runbookFolder({
      "payments/a.md": "# A\n\nText.\n",
      "payments/b.md": "",
      "payments/c.md": "# C\n\nText.\n",
    });
    await folder.write("payments/e.md", "---\ntags: [a\n---\n# E\n\nText.\n");
    await mkdir(join(folder.directory, "payments/d.md"));
    const added = await dana.dejavu(["runbooks", "add", join(folder.directory, "payments")]);
    expect(added.code).toBe(1);
    expect(added.out).toContain("2 added, 0 changed, 0 unchanged, 3 failed");
    expect(added.problems).toMatch(/^payments\/b\.md: .*has no word that a search could find/m);
    expect(added.problems).toMatch(/^payments\/d\.md: is a folder/m);
    expect(added.problems).toMatch(/^payments\/e\.md: it is not valid YAML/m);
  });

  it("adds one file to a named domain, shows and removes it", async () => {
    await using dana = await createPerson(variables);
    await using folder = await runbookFolder({ "payments/declines.md": DECLINES });
    const file = join(folder.directory, "payments/declines.md");
    const unnamed = await dana.dejavu(["runbooks", "add", file]);
    expect(unnamed).toMatchObject({ code: 2, problems: expect.stringContaining("--domain <name>") });
    expect(await dana.dejavu(["runbooks", "add", file, "--domain", "shop"])).toMatchObject({ code: 0 });
    expect((await dana.dejavu(["runbooks", "list", "--domain", "shop"])).out).toContain("shop/declines.md");
    expect((await dana.dejavu(["runbooks", "show", "shop/declines.md"])).out).toBe(DECLINES);
    const removed = await dana.dejavu(["runbooks", "rm", "shop/declines.md"]);
    expect(removed).toEqual({ code: 0, out: 'Removed shop/declines.md "Card payments are declined".\n', problems: "" });
    expect(await dana.dejavu(["runbooks", "rm", "shop/declines.md"])).toMatchObject({ code: 3, out: "" });
    expect(await dana.dejavu(["runbooks", "show", "declines.md"])).toMatchObject({ code: 2, out: "" });
  });

  it("stops at once for a token that may not store runbooks", async () => {
    await using dana = await createPerson(variables);
    const created = await dana.dejavu(["tokens", "create", "--name", "ci", "--scopes", "read"]);
    const DEJAVU_TOKEN = created.out.trimEnd().split("\n").at(-1);
    await using folder = await runbookFolder({ "payments/a.md": "# A\n\nText.\n", "payments/b.md": "# B\n\nText.\n" });
    const refused = await dana.dejavu(["runbooks", "add", folder.directory], { env: { DEJAVU_TOKEN } });
    expect(refused).toMatchObject({ code: 4, out: "", problems: expect.stringContaining("ingest") });
  });

  it("refuses a domain for a folder", async () => {
    await using dana = await createPerson(variables);
    await using folder = await runbookFolder({ "payments/a.md": "# A\n\nText.\n" });
    const refused = await dana.dejavu(["runbooks", "add", folder.directory, "--domain", "a"]);
    expect(refused).toMatchObject({
      code: 2,
      out: "",
      problems: expect.stringContaining("--domain is for a single file"),
    });
  });
});

describe("dejavu domains", () => {
  it("defines, lists, shows and removes a domain", async () => {
    await using dana = await createPerson(variables);
    await using folder = await runbookFolder({ "payments/domain.yaml": DOMAIN, "bad/domain.yaml": "hint: [a]\n" });
    const file = join(folder.directory, "payments/domain.yaml");
    expect(await dana.dejavu(["domains", "add", "payments", file])).toMatchObject({ code: 0 });
    expect((await dana.dejavu(["domains", "list"])).out).toMatch(/\npayments +0 +0 +0 +The payment services\./);
    expect((await dana.dejavu(["domains", "show", "payments"])).out).toContain(
      "- match:\n      team:\n        - payments",
    );
    const bad = await dana.dejavu(["domains", "add", "bad", join(folder.directory, "bad/domain.yaml")]);
    expect(bad).toMatchObject({ code: 1, problems: expect.stringContaining('"hint"') });
    await harness.request("/v1/runbooks/payments/a.md", {
      method: "PUT",
      body: "# A\n\nText.\n",
      headers: { "content-type": "text/markdown" },
    });
    expect(await dana.dejavu(["domains", "rm", "payments"])).toMatchObject({ code: 1, out: "" });
    const unconfirmed = await dana.dejavu(["domains", "rm", "payments", "--force"]);
    expect(unconfirmed).toMatchObject({ code: 2, problems: expect.stringContaining("Nothing was changed.") });
    const removed = await dana.dejavu(["domains", "rm", "payments", "--force", "--yes"]);
    expect(removed).toMatchObject({ code: 0, out: expect.stringContaining("with 1 runbooks") });
    expect(await dana.dejavu(["domains", "show", "payments"])).toMatchObject({ code: 3 });
  });
});
