// The commands about sources of evidence against the application.

import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { createHarness, emptyStores } from "../support/harness.ts";
import { listen } from "../support/servers/listen.ts";
import { metricsServer } from "../support/servers/metrics-server.ts";
import { createPerson } from "./support/person.ts";

const SECRET = "planted-metrics-token-4711";
const metrics = await metricsServer(`Bearer ${SECRET}`);
const harness = createHarness({ EVIDENCE_PROD: SECRET });
const server = await listen(harness.services);
const variables = { DEJAVU_URL: server.url, DEJAVU_TOKEN: harness.services.config.DEJAVU_TOKEN };

beforeEach(async () => {
  await emptyStores(harness.services);
  metrics.misbehaviour = undefined;
});
afterAll(() => Promise.all([server[Symbol.asyncDispose](), metrics[Symbol.asyncDispose]()]));

describe("dejavu sources", () => {
  it("defines, lists, tries and removes a source", async () => {
    await using dana = await createPerson(variables);
    expect((await dana.dejavu(["sources", "list"])).out).toContain("dejavu sources put --help");
    const put = ["sources", "put", "prod", "prometheus", metrics.url, "--credential", "EVIDENCE_PROD"];
    const defined = await dana.dejavu([...put, "--label", "cluster=eu,us", "--header", "X-Scope-OrgID=a"]);
    expect(defined).toMatchObject({ code: 0, problems: "" });
    expect(defined.out).toBe("Defined the source prod. The next triage uses it.\n");
    const listed = await dana.dejavu(["sources", "list"]);
    expect(listed.out).toMatch(
      /^name +kind +health +serves +defined by +address\nprod +prometheus +ok, 2\.42\.0, \d+ ms +cluster=eu\|us +api +http/,
    );
    metrics.series = [{ metric: { instance: "db-1" }, value: "0.97" }];
    const rules = ["--confirms", "any > 0.9", "--refutes", "all < 0.7"];
    const tried = await dana.dejavu(["sources", "try", "prod", "used", "--label", "instance=db-1", ...rules]);
    expect(tried.code).toBe(0);
    expect(tried.out).toMatch(
      /^confirmed \(any > 0\.9; value 0\.97 \(instance=db-1\)\)\n\nprod, \d+ ms:\n {2}used\{instance="db-1"\}\n\nvalue +labels\n0\.97 +instance=db-1\n$/,
    );
    expect((await dana.dejavu(["sources", "rm", "prod"])).out).toBe(
      "Removed the source prod. Results in answers stay.\n",
    );
    const missing = await dana.dejavu(["sources", "try", "prod", "up"]);
    expect(missing).toMatchObject({ code: 3, out: "" });
    expect(missing.problems).toContain("dejavu sources list");
  });

  it("says why a source fails, and exits with 1", async () => {
    await using dana = await createPerson(variables);
    const put = await dana.dejavu([
      "sources",
      "put",
      "prod",
      "prometheus",
      metrics.url,
      "--credential",
      "EVIDENCE_NONE",
    ]);
    expect(put.out).toContain("npx wrangler secret put EVIDENCE_NONE");
    expect((await dana.dejavu(["sources", "list"])).out).toMatch(
      /failing: missing_credential[\s\S]*\nprod: the Worker has no secret EVIDENCE_NONE/,
    );
    expect((await dana.dejavu(["sources", "list", "--no-health"])).out).toContain("no credential");
    const tried = await dana.dejavu(["sources", "try", "prod", "up"]);
    expect(tried).toMatchObject({ code: 1, problems: "" });
    expect(tried.out).toContain("Failed (missing_credential): the Worker has no secret EVIDENCE_NONE");
  });

  it("refuses a wrong definition or query with the reason", async () => {
    await using dana = await createPerson(variables);
    const wrong = ["sources", "put", "prod", "prometheus", "http://169.254.169.254", "--label", "cluster=eu"];
    const refused = await dana.dejavu(wrong);
    expect(refused).toMatchObject({ code: 2, out: "" });
    expect(refused.problems).toContain("metadata service");
    expect((await dana.dejavu([...wrong, "--header", "X-Tenant"])).problems).toContain("--header must be key=value");
    await dana.dejavu(["sources", "put", "prod", "prometheus", metrics.url]);
    const query = await dana.dejavu(["sources", "try", "prod", "sum(up"]);
    expect(query).toMatchObject({ code: 2, out: "" });
    expect(query.problems).toContain("query: line 1");
  });

  it("prints the response of the API with --json", async () => {
    await using dana = await createPerson(variables);
    await dana.dejavu(["sources", "put", "prod", "prometheus", metrics.url, "--credential", "EVIDENCE_PROD"]);
    const listed = await dana.dejavu(["sources", "list", "--json"]);
    expect(JSON.parse(listed.out)).toMatchObject({ sources: [{ name: "prod", health: { status: "ok" } }] });
    expect(listed.out).not.toContain(SECRET);
  });
});
