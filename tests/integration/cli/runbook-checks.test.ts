// Evidence checks in runbooks: problems when runbooks are stored, and `dejavu runbooks check --run` against a real PostgreSQL.

import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { sendJson, sendText } from "../support/api.ts";
import { createHarness, emptyStores, info } from "../support/harness.ts";
import { runbookFolder } from "../support/runbooks.ts";
import { listen } from "../support/servers/listen.ts";
import { createPerson } from "./support/person.ts";

const database = new URL(info.urls.postgres);
const harness = createHarness({
  EVIDENCE_DB: `${decodeURIComponent(database.username)}:${decodeURIComponent(database.password)}`,
});
const { services } = harness;
const server = await listen(services);
const variables = { DEJAVU_URL: server.url, DEJAVU_TOKEN: services.config.DEJAVU_TOKEN };

beforeEach(() => emptyStores(services));
afterAll(() => server[Symbol.asyncDispose]());

function sqlCheck(attributes: string, ...rules: string[]): string {
  return [
    "```sql {",
    attributes,
    "}\nselect count(*) as value from pg_database\n```\n",
    ...rules.map((rule) => `- ${rule}\n`),
  ].join("");
}

const CONFIRMED = sqlCheck("check=databases", "confirms: any > 0: there are databases");
const REFUTED = sqlCheck("check=many", "confirms: any > 1000: too many", "refutes: all < 1000: look elsewhere");
const METRIC = "```promql {check=up match=none}\nup\n```\n- confirms: any < 1: it is down\n";
const BAD = "```sql {check=bad}\ndelete from pg_class\n```\n- confirms: any > 0: x\n";

const runbook = (...checks: string[]) =>
  `# Too many databases\n\nThe server is slow.\n\n## Confirm\n\n${checks.join("\n")}`;

describe("a runbook with checks", () => {
  it("is stored, and the answer has the problems by line and the number of checks that can run", async () => {
    const put = async (text: string) => {
      const response = await sendText(harness, "/v1/runbooks/shop/databases.md", text);
      return { status: response.status, ...((await response.json()) as object) };
    };
    expect(await put(`---\ntags: a\n---\n${runbook(CONFIRMED, BAD)}`)).toMatchObject({
      status: 201,
      chunks: 2,
      checks: 1,
      problems: [{ line: 16, message: expect.stringMatching(/\S/) }],
    });
    // The check is no search text: a corrected one changes the chunk and keeps its vector.
    expect(await put(runbook(CONFIRMED))).toMatchObject({ status: 200, checks: 1, problems: [] });
    const search = await harness.post("/v1/search", { collection: "runbooks", query: "slow server", limit: 5 });
    expect(JSON.stringify(await search.json())).toContain("{check=databases}");
    const shown = await harness.request("/v1/runbooks/shop/databases.md");
    expect(await shown.json()).toMatchObject({ text: runbook(CONFIRMED) });
  });

  it("is added by the command line, which reports problems with file and line", async () => {
    await using dana = await createPerson(variables);
    await using folder = await runbookFolder({ "shop/databases.md": runbook(BAD, CONFIRMED) });
    const added = await dana.dejavu(["runbooks", "add", folder.directory]);
    expect(added).toMatchObject({ code: 0, out: expect.stringContaining("1 problem in evidence checks") });
    expect(added.problems).toMatch(/^\S+\/shop\/databases\.md:8: \S/m);
  });
});

describe("dejavu runbooks check", () => {
  it("counts the checks by language, and reports problems with file and line", async () => {
    await using dana = await createPerson({});
    await using folder = await runbookFolder({ "shop/databases.md": runbook(CONFIRMED, METRIC) });
    const checked = await dana.dejavu(["runbooks", "check", folder.directory]);
    expect(checked).toMatchObject({
      code: 0,
      out: expect.stringMatching(
        /^One failure: .+\n1 file and 2 evidence checks \(1 sql, 1 promql\) checked: no problems\.\n$/,
      ),
    });
    await folder.write("shop/databases.md", runbook(BAD));
    const bad = await dana.dejavu(["runbooks", "check", folder.directory, "--json"]);
    expect(bad.code).toBe(1);
    expect(JSON.parse(bad.out)).toMatchObject({
      checks: {},
      runbooks: [{ file: expect.stringContaining("databases.md"), topics: [{ heading_path: [], anchor: null }] }],
      problems: [{ line: 8 }],
    });
  });

  it("runs each check once with --run, and says which could not run", async () => {
    await sendJson(harness, "PUT", "/v1/sources/db", {
      kind: "postgres",
      url: `postgres://${database.host}${database.pathname}?sslmode=disable`,
      credential: "EVIDENCE_DB",
    });
    await using dana = await createPerson(variables);
    const needsLabel = CONFIRMED.replace("databases", "one").replace(
      "pg_database",
      "pg_database where datname = :datname",
    );
    await using folder = await runbookFolder({ "shop/databases.md": runbook(CONFIRMED, REFUTED, METRIC, needsLabel) });
    const { code, out } = await dana.dejavu(["runbooks", "check", folder.directory, "--run", "--label", "a=b"]);
    const file = join(folder.directory, "shop/databases.md");
    expect(code).toBe(0);
    expect(out).toMatch(/databases: confirmed: \d+: there are databases \[db\]\n/);
    expect(out).toMatch(/many: refuted: \d+: look elsewhere \[db\]\n/);
    expect(out).toContain(`${file}:18: up: not run: No source of evidence answers promql queries.\n`);
    expect(out).toMatch(/one: not run: .*datname/);
    expect(out).toMatch(/4 checks run: 1 confirmed, 1 refuted, 2 not run\.\n$/);
  });

  it("exits with 1 if a source fails", async () => {
    const unreachable = { kind: "postgres", url: "postgres://127.0.0.1:9/orders", credential: "EVIDENCE_DB" };
    expect(await sendJson(harness, "PUT", "/v1/sources/closed", unreachable)).toMatchObject({ status: 201 });
    await using dana = await createPerson(variables);
    await using folder = await runbookFolder({ "shop/databases.md": runbook(CONFIRMED) });
    const checked = await dana.dejavu(["runbooks", "check", folder.directory, "--run"]);
    expect(checked).toMatchObject({ code: 1, out: expect.stringMatching(/databases: inconclusive: .+ \[closed\]/) });
  });

  it("refuses labels without --run", async () => {
    await using dana = await createPerson({});
    expect(await dana.dejavu(["runbooks", "check", ".", "--label", "a=b"])).toMatchObject({ code: 2 });
  });
});
