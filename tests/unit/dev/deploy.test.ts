// The pure parts of `npm run deploy`.

import { parseEnv } from "node:util";
import { describe, expect, it } from "vitest";
import { requestsOf } from "../../../cli/built-in-runbooks.ts";
import { projectOf, readPendingMigrations } from "../../../dev/deploy/run/database.ts";
import { readTargets } from "../../../dev/deploy/run/versions.ts";
import { CONNECTION_SETTINGS, withSettings } from "../../../dev/deploy/settings-file.ts";
import packageJson from "../../../package.json" with { type: "json" };
import { readPage } from "../../support/markdown-pages.ts";

describe("the file of the settings", () => {
  it("keeps other lines and comments, replaces changed values, and reads back what was written", () => {
    const text = "# Mine\nexport DEJAVU_TOKEN=old\nRETENTION_DAYS=30 # a month\n\n";
    const values = { DEJAVU_TOKEN: "new", SUPABASE_URL: "https://a.supabase.co", OTLP_HEADERS: `a=b c,d='e'#"f"` };
    const changed = withSettings(text, values);
    expect(changed).toMatch(/^# Mine\nRETENTION_DAYS=30 # a month\n/);
    expect(parseEnv(changed)).toEqual({ RETENTION_DAYS: "30", ...values });
    expect(withSettings(changed, values)).toBe(changed);
  });

  it("refuses a value that no quotation marks can hold", () => {
    expect(() => withSettings("", { A: "'\"`" })).toThrow(/cannot be stored/);
  });
});

describe("the project of an address", () => {
  it.each([
    ["https://abcdefghijklmnopqrst.supabase.co", "abcdefghijklmnopqrst"],
    ["postgresql://postgres:p@db.abcdefghijklmnopqrst.supabase.co:5432/postgres", "abcdefghijklmnopqrst"],
    ["postgresql://postgres.abcdefghijklmnopqrst:p@aws-0-eu.pooler.supabase.com:5432/postgres", "abcdefghijklmnopqrst"],
    ["postgresql://postgres:p@127.0.0.1:5432/postgres", undefined],
    ["no address", undefined],
  ])("%s", (address, project) => {
    expect(projectOf(address)).toBe(project);
  });
});

it("a connection string with a raw % in its password is a problem that says how to mend it", async () => {
  expect(await readPendingMigrations("postgresql://postgres:a%zz@127.0.0.1:1/postgres", 1_000)).toMatchObject({
    ok: false,
    finding: { mend: "Percent-encode the password: % is %25, @ is %40." },
  });
});

it("runbooks are sent in requests of a bounded size, the definition with the first", () => {
  const runbook = (name: string) => ({
    source: `docker/${name}.md`,
    markdown: "x".repeat(30_000),
    metadata: { incident_type: "disk_full", tags: "a,b" },
  });
  const definition = { description: "", labels: [] } as never;
  const requests = requestsOf({ name: "docker", definition, runbooks: [runbook("a"), runbook("b")] });
  expect(requests).toMatchObject([
    { domain: "docker", definition, runbooks: [{ path: "a.md", incident_type: "disk_full", tags: ["a", "b"] }] },
    { domain: "docker", runbooks: [{ path: "b.md" }] },
  ]);
  expect(requests[1]).not.toHaveProperty("definition");
  expect(requestsOf({ name: "general", definition: null, runbooks: [] })).toEqual([
    { domain: "general", runbooks: [] },
  ]);
});

it("addresses are those that wrangler names, without crons, queues and patterns", () => {
  const targets = ["https://dejavu.example.workers.dev", "schedule: */2 * * * *", "Producer for dejavu-outbox"];
  const custom = ["dejavu.example.com (custom domain)", "example.com/* (zone name: example.com)"];
  const lines = [{ type: "wrangler-session" }, { type: "deploy", targets: [...targets, ...custom] }];
  expect(readTargets(lines.map((line) => JSON.stringify(line)).join("\n"))).toEqual([
    "https://dejavu.example.workers.dev",
    "https://dejavu.example.com",
    "https://example.com",
  ]);
});

it("a Deploy button asks for the settings of a connection, and describes each", () => {
  const example = Object.keys(parseEnv(readPage(".dev.vars.example").text));
  expect(example.toSorted()).toEqual(CONNECTION_SETTINGS.toSorted());
  expect(Object.keys(packageJson.cloudflare.bindings).toSorted()).toEqual(example.toSorted());
});
