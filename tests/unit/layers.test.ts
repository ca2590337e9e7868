import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { ARROWS, crossings, type Import, impurities, readSource } from "./layers.ts";

const ROOT = new URL("../../", import.meta.url);

const names = await readdir(fileURLToPath(new URL("functions/", ROOT)), { recursive: true });
const files = names
  .map((name) => `functions/${name.replaceAll("\\", "/")}`)
  .filter((name) => /\.[cm]?[jt]sx?$/.test(name))
  .sort();
const sources = await Promise.all(
  files.map(async (file) => [file, readSource(file, await readFile(new URL(file, ROOT), "utf8"))] as const),
);

const value = (specifier: string): Import => ({ specifier, typeOnly: false });
const type = (specifier: string): Import => ({ specifier, typeOnly: true });

describe("the sources in functions/", () => {
  it("are all looked at", () => {
    expect(files.length).toBeGreaterThan(40);
    expect(sources.flatMap(([, { imports }]) => imports).length).toBeGreaterThan(100);
    for (const file of ["index.ts", "retrieval/tokenize.ts", "stores/chroma.ts"]) {
      expect(files).toContain(`functions/${file}`);
    }
  });

  it("import along the arrows only", () => {
    expect(sources.flatMap(([file, { imports }]) => crossings(file, imports))).toEqual([]);
  });

  it("take clock, chance and environment from the composition root only", () => {
    expect(sources.flatMap(([file, source]) => impurities(file, source.impurities))).toEqual([]);
  });

  it("have a composition root that does take them, so that the check sees them", () => {
    const root = sources.find(([file]) => file === "functions/services.ts");
    expect(root?.[1].impurities).toContain("new Date()");
  });
});

describe("crossings", () => {
  it.each<[file: string, wrong: Import]>([
    ["retrieval/chunk.ts", value("../domains/domain.ts")],
    ["retrieval/chunk.ts", type("../stores/vector-store.ts")],
    ["retrieval/chunk.ts", type("../config.ts")],
    ["guardrails/redact.ts", value("../memory/incident.ts")],
    ["domains/route.ts", value("../retrieval/tokenize.ts")],
    ["alerts/grafana.ts", value("../memory/alerts.ts")],
    ["alerts/grafana.ts", value("../stores/outside.ts")],
    ["memory/alerts.ts", value("../alerts/grafana.ts")],
    ["triage/receive-alerts.ts", value("../alerts/grafana.ts")],
    ["stores/chroma.ts", value("../memory/stores.ts")],
    ["stores/chroma.ts", value("../retrieval/tokenize.ts")],
    ["stores/database.ts", value("../../supabase/database-types.ts")],
    ["memory/outbox.ts", type("../triage/services.ts")],
    ["memory/outbox.ts", value("../routes/problem.ts")],
    ["memory/outbox.ts", type("../config.ts")],
    ["memory/outbox.ts", type("../../supabase/database-types.ts")],
    ["triage/recall.ts", value("../config.ts")],
    ["triage/recall.ts", value("../log.ts")],
    ["triage/recall.ts", type("../services.ts")],
    ["triage/recall.ts", value("../stores/chroma.ts")],
    ["triage/recall.ts", value("../routes/input.ts")],
    ["triage/recall.ts", value("../jobs/retry-outbox.ts")],
    ["jobs/retry-outbox.ts", value("../stores/outside.ts")],
    ["jobs/retry-outbox.ts", value("../routes/problem.ts")],
    ["routes/health.ts", value("../services.ts")],
    ["routes/health.ts", value("../retrieval/tokenize.ts")],
    ["routes/health.ts", value("../stores/chroma.ts")],
    ["routes/health.ts", value("../app.ts")],
    ["config.ts", value("./services.ts")],
    ["log.ts", type("./config.ts")],
    ["services.ts", value("../dev/start.ts")],
    ["index.ts", value("../seeds/seed-runbooks.ts")],
    ["app.ts", value("../tests/unit/layers.ts")],
    ["retrieval/chunk.ts", value("../retrieval-helpers.ts")],
    ["retrieval/chunk.ts", value("./<computed>/../../dev/x.ts")],
    ["memory/outbox.ts", value("chromadb")],
    ["stores/database.ts", value("chromadb")],
    ["stores/chroma.ts", value("@supabase/postgrest-js")],
    ["memory/outbox.ts", type("@supabase/postgrest-js")],
    ["triage/synthesise.ts", value("ai")],
    ["triage/synthesise.ts", value("@ai-sdk/anthropic")],
    ["stores/language-model.ts", value("ai")],
    ["triage/draft.ts", type("../stores/ai-sdk-model.ts")],
    ["routes/slack.ts", value("slack-edge")],
    ["routes/slack/desk.ts", type("slack-edge")],
    ["stores/slack.ts", type("@slack/types")],
    ["helpers/misc.ts", value("zod")],
    ["helpers.ts", value("zod")],
  ])("refuse %s → %j", (file, wrong) => {
    expect(crossings(`functions/${file}`, [wrong])).toHaveLength(1);
  });

  it.each<[file: string, right: Import]>([
    ["retrieval/chunk.ts", value("./tokenize.ts")],
    ["retrieval/chunk.ts", value("zod")],
    ["guardrails/redact.ts", value("../retrieval/tokenize.ts")],
    ["alerts/grafana.ts", value("../memory/alert.ts")],
    ["routes/alerts.ts", value("../alerts/grafana.ts")],
    ["stores/database.ts", type("../../supabase/database-types.ts")],
    ["stores/database.ts", value("@supabase/postgrest-js")],
    ["stores/chroma.ts", value("chromadb")],
    ["stores/ai-sdk-model.ts", value("@ai-sdk/anthropic")],
    ["stores/ai-sdk-model.ts", value("ai")],
    ["triage/run.ts", value("../stores/language-model.ts")],
    ["memory/outbox.ts", value("../stores/outside.ts")],
    ["triage/recall.ts", value("../stores/outside.ts")],
    ["triage/recall.ts", value("../stores/vector-store.ts")],
    ["triage/services.ts", type("../config.ts")],
    ["jobs/retry-outbox.ts", type("../triage/services.ts")],
    ["routes/health.ts", type("../services.ts")],
    ["routes/slack/dispatch.ts", value("slack-edge")],
    ["routes/slack/block-kit.ts", type("@slack/types")],
    ["app.ts", value("./routes/health.ts")],
    ["services.ts", value("../package.json")],
    ["retrieval/chunk.ts", value("airtight")],
  ])("accept %s → %j", (file, right) => {
    expect(crossings(`functions/${file}`, [right])).toEqual([]);
  });

  it("say what crosses where", () => {
    expect(crossings("functions/search-index/outbox.ts", [value("../routes/problem.ts"), value("zod")])).toEqual([
      "functions/search-index/outbox.ts imports functions/routes/http/problem.ts",
    ]);
  });

  it("know each layer of the design", () => {
    const layers = Object.keys(ARROWS).filter((name) => name.endsWith("/"));
    expect(layers.map((name) => name.split("/")[1]).sort()).toEqual([
      "access",
      "alerts",
      "commands",
      "domains",
      "guardrails",
      "jobs",
      "memory",
      "retrieval",
      "routes",
      "stores",
      "tracing",
      "triage",
    ]);
  });
});

describe("readSource", () => {
  const importsOf = (text: string) => readSource("functions/x.ts", text).imports;
  const impuritiesOf = (text: string) => readSource("functions/x.ts", text).impurities;

  it.each([
    ['import { a } from "./a.ts";', [value("./a.ts")]],
    ['import a, * as b from "./a.ts";', [value("./a.ts")]],
    ['import "./a.ts";', [value("./a.ts")]],
    ['import {} from "./a.ts";', [value("./a.ts")]],
    ['import type { A } from "./a.ts";', [type("./a.ts")]],
    ['import { type A, type B } from "./a.ts";', [type("./a.ts")]],
    ['import { type A, b } from "./a.ts";', [value("./a.ts")]],
    ['export { a } from "./a.ts";', [value("./a.ts")]],
    ['export * from "./a.ts";', [value("./a.ts")]],
    ['export type { A } from "./a.ts";', [type("./a.ts")]],
    ['export type * from "./a.ts";', [type("./a.ts")]],
    ['const a = await import("./a.ts");', [value("./a.ts")]],
    ["const a = await import(name);", [value("./<computed>")]],
    ['let a: import("./a.ts").A;', [type("./a.ts")]],
    ['// import "./a.ts";\nconst a = \'import "./b.ts"\';', []],
    ["export const a = 1;", []],
  ])("reads %j", (text, expected) => {
    expect(importsOf(text)).toEqual(expected);
  });

  it.each([
    ["const a = process.env.HOME;", "process.env"],
    ['const a = globalThis.process["env"];', "process.env"],
    ["const a = Date.now();", "Date.now"],
    ["const a = Date.now;", "Date.now"],
    ["const a = new Date();", "new Date()"],
    ["const a = new globalThis.Date();", "new Date()"],
    ["const a = Date();", "Date()"],
    ["const a = () => Math.random();", "Math.random"],
    ['import { env } from "node:process";', "node:process"],
  ])("sees the impurity of %j", (text, what) => {
    expect(impuritiesOf(text)).toEqual([what]);
  });

  it.each(["new Date(0)", "new Date(now)", "services.now()", "Math.max(1, 2)", '"Date.now()"', "a.process.env2"])(
    "sees none in %j",
    (text) => {
      expect(impuritiesOf(`const a = ${text};`)).toEqual([]);
    },
  );

  it("refuses a file that it cannot read", () => {
    expect(() => importsOf("import { from")).toThrow("functions/x.ts");
  });
});

describe("impurities", () => {
  it("are the composition root's alone", () => {
    expect(impurities("functions/services.ts", ["new Date()"])).toEqual([]);
    expect(impurities("functions/config.ts", ["process.env"])).toEqual(["functions/config.ts uses process.env"]);
  });
});
